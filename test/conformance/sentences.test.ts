/** Every statement of the specification is held by a check of the running service, or says why it demands none. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { HELD, type Judge } from '../fixtures/spec-checks.ts'
import { SpecWorld } from '../fixtures/spec-world.ts'
import { readStatements, statementsOf } from '../fixtures/specification.ts'

const statements = readStatements()
const skip = statements === null ? '../shared/spec.md is not there' : false

t.test('a text is cut into rows, bullets and sentences, and a change of one is noticed', async (t) => {
  const text =
    '# A\n\nOne. Two.\n\n## 3. C\n- Three: a, e.g. b.\n\n### D (x)\n| f | g |\n|---|---|\n| h | i |\n'
  const cut = statementsOf(text)
  t.same(
    cut.map(({ section, nth, cells }) => [section, nth, cells]),
    [
      ['§0', 1, []],
      ['§0', 2, []],
      ['§3', 1, []],
      ['§2 D', 1, ['h', 'i']],
    ],
  )
  const changed = statementsOf(text.replace('Two.', 'Too.'))
  t.same(
    cut.map(({ digest }, i) => digest === changed[i]!.digest),
    [true, false, true, true],
  )
})

t.test('every statement is held, and nothing else is', { skip }, async (t) => {
  const of = statements!.map(({ section, nth, digest }) => `${section}.${nth} ${digest}`)
  const held = Object.entries(HELD).flatMap(([section, all]) =>
    all.map(([digest], i) => `${section}.${i + 1} ${digest}`),
  )
  t.ok(of.length > 300)
  t.same(
    of.filter((one) => !held.includes(one)),
    [],
    'statements without a check: they are new, or have changed',
  )
  t.same(
    held.filter((one) => !of.includes(one)),
    [],
    'checks without a statement',
  )
})

t.test('every check holds', { skip, timeout: 300_000 }, async (t) => {
  const world = await new SpecWorld(t).start()
  for (const statement of statements!) {
    const { section, nth } = statement
    const check = HELD[section]?.[nth - 1]?.[1]
    if (check === undefined) continue
    const name = `${section}.${nth}`
    if (typeof check === 'string') {
      if (check === '') t.fail(`${name}: a reason is missing`)
      continue
    }
    const wrong: unknown[] = []
    let judged = 0
    const judge: Judge = {
      is(actual, expected, what = '') {
        judged++
        if (!isDeepStrictEqual(actual, expected)) wrong.push([what, { actual, expected }])
      },
      ok(condition, what) {
        judged++
        if (!condition) wrong.push(what)
      },
    }
    try {
      await check(world, judge, statement)
    } catch (error) {
      wrong.push(String((error as Error).stack))
    }
    if (judged === 0) wrong.push('it checks nothing')
    t.same(wrong, [], name)
  }
})
