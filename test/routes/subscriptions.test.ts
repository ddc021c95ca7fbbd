import { type EventEmitter, once } from 'node:events'
import { createConnection } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSolanaRpcSubscriptions, signature } from '@solana/kit'
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { runningClock } from '../fixtures/clock.ts'
import { GRACE, listen } from '../fixtures/gateway.ts'
import { raw } from '../fixtures/raw.ts'
import { recordingNode } from '../fixtures/recording-node.ts'

const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
const S = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

/** A sandbox whose second port is where @solana/web3.js looks. */
async function beside(t: Test) {
  for (;;) {
    const gateway = await listen(t, { LIMITS }, { clock: runningClock() })
    if (gateway.wsUrl !== null) return gateway
  }
}

/** A gateway before a node that answers 1 to everything. */
async function live(t: Test, environment: Record<string, string> = {}) {
  const node = await recordingNode(t)
  return listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS, ...environment })
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What is alive, in bytes. */
function memory(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const wsOf = (url: string): string => `${url.replace('http', 'ws')}/api/solrpc`

/** An open WebSocket that asks, and keeps what it is told. */
async function connect(t: Test, url: string, headers: Record<string, string> = {}) {
  const ws = new WebSocket(url, { headers })
  t.teardown(() => ws.terminate())
  const told: unknown[] = []
  ws.on('message', (data) => told.push(JSON.parse(String(data))))
  await once(ws, 'open')
  let lastId = 0
  const ask = async (method: string, params: unknown[]): Promise<unknown> => {
    ws.send(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }))
    const [answer] = await once(ws, 'message')
    return JSON.parse(String(answer))
  }
  return { ws, told, ask }
}

/** The status of an upgrade that is refused, and the Error body. */
async function refusal(url: string, headers: Record<string, string> = {}) {
  const ws = new WebSocket(url, { headers })
  const [, response] = await once(ws, 'unexpected-response')
  return { status: response.statusCode, body: JSON.parse(await readText(response)) }
}

t.test('sendAndConfirmTransaction of @solana/web3.js works unchanged', async (t) => {
  const { url, sandbox } = await beside(t)
  const wallet = Keypair.generate()
  await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet.publicKey, 2 * LAMPORTS_PER_SOL)
  const connection = new Connection(`${url}/api/solrpc`, 'confirmed')
  const transfer = (amount: number) =>
    new Transaction().add(
      SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: wallet.publicKey, lamports: amount }),
    )
  for (const amount of [1, 2]) {
    const landed = await sendAndConfirmTransaction(connection, transfer(amount), [wallet])
    t.match((await connection.getSignatureStatus(landed)).value, {
      confirmationStatus: 'confirmed',
      err: null,
    })
    // One that was confirmed before is told of, too.
    const again = new Promise((resolve) => connection.onSignature(landed, resolve, 'confirmed'))
    t.same(await again, { err: null })
  }
  // Else it looks for a gateway that is gone for as long as the process lives.
  const { _rpcWebSocket: socket } = connection as unknown as {
    _rpcWebSocket: EventEmitter & { close(): void }
  }
  socket.close()
  await once(socket, 'close')
})

t.test('@solana/kit is notified at the URL of the relay', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS }, { clock: runningClock() })
  const faucet = new Connection(sandbox!.solanaRpc)
  const landed = await faucet.requestAirdrop(Keypair.generate().publicKey, LAMPORTS_PER_SOL)
  const rpcSubscriptions = createSolanaRpcSubscriptions(wsOf(url))
  const abort = new AbortController()
  const notifications = await rpcSubscriptions
    .signatureNotifications(signature(landed), { commitment: 'confirmed' })
    .subscribe({ abortSignal: abort.signal })
  for await (const { context, value } of notifications) {
    t.equal(typeof context.slot, 'bigint')
    t.same(value, { err: null })
    break
  }
  abort.abort()
})

/** Whether the calls are one round of 1,000 signatures: each is asked for once, in as few calls as can be. */
function isRound(calls: readonly (readonly string[])[]): boolean {
  return new Set(calls.flat()).size === 1_000 && calls.every(({ length }) => length === 256 || length === 232)
}

