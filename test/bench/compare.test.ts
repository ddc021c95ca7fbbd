import { fileURLToPath } from 'node:url'
import t from 'tap'
import { hasGrown } from '../../bench/compare.ts'
import { countOf } from '../../bench/figures/perf.ts'
import { areSame, findCommit } from '../../bench/servers/builds.ts'

const figure = (...pairs: [before: number, after: number][]) => ({ name: 'a figure', digits: 1, pairs })

t.test('a figure has grown where its median pair and its best rounds are beyond 5 %', async (t) => {
  t.equal(hasGrown(figure([100, 106], [101, 108], [99, 105])), true)
  t.equal(hasGrown(figure([100, 105], [100, 105], [100, 105])), false)
  t.equal(hasGrown(figure([100, 80], [100, 90], [100, 95])), false)
  // One round was disturbed.
  t.equal(hasGrown(figure([100, 101], [100, 140], [100, 102])), false)
  // Most were, but not the best.
  t.equal(hasGrown(figure([100, 101], [100, 140], [100, 150])), false)
  t.equal(hasGrown(figure()), false)
})

t.test("perf's counts are read, including that it counts nothing", async (t) => {
  t.equal(countOf('1234567,,instructions:u,1000000,100.00,,\n'), 1_234_567)
  t.equal(
    countOf('Events disabled\nEvents enabled\nEvents disabled\n207.81,msec,task-clock,207811538,100.00,,\n'),
    207.81,
  )
  t.equal(countOf('<not supported>,,instructions:u,0,100.00,,\n'), null)
  t.equal(countOf('<not counted>,,instructions:u,0,100.00,,\n'), null)
  t.equal(countOf(''), null)
})

t.test('two builds are the same where only their pages differ', async (t) => {
  const folder = t.testdir({
    one: { 'main.js': 'import("./pages-a-1.js");run(1)', 'pages-a-1.js': 'a', 'main.js.map': 'here' },
    two: { 'main.js': 'import("./pages-b-2.js");run(1)', 'pages-b-2.js': 'b', 'main.js.map': 'there' },
    three: { 'main.js': 'import("./pages-a-1.js");run(2)', 'pages-a-1.js': 'a', 'main.js.map': 'here' },
  })
  const [one, two, three] = ['one', 'two', 'three'].map((name) => ({
    name,
    main: `${folder}/${name}/main.js`,
  }))
  t.equal(areSame(one!, two!), true)
  t.equal(areSame(one!, three!), false)
})

t.test('a commit that a clone does not have is none, as in a shallow one', async (t) => {
  const clone = fileURLToPath(new URL('../..', import.meta.url))
  t.equal(findCommit('no-such-commit', clone), null)
  t.equal(findCommit('--help', clone), null)
})
