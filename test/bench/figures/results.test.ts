import t from 'tap'
import { replacePart } from '../../../bench/figures/results.ts'

const EMPTY = `# Results

By hand.

<!-- http: written by npm run bench -- http --write -->
<!-- end of http -->

<!-- micro: written by npm run bench -- micro --write -->
old rows
<!-- end of micro -->

## By hand, too
`
const runOf = (figure: string) => ({
  part: 'http',
  command: 'npm run bench -- http --write',
  machine: 'A machine; Node.js v20.20.2; 2026-11-23',
  commit: '1a2b3c4',
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

t.test('a part without its marks is an error', async (t) => {
  t.throws(() => replacePart(EMPTY, { ...runOf('1'), part: 'proofs' }), /must contain <!-- proofs: /)
  t.throws(() => replacePart(EMPTY.replace('<!-- end of http -->', ''), runOf('1')), /<!-- end of http -->/)
})
