/**
 * The traffic of wallets to a gateway: lists, profiles, portfolios, quotes and their
 * builds, reads, submissions, and streams and WebSockets that come and go, from many
 * clients; and the faults of its upstreams meanwhile.
 */
import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { decodeBase58, encodeBase58 } from '../../src/chains/solana/base58.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { keypair, serialize, transfer } from '../../test/fixtures/transactions.ts'

const CLIENTS = 200
const STREAMS = 10
const SOCKETS = 10
/** The longest time after which a client closes a stream or a WebSocket and opens a new one. */
const LISTEN_MS = 15_000
/**
 * A fault lasts this long, then none does for as long: every upstream fails in each quarter of
 * ten minutes.
 */
const FAULT_MS = 2_000
/**
 * Calls succeed with `latency` and `stale`, and fail with the others; the cooldown after a 429
 * outlasts the fault.
 */
const FAULTS = ['500', 'hang', 'garbage', 'reset', 'latency', 'stale', '404', '429'] as const
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const PAYER = keypair('soak')

/** The addresses of the stand-alone sandbox behind the gateway. */
type SandboxUrls = Pick<Sandbox, 'solanaUrl' | 'controlUrl'>

interface Reply {
  readonly status: number
  readonly body: string
}

interface TrafficRequest {
  readonly path: string
  readonly body?: string
}

