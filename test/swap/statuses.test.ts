import t from 'tap'
import { findXprovChain } from '../../src/chains/find.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { type Code, GatewayError } from '../../src/runtime/errors.ts'
import { Statuses, type StatusQuery } from '../../src/swap/statuses.ts'
import { callOf } from '../fixtures/call.ts'
import { handClock } from '../fixtures/clock.ts'

const HASH = `0x${'9d'.repeat(32)}`
const BASE = findXprovChain('base')!

/** Statuses of a provider that answers, or throws, whatever a test says. */
function beside(answer: () => string | Code) {
  const clock = handClock()
  // Not 0, which the cache takes for no time at all.
  clock.advance(1)
  const asked: { readonly client: string; readonly hints: unknown }[] = []
  const statuses = new Statuses(
    {
      async status(_txHash, hints, { scope }) {
        asked.push({ client: scope!.client, hints })
        await null
        const told = answer()
        if (told.startsWith('{')) return Buffer.from(told)
        if (told === 'upstream_rate_limited') scope!.markThrottled()
        throw new GatewayError(told as Code, 'It could not be asked.', { retryAfterMs: 700 })
      },
    },
    clock,
  )
  const find = (
    question: Partial<StatusQuery> = {},
    scope = new CancellationScope('alice'),
  ): Promise<string> =>
    statuses.find({ txHash: HASH, ...question }, callOf(1_000, scope, 'quote')).then(String)
  return { find, asked, clock }
}

t.test('concurrent identical requests share an answer, and later ones ask again', async (t) => {
  const { find, asked } = beside(() => '{"status":"PENDING", "n":1.0}\n')
  const told = await Promise.all([find(), find({}, new CancellationScope('bob')), find({ fromChain: BASE })])
  t.same(told, Array(3).fill('{"status":"PENDING", "n":1.0}\n'), 'byte for byte')
  t.same(asked, [
    { client: 'alice', hints: {} },
    { client: 'alice', hints: { fromChain: BASE } },
  ])
  await find()
  t.equal(asked.length, 3)
  const hints = [{}, { fromChain: BASE }, { toChain: BASE }, { bridge: 'mayan' }, { txHash: '0x1' }]
  await Promise.all(hints.map((one) => find(one)))
  t.equal(asked.length, 8, 'each hint makes another question')
})

t.test('if the provider cannot be asked, its last answer is served, with its time', async (t) => {
  let answer: string | Code = '{"status":"PENDING" }'
  const { find, clock } = beside(() => answer)
  await find()
  const asOf = clock.date()
  for (const code of ['upstream_rate_limited', 'upstream_timeout', 'upstream_failed'] as const) {
    answer = code
    clock.advance(3_000)
    t.equal(await find(), `{"status":"PENDING" ,"asOf":${asOf}}`, code)
    await t.rejects(find({ bridge: 'mayan' }), { code, status: 502, fields: { retryAfterMs: 700 } })
  }
  answer = 'invalid_parameter'
  await t.rejects(find(), { code: 'invalid_parameter' }, 'an answer about the question is one')
  answer = 'upstream_timeout'
  clock.advance(1_001)
  await t.rejects(find(), { code: 'upstream_timeout' }, 'ten seconds have passed')
})

t.test("a provider's own `asOf` does not pass for ours", async (t) => {
  let answer: string | Code = '{"asOf":1,"status":"DONE"}'
  const { find, clock } = beside(() => answer)
  await find()
  answer = 'upstream_timeout'
  t.same(JSON.parse(await find()), { status: 'DONE', asOf: clock.date() })
})

t.test('the time stands at the end of the whole answer', async (t) => {
  let answer: string | Code = '{"status":"DONE","sending":{"chainId":1}}\n'
  const { find, clock } = beside(() => answer)
  await find()
  answer = 'upstream_timeout'
  t.equal(await find(), `{"status":"DONE","sending":{"chainId":1},"asOf":${clock.date()}}`)
})

t.test("a shared request is not refused on another client's account", async (t) => {
  const answers: (string | Code)[] = ['upstream_rate_limited', '{"status":"DONE"}']
  const { find, asked } = beside(() => answers.shift()!)
  const alices = find()
  const bobs = find({}, new CancellationScope('bob'))
  t.equal(await bobs, '{"status":"DONE"}')
  t.match(await alices.catch((error) => error), { code: 'upstream_rate_limited' })
  t.same(
    asked.map(({ client }) => client),
    ['alice', 'bob'],
  )
})
