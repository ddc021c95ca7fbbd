/**
 * Records the outcomes of the last submissions, and their times: a ring of figures in typed arrays, 59 bytes
 * a submission with three upstreams, and a map from each signature to its newest index in the ring. Ten
 * thousand submissions take less than 3 MB. Finding one takes the same time however clients choose their
 * signatures, and however often they repeat one.
 *
 * Times are microseconds since the request's head arrived; 0 is none.
 */

import type { Funnel } from '../../http/counts/funnel.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import type { SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import type { SendOutcome, SubmissionTrace } from '../../upstream/nodes/solana/submissions.ts'

const CAPACITY = 10_000

/** The last step of the funnel that a transaction was counted for. */
const NOTHING = 0
const SUBMITTED = 1
const CONFIRMED = 2

const OUTCOMES: readonly (SendOutcome | null)[] = [
  null,
  'failed',
  'refused',
  'accepted',
  'untipped',
  'unpriced',
  'throttled',
]
/** Outcomes from here on mean that nothing was sent. */
const WITHHELD = OUTCOMES.indexOf('untipped')

/** When a transaction arrived, was parsed and was verified, by the monotonic clock. */
export interface Arrival {
  readonly startedAt: number
  readonly parsedAt: number
  readonly verifiedAt: number
}

export interface RecordedReceipt extends Omit<SubmissionReceipt, 'digest' | 'receivedAt'> {
  /** Unix time, ms. */
  readonly receivedAt: number
}

/** Records what happens to a submission, until the ring has wrapped around. */
export interface ReceiptTrace extends SubmissionTrace {
  /** @param isFailed  whether the block holds it as failed */
  landed(slot: number, isFailed?: boolean): void
}

/** By receipt, and the last four by receipt and upstream. */
const columnsOf = (capacity: number, upstreams: number) => ({
  startedAt: new Float64Array(capacity),
  parsedUs: new Uint32Array(capacity),
  verifiedUs: new Uint32Array(capacity),
  landedSlot: new Float64Array(capacity),
  landedUs: new Uint32Array(capacity),
  /** The last step that was counted. */
  counted: new Uint8Array(capacity),
  sends: new Uint8Array(capacity * upstreams),
  sentUs: new Uint32Array(capacity * upstreams),
  answeredUs: new Uint32Array(capacity * upstreams),
  outcomes: new Uint8Array(capacity * upstreams),
})

interface ReceiptsOptions {
  /** The labels of the upstreams, in the order of a trace's indexes. */
  readonly upstreams: readonly string[]
  /** Counts once each transaction that a node accepts, and each that lands. */
  readonly funnel?: Pick<Funnel, 'count'> | null
  readonly clock?: Clock
  readonly capacity?: number
}

export class Receipts {
  readonly #upstreams: readonly string[]
  readonly #clock: Clock
  readonly #funnel: Pick<Funnel, 'count'> | null
  readonly #capacity: number
  /** The newest index in the ring, by signature as latin1 text. */
  readonly #indexes = new Map<string, number>()
  /** The signature at each index. */
  readonly #signatures: string[] = []
  readonly #columns: ReturnType<typeof columnsOf>
  /** Submissions so far: the last has the index (count - 1) modulo the capacity. */
  #count = 0

  constructor({ upstreams, funnel = null, clock = CLOCK, capacity = CAPACITY }: ReceiptsOptions) {
    this.#funnel = funnel
    this.#upstreams = upstreams
    this.#clock = clock
    this.#capacity = capacity
    this.#columns = columnsOf(capacity, upstreams.length)
  }

  begin(signature: Uint8Array, { startedAt, parsedAt, verifiedAt }: Arrival): ReceiptTrace {
    const number = this.#count++
    const at = number % this.#capacity
    this.#forget(at)
    const key = keyOf(signature)
    const before = this.#indexes.get(key)
    this.#columns.counted[at] = before === undefined ? NOTHING : this.#columns.counted[before]!
    this.#signatures[at] = key
    this.#indexes.set(key, at)
    this.#columns.startedAt[at] = startedAt
    this.#columns.parsedUs[at] = micros(parsedAt - startedAt)
    this.#columns.verifiedUs[at] = micros(verifiedAt - startedAt)
    this.#columns.landedUs[at] = 0
    const from = at * this.#upstreams.length
    const to = from + this.#upstreams.length
    const { sends, sentUs, answeredUs, outcomes } = this.#columns
    for (const column of [sends, sentUs, answeredUs, outcomes]) column.fill(0, from, to)
    return this.#traceOf(number)
  }

  /** The newest submission of this signature, in its current state. */
  find(signature: Uint8Array): RecordedReceipt | null {
    const at = this.#indexes.get(keyOf(signature))
    return at === undefined ? null : this.#receiptAt(at)
  }

