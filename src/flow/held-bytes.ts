/**
 * One account of the bytes held for clients: bodies and upstreams' answers in progress, and unread replies. A client
 * has an allowance, and there is a bound for all together.
 *
 *   past a client's allowance      its bodies and answers in progress pause, until it reads replies
 *   past three quarters of all     the same, for the clients that hold more than an equal share
 *   past all                       the client that holds the most loses its oldest reply, or its newest answer in progress
 *
 * A client's oldest body or answer continues past its allowance, unless replies are unread: if all of them paused,
 * none would end. So a client holds at most its allowance and one answer.
 */
import { addToCount, getOrInsert } from '../runtime/lists.ts'
import { type Client, GATEWAY } from './cancellation.ts'
import type { Pieces } from './pieces.ts'

export interface HeldLimits {
  /** Per client; the gateway's own calls count only towards `all`. */
  readonly client: number
  /** Of all clients and the gateway. */
  readonly all: number
}

export const DEFAULT_HELD: HeldLimits = { client: 67_108_864, all: 268_435_456 }

/** The part of the total bound from which clients with more than an equal share pause. */
const CROWDED = 0.75

/** Bytes that are still coming. */
export interface PausableFlow {
  pause(): void
  resume(): void
}

/** The owner of held bytes. */
export interface Holder {
  /** Null if all have come. */
  readonly flow: PausableFlow | null
  /** Releases the bytes, and closes the holding. */
  drop(): void
}

/** The bytes held for one client. */
class Account {
  readonly client: Client
  bytes = 0
  /** The bytes of complete replies that wait to be read. */
  unreadBytes = 0
  /** The oldest first. */
  readonly holdings = new Set<ByteHolding>()
  /** How many replies share the same bytes, which are counted once. */
  readonly shared = new Map<Pieces, number>()

  constructor(client: Client) {
    this.client = client
  }
}

/** The bytes of one holder, from `open` to `close`. */
export class ByteHolding {
  bytes = 0
  isOpen = true
  readonly holder: Holder
  readonly account: Account
  /** Bytes that the client's other replies may share; null for none. */
  shared: Pieces | null = null
  readonly #held: HeldBytes

  constructor(held: HeldBytes, account: Account, holder: Holder) {
    this.#held = held
    this.account = account
    this.holder = holder
  }

  /** Holds more; this may pause its flow, or drop it or others. */
  add(bytes: number): void {
    this.bytes += bytes
    this.#held.add(this, bytes)
  }

  /** Adds bytes that count once for all of the client's replies that share them; call it once only. */
  share(shared: Pieces): void {
    this.#held.share(this, shared)
  }

  /** Releases all of it. Calling it again does nothing. */
  close(): void {
    if (this.isOpen) this.#held.close(this)
  }
}

interface HeldBytesOptions {
  readonly limits?: HeldLimits
  /** Runs its argument in a later turn of the event loop. */
  readonly nextTurn?: (callback: () => void) => unknown
}

export class HeldBytes {
  readonly #limits: HeldLimits
  readonly #nextTurn: (callback: () => void) => unknown
  readonly #accounts = new Map<Client, Account>()
  /** In the order in which they paused. */
  readonly #paused = new Set<ByteHolding>()
  #bytes = 0
  #isResuming = false

  constructor({ limits = DEFAULT_HELD, nextTurn = setImmediate }: HeldBytesOptions = {}) {
    this.#limits = limits
    this.#nextTurn = nextTurn
  }

  /** Held for all. */
  get bytes(): number {
    return this.#bytes
  }

  /** Clients with held bytes. */
  get clients(): number {
    return this.#accounts.size
  }

  bytesOf(client: Client): number {
    return this.#accounts.get(client)?.bytes ?? 0
  }

  open(client: Client, holder: Holder): ByteHolding {
    const account = getOrInsert(this.#accounts, client, () => new Account(client))
    const holding = new ByteHolding(this, account, holder)
    account.holdings.add(holding)
    return holding
  }

  /** For Holding. */
  add(holding: ByteHolding, bytes: number): void {
    if (!holding.isOpen) return
    const { account } = holding
    this.#count(holding, bytes)
    if (this.#bytes > this.#limits.all * CROWDED || account.bytes > this.#limits.client) {
      this.#makeRoom(holding)
    }
  }

  /** For Holding. */
  share(holding: ByteHolding, shared: Pieces): void {
    if (!holding.isOpen) return
    holding.shared = shared
    if (addToCount(holding.account.shared, shared, 1) === 1) this.add(holding, shared.length)
  }

  /** For Holding. */
  close(holding: ByteHolding): void {
    const { account, shared } = holding
    holding.isOpen = false
    this.#count(holding, -holding.bytes)
    const isLast = shared !== null && addToCount(account.shared, shared, -1) === 0
    if (isLast) this.#count(holding, -shared.length)
    account.holdings.delete(holding)
    if (account.holdings.size === 0) this.#accounts.delete(account.client)
    this.#paused.delete(holding)
    this.#resumeLater()
  }

  #count({ account, holder }: ByteHolding, bytes: number): void {
    account.bytes += bytes
    if (holder.flow === null) account.unreadBytes += bytes
    this.#bytes += bytes
  }

  #makeRoom(holding: ByteHolding): void {
    const { account, holder } = holding
    while (this.#bytes > this.#limits.all) drop(this.#pickVictim())
    if (!holding.isOpen) return
    if (holder.flow !== null) {
      if (this.#mayContinue(holding) || this.#paused.has(holding)) return
      this.#paused.add(holding)
      holder.flow.pause()
      return
    }
    // Replies from a cache come without a call that could have paused.
    while (account.client !== GATEWAY && account.bytes > this.#limits.client) {
      const oldest = oldestUnread(account)
      if (oldest === null || oldest === holding) return
      drop(oldest)
    }
  }

  #mayContinue(holding: ByteHolding): boolean {
    const { account } = holding
    if (account.client === GATEWAY || !this.#isOver(account)) return true
    const [oldest] = account.holdings
    return account.unreadBytes === 0 && oldest === holding
  }

  #isOver({ bytes }: Account): boolean {
    const { client, all } = this.#limits
    const crowdedFrom = all * CROWDED
    return bytes > client || (this.#bytes > crowdedFrom && bytes > crowdedFrom / this.#accounts.size)
  }

  /** Of the client that holds the most: its oldest reply, or its newest answer under way. */
  #pickVictim(): ByteHolding {
    let greediest: Account | null = null
    for (const account of this.#accounts.values()) {
      if (greediest === null || account.bytes > greediest.bytes) greediest = account
    }
    const { holdings } = greediest!
    let newest: ByteHolding
    for (newest of holdings);
    return oldestUnread(greediest!) ?? newest!
  }

  #resumeLater(): void {
    if (this.#isResuming || this.#paused.size === 0) return
    this.#isResuming = true
    this.#nextTurn(() => {
      this.#isResuming = false
      for (const holding of [...this.#paused]) {
        if (!this.#paused.has(holding) || !this.#mayContinue(holding)) continue
        this.#paused.delete(holding)
        holding.holder.flow!.resume()
      }
    })
  }
}

function drop(holding: ByteHolding): void {
  holding.holder.drop()
  // A holder that forgets to close it must not keep others from getting room.
  holding.close()
}

function oldestUnread({ holdings }: Account): ByteHolding | null {
  for (const holding of holdings) if (holding.holder.flow === null) return holding
  return null
}
