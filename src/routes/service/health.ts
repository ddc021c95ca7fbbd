import type { Static } from 'typebox'
import { get, StatusReply } from '../../http/route.ts'
import { Health } from '../../runtime/resources/health.ts'
import { VERSION } from '../../runtime/version.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import recorded from '../examples/health.json' with { type: 'json' }
import { described } from '../groups.ts'

const EXAMPLE = { ...recorded.example, version: VERSION }

/** The sandbox's URLs. */
export type SandboxAddresses = NonNullable<Static<typeof Health>['sandbox']>

export interface HealthSource {
  readonly mode: 'sandbox' | 'live'
  /** Null in live mode. */
  readonly sandbox: SandboxAddresses | null
  /** True once the service is stopping. */
  readonly isDraining: () => boolean
  /** How long the process has run. */
  readonly uptimeMs: () => number
  /** Null if none is configured. */
  readonly redis: () => {
    readonly state: Static<typeof Health>['redis']
    readonly cause: Static<typeof Health>['redisCause']
  } | null
  /** As all threads of the process have seen them. */
  readonly providers: () => Providers | Promise<Providers>
  /** As this thread has. */
  readonly own: () => readonly UpstreamState[]
}

type Providers = Static<typeof Health>['providers']

/** Whether any upstream that was called answers; true if none was called. */
function isAnswered(providers: Static<typeof Health>['providers']): boolean {
  const asked = providers.filter(({ state }) => state !== 'untried')
  const answers = ({ state, failures, lastSuccessAgoMs }: (typeof asked)[number]): boolean =>
    state !== 'refused' && failures === 0 && lastSuccessAgoMs !== null
  return asked.length === 0 || asked.some(answers)
}

/**
 * GET /api/health (§4.10): 200 while requests are accepted, 503 while the last
 * ones finish. A provider in cooldown does not make the service unready: the
 * others, and the endpoints that need none, still answer.
 */
export const health = (source: HealthSource) =>
  get({
    path: '/api/health',
    priority: 'probe',
    description: described('getHealth', Health, {
      example: EXAMPLE,
      errors: { 503: { ...EXAMPLE, status: 'draining' } },
    }),
    async handle() {
      const draining = source.isDraining()
      const redis = source.redis()
      const providers = await source.providers()
      const body: Static<typeof Health> = {
        status: draining ? 'draining' : isAnswered(providers) ? 'ok' : 'degraded',
        mode: source.mode,
        version: VERSION,
        uptime: Math.floor(source.uptimeMs() / 1_000),
        redis: redis?.state ?? null,
        redisCause: redis?.cause ?? null,
        providers,
      }
      if (source.sandbox !== null) body.sandbox = source.sandbox
      return new StatusReply(draining ? 503 : 200, Buffer.from(JSON.stringify(body)))
    },
  })
