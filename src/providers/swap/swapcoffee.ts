/**
 * swap.coffee, an aggregator on TON: a route, and the one message that a wallet
 * sends to take it.
 *
 * Its amounts are JSON numbers in whole tokens, that is doubles. Here they are
 * written and read as digits, and rounded down. For a token that it does not know
 * it may answer with a similar one, so the answer's tokens are compared.
 *
 * Source: docs.swap.coffee · github.com/swapcoffee/sdk
 */
import { type Static, Type } from 'typebox'
import { nativeAddress, parseAddress, parseToken } from '../../chains/address.ts'
import { formatAmount, minOut } from '../../chains/amount.ts'
import { floorUnits } from '../../chains/json/decimal.ts'
import { memberText } from '../../chains/json/member.ts'
import type { Call } from '../../flow/call.ts'
import type { BuildOrder, Order, Token } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import type { TonContracts } from '../../proof/ton/contracts.ts'
import { dedustPools } from '../../proof/ton/dedust.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, maybe, type Parsed } from '../answer.ts'
import { type DecimalsSource, FRESH_MS, type Offer, type SwapProvider } from '../provider.ts'
import { tooSmall } from '../refusals.ts'
import { post } from '../requests.ts'
import { proseReader } from './prose.ts'
import { statedWord } from './stated.ts'

const LABEL = 'swapcoffee'
/** How long a wallet may take to sign: TonConnect's validUntil, which the provider does not set. */
const VALID_SECONDS = 300
/** A double represents every amount of this many significant digits. */
const DOUBLE_DIGITS = 15
/** The native coin as swap.coffee writes it. */
const NATIVE = 'native'
const MAX_DECIMALS = 36
/** The exchanges whose messages the proof reads; swap.coffee routes over more. */
const DEXES = ['stonfi', 'stonfi_v2', 'dedust'] as const

const Asset = Type.Object({
  address: Type.Object({ blockchain: Type.Literal('ton'), address: Type.String() }),
  metadata: Type.Object({
    decimals: Type.Union([
      Type.Integer({ minimum: 0, maximum: MAX_DECIMALS }),
      Type.String({ pattern: '^([0-9]|[12][0-9]|3[0-6])$' }),
    ]),
  }),
})

const Hop = Type.Object({ dex: Type.String(), pool_address: Type.String() })

const SwapCoffeeRoute = Type.Object({
  input_token: Asset,
  output_token: Asset,
  output_amount: Type.Number(),
  left_amount: maybe(Type.Number()),
  price_impact: maybe(Type.Number()),
  recommended_gas: maybe(Type.Number()),
  paths: Type.Array(
    Type.Object({
      ...Hop.properties,
      swap: Type.Object({ result: Type.String() }),
      next: maybe(Type.Array(Hop)),
    }),
  ),
})
type SwapCoffeeRoute = Static<typeof SwapCoffeeRoute>

const Transactions = Type.Object({
  transactions: Type.Array(
    Type.Object({
      address: Type.String({ maxLength: 100 }),
      value: Type.String({ pattern: '^[0-9]{1,39}$' }),
      cell: Type.String(),
      stateInit: maybe(Type.String()),
    }),
  ),
})
type Transactions = Static<typeof Transactions>

const readRoute = answerReader(SwapCoffeeRoute)
const readTransactions = answerReader(Transactions)

interface SwapCoffeeOptions {
  readonly upstream: Upstream
  /** Asks the chain about the contracts that a message names. Without it nothing is proved. */
  readonly contracts?: Pick<TonContracts, 'within'>
  readonly clock?: Clock
}

export function swapcoffee({ upstream, contracts, clock = CLOCK }: SwapCoffeeOptions): SwapProvider {
  return {
    label: LABEL,
    freshMs: FRESH_MS,
    chains: new Set(['ton']),

    async quote(order, options) {
      const { tokenIn, tokenOut, amountIn } = order
      const sent = carried(amountIn, tokenIn.decimals)
      const amount = formatAmount(sent, tokenIn.decimals)
      return offerOf(order, sent, await askRoute(upstream, tokenIn, tokenOut, amount, options))
    },

    async build(order, offer, options) {
      // Unchanged, as JSON text.
      const paths = memberText(Buffer.from(offer.raw), ['paths'])!
      // A fraction: 300 bps are 0.03.
      const slippage = formatAmount(BigInt(order.slippageBps), 4)
      const body = `{"sender_address":${JSON.stringify(order.from)},"slippage":${slippage},"paths":${paths}}`
      const request = post('/v2/route/transactions', body, proseReader(LABEL, readTransactions))
      const { value } = await upstream.ask(request, options)
      return materialOf(value, order, Math.floor(clock.date() / 1_000) + VALID_SECONDS)
    },

    async prove(order, { minOut }, material, call) {
      if (material.kind !== 'ton') throw refuseMaterial('kind')
      const { proveTon } = await import('../../proof/ton/ton.ts')
      const amountIn = carried(order.amountIn, order.tokenIn.decimals)
      const witness = contracts?.within(call)
      const rules = { minOut, clock, ...(witness && { witness }) }
      return proveTon(material.message, { ...order, amountIn }, rules)
    },
  }
}

/**
 * A jetton's decimals, which the provider's answer gives next to a route: so a route from one TON is
 * requested.
 * @throws GatewayError  unknown_token, no_route, upstream_*
 */
