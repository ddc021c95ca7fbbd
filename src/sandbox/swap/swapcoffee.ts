/**
 * The sandbox's swap.coffee: routes from the market, and messages that swap at a router of STON.fi's, or at
 * DeDust. Like the real one it counts in doubles, and quotes a similar token if it does not know the
 * requested one.
 *
 * Source: docs.swap.coffee · swapcoffee/sdk
 */
import { createHash } from 'node:crypto'
import { parseAddress } from '../../chains/address.ts'
import { formatAmount, minOut } from '../../chains/amount.ts'
import { findChain } from '../../chains/find.ts'
import { floorUnits } from '../../chains/json/decimal.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { type DedustAsset, dedustPools, dedustVault } from '../../proof/ton/dedust.ts'
import type { Market } from '../market/market.ts'
import type { PoolHop } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import { DOGS, ROUTER, ROUTER_PTON, walletAddress } from '../ton/addresses.ts'
import {
  DEDUST_JETTON_HEAD,
  dedustNativeHead,
  dedustSwap,
  JETTON_TRANSFER,
  jettonTransfer,
  plainDedustSwap,
  plainSwap,
  stonSwap,
  TON_TRANSFER,
  tonTransfer,
  type WrittenCell,
  writeBag,
} from '../ton/cells.ts'
import type { World } from '../world.ts'

/** nanoTON for one swap; most of it comes back. */
const GAS_PER_HOP = 200_000_000n
/** The router's part of it if a jetton is sold. */
const ROUTER_GAS = 150_000_000n
const DEADLINE_SECONDS = 900n
const DEDUST = 'dedust'

const TON = findChain('ton')!

export function swapcoffee({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'swapcoffee',
    thief: async () => (await import('../theft.ts')).swapcoffee,
    rateLimited: () => refusal(429, 'Too many requests'),
    handle(request) {
      if (request.method === 'POST' && request.path === '/v1/route') return route(market, request)
      if (request.method === 'POST' && request.path === '/v2/route/transactions')
        return transactions(market, request)
      return refusal(404, 'Not Found')
    },
  }
}

function route(market: Market, { body, now }: ProviderRequest): ProviderReply {
  const { input_token, output_token, input_amount, max_length = 3 } = fieldsOf(body)
  const input = find(market, input_token)
  const output = find(market, output_token) ?? similar(market, input)
  if (input === null || output === null) return refusal(400, 'Input token not found')
  if (typeof input_amount !== 'number' || !(input_amount > 0))
    return refusal(400, 'input_amount must be positive')
  const amountIn = floorUnits(String(input_amount), input.decimals)!
  const prices = market.at(now)
  const fill = prices.swap(input, output, amountIn)
  if (fill === null) {
    // Distinguishes an amount that is too small from a pair without a pool: what would one whole token buy?
    const isSmall = prices.swap(input, output, 10n ** BigInt(input.decimals)) !== null
    return refusal(400, isSmall ? 'Input amount is too small' : 'No route found')
  }
  if (fill.hops.length >= Number(max_length)) return refusal(400, 'No route found')
  return {
    status: 200,
    body: {
      input_token: asset(input),
      output_token: asset(output),
      input_amount,
      output_amount: tokens(fill.amountOut, output),
      input_usd: Number(fill.amountInUsd),
      output_usd: Number(fill.amountOutUsd),
      savings: 0,
      recommended_gas: tokens(GAS_PER_HOP * BigInt(fill.hops.length), market.native('ton')),
      price_impact: -fill.priceImpactPct / 100,
      paths: [path(fill.hops, 0)],
    },
  }
}

/** The hop at this place, with the following ones nested in it. */
function path(hops: readonly PoolHop[], at: number): Fields {
  const hop = hops[at]!
  return {
    blockchain: 'ton',
    ...exchangeOf(hop),
    input_token: asset(hop.tokenIn),
    output_token: asset(hop.tokenOut),
    swap: {
      result: 'fully_fulfilled',
      input_amount: tokens(hop.amountIn, hop.tokenIn),
      output_amount: tokens(hop.amountOut, hop.tokenOut),
      left_amount: 0,
    },
    recommended_gas: 0.2,
    average_gas: 0.08,
    next: at + 1 < hops.length ? [path(hops, at + 1)] : [],
  }
}

/** The exchange of a hop: DeDust for the one jetton that trades there. */
function exchangeOf({ venue, pool, tokenIn, tokenOut }: PoolHop): Fields {
  const [from, to] = [assetOf(tokenIn), assetOf(tokenOut)]
  if (from !== DOGS && to !== DOGS) return { dex: venue, pool_address: pool }
  return { dex: DEDUST, pool_address: dedustPools(from, to)[0] }
}

const assetOf = ({ isNative, address }: MarketToken): DedustAsset => (isNative ? null : address)

