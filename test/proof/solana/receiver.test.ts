/** A swap that pays another wallet: its associated account, opened for it, and no other. */
import t from 'tap'
import { decodeKey, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { compileTransaction, type InstructionParts } from '../../../src/chains/solana/message.ts'
import {
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { proveDflow } from '../../../src/proof/solana/dflow.ts'
import { TRANSFER } from '../../../src/proof/solana/guards.ts'
import { proveJupiter } from '../../../src/proof/solana/jupiter.ts'
import { POOL_LAYOUTS, provePool } from '../../../src/proof/solana/pools.ts'
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
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import {
  DESK_ADDRESS,
  EVENT_AUTHORITY,
  JUPITER,
  routeData,
} from '../../../src/sandbox/swap/jupiter-program.ts'
import { keypair, sha256 } from '../../fixtures/transactions.ts'

const [FROM, RECEIVER, STRANGER] = ['wallet', 'receiver', 'stranger'].map((name) =>
  encodeBase58(keypair(name).publicKey),
) as [string, string, string]
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const WRAPPED = tokenAddress(FROM, WRAPPED_SOL_MINT)
const ORDER = { from: FROM, receiver: RECEIVER, mintIn: null, mintOut: USDC }
const CLAIM: SwapClaim = { ...ORDER, amountIn: 250_000_000n, minOut: 970n }
const RULES = { maxComputeUnitPrice: 1_000_000n }
const name = (words: string): string => encodeBase58(sha256(words))

/** Who is paid: a wallet's associated account of a mint. */
interface Paid {
  readonly owner?: string
  readonly mint?: string
  readonly tokenProgram?: string
}

const accountOf = ({ owner = RECEIVER, mint = USDC, tokenProgram = TOKEN_PROGRAM }: Paid) =>
  tokenAddress(owner, mint, tokenProgram)

const poolSwapOf =
  (program: string) =>
  (paid: Paid): InstructionParts => {
    const { authority, accounts, endings } = POOL_LAYOUTS[program]!
    const keys = Array.from({ length: accounts }, (_, i) => name(`account ${i}`))
    const { in: sold, out: got } = endings[0]!
    keys[authority] = FROM
    ;[keys[sold.mint], keys[sold.programs[0]!], keys[sold.account]] = [
      WRAPPED_SOL_MINT,
      TOKEN_PROGRAM,
      WRAPPED,
    ]
    keys[got.mint] = paid.mint ?? USDC
    keys[got.programs[0]!] = paid.tokenProgram ?? TOKEN_PROGRAM
    keys[got.account] = accountOf(paid)
    return encodePoolSwap({ program, keys, ending: 0, amountIn: CLAIM.amountIn, minOut: CLAIM.minOut })
  }

/** @param overruled  in the place of the wallet's own account; null: the paid account stands there, and no other */
const routeOf =
  (overruled: string | null) =>
  (paid: Paid): InstructionParts => {
    const { mint = USDC, tokenProgram = TOKEN_PROGRAM } = paid
    const account = accountOf(paid)
    const mints = { mintIn: WRAPPED_SOL_MINT, mintOut: mint }
    return {
      program: JUPITER,
      accounts: [
        ...[FROM, WRAPPED, overruled ?? account, WRAPPED_SOL_MINT, mint, TOKEN_PROGRAM, tokenProgram],
        ...[overruled === null ? JUPITER : account, EVENT_AUTHORITY, JUPITER, DESK_ADDRESS],
      ].map((address, i) => ({ address, isSigner: i === 0, isWritable: [1, 2, 7, 10].includes(i) })),
      data: routeData({
        ...{ wallet: FROM, ...mints, amountIn: CLAIM.amountIn, quotedOut: 1_000n },
        ...{ slippageBps: 300, feeBps: 0 },
      }),
    }
  }

/** The same over Jupiter's own accounts. */
const shared = (paid: Paid): InstructionParts => {
  const { program, accounts, data } = routeOf(null)(paid)
  const at = (...indexes: number[]) => indexes.map((index) => accounts[index]!)
  const theirs = { address: DESK_ADDRESS, isSigner: false, isWritable: true }
  return {
    program,
    accounts: [theirs, ...at(0, 1), theirs, theirs, ...at(2, 3, 4, 5, 6, 8, 9)],
    data: Buffer.concat([Buffer.from('d19853937cfed8e9', 'hex'), Uint8Array.of(3), data.subarray(8)]),
  }
}

type Prove = (base64: string, claim: SwapClaim) => object
const inPool =
  (program: string): Prove =>
  (base64, claim) =>
    provePool(base64, program, claim, RULES)
const byJupiter: Prove = (base64, claim) => proveJupiter(base64, claim, RULES)

const SWAPS: Readonly<Record<string, readonly [swap: (paid: Paid) => InstructionParts, prove: Prove]>> = {
  whirlpool: [poolSwapOf(WHIRLPOOL_PROGRAM), inPool(WHIRLPOOL_PROGRAM)],
  'raydium-cpmm': [poolSwapOf(RAYDIUM_CPMM_PROGRAM), inPool(RAYDIUM_CPMM_PROGRAM)],
  'jupiter, in one place': [routeOf(null), byJupiter],
  "jupiter, over the wallet's own account": [routeOf(tokenAddress(FROM, USDC)), byJupiter],
  'jupiter, in both places': [routeOf(accountOf({})), byJupiter],
  "jupiter, over Jupiter's accounts": [shared, byJupiter],
}

const opens = ({ owner = RECEIVER, mint = USDC, tokenProgram = TOKEN_PROGRAM }: Paid = {}) =>
  createTokenAccount(FROM, owner, mint, tokenProgram)

/** @param opened  what stands before the swap, in place of the receiver's account */
function transactionOf(
  swap: InstructionParts,
  opened: readonly InstructionParts[] = [opens()],
  after: readonly InstructionParts[] = [],
): string {
  const wrap = [
    createTokenAccount(FROM, FROM, WRAPPED_SOL_MINT),
    transferLamports(FROM, WRAPPED, CLAIM.amountIn),
    syncNative(WRAPPED),
  ]
  const instructions = [
    ...[setComputeUnitLimit(200_000), ...opened, ...wrap, swap],
    ...[closeTokenAccount(WRAPPED, FROM), ...after],
  ]
  const parts = { payer: FROM, tables: {}, pinned: new Set<string>(), blockhash: sha256('blockhash') }
  return compileTransaction({ ...parts, instructions })!.toString('base64')
}

function ruleOf(run: () => unknown): unknown {
  try {
    run()
    return null
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

for (const [title, [swap, prove]] of Object.entries(SWAPS)) {
  t.test(`${title}: pays the receiver`, async (t) => {
    t.match(prove(transactionOf(swap({})), CLAIM), {
      recipient: RECEIVER,
      openedAccounts: 0,
      confirm: {
        receives: null,
        pays: { owner: RECEIVER, account: accountOf({}), atLeast: CLAIM.minOut },
      },
    })
    const in2022 = { tokenProgram: TOKEN_2022_PROGRAM }
    const overruled = title.includes('over the') ? { ...in2022, owner: FROM } : in2022
    const other = title.startsWith('jupiter, over the') ? routeOf(accountOf(overruled)) : swap
    const both = title.includes('both') ? routeOf(accountOf(in2022)) : other
    t.match(prove(transactionOf(both(in2022), [opens(in2022)]), CLAIM), { recipient: RECEIVER }, 'Token-2022')

    const rents = ({ receiver }: SwapClaim) => {
      const paid = receiver === undefined ? { owner: FROM } : {}
      const built = title.includes('over the') ? routeOf(accountOf(paid)) : swap
      const both = title.includes('both') ? routeOf(accountOf(paid)) : built
      const proof = prove(transactionOf(both(paid), [opens(paid)]), receiver === undefined ? OWN : CLAIM)
      return (proof as { confirm: { atMostNativeFees: bigint } }).confirm.atMostNativeFees
    }
    const { receiver: _, ...OWN } = CLAIM
    t.equal(rents(CLAIM) - rents(OWN), 2_999_760n, 'the rent of its account, and of no more')
  })

  t.test(`${title}: pays nobody else`, async (t) => {
    const theft = (paid: Paid, opened: Paid = paid, claim = CLAIM) =>
      ruleOf(() => prove(transactionOf(swap(paid), [opens(), opens(opened)]), claim))
    for (const [what, owner] of [
      ['the signer', FROM],
      ['a third', STRANGER],
    ] as const) {
      t.match(theft({ owner }), /^(destination_account|associated_account)$/, what)
      t.match(
        ruleOf(() => prove(transactionOf(swap({ owner })), CLAIM)),
        'destination_account',
        what,
      )
    }
    t.match(theft({ mint: USDT }), /^(mints|destination_account)$/, 'another mint')
    t.match(
      ruleOf(() => prove(transactionOf(swap({ mint: USDT }), [opens({ mint: USDT })]), CLAIM)),
      /^(mints|destination_account)$/,
    )
    const { receiver: _, ...own } = CLAIM
    t.match(theft({}, {}, own), 'destination_account', 'an order without a receiver')
    t.match(theft({}, {}, { ...CLAIM, receiver: STRANGER }), 'destination_account', 'of another receiver')
  })

  t.test(`${title}: opens no other account, and its own before the swap`, async (t) => {
    const built = (opened: readonly InstructionParts[], after: readonly InstructionParts[] = []) =>
      ruleOf(() => prove(transactionOf(swap({}), opened, after), CLAIM))
    t.equal(built([opens({ owner: FROM }), opens()]), null, "the signer's own, too")
    for (const [what, paid] of [
      ["a third's", { owner: STRANGER }],
      ['another of the receiver', { mint: USDT }],
      ['of the other token program', { tokenProgram: TOKEN_2022_PROGRAM }],
    ] as const)
      t.equal(built([opens(), opens(paid)]), 'associated_account', what)
    const strict = { ...opens(), data: Uint8Array.of(0) }
    t.equal(built([strict]), 'associated_account', 'in the way that does not see whose it is')
    const misnamed = opens()
    const accounts = misnamed.accounts.map((one, i) => (i === 2 ? { ...one, address: STRANGER } : one))
    t.equal(built([{ ...misnamed, accounts }]), null, "as a third's, which fails: it derives another address")
    const paid = misnamed.accounts.map((one, i) => (i === 0 ? { ...one, address: STRANGER } : one))
    t.match(built([{ ...misnamed, accounts: paid }]), /^(associated_account|signers)$/, 'paid by a third')
    t.equal(built([]), 'destination_account', 'not opened')
    t.equal(built([], [opens()]), 'destination_account', 'opened afterwards')
    t.equal(built([opens()], [opens()]), null)
    const closed = closeTokenAccount(accountOf({}), FROM)
    t.equal(built([opens()], [closed]), 'close_destination')
    t.equal(built([opens()], [transferLamports(FROM, RECEIVER, 1n)]), 'transfer_destination')
  })

  t.test(`${title}: neither SOL itself nor guards`, async (t) => {
    const base64 = transactionOf(swap({}))
    t.equal(
      ruleOf(() => prove(base64, { ...CLAIM, guards: true })),
      'guards',
    )
    // What looks like one would fail: only the owner may transfer from the account.
    const data = Buffer.alloc(9)
    data[0] = TRANSFER
    data.writeBigUInt64LE(CLAIM.minOut, 1)
    const account = { address: accountOf({}), isSigner: false, isWritable: true }
    const signer = { address: FROM, isSigner: true, isWritable: false }
    const guard = { program: TOKEN_PROGRAM, accounts: [account, account, signer], data }
    const guarded = transactionOf(swap({}), [opens()], [guard])
    t.equal(
      ruleOf(() => prove(guarded, { ...CLAIM, guards: true })),
      'guards',
    )
    const mint = WRAPPED_SOL_MINT
    const native: SwapClaim = { ...CLAIM, mintIn: USDC, mintOut: null }
    t.not(
      ruleOf(() => prove(transactionOf(swap({ mint }), [opens({ mint })]), native)),
      null,
    )
  })
}

t.test('a wallet that is a program’s, such as a multisig, is paid like another', async (t) => {
  const [swap, prove] = SWAPS.whirlpool!
  const [owner] = [DESK_ADDRESS]
  t.equal(decodeKey(owner).length, 32)
  t.match(prove(transactionOf(swap({ owner }), [opens({ owner })]), { ...CLAIM, receiver: owner }), {
    recipient: owner,
  })
})

t.test('SOL to a wallet’s wrapped account is no SOL, although the signer’s own is closed', async (t) => {
  const [paid] = [{ mint: WRAPPED_SOL_MINT }]
  const { authority, accounts, endings } = POOL_LAYOUTS[RAYDIUM_CPMM_PROGRAM]!
  const keys = Array.from({ length: accounts }, (_, i) => name(`account ${i}`))
  const { in: sold, out: got } = endings[0]!
  keys[authority] = FROM
  ;[keys[sold.mint], keys[sold.programs[0]!], keys[sold.account]] = [
    USDC,
    TOKEN_PROGRAM,
    tokenAddress(FROM, USDC),
  ]
  ;[keys[got.mint], keys[got.programs[0]!], keys[got.account]] = [
    WRAPPED_SOL_MINT,
    TOKEN_PROGRAM,
    accountOf(paid),
  ]
  const swap = { program: RAYDIUM_CPMM_PROGRAM, keys, ending: 0, amountIn: 5n, minOut: 970n }
  const parts = { payer: FROM, tables: {}, pinned: new Set<string>(), blockhash: sha256('blockhash') }
  const instructions = [
    ...[setComputeUnitLimit(200_000), opens(paid), createTokenAccount(FROM, FROM, WRAPPED_SOL_MINT)],
    encodePoolSwap(swap),
  ]
  const claim: SwapClaim = { ...CLAIM, mintIn: USDC, mintOut: WRAPPED_SOL_MINT, amountIn: 5n }
  const proved = (after: readonly InstructionParts[], one: SwapClaim) =>
    ruleOf(() => {
      const bytes = compileTransaction({ ...parts, instructions: [...instructions, ...after] })!
      return inPool(RAYDIUM_CPMM_PROGRAM)(bytes.toString('base64'), one)
    })
  t.equal(proved([], claim), null, 'wrapped SOL')
  t.equal(proved([closeTokenAccount(WRAPPED, FROM)], { ...claim, mintOut: null }), 'unwrap')
})

t.test('DFlow’s bytes show no receiver', async (t) => {
  const dflow: Prove = (base64, claim) => proveDflow(base64, claim, RULES)
  const [swap] = SWAPS.whirlpool!
  t.not(
    ruleOf(() => dflow(transactionOf(swap({})), CLAIM)),
    null,
  )
})
