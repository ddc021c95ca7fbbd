/** Every statement of the specification is held by a check of the running service, or says why it demands none. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { HELD, type Judge } from '../fixtures/spec-checks.ts'
import { SpecWorld } from '../fixtures/spec-world.ts'
import { readStatements, statementsOf } from '../fixtures/specification.ts'

const statements = readStatements()
const skip = statements === null ? '../shared/spec.md is not there' : false

t.test('a text is cut into rows, bullets and sentences', async (t) => {
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
})

t.test('every section has a check or a reason for each of its statements', { skip }, async (t) => {
  const counts: Record<string, number> = {}
  for (const { section } of statements!) counts[section] = (counts[section] ?? 0) + 1
  t.ok(statements!.length > 300)
  t.same(Object.fromEntries(Object.entries(HELD).map(([section, all]) => [section, all.length])), counts)
})

t.test('every check holds', { skip, timeout: 300_000 }, async (t) => {
  const world = await new SpecWorld(t).start()
  for (const statement of statements!) {
    const { section, nth } = statement
    const check = HELD[section]?.[nth - 1]
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
