/**
 * pino, wired once: JSON lines on stdout, ids and outcomes. Of what a caller
 * sent only an order whose material was refused stands in them, all of it
 * public; nothing that an operator configured as a URL or key ever does.
 * On a terminal the same lines are written for people, see terminal.ts.
 */
import type { Writable } from 'node:stream'
import { type DestinationStream, type Logger, pino } from 'pino'
import { forPeople } from './terminal.ts'

export type { Logger }

const BUFFER_CHARACTERS = 4_096
const FLUSH_MS = 200
const END_PATIENCE_MS = 1_000
/** What is kept for a reader that stalls: some twenty thousand requests. */
const MAX_HELD = 4 * 1024 * 1024

/**
 * Lines gathered into few writes, because files are written synchronously.
 * pino's own buffering destination measures its whole buffer again at each line
 * (bench: GET /api/chains, where the gateway logs and bare node:http does not).
 *
 * Pipes are written without waiting, and what their reader does not take stays
 * in the stream. Beyond a bound new lines are dropped and counted instead, and
 * so are those of a write that fails: a closed pipe, a full disk. Each write
 * tries anew, as either may be mended.
 */
export class LogBuffer implements DestinationStream {
  /** The reader has taken all that was held: it is told what it missed, in one line. */
  onCaughtUp: (dropped: number) => void = () => {}
  readonly #out: Writable
  readonly #maxHeld: number
  #text = ''
  #lines = 0
  #timer: NodeJS.Timeout | null = null
  #dropped = 0
  #told = 0

  constructor(out: Writable, maxHeld: number = MAX_HELD) {
    this.#out = out
    this.#maxHeld = maxHeld
    // Every write hears of its own failure; unheard, the event would end the process.
    out.on('error', () => {})
  }

  /** Lines that nobody will read. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#out.writableLength + this.#text.length + line.length > this.#maxHeld) {
      this.#dropped++
      return
    }
    this.#text += line
    this.#lines++
    if (this.#text.length >= BUFFER_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#text === '') return
    const lines = this.#lines
    this.#out.write(this.#text, (error) => this.#onWritten(error ? lines : 0))
    this.#text = ''
    this.#lines = 0
  }

  /** Writes what is held, and waits for the reader of all of it as long as that. */
  async end(patienceMs: number): Promise<void> {
    this.flush()
    if (this.#out.writableLength === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      this.#out.write('', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #onWritten(lost: number): void {
    this.#dropped += lost
    if (lost > 0 || this.#dropped === this.#told || this.#out.writableLength > 0) return
    const missed = this.#dropped - this.#told
    this.#told = this.#dropped
    this.onCaughtUp(missed)
  }
}

interface ServiceLogger {
  readonly log: Logger
  /** Writes what is still held back; where the process dies, and where somebody waits for a line. */
  flush(): void
  /** The same before the process ends: what a slow reader has not taken by then is waited for, for a second. */
  end(): Promise<void>
  /** How many lines nobody will read, because standard output was not read or could not be written. */
  dropped(): number
}

/** Logs to standard output: JSON lines, or what people read where that is a terminal. */
export function createLogger(level: string): ServiceLogger {
  const buffer = new LogBuffer(process.stdout)
  const terminal = {
    write(line: string) {
      buffer.write(forPeople(line))
      buffer.flush()
    },
  }
  const log = loggerTo(process.stdout.isTTY ? terminal : buffer, level)
  buffer.onCaughtUp = (lines) => log.error({ lines }, 'log lines were dropped: nobody took them in time')
  return {
    log,
    flush: () => buffer.flush(),
    end: () => buffer.end(END_PATIENCE_MS),
    dropped: () => buffer.dropped,
  }
}

/** @param stream  where the lines go, one write each */
export function loggerTo(stream: DestinationStream, level: string): Logger {
  return pino({ level, base: null }, stream)
}
