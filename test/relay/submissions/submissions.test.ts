import { Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { type HandClock, handClock, settle, until } from '../../fixtures/clock.ts'
import { call, GRACE, listen } from '../../fixtures/gateway.ts'
import { nonceAt, openNonce } from '../../fixtures/nonces.ts'
import { recordingNode } from '../../fixtures/recording-node.ts'
import { type Node, startNodes } from '../../fixtures/sandbox.ts'

const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
const B64 = { encoding: 'base64' }
const FRIEND = Keypair.generate().publicKey

interface World {
  readonly url: string
  readonly clock: HandClock
  stop(): Promise<boolean>
}

/** How long a node that lags is waited for. */
const SLOT_MS = 200

/** A gateway before nodes, by a clock that stands still. */
async function before(
  t: Test,
  read: Node,
  send: readonly { readonly url: string }[],
  more = {},
): Promise<World> {
  const clock = handClock()
  const environment = {
    MODE: 'live',
    SOLANA_RPC_URLS: read.url,
    SOLANA_SEND_URLS: send.map(({ url }) => url).join(','),
    LIMITS,
    ...more,
  }
  const { url, stop } = await listen(t, environment, { clock })
  return { url, clock, stop }
}

/** The submissions that a node received, as they came. */
const submitted = ({ received }: { readonly received: readonly string[] }): string[] =>
  received.filter((body) => body.includes('"sendTransaction"'))
/** Their params as JSON text, without what is JSON-RPC's own. */
const paramsOf = (body: string): string => JSON.stringify(JSON.parse(body).params)
const polls = ({ received }: Node): number => received.filter((body) => body.includes('Statuses')).length

const blockhashThrough = async (url: string): Promise<string> => {
  const response = await call(url, 'getLatestBlockhash', [{ commitment: 'confirmed' }])
  return ((await response.json()) as ReturnType<typeof JSON.parse>).result.value.blockhash
}
const send = async (url: string, bytes: Buffer, options = {}) => {
  const response = await call(url, 'sendTransaction', [bytes.toString('base64'), { ...B64, ...options }])
  return (await response.json()) as ReturnType<typeof JSON.parse>
}

t.test('a lagging node gets the same bytes again, a slot later', async (t) => {
  const [well, late] = (await startNodes(t, 2)) as [Node, Node]
  const { url, clock } = await before(t, well, [late])
  const wallet = await well.funded()
  well.advance(40)
  late.turn('lag', { slots: 30 })
  const bytes = await well.transfer(wallet, FRIEND, 1_000_000, await blockhashThrough(url))
  const reply = send(url, bytes)
  await until(() => submitted(late).length === 1 && clock.dueIn(SLOT_MS) > 0)
  late.turn(null)
  clock.advance(SLOT_MS)
  t.match(await reply, { result: String })
  const [first, second, ...others] = submitted(late)
  t.equal(second, first, 'to the last byte')
  t.same(others, [])
})

t.test('where another node is well, its acceptance does not wait for the one that lags', async (t) => {
  const [well, late] = (await startNodes(t, 2)) as [Node, Node]
  const { url, clock } = await before(t, well, [late, well])
  const wallet = await well.funded()
  well.advance(40)
  late.turn('lag', { slots: 30 })
  const bytes = await well.transfer(wallet, FRIEND, 1_000_000, await blockhashThrough(url))
  t.match(await send(url, bytes), { result: String })
  await until(() => clock.dueIn(SLOT_MS) > 0)
  clock.advance(SLOT_MS)
  await until(() => submitted(late).length === 2)
  t.equal(new Set([...submitted(late), ...submitted(well)].map(paramsOf)).size, 1)
  t.equal(submitted(well).length, 1)
})

t.test('a client that asks for no retries gets none, also at a lagging node', async (t) => {
  const [well, late] = (await startNodes(t, 2)) as [Node, Node]
  const { url, clock } = await before(t, well, [late])
  const wallet = await well.funded()
  well.advance(40)
  late.turn('lag', { slots: 30 })
  const bytes = await well.transfer(wallet, FRIEND, 1_000_000, await blockhashThrough(url))
  const refused = await send(url, bytes, { maxRetries: 0 })
  t.match(refused, { error: { code: -32002, data: { err: 'BlockhashNotFound' } } })
  t.notOk('expired' in refused.error.data)
  t.equal(submitted(late).length, 1)
  late.turn(null)
  t.match(await send(url, bytes, { maxRetries: 0 }), { result: String })
  t.match(await send(url, bytes, { maxRetries: 0 }), { result: String })
  t.equal(submitted(late).length, 3, 'a client that sends again is let through')
  clock.advance(60_000)
  t.equal(submitted(late).length, 3)
})

t.test('an expired blockhash is reported as such', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const { url, clock } = await before(t, node, [node])
  const wallet = await node.funded()
  node.advance(40)
  const blockhash = await blockhashThrough(url)
  const bytes = await node.transfer(wallet, FRIEND, 1_000_000, blockhash)
  node.advance(200)
  const own = await node.call('sendTransaction', [
    bytes.toString('base64'),
    { ...B64, preflightCommitment: 'confirmed' },
  ])
  t.notOk('expired' in own.body.error.data)
  clock.advance(200 * SLOT_MS)
  const told = await send(url, bytes)
  t.equal(submitted(node).length, 2, 'the node was asked once, and once by the test')
  t.same(told.error, { ...own.body.error, data: { ...own.body.error.data, expired: true } })
  t.equal(
    JSON.stringify(told.error),
    JSON.stringify(own.body.error).replace(/\}\}$/, ',"expired":true}}'),
    'the same bytes beside it',
  )
  const batch = await call(url, 'sendTransactions', [
    [bytes.toString('base64'), (await node.transfer(wallet, FRIEND, 2_000_000)).toString('base64')],
    B64,
  ])
  t.match(await batch.json(), {
    result: [{ error: { data: { err: 'BlockhashNotFound', expired: true } } }, { notSent: true }],
  })
  const strange = await node.transfer(wallet, FRIEND, 1_000_000, FRIEND.toBase58())
  t.notOk('expired' in (await send(url, strange)).error.data, 'nobody knows that it ever was one')
})