  /**
   * The last submissions with their signatures, the newest first; of a repeated signature only the
   * newest.
   */
  last(most: number): { readonly signature: Uint8Array; readonly receipt: RecordedReceipt }[] {
    const found = []
    const oldest = Math.max(0, this.#count - this.#capacity)
    for (let number = this.#count - 1; number >= oldest && found.length < most; number--) {
      const at = number % this.#capacity
      const key = this.#signatures[at]!
      if (this.#indexes.get(key) !== at) continue
      found.push({ signature: Buffer.from(key, 'latin1'), receipt: this.#receiptAt(at) })
    }
    return found
  }

  /**
   * Records where the newest submission of this signature landed, if there is one.
   * @param isFailed  as in `ReceiptTrace.landed`
   */
  landed(signature: Uint8Array, slot: number, isFailed = false): void {
    const at = this.#indexes.get(keyOf(signature))
    if (at !== undefined) this.#land(at, slot, isFailed)
  }

  #receiptAt(at: number): RecordedReceipt {
    const startedAt = this.#columns.startedAt[at]!
    const landedUs = this.#columns.landedUs[at]!
    const first = at * this.#upstreams.length
    const deliveries = this.#upstreams.map((name, i) => ({
      name,
      sends: this.#columns.sends[first + i]!,
      sentUs: this.#columns.sentUs[first + i]!,
      answeredUs: this.#columns.answeredUs[first + i]! || null,
      outcome: OUTCOMES[this.#columns.outcomes[first + i]!]!,
    }))
    return {
      receivedAt: Math.round(this.#clock.date() - (this.#clock.now() - startedAt)),
      parsedUs: this.#columns.parsedUs[at]!,
      verifiedUs: this.#columns.verifiedUs[at]!,
      upstreams: deliveries.filter(({ sends, outcome }) => sends > 0 || outcome !== null),
      landed: landedUs === 0 ? null : { slot: this.#columns.landedSlot[at]!, us: landedUs },
    }
  }

  #traceOf(number: number): ReceiptTrace {
    const at = number % this.#capacity
    const isGone = (): boolean => this.#count - number > this.#capacity
    return {
      sent: (upstream) => {
        if (!isGone()) this.#sent(at, upstream)
      },
      answered: (upstream, outcome) => {
        if (!isGone()) this.#answered(at, upstream, outcome)
      },
      landed: (slot, isFailed = false) => {
        if (!isGone()) this.#land(at, slot, isFailed)
      },
    }
  }

  #sent(at: number, upstream: number): void {
    const cell = at * this.#upstreams.length + upstream
    if (this.#columns.sends[cell] === 0) {
      this.#columns.sentUs[cell] = this.#sinceReceipt(at)
      // It may have been withheld before.
      this.#columns.outcomes[cell] = 0
      this.#columns.answeredUs[cell] = 0
    }
    if (this.#columns.sends[cell]! < 0xff) this.#columns.sends[cell]!++
  }

  #answered(at: number, upstream: number, outcome: SendOutcome): void {
    const cell = at * this.#upstreams.length + upstream
    // A node that has accepted a transaction may refuse the same bytes later: the acceptance stands.
    if (OUTCOMES[this.#columns.outcomes[cell]!] === 'accepted') return
    if (OUTCOMES.indexOf(outcome) >= WITHHELD) {
      if (this.#columns.sends[cell] !== 0 || this.#columns.outcomes[cell] !== 0) return
      this.#columns.sentUs[cell] = this.#sinceReceipt(at)
    }
    this.#columns.outcomes[cell] = OUTCOMES.indexOf(outcome)
    if (outcome === 'accepted') this.#reach(at, NOTHING, SUBMITTED)
    this.#columns.answeredUs[cell] = this.#sinceReceipt(at)
  }

  #land(at: number, slot: number, isFailed: boolean): void {
    if (!isFailed) this.#reach(at, SUBMITTED, CONFIRMED)
    if (this.#columns.landedUs[at] === 0) this.#columns.landedUs[at] = this.#sinceReceipt(at)
    this.#columns.landedSlot[at] = slot
  }

  /** Counts each step once, and only after the step before it. */
  #reach(at: number, from: number, to: typeof SUBMITTED | typeof CONFIRMED): void {
    if (this.#columns.counted[at] !== from) return
    this.#columns.counted[at] = to
    this.#funnel?.count(to === SUBMITTED ? 'submit' : 'confirmed', 'solana')
  }

  #sinceReceipt(at: number): number {
    return micros(this.#clock.now() - this.#columns.startedAt[at]!)
  }

  /** Removes the oldest signature, unless it was submitted again since. */
  #forget(at: number): void {
    const key = this.#signatures[at]
    if (key !== undefined && this.#indexes.get(key) === at) this.#indexes.delete(key)
  }
}

function keyOf(signature: Uint8Array): string {
  return Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('latin1')
}

/** At least 1, because 0 is none. */
function micros(ms: number): number {
  return Math.min(Math.max(Math.round(ms * 1_000), 1), 0xffff_ffff)
}
