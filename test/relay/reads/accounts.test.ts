import t, { type Test } from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { AccountPoller, type AccountState, readAccounts } from '../../../src/relay/reads/accounts.ts'
import type { Commitment } from '../../../src/relay/reads/statuses.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { RpcReply } from '../../../src/upstream/nodes/solana/rpc.ts'
import { handClock } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const OWNER = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const addressOf = (i: number): string =>
  encodeBase58(
    new Uint8Array(32)
      .fill(7, 0, 28)
      .fill(i >> 8, 30, 31)
      .fill(i & 255, 31),
  )
const A = addressOf(1)
const B = addressOf(2)

const account = (data: Uint8Array = Uint8Array.of(1), lamports = '18446744073709551615') =>
  `{"data":["${Buffer.from(data).toString('base64')}","base64"],"executable":false,"lamports":${lamports},"owner":"${OWNER}","rentEpoch":18446744073709551615,"space":${data.length}}`

interface Asked {
  readonly addresses: readonly string[]
  readonly commitment: Commitment
}

/** A poller over a node that has some accounts. */
function pollerOver(t: Test) {
  const clock = handClock()
  const asked: Asked[] = []
  const accounts = new Map<string, string>()
  const node = { slot: 90, answers: true }
  const poller = new AccountPoller({
    clock,
    rpc: {
      slotMs: 200,
      async read(method, params, { scope, priority }) {
        const [addresses, { commitment, ...options }] = JSON.parse(params)
        t.same(options, { encoding: 'base64', dataSlice: { offset: 0, length: 10_241 } })
        t.same([method, scope.client, priority], ['getMultipleAccounts', 'gateway', 'research'])
        asked.push({ addresses, commitment })
        if (!node.answers) throw new GatewayError('upstream_timeout', 'The upstream did not answer in time.')
        const value = addresses.map((address: string) => accounts.get(address) ?? 'null')
        return { result: Buffer.from(`{"context":{"slot":${node.slot}},"value":[${value}]}`) } as RpcReply
      },
    },
  })
  t.teardown(() => poller.close())
  const told: string[] = []
  const states: (AccountState | null)[] = []
  const watch = (
    address: string,
    { client = 'one', commitment = 'confirmed' as Commitment, name = '' } = {},
  ) =>
    poller.watch(address, commitment, {
      client,
      onKnown: (slot, isCut) => told.push(`${name} known ${slot}${isCut ? ' cut' : ''}`),
      onChange(slot, state) {
        told.push(`${name} changed ${slot}`)
        states.push(state)
      },
    })
  /** Lets a round begin, and come to its end. */
  const round = async (ms = 200) => {
    clock.advance(ms)
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  }
  return { poller, clock, asked, accounts, node, told, states, watch, round }
}

t.test('all watchers are one call a round, and hear of changes after the state is known', async (t) => {
  const { poller, clock, asked, accounts, node, told, states, watch, round } = pollerOver(t)
  t.equal(clock.waiting, 0, 'nobody watches, and there are no rounds')
  accounts.set(A, account())
  watch(A, { name: 'a1' })
  const leave = watch(A, { name: 'a2' })
  watch(B, { name: 'b' })
  t.equal(poller.size, 2)
  await round(0)
  t.same(asked, [{ addresses: [A, B], commitment: 'confirmed' }])
  t.same(told.splice(0), ['a1 known 90', 'a2 known 90', 'b known 90'])
  watch(A, { name: 'a3' })
  t.same(told.splice(0), ['a3 known 90'], 'a known state costs no call')
  node.slot = 91
  await round()
  t.same(told, [], 'nothing has changed')
  leave()
  accounts.set(A, account(Uint8Array.of(2)))
  accounts.set(B, account())
  node.slot = 92
  await round()
  t.same(told.splice(0), ['a1 changed 92', 'a3 changed 92', 'b changed 92'])
  t.match(states[0], { lamports: '18446744073709551615', data: Buffer.of(2), space: '1', isCut: false })
  accounts.delete(B)
  node.slot = 93
  await round()
  t.same(told.splice(0), ['b changed 93'])
  t.equal(states.at(-1), null)
  t.equal(asked.length, 4)
})

t.test("a lagging node's state is not a change, nor is another spelling", async (t) => {
  const { accounts, node, told, watch, round } = pollerOver(t)
  accounts.set(A, account())
  watch(A)
  await round(0)
  node.slot = 89
  accounts.set(A, account(Uint8Array.of(2)))
  await round()
  node.slot = 91
  accounts.set(
    A,
    account()
      .replace(/^\{("data":.*\]),/, '{ ')
      .replace('}', ', "data" : ["AQ==" , "base64"] }'),
  )
  await round()
  t.same(told, [' known 90'])
  accounts.set(A, account(Uint8Array.of(1), '7'))
  await round()
  t.same(told.slice(1), [' changed 91'])
})

t.test('slots that stay lower have gone back', async (t) => {
  const { accounts, node, told, watch, round } = pollerOver(t)
  accounts.set(A, account())
  watch(A)
  await round(0)
  node.slot = 50
  accounts.set(A, account(Uint8Array.of(2)))
  for (let i = 0; i < 49; i++) await round()
  t.same(told, [' known 90'])
  await round()
  t.same(told, [' known 90', ' changed 50'])
})

