/**
 * GET /api/diagnostics: the state of this instance. It is public like every route, so it covers the instance
 * and its upstreams, by label, and nothing about clients: no addresses, no hashes, no counts of one. Memory
 * is in whole MiB, because finer steps would reveal single requests.
 */
import { type Static, Type } from 'typebox'
import type { LoopDelay } from '../../flow/event-loop.ts'
import { LISTED_PACKAGES, PACKAGES_AS_OF } from '../../proof/sui/packages.ts'
import { Count, NullableCount, nullable, number, string } from '../../runtime/resources/shared.ts'
import { VERSION } from '../../runtime/version.ts'
import type { TableChecks } from '../../swap/tables/checks.ts'
import type { ConcurrencyLimiter } from '../../upstream/admission/concurrency.ts'
import type { CacheState } from '../../upstream/answers/coalescing.ts'
import { Diagnosis } from '../../upstream/diagnosis.ts'
import type { InstanceSources, TableReport } from './instance.ts'
import type { UpstreamSources } from './upstreams.ts'

const MIB = 1_048_576

/** Read when somebody asks. */
export interface DiagnosticsSources
  extends TableReport,
    Pick<UpstreamSources, 'opened' | 'slots'>,
    Pick<InstanceSources, 'connections' | 'streams' | 'subscriptions' | 'rebroadcasts' | 'droppedLines'> {
  readonly verifier: string
  loopDelay(): LoopDelay
  caches(): Readonly<Record<string, Pick<CacheState, 'entries'> & Partial<CacheState>>>
}

const Ms = Type.Number({ minimum: 0 })
const Mib = Type.Integer({ minimum: 0, description: 'bytes, in whole MiB' })
const Place = Type.Object({ underWay: Count, waiting: Count })

export const Diagnostics = Type.Object({
  version: Type.String(),
  node: string('the version of Node.js'),
  verifier: string('what checks signatures'),
  uptime: number('seconds'),
  eventLoop: Type.Object(
    { windowMs: Count, p50Ms: Ms, p99Ms: Ms, maxMs: Ms },
    { description: 'how late the event loop was in the last whole minute, or since the start' },
  ),
  memory: Type.Object({ rss: Mib, heapUsed: Mib, external: Mib }),
  connections: { ...Count, description: "clients' connections that are open" },
  streams: { ...Count, description: 'event streams that are open' },
  subscriptions: { ...Count, description: 'signatures that are waited for over WebSockets' },
  rebroadcasts: { ...Count, description: 'transactions that are being sent again' },
  droppedLogLines: Count,
  suiPackages: Type.Object(
    { listed: Count, asOf: string('the day on which the list was last compared') },
    { description: "packages of Sui that a provider's transaction may call" },
  ),
  slots: Type.Object(
    { calls: Place, submissions: Place },
    { description: 'upstream calls at this time, of all clients' },
  ),
  caches: Type.Array(
    Type.Object({
      name: Type.String(),
      entries: { ...Count, description: 'what has expired counts until its place is needed' },
      bytes: NullableCount('null if the number of entries bounds it'),
      asked: NullableCount('misses: an upstream was asked; null if it is not counted'),
      coalesced: NullableCount('shared with those that waited for the same'),
      cached: NullableCount('hits'),
    }),
  ),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      rows: Count,
      checkedAt: nullable(Type.String({ format: 'date-time' }), {
        description: 'when a row was last answered; null before',
      }),
      stale: Type.Array(
        Type.Object({
          chain: Type.String(),
          key: string('the address, or the name'),
          why: string('what the chain has instead'),
          since: Type.String({ format: 'date-time', description: 'when it was found' }),
        }),
      ),
    }),
    { description: 'addresses that are hard-coded, and those that the chains contradict' },
  ),
  upstreams: Type.Array(Diagnosis, {
    description: 'those that can be asked by now: a node is connected to when it is first needed',
  }),
})
export type Diagnostics = Static<typeof Diagnostics>

export async function diagnose(sources: DiagnosticsSources): Promise<Diagnostics> {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { calls, submissions } = sources.slots()
  return {
    version: VERSION,
    node: process.versions.node,
    verifier: sources.verifier,
    uptime: Math.floor(process.uptime()),
    eventLoop: sources.loopDelay(),
    memory: { rss: wholeMib(rss), heapUsed: wholeMib(heapUsed), external: wholeMib(external) },
    connections: await sources.connections(),
    streams: sources.streams(),
    subscriptions: sources.subscriptions(),
    rebroadcasts: await sources.rebroadcasts(),
    droppedLogLines: sources.droppedLines(),
    suiPackages: { listed: LISTED_PACKAGES, asOf: PACKAGES_AS_OF },
    slots: { calls: placeOf(calls), submissions: placeOf(submissions) },
    caches: Object.entries(sources.caches()).map(([name, cache]) => {
      const { entries, bytes = null, asked = null, coalesced = null, cached = null } = cache
      return { name, entries, bytes, asked, coalesced, cached }
    }),
    tables: await tablesOf(sources.tables()),
    upstreams: [...sources.opened()].map(({ diagnosis }) => diagnosis),
  }
}

const tablesOf = async (checks: Pick<TableChecks, 'tables' | 'stale'>): Promise<Diagnostics['tables']> =>
  [...(await checks.tables())].map(([name, { rows, checkedAt }]) => ({
    name,
    rows,
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    stale: checks.stale
      .filter(({ table }) => table === name)
      .map(({ chain, key, why, since }) => ({ chain, key, why, since: new Date(since).toISOString() })),
  }))

const wholeMib = (bytes: number): number => Math.round(bytes / MIB) * MIB

const placeOf = ({ count }: Pick<ConcurrencyLimiter, 'count'>): Static<typeof Place> => ({
  underWay: count.used,
  waiting: count.waiting,
})
