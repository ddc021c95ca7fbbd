/** RECORD_DIR: which requests are recorded, and the files of those, within their bounds. */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { rename, unlink, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
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
/** All recordings that are open or wait to be written. What would take more is dropped. */
const MAX_HELD_BYTES = 64 * 1024 * 1024
/** A longer recording is dropped. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
/** What ends within so many ms gets one file. */
const TOGETHER_MS = 250
/** Drops are logged at most once in this many ms, but for the first of each of so many reasons. */
const LOG_EVERY_MS = 60_000
const MAX_REASONS = 32
/** Of the name of a file: its time, and its number. */
const FILE = /^swapgate-\d+-\d+\.jsonl$/
/** What decides replies. Others may hold what is the client's alone. */
const HEADERS =
  /^(accept-encoding|connection|content-(length|type)|expect|host|if-none-match|origin|sec-fetch-site|transfer-encoding|upgrade|x-request-id)$/i

interface RecordingsOptions {
  readonly config: Config
  readonly tapes: Tapes
  /** The time outside tapes. */
  readonly clock: Clock
  readonly log: Logger
  /** What the heads of all recordings have, as JSON. */
  readonly headOf: () => string
  readonly masked: (text: string) => string
}

interface File {
  readonly path: string
  readonly bytes: number
}

export class Recordings implements RequestTapes {
  readonly #options: RecordingsOptions
  readonly #files: File[]
  #bytes: number
  readonly #waiting: { readonly bytes: Buffer; readonly held: number }[] = []
  #writing: Promise<void> = Promise.resolve()
  #open = 0
  #held = 0
  #seen = 0
  #written = 0
  /** Requests that should have been recorded, and were not. */
  dropped = 0
  #loggedAt = Number.NEGATIVE_INFINITY
  readonly #reasons = new Set<string>()

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
    const { tapes, clock, masked, headOf, config } = this.#options
    this.#open++
    let held = 0
    const recorder = new Recorder(
      {
        tapes,
        clock,
        masked,
        hold: (bytes) => {
          held += bytes
          this.#held += bytes
          return held <= MAX_FILE_BYTES && this.#held <= MAX_HELD_BYTES
        },
        onEnd: (text, code) => {
          this.#open--
          const { error } = config.record
          if (error === null || error === code) this.#keep(text, held)
          else this.#held -= held
        },
        onDrop: (why) => {
          this.#open--
          this.#held -= held
          this.#drop(why)
        },
      },
      (at) =>
        `${headOf().slice(0, -1)},${JSON.stringify({ at, request: this.#requestOf(request) }).slice(1)}`,
    )
    tapes.run(recorder, () => serve(recorder))
  }

  #isMeant({ headers, url }: IncomingMessage): boolean {
    const { header, path, oneIn } = this.#options.config.record
    if (header !== null && headers[header] === undefined) return false
    if (path !== null && url!.split('?', 1)[0] !== path) return false
    return this.#seen++ % oneIn === 0
  }

  #requestOf({ method, url, rawHeaders }: IncomingMessage): Head['request'] {
    const headers = rawHeaders.filter((_, i) => HEADERS.test(rawHeaders[i - (i % 2)]!))
    return { method: method!, url: url!, headers }
  }

  #keep(text: string, held: number): void {
    this.#waiting.push({ bytes: Buffer.from(text), held })
    if (this.#waiting.length > 1) return
    this.#options.clock.after(TOGETHER_MS, () => void this.flush())
  }

  /** Writes what waits, into one file: a file costs more time than what is in it. */
  async flush(): Promise<void> {
    await this.#writing
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return this.#writing
    this.#writing = this.#write(Buffer.concat(waiting.map(({ bytes }) => bytes)), waiting.length)
    await this.#writing
    for (const { held } of waiting) this.#held -= held
  }

  async #write(bytes: Buffer, count: number): Promise<void> {
    const { config, clock } = this.#options
    const path = join(config.record.dir!, `swapgate-${clock.date()}-${++this.#written}.jsonl`)
    try {
      // A file is whole under its name.
      await writeFile(`${path}.part`, bytes, { mode: 0o600 })
      await rename(`${path}.part`, path)
      this.#files.push({ path, bytes: bytes.length })
      this.#bytes += bytes.length
      while (this.#bytes > config.record.maxMib * 1_048_576 && this.#files.length > 0) {
        const { path, bytes } = this.#files.shift()!
        this.#bytes -= bytes
        // Somebody else may have removed it.
        await unlink(path).catch(() => {})
      }
    } catch (error) {
      this.#drop(`a failure of RECORD_DIR: ${(error as NodeJS.ErrnoException).code}`, count)
    }
  }

  #drop(why: string, count = 1): void {
    this.dropped += count
    const { clock, log } = this.#options
    const isNew = this.#reasons.size < MAX_REASONS && !this.#reasons.has(why)
    if (!isNew && clock.now() - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = clock.now()
    if (isNew) this.#reasons.add(why)
    log.warn({ why: printable(why, 200), dropped: this.dropped }, 'requests were not recorded')
  }
}
