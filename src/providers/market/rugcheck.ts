/**
 * RugCheck, which reports on Solana tokens. One call answers all parts. Of much
 * traded tokens a report has megabytes, so the token list asks for the summary,
 * and for the report where that one is grave.
 *
 * Source: §4.2 · api.rugcheck.xyz/swagger · solana-foundation/explorer, pull
 * request 964 (the 400s that mean that there is no such token)
 */

import { Type } from 'typebox'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { RequestFailed } from '../../upstream/call.ts'
import { answerReader } from '../answer.ts'
import type { CallOptions } from '../provider.ts'
import { type Asking, getAny } from './get.ts'
import type { MarketProvider, Part, PartSource } from './market.ts'
import { openReport, type ReportParts, readParts, readSummary } from './rugcheck-report.ts'
import { inTurn, SharedCalls } from './shared-calls.ts'

const LABEL = 'rugcheck'
const CHAIN = 'solana'
const KEEP_MS = 10 * 60_000
/** The parts of one profile are asked for within moments of each other. */
const SHARED_MS = 5 * 60_000

const readRefusal = answerReader(Type.Object({ error: Type.String() }))
const readSummaryAnswer = answerReader(Type.Object({ score: Type.Number() }))

const NO_SUCH_TOKEN: ReadonlySet<string> = new Set(['not found', 'invalid token mint'])

/** What RugCheck said, and when it was asked, ms epoch. */
interface Asked {
  readonly at: number
  /** Null where it knows no such token. */
  readonly parts: ReportParts | null
}

export interface RugcheckOptions {
  readonly upstream: Asking
  readonly clock?: Clock
}

export function rugcheck({ upstream, clock = CLOCK }: RugcheckOptions): MarketProvider {
  const calls = new SharedCalls<Asked>(SHARED_MS, clock)

  const part = <P extends Part & keyof ReportParts>(name: P): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask({ address }, options) {
      const { parts } = await calls.ask(address, options, (shared) =>
        askReport(upstream, address, clock.date(), shared),
      )
      return parts === null ? null : parts[name]
    },
  })

  const security: PartSource<'security'> = {
    ...part('security'),
    async askBriefly(token, options) {
      const turn = inTurn(options, clock)
      const summary = await askSummary(upstream, token.address, clock.date(), turn())
      if (summary === null) return null
      return summary.isGrave ? security.ask(token, turn()) : summary.security
    },
  }

  return {
    label: LABEL,
    chains: new Set([CHAIN]),
    parts: {
      row: part('row'),
      about: part('about'),
      holders: part('holders'),
      security,
      lp: part('lp'),
    },
  }
}

function askReport(upstream: Asking, mint: string, at: number, options: CallOptions): Promise<Asked> {
  const request = getAny<Asked>(`/tokens/${mint}/report`, (status, body) => {
    if (status !== 200) return isNone(status, body) ? { at, parts: null } : null
    const report = openReport(body)
    return report.mint === mint ? { at, parts: readParts({ ...report, mint }, at) } : null
  })
  return upstream.ask(request, options)
}

/** @returns null where it knows no such token */
async function askSummary(upstream: Asking, mint: string, at: number, options: CallOptions) {
  const request = getAny(`/tokens/${mint}/report/summary`, (status, body) => {
    if (status !== 200) return isNone(status, body) ? { found: null } : null
    const summary = readSummaryAnswer(body)?.value
    return summary === undefined ? null : { found: readSummary(summary, at) }
  })
  const { found } = await upstream.ask(request, options)
  return found
}

/** @returns whether an answer other than 200 says that there is no such token */
function isNone(status: number, body: Buffer): boolean {
  if (status === 404) return true
  const error = readRefusal(body)?.value.error.toLowerCase() ?? ''
  if (NO_SUCH_TOKEN.has(error)) return true
  if (error !== 'unable to generate report') return false
  const message = 'RugCheck has no report of this token. Try again later.'
  throw new RequestFailed(
    new GatewayError('upstream_failed', message, { provider: LABEL, scope: 'provider' }),
  )
}
