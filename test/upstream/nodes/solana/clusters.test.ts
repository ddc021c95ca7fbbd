import t from 'tap'
import { Clusters } from '../../../../src/upstream/nodes/solana/clusters.ts'

const A = { hash: 'a' }
const B = { hash: 'b' }
const C = { hash: 'c' }

type Told = typeof A | 'mute' | 'silent'

/** @param hosts  of the nodes `1`, `2` and so on */
function judgedBy(hosts: readonly string[], told: readonly [label: string, told: Told][]): string[] {
  const judged: string[] = []
  const nodes = hosts.map((host, i) => ({ label: String(i + 1), host }))
  const clusters = new Clusters(nodes, (label, isForeign) => judged.push(`${isForeign ? '-' : '+'}${label}`))
  for (const [label, what] of told) clusters.note(label, what)
  return judged
}

t.test('the cluster is the one that most nodes report, in any order', async (t) => {
  const answers: [title: string, told: Told[], judged: string[]][] = [
    ['all are of one', [A, A, A], []],
    ['one is of another', [A, B, A], ['-2']],
    ['the most preferred one is outvoted', [B, A, A], ['-1']],
    ['as many of each: the most preferred one decides', [B, A, 'mute'], ['-2']],
    ['each of its own', [C, B, A], ['-2', '-3']],
    ['who does not tell is not judged', ['mute', A, 'silent'], []],
  ]
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]
  for (const [title, told, judged] of answers) {
    for (const order of orders) {
      const noted = order.map((at): [string, Told] => [String(at + 1), told[at]!])
      t.same(judgedBy(['x', 'y', 'z'], noted), judged, `${title}: ${order}`)
    }
  }
})

t.test('nodes of one host have one vote', async (t) => {
  const told: [string, Told][] = [
    ['1', A],
    ['2', B],
    ['3', B],
  ]
  t.same(judgedBy(['x', 'y', 'z'], told), ['-1'])
  t.same(judgedBy(['x', 'y', 'y'], told), ['-2', '-3'])
})

t.test('nothing is decided before each node was asked, and each has one vote', async (t) => {
  t.same(
    judgedBy(
      ['x', 'y', 'z'],
      [
        ['1', A],
        ['2', B],
      ],
    ),
    [],
  )
  const changing: [string, Told][] = [
    ['1', A],
    ['2', A],
    ['2', B],
    ['3', 'mute'],
    ['3', B],
  ]
  t.same(judgedBy(['x', 'y', 'z'], changing), [])
})

t.test('a node that comes back has a vote: the home changes if another cluster has more', async (t) => {
  const alone: [string, Told][] = [
    ['1', 'silent'],
    ['2', 'silent'],
    ['3', B],
  ]
  t.same(judgedBy(['x', 'y', 'z'], [...alone, ['1', A]]), ['-1'], 'as many as before change nothing')
  t.same(
    judgedBy(['x', 'y', 'z'], [...alone, ['1', A], ['2', A]]),
    ['-1', '+1', '-3'],
    'two against the one that answered first',
  )
})

t.test('a node without a vote is asked again, and gets reads last', async (t) => {
  const nodes = ['1', '2'].map((label) => ({ label, host: label }))
  const clusters = new Clusters(nodes, () => {})
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, false])
  clusters.note('1', 'silent')
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, false], 'there is nothing to compare with')
  clusters.note('2', A)
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, true])
  t.same([clusters.isOpen('2'), clusters.isUnproved('2')], [false, false])
  clusters.note('1', 'mute')
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [false, false], 'some providers do not tell')
  t.notOk(new Clusters(nodes.slice(1), () => {}).isOpen('2'), 'a node alone is not asked')
})
