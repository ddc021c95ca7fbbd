import { Keypair } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { TransactionReceipt, TransactionStatus } from '../../src/research/onchain/shapes.ts'
import { Rebroadcasts, SubmissionReceipt } from '../../src/runtime/resources/receipt.ts'
import { Check } from '../fixtures/check.ts'
import { handClock, until } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { type Node, startNodes } from '../fixtures/sandbox.ts'

const FRIEND = Keypair.generate().publicKey
const STRANGE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

/** A gateway before one sandbox node, by a clock that stands still. */
async function start(t: Test, environment: Record<string, string> = {}) {
  const [node] = (await startNodes(t, 1)) as [Node]
  const clock = handClock()
  const live = { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS: 'rpcSend=off', ...environment }
  const { url } = await listen(t, live, { clock })
  const wallet = await node.funded()
  node.advance(40)
  const get = async (path: string) => {
    const response = await fetch(url + path)
    return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> }
  }
  const send = async (lamports = 1_000_000): Promise<string> => {
    const bytes = await node.transfer(wallet, FRIEND, lamports)
    const response = await call(url, 'sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }])
    return ((await response.json()) as ReturnType<typeof JSON.parse>).result
  }
  const asked = (): number => node.received.filter((body) => body.includes('getSignatureStatuses')).length
  return { node, clock, url, get, send, asked, wallet: wallet.publicKey }
}

t.test('a submission has a receipt, which its whole signature finds', async (t) => {
  const { clock, get, send } = await start(t)
  const digest = await send()
  const { status, body } = await get(`/api/fast-trade-proof?digest=${digest}`)
  t.equal(status, 200)
  t.ok(Check(SubmissionReceipt, body))
  t.match(body, {
    digest,
    receivedAt: /^2026-11-20T12:00:0\d/,
    upstreams: [{ name: 'solana-1', sends: 1, outcome: 'accepted' }],
    landed: null,
  })
  const status404 = { status: 404, body: { code: 'receipt_not_found', scope: 'not_found', field: 'digest' } }
  t.match(await get(`/api/fast-trade-proof?digest=${STRANGE}`), status404)
  const wrong = { status: 400, body: { code: 'invalid_parameter', field: 'digest' } }
  for (const text of [digest.slice(0, 60), digest.slice(0, 8), '', '*', `${digest}xxx`]) {
    t.match(await get(`/api/fast-trade-proof?digest=${encodeURIComponent(text)}`), wrong, text)
  }
  t.match(await get('/api/fast-trade-proof'), wrong)
  await until(() => clock.waiting > 0)
})

