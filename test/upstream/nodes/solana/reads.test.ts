import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { encodeBase58 } from '../../../../src/chains/solana/base58.ts'
import { CLOCK } from '../../../../src/runtime/clock.ts'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { SolanaRpc, type SolanaRpcOptions } from '../../../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../../../fixtures/call.ts'
import { clockOf, nextTurn } from '../../../fixtures/clock.ts'
import { type Node, SLOT_MS, startNodes } from '../../../fixtures/sandbox.ts'
import { submissionOf } from '../../../fixtures/submission.ts'

const WALLET = 'Vote111111111111111111111111111111111111111'
const CONFIRMED = { commitment: 'confirmed' }

/** Nodes of one chain behind one SolanaRpc, whose clock stands still until it is moved. */
async function nodesBehind(t: Test, count: number, options: Partial<SolanaRpcOptions> = {}) {
  const nodes = await startNodes(t, count)
  let now = 1_000
  const urls = nodes.map(({ url }) => url)
  const context = createUpstreamContext({ clock: clockOf({ now: () => now }) })
  const rpc = new SolanaRpc({ readUrls: urls, sendUrls: urls, context, slotMs: 1, ...options })
  t.teardown(() => rpc.close())
  const read = async (method: string, ...params: unknown[]) => {
    const { result, error } = await rpc.read(method, JSON.stringify(params), callOf(5_000))
    return { result: result && JSON.parse(result.toString()), error: error && JSON.parse(error.toString()) }
  }
  const asked = (node: Node, method: string) => node.received.filter((body) => body.includes(method)).length
  /** Which node a read goes to, by its number. */
  const reader = async (...params: unknown[]): Promise<number> => {
    const before = nodes.map((node) => asked(node, 'getBalance'))
    await read('getBalance', WALLET, ...params)
    const took = nodes.flatMap((node, i) => (asked(node, 'getBalance') > before[i]! ? [i + 1] : []))
    return took.length === 1 ? took[0]! : Number.NaN
  }
  /** Lets time and slots pass. */
  const wait = (ms: number): void => {
    nodes[0]!.advance(ms / SLOT_MS)
    now += ms
  }
  /** The same, and what is asked for then be answered. */
  const pass = async (ms: number) => {
    wait(ms)
    await read('getBalance', WALLET)
    for (let i = 0; i < 200; i++) await turn()
  }
  return { rpc, nodes, read, reader, wait, pass, asked }
}

t.test('a node that has been behind for two seconds is asked last, until it has caught up', async (t) => {
  const { nodes, reader, pass } = await nodesBehind(t, 3, { slotMs: SLOT_MS })
  await pass(2_000)
  t.equal(await reader(), 1)
  nodes[0]!.turn('lag', { slots: 2_000 / SLOT_MS })
  for (let i = 0; i < 3; i++) await pass(2_000)
  t.equal(await reader(), 1, 'two seconds are no more than two')

  nodes[0]!.turn('lag', { slots: 2_000 / SLOT_MS + 1 })
  await pass(2_000)
  t.equal(await reader(), 1, 'a moment ago')
  await pass(2_000)
  t.equal(await reader(), 2)
  nodes[1]!.turn('unhealthy')
  t.equal((await nodesOf(nodes, () => reader())).at(-1), 3, 'and it is not the next')
  nodes[1]!.turn(null)

  nodes[0]!.turn(null)
  await pass(2_000)
  t.equal(await reader(), 1)
})

t.test(
  "a single node's answers show how long a slot takes, and answers without a slot nothing",
  async (t) => {
    const { rpc, read, wait, pass } = await nodesBehind(t, 1, { slotMs: 1 })
    for (let i = 0; i < 4; i++) {
      await pass(1_000)
      wait(400)
      await read('getBlockHeight')
    }
    t.equal(rpc.slotMs, SLOT_MS)
  },
)

/** The nodes that were asked while something ran, by their numbers. */
async function nodesOf(nodes: readonly Node[], run: () => Promise<unknown>): Promise<number[]> {
  const before = nodes.map(({ received }) => received.length)
  await run()
  return nodes.flatMap(({ received }, i) => (received.length > before[i]! ? [i + 1] : []))
}

t.test('how far a node may be behind is for the operator to say', async (t) => {
  const { nodes, reader, pass } = await nodesBehind(t, 2, { maxBehindMs: 6_000, slotMs: SLOT_MS })
  nodes[0]!.turn('lag', { slots: 6_000 / SLOT_MS })
  for (let i = 0; i < 3; i++) await pass(2_000)
  t.equal(await reader(), 1)
  nodes[0]!.turn('lag', { slots: 6_000 / SLOT_MS + 1 })
  for (let i = 0; i < 2; i++) await pass(2_000)
  t.equal(await reader(), 2)
})

