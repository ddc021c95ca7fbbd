/**
 * Sieges: what one client does that would hurt all others, if what is scarce
 * were not shared, beside what others ask meanwhile. Whoever runs one gives it a
 * gateway that trusts loopback for the clients' addresses. test/siege/ runs them
 * for a moment, `npm run siege` for as long as they take.
 */
import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keypair, serialize, transfer } from '../test/fixtures/transactions.ts'
import { ACCOUNTS } from './siege-node.ts'

/** What the attacker and the bystanders send. */
export interface Asked {
  readonly path: string
  readonly body?: string | Buffer
}

export interface Siege {
  readonly name: string
  /** Whether the node of siege-node.ts stands in for Solana, and whether it keeps the public one's limits. */
  readonly node: 'sandbox' | 'free' | 'limited'
  /** Requests of the attacker: all at once, or so many a second. */
  readonly attack: { readonly count: number; readonly perSecond: number | null; ask(i: number): Asked }
  /** How long the attack takes to have its effect, ms. */
  readonly leadMs?: number
  /** In turn, each of another client. */
  readonly bystanders: readonly ((i: number) => Asked)[]
  /** Bystanders' requests at most, where what they share is so little. */
  readonly most?: number
  /** Whether an answer is none; a status other than 200 where absent. */
  isFailure?(status: number, body: string): boolean
}

let sent = 0

export const rpc = (method: string, ...params: readonly unknown[]): Asked => ({
  path: '/api/solrpc',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})
/** No two are the same, so that none shares an answer. */
const balance = (account: string): Asked => rpc('getBalance', account, { minContextSlot: ++sent })
const slot = (): Asked => rpc('getSlot')
const hex = (i: number, digits: number): string => `0x${(i + 1).toString(16).padStart(digits, '0')}`

/** A transaction that was never sent before. */
const submission = (): Asked => {
  const blockhash = new Uint8Array(32).fill(9)
  new DataView(blockhash.buffer).setUint32(0, ++sent)
  return rpc('sendTransaction', Buffer.from(serialize(transfer({ blockhash }))).toString('base64'), {
    encoding: 'base64',
  })
}

/** Ten transactions, each with as many signers as it has room for; none was sent before. */
const fullBatch = (): Asked => {
  const batch = Array.from({ length: 10 }, () => {
    const signers = Array.from({ length: 8 }, () => keypair(`siege ${++sent}`))
    return Buffer.from(serialize(transfer({ signers }))).toString('base64')
  })
  return rpc('sendTransactions', batch, { encoding: 'base64' })
}

const status = (i: number): Asked => ({ path: `/api/xstatus?txHash=${hex(i, 64)}&fromChain=base` })
const crossChain = (i: number): Asked => ({
  path:
    '/api/xquote?fromChain=base&toChain=solana&from=0x52908400098527886E0F7030069857D2E4169EE7' +
    `&to=GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB&amount=0.1${String(i).padStart(5, '0')}`,
})
const quote = (i: number): Asked => ({
  path: `/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=1.${i + 1}`,
})
const profile = (address: string): Asked => ({ path: `/api/token/base/${address}` })
const chains = (): Asked => ({ path: '/api/chains' })
const tokens = (): Asked => ({ path: '/api/tokens?limit=20' })
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const BODY = Buffer.alloc(1 << 20, '[')

export const SIEGES: readonly Siege[] = [
  {
    name: '60 reads that the node takes 9.5 s for',
    node: 'free',
    attack: { count: 60, perSecond: null, ask: () => balance(ACCOUNTS.slow) },
    bystanders: [() => balance(ACCOUNTS.quick), slot],
  },
  {
    name: 'five reads that hang',
    node: 'free',
    attack: { count: 5, perSecond: null, ask: () => balance(ACCOUNTS.hanging) },
    leadMs: 6_000,
    bystanders: [() => balance(ACCOUNTS.quick), slot],
  },
  {
    name: "60 getBalance at once, at a node with the public one's limits",
    node: 'limited',
    attack: { count: 60, perSecond: null, ask: () => balance(ACCOUNTS.quick) },
    bystanders: [() => balance(ACCOUNTS.quick), slot, submission],
    most: 21,
  },
  {
    name: '1 MiB bodies that are refused, 12 a second',
    node: 'free',
    attack: { count: 180, perSecond: 12, ask: () => ({ path: '/api/build', body: BODY }) },
    bystanders: [chains, slot, tokens],
  },
  {
    name: '/api/xstatus, 6 a second',
    node: 'sandbox',
    attack: { count: 100, perSecond: 6, ask: (i) => status(i) },
    bystanders: [(i) => status(1_000 + i)],
    most: 30,
  },
  {
    name: '58 /api/xquote at once',
    node: 'sandbox',
    attack: { count: 58, perSecond: null, ask: (i) => crossChain(i) },
    bystanders: [(i) => crossChain(1_000 + i)],
    most: 15,
  },
  {
    name: 'random /api/token, 20 a second',
    node: 'sandbox',
    attack: { count: 400, perSecond: 20, ask: (i) => profile(hex(1_000 + i, 40)) },
    bystanders: [() => profile(BRETT), tokens],
    most: 40,
  },
  {
    name: 'what fails for one client only, 20 a second',
    node: 'free',
    attack: { count: 60, perSecond: 20, ask: () => balance(ACCOUNTS.failing) },
    bystanders: [() => balance(ACCOUNTS.quick), slot],
  },
  {
    name: 'full batches of new signers, and quotes of random tokens',
    node: 'sandbox',
    attack: {
      count: 62,
      perSecond: null,
      ask: (i) =>
        i < 2
          ? fullBatch()
          : { path: `/api/quote?chain=base&side=sell&token=${hex(5_000 + i, 40)}&amount=1` },
    },
    bystanders: [chains, quote],
    most: 60,
  },
]

