/** The sandbox answers as the providers did: the same members, of the same kinds. */
import t from 'tap'
import { OPERATIONS, sandboxWorld } from '../../fixtures/live/operations.ts'
import { LIVE_MISSING, readLive } from '../../fixtures/live/samples.ts'
import { Shape } from '../../fixtures/shapes.ts'

t.test("the sandbox's answers have the shape of recorded ones", { skip: LIVE_MISSING }, async (t) => {
  const world = await sandboxWorld(t)
  const samples = readLive()
  for (const { name, recorded, asked, figures, differs = {} } of OPERATIONS) {
    const examples = samples.map(recorded).filter((example) => example !== undefined)
    if (examples.length === 0) {
      t.comment(`${name}: nothing was recorded`)
      continue
    }
    const shape = Shape.of(examples)
    const answers = await asked(world)
    for (const answer of figures ? [...examples, ...answers] : []) {
      const [stated, computed] = figures!(answer)
      t.equal(stated, String(computed), `${name}: rounded as the provider does`)
    }
    const found = [...new Set(answers.flatMap((answer) => shape.differences(answer)))]
    t.strictSame(
      found.filter((one) => differs[one] === undefined),
      [],
      name,
    )
  }
})

t.test('the judge finds what differs', async (t) => {
  const shape = Shape.of([
    { a: 1, b: '0x1f', c: [{ d: '1.5' }], e: { '0x00000000000000000000000000000000000000aa': 1 } },
    { a: 2.5, c: [{ d: '7.25' }, { d: '1.0' }], e: {} },
  ])
  t.strictSame(shape.differences({ a: 3, c: [], e: { 'solana:x': 2 } }), [])
  t.strictSame(shape.differences({ a: null, b: '0x1F', c: [{ d: '1', f: 1 }], e: { x: 1 } }), [
    '.a: null instead of integer or number',
    '.b: mixed-case hex instead of hex',
    '.c[].d: digits instead of decimal',
    '.c[].f: unknown',
    '.e.x: unknown',
  ])
  t.strictSame(shape.differences({ c: [{}], e: 1 }), [
    '.a: missing',
    '.c[].d: missing',
    '.e: integer instead of object',
  ])
})
