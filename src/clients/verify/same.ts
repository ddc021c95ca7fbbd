/**
 * An answer contains its material more than once, for wallets of several kinds, and its figures, too. None of
 * that is passed on; but a copy that differs from what was proved could be signed or shown by mistake, and is
 * refused.
 */
import type { Family } from '../../chains/definition.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import members from './answer-members.json' with { type: 'json' }
import type { Approval, EvmSend } from './types.ts'
import type { Answer } from './verdict.ts'

/** The members with material of each family. A crossing's `to` is its recipient. */
const MATERIAL: Readonly<Record<Family, readonly string[]>> = members.material

/**
 * Some members identify parties, assets and places, so they hold addresses and ids. A newer gateway may add figures
 * and texts: an unknown member is accepted unless it holds an address, a hash
 * or a payload. Nothing can be signed without one.
 */
const isMore = (value: unknown): boolean => /[\w+/-]{41}/.test(JSON.stringify(value) ?? '')

/**
 * @throws GatewayError  material_refused, rule `family`: a wallet would sign something that was not ordered,
 * and that nothing here reads
 */
export function requireFamily(answer: Answer, family: Family): void {
  for (const [name, value] of Object.entries(answer)) {
    const isMaterial = Object.values(MATERIAL).some((names) => names.includes(name))
    const isOther = isMaterial
      ? isThere(value) && !MATERIAL[family].includes(name)
      : !members.named.includes(name) && isMore(value)
    if (isOther) throw refuseMaterial('family')
  }
  for (const [name, value] of Object.entries(Object(answer.estimate)))
    if (!members.namedInEstimate.includes(name) && isMore(value)) throw refuseMaterial('family')
}

/** The members of a call. */
export const CALL = 'from to data value chainId'

/**
 * @param names  the members that a request may have; the proof of a cross-chain swap reads and bounds those for gas
 * @throws GatewayError  material_refused, rule `approval`, `transaction_request` or `calls`
 */
export function requireSameEvm(answer: Answer, send: EvmSend, names = CALL): void {
  const { transactionRequest: request, calls, approval } = answer
  if (!isApproval(approval ?? null, send.approval)) throw refuseMaterial('approval')
  if (isThere(request) && !isRequest(request, send, names)) throw refuseMaterial('transaction_request')
  if (isThere(calls) && !isCalls(answer, send)) throw refuseMaterial('calls')
}

function isApproval(given: unknown, approval: Approval | null): boolean {
  if (given === null || approval === null) return given === approval
  const { token, spender, amount, reset = false } = approval
  return (
    hasOnly(given, 'token spender amount reset') &&
    isSame(given.token, token) &&
    isSame(given.spender, spender) &&
    given.amount === amount &&
    (given.reset ?? false) === reset
  )
}

function isRequest(request: unknown, { transactions, chainId }: EvmSend, names: string): boolean {
  const swap = transactions.at(-1)!
  return (
    hasOnly(request, names) &&
    isCall(request, swap) &&
    isSame(request.from, swap.from) &&
    ([undefined, chainId, swap.chainId] as unknown[]).includes(request.chainId)
  )
}

/** The approvals in order, and the call; nothing else, such as a capability. An absent member is fine. */
function isCalls({ calls, atomicRequired = true }: Answer, { calls: expected }: EvmSend): boolean {
  return (
    (atomicRequired === true || !expected.atomicRequired) &&
    Array.isArray(calls) &&
    calls.length === expected.calls.length &&
    expected.calls.every((call, nth) => {
      const given: unknown = calls[nth]
      return hasOnly(given, 'to data value') && isCall(given, call)
    })
  )
}

const isCall = (
  given: Answer,
  { to, data, value }: { readonly to: string; readonly data: string; readonly value: string },
): boolean => isSame(given.to, to) && isSame(given.data, data) && unitsIn(given.value) === BigInt(value)

/** A decimal or a hex quantity; absent it is zero. */
function unitsIn(value: unknown): bigint | null {
  if (value === undefined) return 0n
  return typeof value === 'string' && /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : null
}

export const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** @param names  separated by spaces */
export function hasOnly(value: unknown, names: string): value is Answer {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.keys(value).every((name) => names.split(' ').includes(name))
}

const isSame = (text: unknown, other: string): boolean =>
  typeof text === 'string' && text.toLowerCase() === other.toLowerCase()
