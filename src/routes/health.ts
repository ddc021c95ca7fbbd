import { type Static, Type } from 'typebox'
import { get, StatusReply } from '../http/route.ts'
import { Health } from '../runtime/resources.ts'
import { VERSION } from '../runtime/version.ts'
import recorded from './examples/health.json' with { type: 'json' }

const EXAMPLE = { ...recorded.example, version: VERSION }

/** Where the simulated world listens. */
export interface SandboxAddresses {
  readonly solanaRpc: string
  /** Of all EVM chains: a chain's nodes are at its key below it. */
  readonly evmRpc: string
  readonly control: string
}

export interface HealthSource {
  readonly mode: 'sandbox' | 'live'
  /** Where the simulated world listens; null in live mode. */
  readonly sandbox: SandboxAddresses | null
  /** True from the signal to stop on. */
  readonly isDraining: () => boolean
  /** Null where none is configured. */
  readonly redis: () => Static<typeof Health>['redis']
  readonly providers: () => Static<typeof Health>['providers']
}

/**
 * GET /api/health (§4.10): 200 while requests are taken, 503 while the last
 * ones finish. A provider that cools down does not make the service unready:
 * the others, and the endpoints that need none, still answer.
 */
export const health = (source: HealthSource) =>
  get({
    path: '/api/health',
    input: Type.Object({}),
    budgets: [],
    priority: 'probe',
    description: {
      summary: 'Readiness, mode, version and the state of each provider',
      stability: 'unverified',
      text: 'Answers 503 with the same body once the service was told to stop.',
      result: Health,
      example: EXAMPLE,
      errorExamples: { 503: { ...EXAMPLE, status: 'draining' } },
      errors: [503],
    },
    handle() {
      const draining = source.isDraining()
      const body: Static<typeof Health> = {
        status: draining ? 'draining' : 'ok',
        mode: source.mode,
        version: VERSION,
        uptime: Math.floor(process.uptime()),
        redis: source.redis(),
        providers: source.providers(),
      }
      if (source.sandbox !== null) body.sandbox = source.sandbox
      return new StatusReply(draining ? 503 : 200, Buffer.from(JSON.stringify(body)))
    },
  })
