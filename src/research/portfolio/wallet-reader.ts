/**
 * What wallets hold, chain by chain, as the chains' nodes tell it. The portfolio
 * and the raw balances come here for it: whoever asks for a wallet while it is
 * being read shares what is read. Nothing is kept here, so that who has just
 * swapped sees it.
 *
 * Source: §4.4, §4.10 /api/balances
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Holdings, HoldingsProvider } from '../../providers/holdings/holdings.ts'
import type { CancellationScope, Client } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { Coalescer } from '../../upstream/coalescing.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { Universe } from '../universe/universe.ts'
import { candidateTokens, withKnownName } from './candidate-tokens.ts'
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
    this.#reads = new Coalescer(0, options.clock)
  }

  /** Has the lists of tokens read where they are due; waits for those that were never read, for so long at most. */
  async ready(wallets: readonly ChainWallet[], deadlineMs: number): Promise<void> {
    const { tokens, universe } = this.#options
    const chains = wallets.map(({ chain }) => chain.key)
    await Promise.all([tokens.ready(deadlineMs), universe.ready(chains, deadlineMs)])
  }

  /** Whether all of it is being read already, so that reading it costs nothing. */
  isShared(wallets: readonly ChainWallet[], client?: Client): boolean {
    return wallets.every((wallet) => this.#reads.has(keyOf(wallet), client))
  }

  /**
   * Reads all wallets at once.
   * @param leftMs  the time left for one wallet, looked at when its turn comes: a long list of tokens takes time itself
   * @returns one reading per wallet, in the same order; one that fails leaves the others as they are
   */
  readAll(
    wallets: readonly ChainWallet[],
    leftMs: () => number,
    scope: CancellationScope,
  ): Promise<ChainReading[]> {
    return Promise.all(wallets.map((wallet) => this.#read(wallet, leftMs(), scope)))
  }

  async #read(wallet: ChainWallet, deadlineMs: number, scope: CancellationScope): Promise<ChainReading> {
    const { chain, owner } = wallet
    const { tokens, universe, holdings, clock } = this.#options
    try {
      if (deadlineMs <= 0) {
        throw new GatewayError('upstream_timeout', 'There was no time left to read the chain.')
      }
      return await this.#reads.join(keyOf(wallet), scope, async (shared) => {
        const candidates = candidateTokens(tokens.tokens(chain.key), universe.tokens(chain.key))
        const held = await holdings(chain).ask(owner, candidates, { deadlineMs, scope: shared })
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
