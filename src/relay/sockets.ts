/**
 * WebSockets at the relay's path, over which clients wait for signatures: how many
 * there may be, who is cut off, and how they end. The package that speaks
 * the protocol is loaded at the first of them.
 *
 * Source: RFC 6455
 */
import type { WebSocket, WebSocketServer } from 'ws'
import { decodeBase58 } from '../chains/solana/base58.ts'
import { SIGNATURE_BYTES } from '../chains/solana/wire.ts'
import type { Upgrade, Upgrades } from '../http/upgrade.ts'
import type { Client } from '../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import type { Confirmations } from './confirmations.ts'
import type { Receipts } from './receipts.ts'
import type { SignatureStatus, StatusPoller } from './statuses.ts'
import { SubscriptionDesk, Subscriptions } from './subscriptions.ts'

const MAX_SOCKETS_PER_CLIENT = 8
/** A call is some 200 bytes. */
const MAX_MESSAGE_BYTES = 4_096
/** Answers that a client has not read; an answer is some 100 bytes. */
const MAX_UNREAD_BYTES = 65_536
/** Of one connection in ten seconds, pings included: room for 32 subscriptions that come and go. */
const MAX_MESSAGES = 100
const WINDOW_MS = 10_000
/** A connection that answers no ping until the next one is dead. */
const PING_MS = 30_000
/** On stopping, how long a client gets to close its side. */
const CLOSING_MS = 250
/** Some 2 KiB each; one client can have a 64th of them. */
const MAX_SUBSCRIPTIONS = 16_384
/** A transaction lands or expires within about a minute and a half; who waits longer is told less promptly. */
const PROMPT_MS = 180_000
const LATE_EVERY_MS = 5_000

/** Close codes. */
const GOING_AWAY = 1_001
const TEXT_ONLY = 1_003
const TOO_MUCH = 1_008

export interface SubscriptionSocketsOptions {
  /** The path of the relay. */
  readonly path: string
  readonly statuses: Pick<StatusPoller, 'watch'>
  /** What was submitted here lately is asked for with more urgency. */
  readonly receipts: Pick<Receipts, 'find'>
  /** What a client was shown, his reads show him too. */
  readonly confirmations: Pick<Confirmations, 'note'>
  readonly clock?: Clock
}

export class SubscriptionSockets implements Upgrades {
  readonly path: string
  readonly #options: SubscriptionSocketsOptions
  readonly #clock: Clock
  readonly #desk: SubscriptionDesk
  readonly #counts = new Map<Client, number>()
  readonly #peers = new Set<Peer>()
  #server: Promise<WebSocketServer> | null = null
  #callOff: (() => void) | null = null
  #isClosed = false

