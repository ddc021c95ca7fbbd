/**
 * swap.coffee's two requests, and the parts of their answers that are used.
 *
 * Source: docs.swap.coffee · github.com/swapcoffee/sdk
 */
import { type Static, Type } from 'typebox'
import type { Call } from '../../flow/call.ts'
import type { Token } from '../../proof/terms/order.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, type Parsed } from '../answer.ts'
import { post } from '../requests.ts'
import { proseReader } from './prose.ts'

export const LABEL = 'swapcoffee'
/** The native coin as swap.coffee writes it. */
const NATIVE = 'native'
const MAX_DECIMALS = 36
/** The exchanges whose messages the proof reads; swap.coffee routes over more. */
export const DEXES = ['stonfi', 'stonfi_v2', 'dedust'] as const

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

const OptionalNumber = Type.Optional(Type.Union([Type.Number(), Type.Null()]))

const SwapCoffeeRoute = Type.Object({
  input_token: Asset,
  output_token: Asset,
  output_amount: Type.Number(),
  left_amount: OptionalNumber,
  price_impact: OptionalNumber,
  recommended_gas: OptionalNumber,
  paths: Type.Array(
    Type.Object({
      ...Hop.properties,
      swap: Type.Object({ result: Type.String() }),
      next: Type.Optional(Type.Union([Type.Array(Hop), Type.Null()])),
    }),
  ),
})
export type SwapCoffeeRoute = Static<typeof SwapCoffeeRoute>

const Transactions = Type.Object({
  transactions: Type.Array(
    Type.Object({
      address: Type.String({ maxLength: 100 }),
      value: Type.String({ pattern: '^[0-9]{1,39}$' }),
      cell: Type.String(),
      stateInit: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
})
export type Transactions = Static<typeof Transactions>

const readRoute = answerReader(SwapCoffeeRoute)
const readTransactions = answerReader(Transactions)

type SwapEnd = Pick<Token, 'address' | 'isNative'>

/**
 * Asks for the best path for an amount. The route is limited to one path, which
 * makes one message, and to two tokens, which makes one swap: of several swaps in a
 * row only the last one has the minimum.
 * @param amount  whole tokens, in decimal text
 */
export function askRoute(
  upstream: Upstream,
  from: SwapEnd,
  to: SwapEnd,
  amount: string,
  call: Call,
): Promise<Parsed<SwapCoffeeRoute>> {
  const ends = `"input_token":${endJson(from)},"output_token":${endJson(to)}`
  const limits = `"max_splits":1,"max_length":2,"pool_selector":{"dexes":${JSON.stringify(DEXES)}}`
  const body = `{${ends},"input_amount":${amount},${limits}}`
  return upstream.ask(post('/v1/route', body, proseReader(LABEL, readRoute)), call)
}

/**
 * Asks for the messages of a route.
 * @param slippage  a fraction, in decimal text
 * @param paths     of the route, as JSON text, unchanged
 */
export function askTransactions(
  upstream: Upstream,
  sender: string,
  slippage: string,
  paths: string,
  call: Call,
): Promise<Parsed<Transactions>> {
  const body = `{"sender_address":${JSON.stringify(sender)},"slippage":${slippage},"paths":${paths}}`
  return upstream.ask(post('/v2/route/transactions', body, proseReader(LABEL, readTransactions)), call)
}

const endJson = ({ address, isNative }: SwapEnd): string =>
  JSON.stringify({ blockchain: 'ton', address: isNative ? NATIVE : address })
