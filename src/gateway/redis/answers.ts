/**
 * Answers that instances share. Of those that ask the same at one time, one
 * takes a lease and asks upstream; the others look every few milliseconds
 * whether its answer is there, or its lease over.
 *
 *   leader    ask ── lease ──── upstream ────┬── put, for as long as it serves
 *                      └─ held, held, ...    └── or a mark: not for others
 *   others    ask ── wait ── ask ── wait ── ask ── taken, or asked upstream by each
 *
 * Who can write into the Redis in use puts nothing into a wallet by it: an
 * answer has a MAC over what it answers, when, and by which configuration. An
 * old one that is put back is found out by its time.
 */
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { Mac } from '../../runtime/mac.ts'
import type { AnswerAge, Codec, SharedAnswers, SharedCounts } from '../../upstream/shared-answers.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

/** Of what is written here and by the codecs: it changes when any of it changes its form. */
const LAYOUT = 1
/** How long the others wait for a leader that has died; one that lives renews it three times in that. */
const LEASE_MS = 1_500
/** How long it stands that an answer is not for others: all of those that wait look within it. */
const MARK_MS = 250
/** Between two looks: a tenth of what was waited already, within these. */
const LOOK_MS = { least: 5, most: 50 }
/** By how much the clocks of two instances may differ, ms; an answer that is put back later is not taken. */
export const MAX_SKEW_MS = 10_000
/** Texts from this length on are compressed. */
const COMPRESSED_FROM = 4_096
const MAX_TEXT = 16 * 1024 * 1024
const MAC_BYTES = 32
const MAC_CHARS = 43

/**
 * What is at the key, in one step with taking the lease where there is nothing.
 * @returns `lease`, `foreign` for what is too large or nothing of ours, or the value, with how long it stays, ms
 */
const ASK = script(`
if redis.call('SET', KEYS[1], 'L' .. ARGV[1], 'NX', 'PX', ARGV[2]) then return { 'lease' } end
if redis.call('TYPE', KEYS[1]).ok ~= 'string' or redis.call('STRLEN', KEYS[1]) > tonumber(ARGV[3]) then
  return { 'foreign' }
end
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }
`)

