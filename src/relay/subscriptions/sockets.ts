/**
 * WebSockets at the relay's path, over which clients wait for signatures, accounts and slots: their number,
 * their bounds and their end. The package that implements the protocol is loaded with the first of them.
 *
 * A turn of the event loop takes one frame of each connection. A connection that is closed because of its
 * messages isn't read any more.
 *
 * Source: RFC 6455
 */
import type { WebSocket, WebSocketServer } from 'ws'
import type { Client } from '../../flow/cancellation.ts'
import type { Upgrade, Upgrades } from '../../http/connections/upgrade.ts'
import { SHED } from '../../http/reply/reply.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { addToCount } from '../../runtime/lists.ts'
import type { AccountPoller } from '../reads/accounts.ts'
import type { Confirmations } from '../reads/confirmations.ts'
import type { Slots } from '../reads/slots.ts'
import type { Commitment, StatusPoller } from '../reads/statuses.ts'
import { PacedRefusals } from './paced-refusals.ts'
import { type SubscriptionRegistry, Subscriptions } from './subscriptions.ts'

const MAX_SOCKETS_PER_CLIENT = 8
/** A call is about 200 bytes. */
const MAX_MESSAGE_BYTES = 4_096
/** Bound of answers that a client has not read; an answer has about 100 bytes. */
const MAX_UNREAD_BYTES = 65_536
/** Messages of one connection in ten seconds, pings and pongs included: enough to open and close 32 subscriptions. */
const MAX_MESSAGES = 100
const WINDOW_MS = 10_000
/** Of those, messages that may be shed before the connection is closed. */
const MAX_SHED = 10
/** The most frames of a client's message. */
const MAX_FRAGMENTS = 16
/** How long a closed connection may stay half open. */
const CLOSED_MS = 1_000
/** A connection that has not answered a ping by the next one is dead. */
const PING_MS = 30_000
/** How long a client has to close its side when the service stops. */
const CLOSING_MS = 250
/** About 2 KiB each; one client can have a 64th of them. */
const MAX_SUBSCRIPTIONS = 16_384
/**
 * Most transactions land or expire in this time; later the status is polled less often, whatever the pace of
 * slots.
 */
const PROMPT_MS = 180_000
const LATE_EVERY_MS = 5_000
/**
 * A signature is watched only this long after its subscription's answer. A stock client listens once it has the
 * subscription's number: @solana/kit loses a notification that it reads in one turn with the answer.
 */
const ANSWERED_MS = 50

/** Close codes. */
const GOING_AWAY = 1_001
const TEXT_ONLY = 1_003
const TOO_MUCH = 1_008
const TRY_AGAIN_LATER = 1_013

interface SubscriptionSocketsOptions {
  /** The path of the relay. */
  readonly path: string
  readonly statuses: Pick<StatusPoller, 'watch'>
  readonly accounts: Pick<AccountPoller, 'watch'>
  readonly slots: Pick<Slots, 'listen'>
  /** Whether a transaction was recently submitted here, which gives it a higher priority. */
  readonly isOurs: (signature: string) => boolean
  /** A client's reads must show what its subscriptions have shown. */
  readonly confirmations: Pick<Confirmations, 'note'>
  readonly clock?: Clock
}

export class SubscriptionSockets implements Upgrades {
  readonly path: string
  readonly #options: SubscriptionSocketsOptions
  readonly #clock: Clock
  readonly #registry: SubscriptionRegistry
  readonly #refusals: PacedRefusals
  readonly #counts = new Map<Client, number>()
  readonly #sockets = new Set<SubscriptionSocket>()
  #server: Promise<WebSocketServer> | null = null
  #callOff: (() => void) | null = null
  #isClosed = false

  constructor(options: SubscriptionSocketsOptions) {
    this.path = options.path
    this.#options = options
    this.#clock = options.clock ?? CLOCK
    this.#refusals = new PacedRefusals(this.#clock)
    const { accounts, slots } = options
    this.#registry = { accounts, slots, watch: this.#watchSoon, max: MAX_SUBSCRIPTIONS, lastId: 0, open: 0 }
  }

  /** The number of open subscriptions. */
  get subscriptions(): number {
    return this.#registry.open
  }

