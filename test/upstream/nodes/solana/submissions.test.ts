import t from 'tap'
import { SolanaSubmissions } from '../../../../src/upstream/nodes/solana/submissions.ts'
import { callOf } from '../../../fixtures/call.ts'
import { handClock, until } from '../../../fixtures/clock.ts'
import { type Kind, type Sent, SUBMISSION, scripted } from '../../../fixtures/scripted-nodes.ts'
import { submissionOf } from '../../../fixtures/submission.ts'

const SLOT_MS = 200
const pace = { slotMs: SLOT_MS }

t.test('however many nodes accept a transaction, each service gets it once', async (t) => {
  const cases: readonly (readonly [kinds: readonly Kind[], times: number])[] = [
    [['accepts'], 1],
    [['accepts', 'accepts', 'accepts'], 1],
    [['refuses', 'accepts', 'accepts'], 1],
    [['refuses', 'refuses'], 0],
  ]
  for (const [kinds, times] of cases) {
    const clock = handClock()
    const sent: Sent[] = []
    const upstream = (label: string, kind: Kind, ms: number) =>
      scripted(label, clock, [{ kind, ms }], sent, [])
    const submissions = new SolanaSubmissions({
      senders: kinds.map((kind, at) => upstream(`solana-${at + 1}`, kind, 30 * (at + 1))),
      services: [upstream('landing-1', 'accepts', 0), upstream('landing-2', 'fails', 0)],
      serviceRows: [null, null],
      graceMs: 2_000,
      clock,
      pace,
    })
    const { signature, base64 } = SUBMISSION
    const paramsJson = `["${base64}",{"skipPreflight":false}]`
    let isDone = false
    const done = submissions
      .submit({ ...submissionOf(paramsJson, signature), base64 }, callOf(15_000))
      .finally(() => (isDone = true))
    // The slower ones accept it after the answer.
    for (let turn = 0; turn < 10; turn++) {
      clock.advance(30)
      await new Promise(setImmediate)
    }
    await until(() => isDone)
    await done
    const counts = ['landing-1', 'landing-2'].map((label) => sent.filter(({ to }) => to === label).length)
    t.same(counts, [times, times], kinds.join())
  }
})

t.test('a node that lags is asked again a slot later, once', async (t) => {
  for (const [script, calls] of [
    [['lags', 'accepts'], 2],
    [['lags', 'lags', 'accepts'], 2],
    [['lags', 'cooling', 'accepts'], 1],
  ] as const) {
    const clock = handClock()
    const sent: Sent[] = []
    const behaviours = script.map((kind) => ({ kind, ms: 0 }))
    const submissions = new SolanaSubmissions({
      senders: [scripted('solana-1', clock, behaviours, sent, [])],
      services: [],
      serviceRows: [],
      graceMs: 2_000,
      clock,
      pace,
    })
    const { signature, base64 } = SUBMISSION
    const submission = {
      ...submissionOf(`["${base64}",{}]`, signature),
      retries: { takeForLag: () => true },
      isLag: (error: Buffer) => error.includes('BlockhashNotFound'),
    }
    let isDone = false
    const done = submissions.submit(submission, callOf(15_000)).finally(() => (isDone = true))
    clock.advance(0)
    await until(() => clock.dueIn(SLOT_MS) === 1)
    clock.advance(SLOT_MS - 1)
    t.same([sent.length, isDone], [1, false], 'not before')
    clock.advance(1)
    await until(() => isDone || sent.length > 1)
    clock.advance(0)
    const { error } = await done
    t.equal(error === null, script[1] === 'accepts', script.join())
    t.equal(sent.length, calls)
  }
})
