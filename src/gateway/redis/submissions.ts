/**
 * Which transactions are on their way, for all instances: one short text for
 * each, which ends by itself a few seconds after its instance has said so last.
 *
 *   key    MAC(transaction)
 *   value  <token> held 0 <mac>          an instance is sending it
 *          <token> accepted 0 <mac>      a node took it, and it is sent again until it lands
 *          <token> released 4 <mac>      no node took it; who waited may send it, with 4 retries
 *
 * Nothing else of a transaction is in Redis. Who can write there can tell a
 * wallet nothing by it: what has no MAC of the instances' own secret, over this
 * transaction and this word, counts for nothing and is written over.
 */
import { randomBytes } from 'node:crypto'
import type { Lease, LeaseOutcome, Leases, LeaseTerms } from '../../relay/leases.ts'
import { type Clock, countdown } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

/** How long an instance is waited for that says nothing; one that lives says so three times in that. */
const LEASE_MS = 3_000
/** The same once a node took it: what is sent again is so every two seconds. */
const ACCEPTED_MS = 5_000
/** How long it stands that no node took it: all that wait look within it. */
const RELEASED_MS = 1_000
/** Between two looks: the first figure is doubled up to the second. */
const LOOK_MS = { first: 20, last: 160 }
/** Texts in the place of a turn that are none of ours, written over at most so often. */
const MAX_FOREIGN = 3
const MAC_BYTES = 16

/**
 * KEYS  the submission
 * ARGV  what its text has to begin with, if there is one ('' for none); the new
 *       text ('' for none), and how long it stands, ms
 *
 * @returns 1 where it was put there, else what is there
 */
const SWAP = script(`
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'table' then
  redis.call('DEL', KEYS[1])
elseif found and (ARGV[1] == '' or found:sub(1, #ARGV[1]) ~= ARGV[1]) then
  return found
end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1
`)

type State = 'held' | 'accepted' | 'released'

interface Word {
  readonly token: string
  readonly state: State
  readonly retries: number
}

const WORD = /^([\w-]{22}) (held|accepted|released) (\d{1,4}) ([\w-]{22})$/

export interface RedisLeasesOptions {
  readonly store: Pick<Store, 'key' | 'run'>
  /** The same for all instances. */
  readonly secret: string
  readonly clock: Clock
  readonly leaseMs?: number
}

export class RedisLeases implements Leases {
  readonly #store: Pick<Store, 'key' | 'run'>
  readonly #mac: Mac
  readonly #clock: Clock
  readonly #leaseMs: number

  constructor({ store, secret, clock, leaseMs = LEASE_MS }: RedisLeasesOptions) {
    this.#store = store
    this.#mac = Mac.for('submissions on their way', secret)
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  async acquire(base64: string, { deadlineMs, needsLease }: LeaseTerms): Promise<LeaseOutcome> {
    const leftMs = countdown(this.#clock, deadlineMs)
    const name = this.#mac.of(base64).toString('base64url')
    const lease = new RedisLease(this.#store, this.#clock, this.#leaseMs, {
      key: this.#store.key(name, 'submission'),
      wordOf: (token, state, retries) => this.#write(name, token, state, retries),
    })
    let waitedFor: string | null = null
    let foreign = 0
    let lookMs = LOOK_MS.first
    /** What is there and may be written over, and the retries that come with it. */
    let taken = { text: '', retries: null as number | null }
    for (;;) {
      const found = needsLease ? await lease.acquire(taken.text) : await lease.look()
      // Where there is no answer nobody is waited for.
      if (typeof found !== 'string')
        return { kind: 'send', lease: needsLease ? lease : null, retries: taken.retries }
      const word = this.#read(name, found)
      if (word?.state === 'accepted') return { kind: 'accepted' }
      if (word?.state === 'held') {
        waitedFor = word.token
        taken = { text: '', retries: null }
        if (leftMs() <= lookMs) return { kind: 'late' }
        await this.#pause(lookMs)
        lookMs = Math.min(2 * lookMs, LOOK_MS.last)
        continue
      }
      if (!needsLease || (word === null && ++foreign > MAX_FOREIGN))
        return { kind: 'send', lease: null, retries: null }
      const isWaitedFor = word !== null && word.token === waitedFor
      if (isWaitedFor && word.retries === 0) return { kind: 'spent' }
      taken = { text: found, retries: isWaitedFor ? word.retries - 1 : null }
    }
  }

  #write(name: string, token: string, state: State, retries: number): string {
    const text = `${token} ${state} ${retries}`
    return `${text} ${this.#mac.of(`${name} ${text}`).subarray(0, MAC_BYTES).toString('base64url')}`
  }

  /** @returns null for what is none of ours */
  #read(name: string, text: string): Word | null {
    const [, token, state, retries, mac] = WORD.exec(text) ?? []
    if (mac === undefined) return null
    const said = `${name} ${token} ${state} ${retries}`
    if (!this.#mac.isOf(Buffer.from(mac, 'base64url'), MAC_BYTES, said)) return null
    return { token: token!, state: state as State, retries: Number(retries) }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve))
  }
}

interface Place {
  readonly key: string
  wordOf(token: string, state: State, retries: number): string
}

class RedisLease implements Lease {
  readonly #store: Pick<Store, 'run'>
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #place: Place
  readonly #token = randomBytes(16).toString('base64url')
  #callOff: () => void = () => {}
  #isOver = false

  constructor(store: Pick<Store, 'run'>, clock: Clock, leaseMs: number, place: Place) {
    this.#store = store
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#place = place
  }

  /** @param over  a text that may be written over @returns a text where there is another, null where it is ours now */
  async acquire(over: string): Promise<unknown> {
    const found = await this.#swap(over, 'held', this.#leaseMs)
    // Without an answer it may be there all the same.
    if (typeof found !== 'string') this.#hold()
    return found
  }

  /** @returns what is there; not a text where nothing is */
  look(): Promise<unknown> {
    return this.#store.run(LOOK, [this.#place.key], [])
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

  /** Says that it is still sending, until something else is to be said. */
  #hold(): void {
    this.#callOff = this.#clock.after(this.#leaseMs / 3, () => {
      void this.#swap(this.#token, 'held', this.#leaseMs)
      this.#hold()
    })
  }

  #finish(state: State | null, retriesLeft: number): void {
    this.#callOff()
    if (this.#isOver) return
    this.#isOver = true
    void this.#swap(this.#token, state, RELEASED_MS, retriesLeft)
  }

  #swap(begins: string, state: State | null, ms: number, retries = 0): Promise<unknown> {
    const text = state === null ? '' : this.#place.wordOf(this.#token, state, retries)
    return this.#store.run(SWAP, [this.#place.key], [begins, text, String(ms)])
  }
}

const LOOK = script(`
local found = redis.pcall('GET', KEYS[1])
return type(found) == 'string' and found or 1
`)
