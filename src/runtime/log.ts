/**
 * The log: pino, writing JSON lines with ids and outcomes to stdout. Lines repeat nothing that a client sent,
 * except an order whose material was refused, which is public; and never a URL or key of the configuration.
 * On a terminal the same lines can be formatted for people: see config/terminal.ts.
 */
import type { Writable } from 'node:stream'
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

const BUFFER_CHARACTERS = 4_096
const FLUSH_MS = 200
const END_PATIENCE_MS = 1_000
/** Characters kept for a reader that stalls: the lines of about twenty thousand requests. */
const MAX_BUFFERED = 4 * 1024 * 1024

/**
 * Gathers lines into few writes, because writes to files are synchronous. pino's own buffering destination
 * measures its whole buffer again for each line (bench: GET /api/chains, where the gateway logs and bare
 * node:http does not).
 *
 * Pipes are written without waiting; bytes that the reader does not take stay in the stream. Beyond a bound,
 * new lines are dropped and counted. So are the lines of a write that fails, as on a closed pipe or a full
 * disk. The next write tries again, because either may recover.
 */
export class LogBuffer implements DestinationStream {
  /** Called when the reader has caught up, with the number of lines dropped in the meantime. */
  onCaughtUp: (dropped: number) => void = () => {}
  readonly #out: Writable
  readonly #maxBuffered: number
  #text = ''
  #lines = 0
  #timer: NodeJS.Timeout | null = null
  #dropped = 0
  #reported = 0

  constructor(out: Writable, maxBuffered: number = MAX_BUFFERED) {
    this.#out = out
    this.#maxBuffered = maxBuffered
    // Each write's callback gets its own failure; without a listener the event would end the process.
    out.on('error', () => {})
  }

  /** How many lines were lost. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#out.writableLength + this.#text.length + line.length > this.#maxBuffered) {
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

  /** Writes the buffer, and waits at most `patienceMs` until the reader has taken all of it. */
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
    if (lost > 0 || this.#dropped === this.#reported || this.#out.writableLength > 0) return
    const missed = this.#dropped - this.#reported
    this.#reported = this.#dropped
    this.onCaughtUp(missed)
  }
}

interface LoggerOptions {
  readonly logLevel: string
  /** As pino writes levels and times, or by their names. */
  readonly logFormat?: 'json' | 'names'
  /** Formats a line, with its end, if standard output is a terminal. */
  readonly forPeople?: (json: string) => string
  /** Whether it is: only the main thread can tell. */
  readonly isTerminal?: boolean
}

/** Logs to standard output, as JSON lines. */
export function createLogger(options: LoggerOptions) {
  const { logLevel, logFormat, forPeople, isTerminal = process.stdout.isTTY } = options
  const buffer = new LogBuffer(process.stdout)
  const terminal = forPeople && {
    write(line: string) {
      buffer.write(forPeople(line))
      buffer.flush()
    },
  }
  const named = { write: (line: string) => buffer.write(withNames(line)) }
  const log = loggerTo(isTerminal && terminal ? terminal : logFormat === 'names' ? named : buffer, logLevel)
  buffer.onCaughtUp = (lines) =>
    log.error({ lines }, 'log lines were dropped: standard output was not read in time')
  return {
    log,
    /** Writes the buffer at once: before the process dies, and when a line is waited for. */
    flush: () => buffer.flush(),
    /** Flushes before the process ends, and waits for a slow reader. */
    end: (patienceMs = END_PATIENCE_MS) => buffer.end(patienceMs),
    /** How many lines were lost, because standard output was not read or could not be written. */
    dropped: () => buffer.dropped,
  }
}

/** The line with its level by name, and its time by ISO 8601. */
const withNames = (line: string): string =>
  line.replace(/^\{"level":(\d+),"time":(\d+)/, (_all, level: string, time: string) => {
    const name = pino.levels.labels[Number(level)] ?? level
    return `{"level":"${name}","time":"${new Date(Number(time)).toISOString()}"`
  })

/** @param stream  receives one write per line */
export function loggerTo(stream: DestinationStream, level: string): Logger {
  return pino({ level, base: null }, stream)
}
