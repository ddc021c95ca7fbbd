/**
 * What each client has cost of late, in processor time. Few requests are timed (thread-work.ts): the
 * event loop works for many at once. What a request certainly costs is charged
 * as it becomes known; what the thread used beyond that, at the end of a window,
 * to the clients whose requests were under way, in proportion.
 *
 *   admitted           answered            end of the window
 *   REQUEST_MS         calls, bytes        its share of the rest
 *
 * So a client whose one request keeps the loop busy costs much, and one with
 * many that wait for an upstream little.
 */
import type { Client } from '../runtime/cancellation.ts'

/** The least processor time of a request that is answered (bench: overload, a relayed read), ms. */
export const REQUEST_MS = 0.1
/** The bound of the average: what a few requests left for others to do is not theirs. */
const MOST_REQUEST_MS = 1.5
/** The same where it is for how long they wait for each other. */
const MOST_QUEUED_MS = 5
/** The last window's part in the averages. */
const NEWEST = 0.2
/** Of one client's requests under way, those that count as work of all: with more, the client costs too much itself. */
const MOST_OPEN = 2
/** The weight of a request under way for what is not charged otherwise, beside what its client is charged, ms. */
const OPEN_MS = 0.5
/** The most that is charged of the rest, as a multiple of that weight: the gateway has work of its own. */
const MOST = 4
/** Of a call to an upstream. */
const CALL_MS = 0.1
/** Of a mebibyte that is read or written: it is copied, scanned and handed to the kernel. */
const MEBIBYTE_MS = 4
/** The part of all clients that is few. */
const FEW = 1 / 8
/** Clients that are counted; each request of a further client counts as its first. */
const MAX_CLIENTS = 10_000

/** What one client costs, ms. */
class Account {
  /** Before this window, fading. */
  pastMs = 0
  /** In this window. */
  windowMs = 0
  /** Requests that were admitted in this window. */
  admitted = 0
  /** Requests that were answered in this window. */
  answered = 0
  /** Requests under way. */
  open = 0

  get ms(): number {
    return this.pastMs + this.windowMs
  }

  /** What it will be charged by the end of the window at least. @param requestMs  what a request costs on average */
  expectedMs(requestMs: number): number {
    return this.pastMs + Math.max(this.windowMs, this.admitted * requestMs)
  }

  /** The part of its work in this window that was admitted before. */
  get earlier(): number {
    const all = this.open + this.answered
    return all === 0 ? 1 : Math.max(0, 1 - this.admitted / all)
  }
}

export class ClientCosts {
  readonly #accounts = new Map<Client, Account>()
  #requestMs = REQUEST_MS
  /**
   * What the thread used in a window of late, ms, and the requests that were admitted in it: windows with many of them
   * count most.
   */
  #cpuMs = 0
  #admitted = 0
  #open = 0

  /** How many clients are counted now. */
  get clients(): number {
    return this.#accounts.size
  }

  /** Requests under way, of each client at most two. */
  get underWay(): number {
    return this.#open
  }

  /** What the requests under way take in all, if each takes what one has cost of late; of a client, the first few, ms. */
  get underWayMs(): number {
    return this.#open * this.averageMs
  }

  /** What a request has cost of late: of all work by all requests, so that windows with few of them say little, ms. */
  get averageMs(): number {
    return this.#admitted === 0 ? REQUEST_MS : Math.max(REQUEST_MS, this.#cpuMs / this.#admitted)
  }

  /** What a request has cost of late, on average, ms. */
  get requestMs(): number {
    return this.#requestMs
  }

  /** What a client has cost of late, ms. */
  of(client: Client): number {
    return this.#accounts.get(client)?.expectedMs(this.#requestMs) ?? 0
  }

  /** A request of the client begins. */
  begin(client: Client): void {
    const account = this.#accountOf(client)
    if (account === undefined) return
    if (account.open++ < MOST_OPEN) this.#open++
    account.admitted++
    account.windowMs += REQUEST_MS
  }

