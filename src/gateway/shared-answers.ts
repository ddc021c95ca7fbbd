/** The answers that instances share. Loaded only if REDIS_URL is set. */

import type { Config } from '../config/config.ts'
import type { SwapProviders } from '../providers/proved.ts'
import { type ListSnapshot, listSnapshotCodec } from '../research/list/list-snapshot.ts'
import type { ReadPortfolio } from '../research/portfolio/portfolio.ts'
import { portfolioCodec } from '../research/portfolio/portfolio-codec.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Deadlines } from '../swap/deadlines.ts'
import type { SharedRace } from '../swap/quotes.ts'
import { raceCodec } from '../swap/race-codec.ts'
import type { SharedAnswers } from '../upstream/answers/shared-answers.ts'
import type { RedisAnswers } from './redis/answers.ts'

/** A member is null if its answers are not shared. */
export interface AllSharedAnswers {
  readonly runs: SharedAnswers<SharedRace> | null
  readonly portfolios: SharedAnswers<ReadPortfolio> | null
  readonly list: SharedAnswers<ListSnapshot> | null
}

/** The largest answer in Redis; a large swap's quotes or a full wallet have a few hundred KiB, much less when packed. */
const ANSWER_CHARS = 256 * 1024
/** The whole list: about 500 rows are about 100 KiB. */
const LIST_CHARS = 4 * 1024 * 1024

interface SharedAnswersOptions {
  readonly answers: RedisAnswers
  readonly swaps: SwapProviders
  readonly deadlines: Deadlines
  readonly clock: Clock
}

export function createSharedAnswers({
  answers,
  swaps,
  deadlines,
  clock,
}: SharedAnswersOptions): AllSharedAnswers {
  const bounds = (callMs: number) => ({ callMs, maxChars: ANSWER_CHARS })
  return {
    runs: answers.of('quote', raceCodec(swaps, clock), bounds(deadlines.tokenMs + deadlines.hardMs)),
    portfolios: answers.of('portfolio', portfolioCodec(clock), bounds(deadlines.portfolioMs)),
    list: answers.of('list', listSnapshotCodec(clock), {
      callMs: 2 * deadlines.listCallMs,
      maxChars: LIST_CHARS,
    }),
  }
}

/** What answers depend on apart from their question: instances that differ in any of it share no answers. */
export function configurationOf(config: Config, version: string): string {
  const { mode, minVerification, minLiquidityUsd, maxComputeUnitPrice, uniswapV2 } = config
  const { providerUrls, solanaRpcUrls, rpcUrls, chains } = config
  return JSON.stringify({
    version,
    mode,
    minVerification,
    minLiquidityUsd,
    maxComputeUnitPrice: String(maxComputeUnitPrice),
    uniswapV2,
    providerUrls,
    solanaRpcUrls,
    rpcUrls,
    chains,
  })
}
