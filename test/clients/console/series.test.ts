import t from 'tap'
import { ScrapeHistory } from '../../../src/clients/console/operator/history.ts'
import {
  increase,
  parse,
  pick,
  quantileOf,
  sumOf,
  sumsBy,
} from '../../../src/clients/console/operator/series.ts'

const TEXT = `# HELP a_total Some
# TYPE a_total counter
a_total{route="/x",status="200"} 5
a_total{route="/x",status="404"} 2
a_total{route="/y",status="200"} 1
limit{budget="swap"} +Inf
plain 1.5e-3
said{text="a \\"b\\" \\\\n, {c}"} 1 1700000000
`

t.test('samples are read with their labels, and added up', async (t) => {
  const samples = parse(TEXT)
  t.same([...samples.keys()], ['a_total', 'limit', 'plain', 'said'])
  t.equal(sumOf(samples, 'a_total'), 8)
  t.equal(sumOf(samples, 'a_total', { route: '/x' }), 7)
  t.equal(sumOf(samples, 'a_total', { route: '/z' }), null, 'unknown, and not 0')
  t.equal(sumOf(samples, 'limit'), Number.POSITIVE_INFINITY)
  t.equal(sumOf(samples, 'plain'), 0.0015)
  t.same(pick(samples, 'said'), [{ labels: { text: 'a "b" \\n, {c}' }, value: 1 }])
  t.same(sumsBy(pick(samples, 'a_total'), 'status'), [
    ['200', 6],
    ['404', 2],
  ])
})

t.test('counters grow, and begin anew with the service', async (t) => {
  const grown = increase(parse('a{x="1"} 7\na{x="2"} 3\na{x="3"} 4'), parse('a{x="1"} 5\na{x="2"} 9'))
  t.same(
    pick(grown, 'a').map(({ value }) => value),
    [2, 3, 4],
  )
})

t.test('quantiles are those of histogram_quantile()', async (t) => {
  const text = (counts: readonly number[]): string =>
    ['0.1', '0.2', '0.4', '+Inf'].map((le, i) => `h_bucket{le="${le}",of="x"} ${counts[i]}`).join('\n')
  const of = (counts: readonly number[], part: number) =>
    quantileOf(parse(text(counts)), 'h', { of: 'x' }, part)
  t.equal(of([0, 10, 10, 10], 0.5)!.toFixed(6), '0.150000')
  t.equal(of([4, 8, 10, 10], 0.95)!.toFixed(6), '0.350000')
  t.equal(of([10, 10, 10, 10], 0.5)!.toFixed(6), '0.050000', 'the first begins at 0')
  t.equal(of([0, 0, 0, 3], 0.5), 0.4, 'above the last bound that bound is all that is known')
  t.equal(of([0, 0, 0, 0], 0.5), null)
  t.equal(quantileOf(parse(text([1, 1, 1, 1])), 'h', { of: 'y' }, 0.5), null)
})

t.test('a span goes back to the scrape that is as old, or to the oldest', async (t) => {
  const history = new ScrapeHistory()
  const add = (seconds: number) => history.add({ at: seconds * 1_000, samples: new Map() })
  t.equal(history.before(60_000), null)
  add(0)
  t.equal(history.before(60_000), null, 'there is nothing to compare it with')
  add(30)
  t.equal(history.before(60_000)?.at, 0)
  for (let at = 33; at <= 400; at += 3) add(at)
  t.equal(history.before(60_000)?.at, 339_000)
  t.equal(history.before(300_000)?.at, 99_000)
  t.equal(history.before(900_000)?.at, 99_000, 'older ones are gone')
})
