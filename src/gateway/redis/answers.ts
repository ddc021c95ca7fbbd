/**
 * Answers that instances share. If several instances need the same answer at one
 * time, one of them acquires a lease and asks upstream. The others poll every few
 * milliseconds for its answer, or for the end of its lease.
 *
 *   leader    ask ── lease ──── upstream ────┬── put, for as long as it serves
 *                      └─ held, held, ...    └── or a mark: not for others
 *   others    ask ── wait ── ask ── wait ── ask ── taken, or asked upstream by each
 *
 * An attacker who can write into Redis cannot put anything into a wallet: an
 * answer has a MAC over its question, its time and the configuration. An old
 * answer that is put back is recognized by its time.
 */
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { type Clock, sleep } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { Mac } from '../../runtime/mac.ts'
import type { AnswerAge, Codec, SharedAnswers, SharedCounts } from '../../upstream/answers/shared-answers.ts'
import { runScript, type ScriptStore } from './run-script.ts'
import { script } from './script.ts'

/** The version of what is written here and by the codecs: it changes with their format. */
const LAYOUT = 1
/**
 * How long others wait for a leader that has died. A live leader renews its lease three times in that
 * time.
 */
const LEASE_MS = 1_500
/** How long the mark `not for others` stays: every instance that waits looks within it. */
const MARK_MS = 250
/** The time between two looks: a tenth of the wait so far, within these. */
const LOOK_MS = { least: 5, most: 50 }
/** By how much the clocks of two instances may differ, ms. An answer that is put back later is not taken. */
export const MAX_SKEW_MS = 10_000
/** Texts from this length on are compressed. */
const COMPRESSED_FROM = 4_096
const MAX_TEXT = 16 * 1024 * 1024
const MAC_BYTES = 32
const MAC_CHARS = 43

/**
 * Acquires the lease if the key has no value, else reads the value. A value of another program is replaced by
 * the lease if it isn't a string, and gets the lease's TTL if it has none.
 * @returns `lease`, `replaced` if it replaced another value, `foreign` for a text that is too large, or the
 *          value and its TTL, ms
 */
const ASK = script(`
if redis.call('SET', KEYS[1], 'L' .. ARGV[1], 'NX', 'PX', ARGV[2]) then return { 'lease' } end
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then
  redis.call('SET', KEYS[1], 'L' .. ARGV[1], 'PX', ARGV[2])
  return { 'replaced' }
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if redis.call('STRLEN', KEYS[1]) > tonumber(ARGV[3]) then return { 'foreign' } end
return { redis.call('GET', KEYS[1]), left }
`)