  constructor(options: SubscriptionSocketsOptions) {
    this.path = options.path
    this.#options = options
    this.#clock = options.clock ?? CLOCK
    this.#desk = new SubscriptionDesk({
      watch: (signature, onStatus) => options.statuses.watch(signature, this.#watching(signature), onStatus),
      max: MAX_SUBSCRIPTIONS,
    })
  }

  /** What clients wait for. */
  get subscriptions(): number {
    return this.#desk.open
  }

  readonly accept = async (upgrade: Upgrade): Promise<void> => {
    const { client, socket, request, head } = upgrade
    const count = this.#counts.get(client) ?? 0
    if (count >= MAX_SOCKETS_PER_CLIENT) {
      const message = `Your address has ${count} WebSocket connections, which is all that it may have.`
      upgrade.refuse('overloaded', message)
      return
    }
    this.#counts.set(client, count + 1)
    socket.once('close', () => this.#leave(client))
    const server = await this.#load()
    server.handleUpgrade(request, socket, head, (ws) => this.#begin(ws, upgrade))
  }

  /** Takes leave of all of them, and of whoever comes later. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#callOff?.()
    for (const peer of this.#peers) peer.leave()
    await Promise.all([...this.#peers].map(({ closed }) => closed))
  }

  #load(): Promise<WebSocketServer> {
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          noServer: true,
          clientTracking: false,
          perMessageDeflate: false,
          maxPayload: MAX_MESSAGE_BYTES,
        }),
    )
    return this.#server
  }

  #begin(ws: WebSocket, { client, keep }: Upgrade): void {
    const onShown = ({ slot, confirmationStatus }: SignatureStatus): void => {
      const finalized = confirmationStatus === 'finalized' ? slot : 0
      this.#options.confirmations.note(client, { confirmed: slot, finalized })
    }
    const peer = new Peer(ws, { desk: this.#desk, clock: this.#clock, keep, onShown })
    if (this.#isClosed) peer.leave()
    this.#peers.add(peer)
    void peer.closed.then(() => this.#peers.delete(peer))
    this.#callOff ??= this.#clock.after(PING_MS, () => this.#ping())
  }

  #leave(client: Client): void {
    const left = this.#counts.get(client)! - 1
    if (left === 0) this.#counts.delete(client)
    else this.#counts.set(client, left)
  }

  #ping(): void {
    for (const peer of this.#peers) peer.ping()
    this.#callOff = this.#peers.size === 0 ? null : this.#clock.after(PING_MS, () => this.#ping())
  }

  #isOurs(signature: string): boolean {
    return this.#options.receipts.find(decodeBase58(signature, SIGNATURE_BYTES)!) !== null
  }

  #watching(signature: string) {
    const clock = this.#clock
    const since = clock.now()
    return {
      isPrompt: true,
      priority: this.#isOurs(signature) ? ('quote' as const) : ('research' as const),
      get everyMs() {
        return clock.now() - since < PROMPT_MS ? 0 : LATE_EVERY_MS
      },
    }
  }
}

interface PeerOptions extends Pick<Upgrade, 'keep'> {
  readonly desk: SubscriptionDesk
  readonly clock: Clock
  readonly onShown: (status: SignatureStatus) => void
}

/** One connection. */
class Peer {
  readonly closed: Promise<void>
  readonly #ws: WebSocket
  readonly #options: PeerOptions
  readonly #subscriptions: Subscriptions
  #isAlive = true
  #windowStart: number
  #messages = 0

  constructor(ws: WebSocket, options: PeerOptions) {
    this.#ws = ws
    this.#options = options
    this.#windowStart = options.clock.now()
    this.#subscriptions = new Subscriptions({
      desk: options.desk,
      notify: (text) => {
        this.#send(text)
        this.#keep()
      },
      onShown: options.onShown,
    })
    this.closed = new Promise((resolve) => {
      ws.on('close', () => {
        this.#subscriptions.end()
        resolve()
      })
    })
    ws.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    ws.on('ping', () => void this.#admits())
    ws.on('pong', () => {
      this.#isAlive = true
    })
    // The package closes the connection itself: 1007 for bad UTF-8, 1009 for a long message; and it
    // cuts off whoever pings without reading the answers.
    ws.on('error', () => {})
  }

  ping(): void {
    if (this.#isAlive) this.#ws.ping()
    else this.#ws.terminate()
    this.#isAlive = false
  }

  leave(): void {
    this.#ws.close(GOING_AWAY, 'the service is stopping')
    this.#options.clock.after(CLOSING_MS, () => this.#ws.terminate())
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#ws.readyState !== this.#ws.OPEN || !this.#admits()) return
    if (isBinary) {
      this.#ws.close(TEXT_ONLY, 'messages are text')
      return
    }
    const answer = this.#subscriptions.receive(data)
    if (answer !== null) this.#send(answer)
    this.#keep()
  }

  /** Whether it keeps within its messages; else it is closed. */
  #admits(): boolean {
    const nowMs = this.#options.clock.now()
    if (nowMs - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = nowMs
      this.#messages = 0
    }
    if (++this.#messages > MAX_MESSAGES)
      this.#ws.close(TOO_MUCH, `at most ${MAX_MESSAGES} messages in ten seconds`)
    return this.#messages <= MAX_MESSAGES
  }

  #send(text: string): void {
    this.#ws.send(text)
    if (this.#ws.bufferedAmount > MAX_UNREAD_BYTES) this.#ws.terminate()
  }

  #keep(): void {
    this.#options.keep(this.#subscriptions.size > 0)
  }
}
