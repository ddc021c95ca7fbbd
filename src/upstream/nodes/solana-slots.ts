/**
 * Which slot a read asks for, and which one its answer is of, found in their
 * text without parsing the whole of it.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */
import { type ByteRange, membersOf, startOfMember } from '../../chains/json/member.ts'
import type { RpcReply } from './json-rpc.ts'

/** How sure the cluster is of what an answer shows: 0 processed, 1 confirmed, 2 finalized. */
export type Level = 0 | 1 | 2
export const PROCESSED: Level = 0
export const CONFIRMED: Level = 1
export const FINALIZED: Level = 2

/** An answer's context stands at its beginning, and is short. */
const HEAD_BYTES = 1_024
/** More digits than a slot has, and fewer than a double can hold. */
const SLOT = /^\d{1,15}$/
/** Reads whose result is no `{context, value}`. */
const WITHOUT_CONTEXT: ReadonlySet<string> = new Set([
  'getBlockHeight',
  'getTransaction',
  'getRecentPrioritizationFees',
])

/**
 * The level of the slot that an answer will be of.
 * @param paramsJson  validated and written anew: no string in it holds a quote
 */
export function levelOf(method: string, paramsJson: string): Level {
  // Statuses are of the newest block, whatever is asked for.
  if (method === 'getSignatureStatuses' || paramsJson.includes('"commitment":"processed"')) return PROCESSED
  return paramsJson.includes('"commitment":"confirmed"') ? CONFIRMED : FINALIZED
}

/** @returns 0 where none is asked for */
export function minContextSlotOf(paramsJson: string): number {
  if (!paramsJson.includes('"minContextSlot":')) return 0
  return Number(/"minContextSlot":(\d+)/.exec(paramsJson)?.[1] ?? 0)
}

/** @returns the slot that an answer is of; null where it does not say */
export function slotOf(method: string, { result }: RpcReply): number | null {
  if (result === null || WITHOUT_CONTEXT.has(method)) return null
  if (method === 'getSlot') return slotAt(result, { start: 0, end: result.length })
  const head = result.length > HEAD_BYTES ? result.subarray(0, HEAD_BYTES) : result
  const context = startOfMember(head, 0, 'context')
  if (context === -1) return null
  const slot = membersOf(head, context, ['slot']).get('slot')
  // A number that the head cuts off would be a smaller one.
  return slot === undefined || slot.end === head.length ? null : slotAt(head, slot)
}

/** @returns null for what is no slot */
export function slotAt(bytes: Buffer, { start, end }: ByteRange): number | null {
  const text = end - start > 15 ? '' : bytes.toString('latin1', start, end)
  return SLOT.test(text) ? Number(text) : null
}