function transactions(market: Market, { body, text, now }: ProviderRequest): ProviderReply {
  const { sender_address, slippage, paths } = fieldsOf(body)
  const sender = typeof sender_address === 'string' ? parseAddress(TON, sender_address) : null
  if (sender === null) return refusal(400, 'sender_address is not valid')
  if (typeof slippage !== 'number' || slippage < 0 || slippage > 1)
    return refusal(400, 'slippage must be in [0, 1]')
  if (!Array.isArray(paths) || paths.length === 0) return refusal(400, 'paths must not be empty')

  // The same request has the same ids, so that the sandbox stays deterministic.
  const routeId = createHash('sha256').update(text).digest().readUIntBE(0, 4)
  const order = { market, sender, slippageBps: Number(floorUnits(String(slippage), 4)), now }
  const built = paths.map((one, index) => message(order, fieldsOf(one), BigInt(routeId + index)))
  if (built.includes(null)) return refusal(400, 'paths are not valid')
  return { status: 200, body: { route_id: routeId, transactions: built } }
}

/** A swap's message: TON directly, a jetton from the sender's own jetton wallet. */
function message(order: MessageOrder, path: Fields, queryId: bigint): Fields | null {
  const { market, sender, slippageBps, now } = order
  const input = find(market, fieldsOf(path.input_token).address)
  const last = lastOf(path)
  const output = find(market, fieldsOf(last.output_token).address)
  if (input === null || output === null) return null
  const amount = floorUnits(String(fieldsOf(path.swap).input_amount), input.decimals)
  const amountOut = floorUnits(String(fieldsOf(last.swap).output_amount), output.decimals)
  if (amount === null || amountOut === null) return null

  const deadline = BigInt(Math.floor(now / 1_000)) + DEADLINE_SECONDS
  const terms = { queryId, sender, input, output, amount, minOut: minOut(amountOut, slippageBps), deadline }
  const { destination, native, payload } = path.dex === DEDUST ? atDedust(terms) : atStonfi(terms)
  const root = input.isNative
    ? native
    : jettonTransfer({
        operation: JETTON_TRANSFER,
        queryId,
        amount,
        destination,
        response: sender,
        customPayload: null,
        forwardTon: ROUTER_GAS,
        payload,
      })
  return {
    address: input.isNative ? destination : walletAddress(input.address, sender),
    value: (input.isNative ? amount + GAS_PER_HOP : GAS_PER_HOP).toString(),
    cell: writeBag(root).toString('base64'),
    send_mode: 3,
    query_id: Number(queryId),
    stateInit: null,
  }
}

interface Terms {
  readonly queryId: bigint
  readonly sender: string
  readonly input: MarketToken
  readonly output: MarketToken
  readonly amount: bigint
  readonly minOut: bigint
  /** Unix seconds. */
  readonly deadline: bigint
}

interface Exchange {
  /** The address that the wallet pays. */
  readonly destination: string
  /** The message that sells TON. */
  readonly native: WrittenCell
  /** What is sent along with a jetton. */
  readonly payload: WrittenCell
}

/** At the router, TON moves through the router's wallet of wrapped TON. */
function atStonfi({ queryId, sender, input, output, amount, minOut, deadline }: Terms): Exchange {
  const askWallet = output.isNative ? ROUTER_PTON : walletAddress(output.address, ROUTER)
  const payload = stonSwap(plainSwap(sender, askWallet, minOut, deadline))
  const native = tonTransfer({ operation: TON_TRANSFER, queryId, amount, refund: sender, payload })
  return { destination: input.isNative ? ROUTER_PTON : ROUTER, native, payload }
}

function atDedust({ queryId, input, output, amount, minOut, deadline }: Terms): Exchange {
  const [from, to] = [assetOf(input), assetOf(output)]
  const swap = plainDedustSwap(dedustPools(from, to)[0], minOut, deadline)
  return {
    destination: dedustVault(from),
    native: dedustSwap(dedustNativeHead(queryId, amount), swap),
    payload: dedustSwap(DEDUST_JETTON_HEAD, swap),
  }
}

interface MessageOrder {
  readonly market: Market
  readonly sender: string
  readonly slippageBps: number
  /** Unix ms. */
  readonly now: number
}

function lastOf(path: Fields): Fields {
  const [next] = Array.isArray(path.next) ? path.next : []
  return next === undefined ? path : lastOf(fieldsOf(next))
}

function find(market: Market, token: unknown): MarketToken | null {
  const { blockchain, address } = fieldsOf(token)
  if (blockchain !== 'ton' || typeof address !== 'string') return null
  return market.find('ton', address)
}

function similar(market: Market, input: MarketToken | null): MarketToken | null {
  return market.tokens('ton').find((token) => !token.isNative && token !== input) ?? null
}

function asset(token: MarketToken): Fields {
  const { address, symbol, name, decimals, isNative } = token
  return {
    address: { blockchain: 'ton', address: isNative ? 'native' : address },
    metadata: { name, symbol, decimals, listed: true, verification: 'whitelisted' },
  }
}

/** Whole tokens, in the double that the provider counts in. */
const tokens = (amount: bigint, { decimals }: MarketToken): number => Number(formatAmount(amount, decimals))

const refusal = (status: number, error: string): ProviderReply => ({ status, body: { error } })

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
