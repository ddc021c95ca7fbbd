/**
 * Checks the parts of a trade's file against each other: quote, order, the built, signed and received
 * transaction, and the times.
 */
import { canonicalAddress, nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { findChain, findXprovChain, type XprovChain } from '../../chains/find.ts'
import { parseXprovToken } from '../../chains/xprov-token.ts'
import { type Findings, inWords } from './findings.ts'
import { NOT_SIGNED, type Signed } from './signed/changes.ts'
import KNOWN from './trade-members.json' with { type: 'json' }
import type { Confirmed, Noted, Trade, Verdict } from './types.ts'

type Body = Readonly<Record<string, unknown>>

/** Clocks of a gateway, a device and a chain differ by less. */
const CLOCKS_MS = 120_000
/** A blockhash is valid for 150 slots, which take a minute; three if the chain is slow. */
const BLOCKHASH_MS = 180_000
/** After a longer wait the signed price is another day's. */
const LONG_MS = 3_600_000
/** Times are milliseconds of this century. */
const FIRST_MS = 1_500_000_000_000
const LAST_MS = 4_200_000_000_000
/** Rent of accounts and tips, in lamports: a receipt counts them as paid in SOL. */
const MOST_RENT = 50_000_000n

const PARTS = ['quote', 'built', 'signed', 'receipt'] as const
/**
 * The members that a part may have are in trade-members.json: those of an answer, a quote and a receipt are checked
 * against what was ordered or signed, or are figures that nobody takes for proved. An order has no `worth` there: it
 * loosens what fees may be, and is a price.
 * @param verdict  on the built transaction; if it is refused, only what follows from the order is checked
 */
export async function bind(trade: Trade, verdict: Verdict, found: Findings): Promise<void> {
  const { order } = trade
  found.only('file', trade, KNOWN.file, 'nothing in a trade is called')
  found.only(
    'order',
    order,
    'fromChain' in order ? KNOWN.crossing : KNOWN.swap,
    'nothing is held against its',
  )
  const noted: Partial<Record<(typeof PARTS)[number], Noted>> = {}
  for (const part of PARTS) {
    const given: unknown = trade[part]
    if (given === undefined) continue
    if (!isNoted(given)) found.expect(false, part, 'part', 'a time, a source and a body', given)
    else {
      noted[part] = given
      found.only(part, given, KNOWN.noted, 'it has more than a time, a source and a body:')
    }
  }
  const { quote, built, signed, receipt } = noted
  if (built !== undefined && verdict.isVerified) {
    const answer = bodyOf(built.body)
    const isAddressed = 'fromChain' in order || verdict.send.family === 'evm'
    found.only('built', answer, isAddressed ? `${KNOWN.answer} to` : KNOWN.answer, 'no such answer has')
    bindAnswer('built', trade, verdict, answer, found)
  }
  if (quote !== undefined) bindQuote(trade, verdict, bodyOf(quote.body), found)
  const { id, isAsBuilt } =
    signed === undefined || !verdict.isVerified
      ? NOT_SIGNED
      : await bindSigned(trade, verdict, signed.body, found)
  if (receipt !== undefined) bindReceipt(trade, verdict, bodyOf(receipt.body), id, found)
  bindTimes(noted, verdict, isAsBuilt, found)
}

async function bindSigned(trade: Trade, verdict: Confirmed, body: unknown, found: Findings): Promise<Signed> {
  const { Changes, compare } = await import('./signed/signed.ts')
  const changes = new Changes()
  const signed = await compare(changes, trade.order, trade.built.body, verdict, body, {})
  for (const why of changes.notBound) found.leave('signed', why)
  for (const change of changes.list) {
    if (change.isAllowed) found.changes.push(change)
    else found.expect(false, 'signed', `signed_${change.kind}`, 'what was built', `it ${change.words}`)
  }
  return signed
}

/** The answer's own description, as far as the order has it as well. @returns whether it names both tokens */
function bindAnswer(
  part: 'quote' | 'built',
  { order }: Trade,
  verdict: Verdict,
  answer: Body,
  found: Findings,
): boolean {
  const has = (rule: string, expected: string, actual: unknown, chain: unknown = null): void =>
    found.expect(isSame(actual, expected, chain), part, `${part}_${rule}`, expected, actual)
  const isAt = (rule: string, expected: unknown, actual: unknown): void =>
    found.expect(isSameChain(actual, expected), part, `${part}_${rule}`, expected, actual)
  if ('fromChain' in order) {
    isAt('chain', order.fromChain, answer.fromChain)
    isAt('destination', order.toChain, answer.toChain)
    has('from', order.from, answer.from, order.fromChain)
    has('recipient', order.to ?? order.from, answer.to, order.toChain)
    if ((order.expectedOut ?? null) !== null && order.expectedOut !== bodyOf(answer.estimate).toAmount)
      found.leave('order', `its expectedOut is not what ${part} says`)
  } else {
    isAt('chain', order.chain, answer.chain)
    const [id, own] = [answer.chainId ?? null, chainIn(order.chain)?.chainId]
    found.expect(id === null || id === own, part, `${part}_chain_id`, own, id)
    if ((answer.from ?? null) !== null) has('from', order.from, answer.from, order.chain)
    if (part === 'quote') has('side', order.side, answer.side)
  }
  const estimate = bodyOf(answer.estimate)
  const minimum = 'fromChain' in order ? estimate.toAmountMin : answer.minOut
  const [least, asked] = [unitsOf(minimum), unitsOf(order.minOut)]
  // The user accepted no less than was quoted, and is promised no less than that.
  const isLeast =
    part === 'quote' ? least !== null && asked !== null && least <= asked : least === null || least >= asked!
  const accepted = `${inWords(order.minOut)} or ${part === 'quote' ? 'less' : 'more'}, as the order accepts it`
  found.expect(isLeast, part, `${part}_minimum`, accepted, minimum)
  if (!verdict.isVerified) return true
  const { spends, receives } = verdict.facts
  if ('fromChain' in order) has('amount', spends.amount, estimate.fromAmount)
  else if (part === 'quote')
    has('amount', spends.amount, order.amountOut === undefined ? answer.amountIn : answer.maxIn)
  const tokens = tokensOf(order, answer)
  if (tokens.length === 2) {
    has('sold', spends.token, tokens[0])
    has('bought', receives.token, tokens[1])
  }
  return tokens.length === 2
}

/** The two tokens that an answer names, in canonical spelling: of a quote in the order's words, or by their risks. */
function tokensOf(order: Trade['order'], answer: Body): readonly unknown[] {
  const { fromToken, toToken, token, against = 'native', risks } = answer
  if ('fromChain' in order)
    return [
      addressOf(order.fromChain, bodyOf(fromToken).address),
      addressOf(order.toChain, bodyOf(toToken).address),
    ]
  if (token === undefined) return listOf(risks).map((one) => one.token)
  const tokens = [addressOf(order.chain, against), addressOf(order.chain, token)]
  return order.side === 'buy' ? tokens : tokens.reverse()
}

function addressOf(key: unknown, text: unknown): string | null {
  const chain = chainIn(key) as XprovChain | null
  return chain === null || typeof text !== 'string' ? null : (parseXprovToken(chain, text)?.address ?? null)
}

function bindQuote(trade: Trade, verdict: Verdict, quote: Body, found: Findings): void {
  if (!bindAnswer('quote', trade, verdict, quote, found)) found.leave('quote', 'it does not name its tokens')
  const isCrossing = 'fromChain' in trade.order
  const figures = isCrossing ? bodyOf(quote.estimate) : {}
  found.only('quote', quote, isCrossing ? KNOWN.crossingQuote : KNOWN.quote, 'nobody proves its')
  found.only('quote', figures, KNOWN.crossingFigures, 'nobody proves its')
}

function bindReceipt(
  { order }: Trade,
  verdict: Verdict,
  receipt: Body,
  id: string | null,
  found: Findings,
): void {
  const { status, from } = receipt
  const isBefore = status === 'unknown' || status === 'pending'
  const isFailed = status === 'failed'
  const isDone = status === 'confirmed' || status === 'finalized'
  const asked = 'fromChain' in order ? order.fromChain : order.chain
  const has = (rule: string, expected: string, actual: unknown): void =>
    found.expect(isSame(actual, expected, asked), 'receipt', `receipt_${rule}`, expected, actual)
  const chain = chainIn(asked)
  found.expect(isSameChain(receipt.chain, asked), 'receipt', 'receipt_chain', asked, receipt.chain)
  const [own, other] =
    chain?.family === 'solana' ? (['signature', 'hash'] as const) : (['hash', 'signature'] as const)
  if (id === null) found.leave('receipt', 'the file has no id of what was signed')
  else has('transaction', id, receipt[own])
  const isAlone = (receipt[other] ?? null) === null
  found.expect(isAlone, 'receipt', 'receipt_transaction', `no ${other}`, receipt[other])
  if (!isBefore || (from ?? null) !== null) has('from', order.from, from)
  const isState = isBefore || isFailed || isDone
  found.expect(isState, 'receipt', 'receipt_status', 'a state of a transaction', status)
  found.leave('receipt', 'only the chain tells whether it landed, and what moved')
  found.only('receipt', receipt, KNOWN.receipt, 'only the chain tells its')
  const [paid, got] = [sumsOf(receipt.paid, found), sumsOf(receipt.got, found)]
  if (!isDone) {
    const moved = [...paid, ...got].map(([token, amount]) => `${amount} of ${token}`)
    const why = isFailed ? 'it failed: nothing was swapped' : 'it is in no block'
    found.leave('receipt', why)
    found.expect(moved.length === 0, 'receipt', 'receipt_moved', `nothing: ${why}`, moved)
    return
  }
  if (!verdict.isVerified || chain === null) return
  const { facts, send } = verdict
  const { spends, receives } = facts
  const native = nativeAddress(chain)
  const slackOf = (token: string): bigint =>
    chain.family === 'solana' && isSame(token, native) ? MOST_RENT : 0n
  const value = send.family === 'evm' ? BigInt(send.transactions.at(-1)!.value) : 0n
  for (const [token, amount] of paid) {
    const sold = isSame(token, spends.token) ? BigInt(spends.amount) : 0n
    const carried = isSame(token, native) ? value : 0n
    const most = (carried > sold ? carried : sold) + slackOf(token)
    found.expect(amount <= most, 'receipt', 'receipt_paid', `at most ${most} of ${token}`, String(amount))
  }
  const isElsewhere = 'fromChain' in order && !isSameChain(order.toChain, asked)
  if (isElsewhere || !isSame(receives.recipient, order.from, asked)) {
    found.leave('receipt', `what arrived ${isElsewhere ? 'on the other chain' : 'at the recipient'}`)
    return
  }
  const arrived = [...got].find(([token]) => isSame(token, receives.token))?.[1]
  const missing: unknown = isSame(receives.token, native) ? 'native' : 'tokens'
  if (arrived === undefined && Array.isArray(receipt.missing) && receipt.missing.includes(missing)) {
    found.leave('receipt', 'the nodes did not tell what arrived')
    return
  }
  const least = BigInt(receives.atLeast) - (arrived === undefined ? 0n : slackOf(receives.token))
  const isGot = arrived !== undefined && arrived >= least
  found.expect(isGot, 'receipt', 'receipt_got', `at least ${least} of ${receives.token}`, arrived?.toString())
}

/** A token may appear in several lines. */
function sumsOf(movements: unknown, found: Findings): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  const isList = (movements ?? null) === null || Array.isArray(movements)
  found.expect(isList, 'receipt', 'receipt_amounts', 'a list of tokens and amounts', movements)
  for (const { token, amount } of listOf(movements)) {
    const units = unitsOf(amount)
    if (typeof token !== 'string' || units === null) {
      found.expect(false, 'receipt', 'receipt_amounts', 'a token and its base units', { token, amount })
      continue
    }
    sums.set(lower(token), (sums.get(lower(token)) ?? 0n) + units)
  }
  return sums
}

