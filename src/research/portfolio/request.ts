/**
 * From the words of a request for a portfolio to the wallets that are read,
 * in one form for all spellings of the same: what is asked alike is answered
 * together.
 *
 * Source: §4.4
 */
import { CHAINS } from '../../chains/chains.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { checksummed } from '../../chains/evm-address.ts'
import { EVM_CHAINS, findChain, findEvmChain } from '../../chains/find.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { leastValue } from '../../chains/usd.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { nearest } from '../../runtime/nearest.ts'

/** What the caller wrote; each has the form that its schema demands. */
export interface PortfolioQuery {
  readonly address?: string
  readonly sol?: string
  readonly chains?: string
  readonly dust: number
}

export interface PortfolioRequest {
  /** The EVM address in EIP-55's mixed case; null where it was not given. */
  readonly address: string | null
  readonly sol: string | null
  /** The chains that `address` is looked up on, each once, in the chain table's order. */
  readonly chains: readonly ChainDefinition[]
  /** Micro-dollars: an unlisted holding that is worth less is not shown. */
  readonly leastShown: bigint
  /** The same for requests that mean the same. */
  readonly key: string
  /** The same for those that are about the same wallets and chains, whatever their dust. */
  readonly walletsKey: string
}

/**
 * @param known  keys of the chains that have tokens
 * @throws 400  invalid_parameter
 */
export function parsePortfolio(query: PortfolioQuery, known: readonly string[]): PortfolioRequest {
  const sol = query.sol ?? null
  if (query.address === undefined && sol === null) {
    throw invalidParameter('address', 'Give `address`, `sol` or both: whose holdings to read.')
  }
  if (sol !== null && !isBase58Of(sol, 32)) {
    throw invalidParameter('sol', '`sol` must be a Solana address: base58 of 32 bytes.')
  }
  if (query.chains !== undefined && query.address === undefined) {
    throw invalidParameter(
      'chains',
      '`chains` says where to look `address` up; give `address` too, or leave it out.',
    )
  }
  // The case is a checksum for whoever types an address; §4.4 takes any.
  const address = query.address === undefined ? null : checksummed(query.address.toLowerCase())
  const keys = new Set(address === null ? [] : (query.chains?.split(',') ?? known.filter(isEvm)))
  for (const key of keys) if (!isEvm(key)) throw invalidParameter('chains', wrongKey(key))
  const chains = CHAINS.filter((chain) => keys.has(chain.key))
  const leastShown = leastValue(query.dust)
  const walletsKey = [address, sol, chains.map((chain) => chain.key).join()].join(' ')
  return {
    address,
    sol,
    chains,
    leastShown,
    key: `${walletsKey} ${leastShown}`,
    walletsKey,
  }
}

function isEvm(key: string): boolean {
  return findEvmChain(key) !== null
}

/** What is wrong with a key of `chains`, and which was meant. */
function wrongKey(key: string): string {
  const accepted = '`chains` takes a comma list of EVM chain keys that GET /api/chains lists'
  if (findChain(key) !== null) {
    return `${accepted}; ${key} is none: ${key === 'solana' ? 'give `sol` for it.' : 'its wallets are not read.'}`
  }
  // What looks like no key at all is not repeated.
  if (!/^[\w-]{1,32}$/.test(key)) return `${accepted}, such as base,arbitrum.`
  const meant = nearest(key, EVM_KEYS)
  return `${accepted}; ${key} is none${meant === null ? '' : `, perhaps ${meant} is meant`}.`
}

const EVM_KEYS = EVM_CHAINS.map(({ key }) => key)
