/**
 * Sieges: what one abusive client does that would hurt all others if scarce resources
 * were not shared fairly, and the requests of the other clients meanwhile. A siege needs
 * a gateway that trusts loopback for the clients' addresses. test/siege/ and
 * test/long/ run each for a moment, `npm run siege` for its full time.
 */
import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keypair, serialize, transfer } from '../../test/fixtures/transactions.ts'
import { ACCOUNTS } from './siege-node.ts'

/** A request of the attacker or of a bystander. */
interface SiegeRequest {
  readonly path: string
  readonly body?: string | Buffer
}

export interface Siege {
  readonly name: string
  /** The Solana node: the sandbox's, or that of siege-node.ts without or with the public node's limits. */
  readonly node: 'sandbox' | 'free' | 'limited'
  /** Requests of the attacker: at a rate, or all at once where `perSecond` is null. */
  readonly attack: { readonly count: number; readonly perSecond: number | null; ask(i: number): SiegeRequest }
  /** The time until the attack has its effect, ms. */
  readonly leadMs?: number
  /** Whether the bystanders begin once the attacker has all its answers: what is left of the attack is measured. */
  readonly isAfter?: boolean
  /** The bystanders' requests in rotation, each from another client. */
  readonly bystanders: readonly ((i: number) => SiegeRequest)[]
  /** The most requests that the bystanders send, where the resource they share allows few. */
  readonly most?: number
  /** Whether an answer counts as a failure; where absent, every status but 200 does. */
  isFailure?(status: number, body: string): boolean
}

let sent = 0

export const rpc = (method: string, ...params: readonly unknown[]): SiegeRequest => ({
  path: '/api/solrpc',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})
/** All differ, so that none shares an answer. */
const balance = (account: string): SiegeRequest => rpc('getBalance', account, { minContextSlot: ++sent })
const large = (): SiegeRequest => rpc('getAccountInfo', ACCOUNTS.large, { minContextSlot: ++sent })
const slot = (): SiegeRequest => rpc('getSlot')
const hex = (i: number, digits: number): string => `0x${(i + 1).toString(16).padStart(digits, '0')}`

/** A transaction that was never sent before. */
const submission = (): SiegeRequest => {
  const blockhash = new Uint8Array(32).fill(9)
  new DataView(blockhash.buffer).setUint32(0, ++sent)
  return rpc('sendTransaction', Buffer.from(serialize(transfer({ blockhash }))).toString('base64'), {
    encoding: 'base64',
  })
}

/** Ten transactions with eight signers each; none was sent before. */
const fullBatch = (): SiegeRequest => {
  const batch = Array.from({ length: 10 }, () => {
    const signers = Array.from({ length: 8 }, () => keypair(`siege ${++sent}`))
    return Buffer.from(serialize(transfer({ signers }))).toString('base64')
  })
  return rpc('sendTransactions', batch, { encoding: 'base64' })
}

const status = (i: number): SiegeRequest => ({ path: `/api/xstatus?txHash=${hex(i, 64)}&fromChain=base` })
const crossChainQuote = (i: number): SiegeRequest => ({
  path:
    '/api/xquote?fromChain=base&toChain=solana&from=0x52908400098527886E0F7030069857D2E4169EE7' +
    `&to=GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB&amount=0.1${String(i).padStart(5, '0')}`,
})
const quote = (i: number): SiegeRequest => ({
  path: `/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=1.${i + 1}`,
})
const profile = (address: string): SiegeRequest => ({ path: `/api/token/base/${address}` })
const chains = (): SiegeRequest => ({ path: '/api/chains' })
const tokens = (): SiegeRequest => ({ path: '/api/tokens?limit=20' })
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const BODY = Buffer.alloc(1 << 20, '[')