/** In order, no later than the built transaction allows, and the block within the signing and the receipt. */
function bindTimes(
  noted: Partial<Record<string, Noted>>,
  verdict: Verdict,
  isAsBuilt: boolean,
  found: Findings,
): void {
  const parts = PARTS.flatMap((part) => (noted[part] === undefined ? [] : [{ part, at: noted[part].at }]))
  parts.forEach(({ part, at }, nth) => {
    const before = parts[nth - 1]
    const least = (before?.at ?? at) - CLOCKS_MS
    const after =
      before === undefined ? 'a time in ms' : `${part} after ${before.part}, ${inWords(before.at)}`
    const isTime = Number.isInteger(at) && at > FIRST_MS && at < LAST_MS
    found.expect(isTime && at >= least, 'times', `time_${part}`, after, at)
    if (before !== undefined && part !== 'receipt' && at - before.at > LONG_MS)
      found.leave(part, `it is more than an hour after ${before.part}, and nothing shows why`)
  })
  const { built, signed, receipt } = noted
  if (built === undefined || !verdict.isVerified) return
  const end = endOf(verdict, isAsBuilt, built.at)
  const isTimely = end === null || signed === undefined || signed.at <= end + CLOCKS_MS
  found.expect(isTimely, 'times', 'time_signed', `by ${end}: then what was built has ended`, signed?.at)
  const includedAt = bodyOf(receipt?.body).includedAt ?? null
  if (receipt === undefined || includedAt === null) return
  const first = (signed ?? built).at
  const last = end === null ? receipt.at : Math.min(receipt.at, end)
  const isWithin =
    typeof includedAt === 'number' && includedAt >= first - CLOCKS_MS && includedAt <= last + CLOCKS_MS
  found.expect(isWithin, 'times', 'time_block', `from ${inWords(first)} to ${inWords(last)}`, includedAt)
}

