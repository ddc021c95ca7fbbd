/**
 * GoPlus's token security: the powers of a contract's owner, the holders of the token, and the holders of its
 * pools' shares. One call returns all parts of one token.
 *
 * Errors have status 200 and a `code`. One code is not an error: a partial answer is complete about fifteen
 * seconds later.
 *
 * Source: §4.2 · docs.gopluslabs.io · GoPlusSecurity/goplus-sdk-node
 */

import { Type } from 'typebox'
import { nativeAddress } from '../../../chains/address.ts'
import { findChain, namesAt } from '../../../chains/find.ts'
import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { LIMITED, RequestFailed } from '../../../upstream/request.ts'
import { answerReader } from '../../answer.ts'
import { type AdapterOptions, type AdapterUpstream, get } from '../../requests.ts'
import { AnyObject } from '../fields.ts'
import {
  type MarketProvider,
  PARTIAL_KEEP_MS,
  type Part,
  type PartSource,
  type Parts,
  type TokenId,
} from '../market.ts'
import { sharedCalls } from '../shared-calls.ts'
import { type GoplusReport, readReport } from './report.ts'
import { type GoplusApp, GoplusToken, RATE_LIMITED } from './token.ts'

const LABEL = 'goplus'
/** GoPlus's names of our chains: ids of EVM chains, names of the others. */
const NAMES = namesAt('goplus')
/** Findings change with the contract, not with the market. */
const KEEP_MS = 10 * 60_000
/** The parts of one profile are requested at nearly the same time. */
const SHARED_MS = 5 * 60_000

const COMPLETE = 1
const PARTIAL = 2
/** There is no contract at the address, or GoPlus knows nothing about it. */
const NO_SUCH_TOKEN: ReadonlySet<number> = new Set([2_020, 2_021])
/** Unknown app, expired or wrong signature, unknown access token: the operator has to fix it. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([4_010, 4_011, 4_012, 4_023])
const SYSTEM_ERROR = 5_000

const readAnswer = answerReader(
  Type.Object({
    code: Type.Integer(),
    result: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), AnyObject)])),
  }),
)

/** A report, or null if GoPlus has nothing on the token; with the time of the request, ms epoch. */
type TimedReport = Awaited<ReturnType<typeof fetchReport>>

export function goplus({
  upstream,
  clock = CLOCK,
  goplusApp = null,
}: AdapterOptions & { readonly goplusApp?: GoplusApp | null }): MarketProvider {
  const token = goplusApp && new GoplusToken(upstream, goplusApp, clock)
  const share = sharedCalls<TimedReport>(({ isPartial }) => (isPartial ? PARTIAL_KEEP_MS : SHARED_MS), clock)
  /** Parts that GoPlus has not completed yet. */
  const partial = new WeakSet<object>()

  const ask = (id: TokenId, call: Call): Promise<TimedReport> =>
    share(`${id.chain} ${id.address}`, call, (shared) =>
      fetchReport(upstream, token, id, clock.date(), shared),
    )

  const part = <P extends Part>(
    pick: (report: GoplusReport, at: number, token: TokenId) => Parts[P],
  ): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask(token, call) {
      const { at, report, isPartial } = await ask(token, call)
      if (report === null) return null
      const value = pick(report, at, token)
      if (isPartial) partial.add(value)
      return value
    },
    isPartial: (value) => partial.has(value),
  })

  return {
    label: LABEL,
    chains: new Set(NAMES.keys()),
    parts: {
      security: part<'security'>(({ facts, flags, isTrusted }, at) => ({
        at,
        facts,
        flags,
        ...(isTrusted && { verified: true }),
      })),
      holders: part<'holders'>(({ holders }) => holders),
      early: part<'early'>(({ creators }) => creators),
      lp: part<'lp'>(({ lp }) => lp),
      row: part<'row'>(({ row }, at, { chain, address }) => ({
        chain,
        address,
        ...row,
        price: null,
        priceTs: at,
        mcap: null,
        liq: null,
        vol24: null,
      })),
    },
  }
}

async function fetchReport(
  upstream: AdapterUpstream,
  access: GoplusToken | null,
  { chain: key, address }: TokenId,
  at: number,
  call: Call,
) {
  const chain = findChain(key)!
  // A native coin has no contract.
  if (chain.family === 'evm' && address === nativeAddress(chain))
    return { at, report: null, isPartial: false }
  // GoPlus answers with EVM addresses in lower case, regardless of the request.
  const spelled = chain.family === 'evm' ? address.toLowerCase() : address
  const name = NAMES.get(key)!
  const api = chain.family === 'evm' ? `token_security/${name}` : `${name}/token_security`
  const path = `/api/v1/${api}?${new URLSearchParams({ contract_addresses: spelled })}`
  const request = get(path, readTokens)
  const headers = access === null ? [] : await access.headers()
  const { tokens, isPartial } = await upstream.ask({ ...request, headers }, call).catch((error) => {
    if (error instanceof GatewayError && error.code === 'upstream_refused') access?.drop()
    throw error
  })
  const token = tokens[spelled] ?? tokens[address.toLowerCase()]
  const isEmpty = token === undefined || Object.keys(token).length === 0
  return { at, report: isEmpty ? null : readReport(chain, token), isPartial }
}

/** @returns null if the answer has the wrong form */
function readTokens(body: Buffer) {
  const answer = readAnswer(body)
  if (answer === null) return null
  const { code, result } = answer.value
  /** By address. */
  const tokens = NO_SUCH_TOKEN.has(code) ? {} : (result ?? {})
  if (code === COMPLETE || code === PARTIAL || NO_SUCH_TOKEN.has(code))
    return { tokens, isPartial: code === PARTIAL }
  if (code === RATE_LIMITED) return LIMITED
  const fields = { provider: LABEL, scope: 'provider' } as const
  if (UNAUTHORIZED.has(code)) {
    throw new GatewayError('upstream_refused', "GoPlus refused the gateway's access token.", fields)
  }
  const message = 'GoPlus could not check this token. Try again later.'
  const error = new GatewayError('upstream_failed', message, fields)
  // Every other code is about the request, whose token the client chose.
  throw code === SYSTEM_ERROR ? error : new RequestFailed(error)
}
