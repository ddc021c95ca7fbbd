/** Swaps in one pool, in words and in what they cost and give. */
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { compileTransaction, type InstructionParts } from '../../../src/chains/solana/message.ts'
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { explain } from '../../../src/explain/explain.ts'
import { POOL_LAYOUTS } from '../../../src/proof/solana/pools.ts'
import { encodePoolSwap } from '../../../src/providers/swap/solana-pools/pools.ts'
import { tokenAddress } from '../../../src/sandbox/solana/ledger/instructions.ts'
import { keypair, sha256 } from '../../fixtures/transactions.ts'

const OWNER = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

function swapAt(program: string, ending: number, to = OWNER, minOut = 1_000_000n): InstructionParts {
  const { authority, accounts, endings } = POOL_LAYOUTS[program]!
  const keys = Array.from({ length: accounts }, (_, i) => encodeBase58(sha256(`account ${i}`)))
  const { in: paid, out: got } = endings[ending]!
  keys[authority] = OWNER
  for (const [side, mint, owner] of [
    [paid, WRAPPED_SOL_MINT, OWNER],
    [got, USDC, to],
  ] as const) {
    keys[side.mint] = mint
    for (const place of side.programs) keys[place] = TOKEN_PROGRAM
    keys[side.account] = tokenAddress(owner, mint)
  }
  return encodePoolSwap({ program, keys, ending, amountIn: 250_000_000n, minOut })
}

function asked(swap: InstructionParts) {
  const parts = { payer: OWNER, tables: {}, pinned: new Set<string>(), blockhash: sha256('blockhash') }
  const transaction = compileTransaction({ ...parts, instructions: [swap] })!.toString('base64')
  return explain({ chain: 'solana', owner: OWNER, transaction })
}

const CASES = [
  [WHIRLPOOL_PROGRAM, 0, 'Orca'],
  [WHIRLPOOL_PROGRAM, 1, 'Orca'],
  [RAYDIUM_CLMM_PROGRAM, 0, 'Raydium'],
  [RAYDIUM_CPMM_PROGRAM, 0, 'Raydium'],
] as const

t.test('a swap says what is paid, what arrives at least, and where', async (t) => {
  for (const [program, ending, name] of CASES) {
    const read = await asked(swapAt(program, ending))
    t.match(read, {
      verdict: 'known',
      risks: { length: 0 },
      unknown: { length: 0 },
      actions: [{ kind: 'swap', program, words: new RegExp(`^swaps .* for at least .* at ${name}$`) }],
    })
    t.match(read.effects, [{ kind: 'cost' }, { kind: 'pays', amount: '250000000' }, { kind: 'receives' }])
  }
})

t.test('an output that goes to another wallet, or has no minimum, is said', async (t) => {
  for (const [program, ending] of CASES) {
    const away = await asked(swapAt(program, ending, STRANGER))
    t.not(away.verdict, 'known')
    t.ok(away.effects.some(({ kind, to }) => kind === 'pays' && to === tokenAddress(STRANGER, USDC)))
    const nothing = await asked(swapAt(program, ending, OWNER, 0n))
    t.match(nothing.risks, [{ code: 'no_minimum' }])
  }
})

t.test('another instruction of the programs is unknown, and gets the signature', async (t) => {
  for (const [program, ending, name] of CASES) {
    const swap = swapAt(program, ending)
    for (const changed of [
      { ...swap, data: Uint8Array.from(swap.data, (byte, i) => (i === 0 ? byte ^ 1 : byte)) },
      { ...swap, data: Buffer.concat([swap.data, Uint8Array.of(0)]) },
      { ...swap, accounts: swap.accounts.slice(0, -1) },
    ])
      t.match(await asked(changed), {
        verdict: 'unknown',
        risks: [{ code: 'unknown_call', reason: new RegExp(name) }],
      })
  }
})
