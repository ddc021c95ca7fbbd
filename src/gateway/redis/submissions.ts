/**
 * The leases of all instances on submissions: one short record for each
 * transaction, which expires a few seconds after its instance has renewed it last.
 *
 *   key    MAC(transaction)
 *   value  <token> held 0 <mac>          an instance is sending it
 *          <token> accepted 0 <mac>      a node took it, and it is sent again until it lands
 *          <token> released 4 <mac>      no node took it; an instance that waits may send it, with 4 retries
 *
 * Redis holds nothing else of a transaction. An attacker who can write into Redis
 * cannot make a wallet believe anything: a record without a MAC by the instances'
 * secret, over this transaction and this record, is ignored and overwritten.
 */
import { randomBytes } from 'node:crypto'
import type { Call } from '../../flow/call.ts'
import type { Lease, LeaseOutcome, Leases } from '../../relay/submissions/leases.ts'
import { type Clock, sleep } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import { runScript, type ScriptStore } from './run-script.ts'
import { script } from './script.ts'

/**
 * How long others wait for an instance that is silent. A live one renews its lease three times in that
 * time.
 */
const LEASE_MS = 3_000
/** The same once a node took the transaction, which is then sent again every two seconds. */
const ACCEPTED_MS = 5_000
/** How long the record `released` stays: every waiting instance checks within it. */
const RELEASED_MS = 1_000
/** The time between two checks, doubled from the first figure up to the last. */
const LOOK_MS = { first: 20, last: 160 }
/** How often a text that isn't one of our records is overwritten in one wait. */
const MAX_FOREIGN = 3
const MAC_BYTES = 16

/**
 * KEYS  the submission
 * ARGV  what the present text must begin with, if there is one ('': there must be
 *       none); the new text ('' deletes it), and how long it stays, ms
 *
 * @returns 1 if the text was replaced, else the present text
 */
const SWAP = script(`
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'table' then
  redis.call('DEL', KEYS[1])
elseif found and (ARGV[1] == '' or found:sub(1, #ARGV[1]) ~= ARGV[1]) then
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ${ACCEPTED_MS}) end
  return found
end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1
`)

type LeaseState = 'held' | 'accepted' | 'released'

interface LeaseRecord {
  readonly token: string
  readonly state: LeaseState
  readonly retries: number
}

const RECORD = /^([\w-]{22}) (held|accepted|released) (\d{1,4}) ([\w-]{22})$/

interface RedisLeasesOptions {
  readonly store: ScriptStore
  /** The same for all instances. */
  readonly secret: string
  readonly clock: Clock
  readonly leaseMs?: number
}

export class RedisLeases implements Leases {
  readonly #options: RedisLeasesOptions
  readonly #mac: Mac

  constructor(options: RedisLeasesOptions) {
    this.#options = options
    this.#mac = Mac.for('submissions on their way', options.secret)
  }