t.test('an accepted transaction goes out every five slots until it is seen', async (t) => {
  const [well, forgetful] = (await startNodes(t, 2)) as [Node, Node]
  const { url, clock } = await before(t, well, [forgetful])
  const wallet = await well.funded()
  well.advance(40)
  const bytes = await well.transfer(wallet, FRIEND, 1_000_000)
  forgetful.turn('forget')
  t.match(await send(url, bytes), { result: String })
  clock.advance(5 * SLOT_MS - 1)
  await settle()
  t.equal(submitted(forgetful).length, 1)
  clock.advance(1)
  await until(() => submitted(forgetful).length === 2)
  forgetful.turn(null)
  clock.advance(5 * SLOT_MS)
  await until(() => submitted(forgetful).length === 3)
  // The third has landed, which one of the next rounds of statuses tells.
  while (clock.waiting > 0) {
    await settle()
    clock.advance(SLOT_MS)
  }
  t.ok(polls(well) > 0)
  clock.advance(60_000)
  t.equal(submitted(forgetful).length, 3)
  t.equal(new Set(submitted(forgetful).map(paramsOf)).size, 1)
})

t.test('one that never lands is sent again as often as its retries say', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const cases: [variable: string, asked: number | null, sends: number][] = [
    ['5', null, 6],
    ['5', 2, 3],
    ['3', 9, 4],
    ['0', null, 1],
    ['0', 3, 1],
  ]
  const wallet = await node.funded()
  node.advance(40)
  node.turn('forget')
  for (const [variable, asked, sends] of cases) {
    const { url, clock, stop } = await before(t, node, [node], { SOLANA_MAX_RETRIES: variable, ...GRACE })
    const bytes = await node.transfer(wallet, FRIEND, 1_000_000 + sends)
    const count = submitted(node).length
    t.match(await send(url, bytes, { maxRetries: asked }), { result: String })
    for (let at = 2; at <= sends; at++) {
      clock.advance(5 * SLOT_MS)
      await until(() => submitted(node).length === count + at)
    }
    clock.advance(90_000)
    await settle()
    t.equal(submitted(node).length, count + sends, `${variable} ${asked}`)
    t.equal(await stop(), true)
  }
})

t.test('repeated bytes are answered from what is known, and sent nowhere', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const { url, clock } = await before(t, node, [node], { LIMITS: 'rpcSend=4/off,rpcRead=off' })
  const wallet = await node.funded()
  node.advance(40)
  node.turn('forget')
  const bytes = await node.transfer(wallet, FRIEND, 1_000_000)
  const together = await Promise.all([send(url, bytes), send(url, bytes)])
  t.same(together[0], together[1])
  t.same(await send(url, bytes, { preflightCommitment: 'processed' }), together[0])
  t.equal(submitted(node).length, 1)
  clock.advance(5 * SLOT_MS)
  await until(() => submitted(node).length === 2)
  t.same(await send(url, bytes), together[0])
  t.equal(submitted(node).length, 2)
  t.match(await send(url, bytes), { code: 'budget_exhausted' }, 'each was paid for')
})

