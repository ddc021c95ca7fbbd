/**
 * The sandbox's Velora: price routes from the market, signed over their own text. Like the real one it
 * answers for version 5 of its contracts by default, refuses a large price impact unless told otherwise, and
 * takes its own fee if no partner is named. Makers' orders come first in a route that does not exclude them,
 * and are not built without checks. Nothing on these chains executes the calldata.
 *
 * Source: VeloraDEX/paraswap-sdk · developers.velora.xyz
 */
import { createHmac } from 'node:crypto'
import type { ChainDefinition } from '../../chains/definition.ts'
import { findListed } from '../../chains/find.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { memberText } from '../../chains/json/member.ts'
import { VELORA_PARTNER } from '../../proof/evm/velora-fee.ts'
import { inputFor } from '../market/input-for.ts'
import type { Market } from '../market/market.ts'
import type { Fill } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'

export const AUGUSTUS_6 = '0x6a000f20005980200259b80c5102003040001068'
const AUGUSTUS_5 = '0xDEF171Fe48CF0115B1d80b88dc8eAB59176FEe57'
const PROXY_5 = '0x216b4b4ba9f3e719726886d34a177484278bfcae'
/** The default maximum loss, percent. */
const DEFAULT_MAX_IMPACT = 15
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
/** Its fee without a partner, in bps. */
const FEE_BPS = 1n
const HMAC_KEY = 'the sandbox'
/** Sources that fill makers' orders. */
const MAKERS = ['ParaSwapLimitOrders', 'ParaSwapPool', 'AugustusRFQ']

export function velora({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'velora',
    isFilled: true,
    thief: async () => (await import('../theft.ts')).velora,
    rateLimited: () => refusal('Rate limit exceeded', 429),
    handle(request) {
      if (request.method === 'GET' && request.path === '/prices') return prices(market, request)
      const [, network] = /^\/transactions\/(\d+)$/.exec(request.path) ?? []
      if (request.method === 'POST' && network !== undefined) return transaction(Number(network), request)
      return refusal('Not Found', 404)
    },
  }
}

function prices(market: Market, { query, now }: ProviderRequest): ProviderReply {
  const chain = chainOf(Number(query.get('network') ?? 1))
  if (chain === null) return refusal('Invalid network')
  const amount = query.get('amount') ?? ''
  if (!/^[1-9]\d{0,77}$/.test(amount)) return refusal('Invalid Amount')
  const isBuy = query.get('side') === 'BUY'
  if (!isBuy && query.get('side') !== 'SELL') return refusal('Invalid side')
  const source = market.find(chain.key, query.get('srcToken') ?? '')
  const destination = market.find(chain.key, query.get('destToken') ?? '')
  if (source === null || destination === null) return refusal('Token not found')
  const priced = market.at(now)
  const swap = (input: bigint): Fill | null => priced.swap(source, destination, input)
  const spent = isBuy ? inputFor(BigInt(amount), (input) => swap(input)?.amountOut) : BigInt(amount)
  const fill = spent && swap(spent)
  if (!fill) return refusal('No routes found with enough liquidity')

  const isVersion6 = query.get('version') === '6.2'
  const maxImpact = Number(query.get('maxImpact') ?? DEFAULT_MAX_IMPACT)
  const isAbove = fill.priceImpactPct > maxImpact
  const excluded = (query.get('excludeDEXS') ?? '').split(',')
  if (query.get('excludeRFQ') === 'true') excluded.push('AugustusRFQ')
  const maker = MAKERS.find((name) => !excluded.includes(name)) ?? null
  const asked = { isVersion6, isAbove, maker, now }
  const amounts = { spent: spent!, got: isBuy ? BigInt(amount) : fill.amountOut, isBuy }
  const route = routeOf(chain, source, destination, amounts, fill, asked)
  const text = signed(JSON.stringify(route))
  if (!isAbove) return { status: 200, body: `{"priceRoute":${text}}` }
  const value = `${fill.priceImpactPct.toFixed(2)}%`
  const error = 'ESTIMATED_LOSS_GREATER_THAN_MAX_IMPACT'
  return { status: 400, body: `{"error":"${error}","value":"${value}","priceRoute":${text}}` }
}

