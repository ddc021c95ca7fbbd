import { Type } from 'typebox'
import { get } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'
import { Diagnostics, type DiagnosticsSources, diagnose } from './metrics/diagnostics.ts'
import { eachSecond, OPERATIONS } from './operations.ts'

/** GET /api/diagnostics (§4.10): the state of this instance. */
export const diagnostics = (sources: DiagnosticsSources, clock: Clock) =>
  get({
    path: '/api/diagnostics',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'Event loop, memory, caches, circuit breakers and quotas of this instance',
      stability: 'unverified',
      group: OPERATIONS,
      text: 'Built at most once a second. It names upstreams by label, and no client.',
      result: Diagnostics,
      example: EXAMPLE,
      errors: [],
    },
    handle: eachSecond(clock, () => diagnose(sources)),
  })

const EXAMPLE: Diagnostics = {
  version: '0.1.0',
  node: '20.20.2',
  verifier: 'noble',
  uptime: 86_400,
  eventLoop: { windowMs: 60_000, p50Ms: 0.1, p99Ms: 1.3, maxMs: 6.8 },
  memory: { rss: 171_966_464, heapUsed: 52_428_800, external: 8_388_608 },
  connections: 41,
  streams: 3,
  subscriptions: 12,
  rebroadcasts: 2,
  droppedLogLines: 0,
  places: { calls: { underWay: 5, waiting: 0 }, submissions: { underWay: 1, waiting: 0 } },
  caches: [
    { name: 'quote', entries: 14, bytes: 91_408, asked: 812, joined: 40, kept: 213, shared: 0 },
    { name: 'blockhashes', entries: 130, bytes: null, asked: null, joined: null, kept: null, shared: null },
  ],
  upstreams: [
    {
      name: 'solana-1',
      carries: 'reads',
      state: 'degraded',
      breaker: 'closed',
      breakerMs: 0,
      pauses: [{ lane: 'getTokenAccountsByOwner', leftMs: 4_200 }],
      quota: { calls: 40, windowMs: 10_000, burst: 40, left: 31, used: 9 },
      callsUnderWay: 2,
    },
    {
      name: 'kyberswap',
      carries: 'calls',
      state: 'ok',
      breaker: 'closed',
      breakerMs: 0,
      pauses: [],
      quota: null,
      callsUnderWay: 1,
    },
  ],
}
