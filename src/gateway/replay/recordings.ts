/** RECORD_DIR: which requests are recorded, and the files of those, within their bounds. */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { rename, unlink, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import type { RequestTape, RequestTapes } from '../../http/request/tape.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { printable } from '../../runtime/shown.ts'
import type { Head } from './file.ts'
import { Recorder } from './recorder.ts'
import type { Tapes } from './tapes.ts'

/** Requests that are recorded at once; others aren't recorded meanwhile. */
const MAX_OPEN = 64
/** Files that wait to be written; further ones are dropped. */
const MAX_WAITING = 64
/** A longer recording is dropped. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
/** Drops for one reason are logged at most once in this many ms. */
const LOG_EVERY_MS = 60_000
/** Of the name of a file: its time, and its number. */
const FILE = /^swapgate-\d+-\d+-\d+\.jsonl$/
/** They may hold what is the client's alone. */
const LEFT_OUT = /^(authorization|cookie|forwarded|proxy-.*|x-forwarded-.*|x-real-ip|cf-.*|true-client-ip)$/

interface RecordingsOptions {
  readonly config: Config
  readonly tapes: Tapes
  /** The time outside tapes. */
  readonly clock: Clock
  readonly log: Logger
  readonly headOf: () => Omit<Head, 'at' | 'request'>
  readonly reveals: (text: string) => boolean
}

interface File {
  readonly path: string
  readonly bytes: number
}

export class Recordings implements RequestTapes {
  readonly #options: RecordingsOptions
  readonly #files: File[]
  #bytes: number
  #open = 0
  #waiting = 0
  #seen = 0
  #written = 0
  #dropped = 0
  #loggedAt = Number.NEGATIVE_INFINITY
  #lastWhy = ''

  /** @throws Error  if the folder can be neither read nor made */
  constructor(options: RecordingsOptions) {
    this.#options = options
    const dir = options.config.record.dir!
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const names = readdirSync(dir).filter((name) => FILE.test(name))
    const paths = names.sort().map((name) => join(dir, name))
    this.#files = paths.map((path) => ({ path, bytes: statSync(path).size }))
    this.#bytes = this.#files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  serve(request: IncomingMessage, serve: (tape: RequestTape | null) => void): void {
    const isMeant = this.#isMeant(request)
    if (isMeant && this.#open < MAX_OPEN) this.#record(request, serve)
    else {
      if (isMeant) this.#drop('as many requests are recorded as may be at once')
      serve(null)
    }
  }

  #record(request: IncomingMessage, serve: (tape: RequestTape) => void): void {
    const { tapes, clock, reveals, headOf, config } = this.#options
    this.#open++
    const recorder = new Recorder(
      {
        tapes,
        clock,
        reveals,
        maxBytes: MAX_FILE_BYTES,
        onEnd: (lines, code) => {
          this.#open--
          const { error } = config.record.filter
          if (error === null || error === code) void this.#keep(lines)
        },
        onDrop: (why) => {
          this.#open--
          this.#drop(why)
        },
      },
      (at) => ({ ...headOf(), at, request: this.#requestOf(request) }),
    )
    tapes.run(recorder, () => serve(recorder))
  }

  #isMeant({ headers, url }: IncomingMessage): boolean {
    const { header, route, oneIn } = this.#options.config.record.filter
    if (header !== null && headers[header.name] !== header.value) return false
    if (route !== null && url!.split('?', 1)[0] !== route) return false
    return this.#seen++ % oneIn === 0
  }

  #requestOf({ method, url, rawHeaders }: IncomingMessage): Head['request'] {
    const { config } = this.#options
    const own = [config.clientAddressHeader, config.record.filter.header?.name]
    const isLeftOut = (name: string): boolean => LEFT_OUT.test(name) || own.includes(name)
    const headers = rawHeaders.filter((_, i) => !isLeftOut(rawHeaders[i - (i % 2)]!.toLowerCase()))
    return { method: method!, url: url!, headers }
  }

  async #keep(lines: readonly string[]): Promise<void> {
    if (this.#waiting === MAX_WAITING) return this.#drop('the disk is slow')
    const { config, clock, log } = this.#options
    const number = ++this.#written
    const name = `swapgate-${clock.date()}-${threadId}-${number}.jsonl`
    const path = join(config.record.dir!, name)
    const text = `${lines.join('\n')}\n`
    this.#waiting++
    try {
      // A file is whole under its name.
      await writeFile(`${path}.part`, text, { mode: 0o600 })
      await rename(`${path}.part`, path)
      this.#files.push({ path, bytes: Buffer.byteLength(text) })
      this.#bytes += this.#files.at(-1)!.bytes
      while (this.#bytes > config.record.maxBytes && this.#files.length > 0) {
        const { path, bytes } = this.#files.shift()!
        this.#bytes -= bytes
        await unlink(path)
      }
    } catch (err) {
      log.error({ err }, 'a recording could not be written to RECORD_DIR')
    } finally {
      this.#waiting--
    }
  }

  #drop(why: string): void {
    this.#dropped++
    const { clock, log } = this.#options
    if (why === this.#lastWhy && clock.now() - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = clock.now()
    this.#lastWhy = why
    log.warn({ why: printable(why, 200), dropped: this.#dropped }, 'requests were not recorded')
  }
}
