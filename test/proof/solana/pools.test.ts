/** What may stand in a swap in one pool, and that nothing else may. */
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { compileTransaction, type InstructionParts } from '../../../src/chains/solana/message.ts'
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { POOL_LAYOUTS, poolSwap, provePool } from '../../../src/proof/solana/pools.ts'
import type { SwapClaim } from '../../../src/proof/solana/swap.ts'
import { encodePoolSwap } from '../../../src/providers/swap/solana-pools/pools.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  setComputeUnitLimit,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { keypair, sha256 } from '../../fixtures/transactions.ts'

const FROM = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WRAPPED = tokenAddress(FROM, WRAPPED_SOL_MINT)
const BUY: SwapClaim = { from: FROM, mintIn: null, mintOut: USDC, amountIn: 250_000_000n, minOut: 1_000n }
const SELL: SwapClaim = { ...BUY, mintIn: USDC, mintOut: null }
const RULES = { maxComputeUnitPrice: 1_000_000n }
const name = (words: string): string => encodeBase58(sha256(words))

interface Case {
  readonly program: string
  readonly claim: SwapClaim
  readonly ending: number
}
const CASES: readonly Case[] = [
  { program: WHIRLPOOL_PROGRAM, claim: BUY, ending: 0 },
  { program: WHIRLPOOL_PROGRAM, claim: SELL, ending: 1 },
  { program: RAYDIUM_CLMM_PROGRAM, claim: BUY, ending: 0 },
  { program: RAYDIUM_CLMM_PROGRAM, claim: SELL, ending: 0 },
  { program: RAYDIUM_CPMM_PROGRAM, claim: BUY, ending: 0 },
  { program: RAYDIUM_CPMM_PROGRAM, claim: SELL, ending: 0 },
]

function swapOf({ program, claim, ending }: Case): InstructionParts {
  const { authority, accounts, endings } = POOL_LAYOUTS[program]!
  const keys = Array.from({ length: accounts }, (_, i) => name(`account ${i}`))
  const { in: paid, out: got } = endings[ending]!
  keys[authority] = FROM
  for (const [side, mint] of [
    [paid, claim.mintIn],
    [got, claim.mintOut],
  ] as const) {
    keys[side.mint] = mint ?? WRAPPED_SOL_MINT
    for (const [i, place] of side.programs.entries()) keys[place] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM][i]!
    keys[side.account] = tokenAddress(FROM, mint ?? WRAPPED_SOL_MINT)
  }
  return encodePoolSwap({ program, keys, ending, amountIn: claim.amountIn, minOut: claim.minOut })
}

const around = ({ mintIn, mintOut, amountIn }: SwapClaim) => ({
  before: [
    setComputeUnitLimit(200_000),
    createTokenAccount(FROM, FROM, mintOut ?? WRAPPED_SOL_MINT),
    ...(mintIn === null
      ? [
          createTokenAccount(FROM, FROM, WRAPPED_SOL_MINT),
          transferLamports(FROM, WRAPPED, amountIn),
          syncNative(WRAPPED),
        ]
      : []),
  ],
  after: [closeTokenAccount(WRAPPED, FROM)],
})

function transactionOf(instructions: readonly InstructionParts[], tables = {}): string {
  const parts = { payer: FROM, tables, pinned: new Set<string>(), blockhash: sha256('blockhash') }
  return compileTransaction({ ...parts, instructions })!.toString('base64')
}

const prove = (one: Case, swap = swapOf(one), claim = one.claim, more: readonly InstructionParts[] = []) => {
  const { before, after } = around(one.claim)
  return provePool(transactionOf([...before, swap, ...after, ...more]), one.program, claim, RULES)
}

