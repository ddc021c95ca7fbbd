import t from 'tap'
import { Blockhashes } from '../../src/relay/blockhashes.ts'
import { Pending } from '../../src/relay/pending.ts'
import { Retries } from '../../src/relay/retries.ts'
import type { OnStatus } from '../../src/relay/statuses.ts'
import type { RpcReply } from '../../src/upstream/nodes/solana-rpc.ts'
import { handClock } from '../fixtures/clock.ts'

const ACCEPTED = { error: null } as RpcReply
const REFUSED = { error: Buffer.from('{}') } as RpcReply
const turn = () => new Promise(setImmediate)

/** What is pending, over upstreams that answer when they are told to. */
function pendingWorld() {
  const clock = handClock()
  const blockhashes = new Blockhashes(clock)
  const sent: string[] = []
  const answers: (() => void)[] = []
  const watchers = new Map<string, OnStatus>()
  const landed: string[] = []
  const world = { holds: false }
  const pending = new Pending({
    clock,
    blockhashes,
    submissions: {
      resend({ signature }) {
        sent.push(signature)
        return new Promise((resolve) => (world.holds ? answers.push(resolve) : resolve()))
      },
    },
    statuses: {
      watch(signature, _watching, onStatus) {
        watchers.set(signature, onStatus)
        return () => watchers.delete(signature)
      },
    },
  })
  const follow = (signature: string, more: { nonce?: boolean; retries?: number; reply?: RpcReply } = {}) =>
    pending.follow(
      {
        signature,
        base64: `bytes of ${signature}`,
        paramsJson: '[]',
        blockhash: 'h',
        retries: new Retries(more.retries ?? 100),
        trace: { sent: () => {}, answered: () => {}, landed: (slot) => landed.push(`${signature} ${slot}`) },
        lease: null,
        isLag: () => false,
      },
      Promise.resolve(more.reply ?? ACCEPTED),
      more.nonce ?? false,
    )
  const find = (signature: string, base64 = `bytes of ${signature}`) => pending.find({ signature, base64 })
  return { pending, clock, blockhashes, sent, answers, watchers, landed, world, follow, find }
}

t.test('a refused one is forgotten, and a seen one is sent no more', async (t) => {
  const { follow, find, clock, sent, watchers, landed } = pendingWorld()
  follow('refused', { reply: REFUSED })
  follow('seen')
  t.ok(find('refused'), 'on its way')
  t.equal(find('seen', 'other bytes'), null)
  await turn()
  t.equal(find('refused'), null)
  t.ok(find('seen'))
  clock.advance(2_000)
  t.same(sent, ['seen'])
  watchers.get('seen')!({ slot: 9, err: null, confirmationStatus: 'processed' }, 9)
  t.same(landed, ['seen 9'])
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
  t.equal(find('seen'), null)
})

t.test('a blockhash that expires ends it, after a minute where nothing is known of it', async (t) => {
  const unknown = pendingWorld()
  unknown.follow('a')
  await turn()
  for (let at = 0; at < 60; at++) {
    unknown.clock.advance(2_000)
    await turn()
  }
  t.equal(unknown.sent.length, 29, 'until 58 s')
  t.equal(unknown.clock.waiting, 0)

  const known = pendingWorld()
  const value = { blockhash: 'h', lastValidBlockHeight: 1_000 }
  const result = Buffer.from(JSON.stringify({ context: { slot: 1 }, value }))
  known.blockhashes.learn('getLatestBlockhash', '[]', { result } as RpcReply)
  known.follow('a')
  await turn()
  t.match(known.pending.list(), [{ lastValidBlockHeight: 1_000, retriesLeft: 100 }])
  known.clock.advance(4_000)
  t.equal(known.sent.length, 2)
  known.blockhashes.learn('getBlockHeight', '[]', { result: Buffer.from('1001') } as RpcReply)
  known.clock.advance(2_000)
  t.equal(known.sent.length, 2)
  t.equal(known.clock.waiting, 0)
})

t.test('a durable nonce does not expire', async (t) => {
  const { follow, clock, sent } = pendingWorld()
  follow('a', { nonce: true, retries: 50 })
  await turn()
  for (let at = 0; at < 60; at++) {
    clock.advance(2_000)
    await turn()
  }
  t.equal(sent.length, 50)
  t.equal(clock.waiting, 0)
})

t.test('one whose retries are used up is only watched, and may be submitted anew', async (t) => {
  const { follow, find, clock, sent, watchers, pending } = pendingWorld()
  follow('a', { retries: 1 })
  await turn()
  clock.advance(2_000)
  t.ok(find('a'))
  clock.advance(2_000)
  t.same(sent, ['a'])
  t.equal(find('a'), null)
  t.same(pending.list(), [])
  t.ok(pending.has('a'))
  t.equal(watchers.size, 1)
  follow('a', { retries: 1 })
  await turn()
  t.equal(watchers.size, 1)
  clock.advance(2_000)
  t.same(sent, ['a', 'a'])
  clock.advance(120_000)
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
})

t.test('one whose retries are used up is watched for as long as its blockhash may be good', async (t) => {
  const { follow, clock, watchers, landed, pending } = pendingWorld()
  follow('never', { retries: 1 })
  follow('late', { retries: 1 })
  await turn()
  clock.advance(59_999)
  t.same([...watchers.keys()], ['never', 'late'])
  watchers.get('late')!({ slot: 7, err: null, confirmationStatus: 'processed' }, 7)
  t.same(landed, ['late 7'])
  clock.advance(1)
  t.equal(watchers.size, 0, 'a minute after its acceptance')
  t.notOk(pending.has('never'))
  t.equal(clock.waiting, 0)
})

t.test('one whose retries lasted longer than a blockhash is watched for another round', async (t) => {
  const { follow, clock, sent, watchers } = pendingWorld()
  follow('a', { nonce: true, retries: 40 })
  await turn()
  for (let at = 0; at < 41; at++) {
    clock.advance(2_000)
    await turn()
  }
  t.equal(sent.length, 40)
  clock.advance(1_999)
  t.equal(watchers.size, 1)
  clock.advance(1)
  t.equal(watchers.size, 0)
})

t.test('sixteen go out at one time, and a thousand wait at most', async (t) => {
  const { follow, clock, sent, answers, world, watchers, pending } = pendingWorld()
  world.holds = true
  for (let i = 0; i < 1_100; i++) follow(`s${i}`)
  await turn()
  t.equal(watchers.size, 1_000)
  t.equal(pending.list().length, 1_000)
  clock.advance(2_000)
  t.equal(sent.length, 16)
  for (const answer of answers.splice(0)) answer()
  await turn()
  clock.advance(400)
  t.equal(sent.length, 32)
  t.equal(new Set(sent).size, 32, 'others than before')
  pending.close()
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
  follow('late')
  await turn()
  t.equal(watchers.size, 0, 'nothing begins after a stop')
})
