/**
 * What the service takes for each of many: connections that wait, clients, tokens of the
 * operator, streams, subscriptions. Each is grown in steps, so that what grows faster than
 * its number shows.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { BenchReport } from '../figures/report.ts'
import {
  CLIENT_CORE,
  cpuMs,
  firstLine,
  freePort,
  GATEWAY,
  launch,
  pinClient,
  residentMiB,
  SANDBOX,
  type ServerProcess,
  startServer,
  stop,
} from '../servers/process.ts'

/** Shares of the full number at which memory is read. */
const STEPS = [1 / 4, 1 / 2, 1]
const SETTLE_MS = 3_000
/** How long the standing ones are watched. */
const STANDING_MS = 10_000
const AT_ONCE = 50

/** A thing of which there may be many. */
interface Kind {
  readonly name: string
  readonly count: number
  readonly environment?: Readonly<Record<string, string>>
  /** Adds those from one number to another. @returns when they stand */
  grow(gateway: Gateway, from: number, to: number): Promise<void>
}

interface Gateway {
  readonly server: ServerProcess
  readonly wsPort: number
  /** The folder of TOKENS_FILE. */
  readonly folder: string
  /** Ended once the kind was measured. */
  readonly ends: (() => void)[]
}

interface Grown {
  /** Resident memory above the idle process at each step, KiB of each. */
  readonly kibs: readonly number[]
  /** Between the first step and the last, KiB of each more. */
  readonly slopeKiB: number
  /** Processor time to add one, µs. */
  readonly addUs: number
  /** Processor time while all stand, ms a second. */
  readonly standingMs: number
}

export async function benchScale(): Promise<BenchReport> {
  pinClient()
  const world = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const sandbox = JSON.parse(await firstLine(world)) as Sandbox
  const rows: string[][] = []
  for (const kind of KINDS) {
    const { kibs, slopeKiB, addUs, standingMs } = await measure(kind, sandbox)
    const figures = [...kibs, slopeKiB].map((kib) => kib.toFixed(2))
    rows.push([
      `${kind.count.toLocaleString('en')} ${kind.name}`,
      ...figures,
      addUs.toFixed(1),
      standingMs.toFixed(1),
    ])
  }
  await stop(world)
  return { tables: [{ title: 'Many of each', text: TEXT, columns: COLUMNS, rows }], claims: [] }
}

async function measure(kind: Kind, sandbox: Sandbox): Promise<Grown> {
  const folder = mkdtempSync(join(tmpdir(), 'swapgate-bench-'))
  const wsPort = await freePort()
  writeFileSync(join(folder, 'tokens.json'), tokens(0))
  const server = await startServer(GATEWAY, {
    ...{ MODE: 'live', SOLANA_RPC_URLS: sandbox.solanaUrl, PROVIDERS: 'none', WS_PORT: String(wsPort) },
    ...{ TOKENS_FILE: join(folder, 'tokens.json'), LIMITS: 'rpcRead=off,swap=off,portfolio=off,refused=off' },
    ...kind.environment,
  })
  const gateway: Gateway = { server, wsPort, folder, ends: [] }
  // It listens before it hears SIGHUP.
  await sleep(SETTLE_MS)
  // What the first of its kind loads is no cost of each.
  const warm = Math.ceil(kind.count / 100)
  await kind.grow(gateway, 0, warm)
  await sleep(SETTLE_MS)
  const idle = residentMiB(server.pid)
  const before = cpuMs(server.pid)
  const above: { readonly n: number; readonly kib: number }[] = []
  let grown = warm
  for (const share of STEPS) {
    const to = Math.ceil(kind.count * share)
    await kind.grow(gateway, grown, to)
    grown = to
    await sleep(SETTLE_MS)
    above.push({ n: to - warm, kib: (residentMiB(server.pid) - idle) * 1_024 })
  }
  const added = cpuMs(server.pid) - before
  const standing = cpuMs(server.pid)
  await sleep(STANDING_MS)
  const standingMs = (1_000 * (cpuMs(server.pid) - standing)) / STANDING_MS
  for (const end of gateway.ends) end()
  await server.stop()
  rmSync(folder, { recursive: true })
  const [first, last] = [above[0]!, above.at(-1)!]
  return {
    kibs: above.map(({ n, kib }) => kib / n),
    slopeKiB: (last.kib - first.kib) / (last.n - first.n),
    addUs: (1_000 * added) / last.n,
    standingMs,
  }
}

/** Does something for each number, some at a time. */
async function forEach(from: number, to: number, act: (nth: number) => Promise<unknown>): Promise<void> {
  for (let at = from; at < to; at += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, i) => act(at + i)))
  }
}

/** An address of loopback for each 200 connections: one address may have 256. */
const loopback = (nth: number): string => `127.1.${(nth / 200) >> 8}.${1 + (Math.floor(nth / 200) & 127)}`
const forwarded = (client: number): string =>
  `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`

