import type { Arbitrary } from 'fast-check'
import t from 'tap'
import {
  Cursors,
  comparePositions,
  type ListPosition,
  MAX_CURSOR_LENGTH,
  type Page,
  pageOf,
} from '../../src/runtime/cursor.ts'
import { Mac } from '../../src/runtime/mac.ts'
import fc from '../fixtures/fast-check.ts'

const SECRET = 'a secret of at least 32 characters'

const place = fc.tuple(
  fc.oneof(fc.double({ noNaN: true }), fc.string()),
  fc.string(),
) as Arbitrary<ListPosition>

/** As JSON has it: minus zero is zero there. */
const asJson = (value: ListPosition): unknown => JSON.parse(JSON.stringify(value))

t.test('a cursor brings back the place that it was written of', async (t) => {
  const finite = place.filter(([key]) => typeof key === 'string' || Number.isFinite(key))
  fc.assert(
    fc.property(finite, fc.string(), (written, list) => {
      const cursor = new Cursors(SECRET).write(list, written)
      t.match(cursor, /^[A-Za-z0-9_-]+$/)
      t.same(new Cursors(SECRET).read(list, cursor), asJson(written), 'another instance of the same secret')
    }),
    { numRuns: 200 },
  )
  const longest = new Cursors(null).write('list', ['2026-11-21T12:00:00Z', 'x'.repeat(64)])
  t.ok(longest.length < MAX_CURSOR_LENGTH)
})

t.test('whatever is changed of a cursor, it is refused by the name of its parameter', async (t) => {
  const cursors = new Cursors(SECRET)
  const refusal = { status: 400, code: 'invalid_parameter', fields: { field: 'before' } }
  const good = cursors.write('list', ['2026-11-21T12:00:00Z', 'an-item'])
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.stringMatching(/^[A-Za-z0-9_-]$/), (at, character) => {
      fc.pre(good[at] !== character)
      const bad = good.slice(0, at) + character + good.slice(at + 1)
      t.throws(() => cursors.read('list', bad, 'before'), refusal)
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      t.throws(() => cursors.read('list', text, 'before'), refusal)
    }),
    { numRuns: 200 },
  )
  for (let length = 0; length < good.length; length++) {
    t.throws(() => cursors.read('list', good.slice(0, length), 'before'), refusal)
  }
  for (const longer of [`${good}A`, `${good}=`, `${good}\n`, ` ${good}`]) {
    t.throws(() => cursors.read('list', longer, 'before'), refusal)
  }
})

t.test('a cursor is of one list, one secret and one purpose', async (t) => {
  const good = new Cursors(SECRET).write('list', [1, 'a'])
  t.throws(() => new Cursors(SECRET).read('another', good), { code: 'invalid_parameter' })
  t.throws(() => new Cursors('another secret').read('list', good), { code: 'invalid_parameter' })
  const random = new Cursors(null)
  t.same(random.read('list', random.write('list', [1, 'a'])), [1, 'a'])
  t.throws(() => new Cursors(null).read('list', random.write('list', [1, 'a'])), {
    code: 'invalid_parameter',
  })
  t.notSame(Mac.for('cursor', SECRET).of('text'), new Mac(SECRET).of('text'), 'a seal of a quote is none')
})

interface Item {
  readonly key: number
  readonly id: string
}
const placeOf = ({ key, id }: Item): ListPosition => [key, id]
const sorted = (items: readonly Item[]) => [...items].sort((a, b) => comparePositions(placeOf(a), placeOf(b)))
const items = fc.uniqueArray(fc.record({ key: fc.nat(5), id: fc.stringMatching(/^[a-z]{1,3}$/) }), {
  selector: ({ id }) => id,
  maxLength: 30,
})

t.test('the pages of a list are the list, whatever the limit', async (t) => {
  const held = fc.check(
    fc.property(items, fc.integer({ min: 1, max: 7 }), (unsorted, limit) => {
      const list = sorted(unsorted)
      const seen: Item[] = []
      let after: ListPosition | null = null
      do {
        const page: Page<Item> = pageOf(list, placeOf, after, limit)
        seen.push(...page.items)
        if (page.end !== null && page.items.length !== limit) return false
        after = page.end
      } while (after !== null)
      return JSON.stringify(seen) === JSON.stringify(list)
    }),
  )
  t.notOk(held.failed, fc.defaultReportMessage(held) ?? '')
  t.same(pageOf([], placeOf, null, 3), { items: [], end: null })
})

t.test('changes between two pages neither repeat nor hide the items that stay', async (t) => {
  const change = fc.record({ remove: fc.array(fc.nat(29), { maxLength: 8 }), add: items })
  const held = fc.check(
    fc.property(
      items,
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (first, changes, limit) => {
        let list = sorted(first)
        const staying = new Set(list.map(({ id }) => id))
        const seen: string[] = []
        let after: ListPosition | null = null
        for (let turn = 0; ; turn++) {
          const page: Page<Item> = pageOf(list, placeOf, after, limit)
          seen.push(...page.items.map(({ id }) => id))
          after = page.end
          if (after === null) break
          const { remove, add } = changes[turn] ?? { remove: [], add: [] }
          const gone = new Set(remove.map((i) => list[i]?.id))
          for (const id of gone) if (id !== undefined) staying.delete(id)
          const fresh = add.filter(({ id }) => !first.some((item) => item.id === id))
          list = sorted([
            ...list.filter(({ id }) => !gone.has(id) && !fresh.some((item) => item.id === id)),
            ...fresh,
          ])
        }
        return [...staying].every((id) => seen.filter((other) => other === id).length === 1)
      },
    ),
  )
  t.notOk(held.failed, fc.defaultReportMessage(held) ?? '')
})
