import t from 'tap'
import { TurnShare } from '../../src/runtime/turn-share.ts'

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

t.test('a turn takes some thousand small parts, or four mebibytes', async (t) => {
  const { share, turns, turn } = start()
  for (const [bytes, parts] of [
    [1, 2_048],
    [2_048, 1_024],
    [65_536, 63],
  ] as const) {
    t.ok(Math.abs(partsOf(share, bytes) - parts) <= 1, `${bytes}`)
    t.notOk(share.take(1), 'no more')
    t.equal(turns.length, 1, 'one turn is waited for')
    turn()
  }
  t.ok(share.take(1), 'the next turn has a share of its own')
})

t.test('who waits goes on in a later turn, in order, until that is used up', async (t) => {
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

t.test('who waits again in its turn comes behind the others', async (t) => {
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
