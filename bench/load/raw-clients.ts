/**
 * Many clients of one server, each over its own connection, with as little processor
 * time as possible: they share their core with the servers behind the gateway. Requests
 * are bytes made in advance; of an answer only the status, Retry-After and the end are
 * read.
 */
import { connect, type Socket } from 'node:net'

/** How long outstanding answers are awaited at the end. */
const PATIENCE_MS = 5_000

/** A request as its bytes on the wire. */
export interface Prepared {
  readonly kind: string
  readonly bytes: Buffer
}

/**
 * Takes the outcome of a request; the status is 0 for a failed connection.
 * @param ms  time since the request was due
 */
type OnAnswer = (kind: string, status: number, ms: number, hasRetryAfter: boolean) => void

/** @param client  the client's address, for X-Forwarded-For */
export function prepare(kind: string, path: string, body: string | null, client: string): Prepared {
  const content = body === null ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const head = `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: ${client}\r\n${content}\r\n`
  return { kind, bytes: Buffer.from(head + (body ?? ''), 'latin1') }
}

/** Keep-alive connections, each with one request at a time. */
export class RawClients {
  readonly #free: Connection[] = []
  readonly #all: Connection[] = []
  readonly #next: () => Prepared
  /** Requests that were due while no connection was free. */
  missed = 0

  private constructor(next: () => Prepared) {
    this.#next = next
  }

  static async open(
    url: string,
    count: number,
    next: () => Prepared,
    onAnswer: OnAnswer,
  ): Promise<RawClients> {
    const clients = new RawClients(next)
    const { hostname, port } = new URL(url)
    const opening = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname)
      const connection = new Connection(socket, onAnswer, (one) => clients.#free.push(one))
      clients.#all.push(connection)
      clients.#free.push(connection)
      return new Promise((resolve) => socket.once('connect', resolve))
    })
    await Promise.all(opening)
    return clients
  }

  /** Keeps every connection busy: each sends its next request when it has its answer (a closed model). */
  async saturate(seconds: number): Promise<void> {
    await this.#until(performance.now() + seconds * 1_000, () => this.#sendAll())
  }

  /** Sends one request on every connection, all at once. */
  async burst(): Promise<void> {
    this.#sendAll()
    await this.#until(performance.now(), () => {})
  }

  #sendAll(): void {
    for (let one = this.#free.pop(); one !== undefined; one = this.#free.pop()) {
      one.send(this.#next(), performance.now())
    }
  }

  /** Sends requests at a constant rate, whether or not earlier answers have arrived (an open model). */
  async pace(perSecond: number, seconds: number): Promise<void> {
    const begunAt = performance.now()
    let sent = 0
    await this.#until(begunAt + seconds * 1_000, () => {
      const due = ((performance.now() - begunAt) * perSecond) / 1_000
      for (; sent < due; sent++) {
        const one = this.#free.pop()
        const prepared = this.#next()
        if (one === undefined) this.missed++
        else one.send(prepared, begunAt + (sent * 1_000) / perSecond)
      }
    })
  }

  close(): void {
    for (const one of this.#all) one.close()
  }

  /** Calls `step` every millisecond until `endsAt`, then waits for the outstanding answers. */
  #until(endsAt: number, step: () => void): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now()
        if (now < endsAt) step()
        else if (this.#free.length === this.#all.length || now > endsAt + PATIENCE_MS) {
          clearInterval(timer)
          resolve()
        }
      }, 1)
    })
  }
}

class Connection {
  readonly #socket: Socket
  #kind = ''
  #isAsking = false
  #dueAt = 0
  #left = 0
  #status = 0
  #hasRetryAfter = false

  constructor(socket: Socket, onAnswer: OnAnswer, onFree: (one: Connection) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => onAnswer(this.#kind, 0, 0, false))
    socket.on('data', (bytes) => {
      // One that is never used is told so in the end.
      if (!this.#isAsking) return
      if (this.#left === 0) this.#begin(bytes)
      else this.#left -= bytes.length
      if (this.#left > 0) return
      this.#isAsking = false
      onAnswer(this.#kind, this.#status, performance.now() - this.#dueAt, this.#hasRetryAfter)
      onFree(this)
    })
  }

  send({ kind, bytes }: Prepared, dueAt: number): void {
    this.#kind = kind
    this.#isAsking = true
    this.#dueAt = dueAt
    this.#socket.write(bytes)
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Reads the head, which arrives in one piece on loopback. */
  #begin(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n')
    const head = bytes.toString('latin1', 0, end)
    this.#status = Number(head.slice(9, 12))
    this.#hasRetryAfter = head.includes('\r\nRetry-After: ')
    const at = head.indexOf('\r\nContent-Length: ')
    this.#left = Number.parseInt(head.slice(at + 18), 10) - (bytes.length - end - 4)
  }
}
