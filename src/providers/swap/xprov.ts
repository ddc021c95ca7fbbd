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
import { xprovTokenText } from '../../chains/xprov-token.ts'
import { INTEGRATOR } from '../../config/providers.ts'
import type { Call } from '../../flow/call.ts'
import { LifiToken, Step } from '../../proof/cross-chain/lifi/step.ts'
import type { CrossChainOrder } from '../../proof/terms/order.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Renewed } from '../../runtime/renewed.ts'
import type { UpstreamRequest } from '../../upstream/request.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, type Parsed } from '../answer.ts'
import { getAny } from '../requests.ts'
import { readFailure } from './xprov-errors.ts'

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