/** Times of answers, and how many were failures. */
export interface Outcome {
  readonly failures: readonly string[]
  readonly count: number
  readonly p50: number
  readonly p95: number
  /** What the attacker got, by status; 0 for what was still under way at the end. */
  readonly attacker: ReadonlyMap<number, number>
}

const ATTACKER = '198.51.100.66'
/** So many clients ask beside the attacker. */
const BYSTANDERS = 10

export interface Target {
  readonly url: string
  close(): Promise<void>
}

/**
 * What the bystanders see. @param isAttacked  whether the attacker is there
 * @param count  requests of bystanders @param everyMs  one
 */
export async function hold(
  siege: Siege,
  { url }: Pick<Target, 'url'>,
  isAttacked: boolean,
  { count, everyMs, leadMs = 0 }: { count: number; everyMs: number; leadMs?: number },
): Promise<Outcome> {
  const { bystanders, most = count, attack } = siege
  const agent = new Agent({ keepAlive: true })
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const attacker = new Map<number, number>()
  const attacked = isAttacked ? lead(url, attack, over.signal, attacker) : null
  if (isAttacked) await sleep(leadMs)
  const pending: Promise<void>[] = []
  const times: number[] = []
  const failures: string[] = []
  const isFailure = siege.isFailure?.bind(siege) ?? ((code: number) => code !== 200)
  for (let i = 0; i < Math.min(count, most); i++) {
    const asked = bystanders[i % bystanders.length]!(i)
    const begun = performance.now()
    pending.push(
      send(url, asked, `203.0.113.${i % BYSTANDERS}`, agent).then(({ code, body }) => {
        times.push(performance.now() - begun)
        if (isFailure(code, body)) failures.push(`${asked.path} ${code} ${body.slice(0, 300)}`)
      }),
    )
    await sleep(everyMs)
  }
  await Promise.all(pending)
  over.abort()
  await attacked
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))]!
  return { failures, count: times.length, p50: at(0.5), p95: at(0.95), attacker }
}

/** Sends what the attacker sends, and gives up what is still under way at the end. */
async function lead(
  url: string,
  { count, perSecond, ask }: Siege['attack'],
  over: AbortSignal,
  got: Map<number, number>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const pending: Promise<unknown>[] = []
  const note = (code: number): unknown => got.set(code, (got.get(code) ?? 0) + 1)
  for (let i = 0; i < count && !over.aborted; i++) {
    pending.push(
      send(url, ask(i), ATTACKER, agent, over).then(
        ({ code }) => note(code),
        () => note(0),
      ),
    )
    if (perSecond !== null) await sleep(1_000 / perSecond)
  }
  await Promise.all(pending)
  agent.destroy()
}

function send(
  url: string,
  { path, body }: Asked,
  client: string,
  agent: Agent,
  signal?: AbortSignal,
): Promise<{ readonly code: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': client, 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const sending = request(url + path, { method, headers, agent, ...(signal && { signal }) })
    sending.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ code: response.statusCode!, body: text }))
      response.on('error', reject)
    })
    sending.on('error', (error) => {
      if (signal === undefined) resolve({ code: 0, body: error.message })
      else reject(error)
    })
    sending.end(body)
  })
}

/** Connections that are up to no good. */
export interface Storm {
  /** How many of them the gateway has not closed. */
  open(): number
  close(): void
}

/** Reads of 13 MiB, whose answers nobody takes. */
export function unread(url: string, count: number): Storm {
  return connectAll(url, count, (socket, host) => {
    const { path, body } = rpc('getAccountInfo', ACCOUNTS.large, { minContextSlot: ++sent })
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      `X-Forwarded-For: ${ATTACKER}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body!)}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.pause()
  })
}

/** Connections that send a byte of a head each second. */
export function slowLoris(url: string, count: number): Storm {
  return connectAll(url, count, (socket) => {
    socket.write('GET /api/chains HTTP/1.1\r\nHost: h\r\nX-A: ')
    const drip = setInterval(() => socket.write('a'), 1_000)
    socket.on('close', () => clearInterval(drip))
    socket.resume()
  })
}

function connectAll(url: string, count: number, begin: (socket: Socket, host: string) => void): Storm {
  const { port, hostname, host } = new URL(url)
  const sockets = new Set<Socket>()
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    begin(socket, host)
  }
  return {
    open: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