t.test('a stop ends it', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const { url, clock, stop } = await before(t, node, [node], GRACE)
  const wallet = await node.funded()
  node.advance(40)
  node.turn('forget')
  await send(url, await node.transfer(wallet, FRIEND, 1_000_000))
  t.equal(await stop(), true)
  t.equal(clock.waiting, 0)
  clock.advance(60_000)
  t.equal(submitted(node).length, 1)
})

t.test('landing services get only what a node has accepted', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const wallet = await node.funded()
  node.advance(40)
  const landing = await recordingNode(
    t,
    () => '{"jsonrpc":"2.0","error":{"code":-32602,"message":"no tip"},"id":$ID}',
  )
  const more = {
    SOLANA_LANDING_URLS: `${landing.url}/fast?api-key=0123456789abcdef`,
    SOLANA_MAX_RETRIES: '1',
  }
  const { url, clock } = await before(t, node, [node], more)
  const poor = await node.transfer(wallet, FRIEND, 100_000_000_000)
  t.match(await send(url, poor), { error: { code: -32002 } })
  t.same(landing.calls, [], 'preflight has not passed')

  node.turn('forget')
  const bytes = await node.transfer(wallet, FRIEND, 1_000_000)
  t.match(await send(url, bytes), { result: String }, 'whatever the landing service says')
  await until(() => landing.calls.length === 1)
  const outgoing = [bytes.toString('base64'), { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]
  t.same(landing.calls[0]!.params, outgoing)
  clock.advance(5 * SLOT_MS)
  await until(() => landing.calls.length === 2)
  t.same(landing.calls[1]!.params, outgoing, 'and again with the nodes')
  for (const body of submitted(node)) t.match(body, '"skipPreflight":false')

  const health = await (await fetch(`${url}/api/health`)).text()
  t.match(health, '"solana-landing-1"')
  t.notMatch(health, '0123456789abcdef')
})

t.test('a valid transaction is accepted while any node is well', async (t) => {
  const nodes = (await startNodes(t, 3)) as [Node, Node, Node]
  const [first, second, well] = nodes
  const { url } = await before(t, well, nodes)
  const wallet = await well.funded()
  well.advance(40)
  const faults = [
    'hang',
    '500',
    '429',
    'garbage',
    'reset',
    'unhealthy',
    'wrongCluster',
    '401',
    '404',
  ] as const
  for (const [at, fault] of faults.entries()) {
    for (const node of [first, second]) node.turn(fault)
    const bytes = await well.transfer(wallet, FRIEND, 2_000_000 + at)
    t.match(await send(url, bytes), { result: String }, fault)
    for (const node of [first, second]) node.turn(null)
  }
  const bodies = nodes.flatMap(submitted)
  t.equal(new Set(bodies.map(paramsOf)).size, faults.length, 'each in the same bytes everywhere')
  for (const body of bodies) t.match(body, '"skipPreflight":false')
})

t.test('a nonce that another transaction has used is reported as expired', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const { url, clock } = await before(t, node, [node])
  const wallet = await node.funded()
  node.advance(40)
  const account = await openNonce(node.connection, wallet)
  node.advance(40)
  const nonce = await nonceAt(node.connection, account)
  const signed = (lamports: number): Buffer => {
    const advance = { noncePubkey: account, authorizedPubkey: wallet.publicKey }
    const nonceInfo = { nonce, nonceInstruction: SystemProgram.nonceAdvance(advance) }
    const transaction = new Transaction({ feePayer: wallet.publicKey, nonceInfo })
    transaction.add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: FRIEND, lamports }))
    transaction.sign(wallet)
    return transaction.serialize()
  }
  node.advance(2_000)
  t.match(
    await send(url, signed(1_000_000)),
    { result: String },
    'long after its blockhash would have expired',
  )
  node.advance(40)
  t.match(await send(url, signed(3_000_000)), {
    error: { data: { err: 'BlockhashNotFound', expired: true } },
  })
  const strange = await node.transfer(wallet, FRIEND, 1_000_000, nonce)
  t.notOk('expired' in (await send(url, strange)).error.data, 'it does not advance the nonce')
  clock.advance(60_000)
})
