import t from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { createHeldOf } from '../../../src/providers/holdings/held.ts'
import type { RpcReply, SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { OPTIONS } from '../../fixtures/provider.ts'

const [SOLANA, SUI, BASE] = ['solana', 'sui', 'base'].map((key) => findChain(key)!) as [
  ReturnType<typeof findChain> & object,
  ReturnType<typeof findChain> & object,
  ReturnType<typeof findChain> & object,
]
const OWNER = encodeBase58(new Uint8Array(32).fill(5))
const MINT = encodeBase58(new Uint8Array(32).fill(6))
const COIN = { address: 'native', isNative: true }
const TOKEN = { address: MINT, isNative: false }

/** Nodes that answer this, and what they were asked. */
function heldBy(result: string | null, balance: bigint | null = null) {
  const asked: unknown[] = []
  const solana = {
    read: async (method: string, params: string) => {
      asked.push([method, JSON.parse(params)])
      return { result: result && Buffer.from(result) } as RpcReply
    },
  } as unknown as Pick<SolanaRpc, 'read'>
  const sui = {
    balance: async (...params: unknown[]) => {
      asked.push(params.slice(0, 2))
      return balance
    },
  }
  return { heldOf: createHeldOf({ solana, sui }), asked }
}

const account = (amount: string, { mint = MINT, owner = OWNER, state = 'initialized' } = {}) => ({
  pubkey: OWNER,
  account: {
    owner: TOKEN_PROGRAM,
    data: {
      program: 'spl-token',
      parsed: {
        type: 'account',
        info: { mint, owner, state, isNative: false, tokenAmount: { amount, decimals: 6 } },
      },
    },
  },
})
const accounts = (...value: unknown[]) => JSON.stringify({ context: { slot: 1 }, value })

t.test('lamports are read to the last digit', async (t) => {
  const { heldOf, asked } = heldBy('{"context":{"slot":1},"value":18446744073709551615}')
  t.equal(await heldOf(SOLANA, COIN, OWNER, OPTIONS), 18_446_744_073_709_551_615n)
  t.same(asked, [['getBalance', [OWNER, { commitment: 'confirmed' }]]])
  for (const result of [null, '{}', '{"value":"5"}', '{"value":-5}', '{"value":null}', 'x']) {
    t.equal(await heldBy(result).heldOf(SOLANA, COIN, OWNER, OPTIONS), null, String(result))
  }
})

t.test('of a token all accounts count that are the wallet’s, of the mint, and not frozen', async (t) => {
  const all = accounts(
    account('9007199254740993'),
    account('7'),
    account('100', { mint: OWNER }),
    account('200', { owner: MINT }),
    account('400', { state: 'frozen' }),
    'nonsense',
  )
  const { heldOf, asked } = heldBy(all)
  t.equal(await heldOf(SOLANA, TOKEN, OWNER, OPTIONS), 9_007_199_254_741_000n)
  t.same(asked, [
    ['getTokenAccountsByOwner', [OWNER, { mint: MINT }, { commitment: 'confirmed', encoding: 'jsonParsed' }]],
  ])
  t.equal(await heldBy(accounts()).heldOf(SOLANA, TOKEN, OWNER, OPTIONS), 0n)
  const long = accounts(account('7'), 'x'.repeat(256 * 1024))
  for (const result of [null, '{}', '{"value":{}}', 'x', long]) {
    t.equal(await heldBy(result).heldOf(SOLANA, TOKEN, OWNER, OPTIONS), null)
  }
})

t.test("on Sui the node's own sum counts, and on EVM chains no node is asked", async (t) => {
  const { heldOf, asked } = heldBy(null, 5n)
  const coin = '0x2::sui::SUI'
  t.equal(await heldOf(SUI, { address: coin, isNative: false }, OWNER, OPTIONS), 5n)
  t.equal(await heldOf(SUI, COIN, OWNER, OPTIONS), 5n)
  t.same(asked, [
    [OWNER, coin],
    [OWNER, `0x${'2'.padStart(64, '0')}::sui::SUI`],
  ])
  t.equal(await heldOf(BASE, COIN, OWNER, OPTIONS), null)
  t.equal(asked.length, 2)
})
