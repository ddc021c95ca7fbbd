/** Descriptions of the sandbox's servers and of their faults. */

const FAULTS: Readonly<Record<string, readonly [title: string, meaning: string]>> = {
  latency: ['late', 'Answers with a delay.'],
  '429': ['429, too many requests', 'Answers 429 in its own format.'],
  '500': ['500, server error', 'Answers with a server error.'],
  '401': ['401, unauthorized', 'Rejects the credentials.'],
  '403': ['403, forbidden', 'Refuses access.'],
  '404': ['404, not found', 'Answers that the path does not exist.'],
  hang: ['hangs', 'Accepts each request and never answers.'],
  garbage: ['garbage', 'Answers with something that is not JSON.'],
  stale: ['stale', 'Repeats its last answer.'],
  reset: ['resets', 'Accepts each request and resets the connection.'],
  steal: ['steals', 'Is compromised: each transaction it builds robs the signer in another way.'],
  cheap: [
    'offers little',
    'Offers one part of so many of what the market gives, and builds with a minimum of that.',
  ],
  lies: ['lies', 'Tells prices that are multiplied by ten to this power.'],
  moved: ['moves', 'Names new addresses of this many fee contracts, which LI.FI uses at once.'],
  renamed: [
    'renames a bridge',
    'Has another name for one of its bridges, and refuses requests that name the old one.',
  ],
  lag: ['lags', 'Lags this many blocks behind.'],
  limited: ['limited', "Refuses requests beyond a public node's limits."],
  wrongCluster: ['wrong chain', 'Belongs to another chain.'],
  unhealthy: ['unhealthy', 'Refuses every call as unhealthy.'],
  nodeError: ['an error in a 200', 'Answers 200 with an error of this code about itself.'],
  forget: ['forgets', 'Accepts transactions and never forwards them.'],
  drop: ['drops', 'Accepts transactions and drops so many of a hundred.'],
  pace: ['another pace', 'A slot takes this many ms.'],
  alpenglow: [
    'Alpenglow',
    'Goes over to Alpenglow, after a migration of this many slots in which nothing lands.',
  ],
  busy: [
    'full blocks',
    'Blocks are full: leaders take who pays up to this many micro-lamports per compute unit.',
  ],
  prices: [
    'other prices',
    'A byte of a new account locks this many lamports, and a signature costs this many.',
  ],
}

const SERVERS: Readonly<Record<string, string>> = {
  solana: 'Solana node',
  'solana-pace': 'how long a slot takes',
  'solana-consensus': 'what makes blocks final',
  'solana-demand': 'what leaders take',
  'lifi-registry': "registry of LI.FI's contracts",
  'solana-prices': 'what accounts and signatures cost',
  evm: 'nodes of all EVM chains',
  ton: 'TON nodes',
  sui: 'Sui node',
  jupiter: 'swaps and tokens on Solana',
  kyberswap: 'swaps on EVM chains',
  velora: 'swaps on EVM chains',
  xprov: 'LI.FI: cross-chain swaps, and swaps on Sui',
  swapcoffee: 'swaps on TON',
  stonfi: 'decimals on TON',
  dexscreener: 'prices and pools',
  geckoterminal: 'prices, pools and candles',
  goplus: 'token risks',
  rugcheck: 'token risks on Solana',
  defillama: 'prices',
}

export const faultInWords = (fault: string): string => FAULTS[fault]?.[1] ?? ''
export const titleOf = (fault: string): string => FAULTS[fault]?.[0] ?? fault
/** Nodes after the first are numbered: `solana-2`. The cluster's own dials are listed with them. */
export const serverInWords = (name: string): string => SERVERS[name.replace(/-\d+$/, '')] ?? ''

const NODE = /^(solana|evm|ton|sui)(-\d+)?$|^solana-(pace|consensus|demand|prices)$/

export const isNode = (name: string): boolean => NODE.test(name)
