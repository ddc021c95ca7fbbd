/**
 * Reads what wallets hold, chain by chain, from the chains' nodes. Portfolios and
 * raw balances share this reader, and concurrent reads of a wallet are coalesced.
 * Nothing is cached, so that a swap that just happened is visible.
 *
 * Source: §4.4, §4.10 /api/balances
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Call } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import type { AskedToken, Holding, Holdings, HoldingsProvider } from '../../providers/holdings/holdings.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { named } from '../../runtime/tape.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'
import type { Universe } from '../universe/universe.ts'
import type { ChainWallet } from './request.ts'

interface WalletsOptions {
  readonly tokens: Pick<TokenSet, 'ready' | 'tokens'>
  readonly universe: Pick<Universe, 'ready' | 'tokens' | 'find'>
  readonly holdings: (chain: ChainDefinition) => HoldingsProvider
  readonly clock: Clock
}

/** What a chain's nodes answered about a wallet, or why they did not; `at` is ms epoch. */
export interface ChainReading {
  readonly chain: ChainDefinition
  readonly held: Holdings | GatewayError
  readonly at: number
}

export class WalletReader {
  readonly #options: WalletsOptions
  readonly #reads: Coalescer<ChainReading>

  constructor(options: WalletsOptions) {
    this.#options = options
    this.#reads = new Coalescer(0, named(options.clock, 'wallets'))
  }

  /** Starts a refresh of token lists that are due, and waits for those never read, `deadlineMs` at most. */
  async ready(wallets: readonly ChainWallet[], deadlineMs: number): Promise<void> {
    const { tokens, universe } = this.#options
    const chains = wallets.map(({ chain }) => chain.key)
    await Promise.all([tokens.ready(deadlineMs), universe.ready(chains, deadlineMs)])
  }

  /** Whether all wallets are being read already, so that reading them costs no call. */
  isShared(wallets: readonly ChainWallet[], client?: Client): boolean {
    return wallets.every((wallet) => this.#reads.has(keyOf(wallet), client))
  }

  /**
   * Reads all wallets at once.
   * @param callOf  for one wallet, made as its read starts: preparing the ones before it takes time
   * @returns one reading per wallet, in the same order; one that fails leaves the others as they are
   * @throws GatewayError  502 upstream_unavailable, if no chain could be read
   */
  async readAll(wallets: readonly ChainWallet[], callOf: () => Call): Promise<ChainReading[]> {
    const readings = await Promise.all(wallets.map((wallet) => this.#read(wallet, callOf())))
    if (readings.some(({ held }) => !(held instanceof GatewayError))) return readings
    throw new GatewayError('upstream_unavailable', 'None of the chains could be read. Try again later.')
  }

  async #read(wallet: ChainWallet, call: Call): Promise<ChainReading> {
    const { chain, owner } = wallet
    const { tokens, universe, holdings, clock } = this.#options
    try {
      if (call.leftMs <= 0) {
        throw new GatewayError('upstream_timeout', 'There was no time left to read the chain.')
      }
      return await this.#reads.join(keyOf(wallet), call.scope, async (shared) => {
        const candidates = candidateTokens(tokens.tokens(chain.key), universe.tokens(chain.key))
        const held = await holdings(chain).ask(owner, candidates, call.in(shared))
        const named = held.holdings.map((holding) => withKnownName(universe, holding))
        return { chain, held: { ...held, holdings: named }, at: clock.date() }
      })
    } catch (error) {
      if (error instanceof GatewayError) return { chain, held: error, at: clock.date() }
      throw error
    }
  }
}

const keyOf = ({ chain, owner }: ChainWallet): string => `${chain.key} ${owner}`

/**
 * The tokens that a wallet is searched for, the likeliest to be held first:
 *
 *   chosen rows of the list ─> vouched tokens of the universe ─> other rows ─> other tokens of the universe
 *
 * @returns each token of one chain once
 */
function candidateTokens(
  listed: readonly ListedToken[],
  known: readonly KnownToken[],
): readonly AskedToken[] {
  const asked = new Map<string, AskedToken>()
  const add = (token: AskedToken): void => {
    if (!asked.has(token.address)) asked.set(token.address, token)
  }
  for (const token of listed) if (isChosen(token)) add({ ...listedToken(token), isVouched: true })
  for (const token of known) if (token.isVouched) add(knownToken(token))
  for (const token of listed) add({ ...listedToken(token), isVouched: false })
  for (const token of known) add(knownToken(token))
  return [...asked.values()]
}

/** The holding with its name from the universe: nodes that list a wallet's tokens give no names. */
function withKnownName(universe: Pick<Universe, 'find'>, holding: Holding): Holding {
  const { token, decimals, symbol, name } = holding
  const known = symbol === null ? universe.find(token.chain, token.address) : null
  // An entry with other decimals is about another token.
  if (known === null || (decimals !== null && decimals !== known.decimals)) return holding
  return { ...holding, symbol: known.symbol, name: name ?? known.name }
}

/** Whether it was chosen by hand: a major, which has decimals in the chain table, or the operator's. */
const isChosen = ({ decimals, isChosen }: ListedToken): boolean => isChosen ?? decimals !== null

const listedToken = ({ address, decimals, symbol, name }: ListedToken): AskedToken => ({
  address,
  decimals,
  symbol,
  name,
})

const knownToken = ({ address, decimals, symbol, name, isVouched }: KnownToken): AskedToken => ({
  address,
  symbol,
  name,
  listedDecimals: decimals,
  isVouched,
})
