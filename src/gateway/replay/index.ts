/** RECORD_DIR, put together: the tapes of a gateway, and what decides which requests get one. */
import type { Config } from '../../config/config.ts'
import type { RequestTapes } from '../../http/request/tape.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { VERSION } from '../../runtime/version.ts'
import { Recordings } from './recordings.ts'
import { Tapes } from './tapes.ts'

/** What records requests, or replays one. */
export interface Taping {
  readonly tapes: Tapes
  readonly requests: RequestTapes
  /** How many requests should have been recorded, and were not. */
  readonly dropped: () => number
  /** Writes what waits. */
  close(): Promise<void>
}

/**
 * @param sandbox  where the simulated world listens; null in live mode
 * @throws Error  if RECORD_DIR can be neither read nor made
 */
export function openRecordings(config: Config, log: Logger, clock: Clock, sandbox: () => unknown): Taping {
  const { settings, digest, secrets } = config.given!
  const tapes = new Tapes(clock)
  const own = { recording: 1, version: VERSION, node: process.version, settings, digest } as const
  let head: string | null = null
  const headOf = () => (head ??= JSON.stringify({ ...own, sandbox: sandbox() }))
  const requests = new Recordings({ config, tapes, clock, log, headOf, masked: masking(secrets) })
  return { tapes, requests, dropped: () => requests.dropped, close: () => requests.flush() }
}

/** Puts asterisks in the place of secrets, in any case, also as JSON and URLs write them. */
export function masking(secrets: readonly string[]): (text: string) => string {
  if (secrets.length === 0) return (text) => text
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
  const forms = new Set(
    secrets.flatMap((one) => [one, inJson(one), inJson(inJson(one)), encodeURIComponent(one).toLowerCase()]),
  )
  const longestFirst = [...forms].sort((one, other) => other.length - one.length)
  const literals = longestFirst.map((form) => form.replaceAll(/[^\w ]/g, '\\$&'))
  const pattern = new RegExp(literals.join('|'), 'gi')
  return (text) => {
    const lower = text.toLowerCase()
    if (!longestFirst.some((form) => lower.includes(form))) return text
    return text.replace(pattern, (found) => '*'.repeat(found.length))
  }
}
