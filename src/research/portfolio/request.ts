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

/** Whose holdings, and where. */
export const WalletsQuery = Type.Object({
  address: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      title: 'an EVM address: 0x and 40 hex digits',
      description: 'public EVM address, in any letter case; required without `sol`',
    }),
  ),
  sol: Type.Optional(
    Type.String({
      minLength: 32,
      maxLength: 44,
      title: 'a Solana address, which has 32 to 44 characters',
      description: 'public Solana address; required without `address`',
    }),
  ),
  chains: Type.Optional(
    Type.String({
      maxLength: 512,
      'x-separator': ',',
      description:
        'comma-separated EVM chain keys to read `address` on; default: the chains that have tokens in the list',
    }),
  ),
})
export type WalletsQuery = Static<typeof WalletsQuery>

export const PortfolioQuery = Type.Object({
  ...WalletsQuery.properties,
  dust: Type.Number({
    minimum: 0,
    default: 0.01,
    title: 'a number of at least 0, such as 0.01',
    description: 'in dollars: unlisted holdings that are worth less are counted but not shown',
  }),
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
  if (query.address === undefined && sol === null) {
    throw invalidParameter('address', 'Give `address`, `sol` or both: whose holdings to read.')
  }
  if (sol !== null && !isBase58Of(sol, 32)) {
    throw invalidParameter(
      'sol',
      '`sol` must be a Solana address: its characters are not base58 of 32 bytes.',
    )
  }
  if (query.chains !== undefined && query.address === undefined) {
    throw invalidParameter(
      'chains',
      '`chains` says where to look `address` up; give `address` too, or leave it out.',
    )
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
