import t from 'tap'
import { FeedPage, TokenFeed } from '../../../src/research/discover/feed.ts'
import type { ListedRow } from '../../../src/research/list/token-set.ts'
import { Cursors } from '../../../src/runtime/cursor.ts'
import { Check } from '../../fixtures/check.ts'
import { handClock } from '../../fixtures/clock.ts'
import { FakeList, HONEYPOT, listedRow } from '../../fixtures/listed.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const address = (i: number): string => `0xa${i.toString(16).padStart(39, '0')}`
const row = (i: number, more: Partial<ListedRow> = {}): ListedRow =>
  listedRow({ chain: 'base', address: address(i), symbol: `T${i}`, ...more })
const gated = { isListed: false, findings: [HONEYPOT] }

function start() {
  const list = new FakeList()
  const clock = handClock()
  const cursors = new Cursors('a-secret-of-at-least-32-characters')
  const feed = new TokenFeed({ list, cursors, clock, deadlineMs: 1_000 })
  const read = async (cursor: string | null = null, limit = 100) => {
    const answer = await feed.read(cursor, limit)
    t.ok(Check(FeedPage, answer))
    return answer
  }
  const told = async () => (await read()).items.map(({ kind, token }) => `${kind} ${token.symbol}`)
  return { list, clock, cursors, read, told }
}

t.test('tokens new to the list are reported, newest first, but not those chosen by hand', async (t) => {
  const { list, read, told } = start()
  t.same(await read(), { items: [], next: null })
  list.edit(NOW, [row(1, { book: 'majors' }), row(2, { book: 'operator' }), row(3), row(4)])
  t.same(await told(), ['listed T3', 'listed T4'])
  list.edit(NOW + 10_000, [row(3), row(4), row(5, { book: 'trending', liq: 60_000 })])
  t.same(await told(), ['listed T5', 'listed T3', 'listed T4'])
  t.match((await read()).items[0], {
    kind: 'listed',
    at: NOW + 10_000,
    changePct: null,
    since: null,
    token: { chain: 'base', address: address(5), book: 'trending', tier: 'mid', gated: false },
  })
})

t.test("the gate's decisions are reported, with their reasons", async (t) => {
  const { list, read, told } = start()
  list.edit(NOW, [row(1), row(2, gated)])
  t.same(await told(), ['listed T1', 'gated T2'])
  list.edit(NOW + 1, [row(1, gated), row(2, gated)])
  list.edit(NOW + 2, [row(1), row(2, gated)])
  t.same(await told(), ['cleared T1', 'gated T1', 'listed T1', 'gated T2'])
  t.match((await read()).items[1], { token: { gated: true, gate: [HONEYPOT] } })
})

t.test('a price that moves by a fifth within an hour is reported, once each time', async (t) => {
  const { list, read } = start()
  const at = (ms: number, price: number | null, more: Partial<ListedRow> = {}) =>
    list.edit(NOW + ms, [row(1, { book: 'majors', price, priceTs: NOW + ms, liq: 2_000_000, ...more })])
  at(0, 100)
  at(MINUTE, 119.9)
  t.same((await read()).items, [])
  at(2 * MINUTE, 120)
  t.match((await read()).items, [{ kind: 'moved', at: NOW + 2 * MINUTE, changePct: 20, since: NOW }])
  at(3 * MINUTE, 130)
  t.equal((await read()).items.length, 1, 'it counts from where it was told last')
  at(4 * MINUTE, 96)
  t.match((await read()).items[0], { changePct: -20, since: NOW + 2 * MINUTE })
})

t.test('a slow change is not a move', async (t) => {
  const { list, read } = start()
  for (let hour = 0; hour < 8; hour++) {
    const priceTs = NOW + hour * (HOUR + 1)
    list.edit(priceTs, [row(1, { book: 'majors', price: 100 * 1.5 ** hour, priceTs, liq: 2_000_000 })])
  }
  t.same((await read()).items, [])
})

t.test('a meaningless price does not move', async (t) => {
  for (const [name, more] of [
    ['in a pool where little moves it', { liq: 49_999 }],
    ['in pools of unknown depth', { liq: null }],
    ['of a token that is held back', { liq: 2_000_000, ...gated }],
  ] as const) {
    const { list, told } = start()
    const step = (ms: number, price: number) =>
      list.edit(NOW + ms, [row(1, { price, priceTs: NOW + ms, ...more })])
    step(0, 100)
    const before = await told()
    step(1, 1_000)
    t.same(await told(), before, name)
  }
  const { list, told } = start()
  const step = (price: number | null) =>
    list.edit(NOW, [row(1, { book: 'majors', price, priceTs: price === null ? null : NOW, liq: 2_000_000 })])
  for (const price of [null, 0, 100, null, 0, 110]) step(price)
  t.same(await told(), [], 'no price, and none at all')
})

t.test('a token that returns within a day is not news, but later it is', async (t) => {
  const { list, clock, told } = start()
  list.edit(NOW, [row(1)])
  clock.advance(24 * HOUR - 1)
  list.edit(NOW + 1, [])
  list.edit(NOW + 2, [row(1)])
  t.same(await told(), ['listed T1'])
  clock.advance(24 * HOUR + 1)
  list.edit(NOW + 3, [row(1)])
  t.same(await told(), ['listed T1', 'listed T1'])
})

t.test('a page continues where the last one ended, whatever changed in between', async (t) => {
  const { list, read } = start()
  const symbols = ({ items }: FeedPage) => items.map(({ token }) => token.symbol)
  list.edit(NOW, [row(1), row(2), row(3)])
  list.edit(NOW + 1, [row(4), row(5)])
  const first = await read(null, 2)
  t.same(symbols(first), ['T4', 'T5'])
  list.edit(NOW + 2, [row(6), row(7)])
  const second = await read(first.next, 2)
  t.same(symbols(second), ['T1', 'T2'])
  const third = await read(second.next, 2)
  t.same(symbols(third), ['T3'])
  t.equal(third.next, null)
  t.same(symbols(await read(null, 2)), ['T6', 'T7'])
  t.same(symbols(await read(first.next, 2)), ['T1', 'T2'], 'a cursor may be used again')
})

t.test('a cursor that was not given out here is refused by its name', async (t) => {
  const { list, read, cursors } = start()
  list.edit(NOW, [row(1), row(2)])
  const { next } = await read(null, 1)
  const edited = `${next!.slice(0, -2)}${next!.endsWith('AA') ? 'BB' : 'AA'}`
  for (const cursor of ['x', edited, cursors.write('another list', [NOW, 'x'])]) {
    await t.rejects(read(cursor), { code: 'invalid_parameter', fields: { field: 'cursor' } })
  }
})

t.test('the last thousand events are kept', async (t) => {
  const { list, read } = start()
  const rows = (from: number) => Array.from({ length: 600 }, (_, i) => row(from + i))
  list.edit(NOW, rows(0))
  list.edit(NOW + 1, rows(1_000))
  let count = 0
  for (let cursor: string | null = null; ; ) {
    const { items, next }: FeedPage = await read(cursor, 100)
    count += items.length
    if (next === null) break
    cursor = next
  }
  t.equal(count, 1_000)
})