t.test('without reads no node is polled for its slot, and with reads every two seconds', async (t) => {
  const { nodes, pass, read, asked } = await nodesBehind(t, 2)
  await read('getBalance', WALLET)
  t.same(
    nodes.map((node) => asked(node, 'getSlot')),
    [0, 0],
  )
  await pass(60_000)
  t.same(
    nodes.map((node) => asked(node, 'getSlot')),
    [1, 1],
  )
  for (let i = 0; i < 3; i++) await pass(500)
  t.same(
    nodes.map((node) => asked(node, 'getSlot')),
    [1, 1],
  )
  await read('getSlot', { commitment: 'processed' })
  await pass(500)
  t.same(
    nodes.map((node) => asked(node, 'getSlot')),
    [2, 2],
    'the first told its slot already',
  )
})

t.test('minContextSlot goes first to a node that is known to have it', async (t) => {
  const { nodes, read, reader, pass } = await nodesBehind(t, 2)
  nodes[0]!.turn('lag', { slots: 8 })
  await pass(2_000)
  const slot = Number((await nodes[1]!.call('getSlot', [{ commitment: 'processed' }])).body.result)
  t.equal(await reader(), 1)
  const options = { commitment: 'processed', minContextSlot: slot - 2 }
  t.equal(await reader(options), 2)
  t.equal(await reader({ commitment: 'processed', minContextSlot: slot - 9 }), 1, 'which both have')
  t.match(
    (await read('getBalance', WALLET, { ...options, minContextSlot: slot + 100 })).error,
    { code: -32016 },
    'where none has it, the node says so',
  )
})

t.test("an answer older than a slot that was seen is another node's to give", async (t) => {
  const { rpc, nodes, asked } = await nodesBehind(t, 2)
  const slot = Number((await nodes[1]!.call('getSlot', [CONFIRMED])).body.result)
  nodes[0]!.turn('lag', { slots: 5 })
  const params = JSON.stringify([WALLET, CONFIRMED])
  const read = (minSlot: number) => rpc.read('getBalance', params, callOf(5_000), minSlot)
  const contextOf = async (minSlot: number) =>
    JSON.parse((await read(minSlot)).result!.toString()).context.slot
  t.equal(await contextOf(0), slot - 5)
  t.equal(await contextOf(slot), slot)
  nodes[1]!.turn('hang')
  nodes[0]!.turn(null)
  t.equal(await contextOf(slot), slot)
  nodes[1]!.turn('lag', { slots: 1 })
  nodes[0]!.turn('lag', { slots: 1 })
  const counts = () => nodes.map((node) => asked(node, 'getBalance'))
  const so = counts()
  await t.rejects(read(slot), { code: 'upstream_unavailable', fields: { retryAfterMs: 1 } })
  t.same(
    counts().map((count, at) => count - so[at]!),
    [4, 4],
    'they are waited for three times',
  )

  // A node that catches up within a slot or three is waited for.
  const before = nodes[0]!.received.length
  const waiting = contextOf(slot)
  while (nodes[0]!.received.length < before + 2) await turn()
  nodes[0]!.turn(null)
  t.equal(await waiting, slot)
})

t.test('a node that is behind is waited for while there is time to ask it again', async (t) => {
  const WAIT_MS = 20_000
  const clock = clockOf({
    now: () => 1_000,
    after: (ms, run) => (ms === WAIT_MS ? nextTurn(ms, run) : CLOCK.after(ms, run)),
  })
  const context = createUpstreamContext({ clock })
  const { rpc, nodes, asked } = await nodesBehind(t, 1, { context, slotMs: WAIT_MS })
  const slot = Number((await nodes[0]!.call('getSlot', [CONFIRMED])).body.result)
  nodes[0]!.turn('lag', { slots: 1 })
  for (const [deadlineMs, times] of [
    [2 * WAIT_MS - 1, 1],
    [2 * WAIT_MS, 4],
  ] as const) {
    const before = asked(nodes[0]!, 'getBalance')
    const params = JSON.stringify([WALLET, CONFIRMED])
    await t.rejects(rpc.read('getBalance', params, callOf(deadlineMs, null, 'build', clock), slot), {
      code: 'upstream_unavailable',
    })
    t.equal(asked(nodes[0]!, 'getBalance') - before, times, `${deadlineMs} ms`)
  }
})