export const SIEGES: readonly Siege[] = [
  {
    name: '60 reads that take the node 9.5 s',
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
    name: "60 getBalance at once, with the public node's limits",
    node: 'limited',
    attack: { count: 60, perSecond: null, ask: () => balance(ACCOUNTS.quick) },
    bystanders: [() => balance(ACCOUNTS.quick), slot, submission],
    most: 21,
  },
  {
    name: '60 reads of 13 MiB, during them',
    node: 'free',
    attack: { count: 60, perSecond: null, ask: () => large() },
    leadMs: 50,
    bystanders: [chains, slot, quote, () => balance(ACCOUNTS.quick)],
  },
  {
    name: '60 reads of 13 MiB, after them',
    node: 'free',
    attack: { count: 60, perSecond: null, ask: () => large() },
    isAfter: true,
    bystanders: [chains, slot, quote, () => balance(ACCOUNTS.quick)],
  },
  {
    name: 'rejected bodies of 1 MiB, 12 a second',
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
    attack: { count: 58, perSecond: null, ask: (i) => crossChainQuote(i) },
    bystanders: [(i) => crossChainQuote(1_000 + i)],
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
    name: 'reads that fail for one client only, 20 a second',
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

/** What the bystanders and the attacker got. */
export interface SiegeReport {
  readonly failures: readonly string[]
  readonly count: number
  readonly p50: number
  readonly p95: number
  /** Answers to the attacker, by status; 0 counts requests still unanswered at the end. */
  readonly attacker: ReadonlyMap<number, number>
}

const ATTACKER = '198.51.100.66'
/** The number of clients besides the attacker. */
const BYSTANDERS = 10
/** The first three numbers of their addresses. */
const NETWORK = '203.0.113'

/** An attack under way. */
export interface Attack {
  /** Resolves when the attacker has all its answers. */
  readonly answered: Promise<unknown>
  /** Aborts what is unanswered. @returns answers by status, as in `SiegeReport.attacker` */
  end(): Promise<ReadonlyMap<number, number>>
}

/**
 * Runs a siege, and returns what the bystanders see.
 * @param attack  the attack that has begun; null for none
 * @param count  the bystanders' requests
 * @param everyMs  the interval between them
 * @param leadMs  how long the attack runs before their first one
 * @param network  the first three numbers of their addresses
 */
export async function hold(
  siege: Omit<Siege, 'attack'>,
  { url }: { readonly url: string },
  attack: Attack | null,
  {
    count,
    everyMs,
    leadMs = 0,
    network = NETWORK,
  }: { count: number; everyMs: number; leadMs?: number; network?: string },
): Promise<SiegeReport> {
  const { bystanders, most = count } = siege
  const agent = new Agent({ keepAlive: true })
  if (siege.isAfter) await attack?.answered
  else if (attack !== null) await sleep(leadMs)
  const pending: Promise<void>[] = []
  const times: number[] = []
  const failures: string[] = []
  const isFailure = siege.isFailure?.bind(siege) ?? ((code: number) => code !== 200)
  for (let i = 0; i < Math.min(count, most); i++) {
    const asking = bystanders[i % bystanders.length]!(i)
    const begun = performance.now()
    pending.push(
      send(url, asking, `${network}.${i % BYSTANDERS}`, agent).then(({ code, body }) => {
        times.push(performance.now() - begun)
        if (isFailure(code, body)) failures.push(`${asking.path} ${code} ${body.slice(0, 300)}`)
      }),
    )
    await sleep(everyMs)
  }
  await Promise.all(pending)
  const attacker = (await attack?.end()) ?? new Map()
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))]!
  return { failures, count: times.length, p50: at(0.5), p95: at(0.95), attacker }
}

/** Begins to send the attacker's requests. */
export function begin(url: string, { count, perSecond, ask }: Siege['attack']): Attack {
  const agent = new Agent({ keepAlive: true })
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const got = new Map<number, number>()
  const note = (code: number): unknown => got.set(code, (got.get(code) ?? 0) + 1)
  const lead = async (): Promise<void> => {
    const pending: Promise<unknown>[] = []
    for (let i = 0; i < count && !over.signal.aborted; i++) {
      pending.push(
        send(url, ask(i), ATTACKER, agent, over.signal).then(
          ({ code }) => note(code),
          () => note(0),
        ),
      )
      if (perSecond !== null) await sleep(1_000 / perSecond)
    }
    await Promise.all(pending)
  }
  const answered = lead()
  return {
    answered,
    async end() {
      over.abort()
      await answered
      agent.destroy()
      return got
    },
  }
}

function send(
  url: string,
  { path, body }: SiegeRequest,
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
      // What the attacker gets takes none of the bystanders' time in this process.
      if (signal !== undefined) response.resume()
      else response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
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

/** An attacker's connections. */
export interface Storm {
  /** The number of connections that the gateway has not closed. */
  open(): number
  close(): void
}

/** Opens connections that request 13 MiB each, and do not read the answers. */
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

/** Opens connections that each send a body of a megabyte in chunks of one byte, over and over. */
export function byteByByte(url: string, count: number): Storm {
  const chunks = '1\r\n[\r\n'.repeat(1 << 14)
  return connectAll(url, count, (socket, host) => {
    const head = [
      'POST /api/build HTTP/1.1',
      `Host: ${host}`,
      `X-Forwarded-For: ${ATTACKER}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const flood = (): void => {
      while (!socket.destroyed && socket.write(chunks)) {}
    }
    socket.on('drain', flood)
    flood()
    socket.resume()
  })
}

/** Opens connections that ask for the description of the service under ever new names of it, and read nothing. */
export function openapiUnread(url: string, count: number): Storm {
  return connectAll(url, count, (socket) => {
    const more = setInterval(() => {
      const heads = Array.from({ length: 20 }, () =>
        ['GET /openapi.json HTTP/1.1', `Host: h${++sent}.example`, `X-Forwarded-For: ${ATTACKER}`].join(
          '\r\n',
        ),
      )
      socket.write(`${heads.join('\r\n\r\n')}\r\n\r\n`)
    }, 500)
    socket.on('close', () => clearInterval(more))
    socket.pause()
  })
}

/** Opens connections that each send one byte of a request head a second. */
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