export class Traffic {
  readonly #url: string
  readonly #sandbox: SandboxUrls
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 })
  /** Number of answers by status; 0 for no answer, and `internal_error` separately. */
  readonly statuses = new Map<string, number>()
  #count = 0
  #nth = 0
  #isOver = false
  #blockhash: Uint8Array = new Uint8Array(32)
  #build: string | null = null

  constructor(url: string, sandbox: SandboxUrls) {
    this.#url = url
    this.#sandbox = sandbox
  }

  /** Funds the payer, and gets the first blockhash and quote. */
  async prepare(): Promise<void> {
    const params = [encodeBase58(PAYER.publicKey), 1_000_000_000_000]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params })
    await fetch(this.#sandbox.solanaUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await this.#refresh()
  }

  /**
   * Keeps `atOnce` requests open: each is followed by the next when it is answered.
   * @returns answers per second
   */
  async saturate(atOnce: number, seconds: number): Promise<number> {
    const endsAt = performance.now() + seconds * 1_000
    const before = this.#nth
    const one = async (): Promise<void> => {
      while (performance.now() < endsAt) await this.#ask()
    }
    await Promise.all(Array.from({ length: atOnce }, one))
    return (this.#nth - before) / seconds
  }

  /** Sends requests at a constant rate, beside streams and WebSockets; each round brings the same faults. */
  async run(perSecond: number, roundMs: number, rounds: number): Promise<void> {
    const listeners = [
      ...Array.from({ length: STREAMS }, (_, i) => this.#stream(i)),
      ...Array.from({ length: SOCKETS }, (_, i) => this.#subscribe(i)),
      this.#fail(roundMs),
      this.#keepRefreshing(),
    ]
    const begunAt = performance.now()
    const pending = new Set<Promise<void>>()
    for (let sent = 0; performance.now() - begunAt < rounds * roundMs; ) {
      const due = ((performance.now() - begunAt) * perSecond) / 1_000
      for (; sent < due; sent++) {
        const asking: Promise<void> = this.#ask().finally(() => pending.delete(asking))
        pending.add(asking)
      }
      await sleep(2)
    }
    this.#isOver = true
    await Promise.all([...pending, ...listeners])
    await fetch(`${this.#sandbox.controlUrl}/faults`, { method: 'DELETE' })
    this.#agent.destroy()
  }

  async #ask(): Promise<void> {
    const { status, body } = await this.#send(this.#next())
    const what = body.includes('"internal_error"') ? 'internal_error' : String(status)
    this.statuses.set(what, (this.statuses.get(what) ?? 0) + 1)
  }

  #next(): TrafficRequest {
    const i = ++this.#nth
    const wallet = `0x${(1 + (i % 500)).toString(16).padStart(40, '0')}`
    switch (i % 20) {
      case 0:
      case 10:
        return { path: `/api/portfolio?address=${wallet}&chains=base` }
      case 1:
      case 6:
      case 11:
        return { path: `/api/quote?${order(`1.${i % 5_000}`)}` }
      case 2:
        return this.#build === null ? { path: '/api/chains' } : { path: '/api/build', body: this.#build }
      case 3:
      case 13:
        return rpc('sendTransaction', [this.#submission(i), { encoding: 'base64' }])
      case 4:
      case 14:
        return { path: `/api/token/base/${i % 3 === 0 ? wallet : BRETT}` }
      case 5:
      case 15:
        return { path: '/api/tokens' }
      case 7:
        return { path: `/api/xstatus?txHash=0x${(i % 1_000).toString(16).padStart(64, '0')}&fromChain=base` }
      case 8:
        return { path: '/api/native-history?chain=base' }
      default:
        return rpc('getBalance', [encodeBase58(PAYER.publicKey), { minContextSlot: i % 100 }])
    }
  }

  /** All differ: each transfers another number of lamports. */
  #submission(i: number): string {
    const data = new Uint8Array(12)
    const view = new DataView(data.buffer)
    view.setUint32(0, 2, true)
    view.setUint32(4, 1_000_000 + i, true)
    const instructions = [{ program: 2, accounts: [0, 1], data }]
    const draft = transfer({ signers: [PAYER], blockhash: this.#blockhash, instructions })
    return Buffer.from(serialize(draft)).toString('base64')
  }

  /** Gets a fresh blockhash to sign with, and a fresh quote to build. */
  async #refresh(): Promise<void> {
    const latest = await this.#send(rpc('getLatestBlockhash', []))
    const [, blockhash] = /"blockhash":"(\w+)"/.exec(latest.body) ?? []
    if (blockhash !== undefined) this.#blockhash = decodeBase58(blockhash, 32)!
    const { status, body } = await this.#send({ path: `/api/quote?${order('1')}` })
    if (status !== 200) return
    const fields = { chain: 'base', side: 'buy', token: USDC, amount: '1', slippageBps: 50, from: EVM_WALLET }
    this.#build = JSON.stringify({ ...fields, quote: JSON.parse(body) })
  }

  async #keepRefreshing(): Promise<void> {
    while (!this.#isOver) {
      await this.#refresh()
      await sleep(5_000)
    }
  }

  /**
   * Makes one upstream after the other fail, each with the next fault; the same ones in each
   * period, so that periods compare.
   */
  async #fail(periodMs: number): Promise<void> {
    const { controlUrl } = this.#sandbox
    const names = Object.keys((await (await fetch(`${controlUrl}/faults`)).json()) as object)
    const begunAt = performance.now()
    const perPeriod = Math.floor(periodMs / (2 * FAULT_MS))
    for (let n = 0; !this.#isOver; n++) {
      const i = n % perPeriod
      const dueAt = begunAt + Math.floor(n / perPeriod) * periodMs + i * 2 * FAULT_MS
      await sleep(Math.max(0, dueAt - performance.now()))
      if (this.#isOver) break
      const name = names[i % names.length]!
      await this.#setFault(name, FAULTS[i % FAULTS.length]!)
      await sleep(FAULT_MS)
      await this.#setFault(name, null)
    }
  }

  async #setFault(name: string, fault: string | null): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ fault })
    await (await fetch(`${this.#sandbox.controlUrl}/faults/${name}`, { method: 'PUT', headers, body })).text()
  }

  async #stream(i: number): Promise<void> {
    while (!this.#isOver) {
      const headers = { 'x-forwarded-for': `10.2.0.${i}` }
      const leaving = get(`${this.#url}/api/prices/stream?tokens=base:${USDC},base:${BRETT}`, {
        headers,
        agent: false,
      })
      leaving.on('response', (response) => response.resume().on('error', () => {}))
      leaving.on('error', () => {})
      await sleep(LISTEN_MS * (0.5 + Math.random() / 2))
      leaving.destroy()
    }
  }

  async #subscribe(i: number): Promise<void> {
    while (!this.#isOver) {
      const headers = { 'x-forwarded-for': `10.3.0.${i}` }
      const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/api/solrpc`, { headers })
      const params = [
        encodeBase58(new Uint8Array(64).fill(1 + (this.#nth % 200))),
        { commitment: 'confirmed' },
      ]
      socket.on('open', () =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'signatureSubscribe', params })),
      )
      socket.on('error', () => {})
      await sleep(LISTEN_MS * (0.5 + Math.random() / 2))
      socket.terminate()
    }
  }

  #send({ path, body }: TrafficRequest): Promise<Reply> {
    const client = `10.1.0.${++this.#count % CLIENTS}`
    return new Promise((resolve) => {
      const headers = { 'x-forwarded-for': client, 'content-type': 'application/json' }
      const method = body === undefined ? 'GET' : 'POST'
      const sending = request(this.#url + path, { method, headers, agent: this.#agent })
      sending.on('error', () => resolve({ status: 0, body: '' }))
      sending.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, body: text }))
        response.on('error', () => resolve({ status: 0, body: '' }))
      })
      sending.end(body)
    })
  }
}

const order = (amount: string): string =>
  `chain=base&side=buy&token=${USDC}&amount=${amount}&slippageBps=50&from=${EVM_WALLET}`

const rpc = (method: string, params: readonly unknown[]): TrafficRequest => ({
  path: '/api/solrpc',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})
