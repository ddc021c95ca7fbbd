/**
 * What each client has seen confirmed: after it, no answer may show it a state
 * from before. It is remembered for as long as a node may reasonably be behind.
 */
import { LRUCache } from 'lru-cache'
import { Items, membersOf } from '../chains/json/member.ts'
import type { Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RpcReply } from '../upstream/nodes/solana-rpc.ts'
import { CONFIRMED, FINALIZED, type Level, slotAt } from '../upstream/nodes/solana-slots.ts'

/** Nodes are within seconds of each other; one that is further behind is not asked first. */
const REMEMBERED_MS = 30_000
/** The one that was noted longest ago is forgotten first. */
const MAX_CLIENTS = 10_000
/** A longer transaction is not looked through for its slot. */
const MAX_TRANSACTION_BYTES = 64 * 1024

/** The highest slots of transactions that were seen confirmed and finalized; 0 for none. */
export interface Seen {
  readonly confirmed: number
  readonly finalized: number
}

interface Noted extends Seen {
  /** When the last of them was news, by the monotonic clock. */
  readonly at: number
}

export class Confirmations {
  readonly #clock: Clock
  readonly #noted: LRUCache<Client, Noted>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#noted = new LRUCache({ max: MAX_CLIENTS, ttl: REMEMBERED_MS, ttlResolution: 0, perf: clock })
  }

  /** A client is shown these. What it knew already changes nothing, so that asking again costs it no sharing. */
  note(client: Client, { confirmed, finalized }: Seen): void {
    const known = this.#noted.get(client)
    if (known !== undefined && confirmed <= known.confirmed && finalized <= known.finalized) return
    this.#noted.set(client, {
      confirmed: Math.max(confirmed, known?.confirmed ?? 0),
      finalized: Math.max(finalized, known?.finalized ?? 0),
      at: this.#clock.now(),
    })
  }

  /** Since when its answers must be: -Infinity where it has seen nothing. */
  since(client: Client): number {
    return this.#noted.get(client)?.at ?? Number.NEGATIVE_INFINITY
  }

  /** The slot that answers of this level must have reached; 0 for any. What is finalized is confirmed, too. */
  slotFor(client: Client, level: Level): number {
    const noted = this.#noted.get(client)
    if (noted === undefined) return 0
    return level === FINALIZED ? noted.finalized : Math.max(noted.confirmed, noted.finalized)
  }
}

/**
 * What an answer shows to be confirmed.
 * @param level  at which it was asked for
 * @returns null for nothing
 */
export function seenIn(method: string, level: Level, { result }: RpcReply): Seen | null {
  if (result === null) return null
  if (method === 'getSignatureStatuses') return seenInStatuses(result)
  if (method !== 'getTransaction' || result.length > MAX_TRANSACTION_BYTES) return null
  const range = membersOf(result, 0, ['slot']).get('slot')
  const slot = range === undefined ? null : slotAt(result, range)
  return slot === null ? null : { confirmed: slot, finalized: level === CONFIRMED ? 0 : slot }
}

function seenInStatuses(result: Buffer): Seen | null {
  // Most answers of somebody who polls hold none.
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
