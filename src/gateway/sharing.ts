/** What the instances of a service share through the Redis of REDIS_URL. */

import type { Config } from '../config/config.ts'
import { WINDOW_MS } from '../http/limit/budgets.ts'
import type { SharedWindows } from '../http/limit/shared-windows.ts'
import type { Leases } from '../relay/submissions/leases.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { ShareLimits } from '../upstream/admission/shared-limits.ts'
import { errorClass } from '../upstream/cause.ts'
import type { RedisInstances } from './redis/instances.ts'
import type { Store, StoreOptions } from './redis/store.ts'
import { StartError } from './start-error.ts'

export interface Sharing {
  readonly store: Store
  readonly windows: SharedWindows
  readonly shareLimits: ShareLimits
  readonly leases: Leases
  readonly instances: RedisInstances
}

interface SharingOptions {
  readonly isDraining: () => boolean
  readonly windowMs?: number
  readonly redisAnswerMs?: number
}

/**
 * @param options  the gateway's
 * @returns null if nothing is shared
 * @throws StartError  if the client of Redis is not installed
 */
export async function openSharing(
  config: Config,
  log: Logger,
  clock: Clock,
  { isDraining, windowMs = WINDOW_MS, redisAnswerMs }: SharingOptions,
): Promise<Sharing | null> {
  const { redisUrls, redisPrefix, quoteSecret } = config
  if (redisUrls === null) return null
  const { connect, RedisInstances, RedisLeases, RedisLimits, RedisWindows, Store } = await loadRedis()
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
    shareLimits: (upstream) => new RedisLimits(store, upstream),
    // A configuration with REDIS_URL and without QUOTE_SECRET is refused.
    leases: new RedisLeases({ store, secret: quoteSecret!, clock }),
    instances: new RedisInstances({ store, clock, isDraining }),
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

/** Codes of a package that is not installed: by `import`, and by `require` in the container's file. */
const NOT_INSTALLED: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

async function loadRedis(): Promise<typeof import('./redis/index.ts')> {
  try {
    return await import('./redis/index.ts')
  } catch (cause) {
    if (!NOT_INSTALLED.has((cause as { code?: unknown }).code)) throw cause
    const message =
      'REDIS_URL needs the optional package @redis/client, which is not installed: run npm ci without --omit=optional, and build again.'
    throw new StartError(message, { cause })
  }
}

/** Where an error was thrown, without its message, which may contain the URL. */
function stackLines({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