interface VeloraOrder {
  readonly isVersion6: boolean
  readonly isAbove: boolean
  /** Who fills the first hop instead of its pool. */
  readonly maker: string | null
  readonly now: number
}

function routeOf(
  chain: ChainDefinition,
  source: MarketToken,
  destination: MarketToken,
  { spent, got, isBuy }: { readonly spent: bigint; readonly got: bigint; readonly isBuy: boolean },
  fill: Fill,
  { isVersion6, isAbove, maker, now }: VeloraOrder,
) {
  const blockNumber = Math.floor(now / 12_000)
  const lower = (token: MarketToken): string => spelled(token).toLowerCase()
  const exchange = (hop: Fill['hops'][number], nth: number) => ({
    exchange: (nth === 0 && maker) || hop.venue,
    srcAmount: String(hop.amountIn),
    destAmount: String(hop.amountOut),
    percent: 100,
    poolAddresses: [hop.pool.toLowerCase()],
    poolIdentifiers: [`${hop.venue}_${hop.pool.toLowerCase()}`],
    targetExchange: hop.pool.toLowerCase(),
    data: {
      apiGo: true,
      blockNumber,
      source: 'L1',
      path: [{ tokenIn: lower(hop.tokenIn), tokenOut: lower(hop.tokenOut), fee: '100', currentFee: '100' }],
      gasUSD: '0.030676',
    },
  })
  const swaps = fill.hops.map((hop, nth) => ({
    srcToken: spelled(hop.tokenIn),
    srcDecimals: hop.tokenIn.decimals,
    destToken: spelled(hop.tokenOut),
    destDecimals: hop.tokenOut.decimals,
    swapExchanges: [exchange(hop, nth)],
  }))
  return {
    blockNumber,
    network: chain.chainId,
    version: isVersion6 ? '6.2' : '5',
    srcToken: spelled(source),
    srcDecimals: source.decimals,
    srcAmount: String(spent),
    destToken: spelled(destination),
    destDecimals: destination.decimals,
    destAmount: String(got),
    bestRoute: [{ percent: 100, swaps }],
    gasCostUSD: '0.21',
    gasCost: String(131_500 * fill.hops.length),
    side: isBuy ? 'BUY' : 'SELL',
    contractMethod: isVersion6 ? `swapExactAmount${isBuy ? 'Out' : 'In'}` : 'multiSwap',
    tokenTransferProxy: isVersion6 ? AUGUSTUS_6 : PROXY_5,
    contractAddress: isVersion6 ? AUGUSTUS_6 : AUGUSTUS_5,
    srcUSD: fill.amountInUsd,
    destUSD: fill.amountOutUsd,
    partner: 'anon',
    // Percent.
    partnerFee: Number(FEE_BPS) / 100,
    ...(!isBuy && { destAmountAfterFee: String((got * (10_000n - FEE_BPS)) / 10_000n) }),
    maxImpactReached: isAbove,
    hmac: '',
  }
}

