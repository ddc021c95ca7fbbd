/** What the metrics, the admin page and GET /api/diagnostics read of a running gateway. */

import type { EventLoop } from '../flow/event-loop.ts'
import { keyOf } from '../http/client/client.ts'
import { budgetUse } from '../http/limit/budgets.ts'
import type { Instance } from '../routes/metrics/admin.ts'
import type { DiagnosticsSources } from '../routes/metrics/diagnostics.ts'
import type { MetricsSources } from '../routes/metrics/index.ts'
import { VERSION } from '../runtime/version.ts'
import type { Environment } from './environment.ts'
import { answerCachesOf } from './features.ts'
import type { Listeners } from './listening.ts'
import type { HttpService, HttpServiceOptions } from './serving.ts'
import type { Primary } from './threads/primary.ts'
import type { WorkerLink } from './threads/worker-link.ts'

/** The receipts that the admin page shows. */
const RECEIPTS_SHOWN = 30
/** The clients of each budget that it shows. */
const CLIENTS_SHOWN = 5

/** The parts that are read. */
export interface ObservedParts
  extends Pick<HttpServiceOptions, 'budgets' | 'sharing' | 'upstreams' | 'features' | 'health'> {
  readonly service: HttpService
  readonly listeners: Listeners
}

export interface ObservabilityOptions extends Pick<Environment, 'config' | 'clock' | 'nameClient'> {
  readonly eventLoop: EventLoop
  /** Log lines that were dropped because nobody reads them. */
  readonly droppedLines: () => number
  /** Requests that should have been recorded, and were not. */
  readonly droppedRecordings: () => number
  readonly isDraining: () => boolean
  /** Null without workers. */
  readonly primary: Primary | null
  /** Null in a thread that is no worker. */
  readonly link: WorkerLink | null
}

/**
 * @param parts  called at each reading: the gateway's parts take these sources, so they are made later
 */
export function createObservabilitySources(
  options: ObservabilityOptions,
  parts: () => ObservedParts,
): MetricsSources & DiagnosticsSources {
  const { config, clock, eventLoop, droppedLines, droppedRecordings, isDraining, primary, link } = options
  return {
    upstreams: () => parts().health.own(),
    opened: () => parts().upstreams.context.opened,
    quotas() {
      const { solana, providers } = parts().upstreams
      return [...solana.quotas, ...providers.quotas()]
    },
    slots() {
      const { calls, submissions } = parts().upstreams.context
      return { calls, submissions }
    },
    answers: () => answerCachesOf(parts().features),
    caches() {
      const { features } = parts()
      const { relay, submissions, verifier } = features.relaying
      return {
        ...answerCachesOf(features),
        final: relay.reads.finals,
        blockhashes: { entries: submissions.blockhashes.size },
        signers: { entries: verifier.signers },
        decimals: { entries: features.swap.decimals.size },
        list: { entries: features.research.tokenList.size },
      }
    },
    budgets: () => budgetUse(parts().budgets, clock.now()),
    sharing() {
      const sharing = parts().sharing
      if (!sharing) return null
      const { store, windows } = sharing
      return { isUp: store.state === 'ok', decisions: windows.decisions, failures: store.failures }
    },
    routes: () => parts().service.routes,
    rpcMethods: () => parts().features.relaying.methods.keys(),
    connections: () => parts().listeners.connections(),
    heldBytes: () => parts().upstreams.context.held.bytes,
    streams: () => parts().service.streams.open,
    subscriptions: () => parts().features.relaying.sockets?.subscriptions ?? 0,
    rebroadcasts: async () => (await parts().features.relaying.inquiries.rebroadcasts()).count,
    shed: () => parts().service.shedding.shed,
    workers: () => ({ running: primary?.serving ?? 1, replaced: primary?.replaced ?? 0 }),
    isWorker: link !== null,
    threads: primary && {
      recent: async () => (await primary.instances()).map(({ recent }) => recent),
      metrics: () => primary.metrics(),
    },
    clock,
    publicUrl: config.publicUrl,
    verifier: config.verifier,
    loopDelay: () => eventLoop.delay,
    scrapeLoop: (read) => eventLoop.scrape(read),
    droppedLines,
    droppedRecordings,
    tables: () => link?.tables ?? parts().features.tables,
    isDraining,
    page: async (path) => parts().service.pages?.findForOperator(path),
    instance: () => instanceOf(options, parts()),
  }
}

async function instanceOf(
  { config, clock, eventLoop, nameClient, droppedLines, isDraining, primary }: ObservabilityOptions,
  { budgets, sharing, health, features: { relaying, counts } }: ObservedParts,
): Promise<Instance> {
  const now = clock.now()
  const redis = health.redis()
  const workers = (await primary?.instances()) ?? []
  const [slowest] = workers.map(({ loopDelay }) => loopDelay).sort((a, b) => b.p99Ms - a.p99Ms)
  return {
    mode: config.mode,
    version: VERSION,
    isDraining: isDraining(),
    upstreams: [...(await health.providers())],
    loopDelay: slowest ?? eventLoop.delay,
    budgets: Object.values(budgets).map((budget) => ({
      name: budget.name,
      spent: budget.at(now).globalSpent(),
      limit: Number.isFinite(budget.limit.global) ? budget.limit.global : null,
      clients: budget
        .at(now)
        .most(CLIENTS_SHOWN)
        .map((client) => ({ client: nameClient(keyOf(client)) ?? null, spent: client.spent })),
    })),
    redis: redis?.state ?? null,
    redisCause: redis?.cause ?? null,
    instances: sharing?.instances?.seen ?? null,
    droppedLines: workers.reduce((sum, worker) => sum + worker.droppedLines, droppedLines()),
    rebroadcasts: await relaying.inquiries.rebroadcasts(),
    receipts: await relaying.inquiries.lastReceipts(RECEIPTS_SHOWN),
    races: counts.bakeOff.report('24h').chains,
  }
}
