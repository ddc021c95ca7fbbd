/**
 * The sandbox's KyberSwap: routes from the market, and real calldata of the real router. The checksum is over
 * the summary's own text, and each hop holds an integer above 2^53, so a summary that was parsed and
 * serialized again is detected. Like the real one since 2025, a build simulates again and gives one base unit
 * less than its route.
 *
 * Source: KyberSwap Aggregator OpenAPI 2.12.1 · KyberNetwork/kyberswap-skills (api-reference, error-handling)
 */
import { createHash } from 'node:crypto'
import { findEvmChain, findListed } from '../../chains/find.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { memberText } from '../../chains/json/member.ts'
import type { Market } from '../market/market.ts'
import type { Fill } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'

export const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
/** The executor that the router calls; nothing is deployed there. */
const EXECUTOR = '0x63242A4Ea82847b20E506b63B0e2e2eFF0CC6cB0'
const CAPPED_SLIPPAGE_BPS = 2_000
/** A route with a larger loss is not offered. */
const MAX_IMPACT_PCT = 90
const GAS_PER_HOP = 107_000n

/** @param simulatedAgain  what a build gives for a route's amount */
export function kyberswap(
  { market }: Pick<World, 'market'>,
  simulatedAgain: (amountOut: bigint) => bigint = (amountOut) => amountOut - 1n,
): ProviderServer {
  return {
    name: 'kyberswap',
    isFilled: true,
    thief: async () => (await import('../theft.ts')).kyberswap,
    rateLimited: () => ({
      ...refusal(429, 4290, 'rate limit exceeded'),
      headers: { 'x-ratelimit-reset-after': '3' },
    }),
    handle(request) {
      const [, slug = '', ...rest] = request.path.split('/')
      const endpoint = rest.join('/')
      const chain = findListed('kyberswap', slug)
      if (chain !== null && request.method === 'GET' && endpoint === 'api/v1/routes') {
        return route(market, chain.key, request)
      }
      if (chain !== null && request.method === 'POST' && endpoint === 'api/v1/route/build') {
        return build(request, simulatedAgain)
      }
      const { path } = request
      return { status: 404, body: { message: 'route not found', path, request_id: id(path), status: 404 } }
    },
  }
}

function route(market: Market, chain: string, { query, now }: ProviderRequest): ProviderReply {
  const amount = query.get('amountIn') ?? ''
  if (!/^[1-9]\d{0,77}$/.test(amount)) return violation('amountIn', 'invalid')
  const tokenIn = market.find(chain, query.get('tokenIn') ?? '')
  const tokenOut = market.find(chain, query.get('tokenOut') ?? '')
  if (tokenIn === null || tokenOut === null) return refusal(400, 4011, 'token not found')
  const amountIn = BigInt(amount)
  const fill = market.at(now).swap(tokenIn, tokenOut, amountIn)
  if (fill === null) return refusal(400, 4008, 'route not found')
  if (fill.priceImpactPct > MAX_IMPACT_PCT) return refusal(400, 4009, 'amountIn is greater than max allowed')
  const text = sealed(JSON.stringify(summaryOf(tokenIn, tokenOut, amountIn, fill, now)))
  return success(`{"routeSummary":${text},"routerAddress":"${ROUTER}"}`, text)
}

function summaryOf(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint, fill: Fill, now: number) {
  const seconds = Math.floor(now / 1_000)
  const routeID = id(`${now} ${amountIn}`)
  return {
    tokenIn: spelled(tokenIn),
    amountIn: String(amountIn),
    amountInUsd: fill.amountInUsd,
    tokenOut: spelled(tokenOut),
    amountOut: String(fill.amountOut),
    amountOutUsd: fill.amountOutUsd,
    gas: String(GAS_PER_HOP * BigInt(fill.hops.length)),
    gasPrice: '6120000',
    gasUsd: '0.0039',
    l1FeeUsd: '0',
    extraFee: { feeAmount: '', chargeFeeBy: '', isInBps: false, feeReceiver: '' },
    route: [
      fill.hops.map((hop) => ({
        pool: hop.pool.toLowerCase(),
        tokenIn: pooled(hop.tokenIn),
        tokenOut: pooled(hop.tokenOut),
        swapAmount: String(hop.amountIn),
        amountOut: String(hop.amountOut),
        exchange: hop.venue,
        poolType: hop.venue,
        poolExtra: { swapFee: 3_000, priceLimit: '79252090486426485397' },
        extra: {
          _cs: '11230250078353113006',
          _ts: String(seconds),
          nSqrtRx96: '1',
          nT: -21_833,
          ri: routeID,
        },
        nonce: 0,
      })),
    ],
    routeID,
    checksum: '',
    timestamp: seconds,
  }
}

