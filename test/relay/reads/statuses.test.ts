import t, { type Test } from 'tap'
import { readStatuses, type SignatureStatus, StatusPoller } from '../../../src/relay/reads/statuses.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { RpcReply } from '../../../src/upstream/nodes/solana/rpc.ts'
import { handClock } from '../../fixtures/clock.ts'

const RESULT_OF = (value: unknown) => Buffer.from(JSON.stringify({ context: { slot: 90 }, value }))
const SEEN = { slot: 80, confirmations: 2, err: null, status: { Ok: null }, confirmationStatus: 'processed' }
const PROCESSED: SignatureStatus = { slot: 80, err: null, confirmationStatus: 'processed' }
const research = { priority: 'research' } as const
const quote = { priority: 'quote' } as const

interface Asked {
  readonly signatures: readonly string[]
  readonly priority: unknown
}

/** A poller over a node that knows some signatures. */
function pollerOver(t: Test, known: Map<string, unknown>) {
  const clock = handClock()
  const asked: Asked[] = []
  const node = { answers: true, result: null as Buffer | null, slotMs: 200 }
  const poller = new StatusPoller({
    clock,
    rpc: {
      get slotMs() {
        return node.slotMs
      },
      async read(method, params, { scope, priority }) {
        if (method === 'getSlot') {
          asked.push({ signatures: [params], priority })
          return { result: Buffer.from('77'), error: null } as RpcReply
        }
        const [signatures] = JSON.parse(params) as [string[]]
        asked.push({ signatures, priority })
        t.equal(scope.client, 'gateway', 'on the account of the house')
        if (!node.answers) throw new GatewayError('upstream_timeout', 'The upstream did not answer in time.')
        const result = node.result ?? RESULT_OF(signatures.map((signature) => known.get(signature) ?? null))
        return { result, error: null } as RpcReply
      },
    },
  })
  t.teardown(() => poller.close())
  /** Lets a round begin, and come to its end. */
  const round = async (ms = node.slotMs) => {
    clock.advance(ms)
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  }
  return { poller, clock, asked, node, round }
}

t.test('all watchers are one call a round, and are notified until they leave', async (t) => {
  const known = new Map<string, unknown>()
  const { poller, asked, round, clock } = pollerOver(t, known)
  const told: string[] = []
  t.equal(clock.waiting, 0, 'nobody watches, and there are no rounds')
  const leave = poller.watch('a', research, (status, slot) => told.push(`a1 ${status.slot} ${slot}`))
  poller.watch('a', research, () => told.push('a2'))
  poller.watch('b', research, () => told.push('b'))
  t.equal(poller.size, 2)
  await round(199)
  t.same(asked, [])
  await round(1)
  t.same(asked, [{ signatures: ['a', 'b'], priority: 'research' }])
  t.same(told, [], 'the node knows none of them')
  known.set('a', SEEN)
  await round()
  t.same(told, ['a1 80 90', 'a2'])
  leave()
  leave()
  await round()
  t.same(told, ['a1 80 90', 'a2', 'a2'])
  t.equal(asked.length, 3)
})

t.test(
  'who may ask for what is known already is answered at once, and no more often than all others',
  async (t) => {
    const { poller, asked, round } = pollerOver(t, new Map([['a', SEEN]]))
    const told: string[] = []
    const prompt = { priority: 'research', isPrompt: true } as const
    poller.watch('b', quote, () => {})
    await round(100)
    t.same(asked, [], 'what was just submitted is not known yet')
    poller.watch('a', prompt, () => told.push('a'))
    poller.watch('c', prompt, () => told.push('c'))
    await round(0)
    t.same(
      asked.map(({ signatures }) => signatures),
      [['b', 'a', 'c']],
    )
    t.same(told, ['a'])
    poller.watch('a', prompt, () => told.push('late'))
    await round(199)
    t.equal(asked.length, 1)
    await round(1)
    t.equal(asked.length, 2)
    t.same(told, ['a', 'a', 'late'])
  },
)

t.test('the last watcher to leave ends the rounds, and a new one starts them', async (t) => {
  const { poller, asked, round, clock } = pollerOver(t, new Map([['a', SEEN]]))
  const leave = poller.watch('a', research, (status) => {
    t.same(status, PROCESSED)
    leave()
  })
  await round()
  t.equal(clock.waiting, 0)
  t.equal(asked.length, 1)
  poller.watch('a', research, () => {})
  await round()
  t.equal(asked.length, 2)
  poller.close()
  t.equal(clock.waiting, 0)
  poller.watch('a', research, () => {})
  t.equal(clock.waiting, 0, 'a stop ends it for good')
})

t.test('256 fit in a call and 2,048 in a round; the next begins with those that did not', async (t) => {
  const { poller, asked, round } = pollerOver(t, new Map())
  for (let i = 0; i < 2_500; i++) poller.watch(`s${i}`, research, () => {})
  await round()
  t.equal(asked.length, 8)
  t.ok(asked.every(({ signatures }) => signatures.length === 256))
  asked.length = 0
  await round()
  t.equal(asked.length, 8)
  t.equal(asked[0]!.signatures[0], 's2048')
  const inBoth = new Set(asked.flatMap(({ signatures }) => signatures.slice(0, 452)))
  for (let i = 2_048; i < 2_500; i++) if (!inBoth.has(`s${i}`)) t.fail(`s${i} was not asked for`)
})

