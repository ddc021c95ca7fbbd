/**
 * The bridges that LI.FI knows, by name. A request that allows an unknown name is refused as a whole, so one
 * renamed bridge would end all cross-chain quotes.
 *
 * Source: docs.li.fi · LI.FI OpenAPI 1.0.0, GET /v1/tools
 */
import { Items, memberText, startOfMember } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { Call } from '../../flow/call.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { Renewed } from '../../runtime/renewed.ts'
import { named } from '../../runtime/tape.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { getInPieces } from '../requests.ts'

const DEADLINE_MS = 10_000
/** Each bridge lists every pair of chains that it connects: about three megabytes. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_BRIDGES = 1_000

/** The names, read at their first use and hourly. */
export const xprovTools = (
  upstream: Pick<Upstream, 'ask'>,
  clock: Clock = CLOCK,
): Renewed<ReadonlySet<string>> =>
  new Renewed(
    () => {
      const request = getInPieces('/v1/tools', MAX_BYTES, namesIn)
      return upstream.ask(request, Call.of(clock, 'research', DEADLINE_MS))
    },
    named(clock, 'tools'),
  )

function* namesIn(body: Buffer): Generator<void, ReadonlySet<string> | null, void> {
  const names = new Set<string>()
  const start = startOfMember(body, 0, 'bridges')
  const items = new Items(body, start === -1 ? body.length : start)
  for (let item = items.next(); item !== null && names.size < MAX_BRIDGES; item = items.next()) {
    const key = memberText(body.subarray(item.start, item.end), ['key'])
    const name = key === null ? null : parsedOrNone(key)
    if (typeof name === 'string') names.add(name)
    yield
  }
  return names.size > 0 ? names : null
}
