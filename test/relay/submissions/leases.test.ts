/** What a submission does with the lease that instances share, and with what is known of the same bytes. */

import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import type { Call } from '../../../src/flow/call.ts'
import type { SendOptions } from '../../../src/relay/methods/params.ts'
import type { StatusPoller } from '../../../src/relay/reads/statuses.ts'
import type { Lease, LeaseOutcome } from '../../../src/relay/submissions/leases.ts'
import { parseTransaction } from '../../../src/relay/submissions/submission.ts'
import { Submissions } from '../../../src/relay/submissions/submissions.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { acceptance } from '../../../src/upstream/nodes/json-rpc.ts'
import type { RpcReply, SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import type { Submission } from '../../../src/upstream/nodes/solana/submissions.ts'
import { callOf } from '../../fixtures/call.ts'
import { handClock } from '../../fixtures/clock.ts'
import { serialize, sha256, transfer } from '../../fixtures/transactions.ts'

const BLOCKHASH = encodeBase58(sha256('blockhash'))
const DEADLINE_MS = 10_000
const transaction = parseTransaction(Buffer.from(serialize(transfer())).toString('base64'), {
  encoding: 'base64',
})
const unreachable = new GatewayError('upstream_unavailable', 'no node')

/** A node's refusal, as the relay reads it. */
function refusal(err = 'AccountNotFound'): RpcReply {
  const error = `{"code":-32002,"message":"no","data":{"err":"${err}"}}`
  const body = Buffer.from(`{"jsonrpc":"2.0","error":${error},"id":1}`)
  const at = body.indexOf('{"code"')
  const cutStart = body.indexOf(',"id"')
  return {
    body,
    result: null,
    error: body.subarray(at, at + error.length),
    id: { start: cutStart + 6, end: cutStart + 7, cutStart, cutEnd: cutStart + 7 },
  }
}
const heightReply = (height: number): RpcReply => ({
  ...refusal(),
  error: null,
  result: Buffer.from(`${height}`),
})

/** Submissions over nodes and leases that answer as a test says. */
function world({ maxRetries = 5, hasLeases = true } = {}) {
  const clock = handClock()
  const told: string[] = []
  const lease: Lease = {
    accepted: () => void told.push('accepted'),
    release: (left) => void told.push(`release ${left}`),
    end: () => void told.push('end'),
  }
  const nodes = {
    reply: async (): Promise<RpcReply> => acceptance(transaction.signature),
    height: async (): Promise<RpcReply> => heightReply(0),
    heights: 0,
  }
  const sent: { readonly submission: Submission; readonly leftMs: number; readonly left: number }[] = []
  const asked: { readonly leftMs: number; readonly needsLease: boolean }[] = []
  const leases = {
    outcome: async (): Promise<LeaseOutcome> => ({ kind: 'send', lease, retries: null }),
    acquire(_base64: string, { leftMs }: Call, needsLease: boolean) {
      asked.push({ leftMs, needsLease })
      return leases.outcome()
    },
  }
  const rpc = {
    slotMs: 200,
    submissions: {
      labels: ['solana-1'],
      serviceRows: [],
      submit(submission: Submission & { readonly retries: { readonly left: number } }, { leftMs }: Call) {
        sent.push({ submission, leftMs, left: submission.retries.left })
        return nodes.reply()
      },
      resend: async () => {},
    },
    read: () => {
      nodes.heights++
      return nodes.height()
    },
  } as unknown as SolanaRpc
  const submissions = new Submissions({
    rpc,
    statuses: { watch: () => () => {} } as unknown as StatusPoller,
    maxRetries,
    funnel: null,
    leases: hasLeases ? leases : null,
    clock,
  })
  t.teardown(() => submissions.close())
  const submit = (options: SendOptions | null = null, deadlineMs = DEADLINE_MS) =>
    submissions.submit(transaction, options, {
      call: callOf(deadlineMs, null, 'build', clock),
      arrival: { startedAt: clock.now(), parsedAt: clock.now(), verifiedAt: clock.now() },
    })
  return { clock, lease, leases, nodes, sent, asked, told, submissions, submit }
}

const turn = () => new Promise(setImmediate)

t.test('what another instance has sent is not sent again', async (t) => {
  const { leases, sent, submit } = world()
  leases.outcome = async () => ({ kind: 'accepted' })
  t.equal((await submit()).body.toString(), acceptance(transaction.signature).body.toString())
  leases.outcome = async () => ({ kind: 'late' })
  await t.rejects(submit(), { code: 'upstream_timeout', message: /Another instance/ })
  leases.outcome = async () => ({ kind: 'spent' })
  await t.rejects(submit(), { code: 'upstream_unavailable', fields: { retryAfterMs: 1_000 } })
  t.same(sent, [])
})

t.test('it is sent as often as the client asks, the operator allows and other instances leave', async (t) => {
  const cases: [asked: number | null, left: number | null, retries: number][] = [
    [null, null, 5],
    [3, null, 3],
    [9, null, 5],
    [3, 2, 2],
    [3, 4, 3],
    [null, 0, 0],
  ]
  for (const [maxRetries, retries, expected] of cases) {
    const { lease, leases, sent, submit } = world()
    leases.outcome = async () => ({ kind: 'send', lease, retries })
    await submit({ maxRetries })
    t.same(
      sent.map(({ left }) => left),
      [expected],
      `${maxRetries} ${retries}`,
    )
  }
})

t.test('the others learn the outcome, and how many retries are left', async (t) => {
  for (const [reply, expected] of [
    [async () => acceptance(transaction.signature), ['accepted']],
    [async () => refusal(), ['release 5', 'end']],
    [() => Promise.reject(unreachable), ['release 5', 'end']],
  ] as const) {
    const { nodes, sent, told, submit } = world()
    nodes.reply = reply
    await submit().catch(() => {})
    await turn()
    t.same(told, expected)
    const isHandedOver = expected[0] !== 'accepted'
    t.equal(sent[0]!.submission.retries.takeForLag(), !isHandedOver, 'what was handed over is not spent here')
  }
})

t.test('the wait for a lease is part of the deadline', async (t) => {
  const { clock, lease, leases, sent, asked, submit } = world()
  leases.outcome = async () => {
    clock.advance(400)
    return { kind: 'send', lease, retries: null }
  }
  await submit()
  t.match(asked, [{ leftMs: DEADLINE_MS, needsLease: true }])
  t.equal(sent[0]!.leftMs, DEADLINE_MS - 400)
})

t.test('requests that come while a lease is acquired wait for it, and share what it sends', async (t) => {
  const { clock, leases, lease, sent, asked, submit } = world()
  let go = () => {}
  leases.outcome = () =>
    new Promise((resolve) => {
      go = () => resolve({ kind: 'send', lease, retries: null })
    })
  const replies = [submit(), submit(), submit()]
  await turn()
  t.equal(asked.length, 1)
  clock.advance(100)
  go()
  await turn()
  t.equal(asked.length, 1, 'none of them waits for the lease that its own instance holds')
  go()
  const [first, ...others] = await Promise.all(replies)
  for (const other of others) t.equal(other, first)
  t.equal(sent.length, 1)
})

t.test(
  'a lease that could not be acquired is acquired by who waits, in the rest of its deadline',
  async (t) => {
    const { clock, leases, lease, sent, asked, submit } = world()
    let fail = () => {}
    leases.outcome = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(unreachable)
      })
    const first = t.rejects(submit(), unreachable)
    const second = submit()
    await turn()
    leases.outcome = async () => ({ kind: 'send', lease, retries: null })
    clock.advance(300)
    fail()
    await first
    t.equal((await second).error, null)
    t.same(
      asked.map(({ leftMs }) => leftMs),
      [DEADLINE_MS, DEADLINE_MS - 300],
    )
    t.equal(sent.length, 1)
  },
)