t.test('a failed round is made up for by the next, and the answer waits', async (t) => {
  const { asked, node, told, watch, round, poller, clock } = pollerOver(t)
  node.answers = false
  watch(A)
  await round(0)
  await round()
  t.same([asked.length, told.length], [2, 0])
  node.answers = true
  await round()
  t.same(told, [' known 90'])
  poller.close()
  t.equal(clock.waiting + poller.size, 0)
})

t.test('commitments are polled separately; the last watcher to leave ends the rounds', async (t) => {
  const { asked, clock, watch, round } = pollerOver(t)
  const leaves = [watch(A), watch(A, { commitment: 'finalized' })]
  await round(0)
  t.same(asked, [
    { addresses: [A], commitment: 'confirmed' },
    { addresses: [A], commitment: 'finalized' },
  ])
  for (const leave of leaves) leave()
  await round()
  t.equal(asked.length, 2)
  t.equal(clock.waiting, 0)
})

t.test('clients share a round, and what was asked for longest ago comes first', async (t) => {
  const { asked, watch, round } = pollerOver(t)
  for (let i = 0; i < 250; i++) watch(addressOf(i), { client: 'greedy' })
  watch(addressOf(999), { client: 'modest' })
  // One that the greedy client watches, too, waits for nobody.
  watch(addressOf(249), { client: 'other' })
  const inRound = async (ms: number): Promise<ReadonlySet<string>> => {
    asked.length = 0
    await round(ms)
    return new Set(asked.flatMap(({ addresses }) => addresses))
  }
  const first = await inRound(0)
  t.equal(first.size, 102)
  const second = await inRound(200)
  for (const seen of [first, second]) {
    t.ok(seen.has(addressOf(999)))
    t.ok(seen.has(addressOf(249)))
  }
  const third = await inRound(200)
  t.equal(new Set([...first, ...second, ...third]).size, 251, 'all of them in three rounds')
})

t.test('a round has four calls at most', async (t) => {
  const { asked, watch, round } = pollerOver(t)
  for (let i = 0; i < 600; i++) watch(addressOf(i), { client: `client ${i % 6}` })
  await round(0)
  t.same(
    asked.map(({ addresses }) => addresses.length),
    [100, 100, 100, 100],
  )
  await round()
  t.equal(new Set(asked.flatMap(({ addresses }) => addresses)).size, 600)
})

t.test('more data than is read is cut, and said to be', async (t) => {
  const { accounts, node, told, states, watch, round } = pollerOver(t)
  accounts.set(A, account(new Uint8Array(10_241)))
  accounts.set(B, account(new Uint8Array(10_240)))
  watch(A)
  watch(B)
  await round(0)
  t.same(told.splice(0), [' known 90 cut', ' known 90'])
  watch(A)
  t.same(told.splice(0), [' known 90 cut'])
  node.slot = 91
  accounts.set(B, account(new Uint8Array(10_241)))
  await round()
  t.same(
    states.map((state) => [state?.isCut, state?.data.length]),
    [[true, 10_240]],
  )
})

t.test('an answer in any other form is none', async (t) => {
  const good = account()
  const answer = (value: string) => ({ result: Buffer.from(`{"context":{"slot":9},"value":${value}}`) })
  t.match(readAccounts(answer(`[${good},null]`), 2), { slot: 9, states: [{ owner: OWNER }, null] })
  t.match(readAccounts(answer(`[${good.replace(',"space":1', '')}]`), 1), { states: [{ space: null }] })
  const bad: [value: string, count: number][] = [
    [`[${good}]`, 2],
    [`[${good},null]`, 1],
    ['null', 1],
    ['{}', 1],
    ['[7]', 1],
    [`[${good.replace(OWNER, 'x')}]`, 1],
    [`[${good.replace('"base64"', '"base58"')}]`, 1],
    [`[${good.replace(':false', ':"false"')}]`, 1],
    [`[${good.replace(/"lamports":\d+/, '"lamports":1.5')}]`, 1],
    [`[${good.replace(/"rentEpoch":\d+/, '"rentEpoch":-1')}]`, 1],
  ]
  for (const [value, count] of bad) t.equal(readAccounts(answer(value), count), null, value)
  t.equal(readAccounts({ result: null }, 1), null)
  t.equal(readAccounts({ result: Buffer.from(`{"value":[${good}]}`) }, 1), null)
  fc.assert(
    fc.property(fc.json(), (value) => {
      readAccounts(answer(value), 1)
    }),
  )
})

t.test("watchers share a call's cost, and its answer", async (t) => {
  const { poller, node, round } = pollerOver(t)
  const costs: Record<string, [calls: number, bytes: number]> = {}
  for (const [client, address] of [
    ['one', A],
    ['one', B],
    ['two', B],
  ] as const) {
    costs[client] = [0, 0]
    poller.watch(address, 'confirmed', {
      client,
      onAsked(calls, bytes) {
        costs[client]![0] += calls
        costs[client]![1] += bytes
      },
      onKnown() {},
      onChange() {},
    })
  }
  await round(0)
  const bytes = '{"context":{"slot":90},"value":[null,null]}'.length
  t.same(costs, { one: [0.75, 0.75 * bytes], two: [0.25, 0.25 * bytes] })
  node.answers = false
  await round()
  t.same(costs.two, [0.5, 0.25 * bytes], 'a call that fails costs, too')
})
