/** Holds the parts of a trade's file against each other: quote, order, what was built, signed and received, and when. */
import { findChain } from '../../chains/find.ts'
import type { Broken, Confirmed, Judgement, Noted, Trade } from './types.ts'

type Body = Readonly<Record<string, unknown>>
type Note = Judgement['notBound'][number]

/** Clocks of a gateway, a device and a chain differ by less. */
const CLOCKS_MS = 120_000
/** Rent of accounts and tips, in lamports: a receipt has them in what was paid in SOL. */
const MOST_RENT = 50_000_000n

export interface Bound {
  readonly broken: readonly Broken[]
  readonly notBound: readonly Note[]
}

/** @param verdict  of what was built */
export async function bind(trade: Trade, verdict: Confirmed): Promise<Bound> {
  const found = new Findings()
  if (trade.quote !== undefined) bindQuote(trade, verdict, trade.quote, found)
  const id = trade.signed === undefined ? null : await bindSigned(trade, verdict, trade.signed, found)
  if (trade.receipt !== undefined) bindReceipt(trade, verdict, trade.receipt, id, found)
  bindTimes(trade, verdict, found)
  return found
}

class Findings implements Bound {
  readonly broken: Broken[] = []
  readonly notBound: Note[] = []

  /** Notes a rule that does not hold. */
  expect(holds: boolean, part: Broken['part'], rule: string, expected: unknown, found: unknown): void {
    if (!holds)
      this.broken.push({ part, rule, expected: String(expected), found: String(found ?? 'nothing') })
  }

  leave(part: string, why: string): void {
    this.notBound.push({ part, why })
  }
}

function bindQuote({ order }: Trade, { facts }: Confirmed, { body }: Noted, found: Findings): void {
  const quote = bodyOf(body)
  const estimate = bodyOf(quote.estimate)
  const [amountIn, minOut] =
    'fromChain' in order ? [estimate.fromAmount, estimate.toAmountMin] : [quote.amountIn, quote.minOut]
  const has = (rule: string, expected: string, actual: unknown): void =>
    found.expect(isSame(actual, expected), 'quote', rule, expected, actual)
  if ('chain' in order) {
    has('quote_chain', order.chain, quote.chain)
    has('quote_side', order.side, quote.side)
    if (typeof quote.from === 'string') has('quote_from', order.from, quote.from)
  }
  has('quote_amount', facts.spends.amount, amountIn)
  const least = unitsOf(minOut)
  found.expect(
    least !== null && least <= BigInt(order.minOut),
    'quote',
    'quote_minimum',
    `${order.minOut} or less, as the order accepts it`,
    minOut,
  )
  found.leave('quote', 'it does not name its tokens, and what it promises above the minimum nobody proves')
}

/** @returns the id that the chain knows it by */
async function bindSigned(
  { order }: Trade,
  { send }: Confirmed,
  { body }: Noted,
  found: Findings,
): Promise<string | null> {
  const { signedOf } = await import('./signed.ts')
  const { id, broken, notBound } = await signedOf(body, send, order.from)
  for (const [rule, expected, actual] of broken) found.expect(false, 'signed', rule, expected, actual)
  if (notBound !== null) found.leave('signed', notBound)
  return id
}

function bindReceipt(
  { order }: Trade,
  { facts: { spends, receives }, send }: Confirmed,
  { body }: Noted,
  id: string | null,
  found: Findings,
): void {
  const receipt = bodyOf(body)
  const { status, paid, got } = receipt
  const chain = 'chain' in order ? order.chain : order.fromChain
  const native = findChain(chain)!.family === 'solana'
  const has = (rule: string, expected: string, actual: unknown): void =>
    found.expect(isSame(actual, expected), 'receipt', rule, expected, actual)
  has('receipt_chain', chain, receipt.chain)
  if (id === null) found.leave('receipt', 'the file has no id of what was signed')
  else has('receipt_transaction', id, receipt.hash ?? receipt.signature)
  has('receipt_from', order.from, receipt.from)
  found.leave('receipt', 'only the chain tells whether it landed, and what moved')
  if (status !== 'confirmed' && status !== 'finalized') return
  const slack = (movement: Body): bigint => (native && movement.isNative === true ? MOST_RENT : 0n)
  for (const movement of listOf(paid)) {
    const { token, amount, isNative } = movement
    const isSold = isSame(token, spends.token)
    const fees = isNative === true && send.family === 'evm' ? BigInt(send.transactions.at(-1)!.value) : 0n
    const sold = isSold ? BigInt(spends.amount) : 0n
    const most = (fees > sold ? fees : sold) + slack(movement)
    const isPaid = (unitsOf(amount) ?? most + 1n) <= most
    found.expect(isPaid, 'receipt', 'receipt_paid', `at most ${most} of ${token}`, amount)
  }
  if ('toChain' in order && order.toChain !== chain) {
    found.leave('receipt', 'what arrived on the other chain')
    return
  }
  const missing = Array.isArray(receipt.missing) ? receipt.missing : []
  const arrived = listOf(got).find(({ token }) => isSame(token, receives.token))
  if (arrived === undefined && missing.length > 0) return
  const least = BigInt(receives.atLeast) - (arrived === undefined ? 0n : slack(arrived))
  const isGot = arrived !== undefined && (unitsOf(arrived.amount) ?? -1n) >= least
  found.expect(isGot, 'receipt', 'receipt_got', `at least ${least} of ${receives.token}`, arrived?.amount)
}

/** In order, and the block within what was signed and noted. */
function bindTimes(
  { quote, built, signed, receipt }: Trade,
  { facts, send }: Confirmed,
  found: Findings,
): void {
  const parts = Object.entries({ quote, built, signed, receipt }).flatMap(([part, noted]) =>
    noted === undefined ? [] : [{ part, at: noted.at }],
  )
  parts.forEach(({ part, at }, nth) => {
    const before = parts[nth - 1]
    const least = (before?.at ?? at) - CLOCKS_MS
    const words = before === undefined ? 'a time' : `${part} after ${before.part}, ${before.at}`
    found.expect(Number.isSafeInteger(at) && at >= least, 'times', `time_${part}`, words, at)
  })
  const includedAt = bodyOf(receipt?.body).includedAt ?? null
  if (receipt === undefined || includedAt === null) return
  const deadline = send.family === 'ton' ? send.request.validUntil : facts.deadline
  const last = typeof deadline === 'number' ? Math.min(receipt.at, deadline * 1_000) : receipt.at
  const first = (signed ?? built).at
  const isWithin =
    typeof includedAt === 'number' && includedAt >= first - CLOCKS_MS && includedAt <= last + CLOCKS_MS
  found.expect(isWithin, 'times', 'time_block', `from ${first} to ${last}`, includedAt)
}

const bodyOf = (body: unknown): Body => (typeof body === 'object' && body !== null ? (body as Body) : {})

const listOf = (list: unknown): readonly Body[] => (Array.isArray(list) ? list.map(bodyOf) : [])

const unitsOf = (amount: unknown): bigint | null =>
  typeof amount === 'string' && /^\d{1,78}$/.test(amount) ? BigInt(amount) : null

/** Addresses and ids of EVM chains are the same in any case. */
const isSame = (one: unknown, other: string): boolean =>
  typeof one === 'string' &&
  (one === other || (/^0x/.test(other) && one.toLowerCase() === other.toLowerCase()))
