/**
 * What wallets hold, chain by chain, as the chains' nodes tell it. The portfolio
 * and the raw balances come here for it: whoever asks for a wallet while it is
 * being read shares what is read. Nothing is kept here, so that who has just
 * swapped sees it.
 *
 * Source: §4.4, §4.10 /api/balances
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import type { Holdings, HoldingsProvider } from '../../providers/holdings/holdings.ts'
import type { CancellationScope, Client } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { Coalescer } from '../../upstream/coalescing.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { Universe } from '../universe/universe.ts'
import { lookedFor, named } from './looked-for.ts'
import type { PortfolioRequest } from './request.ts'

const SOLANA = findChain('solana')!

export interface WalletsOptions {
  readonly tokens: Pick<TokenSet, 'ready' | 'tokens'>
  readonly universe: Pick<Universe, 'ready' | 'tokens' | 'find'>
  readonly holdings: (chain: ChainDefinition) => HoldingsProvider
  readonly clock: Clock
}

/** Whose wallets, and where. */
export type AskedWallets = Pick<PortfolioRequest, 'address' | 'sol' | 'chains'>

/** What a chain's nodes said, or why they did not; `at` is ms epoch. */
export interface Reading {
  readonly chain: ChainDefinition
  readonly held: Holdings | GatewayError
  readonly at: number
}

interface Read {
  readonly held: Holdings
  readonly at: number
}

interface Wallet {
  readonly chain: ChainDefinition
  readonly owner: string
}

export interface ReadTime {
  /** On the clock: what is not read by then is not read. */
  readonly until: number
  /** Of it, for one chain at most, ms. */
  readonly perChainMs: number
}

export class Wallets {
  readonly #options: WalletsOptions
  readonly #reads: Coalescer<Read>

  constructor(options: WalletsOptions) {
    this.#options = options
    this.#reads = new Coalescer(0, options.clock)
  }

  /** Has the lists of tokens read where they are due; waits for those that were never read, for so long at most. */
  async ready(asked: AskedWallets, deadlineMs: number): Promise<void> {
    const { tokens, universe } = this.#options
    const chains = walletsOf(asked).map(({ chain }) => chain.key)
    await Promise.all([tokens.ready(deadlineMs), universe.ready(chains, deadlineMs)])
  }

  /** Whether all of it is being read already, so that reading it costs nothing. */
  isShared(asked: AskedWallets, client?: Client): boolean {
    return walletsOf(asked).every((wallet) => this.#reads.has(keyOf(wallet), client))
  }

  /** @returns for each chain, each for itself; Solana is the first */
  readAll(asked: AskedWallets, time: ReadTime, scope: CancellationScope): Promise<Reading[]> {
    return Promise.all(walletsOf(asked).map((wallet) => this.#read(wallet, time, scope)))
  }

  async #read(wallet: Wallet, { until, perChainMs }: ReadTime, scope: CancellationScope): Promise<Reading> {
    const { chain, owner } = wallet
    const { holdings, clock } = this.#options
    const deadlineMs = Math.min(perChainMs, until - clock.now())
    try {
      if (deadlineMs <= 0) {
        throw new GatewayError('upstream_timeout', 'There was no time left to read the chain.')
      }
      const read = await this.#reads.join(keyOf(wallet), scope, async (shared) => {
        const options = { deadlineMs, scope: shared }
        const held = await holdings(chain).ask(owner, lookedFor(this.#options, chain.key), options)
        const called = held.holdings.map((holding) => named(this.#options, holding))
        return { held: { ...held, holdings: called }, at: clock.date() }
      })
      return { chain, ...read }
    } catch (error) {
      if (error instanceof GatewayError) return { chain, held: error, at: clock.date() }
      throw error
    }
  }
}

function walletsOf({ address, sol, chains }: AskedWallets): readonly Wallet[] {
  return [
    ...(sol === null ? [] : [{ chain: SOLANA, owner: sol }]),
    ...chains.map((chain) => ({ chain, owner: address! })),
  ]
}

const keyOf = ({ chain, owner }: Wallet): string => `${chain.key} ${owner}`