t.test('one that is refused has a receipt too, and one that does not verify has none', async (t) => {
  const { node, get, url } = await start(t)
  const poor = Keypair.generate()
  const bytes = await node.transfer(poor, FRIEND, 1)
  const signed = bytes.toString('base64')
  await call(url, 'sendTransaction', [signed, { encoding: 'base64' }])
  const digest = encodeBase58(bytes.subarray(1, 65))
  t.match(await get(`/api/fast-trade-proof?digest=${digest}`), {
    status: 200,
    body: { upstreams: [{ outcome: 'refused' }] },
  })
  bytes[70]! ^= 1
  bytes[10]! ^= 1
  await call(url, 'sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }])
  const forged = encodeBase58(bytes.subarray(1, 65))
  t.match(await get(`/api/fast-trade-proof?digest=${forged}`), { status: 404 })
})

t.test('rebroadcasts are listed without their signatures', async (t) => {
  const { node, clock, get, send } = await start(t)
  t.same((await get('/api/rebroadcast')).body, { everyMs: 1_000, count: 0, transactions: [] })
  node.turn('forget')
  const digest = await send()
  clock.advance(500)
  const { status, body } = await get('/api/rebroadcast')
  t.equal(status, 200)
  t.ok(Check(Rebroadcasts, body))
  t.same(body, {
    everyMs: 1_000,
    count: 1,
    transactions: [{ ageMs: 500, sends: 0, retriesLeft: 5, nextInMs: 500, lastValidBlockHeight: null }],
  })
  t.notMatch(JSON.stringify(body), digest)
  clock.advance(500)
  t.match((await get('/api/rebroadcast')).body, {
    transactions: [{ sends: 1, retriesLeft: 4, nextInMs: 1_000 }],
  })
})

t.test('the status of a transaction is the word of a node', async (t) => {
  const { node, clock, get, send, asked, wallet } = await start(t)
  const path = (signature: string) => `/api/transaction-status?chain=solana&signature=${signature}`
  t.same((await get(path(STRANGE))).body, {
    chain: 'solana',
    hash: null,
    signature: STRANGE,
    status: 'unknown',
    isFinal: false,
    confirmations: null,
    block: null,
    slot: null,
    includedAt: null,
    err: null,
    replaced: null,
    droppedFrom: null,
    fee: null,
    explorer: `https://solscan.io/tx/${STRANGE}`,
    receipt: null,
    asOf: clock.date(),
  })
  t.equal(asked(), 1)
  await Promise.all([get(path(STRANGE)), get(path(STRANGE))])
  t.equal(asked(), 1, 'requests within a slot share the answer')
  clock.advance(401)
  await get(path(STRANGE))
  t.equal(asked(), 2)

  node.turn('forget')
  const lost = await send(2_000_000)
  const { body: pending } = await get(path(lost))
  t.match(pending, { status: 'pending', slot: null, receipt: { digest: lost, landed: null } })
  t.ok(Check(TransactionStatus, pending))
  node.turn(null)
  const landed = await send(3_000_000)
  node.advance(40)
  const { status, body } = await get(path(landed))
  t.equal(status, 200)
  t.ok(Check(TransactionStatus, body))
  t.match(body, { status: 'finalized', slot: Number, err: null, receipt: { landed: { slot: body.slot } } })
  t.match((await get(`/api/fast-trade-proof?digest=${landed}`)).body, { landed: { slot: body.slot } })
  t.match(body, {
    isFinal: true,
    confirmations: Number,
    fee: { amount: '5000', l1: null, paidBy: wallet.toBase58() },
    explorer: `https://solscan.io/tx/${landed}`,
  })
})

t.test(
  'before a block is confirmed its transactions are pending, and what is final is not asked for again',
  async (t) => {
    const { node, clock, get, send, asked } = await start(t)
    const path = (signature: string) => `/api/transaction-status?chain=solana&signature=${signature}`
    const signature = await send()
    t.match((await get(path(signature))).body, {
      status: 'pending',
      isFinal: false,
      slot: Number,
      confirmations: 1,
      fee: null,
    })
    node.advance(3)
    clock.advance(401)
    t.match((await get(path(signature))).body, {
      status: 'confirmed',
      isFinal: false,
      confirmations: 4,
      fee: { amount: '5000' },
    })
    node.advance(40)
    clock.advance(401)
    t.match((await get(path(signature))).body, { status: 'finalized', isFinal: true })
    const before = asked()
    clock.advance(60_000)
    t.match((await get(path(signature))).body, { status: 'finalized' })
    t.equal(asked(), before)
  },
)

t.test('a receipt shows what the fee payer lost and gained', async (t) => {
  const { node, get, send, wallet } = await start(t)
  const signature = await send(3_000_000)
  const path = `/api/receipt?chain=solana&signature=${signature}`
  const unsettled = (await get(path)).body
  t.ok(Check(TransactionReceipt, unsettled))
  t.match(unsettled, { status: 'pending', paid: null, got: null, missing: { length: 0 } })
  node.advance(40)
  const other = await send(4_000_000)
  node.advance(40)
  const { body } = await get(`/api/receipt?chain=solana&signature=${other}`)
  t.ok(Check(TransactionReceipt, body))
  t.same(
    { from: body.from, to: body.to, paid: body.paid, got: body.got, missing: body.missing },
    {
      from: wallet.toBase58(),
      to: null,
      paid: [
        {
          token: 'So11111111111111111111111111111111111111112',
          isNative: true,
          listed: true,
          amount: '4000000',
          decimals: 9,
          symbol: 'SOL',
        },
      ],
      got: [],
      missing: [],
    },
  )
  t.match(body, { status: 'finalized', fee: { amount: '5000' }, includedAt: Number })
})

t.test('an unserved method is refused by name', async (t) => {
  const { get, node, asked } = await start(t)
  const cases: [query: string, refusal: object][] = [
    [`chain=sui&signature=${STRANGE}`, { code: 'unsupported_chain', field: 'chain' }],
    [`chain=nowhere&signature=${STRANGE}`, { code: 'unsupported_chain', field: 'chain' }],
    [`chain=base&signature=${STRANGE}`, { code: 'invalid_parameter', field: 'signature' }],
    [`chain=solana&hash=${STRANGE}`, { code: 'invalid_parameter', field: 'hash' }],
    [`chain=solana&chain=base&signature=${STRANGE}`, { code: 'malformed_query' }],
    [`signature=${STRANGE}`, { code: 'invalid_parameter', field: 'chain' }],
    ['chain=solana', { code: 'invalid_parameter', field: 'signature' }],
    ['chain=solana&signature=0x12', { code: 'invalid_parameter', field: 'signature' }],
  ]
  for (const [query, refusal] of cases) {
    t.match(await get(`/api/transaction-status?${query}`), { status: 400, body: refusal }, query)
  }
  t.equal(asked(), 0)
  node.turn('500')
  t.match(await get(`/api/transaction-status?chain=solana&signature=${STRANGE}`), { status: 502 })
})
