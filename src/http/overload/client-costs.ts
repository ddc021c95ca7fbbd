/**
 * What each client cost recently, in processor time. A request's certain cost is charged as it becomes known:
 * its calls, its bytes and its route's computing time. Other time of the thread is charged at the end of a
 * window, evenly to all requests that were in flight.
 */
import type { Client } from '../../flow/cancellation.ts'
import { getOrInsert } from '../../runtime/lists.ts'

/** The least processor time of a request, refused or answered, and of a call to an upstream, ms (bench: a relayed read). */
export const REQUEST_MS = 0.1
/** The most that a request is charged beyond its known cost, ms: the gateway has work of its own. */
export const MAX_REQUEST_MS = 5
/** The cost of a mebibyte that is read or written, ms: it is copied, scanned and handed to the kernel. */
const MEBIBYTE_MS = 4
/** The decay of costs per window of 50 ms: half of a cost is from the last 300 ms. */
export const COST_DECAY = 0.9

/** What one client cost, ms. */
class Account {
  /** Before this window, fading. */
  pastMs = 0
  windowMs = 0
  /** Requests in flight. */
  open = 0
  /** Requests that were in flight in this window. */
  served = 0

  get ms(): number {
    return this.pastMs + this.windowMs
  }
}

export class ClientCosts {
  readonly #accounts = new Map<Client, Account>()
  #underWay = 0
  /** Requests of this window. */
  #admitted = 0
  #refused = 0
  #ended = 0
  /** EWMA of the thread's busy time per window, ms, and of the requests in it. */
  #busyMs = 0
  #requests = 0

  /** How many clients are counted now. */
  get clients(): number {
    return this.#accounts.size
  }

  /** Requests in flight. */
  get underWay(): number {
    return this.#underWay
  }

  /** Requests in flight, or those that arrived in this window if they are more: some are answered at once. */
  get load(): number {
    return Math.max(this.#underWay, this.#admitted + this.#refused)
  }

  /** How long the requests in flight take if the thread stays busy, ms, at the recent cost per request. */
  get waitMs(): number {
    return (this.#underWay * this.#busyMs) / Math.max(1, this.#requests)
  }

  /** What a client cost recently, ms. */
  of(client: Client): number {
    return this.#accounts.get(client)?.ms ?? 0
  }

  /** Whether a client sent a request within the last seconds. */
  has(client: Client): boolean {
    return this.#accounts.has(client)
  }

  /** A request of the client is admitted. */
  begin(client: Client): void {
    this.#admitted++
    this.#underWay++
    const account = this.#accountOf(client)
    account.open++
    account.served++
    account.windowMs += REQUEST_MS
  }

  /**
   * An admitted request has ended.
   * @param calls  to upstreams that were made for it
   * @param bytes  of its body and its reply
   */
  end(client: Client, calls: number, bytes: number): void {
    const account = this.#accounts.get(client)
    if (account === undefined || account.open === 0) return
    this.#underWay--
    this.#ended++
    account.open--
    account.windowMs += workMs(calls, bytes)
  }

  /** Charges work outside requests, such as that for a WebSocket's subscriptions. */
  charge(client: Client, calls: number, bytes: number): void {
    this.work(client, workMs(calls, bytes))
  }

  /** Charges a refusal. */
  refuse(client: Client): void {
    this.#refused++
    this.#accountOf(client).windowMs += REQUEST_MS
  }

  /** Charges processor time that was measured. */
  work(client: Client, ms: number): void {
    this.#accountOf(client).windowMs += ms
  }

  /**
   * Ends a window.
   * @param busyMs   how long the thread was busy in it
   * @param cpuPart  the part of that time on a processor, 0 to 1
   * @param decay    the decay of costs
   */
  endWindow(busyMs: number, cpuPart: number, decay: number): void {
    // Without requests, it is the gateway's own work, such as that of its start.
    if (this.load > 0) {
      this.#busyMs = this.#busyMs * decay + busyMs
      // While arrivals outnumber completions, completions don't show what a request takes.
      this.#requests = this.#requests * decay + Math.max(this.#admitted, this.#ended)
    }
    this.#admitted = this.#refused = this.#ended = 0
    let restMs = busyMs * cpuPart
    let served = 0
    for (const account of this.#accounts.values()) {
      restMs -= account.windowMs
      served += account.served
    }
    const eachMs = served === 0 ? 0 : Math.min(MAX_REQUEST_MS, Math.max(0, restMs / served))
    for (const [client, account] of this.#accounts) {
      account.pastMs = (account.ms + eachMs * account.served) * decay
      account.windowMs = 0
      account.served = account.open
      if (account.pastMs < REQUEST_MS / 10 && account.open === 0) this.#accounts.delete(client)
    }
  }

  /** What the median client cost, ms; of two, the one that cost less. 0 for a client alone. */
  medianMs(): number {
    const all = Float64Array.from(this.#accounts.values(), ({ ms }) => ms).sort()
    return all.length < 2 ? 0 : all[(all.length - 1) >> 1]!
  }

  /** The share of all costs that clients above this cost have, 0 to 1. */
  partAbove(ms: number): number {
    let above = 0
    let all = 0
    for (const account of this.#accounts.values()) {
      all += account.ms
      if (account.ms > ms) above += account.ms
    }
    return all === 0 ? 0 : above / all
  }

  /** The share of the requests in flight that the busiest client has, 0 to 1. */
  partOfBusiest(): number {
    let most = 0
    for (const { open } of this.#accounts.values()) most = Math.max(most, open)
    return most / Math.max(1, this.#underWay)
  }

  #accountOf(client: Client): Account {
    return getOrInsert(this.#accounts, client, () => new Account())
  }
}

const workMs = (calls: number, bytes: number): number =>
  calls * REQUEST_MS + (bytes / 1_048_576) * MEBIBYTE_MS
