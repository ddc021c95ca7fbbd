import t from 'tap'
import type { Sources } from '../../bench/measured.ts'
import { ageOf, ageSection, recordedSources, replacePart } from '../../bench/results.ts'
import { fill } from '../../scripts/docs/pages.ts'

const EMPTY = `# Results

By hand.

<!-- http: written by npm run bench -- http --write -->
<!-- end of http -->

<!-- micro: written by npm run bench -- micro --write -->
old rows
<!-- end of micro -->

## By hand, too
`
const FOLDERS = [
  'bench',
  'package.json',
  'src',
  'src/chains',
  'src/http',
  'src/relay',
  'src/runtime',
  'src/upstream',
]
const SOURCES: Sources = new Map(FOLDERS.map((folder, i) => [folder, `0a1b2c3${i}`]))

const runOf = (figure: string, sources = SOURCES) => ({
  part: 'http',
  command: 'npm run bench -- http --write',
  machine: 'A machine; Node.js v20.20.2; 2026-11-23',
  commit: '1a2b3c4',
  sources,
  report: {
    tables: [
      { title: 'GET /', text: 'Fifty connections.', columns: ['', 'CPU µs'], rows: [['swapgate', figure]] },
    ],
    claims: [{ what: 'GET /', figure: { median: 2, min: 1, max: 3 }, is: 'at least', bound: 1 }] as const,
  },
})

t.test('a run replaces the rows of its part, and nothing else', async (t) => {
  const once = replacePart(EMPTY, runOf('20.1'))
  const twice = replacePart(once, runOf('19.9'))
  t.match(once, '| swapgate | 20.1 |')
  t.match(once, '| GET / | 2.00 [1.00..3.00] | at least 1 | met |')
  t.match(once, 'A machine; Node.js v20.20.2; 2026-11-23; commit 1a2b3c4; `npm run bench -- http --write`')
  t.equal(twice, once.replace('20.1', '19.9'))
  const [head, tail] = EMPTY.split('<!-- end of http -->')
  t.ok(once.startsWith(head!))
  t.ok(once.endsWith(tail!))
})

t.test('what a run measured is read from what it wrote', async (t) => {
  const written = replacePart(EMPTY, runOf('20.1'))
  t.same(recordedSources(written, 'http'), SOURCES)
  t.equal(recordedSources(written, 'micro'), null)
  t.ok(written.split('\n').every((line) => line.length <= 110))
})

t.test('a part without its marks is an error', async (t) => {
  t.throws(() => replacePart(EMPTY, { ...runOf('1'), part: 'proofs' }), /must contain <!-- proofs: /)
  t.throws(() => replacePart(EMPTY.replace('<!-- end of http -->', ''), runOf('1')), /<!-- end of http -->/)
})

t.test('a part says in which folders its code has changed', async (t) => {
  const now = new Map([...SOURCES, ['src/relay', 'ffffffff'], ['src/swap', '00000000']])
  now.delete('src/upstream')
  const older = '**Older than the code it measures**'
  t.equal(ageOf(SOURCES, now), `${older}: changed since in src/relay, src/swap, src/upstream.`)
  t.equal(ageOf(null, now), `${older}: the run did not record what it measured.`)
  t.equal(ageOf(SOURCES, SOURCES), 'It measured the code as it is.')
})

t.test('a run writes the sentence as `npm run docs` does', async (t) => {
  const text = replacePart(EMPTY, runOf('20.1'))
  const page = { path: '', name: 'RESULTS.md', text }
  t.equal(fill(page, new Map([[ageSection('http'), ageOf(SOURCES, SOURCES)]])), text)
  const older = fill(page, new Map([[ageSection('http'), ageOf(null, SOURCES)]]))
  t.match(older, '**Older than the code it measures**')
  t.same(recordedSources(older, 'http'), SOURCES)
})
