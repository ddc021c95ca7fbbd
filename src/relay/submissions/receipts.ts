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
  readonly #startedAt: Float64Array
  readonly #parsedUs: Uint32Array
  readonly #verifiedUs: Uint32Array
  readonly #landedSlot: Float64Array
  readonly #landedUs: Uint32Array
  /** The last step that was counted. */
  readonly #counted: Uint8Array
  /** By receipt and upstream. */
  readonly #sends: Uint8Array
  readonly #sentUs: Uint32Array
  readonly #answeredUs: Uint32Array
  readonly #outcomes: Uint8Array
  /** Submissions so far: the last has the index (count - 1) modulo the capacity. */
  #count = 0

  constructor({ upstreams, funnel = null, clock = CLOCK, capacity = CAPACITY }: ReceiptsOptions) {
    this.#funnel = funnel
    this.#upstreams = upstreams
    this.#clock = clock
    this.#capacity = capacity
    const deliveries = capacity * upstreams.length
    this.#startedAt = new Float64Array(capacity)
    this.#parsedUs = new Uint32Array(capacity)
    this.#verifiedUs = new Uint32Array(capacity)
    this.#landedSlot = new Float64Array(capacity)
    this.#landedUs = new Uint32Array(capacity)
    this.#counted = new Uint8Array(capacity)
    this.#sends = new Uint8Array(deliveries)
    this.#sentUs = new Uint32Array(deliveries)
    this.#answeredUs = new Uint32Array(deliveries)
    this.#outcomes = new Uint8Array(deliveries)
  }

  begin(signature: Uint8Array, { startedAt, parsedAt, verifiedAt }: Arrival): ReceiptTrace {
    const number = this.#count++
    const at = number % this.#capacity
    this.#forget(at)
    const key = keyOf(signature)
    const before = this.#indexes.get(key)
    this.#counted[at] = before === undefined ? NOTHING : this.#counted[before]!
    this.#signatures[at] = key
    this.#indexes.set(key, at)
    this.#startedAt[at] = startedAt
    this.#parsedUs[at] = micros(parsedAt - startedAt)
    this.#verifiedUs[at] = micros(verifiedAt - startedAt)
    this.#landedUs[at] = 0
    const from = at * this.#upstreams.length
    const to = from + this.#upstreams.length
    for (const column of [this.#sends, this.#sentUs, this.#answeredUs, this.#outcomes])
      column.fill(0, from, to)
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
    const startedAt = this.#startedAt[at]!
    const landedUs = this.#landedUs[at]!
    const first = at * this.#upstreams.length
    const deliveries = this.#upstreams.map((name, i) => ({
      name,
      sends: this.#sends[first + i]!,
      sentUs: this.#sentUs[first + i]!,
      answeredUs: this.#answeredUs[first + i]! || null,
      outcome: OUTCOMES[this.#outcomes[first + i]!]!,
    }))
    return {
      receivedAt: Math.round(this.#clock.date() - (this.#clock.now() - startedAt)),
      parsedUs: this.#parsedUs[at]!,
      verifiedUs: this.#verifiedUs[at]!,
      upstreams: deliveries.filter(({ sends, outcome }) => sends > 0 || outcome !== null),
      landed: landedUs === 0 ? null : { slot: this.#landedSlot[at]!, us: landedUs },
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
    if (this.#sends[cell] === 0) {
      this.#sentUs[cell] = this.#sinceReceipt(at)
      // It may have been withheld before.
      this.#outcomes[cell] = 0
      this.#answeredUs[cell] = 0
    }
    if (this.#sends[cell]! < 0xff) this.#sends[cell]!++
  }

  #answered(at: number, upstream: number, outcome: SendOutcome): void {
    const cell = at * this.#upstreams.length + upstream
    // A node that has accepted a transaction may refuse the same bytes later: the acceptance stands.
    if (OUTCOMES[this.#outcomes[cell]!] === 'accepted') return
    if (OUTCOMES.indexOf(outcome) >= WITHHELD) {
      if (this.#sends[cell] !== 0 || this.#outcomes[cell] !== 0) return
      this.#sentUs[cell] = this.#sinceReceipt(at)
    }
    this.#outcomes[cell] = OUTCOMES.indexOf(outcome)
    if (outcome === 'accepted') this.#reach(at, NOTHING, SUBMITTED)
    this.#answeredUs[cell] = this.#sinceReceipt(at)
  }

  #land(at: number, slot: number, isFailed: boolean): void {
    if (!isFailed) this.#reach(at, SUBMITTED, CONFIRMED)
    if (this.#landedUs[at] === 0) this.#landedUs[at] = this.#sinceReceipt(at)
    this.#landedSlot[at] = slot
  }

  /** Counts each step once, and only after the step before it. */
  #reach(at: number, from: number, to: typeof SUBMITTED | typeof CONFIRMED): void {
    if (this.#counted[at] !== from) return
    this.#counted[at] = to
    this.#funnel?.count(to === SUBMITTED ? 'submit' : 'confirmed', 'solana')
  }

  #sinceReceipt(at: number): number {
    return micros(this.#clock.now() - this.#startedAt[at]!)
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
