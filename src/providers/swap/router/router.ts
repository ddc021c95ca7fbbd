/**
 * A router server of the operator's, such as Fynd: anything that speaks the part of Fynd's API that is used here. One
 * question gives the quote and the transaction. A build asks again, for its own wallet, and holds the new answer to the
 * minimum of the old one.
 *
 * The operator chose the server and not its answers: see proof/evm/router.ts for what they may say.
 *
 *   POST {URL}/v1/quote
 *   { orders: [{ token_in, token_out, amount, side: "sell", sender, receiver }],
 *     options: { encoding_options: { slippage, transfer_type: "transfer_from" } } }
 *   -> { orders: [{ status, amount_in, amount_out, gas_estimate, fee_breakdown, transaction: { to, value, data } }] }
 *
 * Source: propeller-heads/fynd, docs/guides/encoding-options.md and clients/typescript/autogen/src/schema.d.ts, as of
 * 2026-04 · the native coin's address by tycho-common, models/mod.rs
 */
import { type Static, Type } from 'typebox'
import { formatAmount, minOut } from '../../../chains/amount.ts'
import type { EvmChain } from '../../../chains/definition.ts'
import { checksummed } from '../../../chains/evm-address.ts'
import { findEvmChain } from '../../../chains/find.ts'
import type { Call } from '../../../flow/call.ts'
import { approvalFor } from '../../../proof/evm/approval.ts'
import { isOneOf } from '../../../proof/evm/evm.ts'
import { proveRouter } from '../../../proof/evm/router.ts'
import { knownRouter } from '../../../proof/evm/rules.ts'
import type { Order, Token } from '../../../proof/terms/order.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { Amount, answerReader, maybe } from '../../answer.ts'
import { FRESH_MS, type Offer, type SwapProvider } from '../../provider.ts'
import { refusalOf, throwIf, tooSmall } from '../../refusals.ts'
import { type AdapterOptions, post } from '../../requests.ts'
import { statedGas, statedInteger } from '../stated.ts'
import { keepingMinimum } from '../worth.ts'

const LABEL = 'router'
const NATIVE = '0x0000000000000000000000000000000000000000'
/** The sender of a quote without a wallet, as in Fynd's own examples. */
const NOBODY = '0x0000000000000000000000000000000000000001'

const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Solved = Type.Object({
  status: Type.Literal('success'),
  amount_in: Amount,
  amount_out: Amount,
  gas_estimate: Type.Optional(Amount),
  /** What the contract takes of the output, and what it holds the swap to. */
  fee_breakdown: maybe(Type.Object({ max_slippage: Amount, min_amount_received: Amount })),
  transaction: Type.Object({
    to: Address,
    value: Amount,
    data: Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }),
    /** Who takes the input: the called contract, or the build is refused. */
    spender: Type.Optional(Address),
  }),
})
type Solved = Static<typeof Solved>

const readSolved = answerReader(Type.Object({ orders: Type.Tuple([Solved]) }))
const readUnsolved = answerReader(
  Type.Union([
    Type.Object({ code: Type.String() }),
    Type.Object({ orders: Type.Tuple([Type.Object({ status: Type.String() })]) }),
  ]),
)

interface RouterOptions extends AdapterOptions {
  readonly chain: EvmChain
  /** The contracts that its calldata may call, beside the routers that are known here. */
  readonly contracts: readonly string[]
}

export function router({ upstream, chain, contracts, clock = CLOCK }: RouterOptions): SwapProvider {
  const solve = (order: Order, call: Call): Promise<Solved> =>
    upstream.ask(
      post('/v1/quote', questionOf(order), (status, body) => readAnswer(order, status, body)),
      call,
    )
  return {
    label: LABEL,
    freshMs: FRESH_MS,
    chains: new Set([chain.key]),
    reaches: contracts.length === 0 ? 'proved' : 'simulated',
    needsGuards: contracts.length > 0,

    quote: async (order, call) => offerOf(order, await solve(order, call), contracts),

    async build(order, offer, call) {
      const offerIn = (solved: Solved, one: Order) => offerOf(one, solved, contracts)
      const solved = await keepingMinimum(order, offer, LABEL, (one) => solve(one, call), offerIn)
      const { to, value, data, spender = to } = solved.transaction
      const approval = approvalFor(order, checksummed(spender.toLowerCase()))
      return {
        kind: 'evm',
        to: checksummed(to.toLowerCase()),
        data: data.toLowerCase(),
        value: String(BigInt(value)),
        approval,
        expectedOut: String(netOf(solved)),
      }
    },

    prove: (order, { expectedOut, minOut }, material) =>
      proveRouter(material, { order, expectedOut, minOut, date: clock.date() }, contracts),
  }
}

function questionOf({ tokenIn, tokenOut, amountIn, slippageBps, from }: Order): string {
  const tokenOf = ({ isNative, address }: Token): string => (isNative ? NATIVE : address)
  const wallet = from ?? NOBODY
  const order = {
    token_in: tokenOf(tokenIn),
    token_out: tokenOf(tokenOut),
    amount: String(amountIn),
    side: 'sell',
    sender: wallet,
    receiver: wallet,
  }
  const encoding_options = { slippage: formatAmount(BigInt(slippageBps), 4), transfer_type: 'transfer_from' }
  return JSON.stringify({ orders: [order], options: { encoding_options } })
}

function readAnswer({ amountIn }: Order, status: number, body: Buffer): Solved | null {
  const solved = status === 200 ? readSolved(body)?.value.orders[0] : undefined
  if (solved !== undefined) return BigInt(solved.amount_in) === amountIn ? solved : null
  const unsolved = readUnsolved(body)?.value
  if (unsolved === undefined) return null
  // An order's status, or the code of an error; what isn't listed is the server's failure.
  const cause = 'code' in unsolved ? unsolved.code : unsolved.orders[0].status
  return throwIf(refusalOf(LABEL, cause.toUpperCase()))
}

/** What arrives if nothing moves: the server states its output before the contract's fees. */
function netOf({ amount_out, fee_breakdown }: Solved): bigint {
  if (!fee_breakdown) return BigInt(amount_out)
  return BigInt(fee_breakdown.min_amount_received) + BigInt(fee_breakdown.max_slippage)
}

/** @throws GatewayError  amount_too_small */
function offerOf({ chain, slippageBps }: Order, solved: Solved, contracts: readonly string[]): Offer {
  const expectedOut = netOf(solved)
  if (expectedOut === 0n) throw tooSmall(LABEL)
  const { gas_estimate = '', transaction } = solved
  const { to, data } = transaction
  const isCallable = isOneOf(contracts, to) || knownRouter(findEvmChain(chain.key)!, to) !== null
  return {
    expectedOut,
    minOut: minOut(expectedOut, slippageBps),
    priceImpactPct: null,
    ...statedGas(gas_estimate, (data.length - 2) / 2),
    details: {
      // Of another one nothing is built.
      ...(isCallable && { routerAddress: checksummed(to.toLowerCase()) }),
      stated: { gas: statedInteger(gas_estimate) },
    },
    // A build asks again.
    raw: JSON.stringify({ router: to, amount_out: String(expectedOut) }),
  }
}