export function swapcoffeeDecimals(upstream: Upstream): DecimalsSource {
  return async (chain, address, options) => {
    const native = { address: nativeAddress(chain), isNative: true }
    const { value } = await askRoute(upstream, native, { address, isNative: false }, '1', options)
    if (parseToken(chain, value.output_token.address.address)?.address !== address) throw anotherToken()
    return Number(value.output_token.metadata.decimals)
  }
}

type SwapEnd = Pick<Token, 'address' | 'isNative'>

/**
 * Asks for the best path for an amount. The route is limited to one path, which
 * makes one message, and to two tokens, which makes one swap: of several swaps in a
 * row only the last one has the minimum.
 * @param amount  whole tokens, in decimal text
 */
function askRoute(upstream: Upstream, from: SwapEnd, to: SwapEnd, amount: string, call: Call) {
  const ends = `"input_token":${endJson(from)},"output_token":${endJson(to)}`
  const limits = `"max_splits":1,"max_length":2,"pool_selector":{"dexes":${JSON.stringify(DEXES)}}`
  const body = `{${ends},"input_amount":${amount},${limits}}`
  return upstream.ask(post('/v1/route', body, proseReader(LABEL, readRoute)), call)
}

const endJson = ({ address, isNative }: SwapEnd): string =>
  JSON.stringify({ blockchain: 'ton', address: isNative ? NATIVE : address })

/**
 * The part of an amount that a double holds exactly: all of it, or its first 15 digits. Never more than the
 * order's amount.
 */
function carried(amount: bigint, decimals: number): bigint {
  const double = String(Number(formatAmount(amount, decimals)))
  if (floorUnits(double, decimals) === amount) return amount
  return amount - (amount % 10n ** BigInt(amount.toString().length - DOUBLE_DIGITS))
}

function offerOf(order: Order, sent: bigint, { value, text }: Parsed<SwapCoffeeRoute>): Offer {
  const { chain, tokenIn, tokenOut } = order
  for (const [asset, token] of [
    [value.input_token, tokenIn],
    [value.output_token, tokenOut],
  ] as const) {
    if (parseToken(chain, asset.address.address)?.address !== token.address) throw anotherToken()
    if (Number(asset.metadata.decimals) !== token.decimals) {
      throw unusable('The provider counts another number of decimals than the token has. Do not swap it.')
    }
  }
  if (value.paths.length === 0) {
    throw refused('no_route', 'No route was found for this pair and amount. Try another amount or token.')
  }
  if (value.paths.length > 1) {
    throw unusable('The provider split the swap over several messages. Try again, or try a smaller amount.')
  }
  if (hopsOf(value).length > 1 || !hopsOf(value).every((hop) => isRead(order, hop))) {
    throw refused('no_route', 'The only route is one whose message could not be proved. Try another token.')
  }
  if (value.paths[0]!.swap.result !== 'fully_fulfilled' || (value.left_amount ?? 0) > 0) {
    throw refused('amount_too_large', 'The pools take only a part of the amount. Try a smaller one.')
  }
  const expectedOut = floorUnits(memberText(Buffer.from(text), ['output_amount'])!, tokenOut.decimals)
  if (expectedOut === null) throw unusable('The provider answered a negative amount. Try again later.')
  if (expectedOut === 0n) throw tooSmall(LABEL)
  return {
    expectedOut,
    minOut: minOut(expectedOut, order.slippageBps),
    // swap.coffee's fraction is negative for a loss.
    priceImpactPct: typeof value.price_impact === 'number' ? 0 - value.price_impact * 100 : null,
    details: {
      stated: {
        hops: hopsOf(value).map(({ dex, pool }) => ({
          dex: statedWord(dex),
          pool: parseAddress(chain, pool),
        })),
        recommendedGas: value.recommended_gas ?? null,
      },
      ...(sent < order.amountIn && { amountSent: sent.toString() }),
    },
    raw: text,
  }
}

/** Whether the proof could read the hop's message, as far as the route shows. */
function isRead({ chain, tokenIn, tokenOut }: Order, { dex, pool }: ReturnType<typeof hopsOf>[number]) {
  const [from, to] = [tokenIn, tokenOut].map(({ isNative, address }) => (isNative ? null : address))
  const isPool = dex !== 'dedust' || dedustPools(from!, to!).some((one) => one === parseAddress(chain, pool))
  return isPool && DEXES.some((one) => one === dex)
}

function hopsOf({ paths }: SwapCoffeeRoute) {
  return [...paths, ...(paths[0]!.next ?? [])].map(({ dex, pool_address }) => ({ dex, pool: pool_address }))
}

function materialOf({ transactions }: Transactions, { chain, from }: BuildOrder, validUntil: number) {
  const [transaction] = transactions
  if (transaction === undefined || transactions.length > 1) {
    const message = 'The provider built several messages, or none, where one was asked for. Quote again.'
    throw new GatewayError('material_refused', message, { provider: LABEL, rule: 'one_message' })
  }
  const { address, value, cell, stateInit = null } = transaction
  // With the canonical spelling the value bounces back if there is no contract.
  const to = parseAddress(chain, address) ?? address
  return { kind: 'ton' as const, message: { to, value, payload: cell, stateInit, validUntil, from } }
}

function anotherToken(): GatewayError {
  return refused('unknown_token', 'The provider does not know the token, and quoted a similar one.')
}

function refused(code: Code, message: string): GatewayError {
  return new GatewayError(code, message, { provider: LABEL })
}

function unusable(message: string): GatewayError {
  return new GatewayError('upstream_unusable', message, { provider: LABEL, scope: 'provider' })
}
