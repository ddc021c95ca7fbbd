/** A window that is counted for all instances elsewhere, as one of them keeps up with it. */
import t from 'tap'
import { FixedWindow, type WindowDecision } from '../../../src/http/limit/fixed-window.ts'

const CLIENT = 7
const OTHER = 8

const decided = (more: Partial<WindowDecision>): WindowDecision => ({
  number: 100,
  clientSpent: 1,
  globalSpent: 1,
  refusedBy: null,
  remainingMs: 500,
  ...more,
})

const windowOf = (more = {}): FixedWindow =>
  new FixedWindow({ clientMax: 5, globalMax: 10, windowMs: 1_000, ...more })

t.test('goes on alone from what it was told last', async (t) => {
  const window = windowOf()
  t.ok(window.adopt(0, CLIENT, 200, decided({ clientSpent: 3, globalSpent: 6 })))
  t.match(window, { clientRemaining: 2, globalRemaining: 4, remainingMs: 500, refusedBy: null })
  t.ok(window.take(0, CLIENT, 300))
  t.ok(window.take(0, CLIENT, 300))
  t.notOk(window.take(0, CLIENT, 300))
  t.equal(window.refusedBy, 'client')
  t.ok(window.take(0, OTHER, 300))
  t.ok(window.take(0, OTHER, 300))
  t.notOk(window.take(0, OTHER, 300))
  t.equal(window.refusedBy, 'global')
})

t.test('tells what it was told, and what it admitted since', async (t) => {
  const window = windowOf()
  t.same(window.view(0, CLIENT, 0), { number: 0, clientSpent: 0, globalSpent: 0 })
  window.adopt(0, CLIENT, 200, decided({ clientSpent: 3, globalSpent: 6 }))
  window.take(0, CLIENT, 300)
  t.same(window.view(0, CLIENT, 300), { number: 100, clientSpent: 4, globalSpent: 7 })
  t.same(window.view(0, OTHER, 300), { number: 100, clientSpent: 0, globalSpent: 7 })
  window.adopt(0, CLIENT, 300, decided({ clientSpent: 3, globalSpent: 6 }))
  t.same(
    window.view(0, CLIENT, 300),
    { number: 100, clientSpent: 4, globalSpent: 7 },
    'an answer to what was asked before takes nothing of it back',
  )
  window.adopt(0, OTHER, 300, decided({ clientSpent: 1, globalSpent: 7 }))
  window.adopt(0, CLIENT, 300, decided({ clientSpent: 3, globalSpent: 6 }))
  t.match(window, { clientRemaining: 1, globalRemaining: 3 }, 'at once, after another client')
})

t.test('a refusal elsewhere is one here', async (t) => {
  for (const refusedBy of ['client', 'global'] as const) {
    const window = windowOf()
    t.notOk(window.adopt(0, CLIENT, 0, decided({ clientSpent: 5, globalSpent: 10, refusedBy })))
    t.match(window, { refusedBy, clientRemaining: 0, globalRemaining: 0 })
  }
})

t.test('ends when that one ends, and goes on counting windows', async (t) => {
  const window = windowOf()
  window.adopt(0, CLIENT, 200, decided({ clientSpent: 5, globalSpent: 10, remainingMs: 500 }))
  t.notOk(window.take(0, CLIENT, 699))
  t.ok(window.take(0, CLIENT, 700), 'not at a whole second of its own clock')
  t.equal(window.remainingMs, 1_000)
  t.same(window.view(0, CLIENT, 701), { number: 101, clientSpent: 1, globalSpent: 1 })
  t.same(window.view(0, CLIENT, 3_750), { number: 104, clientSpent: 0, globalSpent: 0 })
})

t.test('is empty where another window is told of than was thought', async (t) => {
  const window = windowOf()
  window.take(0, CLIENT, 0)
  window.adopt(0, CLIENT, 0, decided({ number: 100, clientSpent: 1, globalSpent: 1 }))
  t.match(window.view(0, CLIENT, 0), { clientSpent: 1, globalSpent: 1 }, 'that was before anything was known')
  window.adopt(0, CLIENT, 1, decided({ number: 99, clientSpent: 2, globalSpent: 2 }))
  t.same(window.view(0, CLIENT, 1), { number: 99, clientSpent: 2, globalSpent: 2 }, 'a clock was set back')
})

t.test('what shares a counter is not told of as one of them', async (t) => {
  const window = windowOf({ maxClients: 1 })
  window.adopt(0, CLIENT, 0, decided({ clientSpent: 1, globalSpent: 1 }))
  window.adopt(0, OTHER, 0, decided({ clientSpent: 4, globalSpent: 5 }))
  t.match(window, { clientRemaining: 1, globalRemaining: 5 })
  t.same(window.view(0, OTHER, 0), { number: 100, clientSpent: 0, globalSpent: 5 })
  t.same(window.view(0, CLIENT, 0), { number: 100, clientSpent: 1, globalSpent: 5 })
})

t.test('has nothing left, and not less, where others have higher limits', async (t) => {
  const window = windowOf()
  window.adopt(0, CLIENT, 0, decided({ clientSpent: 9, globalSpent: 30 }))
  t.match(window, { clientRemaining: 0, globalRemaining: 0 })
  t.notOk(window.take(0, CLIENT, 1))
})

t.test('tells clients apart by all 64 bits, signed or not', async (t) => {
  const window = windowOf()
  const clients = [1, 2, 0x80000001, 0xffff0001]
  for (const [i, hi] of clients.entries())
    window.adopt(hi, CLIENT, 0, decided({ clientSpent: i + 1, globalSpent: 5 }))
  for (const [i, hi] of clients.entries()) {
    t.equal(window.view(hi, CLIENT, 0).clientSpent, i + 1)
    t.equal(window.view(hi | 0, CLIENT, 0).clientSpent, i + 1)
    t.equal(window.view(CLIENT, hi, 0).clientSpent, 0)
  }
  window.adopt(CLIENT, 0x80000001, 0, decided({ clientSpent: 4, globalSpent: 5 }))
  t.equal(window.view(CLIENT, 0x80000001 | 0, 0).clientSpent, 4)
})