t.test('a thousand subscribers are four calls a round', async (t) => {
  const answer = ({ params }: { params: unknown[] }): string => {
    const value = (params[0] as string[]).map(() => ({
      slot: 5,
      confirmations: null,
      err: null,
      status: { Ok: null },
      confirmationStatus: isLanded ? 'confirmed' : 'processed',
    }))
    return `{"jsonrpc":"2.0","result":${JSON.stringify({ context: { slot: 9 }, value })},"id":$ID}`
  }
  let isLanded = false
  const node = await recordingNode(t, (call) => answer(call))
  const gateway = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: node.url,
    TRUSTED_PROXIES: 'loopback',
    LOG_LEVEL: 'warn',
  })
  // Eight connections of each of four clients, with 32 subscriptions each.
  const before = memory()
  const sockets = await Promise.all(
    Array.from({ length: 32 }, (_, i) =>
      connect(t, wsOf(gateway.url), { 'x-forwarded-for': `192.0.2.${i % 4}` }),
    ),
  )
  const signatures = Array.from({ length: 1_000 }, (_, i) => {
    const bytes = new Uint8Array(64).fill(9)
    new DataView(bytes.buffer).setUint32(0, i)
    return encodeBase58(bytes)
  })
  for (const [i, one] of signatures.entries()) {
    const call = {
      jsonrpc: '2.0',
      id: i,
      method: 'signatureSubscribe',
      params: [one, { commitment: 'confirmed' }],
    }
    sockets[i % 32]!.ws.send(JSON.stringify(call))
  }
  const told = () => sockets.flatMap(({ told }) => told) as { method?: string }[]
  while (told().length < 1_000) await sleep(5)
  const perSubscriber = (memory() - before) / 1_000
  const first = node.calls.length
  const asked = () => node.calls.slice(first).map(({ params }) => params[0] as string[])
  while (asked().length < 16) await sleep(5)
  // Calls of a round arrive in any order, and the first round may have begun before all had subscribed.
  const begins = [0, 1, 2, 3, 4, 5, 6, 7].filter(
    (at) => isRound(asked().slice(at, at + 4)) && isRound(asked().slice(at + 4, at + 8)),
  )
  t.ok(begins.length > 0, 'two rounds in a row are four calls each')
  isLanded = true
  while (told().length < 2_000) await sleep(5)
  t.comment(
    `1,000 subscribers: ${(perSubscriber / 1_024).toFixed(1)} KiB each, their 32 connections and this test's side included`,
  )
  t.equal(told().filter(({ method }) => method === 'signatureNotification').length, 1_000)
  const quiet = node.calls.length
  await sleep(500)
  t.equal(node.calls.length, quiet, 'nobody waits, so nothing is asked')
})