/** Has a lease stay for so many ms from now, 0 for none, where it is still ours. */
const HOLD = script(`
if redis.pcall('GET', KEYS[1]) ~= 'L' .. ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** Puts an answer, or the mark, in the place of our lease, or where there is nothing any more. */
const PUT = script(`
local held = redis.pcall('GET', KEYS[1])
if held and held ~= 'L' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

const MARK = 'N'

/** Bounds of one kind of question. */
export interface Bounds {
  /** How long a flight lasts at the longest, ms: nobody waits for another's any longer. */
  readonly flightMs: number
  /** What is written is not longer. */
  readonly maxChars: number
}

export interface RedisAnswersOptions {
  readonly store: Pick<Store, 'key' | 'run'>
  /** Which instances take each other's answers: those that have it. */
  readonly secret: string
  /** What an answer depends on beside its question, as text: instances take the answers of those where it is the same. */
  readonly configuration: string
  readonly clock: Clock
  readonly log: Logger
}

export class RedisAnswers {
  readonly counts: SharedCounts = { taken: 0, put: 0, ignored: 0, tooLarge: 0 }
  readonly #options: RedisAnswersOptions
  readonly #mac: Mac

  constructor(options: RedisAnswersOptions) {
    this.#options = options
    this.#mac = Mac.for('answers that instances share', options.secret)
  }

  /** @param kind  of question: each has its own */
  of<T>(kind: string, codec: Codec<T>, bounds: Bounds): SharedAnswers<T> {
    const { store, configuration } = this.#options
    return new Kind({
      ...this.#options,
      ...bounds,
      codec,
      counts: this.counts,
      mac: this.#mac,
      // Wallets stand in questions: the name says nothing of them.
      nameOf: (key) => {
        const question = JSON.stringify([LAYOUT, configuration, kind, key])
        return store.key(`answer:${this.#mac.of(question).toString('base64url')}`, kind)
      },
    })
  }
}

interface KindOptions<T> extends RedisAnswersOptions, Bounds {
  readonly codec: Codec<T>
  readonly counts: SharedCounts
  readonly mac: Mac
  readonly nameOf: (key: string) => string
}

/** What stands in Redis in the place of an answer. */
type Found =
  | { readonly kind: 'lease' | 'wait' | 'none' | 'foreign' }
  | { readonly kind: 'answer'; readonly value: string; readonly leftMs: number }

class Kind<T> implements SharedAnswers<T> {
  readonly #options: KindOptions<T>
  readonly #instance = randomBytes(12).toString('base64url')
  #leases = 0

  constructor(options: KindOptions<T>) {
    this.#options = options
  }

  async join(
    key: string,
    scope: CancellationScope,
    fly: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T> {
    const { clock, flightMs, nameOf, counts } = this.#options
    const name = nameOf(key)
    const lease = `${this.#instance}.${++this.#leases}`
    const begunAt = clock.now()
    for (;;) {
      const found = await this.#ask(name, lease)
      if (found.kind === 'lease') return this.#lead(name, lease, scope, fly, keepMs)
      if (found.kind === 'answer') {
        const answer = await this.#open(name, found.value, found.leftMs)
        counts[answer === null ? 'ignored' : 'taken']++
        return answer ?? fly()
      }
      if (found.kind === 'foreign') counts.ignored++
      const waitedMs = clock.now() - begunAt
      if (found.kind !== 'wait' || waitedMs >= flightMs) return fly()
      await this.#pause(Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, waitedMs / 10)))
      if (scope.isCancelled) throw new GatewayError('upstream_timeout', 'Nobody waits for it any more.')
    }
  }

  async #ask(name: string, lease: string): Promise<Found> {
    const { store, maxChars } = this.#options
    const reply = await store.run(ASK, [name], [lease, String(LEASE_MS), String(maxChars)])
    if (!Array.isArray(reply)) return { kind: 'none' }
    const [value, leftMs] = reply as unknown[]
    if (value === 'lease' || value === 'foreign') return { kind: value }
    if (value === MARK) return { kind: 'none' }
    if (typeof value !== 'string' || typeof leftMs !== 'number') return { kind: 'foreign' }
    if (value.startsWith('L')) return { kind: 'wait' }
    return value.startsWith('A') ? { kind: 'answer', value, leftMs } : { kind: 'foreign' }
  }

  async #lead(
    name: string,
    lease: string,
    scope: CancellationScope,
    fly: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T> {
    const letGo = this.#hold(name, lease)
    let answer: T | null = null
    try {
      answer = await fly()
      return answer
    } finally {
      letGo()
      // What a client who left gave up is for the next who asks.
      if (scope.isCancelled) void this.#options.store.run(HOLD, [name], [lease, '0'])
      else void this.#publish(name, lease, scope.isThrottled ? null : answer, keepMs)
    }
  }

  /** Renews the lease, for no longer than a flight may last. @returns ends it */
  #hold(name: string, lease: string): () => void {
    const { store, clock, flightMs } = this.#options
    let turns = Math.ceil((flightMs * 3) / LEASE_MS)
    let callOff: () => void
    const renew = (): void => {
      callOff = clock.after(LEASE_MS / 3, () => {
        void store.run(HOLD, [name], [lease, String(LEASE_MS)])
        if (--turns > 0) renew()
      })
    }
    renew()
    return () => callOff()
  }

  async #publish(
    name: string,
    lease: string,
    answer: T | null,
    keepMsOf: (answer: T) => number,
  ): Promise<void> {
    const { store, log, counts, clock } = this.#options
    let value: string | null = null
    let ms = MARK_MS
    try {
      const keepMs = answer === null ? 0 : Math.floor(keepMsOf(answer))
      const since = clock.now()
      if (keepMs > 0) value = await this.#seal(name, answer!, keepMs)
      // Compressing took a part of the time for which it serves.
      if (value !== null) ms = Math.max(1, Math.floor(keepMs - (clock.now() - since)))
    } catch (err) {
      log.error({ err }, 'fault')
    }
    if (value !== null) counts.put++
    await store.run(PUT, [name], [lease, value ?? MARK, String(ms)])
  }

  /** @returns null where it is not for others, or too large */
  async #seal(name: string, answer: T, keepMs: number): Promise<string | null> {
    const { codec, clock, mac, maxChars, counts } = this.#options
    const text = codec.write(answer)
    if (text === null) return null
    const isPacked = text.length >= COMPRESSED_FROM && text.length <= MAX_TEXT
    const body = isPacked ? (await pack(Buffer.from(text), { level: 1 })).toString('base64') : text
    const head = JSON.stringify([isPacked ? 'deflate' : 'plain', clock.date(), keepMs])
    const value = `A${mac.of(name, '\n', head, '\n', body).toString('base64url')}${head}\n${body}`
    if (Buffer.byteLength(value) <= maxChars) return value
    counts.tooLarge++
    return null
  }

  /** @returns null for what no instance of ours has put there for this question, lately */
  async #open(name: string, value: string, leftMs: number): Promise<T | null> {
    const { codec, mac, clock, log } = this.#options
    const end = value.indexOf('\n', MAC_CHARS)
    const given = Buffer.from(value.slice(1, 1 + MAC_CHARS), 'base64url')
    const head = value.slice(1 + MAC_CHARS, end)
    const body = value.slice(end + 1)
    if (end === -1 || !mac.isOf(given, MAC_BYTES, name, '\n', head, '\n', body)) return null
    const told = toldBy(head, leftMs, clock.date())
    if (told === null) return null
    try {
      const text = head.startsWith('["deflate"') ? await unpacked(body) : body
      return codec.read(text, told)
    } catch (err) {
      // An instance of ours wrote it: that it cannot be read is a fault.
      log.error({ err }, 'fault')
      return null
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve))
  }
}

const pack = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

async function unpacked(body: string): Promise<string> {
  return (await unpack(Buffer.from(body, 'base64'), { maxOutputLength: MAX_TEXT * 4 })).toString()
}

/**
 * Times by Redis's clock where that will do, which all instances share: how long a value still stays.
 * @param head    of an instance of ours
 * @param leftMs  as Redis tells it, which may be wrong
 * @returns null for an answer that is older than it may be, or where the clocks differ too much to tell
 */
function toldBy(head: string, leftMs: number, now: number): AnswerAge | null {
  const [, at, keepMs] = JSON.parse(head) as [string, number, number]
  const ageMs = keepMs - leftMs
  const skewMs = now - ageMs - at
  if (leftMs <= 0 || ageMs < 0 || Math.abs(skewMs) > MAX_SKEW_MS) return null
  return { ageMs, leftMs, skewMs }
}
