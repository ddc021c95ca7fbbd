import { Type } from 'typebox'
import { eachInPieces } from '../../flow/loop-share.ts'
import {
  BakeOffReport,
  RANGES,
  type RaceEvent,
  RaceEvent as RaceEventSchema,
} from '../../http/counts/bake-off.ts'
import type { Counts } from '../../http/counts/counts.ts'
import { TruthRow } from '../../http/counts/truth.ts'
import { type EventStream, Events, encodeEvent } from '../../http/reply/events.ts'
import { SharedPieces } from '../../http/reply/representation.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { throttled } from '../../runtime/throttled.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'
import { eachSecond } from './operations.ts'

/** Streams written to before the event loop gets a turn. */
const STREAMS_PER_PIECE = 16

const Input = Type.Object({
  range: Type.Enum([...RANGES], {
    description: 'up to now, including the running minute or hour',
    default: '24h',
  }),
})

/** GET /api/bake-off (§4.10): how the route providers compare. */
export const bakeOff = ({ bakeOff }: Counts, clock: Clock) => {
  const answers = new Map(RANGES.map((range) => [range, eachSecond(clock, () => bakeOff.report(range))]))
  return get({
    path: '/api/bake-off',
    input: Input,
    description: described('getBakeOff', BakeOffReport, { example: recorded.bakeOff }),
    handle: ({ range }) => answers.get(range)!(),
  })
}

/** GET /api/bake-off/export: the swaps that `delivered` is from, one a line. */
export const bakeOffExport = ({ deliveries }: Counts, clock: Clock) => {
  const contentType = 'application/x-ndjson'
  const medium = { contentType, cacheControl: 'no-store', headers: [] }
  const lines = throttled(1_000, clock, async () => Buffer.from(deliveries.truth.lines()))
  return get({
    path: '/api/bake-off/export',
    description: {
      ...described('listLandedSwaps', TruthRow, { example: recorded.landed }),
      media: [contentType],
    },
    handle: async () => new SharedPieces([await lines()], medium),
  })
}

/** GET /api/bake-off/event (§4.10): races as they end. */
export const bakeOffEvent = ({ bakeOff }: Counts) => {
  const streams = new Set<EventStream>()
  let unwatch: (() => void) | null = null
  /** Events not sent yet. */
  let events: Buffer[] = []
  let isSending = false
  const send = (race: RaceEvent): void => {
    events.push(encodeEvent('race', JSON.stringify(race)))
    if (!isSending) void sendAll()
  }
  // One write a race and stream would take half of a busy gateway's time, so races that end in the meantime
  // go out together.
  const sendAll = async (): Promise<void> => {
    isSending = true
    while (events.length > 0) {
      const bytes = Buffer.concat(events)
      events = []
      await eachInPieces([...streams].values(), STREAMS_PER_PIECE, (stream) => stream.send(bytes))
    }
    isSending = false
  }
  return get({
    path: '/api/bake-off/event',
    description: {
      ...described('streamBakeOff', RaceEventSchema, { example: recorded.race }),
      isStream: true,
    },
    handle: () =>
      new Events((stream) => {
        streams.add(stream)
        unwatch ??= bakeOff.watch(send)
        return () => {
          streams.delete(stream)
          if (streams.size > 0) return
          unwatch?.()
          unwatch = null
        }
      }),
  })
}