/** Extends our lease to this many ms from now, 0 to end it, if it is still ours. */
const HOLD = script(`
if redis.pcall('GET', KEYS[1]) ~= 'L' .. ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** Replaces our lease with an answer or the mark; also if the lease has ended and there is no value. */
const PUT = script(`
local held = redis.pcall('GET', KEYS[1])
if held and held ~= 'L' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

const MARK = 'N'

/** Bounds of one kind of question. */
interface AnswerBounds {
  /** The longest a call lasts, ms: no instance waits longer for another's. */
  readonly callMs: number
  /** The longest value that is written. */
  readonly maxChars: number
}

interface RedisAnswersOptions {
  readonly store: ScriptStore
  /** Instances with the same secret take each other's answers. */
  readonly secret: string
  /**
   * What an answer depends on apart from its question, as text. Instances with the same text take each
   * other's answers.
   */
  readonly configuration: string
  readonly clock: Clock
  readonly log: Logger
  readonly leaseMs?: number
  readonly markMs?: number
}

export class RedisAnswers {
  readonly counts: SharedCounts = { taken: 0, put: 0, ignored: 0, tooLarge: 0 }
  readonly #options: RedisAnswersOptions
  readonly #mac: Mac

  constructor(options: RedisAnswersOptions) {
    this.#options = options
    this.#mac = Mac.for('answers that instances share', options.secret)
  }

  /** @param kind  the kind of question: each has its own keys */
  of<T>(kind: string, codec: Codec<T>, bounds: AnswerBounds): SharedAnswers<T> {
    const { store, configuration } = this.#options
    return new AnswersOfKind({
      ...this.#options,
      ...bounds,
      codec,
      counts: this.counts,
      mac: this.#mac,
      // Questions contain wallets, so the key is a MAC of the question.
      nameOf: (key) => {
        const question = JSON.stringify([LAYOUT, configuration, kind, key])
        return store.key(`answer:${this.#mac.of(question).toString('base64url')}`, kind)
      },
    })
  }
}

interface AnswersOfKindOptions<T> extends RedisAnswersOptions, AnswerBounds {
  readonly codec: Codec<T>
  readonly counts: SharedCounts
  readonly mac: Mac
  readonly nameOf: (key: string) => string
}

/** What Redis has under the key of a question. */
type FoundAnswer =
  | { readonly kind: 'lease' | 'wait' | 'none' | 'foreign' }
  | { readonly kind: 'answer'; readonly value: string; readonly leftMs: number }

class AnswersOfKind<T> implements SharedAnswers<T> {
  readonly #options: AnswersOfKindOptions<T>
  readonly #instance = randomBytes(12).toString('base64url')
  #leases = 0

  constructor(options: AnswersOfKindOptions<T>) {
    this.#options = options
  }

  async join(
    key: string,
    scope: CancellationScope,
    ask: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T> {
    const { clock, callMs, nameOf, counts } = this.#options
    const name = nameOf(key)
    const lease = `${this.#instance}.${++this.#leases}`
    const begunAt = clock.now()
    for (;;) {
      const found = await this.#ask(name, lease)
      if (found.kind === 'lease') return this.#lead(name, lease, scope, ask, keepMs)
      if (found.kind === 'answer') {
        const answer = await this.#open(name, found.value, found.leftMs)
        counts[answer === null ? 'ignored' : 'taken']++
        return answer ?? ask()
      }
      if (found.kind === 'foreign') counts.ignored++
      const waitedMs = clock.now() - begunAt
      if (found.kind !== 'wait' || waitedMs >= callMs) return ask()
      await sleep(this.#options.clock, Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, waitedMs / 10)))
      if (scope.isCancelled)
        throw new GatewayError(
          'upstream_timeout',
          'The call was cancelled: no request waits for it any more.',
        )
    }
  }

  async #ask(name: string, lease: string): Promise<FoundAnswer> {
    const { store, counts, maxChars, leaseMs = LEASE_MS } = this.#options
    const reply = await runScript(store, ASK, [name], [lease, String(leaseMs), String(maxChars)], listOf)
    if (reply === undefined) return { kind: 'none' }
    const [value, leftMs] = reply
    if (value === 'replaced') counts.ignored++
    if (value === 'lease' || value === 'replaced') return { kind: 'lease' }
    if (value === 'foreign') return { kind: 'foreign' }
    if (value === MARK) return { kind: 'none' }
    if (typeof value !== 'string' || typeof leftMs !== 'number') return { kind: 'foreign' }
    if (value.startsWith('L')) return { kind: 'wait' }
    return value.startsWith('A') ? { kind: 'answer', value, leftMs } : { kind: 'foreign' }
  }

  async #lead(
    name: string,
    lease: string,
    scope: CancellationScope,
    ask: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T> {
    const stopRenewing = this.#hold(name, lease)
    let answer: T | null = null
    try {
      answer = await ask()
      return answer
    } finally {
      stopRenewing()
      // The client left and cancelled the call: the next instance that asks makes it.
      if (scope.isCancelled)
        this.#inBackground(runScript(this.#options.store, HOLD, [name], [lease, '0'], numberOf))
      else this.#inBackground(this.#publish(name, lease, scope.isThrottled ? null : answer, keepMs))
    }
  }

  /** Renews the lease, for no longer than a call may last. @returns a function that ends the renewals */
  #hold(name: string, lease: string): () => void {
    const { store, clock, callMs, leaseMs = LEASE_MS } = this.#options
    let renewals = Math.ceil((callMs * 3) / leaseMs)
    let callOff: () => void
    const renew = (): void => {
      callOff = clock.after(leaseMs / 3, () => {
        this.#inBackground(runScript(store, HOLD, [name], [lease, String(leaseMs)], numberOf))
        if (--renewals > 0) renew()
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
    const { store, log, counts, clock, markMs = MARK_MS } = this.#options
    let value: string | null = null
    let ms = markMs
    try {
      const keepMs = answer === null ? 0 : Math.floor(keepMsOf(answer))
      const since = clock.now()
      if (keepMs > 0) value = await this.#seal(name, answer!, keepMs)
      // Compressing has used up some of the time for which the answer is valid.
      if (value !== null) ms = Math.max(1, Math.floor(keepMs - (clock.now() - since)))
    } catch (err) {
      log.error({ err }, 'fault')
    }
    if (value !== null) counts.put++
    await runScript(store, PUT, [name], [lease, value ?? MARK, String(ms)], numberOf)
  }

  /** A fault in it is logged, and ends nothing. */
  #inBackground(task: Promise<unknown>): void {
    task.catch((err: unknown) => this.#options.log.error({ err }, 'fault'))
  }

  /** @returns null if the answer is not for others, or too large */
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

  /** @returns null for a value that none of our instances recently put there for this question */
  async #open(name: string, value: string, leftMs: number): Promise<T | null> {
    const { codec, mac, clock, log } = this.#options
    const end = value.indexOf('\n', MAC_CHARS)
    const given = Buffer.from(value.slice(1, 1 + MAC_CHARS), 'base64url')
    const head = value.slice(1 + MAC_CHARS, end)
    const body = value.slice(end + 1)
    if (!mac.isOf(given, MAC_BYTES, name, '\n', head, '\n', body)) return null
    const age = ageOf(head, leftMs, clock.date())
    if (age === null) return null
    try {
      const text = head.startsWith('["deflate"') ? await unpacked(body) : body
      return codec.read(text, age)
    } catch (err) {
      // One of our instances wrote it, so a value that cannot be read is a bug.
      log.error({ err }, 'fault')
      return null
    }
  }
}

const listOf = (reply: unknown): readonly unknown[] | undefined => (Array.isArray(reply) ? reply : undefined)
const numberOf = (reply: unknown): number | undefined => (typeof reply === 'number' ? reply : undefined)

const pack = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

async function unpacked(body: string): Promise<string> {
  return (await unpack(Buffer.from(body, 'base64'), { maxOutputLength: MAX_TEXT * 4 })).toString()
}

/**
 * The age of an answer, by Redis's clock where possible, because all instances share that.
 * @param head    written by one of our instances
 * @param leftMs  how long the value stays, as Redis says, which may be wrong
 * @returns null for an answer that is too old, or if the clocks differ too much to tell
 */
function ageOf(head: string, leftMs: number, now: number): AnswerAge | null {
  const [, at, keepMs] = JSON.parse(head) as [string, number, number]
  const ageMs = keepMs - leftMs
  const skewMs = now - ageMs - at
  if (leftMs <= 0 || ageMs < 0 || Math.abs(skewMs) > MAX_SKEW_MS) return null
  return { ageMs, leftMs, skewMs }
}
