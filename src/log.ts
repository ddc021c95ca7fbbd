/**
 * pino, wired once: JSON lines on stdout, ids and outcomes. Of what a caller
 * sent only an order whose material was refused stands in them, all of it
 * public; nothing that an operator configured as a URL or key ever does.
 * On a terminal the same lines are written for people, see terminal.ts.
 */
import { type DestinationStream, type Logger, pino } from 'pino'
import { forPeople } from './terminal.ts'

export type { Logger }

const BUFFER_CHARACTERS = 4_096
const FLUSH_MS = 200

/**
 * Lines gathered into few writes, because standard output is written
 * synchronously. pino's own buffering destination measures its whole buffer
 * again at each line (bench: GET /api/chains, where the gateway logs and bare
 * node:http does not).
 */
class StdoutBuffer implements DestinationStream {
  #text = ''
  #timer: NodeJS.Timeout | null = null

  write(line: string): void {
    this.#text += line
    if (this.#text.length >= BUFFER_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#text === '') return
    process.stdout.write(this.#text)
    this.#text = ''
  }
}

export interface OwnLogger {
  readonly log: Logger
  /** Writes what is still held back; before the process ends, and where somebody waits for a line. */
  flush(): void
}

/** Logs to standard output: JSON lines, or what people read where that is a terminal. */
export function createLogger(level: string): OwnLogger {
  if (process.stdout.isTTY) {
    const terminal = { write: (line: string) => void process.stdout.write(forPeople(line)) }
    return { log: loggerTo(terminal, level), flush: () => {} }
  }
  const buffer = new StdoutBuffer()
  return { log: loggerTo(buffer, level), flush: () => buffer.flush() }
}

/** @param stream  where the lines go, one write each */
export function loggerTo(stream: DestinationStream, level: string): Logger {
  return pino({ level, base: null }, stream)
}