t.test('a bug while a lease is acquired reaches all that wait', async (t) => {
  const { lease, leases, submit } = world()
  leases.outcome = async () => {
    await turn()
    leases.outcome = async () => ({ kind: 'send', lease, retries: null })
    throw new TypeError('a bug')
  }
  await Promise.all([t.rejects(submit(), { name: 'TypeError' }), t.rejects(submit(), { name: 'TypeError' })])
})

t.test(
  'a transaction that is not sent again needs no lease, and each request with it goes through',
  async (t) => {
    const { leases, sent, asked, submit } = world()
    const waiting: (() => void)[] = []
    leases.outcome = () =>
      new Promise((resolve) => {
        waiting.push(() => resolve({ kind: 'send', lease: null, retries: null }))
      })
    const both = Promise.all([submit({ maxRetries: 0 }), submit({ maxRetries: 0 })])
    await turn()
    for (const go of waiting) go()
    await both
    t.match(asked, [{ needsLease: false }, { needsLease: false }])
    t.equal(sent.length, 2)
  },
)

t.test('nor does one without leases wait for the other', async (t) => {
  const { sent, submit } = world({ hasLeases: false })
  await submit({ maxRetries: 0 })
  await submit({ maxRetries: 0 })
  t.equal(sent.length, 2)
})

