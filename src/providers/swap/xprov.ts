/**
 * The cross-chain provider, which is LI.FI's API: a quote with its unsigned
 * transaction in one answer, the status of a cross-chain swap, and a token's
 * decimals.
 *
 * Source: §4.7, §4.8 · docs.li.fi · LI.FI OpenAPI 1.0.0
 */
import { Type } from 'typebox'
import type { Family } from '../../chains/definition.ts'
import type { XprovChain } from '../../chains/find.ts'
import { fieldsOf } from '../../chains/json/fields.ts'
import { xprovTokenText } from '../../chains/xprov-token.ts'
import { INTEGRATOR } from '../../config/providers.ts'
import type { Call } from '../../flow/call.ts'
import { LifiToken, Step } from '../../proof/cross-chain/lifi/step.ts'
import type { CrossChainOrder } from '../../proof/terms/order.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { Renewed } from '../../runtime/renewed.ts'
import { LIMITED, RequestFailed, type UpstreamRequest } from '../../upstream/request.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, type Parsed } from '../answer.ts'
import { refusalOf } from '../refusals.ts'
import { getAny } from '../requests.ts'

export const XPROV = 'xprov'

/** How long the first quote waits for the names of the bridges. */
const TOOLS_MS = 2_000

/** A step, and the answer that it was read from, byte for byte. */
export type XprovQuote = Parsed<Step>

const readQuote = answerReader(Step)
const readStatus = answerReader(Type.Object({ status: Type.String() }))
const readToken = answerReader(LifiToken)

interface XprovOptions {
  /** For quotes, with their own quota. */
  readonly quotes: Upstream
  /** For everything else. */
  readonly rest: Upstream
  /**
   * The only bridges allowed for a cross-chain swap that starts on a chain of the family, by the provider's
   * names; null for all bridges. Other bridges' calldata does not bind the recipient and what it receives.
   */
  readonly bridges: Readonly<Partial<Record<Family, readonly string[]>>> | null
  /**
   * The bridge names that the provider knows now: it refuses a request with any other. Absent: all of
   * `bridges`.
   */
  readonly tools?: Pick<Renewed<ReadonlySet<string>>, 'get'>
}

export class Xprov {
  readonly #options: XprovOptions

  constructor(options: XprovOptions) {
    this.#options = options
  }

  /** @throws GatewayError  no_route, unknown_token, amount_too_small, amount_too_large, invalid_parameter, upstream_* */
  async quote(order: CrossChainOrder, call: Call): Promise<XprovQuote> {
    const query = new URLSearchParams({
      fromChain: String(order.fromChain.xprovChainId),
      toChain: String(order.toChain.xprovChainId),
      fromToken: xprovTokenText(order.fromChain, order.tokenIn),
      toToken: xprovTokenText(order.toChain, order.tokenOut),
      fromAmount: order.amountIn.toString(),
      fromAddress: order.from,
      toAddress: order.to,
      integrator: INTEGRATOR,
    })
    // An absent option is not sent: a zero would filter out every route.
    if (order.slippage !== null) query.set('slippage', order.slippage)
    if (order.preference !== null) query.set('order', order.preference)
    if (order.fromChain.key !== order.toChain.key) {
      const { family } = order.fromChain
      const bridges = await this.#allowed(family, call.leftMs)
      // The client asked for no call on the destination chain.
      if (family === 'evm') query.set('allowDestinationCall', 'false')
      if (bridges !== undefined) query.set('allowBridges', bridges.join())
    }
    return this.#options.quotes.ask(get(`/v1/quote?${query}`, readQuote), call)
  }

  /**
   * The bridges to ask for; undefined for all.
   * @throws GatewayError  no_route, if the provider knows none of them
   */
  async #allowed(family: Family, leftMs: number): Promise<readonly string[] | undefined> {
    const { bridges: allowed, tools } = this.#options
    const ours = allowed?.[family]
    if (ours === undefined) return undefined
    const known = (await tools?.get(Math.min(TOOLS_MS, leftMs / 4))) ?? null
    const bridges = known === null ? ours : ours.filter((name) => known.has(name))
    if (bridges.length > 0) return bridges
    const message =
      'The route provider has no bridge at this time whose transactions can be proved for this source chain. Try another source chain.'
    throw new GatewayError('no_route', message, { provider: XPROV })
  }

  /**
   * The provider's status of a transaction, byte for byte. A hash that it does not know has a status, too.
   * @param hints  absent ones are not sent
   */
  async status(
    txHash: string,
    hints: { fromChain?: XprovChain; toChain?: XprovChain; bridge?: string },
    call: Call,
  ): Promise<Buffer> {
    const query = new URLSearchParams({ txHash })
    if (hints.bridge !== undefined) query.set('bridge', hints.bridge)
    if (hints.fromChain !== undefined) query.set('fromChain', String(hints.fromChain.xprovChainId))
    if (hints.toChain !== undefined) query.set('toChain', String(hints.toChain.xprovChainId))
    const request = { ...get(`/v1/status?${query}`, readStatus), passesOn: true }
    const { text } = await this.#options.rest.ask(request, call)
    return Buffer.from(text)
  }

  /** @throws GatewayError  unknown_token, upstream_* */
  async decimals(chain: XprovChain, address: string, call: Call): Promise<number> {
    const query = new URLSearchParams({ chain: String(chain.xprovChainId), token: address })
    const token = await this.#options.rest.ask(get(`/v1/token?${query}`, readToken), call)
    return token.value.decimals
  }
}