t.test('it is at the path of the relay only; any other upgrade is an ordinary request', async (t) => {
  const { url } = await live(t)
  const head = 'Host: x\r\nConnection: close, Upgrade'
  const h2c = `${head}, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__`
  t.equal((await raw(url, `GET /api/chains HTTP/1.1\r\n${h2c}\r\n\r\n`)).status, 200)
  const body = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'
  const post = `POST /api/solrpc HTTP/1.1\r\n${h2c}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  t.match(await raw(url, post, body), { status: 200, body: '{"jsonrpc":"2.0","result":1,"id":1}' })
  t.equal((await raw(url, `GET /api/solrpc HTTP/1.1\r\n${h2c}\r\n\r\n`)).status, 405)

  const webSocket = `${head}\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==`
  t.equal((await raw(url, `GET /api/chains HTTP/1.1\r\n${webSocket}\r\n\r\n`)).status, 200)
  t.equal((await raw(url, `GET / HTTP/1.1\r\n${webSocket}\r\n\r\n`)).status, 200)
  t.equal((await raw(url, `GET /api/solrpcs HTTP/1.1\r\n${webSocket}\r\n\r\n`)).status, 404)
  const { ask } = await connect(t, `${wsOf(url)}?api-key=none`)
  t.match(await ask('signatureSubscribe', [S]), { result: 1 })

  t.equal((await raw(url, `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`)).status, 405)
  const without = webSocket.replace(/\r\nSec-WebSocket-Key.*/, '')
  t.equal((await raw(url, `GET /api/solrpc HTTP/1.1\r\n${without}\r\n\r\n`)).status, 400)
  const twice = webSocket.replace('Host: x', 'Host: x\r\nHost: y')
  const { body: error } = await raw(url, `GET /api/solrpc HTTP/1.1\r\n${twice}\r\n\r\n`)
  t.match(JSON.parse(error), { code: 'malformed_request' })
})

t.test('WS=off leaves it out', async (t) => {
  const { url, wsUrl } = await listen(t, { WS: 'off' })
  t.match(await refusal(wsOf(url)), { status: 405, body: { code: 'wrong_method' } })
  t.equal(wsUrl, null)
})

t.test('a second port has the same service, in the sandbox or where it is asked for', async (t) => {
  t.equal((await live(t)).wsUrl, null)
  const { url, wsUrl, adminUrl } = await live(t, {
    WS_PORT: '0',
    ADMIN_PORT: '0',
    MAX_CONNECTIONS_PER_CLIENT: '2',
    TRUSTED_PROXIES: 'none',
  })
  t.not(new URL(wsUrl!).port, new URL(url).port)
  const first = await connect(t, `${wsUrl}/api/solrpc`)
  t.match(await first.ask('signatureSubscribe', [S]), { result: 1 })
  const second = await connect(t, wsOf(url))
  t.match(await second.ask('signatureSubscribe', [S]), { result: 2 })
  t.match(
    await refusal(wsOf(url)),
    { status: 503, body: { code: 'overloaded' } },
    'they are counted as connections',
  )
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  t.match(metrics, /^swapgate_connections 2$/m)
  t.match(metrics, /^swapgate_subscriptions 2$/m)
  await second.ask('signatureUnsubscribe', [2])
  const third = await connect(t, wsOf(url))
  t.match(await third.ask('signatureSubscribe', [S]), { result: 3 }, 'one that waits for nothing made room')
  if (second.ws.readyState !== WebSocket.CLOSED) await once(second.ws, 'close')
  t.equal(first.ws.readyState, WebSocket.OPEN)

  const taken = new URL(url).port
  await t.rejects(live(t, { WS_PORT: taken }), { code: 'EADDRINUSE' })
})

t.test('a client has eight of them', async (t) => {
  const { url } = await live(t, { TRUSTED_PROXIES: 'loopback' })
  const of = (client: string) => ({ 'x-forwarded-for': client })
  const eight = await Promise.all(Array.from({ length: 8 }, () => connect(t, wsOf(url), of('192.0.2.1'))))
  t.match(await refusal(wsOf(url), of('192.0.2.1')), {
    status: 503,
    body: { code: 'overloaded', error: /8 WebSocket/ },
  })
  await connect(t, wsOf(url), of('192.0.2.2'))
  eight[0]!.ws.terminate()
  for (;;) {
    const ws = new WebSocket(wsOf(url), { headers: of('192.0.2.1') })
    const [event] = await Promise.race([
      once(ws, 'open').then(() => ['open']),
      once(ws, 'unexpected-response').then(() => ['refused']),
    ])
    if (event === 'open') {
      ws.terminate()
      break
    }
  }
})

t.test('pages of other origins may not open it where CORS_ORIGINS lists some', async (t) => {
  const { url } = await live(t, { CORS_ORIGINS: 'https://app.example' })
  const evil = { origin: 'https://evil.example' }
  t.match(await refusal(wsOf(url), evil), { status: 403, body: { code: 'origin_not_allowed' } })
  await connect(t, wsOf(url), { origin: 'https://app.example' })
  await connect(t, wsOf(url))
  await connect(t, wsOf((await live(t)).url), evil)
})

t.test('with CORS_ORIGINS=off a page opens it, and posts, from our own origin only', async (t) => {
  const { url } = await live(t, { CORS_ORIGINS: 'off' })
  const post = async (origin: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getNothing', params: [] })
    const headers = { origin, 'content-type': 'text/plain' }
    return (await fetch(`${url}/api/solrpc`, { method: 'POST', body, headers })).status
  }
  for (const origin of ['https://evil.example', 'null', `${url}0`, url.replace(/:\d+$/, '')]) {
    t.match(
      await refusal(wsOf(url), { origin }),
      { status: 403, body: { code: 'origin_not_allowed' } },
      origin,
    )
    t.equal(await post(origin), 403, origin)
  }
  // A proxy before us may speak TLS.
  for (const origin of [url, url.replace('http', 'https')]) {
    await connect(t, wsOf(url), { origin })
    t.equal(await post(origin), 415, 'read as any other request')
  }
  await connect(t, wsOf(url))

  const { url: proxied } = await live(t, { CORS_ORIGINS: 'off', PUBLIC_URL: 'https://swap.example' })
  await connect(t, wsOf(proxied), { origin: 'https://swap.example' })
  t.match(await refusal(wsOf(proxied), { origin: proxied }), { status: 403 }, 'a name of ours no more')
})

t.test('stopping closes with 1001, even for a client that does not answer', async (t) => {
  const { url, stop } = await live(t, GRACE)
  const { ws } = await connect(t, wsOf(url))
  const silent = createConnection(Number(new URL(url).port), '127.0.0.1')
  silent.write(
    'GET /api/solrpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await once(silent, 'data')
  const [[code], whole] = await Promise.all([once(ws, 'close'), stop(), once(silent, 'close')])
  t.equal(code, 1001)
  t.equal(whole, true)
})
