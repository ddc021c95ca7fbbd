/**
 * Loads one server for peak throughput: fifty connections, each of which sends its next request
 * when it has its answer (a closed model), from one client or from many. Sockets are written and
 * read without an HTTP client, because whatever the load costs, it costs the core that simulated
 * upstreams also run on. Every answer is checked; an unexpected one ends the run.
 */
import { connect, type Socket } from 'node:net'
import { cpuMs, type ServerProcess } from '../servers/process.ts'

const CONNECTIONS = 50
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i

/** A server, the requests sent to it, and the check of its answers. */
export interface Target {
  readonly name: string
  readonly server: ServerProcess
  /** Makes the bytes of the next request. */
  next(): Buffer
  isAnswer(body: Buffer): boolean
}

export interface Load {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The processor time of all the server's threads per request, in microseconds. */
  readonly cpuUs: number
  /** Share of its core that the server used; well below 1, the client was the bottleneck. */
  readonly busy: number
}

/** How many addresses the connections come from: the service tells clients apart by them. */
export type Clients = 'one client' | 'many clients'

/** A target that is asked the same each time. @param body  of a POST; null for a GET */
export function repeated(
  name: string,
  server: ServerProcess,
  path: string,
  body: string | null,
  expected: string,
): Target {
  const bytes = requestBytes(path, body)
  const answer = Buffer.from(expected)
  return { name, server, next: () => bytes, isAnswer: (received) => received.equals(answer) }
}

/** @param body  of a POST, in ASCII; null for a GET */
export function requestBytes(path: string, body: string | null): Buffer {
  const content = body === null ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const method = body === null ? 'GET' : 'POST'
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n${content}\r\n${body ?? ''}`, 'latin1')
}

/** When a run ends, at the earlier of the two. */
export interface Until {
  readonly amount?: number
  readonly seconds?: number
}

/** @throws Error  when any answer is not the expected one */
export async function load(
  target: Target,
  { amount = Infinity, seconds = Infinity }: Until,
  clients: Clients = 'one client',
): Promise<Load> {
  const { server } = target
  const connections: Connection[] = []
  try {
    for (let i = 0; i < CONNECTIONS; i++)
      connections.push(await Connection.open(server.url, addressOf(clients, i)))
    const latencies: number[] = []
    const cpuBefore = cpuMs(server.pid)
    const startedAt = performance.now()
    const endsAt = startedAt + seconds * 1_000
    let left = amount
    const keepAsking = async (connection: Connection): Promise<void> => {
      let now = performance.now()
      while (left > 0 && now < endsAt) {
        left--
        await askFor(target, connection)
        const answeredAt = performance.now()
        latencies.push(answeredAt - now)
        now = answeredAt
      }
    }
    await Promise.all(connections.map(keepAsking))
    const elapsedMs = performance.now() - startedAt
    const usedMs = cpuMs(server.pid) - cpuBefore
    latencies.sort((a, b) => a - b)
    return {
      requests: latencies.length,
      requestsPerSecond: (latencies.length * 1_000) / elapsedMs,
      p50Ms: percentile(latencies, 50),
      p99Ms: percentile(latencies, 99),
      cpuUs: (usedMs * 1_000) / latencies.length,
      busy: usedMs / elapsedMs,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

/**
 * Sends one request before anything is timed.
 * @returns the number of headers of the answer
 * @throws Error  when the answer is not the expected one
 */
export async function checkAnswer(target: Target): Promise<number> {
  const connection = await Connection.open(target.server.url, addressOf('one client', 0))
  try {
    await askFor(target, connection)
    return connection.headers
  } finally {
    connection.close()
  }
}

async function askFor(target: Target, connection: Connection): Promise<void> {
  const body = await connection.ask(target.next())
  if (!target.isAnswer(body)) throw new Error(`${target.name} gave an unexpected answer: ${excerpt(body)}`)
}

/** Linux answers for all of 127.0.0.0/8 on loopback. */
const addressOf = (clients: Clients, nth: number): string =>
  clients === 'one client' ? '127.0.0.1' : `127.0.1.${nth + 1}`

const excerpt = (body: Buffer): string => body.toString('latin1', 0, 200)

/** @param sorted  ascending, not empty */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!
}

/** One keep-alive connection with one request at a time. */
class Connection {
  readonly #socket: Socket
  #chunks: Buffer[] = []
  /** Bytes that the answer still lacks; negative until its head has arrived. */
  #missing = -1
  #bodyAt = 0
  /** How many the last answer had. */
  headers = 0
  #resolve: (body: Buffer) => void = () => {}
  #reject: (error: Error) => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', (error) => this.#reject(error))
    socket.on('close', () => this.#reject(new Error('The server closed a connection.')))
  }

  static open(url: string, localAddress: string): Promise<Connection> {
    const { hostname: host, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port: Number(port), localAddress })
      socket.once('error', reject).once('connect', () => resolve(new Connection(socket)))
    })
  }

  /** @returns the body of a 200 @throws Error for any other answer, and where the connection ends */
  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#chunks.push(bytes)
    if (this.#missing < 0) this.#readHead()
    else this.#missing -= bytes.length
    if (this.#missing !== 0) return
    const body = Buffer.concat(this.#chunks).subarray(this.#bodyAt)
    this.#chunks = []
    this.#missing = -1
    this.#resolve(body)
  }

  #readHead(): void {
    const bytes = Buffer.concat(this.#chunks)
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return
    const head = bytes.toString('latin1', 0, end)
    const length = CONTENT_LENGTH.exec(head)?.[1]
    if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
      this.#reject(new Error(`Not an answer of 200 with its length: ${excerpt(bytes)}`))
      return
    }
    this.headers = head.split('\r\n').length - 1
    this.#bodyAt = end + HEAD_END.length
    this.#missing = Number(length) - (bytes.length - this.#bodyAt)
  }
}
