import t from 'tap'
import type { OnStatus } from '../../../src/relay/reads/statuses.ts'
import { Blockhashes } from '../../../src/relay/submissions/blockhashes.ts'
import { HeldNonce } from '../../../src/relay/submissions/nonces.ts'
import { Pending } from '../../../src/relay/submissions/pending.ts'
import { Retries } from '../../../src/relay/submissions/retries.ts'
import { LANDING_SERVICES } from '../../../src/upstream/nodes/solana/landing-services.ts'
import type { RpcReply } from '../../../src/upstream/nodes/solana/rpc.ts'
import type { Submission } from '../../../src/upstream/nodes/solana/submissions.ts'
import { handClock } from '../../fixtures/clock.ts'

const ACCEPTED = { error: null } as RpcReply
const REFUSED = { error: Buffer.from('{}') } as RpcReply
const turn = () => new Promise(setImmediate)

/** What is pending, over upstreams that answer when they are told to. */
function pendingWorld() {
  const clock = handClock()
  const rpc = {
    slotMs: 200,
    submissions: {
      serviceRows: LANDING_SERVICES,
      resend({ signature }: Submission) {
        sent.push(signature)
        return new Promise<void>((resolve) => (world.holds ? answers.push(resolve) : resolve()))
      },
    },
  }
  const blockhashes = new Blockhashes({ rpc, clock })
  const sent: string[] = []
  const answers: (() => void)[] = []
  const watchers = new Map<string, OnStatus>()
  const landed: string[] = []
  const looked: HeldNonce[] = []
  /** `height` is the cluster's, null if no node tells it. */
  const world = { holds: false, height: null as number | null, heights: 0 }
  const pending = new Pending({
    rpc,
    clock,
    blockhashes,
    nonces: { look: (nonce) => looked.push(nonce) },
    async askHeight() {
      world.heights++
      if (world.height !== null) learnHeight(world.height)
    },
    statuses: {
      watch(signature, _watching, onStatus) {
        watchers.set(signature, onStatus)
        return () => watchers.delete(signature)
      },
    },
  })
  const learnHeight = (height: number) =>
    blockhashes.learn('getBlockHeight', '[]', { result: Buffer.from(`${height}`) } as RpcReply)
  const follow = (
    signature: string,
    more: { nonce?: HeldNonce; retries?: number; reply?: RpcReply; client?: string } = {},
  ) =>
    pending.follow(
      {
        signature,
        base64: `bytes of ${signature}`,
        paramsJson: '[]',
        blockhash: 'h',
        nonce: more.nonce ?? null,
        retries: new Retries(more.retries ?? 100),
        trace: { sent: () => {}, answered: () => {}, landed: (slot) => landed.push(`${signature} ${slot}`) },
        lease: null,
        client: more.client ?? 'c',
        isLag: () => false,
      },
      Promise.resolve(more.reply ?? ACCEPTED),
    )
  const find = (signature: string, base64 = `bytes of ${signature}`) => pending.find({ signature, base64 })
  return {
    pending,
    clock,
    rpc,
    blockhashes,
    learnHeight,
    sent,
    answers,
    watchers,
    landed,
    looked,
    world,
    follow,
    find,
  }
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
  clock.advance(1_000)
  t.same(sent, ['seen'])
  watchers.get('seen')!({ slot: 9, err: null, confirmationStatus: 'processed' }, 9)
  t.same(landed, ['seen 9'])
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
  t.equal(find('seen'), null)
})

t.test('only a confirmed height above its last valid one ends it', async (t) => {
  const { follow, pending, clock, blockhashes, learnHeight, sent, world } = pendingWorld()
  const value = { blockhash: 'h', lastValidBlockHeight: 1_000 }
  const result = Buffer.from(JSON.stringify({ context: { slot: 1 }, value }))
  blockhashes.learn('getLatestBlockhash', '[]', { result } as RpcReply)
  follow('a')
  await turn()
  t.match(pending.list(), [{ lastValidBlockHeight: 1_000, retriesLeft: 100 }])
  for (let at = 0; at < 30; at++) {
    clock.advance(1_000)
    await turn()
  }
  t.equal(sent.length, 30)
  t.equal(world.heights, 0, 'it is valid by the pace of slots')
  // By the pace it has expired, and the cluster stands still.
  world.height = 990
  for (let at = 0; at < 10; at++) {
    clock.advance(1_000)
    await turn()
  }
  t.equal(sent.length, 40, 'and it goes out all the same')
  t.ok(world.heights > 0)
  learnHeight(1_001)
  clock.advance(1_000)
  t.equal(sent.length, 40)
  t.equal(clock.waiting, 0)
})

