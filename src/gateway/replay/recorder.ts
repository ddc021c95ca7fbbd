/** The tape of a request that is recorded: see RECORD_DIR. */
import { type RequestTape, withoutClient } from '../../http/request/tape.ts'
import type { Clock } from '../../runtime/clock.ts'
import { encode, Unwritable, type WriteReferences, type Written } from './codec.ts'
import { BODY, type Moment, type RecordedReply, timerName } from './file.ts'
import type { Tapes, TimedTape } from './tapes.ts'

interface RecorderOptions {
  readonly tapes: Tapes
  /** The time outside tapes. */
  readonly clock: Clock
  /** A text without secrets. */
  readonly masked: (text: string) => string
  /** Called with the length of each line. @returns false if there is no room for it: the recording is dropped */
  readonly hold: (bytes: number) => boolean
  /** Called once. @param code  the reply's error code */
  readonly onEnd: (text: string, code: string | null) => void
  /** Called instead where it can't be replayed. */
  readonly onDrop: (why: string) => void
}

export class Recorder implements TimedTape, RequestTape {
  isOpen = true
  at: Moment
  readonly #options: RecorderOptions
  readonly #references: WriteReferences
  readonly #lines: string[] = []
  #client: string | null = null
  #count = 0
  #isTicked = false

  /** @param headOf  gives the head of a recording that begins then, as JSON */
  constructor(options: RecorderOptions, headOf: (at: Moment) => string) {
    const { tapes } = options
    this.#options = options
    this.#references = {
      nameOf: (object) => tapes.nameOf(object),
      promised: (promise, written) => {
        const number = this.#count++
        this.#settle(number, promise, written)
        return number
      },
    }
    this.at = this.#moment()
    this.#hold(headOf(this.at))
  }

  #moment(): Moment {
    const { clock } = this.#options
    return { now: clock.now(), date: clock.date() }
  }

  /** What arrives in one turn of the event loop has one time: in a replay it may arrive in other microtasks. */
  #tick(): void {
    if (this.#isTicked) return
    this.#isTicked = true
    this.at = this.#moment()
    setImmediate(() => {
      this.#isTicked = false
    })
  }

  value<T>(name: string, read: () => T): T {
    const n = this.#count++
    try {
      const made = this.#options.tapes.run(null, read)
      if (made instanceof Promise) {
        this.#write({ n, name, later: true })
        this.#settle(n, made, new Map())
      } else this.#write({ n, name }, 'value', made)
      return made
    } catch (error) {
      this.#write({ n, name }, 'error', error)
      throw error
    }
  }

  /** Writes how it settled, before what awaits it from now on goes on. */
  #settle(of: number, promise: Promise<unknown>, written: Written): void {
    promise.then(
      (value) => this.#goOn(of, 'value', value, written),
      (error) => this.#goOn(of, 'error', error, written),
    )
  }

  #goOn(of: number, key?: 'value' | 'error', read?: unknown, written?: Written): void {
    if (!this.isOpen) return
    this.#tick()
    this.#write({ of, at: this.at }, key, read, written)
  }

  after(ms: number, run: () => void): () => void {
    const n = this.#count++
    this.#write({ n, name: timerName(ms), later: true })
    const { clock, tapes } = this.#options
    return clock.after(ms, () => {
      this.#goOn(n)
      tapes.run(this, run)
    })
  }

  from(client: string): void {
    this.#client = client
  }

  received(body: Buffer, handle: () => void): void {
    if (this.isOpen) {
      this.#tick()
      this.#write({ n: this.#count++, name: BODY, at: this.at }, 'value', body)
    }
    this.#options.tapes.run(this, handle)
  }

  replied(status: number, headers: readonly string[], code: string | null, pieces: readonly Buffer[]): void {
    if (!this.isOpen) return
    this.#write({ reply: replyOf(status, headers, pieces) })
    if (!this.isOpen) return
    this.isOpen = false
    const text = `${this.#lines.join('\n')}\n`
    this.#options.onEnd(this.#options.masked(withoutClient(text, this.#client)), code)
  }

  drop(why: string): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.#options.onDrop(why)
  }

  #hold(line: string): void {
    if (this.#options.hold(line.length)) this.#lines.push(line)
    else this.drop('too much')
  }

  /** @param read  what was read, which the line has as its member `key` */
  #write(line: object, key?: 'value' | 'error', read?: unknown, written: Written = new Map()): void {
    if (!this.isOpen) return
    try {
      const whole = key === undefined ? line : { ...line, [key]: encode(read, written, this.#references) }
      this.#hold(JSON.stringify(whole))
    } catch (error) {
      // A request is served whatever its recording does.
      const why = error instanceof Unwritable ? error.message : 'a fault of the recorder'
      this.drop(`${why} in \`${JSON.stringify(line)}\``)
    }
  }
}

export function replyOf(
  status: number,
  headers: readonly string[],
  pieces: readonly Buffer[],
): RecordedReply {
  const bytes = Buffer.concat(pieces)
  const text = bytes.toString()
  const isBase64 = !Buffer.from(text).equals(bytes)
  return { status, headers, body: isBase64 ? bytes.toString('base64') : text, isBase64 }
}
