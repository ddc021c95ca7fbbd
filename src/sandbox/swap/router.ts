/**
 * A router server as an operator may run one, at /{chain key}: the part of Fynd's API that the gateway uses. Its calldata
 * is for a contract that nothing but the sandbox's ledger knows, or below /{chain key}/known for the chain's first V2
 * router. The gateway asks it only if ROUTER_URL_<CHAIN> says so.
 *
 * Source: propeller-heads/fynd, clients/typescript/autogen/src/schema.d.ts, as of 2026-04
 */
import { findEvmChain } from '../../chains/find.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { encodeV2Swap } from '../../proof/evm/uniswap-v2.ts'
import { OWN, OWN_ROUTER, type OwnSwap } from '../evm/own-router.ts'
import type { Market } from '../market/market.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'

const NATIVE = `0x${'0'.repeat(40)}`
const DEADLINE_SECONDS = 20 * 60
const FULL_BPS = 10_000n

export function router({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'router',
    isFilled: true,
    thief: async () => (await import('../theft.ts')).router,
    rateLimited: () => refusal(429, 'RATE_LIMITED'),
    handle({ method, path, body, now }) {
      const [, key = '', ...rest] = path.split('/')
      const endpoint = rest.join('/')
      const isKnown = endpoint === 'known/v1/quote'
      if (method !== 'POST' || (endpoint !== 'v1/quote' && !isKnown)) return refusal(404, 'NOT_FOUND')
      return quote(market, key, (body ?? {}) as Fields, { isKnown, now })
    },
  }
}

interface Asked {
  readonly isKnown: boolean
  readonly now: number
}

function quote(market: Market, key: string, body: Fields, asked: Asked): ProviderReply {
  const { token_in, token_out, amount, sender, receiver } = fieldsOf(
    Array.isArray(body.orders) && body.orders[0],
  )
  const { slippage } = fieldsOf(fieldsOf(body.options).encoding_options)
  const tokenOf = (address: unknown): MarketToken | null =>
    address === NATIVE ? market.native(key) : market.find(key, String(address))
  const [tokenIn, tokenOut] = [tokenOf(token_in), tokenOf(token_out)]
  const bps = /^0(\.\d{1,4})?$/.test(String(slippage)) ? BigInt(Math.round(Number(slippage) * 10_000)) : null
  const isOrder = typeof sender === 'string' && /^[1-9]\d{0,77}$/.test(String(amount)) && bps !== null
  if (!isOrder || tokenIn === null || tokenOut === null) return refusal(400, 'BAD_REQUEST')
  const amountIn = BigInt(String(amount))
  const fill = market.at(asked.now).swap(tokenIn, tokenOut, amountIn)
  if (fill === null) return refusal(422, 'NO_ROUTE_FOUND')
  const minOut = (fill.amountOut * (FULL_BPS - bps)) / FULL_BPS
  const swap = {
    tokenIn: String(token_in),
    amountIn,
    tokenOut: String(token_out),
    minOut,
    receiver: String(receiver ?? sender),
  }
  const { to, data } = asked.isKnown
    ? knownCall(key, swap, asked.now)
    : { to: OWN_ROUTER, data: OWN.write('swap', swap) }
  const solved = {
    status: 'success',
    amount_in: String(amountIn),
    amount_out: String(fill.amountOut),
    gas_estimate: String(150_000 * fill.hops.length),
    fee_breakdown: {
      router_fee: '0',
      client_fee: '0',
      max_slippage: String(fill.amountOut - minOut),
      min_amount_received: String(minOut),
    },
    transaction: { to, value: tokenIn.isNative ? String(amountIn) : '0', data },
  }
  return {
    status: 200,
    body: { orders: [solved], total_gas_estimate: solved.gas_estimate, solve_time_ms: 3 },
  }
}

/** A call of the chain's first V2 router. */
function knownCall(key: string, { tokenIn, amountIn, tokenOut, minOut, receiver }: OwnSwap, now: number) {
  const { v2Routers, wrappedNative } = findEvmChain(key)!
  const kind = tokenIn === NATIVE ? 'native-in' : tokenOut === NATIVE ? 'native-out' : 'tokens'
  const path = [tokenIn, tokenOut].map((token) => (token === NATIVE ? wrappedNative : token))
  const call = {
    amountOutMin: minOut,
    path,
    to: receiver,
    deadline: BigInt(Math.floor(now / 1_000) + DEADLINE_SECONDS),
  }
  const data = encodeV2Swap(kind, kind === 'native-in' ? call : { ...call, amountIn })
  return { to: v2Routers[0]!.address, data }
}

const fieldsOf = (value: unknown): Fields => Object(value) as Fields

const refusal = (status: number, code: string): ProviderReply => ({
  status,
  body: { error: code.toLowerCase(), code },
})