t.test(
  'one whose blockhash is not known has that of the newest block at its acceptance at best',
  async (t) => {
    const { follow, clock, learnHeight, sent, world } = pendingWorld()
    for (const signature of ['a', 'b', 'c']) follow(signature)
    await turn()
    world.height = 500
    clock.advance(1_000)
    t.equal(world.heights, 1, 'the height is asked for once for all of them')
    await turn()
    clock.advance(1_000)
    t.equal(world.heights, 1)
    t.equal(sent.length, 6)
    learnHeight(500 + 150 + 6)
    clock.advance(1_000)
    t.equal(sent.length, 6)
    t.equal(clock.waiting, 0)
  },
)

t.test('if no node reports the height, a transaction is sent until its retries are used up', async (t) => {
  const { follow, clock, sent, watchers, world } = pendingWorld()
  follow('a', { retries: 60 })
  await turn()
  for (let at = 0; at < 89; at++) {
    clock.advance(1_000)
    await turn()
  }
  t.equal(sent.length, 60)
  t.equal(watchers.size, 1)
  t.ok(world.heights > 80, 'it is asked for again and again')
  clock.advance(1_000)
  t.equal(watchers.size, 0, 'and watched for 90 s')
  t.equal(clock.waiting, 0)
})

t.test('it goes out every five slots, and every two seconds at least', async (t) => {
  for (const [slotMs, againMs] of [
    [400, 2_000],
    [200, 1_000],
    [100, 500],
    [1_000, 2_000],
  ] as const) {
    const { follow, rpc, clock, sent, pending } = pendingWorld()
    rpc.slotMs = slotMs
    follow('a', { retries: 5 })
    await turn()
    t.equal(pending.againMs, againMs)
    clock.advance(againMs - 1)
    t.equal(sent.length, 0)
    clock.advance(1)
    t.equal(sent.length, 1)
    rpc.slotMs = 200
    clock.advance(againMs + 1_000)
    t.equal(sent.length, 3, 'also when the pace changes meanwhile')
    pending.close()
  }
})

t.test('late and timely transactions decide the advised tip', async (t) => {
  const { follow, clock, watchers, pending } = pendingWorld()
  t.match(pending.tips.advise('c'), { basis: 'none', lamports: 1_000n })
  follow('prompt')
  follow('late')
  await turn()
  clock.advance(1_900)
  watchers.get('prompt')!({ slot: 9, err: null, confirmationStatus: 'processed' }, 9)
  t.match(pending.tips.advise('c'), { basis: 'own', service: null, lamports: 0n })
  clock.advance(100)
  t.match(pending.tips.advise('c'), { basis: 'own', service: { name: 'Jito' }, lamports: 1_000n })
  clock.advance(3_000)
  watchers.get('late')!({ slot: 9, err: null, confirmationStatus: 'processed' }, 9)
  t.match(pending.tips.advise('c'), { lamports: 1_000n }, 'each is judged once')
  pending.close()
})

const held = () => new HeldNonce({ account: 'n', value: 'v' })

t.test(
  'with a durable nonce it is kept for ten minutes, and sent as often as blockhashes expire',
  async (t) => {
    const { follow, clock, sent, looked, pending } = pendingWorld()
    const nonce = held()
    follow('a', { nonce, retries: 5 })
    await turn()
    const pass = async (seconds: number) => {
      for (let at = 0; at < seconds; at++) {
        clock.advance(1_000)
        await turn()
      }
    }
    await pass(6)
    t.equal(sent.length, 5)
    await pass(90)
    t.equal(sent.length, 8, 'every 150 slots')
    t.match(pending.list(), [{ retriesLeft: 0, sends: 8, lastValidBlockHeight: null }])
    t.equal(looked.length, 4)
    t.same(new Set(looked), new Set([nonce]))
    await pass(600)
    t.equal(sent.length, 5 + 20)
    t.equal(clock.waiting, 0)
  },
)

