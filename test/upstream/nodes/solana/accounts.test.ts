import t from 'tap'
import { TOKEN_2022_PROGRAM } from '../../../../src/chains/solana/programs.ts'
import { askAccounts, askEpoch, askMint } from '../../../../src/upstream/nodes/solana/accounts.ts'
import type { RpcReply, SolanaRpc } from '../../../../src/upstream/nodes/solana/rpc.ts'
import { CALL } from '../../../fixtures/jupiter.ts'
import { extension, mintAccount } from '../../../fixtures/mint.ts'
import { OPTIONS } from '../../../fixtures/provider.ts'

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

/** A node that answers this, and what it was asked. */
function nodeOf(result: string | null) {
  const asked: unknown[] = []
  const rpc = {
    read: async (method: string, params: string) => {
      asked.push([method, JSON.parse(params)])
      return { result: result && Buffer.from(result) } as RpcReply
    },
  } as unknown as Pick<SolanaRpc, 'read'>
  return { rpc, asked }
}

const accountOf = (data: Buffer): string =>
  `{"context":{"slot":1},"value":{"owner":"${TOKEN_2022_PROGRAM}","data":["${data.toString('base64')}","base64"]}}`

t.test(
  'a mint is read up to 16 KiB; of a longer account one byte more is asked for, and nothing read',
  async (t) => {
    const whole = (bytes: number) => mintAccount({ decimals: 7 }, extension(19, Buffer.alloc(bytes - 170)))
    const fits = nodeOf(accountOf(whole(16_384)))
    t.match(await askMint(fits.rpc, 'address', OPTIONS), { decimals: 7, extensions: ['tokenMetadata'] })
    t.same(fits.asked, [
      [
        'getAccountInfo',
        [
          'address',
          { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 16_385 } },
        ],
      ],
    ])
    t.equal(await askMint(nodeOf(accountOf(whole(16_385))).rpc, 'address', OPTIONS), null)
    t.equal(await askMint(nodeOf('{"value":null}').rpc, 'address', OPTIONS), null)
    for (const result of [null, '{}', '{"value":{"owner":"x"}}', '7'])
      await t.rejects(askMint(nodeOf(result).rpc, 'address', OPTIONS), { code: 'upstream_unusable' })
  },
)

t.test('an epoch is an integer from 0', async (t) => {
  t.equal(await askEpoch(nodeOf('{"epoch":0}').rpc, OPTIONS), 0n)
  t.equal(await askEpoch(nodeOf('{"epoch":800,"slotIndex":1}').rpc, OPTIONS), 800n)
  for (const result of [null, '{}', '{"epoch":-1}', '{"epoch":1.5}', '{"epoch":"1"}', 'null'])
    await t.rejects(askEpoch(nodeOf(result).rpc, OPTIONS), { code: 'upstream_unusable' })
})