  readonly accept = async (upgrade: Upgrade): Promise<void> => {
    const { client, socket, request, head } = upgrade
    const count = this.#counts.get(client) ?? 0
    if (count >= MAX_SOCKETS_PER_CLIENT) {
      const message = `Your address has ${count} WebSocket connections, and may not have more. Close one first.`
      upgrade.refuse('overloaded', message)
      return
    }
    addToCount(this.#counts, client, 1)
    socket.once('close', () => addToCount(this.#counts, client, -1))
    const server = await this.#load()
    server.handleUpgrade(request, socket, head, (ws) => this.#begin(ws, upgrade))
  }

  /** Closes all connections, and those that are opened later. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#callOff?.()
    this.#refusals.close()
    for (const socket of this.#sockets) socket.close()
    await Promise.all([...this.#sockets].map(({ closed }) => closed))
  }

  #load(): Promise<WebSocketServer> {
    // Newer than the package's types.
    const bounds = { maxFragments: MAX_FRAGMENTS, closeTimeout: CLOSED_MS }
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          ...bounds,
          noServer: true,
          clientTracking: false,
          perMessageDeflate: false,
          maxPayload: MAX_MESSAGE_BYTES,
          allowSynchronousEvents: false,
        }),
    )
    return this.#server
  }

  #begin(ws: WebSocket, { client, keep, admits, charge }: Upgrade): void {
    const onShown = (slot: number, commitment: Commitment): void => {
      const finalized = commitment === 'finalized' ? slot : 0
      this.#options.confirmations.note(client, { confirmed: slot, finalized })
    }
    const shared = { registry: this.#registry, refusals: this.#refusals, clock: this.#clock }
    const socket = new SubscriptionSocket(ws, { client, keep, admits, charge, ...shared, onShown })
    if (this.#isClosed) socket.close()
    this.#sockets.add(socket)
    void socket.closed.then(() => this.#sockets.delete(socket))
    this.#callOff ??= this.#clock.after(PING_MS, () => this.#ping())
  }

  #ping(): void {
    for (const socket of this.#sockets) socket.ping()
    this.#callOff = this.#sockets.size === 0 ? null : this.#clock.after(PING_MS, () => this.#ping())
  }

  readonly #watchSoon: SubscriptionRegistry['watch'] = (signature, onStatus, onAsked) => {
    let end = this.#clock.after(ANSWERED_MS, () => {
      const watching = watchingOf(this.#clock, this.#options.isOurs(signature), onAsked)
      end = this.#options.statuses.watch(signature, watching, onStatus)
    })
    return () => end()
  }
}

/**
 * How a signature is watched for a client.
 * @param isOurs  whether it was recently submitted here
 */
export function watchingOf(clock: Clock, isOurs: boolean, onAsked: (calls: number) => void) {
  const since = clock.now()
  return {
    isPrompt: true,
    onAsked,
    priority: isOurs ? ('quote' as const) : ('research' as const),
    get everyMs() {
      return clock.now() - since < PROMPT_MS ? 0 : LATE_EVERY_MS
    },
  }
}

interface SubscriptionSocketOptions extends Pick<Upgrade, 'client' | 'keep' | 'admits' | 'charge'> {
  readonly registry: SubscriptionRegistry
  readonly refusals: PacedRefusals
  readonly clock: Clock
  readonly onShown: (slot: number, commitment: Commitment) => void
}

/** One connection. */
class SubscriptionSocket {
  readonly closed: Promise<void>
  readonly #ws: WebSocket
  readonly #options: SubscriptionSocketOptions
  readonly #subscriptions: Subscriptions
  #isAlive = true
  #windowStart: number
  #messages = 0
  #shed = 0

  constructor(ws: WebSocket, options: SubscriptionSocketOptions) {
    this.#ws = ws
    this.#options = options
    this.#windowStart = options.clock.now()
    this.#subscriptions = new Subscriptions({
      ...options,
      notify: (text) => {
        this.#send(text)
        this.#keep()
      },
      refuse: (text) => this.#refuse(text),
    })
    this.closed = new Promise((resolve) => {
      ws.on('close', () => {
        this.#subscriptions.end()
        options.refusals.takeBack(options.client, this)
        resolve()
      })
    })
    ws.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    ws.on('ping', (data) => void this.#admits(data.length))
    ws.on('pong', (data) => {
      this.#isAlive = true
      this.#admits(data.length)
    })
    // The package closes the connection itself: 1007 for bad UTF-8, 1009 for a long message, and if a client
    // pings without reading the answers.
    ws.on('error', () => {})
  }

  ping(): void {
    if (this.#isAlive) this.#ws.ping()
    else this.#ws.terminate()
    this.#isAlive = false
  }

  close(): void {
    this.#ws.close(GOING_AWAY, 'the service is stopping')
    this.#options.clock.after(CLOSING_MS, () => this.#ws.terminate())
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const isAdmitted = this.#admits(data.length)
    if (this.#ws.readyState !== this.#ws.OPEN) return
    if (!isAdmitted) this.#subscriptions.shed(data)
    else if (isBinary) this.#end(TEXT_ONLY, 'messages are text')
    else {
      const answer = this.#subscriptions.receive(data)
      if (answer !== null) this.#send(answer)
      this.#keep()
    }
  }

  /**
   * Counts a message. The connection is closed if there are too many, or too many that are shed.
   * @returns false if it is shed
   */
  #admits(bytes: number): boolean {
    const nowMs = this.#options.clock.now()
    if (nowMs - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = nowMs
      this.#messages = this.#shed = 0
    }
    if (++this.#messages > MAX_MESSAGES)
      this.#end(TOO_MUCH, `at most ${MAX_MESSAGES} messages in ten seconds`)
    if (this.#options.admits(bytes)) return true
    if (++this.#shed > MAX_SHED) this.#end(TRY_AGAIN_LATER, SHED.message)
    return false
  }

  #refuse(text: string): void {
    const { client, refusals } = this.#options
    if (!refusals.add(client, this, () => this.#send(text))) {
      this.#end(TOO_MUCH, 'too many subscriptions are refused')
    }
  }

  /** Closes the connection because of its messages. */
  #end(code: number, reason: string): void {
    this.#ws.close(code, reason)
    this.#ws.pause()
  }

  #send(text: string): void {
    this.#options.charge(0, text.length)
    this.#ws.send(text)
    if (this.#ws.bufferedAmount > MAX_UNREAD_BYTES) this.#ws.terminate()
  }

  #keep(): void {
    this.#options.keep(this.#subscriptions.size > 0)
  }
}
