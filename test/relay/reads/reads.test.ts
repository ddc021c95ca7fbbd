import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { spliceId } from '../../../src/chains/json/splice.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { type ReadSource, RelayReads } from '../../../src/relay/reads/reads.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { createUpstreamContext } from '../../../src/upstream/context.ts'
import { isLong } from '../../../src/upstream/nodes/json-rpc.ts'
import { type ReadReply, SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { answers, type HostileUpstream, hostileUpstream } from '../../fixtures/hostile-upstream.ts'
import { startNodes } from '../../fixtures/sandbox.ts'

const WALLET = 'Vote111111111111111111111111111111111111111'
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

const statuses = (...all: [slot: number, status: string][]): string => {
  const values = all.map(([slot, word]) => `{"slot":${slot},"err":null,"confirmationStatus":"${word}"}`)
  return `"result":{"context":{"slot":200},"value":[null,${values.join(',')}]}`
}
const balance = (slot: number): string => `"result":{"context":{"slot":${slot}},"value":18446744073709551615}`

/** RelayReads over these nodes; the clock stands still until it is moved. */
function readsOver(
  t: Test,
  nodes: readonly Pick<HostileUpstream, 'url'>[],
  keepMs: number | null = 200,
  slotMs = 1,
) {
  let now = 1_000
  const clock = clockOf({ now: () => now })
  const failures: (string | null)[] = []
  const context = createUpstreamContext({ clock, onCall: ({ failure }) => failures.push(failure) })
  const urls = nodes.map(({ url }) => url)
  const rpc = new SolanaRpc({ readUrls: urls, sendUrls: urls, context, slotMs })
  t.teardown(() => rpc.close())
  const reads = new RelayReads({ rpc, clock, keepMs })
  /** As the relay does: what is kept, or what comes. */
  const read = async (
    method: string,
    params: unknown[] = [],
    client = 'a',
    scope = new CancellationScope(client),
  ): Promise<{ reply: ReadReply; source: ReadSource }> => {
    const question = { method, paramsJson: JSON.stringify(params) }
    const reply = reads.cached(question, client)
    return reply === null ? reads.answer(question, callOf(5_000, scope)) : { reply, source: 'cached' }
  }
  return {
    reads,
    read,
    failures,
    wait: (ms: number) => {
      now += ms
    },
    source: async (...asked: Parameters<typeof read>) => (await read(...asked)).source,
  }
}

const failureOf = (promise: Promise<unknown>): Promise<GatewayError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )

