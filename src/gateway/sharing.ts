/** What the instances of a service share through the Redis of REDIS_URL. */

import type { Config } from '../config/config.ts'
import { WINDOW_MS } from '../http/limit/budgets.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { ShareLimits } from '../upstream/admission/shared-limits.ts'
import { errorClass } from '../upstream/cause.ts'
import type { StoreOptions } from './redis/store.ts'

export type Sharing = Readonly<NonNullable<Awaited<ReturnType<typeof openSharing>>>>

interface SharingOptions {
  readonly isDraining: () => boolean
  /** Whether this thread is one of several, and not the one that stands for the instance. */
  readonly isWorker: boolean
  readonly windowMs?: number
  readonly redisAnswerMs?: number
}

/**
 * @param options  the gateway's
 * @returns null if nothing is shared
 */
export async function openSharing(
  config: Config,
  log: Logger,
  clock: Clock,
  { isDraining, isWorker, windowMs = WINDOW_MS, redisAnswerMs }: SharingOptions,
) {
  const { redisUrls, redisPrefix, quoteSecret } = config
  if (redisUrls === null) return null
  // A configuration with REDIS_URL and without QUOTE_SECRET is refused.
  const secret = quoteSecret!
  const redis = await import('./redis/index.ts')
  const { connect, RedisInstances, RedisLeases, RedisLimits, RedisWindows, Store } = redis
  const store = await Store.open({
    connect,
    urls: redisUrls,
    prefix: redisPrefix,
    clock,
    ...(redisAnswerMs !== undefined && { answerMs: redisAnswerMs }),
    ...logsTo(log),
  })
  return {
    store,
    windows: new RedisWindows(store, windowMs),
    shareLimits: ((upstream) => new RedisLimits(store, upstream)) satisfies ShareLimits,
    leases: new RedisLeases({ store, secret, clock }),
    shareDeliveries: isWorker ? null : redis.shareDeliveries.bind(null, { store, secret }),
    instances: isWorker ? null : new RedisInstances({ store, isDraining }),
  }
}

const TROUBLES = {
  away: 'redis is away: this instance works alone',
  degraded: 'redis is degraded: what it leaves unanswered this instance decides alone',
}

/** What is logged of the store. */
export function logsTo(log: Logger): Pick<StoreOptions, 'onChange' | 'onBug'> {
  return {
    onChange(state, cause, error) {
      if (state === 'ok') log.info('redis answers: limits are shared between instances')
      else log.warn({ cause, ...(error !== null && { error }) }, TROUBLES[state])
    },
    onBug(error) {
      const line = { error: errorClass(error), stack: stackLines(error) }
      log.error(line, 'fault: a bug of this program keeps it from using redis: this instance works alone')
    },
  }
}

/** Where an error was thrown, without its message, which may contain the URL. */
function stackLines({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