  /**
   * A request that has begun is over.
   * @param calls  to upstreams that were made for it
   * @param bytes  of its body and its reply
   */
  end(client: Client, calls: number, bytes: number): void {
    const account = this.#accounts.get(client)
    if (account === undefined || account.open === 0) return
    if (--account.open < MOST_OPEN) this.#open--
    account.answered++
    account.windowMs += workMs(calls, bytes)
  }

  /** Charges work that no request of the client is under way for, such as that for what a WebSocket waits for. */
  charge(client: Client, calls: number, bytes: number): void {
    const account = this.#accountOf(client)
    if (account !== undefined) account.windowMs += workMs(calls, bytes)
  }

  /** Charges processor time that was measured. */
  work(client: Client, ms: number): void {
    const account = this.#accountOf(client)
    if (account !== undefined) account.windowMs += ms
  }

  /** Charges what the thread used in the window beyond what is charged already. @param cpuMs  all that it used */
  share(cpuMs: number): void {
    let restMs = cpuMs
    let weights = 0
    let admitted = 0
    for (const account of this.#accounts.values()) {
      admitted += account.admitted
      restMs -= account.windowMs
      weights += account.windowMs + account.open * OPEN_MS
    }
    if (admitted > 0) {
      const requestMs = Math.min(MOST_REQUEST_MS, Math.max(REQUEST_MS, cpuMs / admitted))
      this.#requestMs += NEWEST * (requestMs - this.#requestMs)
      this.#cpuMs += NEWEST * (Math.min(cpuMs, MOST_QUEUED_MS * admitted) - this.#cpuMs)
      this.#admitted += NEWEST * (admitted - this.#admitted)
    }
    if (restMs <= 0 || weights === 0) return
    const part = Math.min(MOST, restMs / weights)
    for (const account of this.#accounts.values()) {
      account.windowMs += part * (account.windowMs + account.open * OPEN_MS)
    }
  }

  /** The cost to which each client is held if all together may cost a part of what they have. @param part  0 to 1 */
  fairMs(part: number): number {
    const all = Float64Array.from(this.#accounts.values(), ({ ms }) => ms).sort()
    let leftMs = part * all.reduce((sum, ms) => sum + ms, 0)
    for (let i = 0; i < all.length; i++) {
      const evenMs = leftMs / (all.length - i)
      if (all[i]! >= evenMs) return evenMs
      leftMs -= all[i]!
    }
    return 0
  }

  /**
   * Of this window's cost, the part that the few clients that cost most are charged for what they were admitted
   * before it; 0 to 1. If no few stand out, as in a crowd that asks alike, it is small.
   * @param aboveMs  those that cost less are not among them
   */
  earlierPart(aboveMs: number): number {
    const all = Float64Array.from(this.#accounts.values(), ({ ms }) => ms).sort()
    const othersMs = all[all.length - Math.ceil(FEW * all.length) - 1] ?? 0
    let earlierMs = 0
    let allMs = 0
    for (const account of this.#accounts.values()) {
      allMs += account.windowMs
      if (account.ms > Math.max(aboveMs, othersMs)) earlierMs += account.windowMs * account.earlier
    }
    return allMs === 0 ? 0 : earlierMs / allMs
  }

  /** Ends the window. @param kept  the part of all costs that is left */
  fade(kept: number): void {
    for (const [client, account] of this.#accounts) {
      account.pastMs = account.ms * kept
      account.windowMs = account.admitted = account.answered = 0
      if (account.pastMs < REQUEST_MS / 10 && account.open === 0) this.#accounts.delete(client)
    }
  }

  /** Undefined where there are too many. */
  #accountOf(client: Client): Account | undefined {
    let account = this.#accounts.get(client)
    if (account === undefined && this.#accounts.size < MAX_CLIENTS) {
      this.#accounts.set(client, (account = new Account()))
    }
    return account
  }
}

const workMs = (calls: number, bytes: number): number => calls * CALL_MS + (bytes / 1_048_576) * MEBIBYTE_MS