/** A node that answers when it is told to. */
async function patientNode(t: Test, member = balance(100)) {
  const waiting: (() => void)[] = []
  const node = await hostileUpstream(t)
  const state = { member }
  node.behaviour = (socket, request) => waiting.push(() => answers(state.member)(socket, request))
  return {
    url: node.url,
    node,
    state,
    asked: async (count: number) => {
      while (node.requests.length < count) await turn()
    },
    release: () => {
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

t.test('a thousand identical requests at once are one call, and each gets its own id', async (t) => {
  const node = await patientNode(t)
  const { reads, read } = readsOver(t, [node])
  const ids = ['1', '"a\\u0062"', '18446744073709551615', '-0.10e+2', 'null', '"\\ud83d\\ude00"', null]
  const all = Array.from({ length: 1_000 }, (_, i) => read('getBalance', [WALLET], `client ${i}`))
  await node.asked(1)
  node.release()
  const answered = await Promise.all(all)
  t.equal(node.node.requests.length, 1)
  t.same(reads.counts, { asked: 1, coalesced: 999, cached: 0 })
  for (const [i, { reply }] of answered.entries()) {
    const id = ids[i % ids.length]!
    if (isLong(reply)) return t.fail('a long reply')
    const text = spliceId(reply.body, reply.id, id === null ? null : Buffer.from(id)).toString()
    t.equal(text, `{"jsonrpc":"2.0",${balance(100)}${id === null ? '' : `,"id":${id}`}}`)
  }
})

t.test('nothing is kept for longer than half a slot', async (t) => {
  const node = await hostileUpstream(t, answers('"result":100'))
  for (const [keepMs, slotMs, keptMs] of [
    [200, 400, 200],
    [200, 200, 100],
    [10_000, 100, 50],
    [30, 200, 30],
    [0, 200, 0],
  ] as const) {
    const { source, wait } = readsOver(t, [node], keepMs, slotMs)
    t.equal(await source('getSlot'), 'asked')
    wait(keptMs)
    if (keptMs > 0) t.equal(await source('getSlot'), 'cached')
    wait(1)
    t.equal(await source('getSlot'), 'asked')
  }
})

t.test('what differs in any byte is another question', async (t) => {
  const node = await hostileUpstream(t, answers(balance(100)))
  const { read } = readsOver(t, [node])
  await Promise.all([
    read('getBalance', [WALLET]),
    read('getBalance', [WALLET, { commitment: 'confirmed' }]),
    read('getBalance', [WALLET, { commitment: 'confirmed', minContextSlot: 1 }]),
    read('getBalance', ['11111111111111111111111111111111']),
    read('getAccountInfo', [WALLET]),
  ])
  t.equal(node.requests.length, 5)
})

t.test(
  'answers about the whole cluster are kept for a part of a slot; those about accounts are not',
  async (t) => {
    const node = await hostileUpstream(t, answers('"result":100'))
    const { read, source, wait } = readsOver(t, [node], 200, 400)
    for (const method of ['getSlot', 'getBlockHeight', 'getLatestBlockhash', 'getRecentPrioritizationFees']) {
      t.equal(await source(method), 'asked')
      wait(200)
      t.equal(await source(method, [], 'b'), 'cached')
      t.equal(await source(method, [{ commitment: 'processed' }]), 'asked', 'by commitment')
      t.equal(await source(method, [{ minContextSlot: 1 }]), 'asked', 'by minContextSlot')
      wait(1)
      t.equal(await source(method), 'asked')
    }
    for (const method of ['getBalance', 'getAccountInfo', 'getMultipleAccounts', 'getSignatureStatuses']) {
      t.equal(await source(method, [WALLET]), 'asked')
      t.equal(await source(method, [WALLET]), 'asked')
    }
    node.behaviour = answers('"error":{"code":-32602,"message":"no"}')
    wait(201)
    t.equal(await source('getSlot'), 'asked')
    node.behaviour = answers('"result":100')
    t.equal((await read('getSlot')).reply.error, null, 'an error is not kept')
  },
)

t.test(
  'with SOLANA_READ_CACHE=off each read is a call of its own; with 0 ms they are only joined',
  async (t) => {
    const node = await patientNode(t, '"result":100')
    const off = readsOver(t, [node], null)
    const apart = [off.read('getSlot'), off.read('getSlot', [], 'b')]
    await node.asked(2)
    node.release()
    t.same(
      (await Promise.all(apart)).map(({ source }) => source),
      ['asked', 'asked'],
    )

    const joined = readsOver(t, [node], 0)
    const both = [joined.read('getSlot'), joined.read('getSlot', [], 'b')]
    await node.asked(3)
    node.release()
    t.same(
      (await Promise.all(both)).map(({ source }) => source),
      ['asked', 'coalesced'],
    )
    const next = joined.source('getSlot')
    await node.asked(4)
    node.release()
    t.equal(await next, 'asked')
  },
)

t.test(
  'a client that leaves leaves the answer to the others; when all have left, the call is cancelled',
  async (t) => {
    const node = await patientNode(t)
    const { read, failures } = readsOver(t, [node])
    const [first, second] = [new CancellationScope('a'), new CancellationScope('b')]
    const one = read('getBalance', [WALLET], 'a', first)
    const two = read('getBalance', [WALLET], 'b', second)
    await node.asked(1)
    first.cancel()
    node.release()
    t.equal((await two).source, 'coalesced')
    t.equal((await one).source, 'asked')

    const alone = new CancellationScope('c')
    const given = failureOf(read('getBalance', [WALLET], 'c', alone))
    await node.asked(2)
    alone.cancel()
    t.equal((await given).code, 'upstream_unavailable')
    t.equal(failures.at(-1), 'given_up', 'at the node, too')
  },
)

t.test('a flight that takes long is not joined any more', async (t) => {
  const node = await patientNode(t)
  const { read, wait } = readsOver(t, [node])
  const first = read('getBalance', [WALLET])
  wait(1_200)
  const second = read('getBalance', [WALLET], 'b')
  wait(1)
  const third = read('getBalance', [WALLET], 'c')
  await node.asked(2)
  node.release()
  t.same(
    (await Promise.all([first, second, third])).map(({ source }) => source),
    ['asked', 'coalesced', 'asked'],
  )
})

t.test('transactions that are finalized are kept, within bounds', async (t) => {
  const node = await hostileUpstream(t, answers('"result":{"slot":90,"meta":null}'))
  const { reads, source, wait } = readsOver(t, [node])
  t.equal(await source('getTransaction', [SIGNATURE]), 'asked')
  wait(3_600_000)
  t.equal(await source('getTransaction', [SIGNATURE], 'b'), 'cached')
  t.equal(reads.confirmations.slotFor('b', 2), 90, 'who is shown it sees nothing older')
  for (const params of [{ commitment: 'confirmed' }, { withContext: true }]) {
    t.equal(await source('getTransaction', [SIGNATURE, params]), 'asked')
    t.equal(await source('getTransaction', [SIGNATURE, params]), 'asked')
  }
  node.behaviour = answers('"result":null')
  t.equal(await source('getTransaction', [WALLET]), 'asked')
  t.equal(await source('getTransaction', [WALLET]), 'asked', 'one that is not there yet may be later')

  // Seventeen of a mebibyte each are more than there is room for.
  node.behaviour = answers(`"result":{"slot":90,"logs":"${'x'.repeat(2 ** 20)}"}`)
  for (let i = 0; i < 17; i++) await source('getTransaction', [`${SIGNATURE}${i}`])
  t.equal(await source('getTransaction', [`${SIGNATURE}16`]), 'cached')
  t.equal(await source('getTransaction', [`${SIGNATURE}0`]), 'asked')
})

t.test(
  'who has seen a confirmation joins no flight from before, and takes no answer from before',
  async (t) => {
    const node = await patientNode(t, '"result":100')
    const { read, source, wait } = readsOver(t, [node], 200, 400)
    const kept = source('getBlockHeight', [], 'b')
    await node.asked(1)
    node.release()
    t.equal(await kept, 'asked')
    t.equal(await source('getBlockHeight'), 'cached')
    const before = read('getBalance', [WALLET], 'b')
    await node.asked(2)

    wait(1)
    const seen = read('getSignatureStatuses', [[SIGNATURE]])
    await node.asked(3)
    node.state.member = statuses([90, 'confirmed'])
    node.release()
    await Promise.all([before, seen])
    node.state.member = balance(100)

    const long = read('getBalance', [WALLET, { commitment: 'confirmed' }], 'b')
    await node.asked(4)
    t.equal(await source('getBlockHeight', [], 'b'), 'cached', 'the others are served as before')
    const [mine, height] = [
      source('getBalance', [WALLET, { commitment: 'confirmed' }]),
      source('getBlockHeight', [], 'a'),
    ]
    await node.asked(5)
    node.release()
    await long
    t.same(await Promise.all([mine, height]), ['coalesced', 'asked'], 'what was asked since is joined')

    const again = read('getSignatureStatuses', [[SIGNATURE]])
    await node.asked(6)
    node.state.member = statuses([90, 'confirmed'])
    wait(1)
    node.release()
    await again
    t.equal(await source('getBlockHeight'), 'cached', 'what it knew already is no news')
  },
)

t.test('nor an answer of an older slot, for any client', async (t) => {
  const [ahead, lagging] = [await hostileUpstream(t, answers(balance(99))), await patientNode(t, balance(99))]
  const { read, reads, wait } = readsOver(t, [lagging, ahead])
  reads.confirmations.note('a', { confirmed: 100, finalized: 0 })
  const options = { commitment: 'confirmed' }

  // Both nodes are behind.
  const failed = failureOf(read('getBalance', [WALLET, options]))
  for (let i = 1; i <= 4; i++) {
    await lagging.asked(i)
    lagging.release()
  }
  t.match(await failed, { code: 'upstream_unavailable', status: 502, fields: { retryAfterMs: 1 } })

  // Another client's flight may bring one that is too old.
  ahead.behaviour = answers(balance(100))
  const theirs = read('getBalance', [WALLET, options], 'b')
  const mine = read('getBalance', [WALLET, options])
  await lagging.asked(5)
  lagging.release()
  await lagging.asked(6)
  lagging.release()
  t.match((await theirs).reply.result?.toString(), '"slot":99')
  t.match(await mine, { source: 'asked' })
  t.match((await mine).reply.result?.toString(), '"slot":100')

  // What is finalized is older, and was not seen.
  const finalized = read('getBalance', [WALLET])
  await lagging.asked(7)
  lagging.release()
  t.match((await finalized).reply.result?.toString(), '"slot":99')
  reads.confirmations.note('a', { confirmed: 100, finalized: 100 })
  const again = read('getBalance', [WALLET])
  await lagging.asked(8)
  lagging.release()
  t.match((await again).reply.result?.toString(), '"slot":100')

  wait(30_001)
  let isThere = false
  const later = read('getBalance', [WALLET]).finally(() => {
    isThere = true
  })
  while (!isThere) {
    lagging.release()
    await turn()
  }
  t.match((await later).reply.result?.toString(), '"slot":99', 'it is remembered for half a minute')
})

t.test('what shows a confirmation: a status, and a transaction that is there', async (t) => {
  const cases: [method: string, params: unknown[], member: string, confirmed: number, finalized: number][] = [
    ['getSignatureStatuses', [[]], statuses([90, 'confirmed'], [80, 'finalized'], [95, 'processed']), 90, 80],
    ['getSignatureStatuses', [[]], statuses([80, 'finalized']), 80, 80],
    ['getSignatureStatuses', [[]], statuses([95, 'processed']), 0, 0],
    ['getSignatureStatuses', [[]], '"result":{"context":{"slot":1},"value":[null]}', 0, 0],
    ['getSignatureStatuses', [[]], '"result":{"value":{"confirmationStatus":"confirmed"}}', 0, 0],
    ['getSignatureStatuses', [[]], statuses([9e99, 'confirmed']), 0, 0],
    [
      'getTransaction',
      [SIGNATURE, { commitment: 'confirmed' }],
      '"result":{"meta":{"slot":1},"slot":70}',
      70,
      0,
    ],
    ['getTransaction', [SIGNATURE], '"result":{"slot":70}', 70, 70],
    ['getTransaction', [SIGNATURE], '"result":null', 0, 0],
    ['getBalance', [WALLET], balance(100), 0, 0],
  ]
  for (const [method, params, member, confirmed, finalized] of cases) {
    const { read, reads } = readsOver(t, [await hostileUpstream(t, answers(member))])
    await read(method, params)
    t.equal(reads.confirmations.slotFor('a', 1), confirmed, member)
    t.equal(reads.confirmations.slotFor('a', 2), finalized, member)
    t.equal(reads.confirmations.slotFor('b', 1), 0, 'of others nothing is known')
  }
})

t.test('a client reads what it wrote, although the first node lags', async (t) => {
  const [first, second] = await startNodes(t, 2)
  const { read } = readsOver(t, [first!, second!])
  const wallet = await first!.funded(5_000_000_000)
  const to = (await first!.funded()).publicKey
  first!.advance(40)
  const signature = await second!.connection.sendRawTransaction(
    await second!.transfer(wallet, to, 1_000_000_000),
  )
  first!.advance(3)
  first!.turn('lag', { slots: 10 })
  const value = async (method: string, ...params: unknown[]) =>
    JSON.parse((await read(method, params)).reply.result!.toString()).value

  const confirmed = { commitment: 'confirmed' }
  const address = wallet.publicKey.toBase58()
  t.equal(await value('getBalance', address, confirmed), 5_000_000_000, 'nothing was seen yet')
  t.same(await value('getSignatureStatuses', [signature]), [null])
  first!.turn(null)
  t.match(await value('getSignatureStatuses', [signature]), [{ confirmationStatus: 'confirmed' }])
  first!.turn('lag', { slots: 10 })
  t.equal(await value('getBalance', address, confirmed), 3_999_995_000)
  t.match(await value('getSignatureStatuses', [signature]), [{ confirmationStatus: 'confirmed' }])
})
