/**
 * Parses a portfolio's parameters to the wallets to read. All spellings of the
 * same request give the same result, so that they share an answer.
 *
 * Source: §4.4
 */
import { type Static, Type } from 'typebox'
import { CHAINS } from '../../chains/chains.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { checksummed } from '../../chains/evm-address.ts'
import { EVM_CHAINS, findChain, findEvmChain } from '../../chains/find.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { leastValue } from '../../chains/usd.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { nearest } from '../../runtime/nearest.ts'
import texts from '../texts.json' with { type: 'json' }
import inputs from './inputs.json' with { type: 'json' }

const { portfolio: text } = texts

/** Whose holdings, and where. */
export const WalletsQuery = Type.Object({
  address: Type.Optional(Type.String(inputs.address)),
  sol: Type.Optional(Type.String(inputs.sol)),
  chains: Type.Optional(Type.String(inputs.chains)),
})
export type WalletsQuery = Static<typeof WalletsQuery>

export const PortfolioQuery = Type.Object({
  ...WalletsQuery.properties,
  dust: Type.Number(inputs.dust),
})
export type PortfolioQuery = Static<typeof PortfolioQuery>

/** An address on one chain. */
export interface ChainWallet {
  readonly chain: ChainDefinition
  readonly owner: string
}

export type WalletsRequest = Readonly<ReturnType<typeof parseWallets>>
export type PortfolioRequest = Readonly<ReturnType<typeof parsePortfolio>>

const SOLANA = findChain('solana')!

/** @throws 400  invalid_parameter */
export function parsePortfolio(query: PortfolioQuery, known: readonly string[]) {
  const request = parseWallets(query, known)
  const leastShown = leastValue(query.dust)
  return {
    ...request,
    /** Micro-dollars: an unlisted holding that is worth less is not shown. */
    leastShown,
    /** Equal for requests with the same wallets, chains and dust. */
    key: `${request.walletsKey} ${leastShown}`,
  }
}

/**
 * @param known  keys of the chains that have tokens
 * @throws 400  invalid_parameter
 */
export function parseWallets(query: WalletsQuery, known: readonly string[]) {
  const sol = query.sol ?? null
  if (query.address === undefined && sol === null) throw invalidParameter('address', text.noWallet)
  if (sol !== null && !isBase58Of(sol, 32)) throw invalidParameter('sol', text.badSol)
  if (query.chains !== undefined && query.address === undefined) {
    throw invalidParameter('chains', text.chainsAlone)
  }
  // §4.4 accepts any case; the checksum is for addresses typed by people.
  const address = query.address === undefined ? null : checksummed(query.address.toLowerCase())
  const keys = new Set(address === null ? [] : (query.chains?.split(',') ?? known.filter(isEvm)))
  for (const key of keys) if (!isEvm(key)) throw invalidParameter('chains', wrongKey(key))
  const chains = CHAINS.filter((chain) => keys.has(chain.key))
  const wallets: readonly ChainWallet[] = [
    ...(sol === null ? [] : [{ chain: SOLANA, owner: sol }]),
    ...chains.map((chain) => ({ chain, owner: address! })),
  ]
  return {
    /** The EVM address in EIP-55's mixed case; null if it was not given. */
    address,
    sol,
    /** Solana first, then the chains that `address` is looked up on, each once, in the chain table's order. */
    wallets,
    /** Equal for requests about the same wallets and chains. */
    walletsKey: [address, sol, chains.map((chain) => chain.key).join()].join(' '),
  }
}

function isEvm(key: string): boolean {
  return findEvmChain(key) !== null
}

/** The message for a bad key of `chains`, with the key that was probably meant. */
function wrongKey(key: string): string {
  const accepted = '`chains` takes a comma list of EVM chain keys that GET /api/chains lists'
  if (findChain(key) !== null) {
    return `${accepted}; ${key} is none: ${key === 'solana' ? 'give `sol` for it.' : 'its wallets are not read.'}`
  }
  // Text that does not look like a key is not repeated.
  if (!/^[\w-]{1,32}$/.test(key)) return `${accepted}, such as base,arbitrum.`
  const meant = nearest(key, EVM_KEYS)
  return `${accepted}; ${key} is none${meant === null ? '' : `, perhaps ${meant} is meant`}.`
}

const EVM_KEYS = EVM_CHAINS.map(({ key }) => key)
