/** What the sandbox's servers are, and what each fault does, in words. */

const FAULTS: Readonly<Record<string, string>> = {
  latency: 'Answers late.',
  '429': 'Answers that it is asked too often, in its own form.',
  '500': 'Answers a server error.',
  '401': 'Answers that it does not know the caller.',
  '403': 'Answers that the caller may not ask.',
  '404': 'Answers that there is nothing under its path.',
  hang: 'Takes each request, and never answers.',
  garbage: 'Answers something that is not JSON.',
  stale: 'Stands still at its last answer.',
  reset: 'Takes each request, and resets the connection.',
  steal: 'Was taken over: what it builds robs whoever signs it, each time in another way.',
  lag: 'Is so many blocks behind.',
  limited: 'Answers up to the limits of a public node, and refuses the rest.',
  wrongCluster: 'Is a node of another chain.',
  unhealthy: 'Refuses every call, because it is not well.',
  forget: 'Accepts transactions, and never sends them on.',
}

const TITLES: Readonly<Record<string, string>> = {
  latency: 'late',
  '429': '429, too many requests',
  '500': '500, server error',
  '401': '401, unknown caller',
  '403': '403, forbidden',
  '404': '404, not found',
  hang: 'hangs',
  garbage: 'garbage',
  stale: 'stands still',
  reset: 'resets',
  steal: 'steals',
  lag: 'lags',
  limited: 'limited',
  wrongCluster: 'wrong chain',
  unhealthy: 'unhealthy',
  forget: 'forgets',
}

const SERVERS: Readonly<Record<string, string>> = {
  solana: 'node of Solana',
  evm: 'nodes of all EVM chains',
  ton: 'nodes of TON',
  sui: 'node of Sui',
  jupiter: 'swaps and tokens on Solana',
  kyberswap: 'swaps on EVM chains',
  velora: 'swaps on EVM chains',
  xprov: 'LI.FI: cross-chain swaps, and swaps on Sui',
  swapcoffee: 'swaps on TON',
  stonfi: 'second opinions on TON',
  aftermath: 'second opinions on Sui',
  dexscreener: 'prices and pools',
  geckoterminal: 'prices, pools and candles',
  goplus: 'what speaks against a token',
  rugcheck: 'what speaks against a token on Solana',
  defillama: 'prices',
}

export const faultInWords = (fault: string): string => FAULTS[fault] ?? ''
export const titleOf = (fault: string): string => TITLES[fault] ?? fault
/** Nodes beyond the first are numbered: `solana-2`. */
export const serverInWords = (name: string): string => SERVERS[name.replace(/-\d+$/, '')] ?? ''

const NODE = /^(solana|evm|ton|sui)(-\d+)?$/

export const isNode = (name: string): boolean => NODE.test(name)
