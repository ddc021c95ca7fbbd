/** Verifies the answer of POST /api/build. */
import { isBase58Of } from '../../chains/solana/base58.ts'
import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import { approvalFor, type BatchedCall } from '../../proof/evm/approval.ts'
import type { NonceClaim } from '../../proof/solana/solana.ts'
import { MAX_JUPITER_FEE_BPS } from '../../proof/terms/fees.ts'
import { type Approval, normalizeAddresses } from '../../proof/terms/material.ts'
import { type BuildOrder, receiverOf, type Token } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import type { ReadOrder } from './order.ts'
import { requireFamily, requireSameEvm } from './same.ts'
import { evmSend } from './send.ts'
import type { Confirmed, Trust } from './types.ts'
import { type Answer, confirmed, factsOf, leastOf, objectOf, type Proved, textOf } from './verdict.ts'

type Swap = ReadOrder<BuildOrder>

/** @throws GatewayError  material_refused, with the rule that does not hold */
export async function verifySwap(
  read: ReadOrder<BuildOrder>,
  answer: Answer,
  trust: Trust,
  now: number,
): Promise<Confirmed> {
  const swap = { ...read, minOut: leastOf(read.minOut, answer.minOut) }
  const { chain, from } = swap.order
  if (answer.chain !== chain.key) throw refuseMaterial('chain')
  if (typeof answer.from !== 'string' || answer.from.toLowerCase() !== from.toLowerCase())
    throw refuseMaterial('from')
  requireFamily(answer, chain.family)
  const proved = await prove(swap, answer, trust, now)
  const [amountIn, least] = swap.isCancel ? [0n, 0n] : [swap.order.amountIn, swap.minOut]
  const facts = factsOf({ ...swap.order, amountIn }, read.decimals, least, receiverOf(swap.order))
  return confirmed(proved, facts, swap.stated, chain.key, trust)
}

function prove(swap: Swap, answer: Answer, trust: Trust, now: number): Promise<Proved> {
  switch (swap.order.chain.family) {
    case 'evm':
      return inEvm(swap, answer, now)
    case 'solana':
      return swap.isCancel ? inCancel(swap, answer) : inSolana(swap, answer)
    case 'sui':
      return inSui(swap, answer)
    case 'ton':
      return inTon(swap, answer, trust, now)
  }
}

async function inEvm(swap: Swap, answer: Answer, now: number): Promise<Proved> {
  const { order, minOut } = swap
  const { chain, from } = order
  if (chain.family !== 'evm') throw refuseMaterial('chain')
  if (answer.chainId !== chain.chainId) throw refuseMaterial('chain_id')
  const { proveEvm, rulesAt } = await import('./evm.ts')
  const material = normalizeAddresses(
    {
      kind: 'evm',
      to: textOf(answer, 'to'),
      data: textOf(answer, 'data'),
      value: textOf(answer, 'value'),
      approval: approvalIn(answer),
    },
    chain,
  )
  if (material.kind !== 'evm') throw refuseMaterial('kind')
  const { rules, feeBps } = rulesAt(chain, textOf(answer, 'provider'), material.to)
  const claim = { order, expectedOut: minOut, minOut, feeBps, date: now }
  const proof = await proveEvm(material, claim, rules)
  const { to, data, value } = material
  // The approval that the token needs, in full: signing more gives a permission away.
  const approval = approvalFor(order, material.approval?.spender ?? to)
  const guard = await guardIn(answer, swap)
  const send = evmSend(chain, { from, to, data, value: BigInt(value), approval }, guard)
  requireSameEvm(answer, send)
  return { proof, send }
}

/** @throws GatewayError  rule `guards`, if the order has them, and no call demands the minimum */
async function guardIn({ calls }: Answer, { order, minOut }: Swap): Promise<BatchedCall | null> {
  const { guardCall, leastIn } = await import('../../proof/evm/guard.ts')
  const guarded = { chainKey: order.chain.key, from: receiverOf(order), bought: order.tokenOut }
  const last = Array.isArray(calls) ? calls.at(-1) : null
  const least = leastIn(guarded, Object(last))
  if (order.guards === true && (least === null || least < minOut)) throw refuseMaterial('guards')
  return least === null ? null : guardCall(guarded, least)
}

/** @throws GatewayError  rule `approval` */
function approvalIn(answer: Answer): Approval | null {
  if (answer.approval === null || answer.approval === undefined) return null
  const approval = objectOf(answer.approval)
  return {
    token: textOf(approval, 'token'),
    spender: textOf(approval, 'spender'),
    amount: textOf(approval, 'amount'),
  }
}

async function inSolana(swap: Swap, answer: Answer): Promise<Proved> {
  const { order, minOut } = swap
  const { from, tokenIn, tokenOut, amountIn, receiver, guards = false } = order
  const transaction = transactionIn(answer)
  const nonce = nonceIn(swap, answer)
  const mintOf = ({ isNative, address }: Token) => (isNative ? null : address)
  const ordered = { from, mintIn: mintOf(tokenIn), mintOut: mintOf(tokenOut), amountIn, minOut }
  const claim = { ...ordered, guards, feeBps: MAX_JUPITER_FEE_BPS, nonce, receiver }
  const { proveSolana } = await import('./solana.ts')
  const proof = proveSolana(textOf(answer, 'provider'), transaction, claim)
  return { proof, send: { family: 'solana', transaction } }
}

async function inCancel(swap: Swap, answer: Answer): Promise<Proved> {
  const transaction = transactionIn(answer)
  const { proveCancel } = await import('../../proof/solana/cancel.ts')
  const claim = { from: swap.order.from, nonce: nonceIn(swap, answer)! }
  const proof = proveCancel(transaction, claim, { maxComputeUnitPrice: MAX_COMPUTE_UNIT_PRICE })
  return { proof, send: { family: 'solana', transaction } }
}

function transactionIn(answer: Answer): string {
  const transaction = textOf(answer, 'swapTransaction')
  if (textOf(answer, 'solanaTransaction') !== transaction) throw refuseMaterial('transaction')
  return transaction
}

/** The order's nonce account, with the value that the answer names: the bytes have to have both. */
function nonceIn({ nonce }: Swap, answer: Answer): NonceClaim | undefined {
  if (nonce === undefined) {
    if (answer.nonce !== undefined) throw refuseMaterial('nonce')
    return
  }
  const { account, value } = objectOf(answer.nonce)
  // Nothing with a nonce ends at a height: its wallet would sign another one.
  if (
    account !== nonce ||
    typeof value !== 'string' ||
    !isBase58Of(value, 32) ||
    'lastValidBlockHeight' in answer
  )
    throw refuseMaterial('nonce')
  return { account: nonce, value }
}

async function inSui({ order, minOut }: Swap, answer: Answer): Promise<Proved> {
  const { from, tokenIn, tokenOut, amountIn } = order
  const transaction = textOf(answer, 'suiTransaction')
  const { proveSui } = await import('../../proof/sui/sui.ts')
  const out = { kind: 'swap', coin: tokenOut } as const
  const proof = proveSui(transaction, { from, coinIn: tokenIn, amountIn, minOut, out })
  return { proof, send: { family: 'sui', transaction } }
}

async function inTon({ order, minOut }: Swap, answer: Answer, { ton }: Trust, now: number): Promise<Proved> {
  const { proveMessage } = await import('./ton.ts')
  const clock = { date: () => now }
  const options = { minOut, clock, mayState: true, ...(ton && { witness: ton }) }
  const { proof, request } = await proveMessage(answer, order, options)
  return { proof, send: { family: 'ton', request } }
}
