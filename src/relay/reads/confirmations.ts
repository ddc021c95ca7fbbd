/**
 * Remembers what each client has seen confirmed: from then on no answer may show it an older state. It is
 * remembered for as long as a node may reasonably be behind.
 */
import { Items, membersOf } from '../../chains/json/member.ts'
import type { Client } from '../../flow/cancellation.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { named } from '../../runtime/tape.ts'
import type { ReadReply } from '../../upstream/nodes/solana/rpc.ts'
import { CONFIRMED, type CommitmentLevel, FINALIZED, slotAt } from '../../upstream/nodes/solana/slots.ts'

/** Nodes are within seconds of each other; one that is further behind isn't tried first. */
const REMEMBERED_MS = 30_000
/** The client with the oldest note is forgotten first. */
const MAX_CLIENTS = 10_000
/** A longer transaction is not searched for its slot; 256 statuses are shorter. */
const MAX_ANSWER_BYTES = 64 * 1024

/** The highest slots of transactions that were seen confirmed and finalized; 0 for none. */
export interface SeenSlots {
  readonly confirmed: number
  readonly finalized: number
}

interface NotedSlots extends SeenSlots {
  /** When one of them last rose, by the monotonic clock. */
  readonly at: number
}

export class Confirmations {
  readonly #clock: Clock
  readonly #noted: BoundedCache<Client, NotedSlots>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#noted = boundedCache({ max: MAX_CLIENTS, ttlMs: REMEMBERED_MS, clock: named(clock, 'noted') })
  }

  /**
   * Notes what a client is shown. Slots that it has already seen change nothing, so asking again still gets a
   * shared answer.
   */
  note(client: Client, { confirmed, finalized }: SeenSlots): void {
    const known = this.#noted.get(client)
    if (known !== undefined && confirmed <= known.confirmed && finalized <= known.finalized) return
    this.#noted.set(client, {
      confirmed: Math.max(confirmed, known?.confirmed ?? 0),
      finalized: Math.max(finalized, known?.finalized ?? 0),
      at: this.#clock.now(),
    })
  }

  /** The time after which its answers must have been requested; -Infinity if it has seen nothing. */
  since(client: Client): number {
    return this.#noted.get(client)?.at ?? Number.NEGATIVE_INFINITY
  }

  /** The slot that answers of this level must have reached; 0 for any. A finalized slot is confirmed, too. */
  slotFor(client: Client, level: CommitmentLevel): number {
    const noted = this.#noted.get(client)
    if (noted === undefined) return 0
    return level === FINALIZED ? noted.finalized : Math.max(noted.confirmed, noted.finalized)
  }
}

/**
 * Finds the slots that an answer shows as confirmed and finalized.
 * @param level  the requested commitment
 * @returns null for nothing
 */
export function seenIn(method: string, level: CommitmentLevel, { result }: ReadReply): SeenSlots | null {
  if (!Buffer.isBuffer(result) || result.length > MAX_ANSWER_BYTES) return null
  if (method === 'getSignatureStatuses') return seenInStatuses(result)
  if (method !== 'getTransaction') return null
  const range = membersOf(result, 0, ['slot']).get('slot')
  const slot = range === undefined ? null : slotAt(result, range)
  return slot === null ? null : { confirmed: slot, finalized: level === CONFIRMED ? 0 : slot }
}

function seenInStatuses(result: Buffer): SeenSlots | null {
  // Most answers to a polling client hold none.
  if (!result.includes('"confirmed"') && !result.includes('"finalized"')) return null
  const value = membersOf(result, 0, ['value']).get('value')
  if (value === undefined) return null
  let confirmed = 0
  let finalized = 0
  const items = new Items(result, value.start)
  for (let item = items.next(); item !== null; item = items.next()) {
    const members = membersOf(result, item.start, ['slot', 'confirmationStatus'])
    const range = members.get('slot')
    const status = members.get('confirmationStatus')
    const slot = range === undefined ? null : slotAt(result, range)
    if (slot === null || status === undefined) continue
    const word = result.toString('latin1', status.start, status.end)
    if (word === '"confirmed"' || word === '"finalized"') confirmed = Math.max(confirmed, slot)
    if (word === '"finalized"') finalized = Math.max(finalized, slot)
  }
  return confirmed === 0 ? null : { confirmed, finalized }
}