t.test('the urgent are asked for first, and take others along', async (t) => {
  const { poller, asked, round } = pollerOver(t, new Map())
  for (let i = 0; i < 300; i++) poller.watch(`r${i}`, research, () => {})
  poller.watch('r299', quote, () => {})
  poller.watch('q', quote, () => {})
  await round()
  t.same(
    asked.map(({ signatures, priority }) => [signatures.length, priority]),
    [
      [256, 'quote'],
      [45, 'research'],
    ],
  )
  t.same(asked[0]!.signatures.slice(0, 3), ['r299', 'q', 'r0'])
})

t.test('a watcher with a longer interval is polled less often', async (t) => {
  const { poller, asked, round } = pollerOver(t, new Map())
  poller.watch('slow', { priority: 'research', everyMs: 1_000 }, () => {})
  for (let i = 0; i < 11; i++) await round()
  t.equal(asked.length, 3, 'at 200, 1,200 and 2,200 ms')
})

t.test('a round is a slot, as long as slots take at the time', async (t) => {
  const { poller, asked, node, round } = pollerOver(t, new Map())
  poller.watch('a', research, () => {})
  const roundsIn = async (ms: number) => {
    const before = asked.length
    for (let at = 0; at < ms; at += 50) await round(50)
    return asked.length - before
  }
  node.slotMs = 400
  // The round that was scheduled at 200 ms still comes at that time.
  await round(200)
  t.equal(await roundsIn(2_000), 5)
  node.slotMs = 100
  await round(400)
  t.equal(await roundsIn(2_000), 20)
})

t.test('a node that fails, or answers nonsense, is asked again in the next round', async (t) => {
  const { poller, asked, node, round } = pollerOver(t, new Map([['a', SEEN]]))
  let told = 0
  poller.watch('a', research, () => told++)
  node.answers = false
  await round()
  node.answers = true
  for (const nonsense of ['null', '5', '{"context":{"slot":1},"value":[]}', '{"value":[null]}', '{']) {
    node.result = Buffer.from(nonsense)
    await round()
  }
  t.equal(told, 0)
  node.result = null
  await round()
  t.equal(told, 1)
  t.equal(asked.length, 7)
})

t.test('an answer is read as it is', async (t) => {
  const failed = { ...SEEN, err: { InstructionError: [0, { Custom: 1 }] }, confirmationStatus: 'finalized' }
  const strange = [null, 5, 'x', {}, { ...SEEN, slot: '80' }, { ...SEEN, confirmationStatus: 'rooted' }]
  t.same(readStatuses(RESULT_OF([SEEN, failed, ...strange]), 8), {
    contextSlot: 90,
    statuses: [
      PROCESSED,
      { slot: 80, err: { InstructionError: [0, { Custom: 1 }] }, confirmationStatus: 'finalized' },
      ...strange.map(() => null),
    ],
  })
  t.equal(readStatuses(RESULT_OF([SEEN]), 2), null)
})

t.test('an error of any length is a failure, and is not kept at that length', (t) => {
  const told = (err: unknown) => readStatuses(RESULT_OF([{ ...SEEN, err }]), 1)!.statuses[0]!.err
  for (const err of ['x'.repeat(1_022), { InstructionError: [255, { BorshIoError: 'x'.repeat(900) }] }]) {
    t.same(told(err), err)
  }
  for (const err of ['x'.repeat(1_023), new Array(1_000).fill({})]) {
    t.equal(told(err), 'failed, with an error too long to be passed on')
  }
  t.equal(told(false), false)
  t.end()
})

t.test('a round reports its slot, and polls it if there is nothing else to poll', async (t) => {
  const { poller, asked, round, clock } = pollerOver(t, new Map())
  const slots: number[] = []
  const leave = poller.watchSlots((slot) => slots.push(slot))
  await round(0)
  t.same(asked.splice(0), [{ signatures: ['[{"commitment":"processed"}]'], priority: 'research' }])
  const unwatch = poller.watch('a', quote, () => {})
  await round()
  t.same(asked.splice(0), [{ signatures: ['a'], priority: 'quote' }], 'the slot comes with the statuses')
  unwatch()
  poller.watch('b', { priority: 'research', everyMs: 5_000 }, () => {})
  await round()
  await round()
  t.same(
    asked.splice(0).map(({ signatures: [one] }) => one),
    ['b', '[{"commitment":"processed"}]'],
  )
  t.same(slots, [77, 90, 90, 77])
  leave()
  await round()
  t.same(asked, [], 'nobody listens')
  poller.close()
  t.equal(clock.waiting, 0)
})

t.test("watchers share a call's cost", async (t) => {
  const { poller, round } = pollerOver(t, new Map())
  const costs = { one: 0, two: 0 }
  poller.watch('a', { ...research, onAsked: (calls) => (costs.one += calls) }, () => {})
  poller.watch('b', { ...research, onAsked: (calls) => (costs.one += calls) }, () => {})
  poller.watch('b', { ...research, onAsked: (calls) => (costs.two += calls) }, () => {})
  await round()
  t.same(costs, { one: 0.75, two: 0.25 })
})
