import t from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { HeldNonce, Nonces } from '../../../src/relay/submissions/nonces.ts'
import type { SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { handClock } from '../../fixtures/clock.ts'
import { nonceAccount } from '../../fixtures/nonces.ts'

const [OLD, OWN, NEXT] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
type Reply = Awaited<ReturnType<SolanaRpc['read']>>
const VALUE = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR'

t.test('another value counts in a later slot than one that had this value', async (t) => {
  const held = new HeldNonce({ account: 'n', value: 'v' })
  held.observe('v', 100)
  held.observe('before', 99)
  t.notOk(held.isAdvanced, 'the node lags')
  held.observe('next', 101)
  t.ok(held.isAdvanced)
})

t.test('if no node ever had the value, another one counts a hundred slots later', async (t) => {
  const held = new HeldNonce({ account: 'n', value: 'v' })
  for (const slot of [100, 150, 200]) held.observe('before', slot)
  t.notOk(held.isAdvanced)
  held.observe(null, 201)
  t.ok(held.isAdvanced)
})

t.test('all that wait are looked at together, and one call is under way at a time', async (t) => {
  const calls: string[][] = []
  const answers: (() => void)[] = []
  let slot = 10
  let value = OWN
  let isThere = true
  const rpc = {
    read(_method: string, params: string): ReturnType<SolanaRpc['read']> {
      const [addresses] = JSON.parse(params)
      calls.push(addresses)
      const accounts = addresses.map(() => (isThere ? nonceAccount({ value }) : null))
      const result = Buffer.from(JSON.stringify({ context: { slot: slot++ }, value: accounts }))
      return new Promise((resolve) => answers.push(() => resolve({ result } as Reply)))
    },
  }
  const answer = async () => {
    for (const one of answers.splice(0)) one()
    await new Promise(setImmediate)
  }
  const nonces = new Nonces(rpc, handClock())
  const held = Array.from({ length: 150 }, (_, i) => new HeldNonce({ account: `n${i}`, value: VALUE }))
  for (const one of held) nonces.look(one)
  t.same(
    calls.map(({ length }) => length),
    [1],
  )
  await answer()
  await answer()
  await answer()
  t.same(
    calls.map(({ length }) => length),
    [1, 100, 49],
  )
  value = NEXT
  for (const one of held) nonces.look(one)
  for (let i = 0; i < 3; i++) await answer()
  t.ok(held.every(({ isAdvanced }) => isAdvanced))

  value = OLD
  const other = nonces.hasOther(held[0]!, new CancellationScope())
  await answer()
  t.equal(await other, true)
  value = OWN
  const same = nonces.hasOther(held[0]!, new CancellationScope())
  await answer()
  t.equal(await same, false)
  isThere = false
  const missing = nonces.hasOther(held[0]!, new CancellationScope())
  await answer()
  t.equal(await missing, false, 'a node that lags may not have the account yet')
})

t.test('a node that does not answer, or for other accounts, changes nothing', async (t) => {
  const rpc = {
    read: async () => ({ result: Buffer.from('{"context":{"slot":1},"value":[]}') }) as Reply,
  }
  const nonces = new Nonces(rpc, handClock())
  const held = new HeldNonce({ account: 'n', value: VALUE })
  nonces.look(held)
  await new Promise(setImmediate)
  t.notOk(held.isAdvanced)
  t.equal(await nonces.hasOther(held, new CancellationScope()), false)
})
