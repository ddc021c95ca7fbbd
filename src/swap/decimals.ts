/**
 * How many decimals a token has. A token in the chain's own file has those of the file. For any other token
 * two sources must agree, a node and a provider or two nodes: one source that lies could turn 250 dollars
 * into 250,000. Each source is one party with one vote: a node that answered for another would vote twice.
 *
 * Decimals do not change, but the sources may have lied: an agreed value is checked again after a while, and
 * soon if a source did not answer. That a token does not exist is cached briefly: it may be created in the
 * next block.
 *
 * Source: §4.5 (amounts in token units) · ERC-20 `decimals()` · src/chains/solana/mint.ts
 */

import type { ChainDefinition, Family } from '../chains/definition.ts'
import { findMajor } from '../chains/majors.ts'
import type { Call } from '../flow/call.ts'
import type { Token } from '../proof/terms/order.ts'
import type { DecimalsSource } from '../providers/provider.ts'
import { type BoundedCache, boundedCache } from '../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { named } from '../runtime/tape.ts'
import { Coalescer } from '../upstream/answers/coalescing.ts'
import type { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import { askMint } from '../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'

const MAX_TOKENS = 5_000
const UNKNOWN_FOR_MS = 30_000
const AGREED_FOR_MS = 6 * 60 * 60 * 1_000
/** If a source did not answer: it may be back, and know better. */
const UNSURE_FOR_MS = 60_000
/** No token of value has more, and 10^36 leaves room for an amount in a uint256. */
const MAX_DECIMALS = 36

/** How many sources must agree. */
const AGREEING = 2

export interface DecimalsOptions {
  /** The nodes of an EVM chain. */
  readonly evm: (chain: ChainDefinition) => { readonly voters: readonly Pick<EvmRpc, 'call'>[] }
  readonly solana: Pick<SolanaRpc, 'voters'>
  /**
   * Providers that know decimals, in order of preference; on EVM chains and Solana they are asked in addition
   * to the nodes.
   */
  readonly sources: Readonly<Record<Family, readonly DecimalsSource[]>>
  /** How many sources must agree; 1 in tests of a single source. */
  readonly agreeing?: number
  readonly clock?: Clock
}

/** @returns null if the token does not exist */
type DecimalsLookup = (address: string, call: Call) => Promise<number | null>

interface Agreement {
  /** Null if enough sources say that the token does not exist. */
  readonly decimals: number | null
  /** How long it is believed; 0 for ever. */
  readonly keptMs: number
}

export class Decimals {
  readonly #options: DecimalsOptions
  readonly #lookups: Coalescer<Token>
  /** Settled promises: the token, or that there is none. */
  readonly #tokens: BoundedCache<string, Promise<Token>>

  constructor(options: DecimalsOptions) {
    const { clock = CLOCK } = options
    this.#options = options
    this.#lookups = new Coalescer(0, named(clock, 'decimals'))
    this.#tokens = boundedCache({ max: MAX_TOKENS, clock: named(clock, 'decimals') })
  }

  /** Tokens whose decimals are known. */
  get size(): number {
    return this.#tokens.size
  }

  /**
   * The token with its decimals. Requests for the same token at the same time share one lookup: none of them
   * can cancel it, and its deadline is that of the first.
   * @param token       as parseToken returns it
   * @param call        over the whole lookup; its client is charged
   * @throws GatewayError  unknown_token, or upstream_* if no source could be asked
   */
  addTo(
    chain: ChainDefinition,
    { address, isNative }: Pick<Token, 'address' | 'isNative'>,
    call: Call,
  ): Promise<Token> {
    if (isNative) return Promise.resolve({ address, isNative, decimals: chain.decimals })
    const key = `${chain.key} ${address}`
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    return this.#lookups.join(key, call.scope.detached(), (shared) => {
      const looked = this.#look(chain, address, call.as('decimals').in(shared))
      const found = looked.then(({ decimals }) => {
        if (decimals !== null) return { address, isNative, decimals }
        throw new GatewayError('unknown_token', `There is no token at this address on ${chain.name}.`)
      })
      looked.then(
        ({ keptMs: ttl }) => this.#tokens.set(key, found, { ttl }),
        () => {},
      )
      return found
    })
  }

  async #look(chain: ChainDefinition, address: string, call: Call): Promise<Agreement> {
    const listed = findMajor(chain.key, address)
    if (listed !== null) return { decimals: listed.decimals, keptMs: 0 }
    return this.#agree(this.#lookupsOf(chain), address, call)
  }

  /** The sources of a chain's tokens, in the order in which they are asked. */
  #lookupsOf(chain: ChainDefinition): readonly DecimalsLookup[] {
    const { evm, solana, sources } = this.#options
    const providers = sources[chain.family].map((source) => source.bind(null, chain))
    if (chain.family === 'evm') return [...evm(chain).voters.map(erc20Lookup), ...providers]
    return chain.family === 'solana' ? [...solana.voters.map(mintLookup), ...providers] : providers
  }

  /**
   * What enough sources agree on. The first ones are asked at once, the others one by one, only if the first
   * ones do not agree.
   * @throws GatewayError  upstream_*
   */
  async #agree(lookups: readonly DecimalsLookup[], address: string, call: Call): Promise<Agreement> {
    const needed = this.#options.agreeing ?? AGREEING
    const votes = new Map<number | null, number>()
    let failure: GatewayError | null = null
    const agreed = (decimals: number | null): Agreement => {
      if (decimals === null) return { decimals, keptMs: UNKNOWN_FOR_MS }
      return { decimals, keptMs: failure === null ? AGREED_FOR_MS : UNSURE_FOR_MS }
    }
    for (let at = 0; at < lookups.length; at = at === 0 ? needed : at + 1) {
      const asked = at === 0 ? lookups.slice(0, needed) : [lookups[at]!]
      const answers = await Promise.all(asked.map((lookup) => settled(lookup(address, call))))
      for (const answer of answers) {
        if (answer instanceof GatewayError) {
          failure ??= answer
          continue
        }
        const count = (votes.get(answer) ?? 0) + 1
        if (count === needed) return agreed(answer)
        votes.set(answer, count)
      }
    }
    if (votes.size === 1 && votes.has(null)) return agreed(null)
    throw failure ?? new GatewayError('upstream_unusable', DISAGREED, { scope: 'provider' })
  }
}

/** @returns the decimals; null if there is no token, or its decimals are out of range; the error of a failed call */
async function settled(asked: Promise<number | null>): Promise<number | null | GatewayError> {
  try {
    const decimals = await asked
    if (decimals === null || !Number.isInteger(decimals)) return null
    return decimals < 0 || decimals > MAX_DECIMALS ? null : decimals
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.code === 'unknown_token' ? null : error
  }
}

const DISAGREED =
  'No two sources agree on how many decimals this token has, so its amounts cannot be computed. Try another token, or try again later.'

/** Selector of `decimals()`. */
const DECIMALS = '0x313ce567'

/** One node's answer; null if there is no contract, or it does not answer `decimals()`. */
const erc20Lookup =
  (node: Pick<EvmRpc, 'call'>): DecimalsLookup =>
  async (address, call) => {
    const word = await node.call(address, DECIMALS, call)
    return word === null || word.length !== 2 + 64 ? null : Number(word)
  }

/** One node's answer; null if there is no account, or it is not a mint. */
const mintLookup =
  (node: Pick<SolanaRpc, 'read'>): DecimalsLookup =>
  async (address, call) => {
    const mint = await askMint(node, address, call)
    return mint?.decimals ?? null
  }