/** The route's JSON with the integer that a double cannot hold, and the checksum. */
export function sealed(json: string): string {
  const text = json.replaceAll('"nonce":0', '"nonce":9007199254740993')
  return text.replace('"checksum":""', `"checksum":"${checksum(text)}"`)
}

function isSealed(text: string): boolean {
  const [, written] = /"checksum":"(\d+)"/.exec(text) ?? []
  return (
    written !== undefined && checksum(text.replace(`"checksum":"${written}"`, '"checksum":""')) === written
  )
}

async function build(
  { body, text, now }: ProviderRequest,
  simulatedAgain: (amountOut: bigint) => bigint,
): Promise<ProviderReply> {
  const fields = (body ?? {}) as Fields
  const summary = body === undefined ? null : memberText(Buffer.from(text), ['routeSummary'])
  if (summary === null || !isSealed(summary)) return refusal(400, 4002, 'unable to bind request body')
  if (typeof fields.sender !== 'string') return refusal(400, 40010, 'sender address is empty')
  if (typeof fields.recipient !== 'string') return violation('recipient', 'required')
  const { slippageTolerance = 0, deadline = Infinity } = fields as {
    slippageTolerance?: number
    deadline?: number
  }
  if (slippageTolerance > CAPPED_SLIPPAGE_BPS && fields.ignoreCappedSlippage !== true) {
    return violation('slippageTolerance', 'out of range [0, 2000]')
  }
  if (deadline * 1_000 < now) return violation('deadline', 'in the past')
  // Nobody has funds on these chains.
  if (fields.enableGasEstimation === true) {
    return refusal(400, 4227, 'estimate gas failed: execution reverted: TransferHelper: TRANSFER_FROM_FAILED')
  }
  const routed = JSON.parse(summary)
  const amountOut = simulatedAgain(BigInt(routed.amountOut))
  const built = await builtOf(routed, amountOut, fields.recipient, slippageTolerance)
  return success(JSON.stringify(built), text)
}

async function builtOf(
  summary: Readonly<Record<string, string>>,
  amountOut: bigint,
  recipient: string,
  slippageBps: number,
) {
  const { KYBERSWAP } = await import('../../proof/evm/kyberswap.ts')
  const { tokenIn, amountIn, amountInUsd, tokenOut, amountOutUsd, gas, gasUsd } = summary
  const desc = {
    srcToken: tokenIn!,
    dstToken: tokenOut!,
    srcReceivers: tokenIn === NATIVE ? [] : [EXECUTOR],
    srcAmounts: tokenIn === NATIVE ? [] : [BigInt(amountIn!)],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: recipient,
    amount: BigInt(amountIn!),
    minReturnAmount: (amountOut * BigInt(10_000 - slippageBps)) / 10_000n,
    flags: 0n,
    permit: NOTHING,
  }
  const execution = {
    callTarget: EXECUTOR,
    approveTarget: ZERO,
    targetData: NOTHING,
    desc,
    clientData: NOTHING,
  }
  const data = KYBERSWAP.write('swap', execution)
  return {
    amountIn,
    amountInUsd,
    amountOut: String(amountOut),
    amountOutUsd,
    gas,
    gasUsd,
    additionalCostUsd: '0',
    additionalCostMessage: '',
    outputChange: { amount: '0', percent: 0, level: 0 },
    data,
    routerAddress: ROUTER,
    transactionValue: tokenIn === NATIVE ? amountIn : '0',
  }
}

const NOTHING = new Uint8Array()
const ZERO = '0x0000000000000000000000000000000000000000'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** The native coin in mixed case, tokens in lower case. */
const spelled = ({ isNative, address }: MarketToken): string => (isNative ? NATIVE : address.toLowerCase())

/** In a pool the native coin is wrapped. */
const pooled = ({ isNative, chain, address }: MarketToken): string =>
  (isNative ? findEvmChain(chain)!.wrappedNative : address).toLowerCase()

const checksum = (text: string): string =>
  String(createHash('sha256').update(text).digest().readBigUInt64BE() >> 12n)

/** A UUID determined by the input. */
const id = (seed: string): string =>
  createHash('sha256')
    .update(seed)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

const success = (data: string, seed: string): ProviderReply => ({
  status: 200,
  body: `{"code":0,"message":"successfully","data":${data},"requestId":"${id(seed)}"}`,
})

const refusal = (status: number, code: number, message: string, details: unknown = null): ProviderReply => ({
  status,
  body: { code, message, details, requestId: id(message) },
})

const violation = (field: string, description: string): ProviderReply =>
  refusal(400, 4000, 'invalid request', [{ fieldViolations: [{ field, description }] }])