  async acquire(base64: string, call: Call, needsLease: boolean): Promise<LeaseOutcome> {
    const name = this.#mac.of(base64).toString('base64url')
    const { store, clock } = this.#options
    const lease = new RedisLease(this.#options, {
      name: store.key(name, 'submission'),
      recordOf: (token, state, retries) => this.#write(name, token, state, retries),
    })
    // The call's own clock may be that of a recording, which stands still meanwhile.
    const lateAt = clock.now() + call.leftMs
    let waitedFor: string | null = null
    let foreign = 0
    let lookMs = LOOK_MS.first
    /** The present text, which may be overwritten, and the retries left with it. */
    let replaceable = { text: '', retries: null as number | null }
    for (;;) {
      const found = needsLease ? await lease.acquire(replaceable.text) : await lease.look()
      // If Redis does not answer, there is no instance to wait for.
      if (typeof found !== 'string')
        return { kind: 'send', lease: needsLease ? lease : null, retries: replaceable.retries }
      const record = this.#read(name, found)
      if (record?.state === 'accepted') return { kind: 'accepted' }
      if (record?.state === 'held') {
        waitedFor = record.token
        replaceable = { text: '', retries: null }
        if (lateAt - clock.now() <= lookMs) return { kind: 'late' }
        await sleep(clock, lookMs)
        lookMs = Math.min(2 * lookMs, LOOK_MS.last)
        continue
      }
      if (!needsLease || (record === null && ++foreign > MAX_FOREIGN))
        return { kind: 'send', lease: null, retries: null }
      const isWaitedFor = record !== null && record.token === waitedFor
      if (isWaitedFor && record.retries === 0) return { kind: 'spent' }
      replaceable = { text: found, retries: isWaitedFor ? record.retries - 1 : null }
    }
  }

  #write(name: string, token: string, state: LeaseState, retries: number): string {
    const text = `${token} ${state} ${retries}`
    return `${text} ${this.#mac.of(`${name} ${text}`).subarray(0, MAC_BYTES).toString('base64url')}`
  }

  /** @returns null for a text that isn't one of our records */
  #read(name: string, text: string): LeaseRecord | null {
    const [, token, state, retries, mac] = RECORD.exec(text) ?? []
    if (mac === undefined) return null
    const signed = `${name} ${token} ${state} ${retries}`
    if (!this.#mac.isOf(Buffer.from(mac, 'base64url'), MAC_BYTES, signed)) return null
    return { token: token!, state: state as LeaseState, retries: Number(retries) }
  }
}

/** The key of a transaction's lease, and the records for it. */
interface LeaseKey {
  readonly name: string
  recordOf(token: string, state: LeaseState, retries: number): string
}

class RedisLease implements Lease {
  readonly #options: RedisLeasesOptions
  readonly #leaseMs: number
  readonly #key: LeaseKey
  readonly #token = randomBytes(16).toString('base64url')
  #callOff: () => void = () => {}
  #isOver = false

  constructor(options: RedisLeasesOptions, key: LeaseKey) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#key = key
  }

  /**
   * @param replaceable  a text that may be overwritten
   * @returns the present text if there is another, else no text: the lease is ours
   */
  async acquire(replaceable: string): Promise<string | 1 | undefined> {
    const found = await this.#swap(replaceable, 'held', this.#leaseMs)
    // Redis may have the lease although it did not answer.
    if (typeof found !== 'string') this.#hold()
    return found
  }

  /** @returns the present text; not a text if there is none */
  look(): Promise<string | 1 | undefined> {
    return runScript(this.#options.store, LOOK, [this.#key.name], [], textOrOne)
  }

  accepted(): void {
    this.#callOff()
    if (!this.#isOver) void this.#swap(this.#token, 'accepted', ACCEPTED_MS)
  }

  release(retriesLeft: number): void {
    this.#finish('released', retriesLeft)
  }

  end(): void {
    this.#finish(null, 0)
  }

  /** Renews the lease until its state changes. */
  #hold(): void {
    this.#callOff = this.#options.clock.after(this.#leaseMs / 3, () => {
      void this.#swap(this.#token, 'held', this.#leaseMs)
      this.#hold()
    })
  }

  #finish(state: LeaseState | null, retriesLeft: number): void {
    this.#callOff()
    if (this.#isOver) return
    this.#isOver = true
    void this.#swap(this.#token, state, RELEASED_MS, retriesLeft)
  }

  #swap(begins: string, state: LeaseState | null, ms: number, retries = 0): Promise<string | 1 | undefined> {
    const text = state === null ? '' : this.#key.recordOf(this.#token, state, retries)
    return runScript(this.#options.store, SWAP, [this.#key.name], [begins, text, String(ms)], textOrOne)
  }
}

const textOrOne = (reply: unknown): string | 1 | undefined =>
  typeof reply === 'string' || reply === 1 ? reply : undefined

const LOOK = script(`
local found = redis.pcall('GET', KEYS[1])
return type(found) == 'string' and found or 1
`)
