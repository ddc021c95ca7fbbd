/**
 * Restarts two instances in turn by SIGTERM under the load of clients that keep their
 * connections, skip an instance whose readiness is 503, and never retry, and counts the
 * requests that fail. test/long/restarts.test.ts runs twenty,
 * `npm run soak -- restarts` a hundred.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { keypair, serialize, transfer } from '../../test/fixtures/transactions.ts'
import { ACCOUNTS, startSiegeNode } from './siege-node.ts'

const CLIENTS = 32
/** Longer than a client takes to notice that an instance is not ready, on a machine that is not busy. */
const DRAIN_DELAY_MS = 1_000
const READY_EVERY_MS = 20
/**
 * A client's longest pause between two requests: some connections are idle when they close,
 * and nothing is overloaded.
 */
const PAUSE_MS = 100
const SLOW_MS = 300
const GOODBYE = ': the service is stopping'
const GOING_AWAY = 1_001

interface RestartReport {
  readonly requests: number
  readonly failures: readonly string[]
  /**
   * Event streams that ended with the comment, and WebSockets closed with code 1001: one of
   * each per restart.
   */
  readonly farewells: number
  /** Times from the signal to the exit, ms. */
  readonly stopMs: readonly number[]
}

interface Instance {
  readonly child: ChildProcess
  readonly url: string
  readonly adminUrl: string
  readonly agent: Agent
  isReady: boolean
  /** How many of its event stream and its WebSocket ended as they should. */
  readonly farewells: Promise<number>
}

interface CheckedRequest {
  readonly path: string
  readonly body?: string
  /** Text that the answer must contain. */
  readonly expected: string
}

/**
 * @param script    the bundle of the service
 * @param restarts  the total, of both instances in turn
 */
export async function restartUnderLoad(
  script: string,
  restarts: number,
  drainDelayMs = DRAIN_DELAY_MS,
): Promise<RestartReport> {
  const node = await startSiegeNode({ slowMs: SLOW_MS })
  const environment = {
    PATH: process.env.PATH,
    MODE: 'live',
    PORT: '0',
    ADMIN_PORT: '0',
    LIMITS: 'rpcRead=off,rpcSend=off',
    IN_FLIGHT: 'off',
    DRAIN_DELAY_MS: String(drainDelayMs),
    SOLANA_RPC_URLS: node.url,
  }
  const instances = [await start(script, environment), await start(script, environment)]
  const failures: string[] = []
  const stopMs: number[] = []
  let requests = 0
  let farewells = 0
  let isOver = false

  const client = async (number: number): Promise<void> => {
    for (let i = number; !isOver; i++) {
      const ready = instances.filter(({ isReady }) => isReady)
      const instance = ready[i % ready.length]
      if (instance === undefined) throw new Error('No instance is ready.')
      const request = REQUESTS[i % REQUESTS.length]!(++requests)
      const failure = await send(instance, request)
      if (failure !== null) failures.push(`${request.path} ${failure}`)
      await sleep(Math.random() * PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
  try {
    for (let i = 0; i < restarts; i++) {
      const old = instances[i % 2]!
      const begunAt = performance.now()
      old.child.kill('SIGTERM')
      const [code] = (await once(old.child, 'exit')) as [number | null]
      if (code !== 0) failures.push(`an instance ended with ${code}`)
      stopMs.push(performance.now() - begunAt)
      farewells += await old.farewells
      old.agent.destroy()
      instances[i % 2] = await start(script, environment)
    }
  } finally {
    isOver = true
    await Promise.all(clients)
    for (const { child, agent } of instances) {
      agent.destroy()
      child.kill('SIGKILL')
    }
    await node.close()
  }
  return { requests, failures, farewells, stopMs }
}

/** Starts an instance, and resolves when it is ready. */
async function start(script: string, environment: NodeJS.ProcessEnv): Promise<Instance> {
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = (): unknown => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const { url, adminUrl } = JSON.parse(line) as { url: string; adminUrl: string }
  const farewells = Promise.all([streamOf(url), socketOf(url)]).then((ends) => ends.filter(Boolean).length)
  const agent = new Agent({ keepAlive: true })
  const instance: Instance = { child, url, adminUrl, agent, isReady: false, farewells }
  const watch = async (): Promise<void> => {
    while (child.exitCode === null && child.signalCode === null) {
      instance.isReady = (await statusOf(`${adminUrl}/ready`)) === 200
      await sleep(READY_EVERY_MS)
    }
    instance.isReady = false
  }
  void watch()
  while (!instance.isReady) await sleep(READY_EVERY_MS)
  return instance
}

/** All reads differ, so none shares an answer; no transaction is sent twice. */
const rpc = (method: string, params: readonly unknown[], expected: string): CheckedRequest => ({
  path: '/api/solrpc',
  body: JSON.stringify({ jsonrpc: '2.0', id: 'asked', method, params }),
  expected,
})

const WALLET = keypair('restarts')
const balance = (account: string, i: number): CheckedRequest =>
  rpc('getBalance', [account, { minContextSlot: i }], '"value":1')

const REQUESTS: readonly ((i: number) => CheckedRequest)[] = [
  () => ({ path: '/api/chains', expected: '"solana"' }),
  (i) => balance(ACCOUNTS.quick, i),
  (i) => balance(ACCOUNTS.slow, i),
  (i) => {
    const blockhash = new Uint8Array(32).fill(9)
    new DataView(blockhash.buffer).setUint32(0, i)
    const bytes = serialize(transfer({ signers: [WALLET], blockhash }))
    return rpc(
      'sendTransaction',
      [Buffer.from(bytes).toString('base64'), { encoding: 'base64' }],
      '"result":"',
    )
  },
]

/** @returns null if the expected answer arrived in full, else what failed */
function send({ url, agent }: Instance, { path, body, expected }: CheckedRequest): Promise<string | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const sending = request(url + path, { method: body === undefined ? 'GET' : 'POST', headers, agent })
    sending.on('error', (error) => resolve(`${error.message}, connection reused: ${sending.reusedSocket}`))
    sending.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', (error) => resolve(error.message))
      response.on('end', () => {
        const isAnswer = response.statusCode === 200 && text.includes(expected)
        resolve(isAnswer ? null : `${response.statusCode} ${text.slice(0, 200)}`)
      })
    })
    sending.end(body)
  })
}

function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    }).on('error', () => resolve(0))
  })
}

/** Resolves with whether an event stream ended with the comment of a stopping service. */
function streamOf(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/api/bake-off/event`, { agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(text.includes(GOODBYE)))
      response.on('error', () => resolve(false))
    }).on('error', () => resolve(false))
  })
}

/** Resolves with whether a WebSocket was closed with code 1001, "going away". */
function socketOf(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`)
    socket.on('close', (code) => resolve(code === GOING_AWAY))
    socket.on('error', () => resolve(false))
  })
}