/** When its chain no longer takes it, ms; null if it may be sent at any time. */
function endOf({ facts, send }: Confirmed, isAsBuilt: boolean, builtAt: number): number | null {
  if (send.family === 'solana') return isAsBuilt ? builtAt + BLOCKHASH_MS : null
  const deadline = send.family === 'ton' ? send.request.validUntil : facts.deadline
  return typeof deadline === 'number' ? deadline * 1_000 : null
}

/** A chain by its key, or by the cross-chain provider's id, as a number or a text. */
function chainIn(value: unknown): ChainDefinition | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return findXprovChain(String(value)) ?? findChain(String(value))
}

const isSameChain = (one: unknown, other: unknown): boolean =>
  chainIn(one) !== null && chainIn(one) === chainIn(other)

function isNoted(part: unknown): part is Noted {
  const noted = bodyOf(part)
  return typeof noted.source === 'string' && typeof noted.at === 'number' && noted.body !== undefined
}

const bodyOf = (body: unknown): Body => (typeof body === 'object' && body !== null ? (body as Body) : {})

const listOf = (list: unknown): readonly Body[] => (Array.isArray(list) ? list.map(bodyOf) : [])

const unitsOf = (amount: unknown): bigint | null =>
  typeof amount === 'string' && /^\d{1,78}$/.test(amount) ? BigInt(amount) : null

/** Addresses and ids of EVM chains are the same in any case. */
const lower = (text: string): string => (/^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text)

/** @param chain  of addresses that have several spellings */
function isSame(one: unknown, other: string, chain: unknown = null): boolean {
  const spelled = (text: string): string => lower(canonicalAddress(chainIn(chain)?.key ?? '', text))
  return typeof one === 'string' && typeof other === 'string' && spelled(one) === spelled(other)
}
