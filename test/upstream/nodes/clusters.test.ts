import t from 'tap'
import { Clusters } from '../../../src/upstream/nodes/clusters.ts'

const A = { hash: 'a' }
const B = { hash: 'b' }

t.test('the cluster is that of the most preferred node that tells, in whatever order they do', async (t) => {
  const cases: [told: [label: string, told: typeof A | 'mute' | 'silent'][], foreign: string[]][] = [
    [
      [
        ['1', A],
        ['2', A],
        ['3', A],
      ],
      [],
    ],
    [
      [
        ['1', A],
        ['2', B],
        ['3', A],
      ],
      ['2'],
    ],
    [
      [
        ['3', A],
        ['2', B],
        ['1', A],
      ],
      ['2'],
    ],
    [
      [
        ['3', A],
        ['2', A],
        ['1', B],
      ],
      ['3', '2'],
    ],
    [
      [
        ['2', B],
        ['1', 'silent'],
        ['3', A],
      ],
      ['3'],
    ],
    [
      [
        ['1', 'mute'],
        ['2', A],
        ['3', 'mute'],
      ],
      [],
    ],
    // Nobody changes the world by coming back.
    [
      [
        ['1', 'silent'],
        ['2', A],
        ['3', A],
        ['1', B],
      ],
      ['1'],
    ],
    [
      [
        ['1', 'silent'],
        ['2', 'silent'],
        ['3', 'silent'],
        ['2', A],
        ['1', B],
      ],
      ['1'],
    ],
    // And a node is asked once.
    [
      [
        ['1', A],
        ['2', A],
        ['2', B],
        ['3', 'mute'],
        ['3', B],
      ],
      [],
    ],
  ]
  for (const [told, foreign] of cases) {
    const named: string[] = []
    const clusters = new Clusters(['1', '2', '3'], (label) => named.push(label))
    for (const [label, what] of told) clusters.note(label, what)
    t.same(named, foreign, JSON.stringify(told))
  }
})

t.test('who has not told is asked again, and asked for reads last', async (t) => {
  const clusters = new Clusters(['1', '2'], () => {})
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, false])
  clusters.note('1', 'silent')
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, false], 'there is nothing to compare with')
  clusters.note('2', A)
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [true, true])
  t.same([clusters.isOpen('2'), clusters.isUnproved('2')], [false, false])
  clusters.note('1', 'mute')
  t.same([clusters.isOpen('1'), clusters.isUnproved('1')], [false, false], 'some providers do not tell')
  t.notOk(new Clusters(['1'], () => {}).isOpen('1'), 'a node alone is not asked')
})
