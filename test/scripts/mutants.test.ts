import t from 'tap'
import { mutableLua } from '../../scripts/mutate/lua.ts'
import { type MutableFile, type Mutant, mutableFile } from '../../scripts/mutate/mutants.ts'

const SAMPLE = `
type Kind = 'a' | 1 | true
const LIMIT = 80
function least(a: number, b?: { c: { d: number }[] }) {
  let sum = 0
  for (let i = 0; i < a; i++) sum += 1
  if (a < 2 && sum !== 3) {
    log.info('few', a < 2)
    record(a)
    return Math.min(a, LIMIT)
  }
  (b ?? {}).c?.at(0)?.d
  return b?.c.some(({ d }) => !d)
}
`
const changesIn = ({ mutants }: MutableFile): string[] =>
  mutants.map(({ before, after }) => `${before} → ${after}`)

/** The mutants of a text with one statement. */
const changesOf = (text: string): string[] => changesIn(mutableFile('x.ts', `\n${text}\n`))

t.test('a sample has these changes of meaning, and none in types, log lines and increments', async (t) => {
  t.same(changesIn(mutableFile('sample.ts', SAMPLE)), [
    'LIMIT = 80 → LIMIT = 160',
    'LIMIT = 80 → LIMIT = 40',
    'sum = 0 → sum = 1',
    'i = 0 → i = 1',
    'i < a → false',
    'i < a → i <= a',
    'sum += 1 → sum -= 1',
    'sum += 1 → sum += 2',
    'sum += 1 → sum += 0',
    'a < 2 && sum !== 3 → a < 2',
    'a < 2 && sum !== 3 → sum !== 3',
    'a < 2 → a <= 2',
    'a < 2 → a < 3',
    'a < 2 → a < 1',
    'sum !== 3 → sum === 3',
    'sum !== 3 → sum !== 4',
    'sum !== 3 → sum !== 2',
    'record(a) → ',
    'return Math.min(a, LIMIT) → ',
    'Math.min(a, LIMIT) → Math.max(a, LIMIT)',
    '(b ?? {}).c?.at(0)?.d → (b ?? {}).c?.at(0).d',
    '(b ?? {}).c?.at(0)?.d → (b ?? {}).c.at(0)?.d',
    'b ?? {} → b',
    'b ?? {} → {}',
    '(b ?? {}).c?.at(0) → (b ?? {}).c?.at(1)',
    'b?.c.some(({ d }) => !d) → b?.c.every(({ d }) => !d)',
    'b?.c.some(({ d }) => !d) → b.c.some(({ d }) => !d)',
    '!d → d',
  ])
})

t.test('each construct has its own', async (t) => {
  t.same(changesOf('x ||= y'), ['x ||= y → x = y'])
  t.same(changesOf('const z = -x * y'), ['-x * y → -x / y', '-x * y → x * y'])
  t.same(changesOf(`const z = x + 'text' + \`\${y}\``), [])
  t.same(changesOf('const z = 2n ** 0x41n'), [
    '2n ** 0x41n → 3n ** 0x41n',
    '2n ** 0x41n → 1n ** 0x41n',
    '2n ** 0x41n → 2n ** 66n',
    '2n ** 0x41n → 2n ** 64n',
  ])
  t.same(changesOf('const z = x ? y : [true]'), ['x → true', 'x → false', '[true] → [false]'])
  t.same(changesOf('while (x !== 1) y--').slice(0, 1), ['x !== 1 → false'])
  t.same(changesOf("switch (x) { case 'y': z(); break; default: }"), [
    "'y' → 'no such case'",
    'z() → ',
    'break; → ',
  ])
  t.same(changesOf('const z = x.filter(Boolean).toSorted()'), [
    'x.filter(Boolean).toSorted() → x.filter(Boolean)',
    'x.filter(Boolean) → x',
  ])
  t.same(changesOf(`if (x) throw new Error(\`\${y + 1}\`)`), ['x → true', 'x → false'])
})