t.test('a node of another cluster gets no calls, and is named', async (t) => {
  const foreign: string[] = []
  const { rpc, nodes, reader } = await nodesBehind(t, 3, { onCluster: (label) => foreign.push(label) })
  nodes[1]!.turn('wrongCluster')
  await rpc.warmUp()
  t.same(foreign, ['solana-2'])
  t.match(rpc.state(), [
    { name: 'solana-1', state: 'ok' },
    {
      name: 'solana-2',
      state: 'refused',
      submissions: 'refused',
      lastError: { code: 'wrong_cluster', status: null },
    },
    { name: 'solana-3', state: 'ok' },
  ])
  nodes[0]!.turn('500')
  const took = await nodesOf(nodes, () => reader())
  t.same(took, [1, 3], 'a read')
  nodes[0]!.turn(null)
  const wallet = await nodes[0]!.funded()
  const bytes = await nodes[0]!.transfer(wallet, (await nodes[0]!.funded()).publicKey, 1_000)
  const before = nodes.map(({ received }) => received.length)
  const params = JSON.stringify([
    bytes.toString('base64'),
    { encoding: 'base64', preflightCommitment: 'processed' },
  ])
  const signature = encodeBase58(bytes.subarray(1, 65))
  const submission = submissionOf(params, signature)
  t.equal((await rpc.submissions.submit(submission, callOf(5_000))).error, null)
  while (nodes[2]!.received.length === before[2]) await turn()
  t.equal(nodes[1]!.received.length, before[1], 'a submission')
})

t.test('a node that lies about its cluster has no other one barred, wherever it stands', async (t) => {
  const foreign = new Map<string, boolean>()
  const { rpc, nodes, reader } = await nodesBehind(t, 3, {
    onCluster: (label, isForeign) => foreign.set(label, isForeign),
  })
  for (const node of nodes.slice(1)) node.turn('500')
  nodes[0]!.turn('wrongCluster')
  await rpc.warmUp()
  t.equal(foreign.size, 0, 'the only one that tells')
  for (const node of nodes.slice(1)) node.turn(null)
  await rpc.warmUp()
  // As the first of the others to answer has no more votes than it, that one is barred for a moment.
  t.equal(foreign.get('solana-1'), true)
  t.equal([...foreign.values()].filter(Boolean).length, 1)
  t.match(rpc.state(), [{ state: 'refused' }, { state: 'ok' }, { state: 'ok' }])
  t.same(await nodesOf(nodes, () => reader()), [2])
})

t.test('where all that could be asked are of another cluster, the reply says so', async (t) => {
  const [one, two] = await startNodes(t, 2)
  two!.turn('wrongCluster')
  const rpc = new SolanaRpc({ readUrls: [one!.url], sendUrls: [two!.url] })
  t.teardown(() => rpc.close())
  await rpc.warmUp()
  await t.rejects(rpc.submissions.submit(submissionOf('["x"]', 'x'), callOf(5_000)), {
    code: 'wrong_cluster',
    status: 502,
    scope: 'rpc',
  })
  t.ok(await rpc.read('getSlot', '[]', callOf(5_000)))
})

t.test('one node alone is of the right cluster, and is not asked for it', async (t) => {
  const [node] = await startNodes(t, 1)
  node!.turn('wrongCluster')
  const rpc = new SolanaRpc({ readUrls: [node!.url], sendUrls: [node!.url] })
  t.teardown(() => rpc.close())
  await rpc.warmUp()
  t.match(rpc.state(), [{ state: 'ok', submissions: 'ok' }])
  t.notOk(node!.received.some((body) => body.includes('getGenesisHash')))
})

t.test('the slow answers of a node are given by the next one', async (t) => {
  const [one, two] = await startNodes(t, 2)
  const urls = [one!.url, two!.url]
  // A clock on which every answer takes a while, so that none of the usual ones is taken for a slow one.
  let now = 0
  const context = createUpstreamContext({ clock: clockOf({ now: () => (now += 50) }) })
  const rpc = new SolanaRpc({ readUrls: urls, sendUrls: urls, context })
  t.teardown(() => rpc.close())
  for (let i = 0; i < 50; i++) await rpc.read('getBalance', `["${WALLET}"]`, callOf(60_000))
  one!.turn('hang')
  t.ok(await rpc.read('getBalance', `["${WALLET}"]`, callOf(60_000)), 'it would take a minute, or for ever')
  t.equal(rpc.reads.hedges.won, 1)
  t.equal(rpc.reads.hedges.asked, 1)
})
