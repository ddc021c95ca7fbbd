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
import { answerReader, maybe } from '../../answer.ts'
import { type AdapterOptions, type AdapterUpstream, get } from '../../requests.ts'
import { AnyObject } from '../fields.ts'
import type { MarketProvider, TokenId } from '../market.ts'
import { sharedParts } from '../shared-calls.ts'
import { readReport } from './report.ts'
import { type GoplusApp, GoplusToken, RATE_LIMITED } from './token.ts'

const LABEL = 'goplus'
const PARTS = ['security', 'holders', 'early', 'lp', 'row'] as const
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
    result: maybe(Type.Record(Type.String(), AnyObject)),
  }),
)

export function goplus({
  upstream,
  clock = CLOCK,
  goplusApp = null,
}: AdapterOptions & { readonly goplusApp?: GoplusApp | null }): MarketProvider {
  const token = goplusApp && new GoplusToken(upstream, goplusApp, clock)
  const options = { keepMs: KEEP_MS, sharedMs: SHARED_MS, clock }
  const parts = sharedParts(PARTS, options, (id, call) =>
    fetchReport(upstream, token, id, clock.date(), call),
  )
  return { label: LABEL, chains: new Set(NAMES.keys()), parts }
}

/** @returns no parts if GoPlus has nothing on the token */
async function fetchReport(
  upstream: AdapterUpstream,
  access: GoplusToken | null,
  { chain: key, address }: TokenId,
  at: number,
  call: Call,
) {
  const chain = findChain(key)!
  // A native coin has no contract.
  if (chain.family === 'evm' && address === nativeAddress(chain)) return { parts: null }
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
  return { parts: isEmpty ? null : readReport(chain, address, token, at), isPartial }
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
