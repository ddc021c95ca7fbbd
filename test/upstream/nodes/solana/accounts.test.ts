import t from 'tap'
import { askAccounts } from '../../../../src/upstream/nodes/solana/accounts.ts'
import { CALL } from '../../../fixtures/jupiter.ts'

const ADDRESSES = ['So11111111111111111111111111111111111111112', '11111111111111111111111111111111']
const held = { owner: ADDRESSES[1], data: [Buffer.from('held').toString('base64'), 'base64'] }

const askNode = (value: unknown, maxBytes?: number) => {
  const asked: string[] = []
  const read = async (method: string, params: string) => {
    asked.push(`${method} ${params}`)
    return { result: Buffer.from(JSON.stringify({ context: { slot: 7 }, value })) } as never
  }
  return { asked, answer: askAccounts({ read }, ADDRESSES, CALL, maxBytes) }
}

t.test('accounts come in the order of their addresses, and of one slot', async (t) => {
  const { asked, answer } = askNode([null, held], 80)
  const { slot, accounts } = await answer
  t.equal(slot, 7)
  t.same(accounts, [null, { owner: ADDRESSES[1], data: Buffer.from('held') }])
  t.match(asked[0], /^getMultipleAccounts .*"dataSlice":\{"offset":0,"length":80\}/)
  t.notMatch(askNode([null, held]).asked[0], /dataSlice/)
})

t.test('an answer for more or fewer accounts is not used', async (t) => {
  for (const value of [[held], [held, held, held], []])
    await t.rejects(askNode(value).answer, { code: 'upstream_unusable' })
})
