/**
 * The slot that a read requires and the slot of its answer, found without parsing the whole text; and whether
 * an error is about the node.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */
import { type ByteRange, membersOf, startOfMember } from '../../../chains/json/member.ts'
import { headOf } from '../../../flow/pieces.ts'
import { errorFields, type ReadReply } from '../json-rpc.ts'
import { aboutOf } from '../node-errors.ts'

/** The commitment of an answer: 0 processed, 1 confirmed, 2 finalized. */
export type CommitmentLevel = 0 | 1 | 2
export const PROCESSED: CommitmentLevel = 0
export const CONFIRMED: CommitmentLevel = 1
export const FINALIZED: CommitmentLevel = 2

/** An answer begins with its context, which is short. */
const HEAD_BYTES = 1_024
/** More digits than a slot has, and fewer than a double can hold. */
const SLOT = /^\d{1,15}$/
/** Reads whose result is not `{context, value}`. */
const WITHOUT_CONTEXT: ReadonlySet<string> = new Set([
  'getBlockHeight',
  'getTransaction',
  'getRecentPrioritizationFees',
])

/**
 * The commitment of the slot that an answer will be of.
 * @param paramsJson  rebuilt from validated values: no string in it has a quote
 */
export function levelOf(method: string, paramsJson: string): CommitmentLevel {
  // Statuses are always of the newest block.
  if (method === 'getSignatureStatuses' || paramsJson.includes('"commitment":"processed"')) return PROCESSED
  return paramsJson.includes('"commitment":"confirmed"') ? CONFIRMED : FINALIZED
}

/** @returns 0 if none is required */
export function minContextSlotOf(paramsJson: string): number {
  if (!paramsJson.includes('"minContextSlot":')) return 0
  return Number(/"minContextSlot":(\d+)/.exec(paramsJson)?.[1] ?? 0)
}

/** @returns the slot of an answer; null if it does not say */
export function slotOf(method: string, { result }: ReadReply): number | null {
  if (result === null || WITHOUT_CONTEXT.has(method)) return null
  const head = headOf(result, HEAD_BYTES)
  if (method === 'getSlot') return slotAt(head, { start: 0, end: head.length })
  if (method === 'getEpochInfo') return slotIn(head, 0, 'absoluteSlot')
  const context = startOfMember(head, 0, 'context')
  return context === -1 ? null : slotIn(head, context, 'slot')
}

/** The slot in a member of the object that starts here; null if it has none. */
export function slotIn(head: Buffer, start: number, name: string): number | null {
  const slot = membersOf(head, start, [name]).get(name)
  // A number that the head cuts off would be too small.
  return slot === undefined || slot.end === head.length ? null : slotAt(head, slot)
}

/**
 * Whether an answer is of an older slot than allowed.
 * @param minSlot  0 for any
 */
export function isOlder(method: string, reply: ReadReply, minSlot: number): boolean {
  return minSlot > 0 && (slotOf(method, reply) ?? minSlot) < minSlot
}

/** Whether an answer is only about the node's own state, so that another node may answer. */
export const isAboutNode = ({ error }: ReadReply): boolean =>
  error !== null && aboutOf('solana', errorFields(error)) !== 'question'

/** @returns null for text that is not a slot */
export function slotAt(bytes: Buffer, { start, end }: ByteRange): number | null {
  const text = end - start > 15 ? '' : bytes.toString('latin1', start, end)
  return SLOT.test(text) ? Number(text) : null
}
