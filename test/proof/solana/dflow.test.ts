/** What may stand in a transaction of DFlow's, and what its bytes show. */
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { withInstructions } from '../../../src/chains/solana/decompile.ts'
import { advanceNonce } from '../../../src/chains/solana/nonce.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  DFLOW_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { DFLOW_CHECKS, proveDflow } from '../../../src/proof/solana/dflow.ts'
import { openUnsigned } from '../../../src/proof/solana/solana.ts'
import type { SwapClaim } from '../../../src/proof/solana/swap.ts'
import { type Proof, verified } from '../../../src/proof/terms/verification.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { type Composed, composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  readonly,
  setComputeUnitLimit,
  setComputeUnitPrice,
  signer,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
  u64,
  writable,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { keypair, sha256 } from '../../fixtures/transactions.ts'

const FROM = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WRAPPED = tokenAddress(FROM, WRAPPED_SOL_MINT)
const AMOUNT = 250_000_000n
const BUY: SwapClaim = { from: FROM, mintIn: null, mintOut: USDC, amountIn: AMOUNT, minOut: 1_000n }
const SELL: SwapClaim = { ...BUY, mintIn: USDC, mintOut: null, minOut: AMOUNT }
const RULES = { maxComputeUnitPrice: 1_000_000n }

const dflow = (kind: string, accounts: Composed['accounts'], ...data: Uint8Array[]): Composed => ({
  program: DFLOW_PROGRAM,
  accounts,
  data: Buffer.concat([Buffer.from(kind, 'hex'), ...data]),
})
const FIXED = [TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM].map(readonly)
const swapBy = (wallet: string, kind = 'f8c69e91e17587c8', ...more: Composed['accounts']) =>
  dflow(
    kind,
    [
      ...FIXED,
      wallet === FROM ? signer(wallet) : readonly(wallet),
      ...[STRANGER, DFLOW_PROGRAM].map(readonly),
      ...more,
    ],
    Buffer.alloc(26, 1),
  )
/** The market's accounts are not read: whoever owns them. */
const swap = swapBy(
  FROM,
  undefined,
  writable(tokenAddress(FROM, USDC)),
  writable(tokenAddress(STRANGER, USDC)),
)
const wrapSol = (from = FROM, account = WRAPPED, lamports = AMOUNT, more: Composed['accounts'] = []) =>
  dflow(
    '2f3e9bac83cd25c9',
    [
      from === FROM ? signer(from) : writable(from),
      writable(account),
      readonly(WRAPPED_SOL_MINT),
      ...FIXED,
      ...more,
    ],
    u64(lamports),
  )
const unwrapSol = (owner = FROM, account = WRAPPED) =>
  dflow('63280e692d6bacc9', [
    owner === FROM ? signer(owner) : writable(owner),
    writable(account),
    readonly(TOKEN_PROGRAM),
  ])
const limits = [setComputeUnitLimit(200_000), setComputeUnitPrice(10_000)]
const open = createTokenAccount(FROM, FROM, USDC)
const wrap = [
  createTokenAccount(FROM, FROM, WRAPPED_SOL_MINT),
  transferLamports(FROM, WRAPPED, AMOUNT),
  syncNative(WRAPPED),
]
const close = closeTokenAccount(WRAPPED, FROM)

const BLOCKHASH = encodeBase58(sha256('blockhash'))
const transactionOf = (instructions: readonly Composed[], payer = FROM): string =>
  unsigned(composeMessage(payer, instructions, BLOCKHASH)).toString('base64')

const prove = (instructions: readonly Composed[], claim = BUY): Proof =>
  proveDflow(transactionOf(instructions), claim, RULES)