t.test('once the account holds another value, the transaction is sent no more', async (t) => {
  const { follow, clock, sent, watchers, pending } = pendingWorld()
  const [used, unused] = [held(), held()]
  follow('used', { nonce: used })
  follow('unused', { nonce: unused })
  await turn()
  clock.advance(1_000)
  used.observe('v', 7)
  used.observe('w', 8)
  clock.advance(1_000)
  await turn()
  t.same(sent, ['used', 'unused', 'unused'])
  t.same([...watchers.keys()], ['unused'])
  t.notOk(pending.has('used'))
})

t.test('of the transactions with a durable nonce 50 of a client are kept, and 500 of all', async (t) => {
  const { follow, clock, sent, pending } = pendingWorld()
  const followAll = (client: string, count: number) => {
    for (let i = 0; i < count; i++) follow(`${client} ${i}`, { nonce: held(), retries: 1, client })
  }
  followAll('flood', 60)
  for (let i = 0; i < 10; i++) followAll(`client ${i}`, 50)
  await turn()
  for (let at = 0; at < 240; at++) {
    clock.advance(1_000)
    await turn()
  }
  const kept = new Set(sent.filter((one, i) => sent.indexOf(one) !== i))
  const by = (client: string) => [...kept].filter((one) => one.startsWith(client)).length
  t.equal(by('flood'), 50)
  t.equal(by('client 9'), 0, 'its retries went out, and no more')
  t.equal(by('client 7'), 50)
  pending.close()
})

t.test('a transaction without retries left is only watched, and may be submitted again', async (t) => {
  const { follow, find, clock, sent, watchers, pending } = pendingWorld()
  follow('a', { retries: 1 })
  await turn()
  clock.advance(1_000)
  t.ok(find('a'))
  clock.advance(1_000)
  t.same(sent, ['a'])
  t.equal(find('a'), null)
  t.same(pending.list(), [])
  t.ok(pending.has('a'))
  t.equal(watchers.size, 1)
  follow('a', { retries: 1 })
  await turn()
  t.equal(watchers.size, 1)
  clock.advance(1_000)
  t.same(sent, ['a', 'a'])
  clock.advance(120_000)
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
})

t.test('one whose retries are used up is watched until its blockhash has expired', async (t) => {
  const { follow, clock, blockhashes, learnHeight, watchers, landed, pending } = pendingWorld()
  const value = { blockhash: 'h', lastValidBlockHeight: 1_000 }
  const result = Buffer.from(JSON.stringify({ context: { slot: 1 }, value }))
  blockhashes.learn('getLatestBlockhash', '[]', { result } as RpcReply)
  follow('never', { retries: 1 })
  follow('late', { retries: 1 })
  await turn()
  clock.advance(50_000)
  t.same([...watchers.keys()], ['never', 'late'])
  watchers.get('late')!({ slot: 7, err: null, confirmationStatus: 'processed' }, 7)
  t.same(landed, ['late 7'])
  learnHeight(1_000)
  clock.advance(1_000)
  t.equal(watchers.size, 1, 'it can land in the last valid block')
  learnHeight(1_001)
  clock.advance(1_000)
  t.equal(watchers.size, 0)
  t.notOk(pending.has('never'))
  t.equal(clock.waiting, 0)
})

t.test('sixteen go out at one time, and a thousand wait at most', async (t) => {
  const { follow, clock, sent, answers, world, watchers, pending } = pendingWorld()
  world.holds = true
  for (let i = 0; i < 1_100; i++) follow(`s${i}`)
  await turn()
  t.equal(watchers.size, 1_000)
  t.equal(pending.list().length, 1_000)
  clock.advance(1_000)
  t.equal(sent.length, 16)
  for (const answer of answers.splice(0)) answer()
  await turn()
  clock.advance(200)
  t.equal(sent.length, 32)
  t.equal(new Set(sent).size, 32, 'others than before')
  pending.close()
  t.equal(watchers.size, 0)
  t.equal(clock.waiting, 0)
  follow('late')
  await turn()
  t.equal(watchers.size, 0, 'nothing begins after a stop')
})