/** The results of `expression` behind a text, unchanged and with each mutant switched on. */
function resultsOf(file: MutableFile, expression: string): Map<string, unknown> {
  const text = file.instrument(new Map(file.mutants.map((mutant, id) => [mutant, id])))
  const run = new Function('globalThis', `${text}\nreturn ${expression}`)
  const results = new Map<string, unknown>([['unchanged', run({ __mutant: () => false })]])
  for (const [on, { before, after }] of file.mutants.entries())
    results.set(`${before} → ${after}`, run({ __mutant: (id: number) => id === on }))
  return results
}

t.test('one text holds all of them; a switch turns one on', async (t) => {
  const file = mutableFile(
    'x.js',
    `
function f(a, b) {
  const seen = []
  seen.push(a)
  ;(a?.b ?? b) && seen.push(b)
  if (b > 1) return seen.length
  else seen.push(3)
  return seen.some((one) => one === 3)
}
`,
  )
  t.same(
    [...resultsOf(file, 'JSON.stringify([f(1, 1), f(0, 2)])')],
    [
      ['unchanged', '[true,2]'],
      ['seen.push(a) → ', '[true,1]'],
      ['(a?.b ?? b) && seen.push(b) → (a?.b ?? b)', '[true,1]'],
      ['(a?.b ?? b) && seen.push(b) → seen.push(b)', '[true,2]'],
      ['a?.b ?? b → a?.b', '[true,1]'],
      ['a?.b ?? b → b', '[true,2]'],
      ['a?.b → a.b', '[true,2]'],
      ['b > 1 → true', '[2,2]'],
      ['b > 1 → false', '[true,true]'],
      ['b > 1 → b >= 1', '[2,2]'],
      ['b > 1 → b > 2', '[true,true]'],
      ['b > 1 → b > 0', '[2,2]'],
      ['seen.push(3) → ', '[false,2]'],
      ['seen.push(3) → seen.push(4)', '[false,2]'],
      ['seen.push(3) → seen.push(2)', '[false,2]'],
      ['seen.some((one) => one === 3) → seen.every((one) => one === 3)', '[false,2]'],
      ['one === 3 → one !== 3', '[true,2]'],
      ['one === 3 → one === 4', '[false,2]'],
      ['one === 3 → one === 2', '[false,2]'],
    ],
  )
})

t.test('a key names the change, wherever it moves; equal ones are numbered', async (t) => {
  const text = 'class A { b() { return x < y || x < y } }'
  const keys = (moved: string): string[] =>
    mutableFile('src/a.ts', moved).mutants.map(({ key }: Mutant) => key)
  t.same(keys(text).slice(2), ['src/a.ts\tA.b\tx < y\tx <= y', 'src/a.ts\tA.b\tx < y\tx <= y #2'])
  t.same(keys(`const one = two\n\n${text}`), keys(text))
})

t.test('a script of Lua has its own, one at a time', async (t) => {
  const file = mutableLua(
    'src/a.lua',
    "-- 1 + 1\nlocal a = math.min(x, 1) - tonumber(ARGV[2])\nif a <= b and c then return redis.call('HGET', 'a1') end",
  )
  t.same(
    file.mutants.map(({ line, after }) => `${line}: ${after}`),
    [
      '2: local a = math.max(x, 1) - tonumber(ARGV[2])',
      '2: local a = math.min(x, 2) - tonumber(ARGV[2])',
      '2: local a = math.min(x, 1) + tonumber(ARGV[2])',
      '2: local a = math.min(x, 1) - tonumber(ARGV[3])',
      "3: if a < b and c then return redis.call('HGET', 'a1') end",
      "3: if a <= b or c then return redis.call('HGET', 'a1') end",
    ],
  )
  const script = file.instrument(new Map([[file.mutants[4]!, 7]])).replace('export default', 'return')
  const run = (on: number): string =>
    new Function('globalThis', script)({ __mutant: (id: number) => id === on })
  t.match(run(7), /a < b and c/)
  t.match(run(6), /^-- 1 \+ 1\nlocal a = math.min\(x, 1\) -.*\nif a <= b and c/)
})
