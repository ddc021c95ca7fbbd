/**
 * What wallets hold, chain by chain, as the chains' nodes tell it. The portfolio
 * and the raw balances come here for it: whoever asks for a wallet while it is
 * being read shares what is read. Nothing is kept here, so that who has just
 * swapped sees it.
 *
 * Source: §4.4, §4.10 /api/balances
 */
import type { ChainDefinition } from '../chains/definition.ts'
import { findChain } from '../chains/find.ts'
import type { Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { Flights } from '../flights.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { Holdings, HoldingsProvider } from '../providers/holdings/holdings.ts'
import type { Caller, Client } from '../upstream/caller.ts'
import type { PortfolioRequest } from './request.ts'

/** Chains that are read at the same time for one request. */
const MAX_AT_ONCE = 6

const SOLANA = findChain('solana')!

export interface WalletsOptions {
  readonly tokens: Pick<TokenSet, 'tokens'>
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
  readonly #reads: Flights<Read>

  constructor(options: WalletsOptions) {
    this.#options = options
    this.#reads = new Flights(0, options.clock)
  }

  /** Whether all of it is being read already, so that reading it costs nothing. */
  isShared(asked: AskedWallets, client?: Client): boolean {
    return walletsOf(asked).every((wallet) => this.#reads.has(keyOf(wallet), client))
  }

  /** @returns for each chain, each for itself; Solana is the first */
  readAll(asked: AskedWallets, time: ReadTime, caller: Caller): Promise<Reading[]> {
    return forEach(walletsOf(asked), (wallet) => this.#read(wallet, time, caller))
  }

  async #read(wallet: Wallet, { until, perChainMs }: ReadTime, caller: Caller): Promise<Reading> {
    const { chain, owner } = wallet
    const { tokens, holdings, clock } = this.#options
    const deadlineMs = Math.min(perChainMs, until - clock.now())
    try {
      if (deadlineMs <= 0) {
        throw new GatewayError('upstream_timeout', 'There was no time left to read the chain.')
      }
      const read = await this.#reads.join(keyOf(wallet), caller, async (shared) => {
        const options = { deadlineMs, caller: shared }
        const held = await holdings(chain).ask(owner, tokens.tokens(chain.key), options)
        return { held, at: clock.date() }
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

/** So many at once. @returns in the items' order */
async function forEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const rest = items.entries()
  const work = async (): Promise<void> => {
    for (const [i, item] of rest) results[i] = await run(item)
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
  return results
}