/** Sends a request on a connection of its own, and resolves with the first bytes of the answer. */
function ask({ server }: Gateway, path: string, nth: number, header = ''): Promise<Socket> {
  const { port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: loopback(nth) }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${header}\r\n`),
    )
    socket.once('error', reject)
    socket.once('data', (bytes) => {
      if (bytes.indexOf('HTTP/1.1 200 ') === 0) resolve(socket)
      else reject(new Error(bytes.toString('latin1').slice(0, 300)))
    })
    socket.on('data', () => {})
  })
}

const SUBSCRIPTIONS_OF_A_SOCKET = 32
const STREAMS_OF_A_CLIENT = 4
const SOCKETS_OF_A_CLIENT = 8

const KINDS: readonly Kind[] = [
  {
    name: 'connections, idle after a request',
    count: 9_000,
    async grow(gateway, from, to) {
      await forEach(from, to, async (nth) => {
        const socket = await ask(gateway, '/api/chains', nth)
        gateway.ends.push(() => socket.destroy())
      })
    },
  },
  {
    name: 'clients, a request each',
    count: 100_000,
    async grow({ server }, from, to) {
      const each = Math.ceil((to - from) / AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          requests(server, Math.min(to, from + i * each), Math.min(to, from + (i + 1) * each)),
        ),
      )
    },
  },
  {
    name: "tokens in the operator's Token List",
    count: 5_000,
    async grow({ server, folder }, _from, to) {
      writeFileSync(join(folder, 'tokens.json'), tokens(to))
      process.kill(server.pid, 'SIGHUP')
    },
  },
  {
    name: 'streams of prices',
    count: 1_000,
    environment: { MODE: 'sandbox', SOLANA_RPC_URLS: '', PROVIDERS: '' },
    async grow(gateway, from, to) {
      await forEach(from, to, async (nth) => {
        const client = `X-Forwarded-For: ${forwarded(Math.floor(nth / STREAMS_OF_A_CLIENT))}\r\n`
        const socket = await ask(gateway, '/api/prices/stream?tokens=solana:native', nth, client)
        gateway.ends.push(() => socket.destroy())
      })
    },
  },
  {
    name: 'subscriptions to signatures over WebSocket',
    count: 10_000,
    async grow({ wsPort, ends }, from, to) {
      for (let at = from; at < to; at += SUBSCRIPTIONS_OF_A_SOCKET) {
        const end = Math.min(to, at + SUBSCRIPTIONS_OF_A_SOCKET)
        const client = Math.floor(ends.length / SOCKETS_OF_A_CLIENT)
        ends.push(await subscribe(wsPort, forwarded(client), at, end))
      }
    },
  },
]

/** One connection, one request after the other, each for another client. */
async function requests({ url }: ServerProcess, from: number, to: number): Promise<void> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  for (let client = from; client < to; client++) {
    socket.write(`GET /api/chains HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: ${forwarded(client)}\r\n\r\n`)
    let length = 0
    for (let missing = Infinity; missing > 0; ) {
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        socket.once('data', resolve).once('error', reject)
      })
      socket.removeAllListeners('error')
      const head = missing === Infinity ? bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n')) : ''
      if (head !== '') {
        if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head)
        length = Number(/content-length: (\d+)/i.exec(head)![1])
        missing = length + head.length + 4
      }
      missing -= bytes.length
    }
  }
  socket.destroy()
}

/** Subscribes over one socket. @returns what closes it */
async function subscribe(port: number, client: string, from: number, to: number): Promise<() => void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/solrpc`, {
    headers: { 'x-forwarded-for': client },
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let missing = to - from
  const confirmed = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { readonly error?: unknown }
      if (message.error !== undefined) reject(new Error(String(data)))
      else if (--missing === 0) resolve()
    })
  })
  for (let nth = from; nth < to; nth++) {
    const signature = Buffer.alloc(64, 7)
    signature.writeUInt32BE(nth, 0)
    const params = [encodeBase58(signature), { commitment: 'finalized' }]
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: nth, method: 'signatureSubscribe', params }))
  }
  await confirmed
  return () => socket.terminate()
}

/** A Token List. */
function tokens(count: number): string {
  const list = Array.from({ length: Math.max(1, count) }, (_, i) => ({
    ...{ chainId: 8453, decimals: 18, symbol: `T${i}`, name: `Token ${i}` },
    address: `0x${(i + 1).toString(16).padStart(40, '1')}`,
  }))
  const version = { major: 1, minor: 0, patch: 0 }
  return JSON.stringify({
    name: 'bench',
    timestamp: '2026-01-01T00:00:00+00:00',
    version,
    tokens: list,
  })
}

const TEXT = `One process of each, which has a hundredth of them before anything is read. Memory is resident, above what it was then, at
a quarter, a half and all of them; the slope is between the first and the last. Processor time is that of adding them, and
what all of them take while nobody does anything, over ${STANDING_MS / 1_000} s. The sandbox that prices and signatures come from is a process of
its own on the client's core, except for the streams, whose figures include its market.`
const COLUMNS = [
  '',
  'KiB each, 1/4',
  'KiB each, 1/2',
  'KiB each, all',
  'slope, KiB each',
  'CPU µs to add one',
  'CPU ms/s, standing',
]