async function transaction(
  network: number,
  { query, body, text, now }: ProviderRequest,
): Promise<ProviderReply> {
  const chain = chainOf(network)
  if (chain === null) return refusal('Invalid network')
  const fields = (body ?? {}) as Fields
  const route = body === undefined ? null : memberText(Buffer.from(text), ['priceRoute'])
  if (route === null || !isSigned(route)) return refusal('Unable to build transaction (1001)')
  const { srcToken, side, contractAddress, network: quoted, ...amounts } = JSON.parse(route) as Fields
  // The amount that is exact is the route's, and the other one is the wallet's bound.
  const [exact, bound] = side === 'BUY' ? (['destAmount', 'srcAmount'] as const) : AMOUNTS
  if (typeof fields.userAddress !== 'string' || fields[exact] !== amounts[exact] || quoted !== network) {
    return refusal(`${side === 'BUY' ? 'Destination' : 'Source'} Amount Mismatch`)
  }
  const hasBound = typeof fields[bound] === 'string' && /^\d{1,78}$/.test(fields[bound])
  const isSlipping = side === 'SELL' && Number.isInteger(fields.slippage)
  if (!hasBound && !isSlipping) return refusal(`Missing slippage or ${bound}`)
  if (typeof fields.deadline === 'number' && fields.deadline * 1_000 < now)
    return refusal('Deadline is in the past')
  // Nobody has funds on these chains.
  if (query.get('ignoreChecks') !== 'true') return refusal('Not enough balance')
  if (MAKERS.some((name) => route.includes(`"exchange":"${name}"`))) return refusal(NOT_UNCHECKED)
  return {
    status: 200,
    body: {
      from: fields.userAddress,
      to: contractAddress,
      value: srcToken === NATIVE ? fields.srcAmount : '0',
      data: await calldataOf(JSON.parse(route), fields),
      gasPrice: '6120000',
      chainId: network,
    },
  }
}

/** A call of the real router, to an executor that does not exist. */
async function calldataOf(
  { side, srcToken, destToken, srcAmount, destAmount }: Readonly<Record<string, string>>,
  { receiver, userAddress, slippage, srcAmount: fromAmount, destAmount: least }: Fields,
): Promise<string> {
  const { AUGUSTUS } = await import('../../proof/evm/velora.ts')
  const quotedAmount = BigInt((side === 'BUY' ? srcAmount : destAmount)!)
  const toAmount =
    typeof least === 'string' ? BigInt(least) : (quotedAmount * BigInt(10_000 - Number(slippage))) / 10_000n
  const swapData = {
    srcToken: srcToken!,
    destToken: destToken!,
    fromAmount: BigInt(String(fromAmount)),
    toAmount,
    quotedAmount,
    metadata: new Uint8Array(32),
    // Like the real one: zero means the sender.
    beneficiary: receiver === undefined || receiver === userAddress ? ZERO : String(receiver),
  }
  const nothing = new Uint8Array()
  const rest = { partnerAndFee: OWN_PARTNER, permit: nothing, executorData: nothing }
  return AUGUSTUS.write(side === 'BUY' ? 'swapExactAmountOut' : 'swapExactAmountIn', {
    executor: EXECUTOR,
    swapData,
    ...rest,
  })
}

/** As the API's documents have it. */
const NOT_UNCHECKED =
  "It is not allowed to have limit-orders Dex or paraswappool Dex in route and 'ignoreChecks=true' together. " +
  'Exclude them: &excludeDEXS=ParaSwapPool,ParaSwapLimitOrders'
const AMOUNTS = ['srcAmount', 'destAmount'] as const
const ZERO = '0x0000000000000000000000000000000000000000'
const EXECUTOR = '0x000010036c0190e009a000d0fc3541100a07380a'
/** The partner word without a partner, as in captures of September 2026: partner, cap and fee. */
const OWN_PARTNER = (BigInt(VELORA_PARTNER) << 96n) | (1n << 92n) | FEE_BPS

const chainOf = (network: number): ChainDefinition | null => findListed('velora', String(network))

const spelled = ({ isNative, address }: MarketToken): string => (isNative ? NATIVE : address.toLowerCase())

const hmac = (text: string): string => createHmac('sha1', HMAC_KEY).update(text).digest('hex')

const signed = (text: string): string => text.replace('"hmac":""', `"hmac":"${hmac(text)}"`)

function isSigned(text: string): boolean {
  const [, written] = /"hmac":"([0-9a-f]+)"/.exec(text) ?? []
  return written !== undefined && hmac(text.replace(`"hmac":"${written}"`, '"hmac":""')) === written
}

const refusal = (error: string, status = 400): ProviderReply => ({ status, body: { error } })
