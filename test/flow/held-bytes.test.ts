/** The account of held bytes, over holders that do nothing by themselves and turns that a test takes. */

import t from 'tap'
import { GATEWAY } from '../../src/flow/cancellation.ts'
import { type ByteHolding, HeldBytes, type HeldLimits, type Holder } from '../../src/flow/held-bytes.ts'
import { Pieces } from '../../src/flow/pieces.ts'
import fc from '../fixtures/fast-check.ts'

const LIMITS: HeldLimits = { client: 100, all: 400 }

function start(limits = LIMITS) {
  const turns: (() => void)[] = []
  const held = new HeldBytes({ limits, nextTurn: (callback) => turns.push(callback) })
  const takeTurns = (): void => {
    for (const turn of turns.splice(0)) turn()
  }
  /** @param isFlow  whether its bytes are still coming */
  const open = (client: string, isFlow: boolean) => {
    const state = { isPaused: false, isDropped: false }
    const flow = { pause: () => void (state.isPaused = true), resume: () => void (state.isPaused = false) }
    const holder: Holder = {
      flow: isFlow ? flow : null,
      drop() {
        state.isDropped = true
        holding.close()
      },
    }
    const holding: ByteHolding = held.open(client, holder)
    return { client, holding, isFlow, state }
  }
  const reply = (client: string, bytes: number) => {
    const opened = open(client, false)
    opened.holding.add(bytes)
    return opened
  }
  return { held, open, reply, takeTurns }
}

t.test('past its allowance a client waits until it reads, and no other client does', (t) => {
  const { held, open, reply, takeTurns } = start()
  const unread = reply('greedy', 90)
  const answer = open('greedy', true)
  const other = open('other', true)
  answer.holding.add(10)
  t.notOk(answer.state.isPaused, 'the allowance itself is held')
  answer.holding.add(1)
  other.holding.add(100)
  t.same([answer.state.isPaused, other.state.isPaused], [true, false])
  t.equal(held.bytesOf('greedy'), 101)
  unread.holding.close()
  t.ok(answer.state.isPaused, 'what goes on does so in a turn of its own')
  takeTurns()
  t.notOk(answer.state.isPaused)
  answer.holding.close()
  other.holding.close()
  other.holding.close()
  t.same([held.bytes, held.clients], [0, 0])
  t.end()
})

t.test('if only answers are held, the oldest continues, so that one after another ends', (t) => {
  const { open, takeTurns } = start()
  const answers = [open('greedy', true), open('greedy', true), open('greedy', true)]
  for (const { holding } of answers) holding.add(50)
  const paused = () => answers.map(({ state }) => state.isPaused)
  t.same(paused(), [false, false, true])
  answers[1]!.holding.add(1)
  answers[0]!.holding.add(1)
  t.same(paused(), [false, true, true])
  answers[0]!.holding.close()
  takeTurns()
  t.same(paused(), [false, false, true], 'the next one is the oldest now')
  answers[1]!.holding.close()
  takeTurns()
  t.same(paused(), [false, false, false])
  t.end()
})

t.test("the gateway's own calls have no allowance", (t) => {
  const { open, reply } = start()
  const own = open(GATEWAY, true)
  own.holding.add(290)
  t.notOk(own.state.isPaused)
  reply('one', 100)
  t.notOk(own.state.isPaused)
  t.end()
})

t.test(
  'in a crowd those with more than an equal share wait, and the greediest pays for the last of the room',
  (t) => {
    const { held, open, reply } = start({ client: 300, all: 400 })
    const [greedy, modest] = [open('greedy', true), open('modest', true)]
    greedy.holding.add(280)
    modest.holding.add(21)
    t.same([greedy.state.isPaused, modest.state.isPaused], [false, false], 'the oldest of its client goes on')
    const late = open('greedy', true)
    late.holding.add(9)
    t.ok(late.state.isPaused)
    const unread = reply('modest', 90)
    t.notOk(unread.state.isDropped, '400 is the bound itself')
    modest.holding.add(1)
    t.same(
      [greedy, late, modest].map(({ state }) => state.isDropped),
      [false, true, false],
      'its newest',
    )
    modest.holding.add(8)
    t.equal(held.bytes, 400)
    const read = reply('greedy', 5)
    t.ok(read.state.isDropped, 'a reply goes before an answer under way')
    t.end()
  },
)

t.test('a body that several replies of a client show counts once for it', (t) => {
  const { held, open } = start()
  const shared = new Pieces([Buffer.alloc(20), Buffer.alloc(40)])
  const replies = Array.from({ length: 5 }, () => open('one', false))
  for (const { holding } of replies) holding.share(shared)
  const another = open('another', false)
  another.holding.share(shared)
  t.same([held.bytesOf('one'), held.bytesOf('another')], [60, 60])
  for (const { holding } of replies.slice(1)) holding.close()
  t.equal(held.bytesOf('one'), 60)
  replies[0]!.holding.close()
  another.holding.close()
  t.same([held.bytes, held.clients], [0, 0])
  t.end()
})

t.test('replies that come without a call of their own push out the oldest ones of their client', (t) => {
  const { reply, held } = start()
  const other = reply('other', 90)
  const replies = [40, 40, 40].map((bytes) => reply('greedy', bytes))
  t.same(
    [...replies, other].map(({ state }) => state.isDropped),
    [true, false, false, false],
  )
  const long = reply('greedy', 150)
  t.notOk(long.state.isDropped, 'but one may be as long as it is')
  t.equal(held.bytesOf('greedy'), 150)
  t.end()
})

t.test('whatever comes in whatever parts, no bound is passed, and no client pays for another', (t) => {
  const longest = 60
  const part = fc.integer({ min: 1, max: 20 })
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    does: fc.constantFrom('open', 'reply', 'more', 'more', 'more', 'close', 'turn'),
    pick: fc.nat(20),
    part,
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const { held, open, reply, takeTurns } = start()
      let opened: ReturnType<typeof open>[] = []
      for (const { client, does, pick, part } of steps) {
        const own = opened.filter((one) => one.client === client)
        const one = own[pick % (own.length || 1)]
        const before = new Map([...'abcdef'].map((name) => [name, held.bytesOf(name)]))
        if (does === 'open') opened.push(open(client, true))
        else if (does === 'reply') opened.push(reply(client, part))
        else if (does === 'turn') takeTurns()
        else if (does === 'close') one?.holding.close()
        // A flow that is paused gets no more, and an answer has a longest length.
        else if (one?.isFlow && !one.state.isPaused && one.holding.bytes + part <= longest)
          one.holding.add(part)
        const greatest = Math.max(...before.values(), held.bytesOf(client))
        for (const { client: whose, state, holding } of opened) {
          if (state.isDropped && whose !== client && before.get(whose)! < greatest - part) return false
          if (state.isDropped && holding.isOpen) return false
        }
        opened = opened.filter(({ holding }) => holding.isOpen)
        const sum = opened.reduce((total, { holding }) => total + holding.bytes, 0)
        if (sum !== held.bytes || held.bytes > LIMITS.all) return false
        // A reply's last part, and the oldest answer, may go beyond the allowance.
        if ([...'abcdef'].some((name) => held.bytesOf(name) > LIMITS.client + longest + 20)) return false
        // Unless replies are unread, somebody of each client goes on.
        for (const name of 'abcdef') {
          const own = opened.filter((one) => one.client === name)
          if (own.length > 0 && own.every(({ isFlow, state }) => isFlow && state.isPaused)) {
            takeTurns()
            if (own.every(({ state }) => state.isPaused)) return false
          }
        }
      }
      return true
    }),
    { numRuns: 500 },
  )
  t.end()
})
