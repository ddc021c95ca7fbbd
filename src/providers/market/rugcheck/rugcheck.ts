/**
 * RugCheck's reports on Solana tokens. One call returns all parts. The report of a
 * heavily traded token has megabytes, so the token list requests the summary, and
 * the report only if the summary shows a grave risk.
 *
 * Source: §4.2 · api.rugcheck.xyz/swagger · solana-foundation/explorer, pull
 * request 964 (the 400s that mean that there is no such token)
 */

import { Type } from 'typebox'
import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { RequestFailed } from '../../../upstream/request.ts'
import { answerReader } from '../../answer.ts'
import { type AdapterOptions, type AdapterUpstream, getAny } from '../../requests.ts'
import type { MarketProvider, PartSource } from '../market.ts'
import { type AskedParts, sharedParts } from '../shared-calls.ts'
import { openReport, type ReportParts, readReportParts, readSummary } from './report.ts'

const LABEL = 'rugcheck'
const CHAIN = 'solana'
const KEEP_MS = 10 * 60_000
/** The parts of one profile are requested at nearly the same time. */
const SHARED_MS = 5 * 60_000

const readRefusal = answerReader(Type.Object({ error: Type.String() }))
const readSummaryAnswer = answerReader(Type.Object({ score: Type.Number() }))

const PARTS = ['row', 'about', 'holders', 'security', 'lp'] as const
const NO_SUCH_TOKEN: ReadonlySet<string> = new Set(['not found', 'invalid token mint'])

export function rugcheck({ upstream, clock = CLOCK }: AdapterOptions): MarketProvider {
  const options = { keepMs: KEEP_MS, sharedMs: SHARED_MS, clock }
  const parts = sharedParts(PARTS, options, ({ address }, call) =>
    askReport(upstream, address, clock.date(), call),
  )

  const security: PartSource<'security'> = {
    ...parts.security,
    async askBriefly(token, call) {
      const summary = await askSummary(upstream, token.address, clock.date(), call)
      if (summary === null) return null
      return summary.isGrave ? security.ask(token, call) : summary.security
    },
  }

  return { label: LABEL, chains: new Set([CHAIN]), parts: { ...parts, security } }
}

function askReport(upstream: AdapterUpstream, mint: string, at: number, call: Call) {
  const request = getAny<AskedParts<keyof ReportParts>>(`/tokens/${mint}/report`, (status, body) => {
    if (status !== 200) return isUnknownToken(status, body) ? { parts: null } : null
    const report = openReport(body)
    return report.mint === mint ? { parts: readReportParts({ ...report, mint }, at) } : null
  })
  return upstream.ask(request, call)
}

/** @returns null if RugCheck does not know the token */
async function askSummary(upstream: AdapterUpstream, mint: string, at: number, call: Call) {
  const request = getAny(`/tokens/${mint}/report/summary`, (status, body) => {
    if (status !== 200) return isUnknownToken(status, body) ? { found: null } : null
    const summary = readSummaryAnswer(body)?.value
    return summary === undefined ? null : { found: readSummary(summary, at) }
  })
  const { found } = await upstream.ask(request, call)
  return found
}

/** @returns whether an answer other than 200 means that there is no such token */
function isUnknownToken(status: number, body: Buffer): boolean {
  if (status === 404) return true
  const error = readRefusal(body)?.value.error.toLowerCase() ?? ''
  if (NO_SUCH_TOKEN.has(error)) return true
  if (error !== 'unable to generate report') return false
  const message = 'RugCheck has no report on this token. Try again later.'
  throw new RequestFailed(
    new GatewayError('upstream_failed', message, { provider: LABEL, scope: 'provider' }),
  )
}
