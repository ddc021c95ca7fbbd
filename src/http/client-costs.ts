/**
 * What each client cost recently, in processor time. What a request certainly costs is charged as it becomes known:
 * its calls, its bytes and the time for which its route computed. What the thread used beyond that is charged at the
 * end of a window, evenly to all requests that were under way.
 */
import type { Client } from '../runtime/cancellation.ts'

/** The least processor time of a request that is answered, and of a call to an upstream, ms (bench: a relayed read). */
export const REQUEST_MS = 0.1
/** What a request costs at most beyond what is known of it, ms: the gateway has work of its own. */
const MAX_REQUEST_MS = 5
/** Of a refusal, ms. */
const REFUSAL_MS = 0.03
/** Of a mebibyte that is read or written, ms: it is copied, scanned and handed to the kernel. */
const MEBIBYTE_MS = 4
/** The part of a cost that a window of 100 ms leaves: half of it is from the last 300 ms. */
export const KEPT = 0.8

/** What one client cost, ms. */
class Account {
  /** Before this window, fading. */
  pastMs = 0
  windowMs = 0
  /** Requests under way. */
  open = 0
  /** Requests that were under way in this window. */
  served = 0
  /** Requests, those that were refused included; fading. */
  asked = 0

  get ms(): number {
    return this.pastMs + this.windowMs
  }
}

export class ClientCosts {
  readonly #accounts = new Map<Client, Account>()
  /** Requests under way. */
  #open = 0
  #admitted = 0
  /** What the thread used recently, ms, and the requests that were admitted meanwhile. */
  #recentMs = 0
  #recent = 0

  /** How many clients are counted now. */
  get clients(): number {
    return this.#accounts.size
  }

  /** What a request cost recently, ms. */
  get requestMs(): number {
    if (this.#recent === 0) return REQUEST_MS
    return Math.min(MAX_REQUEST_MS, Math.max(REQUEST_MS, this.#recentMs / this.#recent))
  }

  /** How long what is under way takes the thread, ms. */
  get underWayMs(): number {
    return this.#open * this.requestMs
  }

  /** What a client cost recently, ms. */
  of(client: Client): number {
    return this.#accounts.get(client)?.ms ?? 0
  }

  /** How many requests a client sent recently. */
  askedBy(client: Client): number {
    return this.#accounts.get(client)?.asked ?? 0
  }

  /** A request of the client is admitted. */
  begin(client: Client): void {
    this.#admitted++
    this.#open++
    const account = this.#accountOf(client)
    account.open++
    account.served++
    account.asked++
    account.windowMs += REQUEST_MS
  }

  /**
   * A request that was admitted is over.
   * @param calls  to upstreams that were made for it
   * @param bytes  of its body and its reply
   */
  end(client: Client, calls: number, bytes: number): void {
    const account = this.#accounts.get(client)
    if (account === undefined || account.open === 0) return
    this.#open--
    account.open--
    account.windowMs += workMs(calls, bytes)
  }

  /** Charges work beyond that of a request, such as that for what a WebSocket waits for. */
  charge(client: Client, calls: number, bytes: number): void {
    this.work(client, workMs(calls, bytes))
  }

  /** Charges a refusal. */
  refuse(client: Client): void {
    const account = this.#accountOf(client)
    account.asked++
    account.windowMs += REFUSAL_MS
  }

  /** Charges processor time that was measured. */
  work(client: Client, ms: number): void {
    this.#accountOf(client).windowMs += ms
  }

  /** Ends a window. @param cpuMs  what the thread used in it  @param kept  the part of all costs that is left */
  endWindow(cpuMs: number, kept: number): void {
    let restMs = cpuMs
    let served = 0
    for (const account of this.#accounts.values()) {
      restMs -= account.windowMs
      served += account.served
    }
    const eachMs = served === 0 ? 0 : Math.min(MAX_REQUEST_MS, Math.max(0, restMs / served))
    for (const [client, account] of this.#accounts) {
      account.pastMs = (account.ms + eachMs * account.served) * kept
      account.windowMs = 0
      account.served = account.open
      account.asked *= kept
      if (account.pastMs < REQUEST_MS / 10 && account.open === 0) this.#accounts.delete(client)
    }
    this.#recentMs = (this.#recentMs + cpuMs) * kept
    this.#recent = (this.#recent + this.#admitted) * kept
    this.#admitted = 0
  }

  /** What the median client cost, ms; of two, the one that cost less. 0 for a client alone. */
  medianMs(): number {
    const all = Float64Array.from(this.#accounts.values(), ({ ms }) => ms).sort()
    return all.length < 2 ? 0 : all[(all.length - 1) >> 1]!
  }

  /** The part of all costs that clients above this cost have, 0 to 1. */
  partAbove(ms: number): number {
    let above = 0
    let all = 0
    for (const account of this.#accounts.values()) {
      all += account.ms
      if (account.ms > ms) above += account.ms
    }
    return all === 0 ? 0 : above / all
  }

  #accountOf(client: Client): Account {
    let account = this.#accounts.get(client)
    if (account === undefined) this.#accounts.set(client, (account = new Account()))
    return account
  }
}

const workMs = (calls: number, bytes: number): number =>
  calls * REQUEST_MS + (bytes / 1_048_576) * MEBIBYTE_MS
