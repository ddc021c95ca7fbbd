import t from 'tap'
import { encodeBase58 } from '../../../../src/chains/solana/base58.ts'
import { askLatestBlockhash } from '../../../../src/upstream/nodes/solana/blockhash.ts'
import { OPTIONS } from '../../../fixtures/provider.ts'

const BLOCKHASH = new Uint8Array(32).fill(9)
const answering = (result: unknown) => ({
  read: async () => ({ result: result === undefined ? null : Buffer.from(JSON.stringify(result)) }) as never,
})
const latest = (value: object) => ({ context: { slot: 1 }, value })

t.test('the blockhash and its last height are one answer of a node', async (t) => {
  const asked: unknown[] = []
  const rpc = {
    read: async (...call: unknown[]) => {
      asked.push(call)
      const value = { blockhash: encodeBase58(BLOCKHASH), lastValidBlockHeight: 425_552_641 }
      return { result: Buffer.from(JSON.stringify(latest(value))) } as never
    },
  }
  t.same(await askLatestBlockhash(rpc, OPTIONS), { blockhash: BLOCKHASH, lastValidBlockHeight: 425_552_641 })
  t.same(asked, [['getLatestBlockhash', '[{"commitment":"confirmed"}]', OPTIONS]])
})

t.test('an answer without both is none', async (t) => {
  const blockhash = encodeBase58(BLOCKHASH)
  const cases: readonly unknown[] = [
    undefined,
    null,
    {},
    latest({ blockhash }),
    latest({ blockhash, lastValidBlockHeight: 0 }),
    latest({ blockhash, lastValidBlockHeight: '425552641' }),
    latest({ blockhash: blockhash.slice(0, 20), lastValidBlockHeight: 7 }),
    latest({ blockhash: 'O0', lastValidBlockHeight: 7 }),
  ]
  for (const result of cases) {
    const asked = askLatestBlockhash(answering(result), OPTIONS)
    await t.rejects(asked, { code: 'upstream_unusable' }, JSON.stringify(result))
  }
})
