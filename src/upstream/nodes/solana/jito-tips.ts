/**
 * The accounts at which Jito takes tips, as it reports them.
 *
 * Source: docs.jito.wtf/lowlatencytxnsend, getTipAccounts
 */
import { Type } from 'typebox'
import { jsonReader } from '../../../chains/json/reader.ts'
import { Call } from '../../../flow/call.ts'
import { Renewed } from '../../../runtime/renewed.ts'
import { named } from '../../../runtime/tape.ts'
import type { UpstreamContext } from '../../context.ts'
import { Upstream } from '../../upstream.ts'
import { LANDING_SERVICES, type LandingService, landingServiceOf } from './landing-services.ts'

const DEADLINE_MS = 10_000
const MAX_BYTES = 64 * 1024
const PATH = '/api/v1/getTipAccounts'

const readReply = jsonReader(Type.Object({ result: Type.Array(Type.String(), { minItems: 1 }) }))

/**
 * @param urls  of submission services
 * @param rows  what is known of such services
 * @returns the accounts in base58; null if none of the services is Jito's
 */
export function jitoTips(
  urls: readonly string[],
  context: UpstreamContext,
  rows: readonly LandingService[] = LANDING_SERVICES,
) {
  const service = urls.find((url) => landingServiceOf(url, rows).row?.name === 'Jito')
  if (service === undefined) return null
  const url = new URL(service)
  url.pathname = PATH
  const upstream = new Upstream({ label: 'jito-tips', url: url.href, maxBytes: MAX_BYTES, context })
  const request = {
    method: 'POST',
    path: '',
    resend: true,
    body: '{"jsonrpc":"2.0","id":1,"method":"getTipAccounts","params":[]}',
    read(status: number, body: Buffer): ReadonlySet<string> | null {
      const answer = status === 200 ? readReply(body) : null
      return answer && new Set(answer.result)
    },
  } as const
  const ask = () => upstream.ask(request, Call.of(context.clock, 'research', DEADLINE_MS))
  return { accounts: new Renewed(ask, named(context.clock, 'tips')), close: () => upstream.close() }
}
