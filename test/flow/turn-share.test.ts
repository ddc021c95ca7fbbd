import t from 'tap'
import { TurnQueues, TurnShare } from '../../src/flow/turn-share.ts'

/** A share whose turns come when the test says so. */
function start() {
  const turns: (() => void)[] = []
  const share = new TurnShare({ nextTurn: (run) => turns.push(run) })
  return { share, turns, turn: () => turns.splice(0).forEach((run) => void run()) }
}

/** How many parts of this length a turn takes. */
function partsOf(share: TurnShare, bytes: number): number {
  let parts = 1
  while (share.take(bytes)) parts++
  return parts
}

t.test('a turn takes a thousand small parts, or a quarter of a mebibyte', async (t) => {
  const { share, turns, turn } = start()
  for (const [bytes, parts] of [
    [1, 1_020],
    [2_048, 114],
    [65_536, 4],
  ] as const) {
    t.ok(Math.abs(partsOf(share, bytes) - parts) <= 1, `${bytes}`)
    t.notOk(share.take(1), 'no more')
    t.equal(turns.length, 1, 'one turn is waited for')
    turn()
  }
  t.ok(share.take(1), 'the next turn has a share of its own')
})

t.test('waiting readers resume in later turns, in order, within the budget', async (t) => {
  const { share, turns, turn } = start()
  const gone: string[] = []
  partsOf(share, 65_536)
  share.wait(() => void gone.push('a'))
  share.wait(() => {
    gone.push('b')
    partsOf(share, 65_536)
  })
  const takeBack = share.wait(() => void gone.push('c'))
  share.wait(() => void gone.push('d'))
  t.same(gone, [])
  turn()
  t.same(gone, ['a', 'b'])
  takeBack()
  turn()
  t.same(gone, ['a', 'b', 'd'])
  t.same(turns, [], 'nothing is waited for')
})

t.test('a reader that waits again goes to the end of the queue', async (t) => {
  const { share, turn } = start()
  const gone: string[] = []
  const long = (name: string) => (): void => {
    gone.push(name)
    partsOf(share, 65_536)
    share.wait(long(name))
  }
  share.wait(long('a'))
  share.wait(long('b'))
  for (let i = 0; i < 4; i++) turn()
  t.same(gone, ['a', 'b', 'a', 'b'])
})

t.test(
  'what is written beyond a mebibyte waits, of each connection in order and of several in turn',
  async (t) => {
    const turns: (() => void)[] = []
    const queues = new TurnQueues({ nextTurn: (run) => turns.push(run) })
    const written: string[] = []
    const ask = (connection: object, name: string): void => {
      const write = () => {
        written.push(name)
        return 524_288
      }
      if (queues.mustWait(connection)) queues.wait(connection, write)
      else queues.wrote(write())
    }
    const [a, b, c] = [{}, {}, {}]
    for (let i = 0; i < 5; i++) ask(a, `a${i}`)
    ask(b, 'b0')
    ask(b, 'b1')
    t.same(written.splice(0), ['a0', 'a1'])
    for (const expected of [['a2', 'b0'], ['a3', 'b1'], ['a4']]) {
      for (const run of turns.splice(0)) run()
      t.same(written.splice(0), expected)
    }
    ask(c, 'c0')
    t.same(written, ['c0'], 'one that finds room does not wait')
  },
)

t.test('one that waits is not overtaken on its connection where others have room', async (t) => {
  const turns: (() => void)[] = []
  const queues = new TurnQueues({ nextTurn: (run) => turns.push(run) })
  const connection = {}
  queues.wrote(2 << 20)
  t.ok(queues.mustWait({}))
  queues.wait(connection, () => 2 << 20)
  queues.wait(connection, () => 0)
  for (const run of turns.splice(0)) run()
  t.ok(queues.mustWait(connection))
  for (const run of turns.splice(0)) run()
  t.notOk(queues.mustWait(connection))
  t.notOk(queues.mustWait({}))
})
