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

t.test('continues alone from the last known counts', async (t) => {
  const window = windowOf()
  t.ok(window.at(200).adopt(0, CLIENT, decided({ clientSpent: 3, globalSpent: 6 })))
  t.match(window, { clientRemaining: 2, globalRemaining: 4, remainingMs: 500, refusedBy: null })
  t.ok(window.at(300).take(0, CLIENT))
  t.ok(window.at(300).take(0, CLIENT))
  t.notOk(window.at(300).take(0, CLIENT))
  t.equal(window.refusedBy, 'client')
  t.ok(window.at(300).take(0, OTHER))
  t.ok(window.at(300).take(0, OTHER))
  t.notOk(window.at(300).take(0, OTHER))
  t.equal(window.refusedBy, 'global')
})

t.test('reports the last known counts, and what it admitted since', async (t) => {
  const window = windowOf()
  t.same(window.at(0).view(0, CLIENT), { number: 0, clientSpent: 0, globalSpent: 0 })
  window.at(200).adopt(0, CLIENT, decided({ clientSpent: 3, globalSpent: 6 }))
  window.at(300).take(0, CLIENT)
  t.same(window.at(300).view(0, CLIENT), { number: 100, clientSpent: 4, globalSpent: 7 })
  t.same(window.at(300).view(0, OTHER), { number: 100, clientSpent: 0, globalSpent: 7 })
  window.at(300).adopt(0, CLIENT, decided({ clientSpent: 3, globalSpent: 6 }))
  t.same(
    window.at(300).view(0, CLIENT),
    { number: 100, clientSpent: 4, globalSpent: 7 },
    'an answer to what was asked before takes nothing of it back',
  )
  window.at(300).adopt(0, OTHER, decided({ clientSpent: 1, globalSpent: 7 }))
  window.at(300).adopt(0, CLIENT, decided({ clientSpent: 3, globalSpent: 6 }))
  t.match(window, { clientRemaining: 1, globalRemaining: 3 }, 'at once, after another client')
})

t.test('a refusal elsewhere is one here', async (t) => {
  for (const refusedBy of ['client', 'global'] as const) {
    const window = windowOf()
    t.notOk(window.at(0).adopt(0, CLIENT, decided({ clientSpent: 5, globalSpent: 10, refusedBy })))
    t.match(window, { refusedBy, clientRemaining: 0, globalRemaining: 0 })
  }
})

t.test("ends with the store's window, and continues counting windows", async (t) => {
  const window = windowOf()
  window.at(200).adopt(0, CLIENT, decided({ clientSpent: 5, globalSpent: 10, remainingMs: 500 }))
  t.notOk(window.at(699).take(0, CLIENT))
  t.ok(window.at(700).take(0, CLIENT), 'not at a whole second of its own clock')
  t.equal(window.remainingMs, 1_000)
  t.same(window.at(701).view(0, CLIENT), { number: 101, clientSpent: 1, globalSpent: 1 })
  t.same(window.at(3_750).view(0, CLIENT), { number: 104, clientSpent: 0, globalSpent: 0 })
})

t.test('is empty if the store reports another window than expected', async (t) => {
  const window = windowOf()
  window.at(0).take(0, CLIENT)
  window.at(0).adopt(0, CLIENT, decided({ number: 100, clientSpent: 1, globalSpent: 1 }))
  t.match(
    window.at(0).view(0, CLIENT),
    { clientSpent: 1, globalSpent: 1 },
    'that was before anything was known',
  )
  window.at(1).adopt(0, CLIENT, decided({ number: 99, clientSpent: 2, globalSpent: 2 }))
  t.same(window.at(1).view(0, CLIENT), { number: 99, clientSpent: 2, globalSpent: 2 }, 'a clock was set back')
})

t.test('clients that share a counter are not reported separately', async (t) => {
  const window = windowOf({ maxClients: 1 })
  window.at(0).adopt(0, CLIENT, decided({ clientSpent: 1, globalSpent: 1 }))
  window.at(0).adopt(0, OTHER, decided({ clientSpent: 4, globalSpent: 5 }))
  t.match(window, { clientRemaining: 1, globalRemaining: 5 })
  t.same(window.at(0).view(0, OTHER), { number: 100, clientSpent: 0, globalSpent: 5 })
  t.same(window.at(0).view(0, CLIENT), { number: 100, clientSpent: 1, globalSpent: 5 })
})

t.test('has nothing left, and not less, if other instances have higher limits', async (t) => {
  const window = windowOf()
  window.at(0).adopt(0, CLIENT, decided({ clientSpent: 9, globalSpent: 30 }))
  t.match(window, { clientRemaining: 0, globalRemaining: 0 })
  t.notOk(window.at(1).take(0, CLIENT))
})

t.test('distinguishes clients by all 64 bits, signed or not', async (t) => {
  const window = windowOf()
  const clients = [1, 2, 0x80000001, 0xffff0001]
  for (const [i, hi] of clients.entries())
    window.at(0).adopt(hi, CLIENT, decided({ clientSpent: i + 1, globalSpent: 5 }))
  for (const [i, hi] of clients.entries()) {
    t.equal(window.at(0).view(hi, CLIENT).clientSpent, i + 1)
    t.equal(window.at(0).view(hi | 0, CLIENT).clientSpent, i + 1)
    t.equal(window.at(0).view(CLIENT, hi).clientSpent, 0)
  }
  window.at(0).adopt(CLIENT, 0x80000001, decided({ clientSpent: 4, globalSpent: 5 }))
  t.equal(window.at(0).view(CLIENT, 0x80000001 | 0).clientSpent, 4)
})