function ruleOf(run: () => unknown): unknown {
  try {
    run()
    return null
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

t.test('what prepares for the swap and cleans up after it passes', (t) => {
  for (const [name, instructions, claim] of [
    ['bought with SOL', [...limits, open, ...wrap, swap, close], BUY],
    ['bought with SOL that DFlow wraps', [...limits, open, wrapSol(), swap, unwrapSol()], BUY],
    ['bought with SOL that a market takes as it is', [...limits, open, swap], BUY],
    ['sold for SOL', [...limits, ...wrap.slice(0, 1), swap, close], SELL],
    ['sold for SOL that DFlow unwraps', [swap, unwrapSol()], SELL],
    ['a token for a token', [...limits, open, swap], { ...BUY, mintIn: STRANGER }],
  ] as const) {
    const proof = prove(instructions, claim)
    t.same(proof.checks, DFLOW_CHECKS, name)
    t.same(proof.stated, ['recipient', 'minimum'], 'neither of which the bytes show')
    t.notOk('minOut' in proof)
    t.match(proof.agreed, { receives: { atLeast: claim.minOut }, spends: { atMost: AMOUNT } })
    t.equal(verified(proof, { by: 'a node', at: 1, changes: [] }).level, 'stated', 'even if it is executed')
  }
  t.end()
})

t.test('everything else is refused', (t) => {
  const other = { ...swap, program: STRANGER }
  const cases: readonly (readonly [
    name: string,
    instructions: readonly Composed[],
    rule: string,
    claim?: SwapClaim,
  ])[] = [
    ['no swap', [...limits, open], 'route'],
    ['two swaps', [swap, swap], 'route'],
    ['a swap for a stranger', [swapBy(STRANGER)], 'authority'],
    ['a swap without its own accounts', [{ ...swap, accounts: swap.accounts.slice(0, 5) }], 'instruction'],
    ['a swap with a slippage fee', [swapBy(FROM, '414b3f4ceb5b5b88')], 'instruction'],
    ['a swap with a destination', [swapBy(FROM, 'a8ac184dc59c8765')], 'instruction'],
    ['an order for later', [swapBy(FROM, 'ce58588f268832e0')], 'instruction'],
    ['an order for later beside the swap', [swap, swapBy(FROM, 'ce58588f268832e0')], 'instruction'],
    ['no kind', [{ ...swap, data: Buffer.alloc(3) }], 'instruction'],
    ['a program that nobody knows', [swap, other], 'program'],
    ['wrapping into the account of a stranger', [wrapSol(FROM, STRANGER), swap], 'transfer_destination'],
    ['wrapping from a stranger', [wrapSol(STRANGER), swap], 'authority'],
    ['wrapping with more accounts', [wrapSol(FROM, WRAPPED, AMOUNT, [readonly(USDC)]), swap], 'instruction'],
    ['wrapping more than is sold', [wrapSol(FROM, WRAPPED, AMOUNT + 1n), swap], 'transfer_amount'],
    ['wrapping twice', [...wrap, wrapSol(), swap], 'transfer_amount'],
    ['wrapping where no SOL is sold', [wrapSol(), swap, close], 'transfer_amount', SELL],
    ['unwrapping for a stranger', [swap, unwrapSol(STRANGER)], 'close_destination'],
    ['unwrapping another account', [swap, unwrapSol(FROM, tokenAddress(FROM, USDC))], 'close_destination'],
    [
      'unwrapping with more data',
      [swap, { ...unwrapSol(), data: Buffer.concat([unwrapSol().data, Buffer.alloc(1)]) }],
      'instruction',
    ],
    ['SOL that stays wrapped', [swap], 'unwrap', SELL],
    ['SOL that is unwrapped before the swap', [close, swap], 'unwrap', SELL],
    ['a payment', [swap, transferLamports(FROM, STRANGER, 1n)], 'transfer_destination'],
    ['a transfer of tokens', [swap, transferTokens(FROM, STRANGER, USDC, 1n, 6)], 'token_instruction'],
    ['too high a price', [setComputeUnitPrice(1_000_001), swap], 'compute_unit_price'],
    [
      'too high a priority fee',
      [setComputeUnitPrice(1_000_000), setComputeUnitLimit(1_400_000), swap],
      'priority_fee',
      { ...BUY, amountIn: 1_000n },
    ],
    ['an advance of a nonce that nobody ordered', [advanceNonce(STRANGER, FROM), swap], 'system_instruction'],
  ]
  for (const [name, instructions, rule, claim = BUY] of cases)
    t.equal(
      ruleOf(() => prove(instructions, claim)),
      rule,
      name,
    )

  t.equal(
    ruleOf(() => proveDflow(transactionOf([swapBy(STRANGER)], STRANGER), BUY, RULES)),
    'fee_payer',
  )
  const signed = Buffer.from(transactionOf([swap]), 'base64')
    .fill(1, 1, 65)
    .toString('base64')
  t.equal(
    ruleOf(() => proveDflow(signed, BUY, RULES)),
    'unsigned',
  )
  t.end()
})

/** An unconditional transfer of the account to itself, which fails if it holds less. */
const held = (program: string, amount: bigint): Composed => {
  const account = tokenAddress(FROM, USDC, program)
  return {
    program,
    accounts: [writable(account), writable(account), signer(FROM)],
    data: Buffer.concat([Uint8Array.of(3), u64(amount)]),
  }
}
const heldSol = (lamports: bigint) => transferLamports(FROM, FROM, lamports)

t.test('with guards the bytes show the recipient and the minimum', (t) => {
  const guarded = { ...BUY, guards: true }
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    const proof = prove([swap, held(program, 1_000n)], guarded)
    t.match(proof, { checks: /guards/, stated: { length: 0 }, minOut: '1000', guards: [{ atLeast: '1000' }] })
    t.equal(verified(proof, { by: 'a node', at: 1, changes: [] }).level, 'simulated', 'and never more')
    t.match(verified(proof, null), { level: 'stated', stated: ['outcome'] }, 'if no node has executed it')
  }
  t.match(prove([swap, close, heldSol(AMOUNT)], { ...SELL, guards: true }), { stated: { length: 0 } })
  for (const [name, instructions, claim] of [
    ['none', [swap], guarded],
    ['for less', [swap, held(TOKEN_PROGRAM, 999n)], guarded],
    ['before the swap', [held(TOKEN_PROGRAM, 1_000n), swap], guarded],
    ['of the SOL only', [swap, heldSol(1_000n)], guarded],
    ['of less SOL', [swap, close, heldSol(AMOUNT - 1n)], { ...SELL, guards: true }],
    ['of the token only', [swap, close, held(TOKEN_PROGRAM, 1_000n)], { ...SELL, guards: true }],
  ] as const)
    t.equal(
      ruleOf(() => prove(instructions, claim)),
      'guards',
      name,
    )
  t.end()
})

t.test('an advance that is put before it makes it durable', (t) => {
  const value = encodeBase58(sha256('nonce'))
  const account = encodeBase58(keypair('nonce').publicKey)
  const advance = advanceNonce(account, FROM)
  const bytes = withInstructions(openUnsigned(transactionOf([swap]), FROM), new Map(), [], {
    advance,
    value: sha256('nonce'),
  })!
  const nonce = { account, value }
  const proof = proveDflow(bytes.toString('base64'), { ...BUY, nonce }, RULES)
  t.match(proof, { checks: /nonce/, nonce, expires: false })
  t.equal(
    ruleOf(() => proveDflow(bytes.toString('base64'), BUY, RULES)),
    'system_instruction',
    'unordered',
  )
  t.equal(
    ruleOf(() => prove([swap], { ...BUY, nonce })),
    'nonce',
    'missing',
  )
  t.end()
})