/** @returns null if the text is not a quote's answer */
export const parseQuote = (text: string): XprovQuote | null => readQuote(Buffer.from(text))

/** @param read  reads the body of a 200 */
function get<Value>(
  path: string,
  read: (body: Buffer) => Parsed<Value> | null,
): UpstreamRequest<Parsed<Value>> {
  return getAny(path, (status, body) => (status === 200 ? read(body) : readFailure(status, body, path)))
}

const NO_QUOTE = 1_002
const NOT_FOUND = 1_003
const RATE_LIMIT = 1_005
const TIMEOUT = 1_009
const UNAUTHORIZED = 1_010
const VALIDATION = 1_011
/** LI.FI's own failures: unnamed, server, schema. */
const FAILURES: ReadonlySet<number> = new Set([1_000, 1_006, 1_013])
/** LI.FI's failures at one route: building, processing, slippage check, a bridge or exchange, a chain's RPC. */
const ROUTE_FAILURES: ReadonlySet<number> = new Set([1_001, 1_004, 1_007, 1_008, 1_012])

const readRefusal = answerReader(
  Type.Object({
    message: Type.String(),
    code: Type.Optional(Type.Number()),
    errors: Type.Optional(Type.Unknown()),
  }),
)

/**
 * Reads an answer with another status than 200: maps LI.FI's refusals to the gateway's errors by the code in the
 * body, and for a quote by the errors of its tools. LI.FI's sentences are not passed on.
 *
 * Source: docs.li.fi, error codes · lifinance/types src/runtime/errors.ts
 * @param path  the request's path
 * @returns LIMITED for a rate limit; null if the answer has another form, or an unlisted code
 * @throws GatewayError  the refusal
 */
function readFailure(status: number, body: Buffer, path: string): typeof LIMITED | null {
  const refusal = readRefusal(body)?.value
  if (refusal === undefined) return null
  const isQuote = path.startsWith('/v1/quote')
  const isStatus = path.startsWith('/v1/status')
  const code = refusal.code ?? implied(status, isQuote)
  if (isQuote && code === NO_QUOTE) throw refusalOf('xprov', noRoute(refusal.errors))!
  if (isQuote && code === NOT_FOUND) throw refusalOf('xprov', 'token')!
  if (path.startsWith('/v1/token') && (code === NOT_FOUND || code === VALIDATION)) {
    // The chain in the request is known to be right, so either code is about the token.
    throw refusalOf('xprov', 'token')!
  }
  if (code === VALIDATION) throw refusalOf('xprov', isStatus ? 'transfer' : 'values')!
  if (code === RATE_LIMIT) return LIMITED
  if (code === TIMEOUT) throw fail('upstream_timeout', status)
  if (code === UNAUTHORIZED) throw fail('upstream_refused', status)
  // Its refusal of a transfer is passed on (§7): another try would not help.
  if (isStatus && status < 500) return null
  if (FAILURES.has(code)) throw fail('upstream_failed', status)
  if (ROUTE_FAILURES.has(code)) throw new RequestFailed(fail('upstream_failed', status))
  return null
}

/** The code that a body without one implies, where the provider's OpenAPI document describes the status. */
function implied(status: number, isQuote: boolean): number {
  if (status === 404) return isQuote ? NO_QUOTE : NOT_FOUND
  return status === 400 ? VALIDATION : Number.NaN
}

/** A tool that would take another amount helps the client more than any number that found no path. */
function noRoute(errors: unknown): string {
  const codes = toolCodes(errors)
  if (codes.has('AMOUNT_TOO_LOW') || codes.has('FEES_HIGHER_THAN_AMOUNT')) return 'small'
  return codes.has('AMOUNT_TOO_HIGH') ? 'large' : 'route'
}

/** The tools' error codes: `failed[].subpaths{}` holds an error, or a list of them. */
function toolCodes(errors: unknown): ReadonlySet<unknown> {
  const { failed } = fieldsOf(errors)
  const paths = Array.isArray(failed) ? failed : []
  const tools = paths.flatMap((path) => Object.values(fieldsOf(fieldsOf(path).subpaths)).flat())
  return new Set(tools.map((tool) => fieldsOf(tool).code))
}

const FAILED = {
  upstream_timeout: 'The route provider ran out of time. Try again later.',
  upstream_refused: "The upstream refused the gateway's credentials or address.",
  upstream_failed: 'The route provider could not finish the request. Try again later.',
} as const satisfies Partial<Record<Code, string>>

const fail = (code: keyof typeof FAILED, upstreamStatus: number): GatewayError =>
  new GatewayError(code, FAILED[code], { provider: 'xprov', scope: 'provider', upstreamStatus })
