import t from 'tap'
import type { RpcReply } from '../../../../src/upstream/nodes/json-rpc.ts'
import { firstAcceptance } from '../../../../src/upstream/nodes/solana/first-acceptance.ts'
import { handClock } from '../../../fixtures/clock.ts'

const GRACE_MS = 2_000

const reply = (text: string, isRefusal: boolean): RpcReply => {
  const bytes = Buffer.from(text)
  const id = { start: 0, end: 0, cutStart: 0, cutEnd: 0 }
  return { body: bytes, result: isRefusal ? null : bytes, error: isRefusal ? bytes : null, id }
}
const accepts = (name: string): RpcReply => reply(name, false)
const refuses = (name: string): RpcReply => reply(name, true)

/** A decision between attempts that a test ends by hand. */
function deciding(count: number) {
  const clock = handClock()
  const ends: ((reply: RpcReply | Error) => void)[] = []
  const attempts = Array.from(
    { length: count },
    () =>
      new Promise<RpcReply>((resolve, reject) =>
        ends.push((end) => (end instanceof Error ? reject(end) : resolve(end))),
      ),
  )
  const isAboutNode = ({ body }: RpcReply): boolean => body.toString().startsWith('lags')
  const outcome: { is: string | null } = { is: null }
  firstAcceptance(attempts, isAboutNode, GRACE_MS, clock).then(
    ({ body }) => (outcome.is = body.toString()),
    (error) => (outcome.is = error.message),
  )
  const end = async (at: number, how: RpcReply | Error): Promise<void> => {
    ends[at]!(how)
    await new Promise(setImmediate)
  }
  return { clock, outcome, end }
}

t.test('once a transaction is accepted, there is nothing to wait for', async (t) => {
  const { clock, outcome, end } = deciding(4)
  await end(1, refuses('a'))
  t.equal(clock.dueIn(GRACE_MS), 1, 'the others have a grace')
  await end(2, accepts('b'))
  t.equal(outcome.is, 'b')
  t.equal(clock.waiting, 0, 'which has ended')

  const first = deciding(3)
  await first.end(2, accepts('a'))
  await first.end(1, refuses('b'))
  t.equal(first.clock.waiting, 0, 'a refusal after it begins none, though one is still under way')
  await first.end(0, accepts('c'))
  t.equal(first.outcome.is, 'a')
})

t.test('the grace begins with the first refusal, and a failure begins none', async (t) => {
  const { clock, outcome, end } = deciding(4)
  await end(0, new Error('failed'))
  t.equal(clock.waiting, 0)
  await end(3, refuses('lags'))
  clock.advance(GRACE_MS - 1)
  await end(2, refuses('a'))
  t.equal(clock.waiting, 1, 'the second prolongs nothing')
  t.equal(outcome.is, null)
  clock.advance(1)
  await new Promise(setImmediate)
  t.equal(outcome.is, 'a', 'what is about the transaction is worth more than what is about a node')
})

t.test('if all have ended there is no grace period', async (t) => {
  const { clock, outcome, end } = deciding(2)
  await end(1, refuses('lags'))
  await end(0, new Error('failed'))
  t.equal(outcome.is, 'lags')
  t.equal(clock.waiting, 0)
})
