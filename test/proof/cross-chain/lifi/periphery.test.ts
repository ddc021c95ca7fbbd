import t from 'tap'
import { LifiPeriphery } from '../../../../src/proof/cross-chain/lifi/periphery.ts'
import { GatewayError } from '../../../../src/runtime/errors.ts'
import { movedClock } from '../../../fixtures/clock.ts'

const NEW = `0x${'ab'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`
const NONE = `0x${'00'.repeat(20)}`
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

type Node = (name: string) => string | null

/** @param nodes  what each answers, by the name that is asked for */
function start(...nodes: readonly Node[]) {
  let asked = 0
  const voters = nodes.map((node) => ({
    async call(to: string, data: string) {
      asked++
      t.equal(to, '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE')
      const text = Buffer.from(data.slice(10), 'hex')
      return node(text.subarray(64, 64 + Number(`0x${text.toString('hex', 32, 64)}`)).toString())
    },
  }))
  const clock = movedClock()
  const periphery = new LifiPeriphery(() => ({ voters }) as never, clock)
  return { named: periphery.at('base')!, periphery, clock, asked: () => asked }
}

const says =
  (forwarder: string, collector: string): Node =>
  (name) =>
    word(name === 'FeeForwarder' ? forwarder : collector)

const failing: Node = () => {
  throw new GatewayError('upstream_failed', 'The node failed.')
}

t.test('what two nodes name is used, in lower case, and nothing for the zero address', async (t) => {
  t.same(await start(says(NEW.toUpperCase().replace('X', 'x'), NONE), says(NEW, NONE)).named.renew(), {
    forwarder: NEW,
    collector: null,
  })
  const among = start(says(OTHER, NONE), says(NEW, OTHER), failing, says(NEW, OTHER))
  t.same(await among.named.renew(), { forwarder: NEW, collector: OTHER }, 'two of four')
})

t.test('a single node, two that differ, and a malformed address are not used', async (t) => {
  const reverts: Node = () => null
  for (const [what, ...nodes] of [
    ['one node', says(NEW, NEW)],
    ['one of two', says(NEW, NEW), failing],
    ['another forwarder', says(NEW, NEW), says(OTHER, NEW)],
    ['another collector', says(NEW, NEW), says(NEW, OTHER)],
    ['no contract', () => '0x', () => '0x'],
    ['a revert', reverts, reverts],
    ['more than an address', () => `0x${'ff'.repeat(32)}`, () => `0x${'ff'.repeat(32)}`],
    ['two words', () => word(NEW) + '0'.repeat(64), () => word(NEW) + '0'.repeat(64)],
  ] as const) {
    t.equal(await start(...(nodes as readonly Node[])).named.renew(), null, what)
  }
  t.equal(start(says(NEW, NEW)).periphery.at('solana'), null)
})

t.test('it is read hourly, and nodes that disagree keep what was agreed on', async (t) => {
  let second = NEW
  const { named, clock, asked } = start(says(NEW, NEW), (name) => says(second, NEW)(name))
  const agreed = { forwarder: NEW, collector: NEW }
  t.same(await named.get(1_000), agreed)
  t.same(await named.get(1_000), agreed)
  t.equal(asked(), 4)
  second = OTHER
  clock.move(3_600_000)
  t.same(await named.renew(), agreed)
  t.equal(asked(), 8)
})
