/** The parts of the HTTP service that write and log replies, and shed load. */

import type { Config } from '../config/config.ts'
import type { OriginReader } from '../http/client/origin.ts'
import { Shedding } from '../http/overload/shedding.ts'
import { Replier, SHED } from '../http/reply/reply.ts'
import type { Exchange } from '../http/request/exchange.ts'
import { lineOf, requestLog } from '../http/request/request-line.ts'
import type { Metrics } from '../routes/metrics/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { LineBound } from '../runtime/line-bound.ts'
import type { Logger } from '../runtime/log.ts'
import type { CallEnd } from '../upstream/call.ts'
import type { Environment } from './environment.ts'

/** Writes the replies, and logs and counts each. */
export function createReplier(
  { mode, corsOrigins, publicUrl, logLines }: Pick<Config, 'mode' | 'corsOrigins' | 'publicUrl' | 'logLines'>,
  { log, clock, nameClient }: Pick<Environment, 'log' | 'clock' | 'nameClient'>,
  originOf: OriginReader,
  metrics: Metrics | null,
): Replier {
  const write = requestLog(log, clock)
  const bound = new LineBound(logLines, clock, (client, lines) =>
    log.warn({ client: nameClient(client), lines }, 'lines of a client were left out of the log'),
  )
  return new Replier({
    mode,
    corsOrigins,
    originOf,
    publicUrl,
    onReply(exchange: Exchange, status: number, bytes: number) {
      // A log line would cost as much as the reply: shed requests are counted, and logged together.
      const isShed = exchange.failure === SHED
      if (isShed && metrics === null) return
      const ms = Math.round((clock.now() - exchange.timing.startedAt) * 1_000) / 1_000
      if (isShed) return void metrics!.observe(exchange, status, bytes, ms)
      // A client is named only where the line is written: many clients' names are not cached.
      if (log.isLevelEnabled('info') && bound.admits(exchange.client))
        write(lineOf(exchange, nameClient(exchange.client), status, bytes, ms))
      metrics?.observe(exchange, status, bytes, ms)
    },
  })
}

/** Logs a failed upstream call under the id of the request that it was for. */
export function logFailure(log: Logger, end: CallEnd): void {
  const { failure, upstream, lane, requestId, traceId, cause, error, status, ms } = end
  if (failure === null || failure === 'given_up') return
  const line = {
    id: requestId,
    ...(traceId !== null && { trace: traceId }),
    upstream,
    lane,
    failure,
    cause,
    ...(error !== null && { error }),
    status,
    ms: Math.round(ms),
  }
  // An upstream that acknowledges another transaction lies or is broken.
  if (failure === 'signature_mismatch') log.error(line, 'upstream call failed')
  else log.warn(line, 'upstream call failed')
}

/**
 * The load shedding, whose beginning and end are logged.
 * @param turnMs  the smaller of the delays of this turn of the event loop and the one before, ms
 */
export function createShedding(log: Logger, clock: Clock, turnMs: () => number): Shedding {
  let begunAt = 0
  let before = { research: 0, quote: 0, build: 0 }
  const shedding: Shedding = new Shedding({
    turnMs,
    onChange(isActive, waitMs) {
      if (isActive) {
        begunAt = clock.now()
        before = { ...shedding.shed }
        log.warn({ delayMs: Math.round(waitMs) }, 'overloaded: requests are shed')
        return
      }
      const { research, quote, build } = shedding.shed
      const shed = {
        research: research - before.research,
        quote: quote - before.quote,
        build: build - before.build,
      }
      log.warn({ shed, ms: Math.round(clock.now() - begunAt) }, 'no longer overloaded')
    },
  })
  return shedding
}