function ruleOf(run: () => unknown): unknown {
  try {
    run()
    return null
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

const withAccount = (swap: InstructionParts, at: number, address: string): InstructionParts => ({
  ...swap,
  accounts: swap.accounts.map((one, i) => (i === at ? { ...one, address, isSigner: address === FROM } : one)),
})

t.test('the ordered swap is proved from its bytes', async (t) => {
  for (const one of CASES) {
    const { program, claim } = one
    t.match(prove(one), { minOut: String(claim.minOut), amountIn: String(claim.amountIn) })
    t.equal(poolSwap(program, swapOf(one).data, swapOf(one).accounts.length)?.amountIn, claim.amountIn)
    t.equal(
      ruleOf(() => prove(one, swapOf(one), { ...claim, minOut: claim.minOut + 1n })),
      'minimum',
    )
    t.equal(
      ruleOf(() => prove(one, swapOf(one), { ...claim, minOut: claim.minOut - 1n })),
      null,
    )
    t.equal(
      ruleOf(() => prove(one, swapOf(one), { ...claim, amountIn: claim.amountIn - 1n })),
      'amount',
    )
    t.equal(
      ruleOf(() => prove(one, swapOf(one), { ...claim, guards: true })),
      'guards',
    )
  }
})

t.test('each byte of the data is what was ordered', async (t) => {
  for (const one of CASES) {
    const swap = swapOf(one)
    for (const [i, byte] of swap.data.entries()) {
      for (const flipped of [byte ^ 1, byte ^ 0x80, byte ^ 0xff]) {
        const data = Uint8Array.from(swap.data)
        data[i] = flipped
        const least = Buffer.from(data).readBigUInt64LE(16)
        const isStricter = i >= 16 && i < 24 && least > one.claim.minOut
        const rule = ruleOf(() => prove(one, { ...swap, data }))
        t.equal(rule === null, isStricter, `byte ${i} of ${one.program}`)
      }
    }
    for (const data of [swap.data.subarray(0, -1), Buffer.concat([swap.data, Uint8Array.of(0)])])
      t.equal(
        ruleOf(() => prove(one, { ...swap, data })),
        'instruction',
      )
  }
})

t.test('each account that decides is the wallet’s own, at its place', async (t) => {
  for (const one of CASES) {
    const swap = swapOf(one)
    const { authority, endings } = POOL_LAYOUTS[one.program]!
    const { in: paid, out: got } = endings[one.ending]!
    const deciding = new Map([
      [authority, 'authority'],
      [paid.account, 'source_account'],
      [got.account, 'destination_account'],
      [paid.mint, 'mints'],
      [got.mint, 'mints'],
      ...[...paid.programs, ...got.programs].map((place) => [place, 'token_program'] as const),
    ])
    for (const [i] of swap.accounts.entries())
      t.equal(
        ruleOf(() => prove(one, withAccount(swap, i, STRANGER))),
        deciding.get(i) ?? null,
        `account ${i}`,
      )
    for (const [at, mint] of [
      [paid.account, one.claim.mintIn],
      [got.account, one.claim.mintOut],
    ] as const) {
      const theirs = tokenAddress(STRANGER, mint ?? WRAPPED_SOL_MINT)
      t.match(
        ruleOf(() => prove(one, withAccount(swap, at, theirs))),
        /_account$/,
      )
    }
    t.match(
      ruleOf(() => prove(one, withAccount(swap, got.programs[0]!, TOKEN_2022_PROGRAM))),
      /_account$/,
    )

    const more = { address: STRANGER, isSigner: false, isWritable: true }
    const most = POOL_LAYOUTS[one.program]!.more
    t.equal(most, one.program === RAYDIUM_CLMM_PROGRAM ? 4 : 0)
    for (const count of [most, most + 1])
      t.equal(
        ruleOf(() =>
          prove(one, { ...swap, accounts: [...swap.accounts, ...Array.from({ length: count }, () => more)] }),
        ),
        count > most ? 'instruction' : null,
      )
    t.equal(
      ruleOf(() => prove(one, { ...swap, accounts: swap.accounts.slice(0, -1) })),
      'instruction',
    )
  }
})

t.test('where both token programs have a place, the account is of either', async (t) => {
  const one = CASES.find(({ program, claim }) => program === RAYDIUM_CLMM_PROGRAM && claim === BUY)!
  const { out: got } = POOL_LAYOUTS[one.program]!.endings[0]!
  const newer = tokenAddress(FROM, USDC, TOKEN_2022_PROGRAM)
  const { before, after } = around(BUY)
  const [limit, , ...wrap] = before
  const opened = [limit!, createTokenAccount(FROM, FROM, USDC, TOKEN_2022_PROGRAM), ...wrap]
  const instructions = [...opened, withAccount(swapOf(one), got.account, newer), ...after]
  t.match(provePool(transactionOf(instructions), one.program, BUY, RULES), { minOut: '1000' })
})

t.test('an account from a lookup table shows nothing', async (t) => {
  for (const one of CASES) {
    const { before, after } = around(one.claim)
    const swap = swapOf(one)
    for (const mint of [WRAPPED_SOL_MINT, USDC, tokenAddress(FROM, USDC)]) {
      const base64 = transactionOf([...before, swap, ...after], { [name('table')]: [mint] })
      const wire = new WireTransaction()
      wire.parse(Buffer.from(base64, 'base64'))
      t.equal(wire.lookupCount, 1)
      t.match(
        ruleOf(() => provePool(base64, one.program, one.claim, RULES)),
        /^(mints|.*_account)$/,
      )
    }
  }
})

t.test('nothing else is in the transaction', async (t) => {
  for (const one of CASES) {
    const swap = swapOf(one)
    const none = { ...swap, program: name('program') }
    const other = CASES.find(({ program }) => program !== one.program)!
    t.equal(
      ruleOf(() => prove(one, swap, one.claim, [swap])),
      'route',
    )
    t.equal(
      ruleOf(() => prove(one, none)),
      'route',
    )
    t.equal(
      ruleOf(() => prove(one, swap, one.claim, [none])),
      'program',
    )
    t.equal(
      ruleOf(() => prove(one, swap, one.claim, [swapOf(other)])),
      'program',
    )
    t.equal(
      ruleOf(() => prove(one, swap, one.claim, [transferLamports(FROM, STRANGER, 1n)])),
      'transfer_destination',
    )
    t.equal(
      ruleOf(() => prove(one, swap, one.claim, [transferTokens(FROM, STRANGER, USDC, 1n, 6)])),
      'token_instruction',
    )
    const [{ before }, instructions] = [around(one.claim), [swap]]
    const open = transactionOf([...before, ...instructions])
    const rule = one.claim.mintOut === null ? 'unwrap' : null
    t.equal(
      ruleOf(() => provePool(open, one.program, one.claim, RULES)),
      rule,
    )
  }
})