t.test('the same bytes are sent once, unless a node refused them and the options differ', async (t) => {
  const { sent, submit } = world({ hasLeases: false })
  const [one, other] = await Promise.all([submit(), submit()])
  t.equal(one, other)
  t.equal(await submit({ preflightCommitment: 'processed' }), one, 'an acceptance holds for any options')
  t.equal(sent.length, 1)

  for (const [reply, expected] of [
    [async () => refusal(), { error: Buffer }],
    [() => Promise.reject(unreachable), null],
  ] as const) {
    const refusing = world({ hasLeases: false })
    refusing.nodes.reply = reply
    const first = refusing.submit().catch(() => null)
    const same = refusing.submit().catch(() => null)
    const changed = refusing.submit({ preflightCommitment: 'processed' }).catch(() => null)
    t.equal(await same, await first)
    if (expected === null) t.equal(await changed, null)
    else t.ok((await changed)?.error)
    t.equal(refusing.sent.length, 2)
  }
  const bug = new TypeError('a bug')
  const broken = world({ hasLeases: false })
  broken.nodes.reply = async () => {
    await turn()
    throw bug
  }
  const first = t.rejects(broken.submit(), bug)
  broken.nodes.reply = async () => acceptance(transaction.signature)
  await t.rejects(broken.submit({ preflightCommitment: 'processed' }), bug)
  await first
})

t.test('where it is unclear whether a blockhash has expired, a node is asked for the height', async (t) => {
  const notFound = refusal('BlockhashNotFound')
  const latest = {
    result: Buffer.from(JSON.stringify({ value: { blockhash: BLOCKHASH, lastValidBlockHeight: 1_000 } })),
  } as RpcReply
  const cases: [height: () => Promise<RpcReply>, isExpired: boolean][] = [
    [async () => heightReply(1_001), true],
    [async () => heightReply(1_000), false],
    [() => Promise.reject(unreachable), false],
  ]
  for (const [height, isExpired] of cases) {
    const { clock, nodes, submissions, submit } = world({ hasLeases: false })
    submissions.blockhashes.learn('getLatestBlockhash', '[]', latest)
    nodes.reply = async () => notFound
    nodes.height = height
    submissions.blockhashes.learn('getBlockHeight', '[]', heightReply(850))
    t.notMatch((await submit()).body.toString(), 'expired', 'it is valid')
    t.equal(nodes.heights, 0, 'and nobody is asked')
    clock.advance(151 * 200)
    t.equal((await submit()).body.toString().includes('"expired":true'), isExpired)
    t.equal(nodes.heights, 1)
    if (!isExpired) continue
    t.match((await submit()).body.toString(), '"expired":true')
    t.equal(nodes.heights, 1, 'what is known is not asked for')
  }
  const stranger = world({ hasLeases: false })
  stranger.nodes.reply = async () => notFound
  t.notMatch((await stranger.submit()).body.toString(), 'expired')
  t.equal(stranger.nodes.heights, 0, 'nothing is known of the blockhash')
  const { nodes, submissions, clock, submit } = world({ hasLeases: false })
  submissions.blockhashes.learn('getLatestBlockhash', '[]', latest)
  clock.advance(151 * 200)
  nodes.reply = async () => refusal()
  await submit()
  t.equal(nodes.heights, 0, 'another refusal explains itself')
  nodes.reply = async () => notFound
  nodes.height = () => Promise.reject(new TypeError('a bug'))
  await t.rejects(submit(), { name: 'TypeError' })
})
