/** The tape of a request that is replayed: it gives what was recorded, in the recorded order. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { type RequestTape, withoutClient } from '../../http/request/tape.ts'
import { CLOCK } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { decode, type ReadReferences } from './codec.ts'
import {
  BODY,
  type Moment,
  type Reading,
  type RecordedReply,
  type Recording,
  type Settled,
  timerName,
} from './file.ts'
import { replyOf } from './recorder.ts'
import type { Tapes, TimedTape } from './tapes.ts'

/** How many turns of the event loop what has arrived gets, before the time goes on. */
const TURNS = 30
/** How long to wait for the code to ask what the recording answers: modules may still be loaded. */
const PATIENCE_MS = 5_000
/** The same once it has asked something else. */
const LESS_PATIENCE_MS = 100

export class Player implements TimedTape, RequestTape {
  isOpen = true
  at: Moment
  /** What was asked that the recording doesn't have, and what it has that was not asked. */
  readonly differences: string[] = []
  /** The names of what was read and of what arrived, in their order. */
  readonly steps: string[] = []
  reply: RecordedReply | null = null
  #client: string | null = null
  readonly #begunAt: number
  readonly #settleMs: number
  readonly #tapes: Tapes
  readonly #references: ReadReferences
  readonly #readings = new Map<string, Reading[]>()
  readonly #names = new Map<number, string>()
  readonly #lines: Recording['lines']
  /** Readings that were asked for, by number. */
  readonly #taken = new Set<number>()
  /** What waits for its line, by number. */
  readonly #waiting = new Map<number, (ending: Settled) => void>()

  /** @param settleMs  what has arrived gets so long besides */
  constructor(tapes: Tapes, { head, lines }: Recording, settleMs: number) {
    this.#settleMs = settleMs
    this.#tapes = tapes
    this.at = head.at
    this.#begunAt = head.at.now
    this.#references = {
      named: (name) => tapes.named(name),
      promise: (number, read) => this.#promise(number, read),
    }
    this.#lines = lines
    for (const line of lines) {
      if ('of' in line) continue
      getOrInsert(this.#readings, line.name, () => []).push(line)
      this.#names.set(line.n, line.name)
    }
  }

  from(client: string): void {
    this.#client = client
  }

  #take(named: string): Reading | null {
    const name = withoutClient(named, this.#client)
    const reading = this.#readings.get(name)?.shift() ?? null
    this.steps.push(reading === null ? `NOT RECORDED ${name}` : name)
    if (reading !== null) this.#taken.add(reading.n)
    return reading
  }

  value<T>(name: string): T {
    const reading = this.#take(name)
    if (reading === null) {
      this.differences.push(`asked, and not recorded: ${name}`)
      throw new Error(`The recording has no \`${name}\`.`)
    }
    if (reading.later) return this.#promise(reading.n, []) as T
    return this.#given(reading, []) as T
  }

  #given(line: Reading | Settled, read: object[]): unknown {
    if ('error' in line) throw decode(line.error, read, this.#references)
    return decode(line.value, read, this.#references)
  }

  #promise(number: number, read: object[]): Promise<unknown> {
    const promise = new Promise((resolve) => this.#waiting.set(number, resolve as (ending: Settled) => void))
    const given = promise.then((ending) => this.#given(ending as Settled, read))
    given.catch(() => {})
    return given
  }

  after(ms: number, run: () => void): () => void {
    const reading = this.#take(timerName(ms))
    if (reading === null) return () => {}
    this.#waiting.set(reading.n, () => this.#tapes.run(this, run))
    return () => this.#waiting.delete(reading.n)
  }

  received(_body: Buffer, handle: () => void): void {
    const reading = this.#take(BODY)
    if (reading?.at) this.at = reading.at
    this.#tapes.run(this, handle)
  }

  replied(status: number, headers: readonly string[], _code: string | null, pieces: readonly Buffer[]): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.reply = replyOf(status, headers, pieces)
  }

  drop(why: string): void {
    this.isOpen = false
    this.differences.push(`the reply is ${why}`)
  }

  /** The recorded body; null if none was read. */
  get body(): Buffer | null {
    const reading = this.#readings.get(BODY)?.[0]
    return reading === undefined ? null : (this.#given(reading, []) as Buffer)
  }

  /**
   * Lets arrive what was recorded, one after the other, until the reply is written. Nothing arrives before what was read
   * before it is read again: that may take other turns of the event loop than it took then.
   */
  async run(): Promise<void> {
    const due = new Map<number, string>()
    for (const line of this.#lines) {
      if (!('of' in line)) {
        due.set(line.n, line.name)
        continue
      }
      const isReady = (): boolean =>
        this.#waiting.has(line.of) && [...due.keys()].every((n) => this.#taken.has(n))
      await this.#until(isReady)
      if (!this.isOpen) return
      for (const [n, name] of due)
        if (!this.#taken.has(n)) this.differences.push(`recorded, and not asked: ${name}`)
      due.clear()
      const arrives = this.#waiting.get(line.of)
      if (arrives === undefined) continue
      this.#waiting.delete(line.of)
      this.steps.push(
        `after ${(line.at.now - this.#begunAt).toFixed(3)} ms: ${this.#names.get(line.of) ?? 'a promise'}`,
      )
      if (this.at.now !== line.at.now) await this.#settle()
      this.at = line.at
      arrives(line)
    }
    await this.#until(() => false)
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
    if (this.#settleMs > 0) await delay(this.#settleMs)
  }

  /** Waits until it holds, or the reply is written, or for long. */
  async #until(holds: () => boolean): Promise<void> {
    const until = CLOCK.now() + (this.differences.length === 0 ? PATIENCE_MS : LESS_PATIENCE_MS)
    while (this.isOpen && !holds() && CLOCK.now() < until) await nextTurn()
  }
}
