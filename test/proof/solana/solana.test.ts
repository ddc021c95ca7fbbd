/**
 * What a wallet may be asked to sign. Material of every shape that passes is
 * accepted once, then spoiled in every way that the rules list.
 */

import { ed25519 } from '@noble/curves/ed25519.js'
import { PublicKey } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { associatedAddress } from '../../../src/chains/solana/associated.ts'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { advanceNonce } from '../../../src/chains/solana/nonce.ts'
import { isOnCurve } from '../../../src/chains/solana/program-address.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { MAX_TRANSACTION_BYTES } from '../../../src/chains/solana/sizes.ts'
import { requireAgreed, summed } from '../../../src/proof/simulation/simulation.ts'
import { CANCEL_CHECKS, proveCancel } from '../../../src/proof/solana/cancel.ts'
import { JUPITER_CHECKS, proveJupiter } from '../../../src/proof/solana/jupiter.ts'
import { openUnsigned } from '../../../src/proof/solana/solana.ts'
import type { SwapClaim, SwapRules } from '../../../src/proof/solana/swap.ts'
import { type Composed, composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
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
import fc from '../../fixtures/fast-check.ts'
import { keypair, PAYER, sha256 } from '../../fixtures/transactions.ts'
import { serializeV1, transferV1 } from '../../fixtures/transactions-v1.ts'

const FROM = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const BLOCKHASH = encodeBase58(sha256('blockhash'))
const AMOUNT = 250_000_000n
const PRICE = 331_600
const WRAPPED = tokenAddress(FROM, WRAPPED_SOL_MINT)

const RULES: SwapRules = { maxComputeUnitPrice: 1_000_000n }
const QUOTED = 41_873_522n
const SLIPPAGE = 300
const MIN_OUT = (QUOTED * 9_700n) / 10_000n
const BUY: SwapClaim = { from: FROM, mintIn: null, mintOut: USDC, amountIn: AMOUNT, minOut: MIN_OUT }
const SELL: SwapClaim = { ...BUY, mintIn: USDC, mintOut: null }
const CROSS: SwapClaim = { ...BUY, mintIn: USDC, mintOut: USDT }

const use = (address: string, isWritable: boolean) => ({ address, isSigner: address === FROM, isWritable })

function route(claim: SwapClaim, programOut = TOKEN_PROGRAM): Composed {
  const mintIn = claim.mintIn ?? WRAPPED_SOL_MINT
  const mintOut = claim.mintOut ?? WRAPPED_SOL_MINT
  return {
    program: JUPITER,
    accounts: [
      use(FROM, false),
      use(tokenAddress(FROM, mintIn), true),
      use(tokenAddress(FROM, mintOut, programOut), true),
      use(mintIn, false),
      use(mintOut, false),
      use(TOKEN_PROGRAM, false),
      use(programOut, false),
      use(JUPITER, false),
      use(EVENT_AUTHORITY, false),
      use(JUPITER, false),
      use(DESK_ADDRESS, true),
    ],
    data: routeData({
      wallet: FROM,
      mintIn,
      mintOut,
      amountIn: claim.amountIn,
      quotedOut: QUOTED,
      slippageBps: SLIPPAGE,
      feeBps: 0,
    }),
  }
}

/** The same over Jupiter's own accounts. */
function shared(claim: SwapClaim): Composed {
  const { accounts, data } = route(claim)
  const at = (...indexes: number[]) => indexes.map((index) => accounts[index]!)
  const theirs = use(DESK_ADDRESS, true)
  return {
    program: JUPITER,
    accounts: [theirs, ...at(0, 1), theirs, theirs, ...at(2, 3, 4, 5, 6, 8, 9)],
    data: Buffer.concat([Buffer.from('d19853937cfed8e9', 'hex'), Uint8Array.of(3), data.subarray(8)]),
  }
}

const limits = [setComputeUnitLimit(214_880), setComputeUnitPrice(PRICE)]
const open = (mint: string) => createTokenAccount(FROM, FROM, mint)
const wrap = [open(WRAPPED_SOL_MINT), transferLamports(FROM, WRAPPED, AMOUNT), syncNative(WRAPPED)]
const unwrap = closeTokenAccount(WRAPPED, FROM)
const TEMPORARY = PublicKey.findProgramAddressSync(
  [Buffer.from('token_account'), ...[FROM, WRAPPED_SOL_MINT].map((key) => decodeBase58(key, 32)!)],
  new PublicKey(JUPITER),
)[0].toBase58()
/** Jupiter's own instruction that opens an account for wrapped SOL. */
const openTemporary: Composed = {
  program: JUPITER,
  accounts: [TEMPORARY, FROM, WRAPPED_SOL_MINT, TOKEN_PROGRAM, SYSTEM_PROGRAM].map((key) =>
    use(key, key === TEMPORARY || key === FROM),
  ),
  data: Buffer.from('93f17b64f484ae76ff', 'hex'),
}
const closeTemporary: Composed = {
  program: JUPITER,
  accounts: [TEMPORARY, FROM, TOKEN_PROGRAM, SYSTEM_PROGRAM].map((key) => use(key, key === TEMPORARY)),
  data: Buffer.from('cb816785c57d6b56', 'hex'),
}
const openByJupiter = (mint: string): Composed => ({
  program: JUPITER,
  accounts: [
    ...[FROM, tokenAddress(FROM, mint), FROM, mint],
    ...[TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM],
  ].map((key) => use(key, key === FROM)),
  data: Buffer.from('5368c096b4479cc6', 'hex'),
})
/** In the place of the associated account for wrapped SOL. */
const temporarily = (instruction: Composed): Composed => ({
  ...instruction,
  accounts: instruction.accounts.map((account) =>
    account.address === WRAPPED ? { ...account, address: TEMPORARY } : account,
  ),
})

interface Material {
  readonly name: string
  readonly claim: SwapClaim
  readonly instructions: readonly Composed[]
  readonly swap: 'route_v2' | 'shared_accounts_route_v2'
}

const CORPUS: readonly Material[] = [
  {
    name: 'SOL for a token',
    claim: BUY,
    swap: 'route_v2',
    instructions: [...limits, ...wrap, open(USDC), route(BUY), unwrap],
  },
  {
    name: 'a token for SOL',
    claim: SELL,
    swap: 'route_v2',
    instructions: [...limits, open(WRAPPED_SOL_MINT), route(SELL), unwrap],
  },
  {
    name: 'a token for a token',
    claim: CROSS,
    swap: 'route_v2',
    instructions: [...limits, open(USDT), route(CROSS), memo('swap')],
  },
  {
    name: "a token for a token by way of SOL, in the account that Jupiter's program opens",
    claim: CROSS,
    swap: 'route_v2',
    instructions: [...limits, openTemporary, open(USDT), route(CROSS), closeTemporary],
  },
  {
    name: "SOL for a token, over Jupiter's own accounts",
    claim: BUY,
    swap: 'shared_accounts_route_v2',
    instructions: [...limits, ...wrap, openByJupiter(USDC), shared(BUY), unwrap],
  },
  {
    name: "a token for SOL, into the account that Jupiter's program opens",
    claim: SELL,
    swap: 'route_v2',
    instructions: [...limits, openTemporary, temporarily(route(SELL)), closeTemporary],
  },
  {
    name: "SOL for a token, out of the account that Jupiter's program opens",
    claim: BUY,
    swap: 'route_v2',
    instructions: [
      ...limits,
      openTemporary,
      ...wrap.slice(1).map(temporarily),
      open(USDC),
      temporarily(route(BUY)),
      temporarily(unwrap),
    ],
  },
  {
    name: 'SOL for a token of Token-2022',
    claim: BUY,
    swap: 'route_v2',
    instructions: [
      ...limits,
      ...wrap,
      createTokenAccount(FROM, FROM, USDC, TOKEN_2022_PROGRAM),
      route(BUY, TOKEN_2022_PROGRAM),
      unwrap,
    ],
  },
]

const serialize = (instructions: readonly Composed[], payer = FROM): Buffer =>
  unsigned(composeMessage(payer, instructions, BLOCKHASH))

const prove = (bytes: Uint8Array, claim: SwapClaim, rules = RULES) =>
  proveJupiter(Buffer.from(bytes).toString('base64'), claim, rules)

const refused = (t: Test, rule: string, run: () => unknown, name: string) =>
  t.throws(run, { name: 'GatewayError', code: 'material_refused', status: 502, fields: { rule } }, name)

t.test('material that does what was asked for is accepted, and the proof says what was seen', async (t) => {
  for (const { name, claim, swap, instructions } of CORPUS) {
    const bytes = serialize(instructions)
    t.same(
      prove(bytes, claim),
      {
        checks: JUPITER_CHECKS,
        feePayer: FROM,
        bytes: bytes.length,
        programs: [...new Set(instructions.map(({ program }) => program))],
        computeUnitPrice: PRICE.toString(),
        priorityLamports: Math.ceil((214_880 * PRICE) / 1e6).toString(),
        openedAccounts: 0,
        lookupTables: [],
        instruction: swap,
        amountIn: AMOUNT.toString(),
        quotedOut: QUOTED.toString(),
        slippageBps: SLIPPAGE,
        minOut: MIN_OUT.toString(),
        fees: [],
        confirm: {
          spends: { token: claim.mintIn, atMost: AMOUNT },
          receives: { token: claim.mintOut, atLeast: MIN_OUT },
          atMostNativeFees: claim.mintOut === null ? MIN_OUT / 10n : 4_203_840n,
          atMostGas: 20_000n + BigInt(Math.ceil((214_880 * PRICE) / 1e6)),
        },
      },
      name,
    )
  }
})

t.test("Jupiter's fee is at most the one that was stated, and the minimum is net of it", async (t) => {
  const taking = (bps: number, quoted = QUOTED): Buffer => {
    const bytes = serialize(CORPUS[0]!.instructions)
    const at = bytes.indexOf(Buffer.from('bb64facc31c4af14', 'hex'))
    bytes.writeBigUInt64LE(quoted, at + 16)
    bytes.writeUInt16LE(bps, at + 26)
    return bytes
  }
  const { claim } = CORPUS[0]!
  for (const bps of [2, 10, 50]) {
    const net = (QUOTED * BigInt(10_000 - bps)) / 10_000n
    const fee = QUOTED - net
    const stated = { ...claim, minOut: (net * BigInt(10_000 - SLIPPAGE)) / 10_000n, feeBps: bps }
    t.match(prove(taking(bps), stated), { minOut: String(stated.minOut) }, `${bps} bps`)
    t.same(prove(taking(bps), stated).fees, [
      { bps, amount: String(fee), token: USDC, recipient: null, whose: null },
    ])
    t.match(prove(taking(bps - 1), stated), { fees: [{ bps: bps - 1 }] }, 'less is taken')
    refused(t, 'platform_fee', () => prove(taking(bps + 1), stated), 'a bps more')
    refused(t, 'platform_fee', () => prove(taking(bps), { ...stated, feeBps: bps - 1 }), 'a bps less stated')
    refused(t, 'minimum', () => prove(taking(bps), { ...stated, minOut: stated.minOut + 1n }), 'more agreed')
    refused(
      t,
      'minimum',
      () => prove(taking(bps), { ...stated, minOut: MIN_OUT }),
      'a minimum before the fee',
    )
  }
  const most = { ...claim, minOut: 1n, feeBps: 51 }
  t.ok(prove(taking(50), most))
  refused(t, 'platform_fee', () => prove(taking(51), most), 'stated above the bound')
  t.same(prove(taking(0), { ...claim, feeBps: 50 }).fees, [], 'none is taken')
})

t.test('an execution that takes more from the wallet than the order is refused', async (t) => {
  const other = encodeBase58(sha256('another token of the wallet'))
  for (const { name, claim, instructions } of CORPUS) {
    const { confirm } = prove(serialize(instructions), claim)
    const gas = confirm.atMostGas
    const swapped = [
      { token: claim.mintIn, amount: -AMOUNT },
      { token: claim.mintOut, amount: MIN_OUT },
    ]
    const judge = (...more: readonly { token: string | null; amount: bigint }[]) =>
      requireAgreed(
        { changes: summed([...swapped, { token: null, amount: -gas }, ...more]), gas: null },
        confirm,
      )
    t.doesNotThrow(() => judge(), name)
    const stolen = { token: other, amount: -1n }
    refused(t, 'simulation', () => judge(stolen), `${name}: a market takes another token`)
    const lamports = { token: null, amount: -confirm.atMostNativeFees - 1n }
    refused(t, 'simulation', () => judge(lamports), `${name}: a market takes lamports`)
    refused(
      t,
      'simulation',
      () => judge({ token: claim.mintIn, amount: -5_000_000n }),
      `${name}: more is sold`,
    )
  }
})

t.test(
  'the rent that a route may take is a share of a small order, and one account’s at least',
  async (t) => {
    const { instructions } = CORPUS[0]!
    const rentOf = (amountIn: bigint) => {
      const claim = { ...CORPUS[0]!.claim, amountIn }
      const sized = instructions.map((one) => {
        const data = Buffer.from(one.data)
        for (let at = 0; at + 8 <= data.length; at++) {
          if (data.readBigUInt64LE(at) === AMOUNT) data.writeBigUInt64LE(amountIn, at)
        }
        return { ...one, data }
      })
      return prove(serialize(sized), claim).confirm.atMostNativeFees
    }
    t.equal(rentOf(1_000_000_000n), 4_203_840n)
    t.equal(rentOf(30_000_000n), 3_000_000n)
    t.equal(rentOf(10_000_000n), 2_101_920n)
  },
)

t.test('everything that a swap may contain in addition is accepted', async (t) => {
  const { claim, instructions } = CORPUS[0]!
  const harmless: readonly (readonly [string, Composed])[] = [
    ['the first memo program', { program: MEMO_V1_PROGRAM, accounts: [], data: Buffer.from('hello') }],
    ['a heap frame', { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: Uint8Array.of(1, 0, 0, 4, 0) }],
    [
      'a data size limit',
      { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: Uint8Array.of(4, 0, 0, 4, 0) },
    ],
    ['an account that must not exist yet', { ...open(USDT), data: new Uint8Array(0) }],
    ['the same, in the longer form', { ...open(USDT), data: Uint8Array.of(0) }],
    ['an account of Token-2022', onToken2022(open(USDT))],
    ['lamports wrapped twice', syncNative(WRAPPED)],
  ]
  for (const [name, extra] of harmless) t.ok(prove(serialize([...instructions, extra]), claim), name)
  const withTable = withLookup(serialize(instructions))
  t.same(prove(withTable, claim).lookupTables, [encodeBase58(sha256('table'))])
  const legacy = Buffer.from(serialize(instructions))
  const asLegacy = Buffer.concat([legacy.subarray(0, 65), legacy.subarray(66, -1)])
  t.ok(prove(asLegacy, claim), 'a legacy message')
  const free = instructions.filter((one) => one !== limits[1])
  t.equal(prove(serialize(free), claim).priorityLamports, '0', 'no price at all')
})

t.test('malformed transactions, and ones that others sign, are refused', async (t) => {
  for (const { name, claim, instructions } of CORPUS) {
    const bytes = serialize(instructions)
    const text = bytes.toString('base64')
    const spoiled: readonly (readonly [string, string, string])[] = [
      ['parse', 'no text', ''],
      ['parse', 'no base64', `${text.slice(0, -1)}!`],
      ['parse', 'the URL-safe alphabet', `${text.slice(0, -4)}-_-_`],
      ['parse', 'a byte too many', Buffer.concat([bytes, Uint8Array.of(0)]).toString('base64')],
      ['parse', 'a byte too few', bytes.subarray(0, -1).toString('base64')],
      ['parse', 'version 1 behind signatures', edited(bytes, 65, 0x81).toString('base64')],
      ['size', 'more than a packet', Buffer.alloc(MAX_TRANSACTION_BYTES + 1).toString('base64')],
      ['signers', 'two signers', withSigner(bytes).toString('base64')],
      ['fee_payer', 'another fee payer', edited(bytes, 70, bytes[70]! ^ 1).toString('base64')],
      ['unsigned', 'the first byte of a signature', edited(bytes, 1, 1).toString('base64')],
      ['unsigned', 'the last byte of a signature', edited(bytes, 64, 1).toString('base64')],
    ]
    for (const [rule, what, base64] of spoiled) {
      refused(t, rule, () => proveJupiter(base64, claim, RULES), `${name}: ${what}`)
    }
    refused(t, 'fee_payer', () => prove(bytes, { ...claim, from: STRANGER }), `${name}: another wallet`)
    for (const from of ['nobody', '', '0OIl', 'A'.repeat(100)])
      refused(t, 'fee_payer', () => prove(bytes, { ...claim, from }), `${name}: no wallet`)
  }
})

t.test(
  'a transaction of version 1 is refused by name: what it costs is not in its instructions',
  async (t) => {
    const bytes = serializeV1(transferV1())
    bytes.fill(0, -64)
    const text = Buffer.from(bytes).toString('base64')
    refused(t, 'version', () => openUnsigned(text, encodeBase58(PAYER.publicKey)), 'unsigned, by its payer')
  },
)

t.test('each instruction that could cost more than the swap is refused', async (t) => {
  const token = (data: readonly number[], ...accounts: string[]): Composed => ({
    program: TOKEN_PROGRAM,
    accounts: accounts.map((address) => ({ address, isSigner: address === FROM, isWritable: true })),
    data: Uint8Array.from(data),
  })
  const system = (kind: number, bytes: number, ...accounts: string[]): Composed => ({
    ...token([], ...accounts),
    program: SYSTEM_PROGRAM,
    data: Uint8Array.of(kind, ...new Array(bytes - 1).fill(0)),
  })
  const mine = tokenAddress(FROM, USDC)
  const theirs = tokenAddress(STRANGER, USDC)
  const u64 = [1, 0, 0, 0, 0, 0, 0, 0]
  const hostile: readonly (readonly [string, string, Composed])[] = [
    ['program', 'another program', { ...route(BUY), program: STRANGER }],
    ['compute_budget', 'a second price', setComputeUnitPrice(PRICE)],
    ['compute_budget', 'a second limit', setComputeUnitLimit(1)],
    ['compute_budget', 'a fee by the deprecated request', budget(0, 9)],
    ['compute_budget', 'a price with a byte too many', budget(3, 10)],
    ['compute_budget', 'a price with a byte too few', budget(3, 8)],
    ['compute_budget', 'an unknown limit', budget(5, 5)],
    ['compute_budget', 'no data', { ...budget(0, 1), data: new Uint8Array(0) }],
    ['associated_account', 'an account for a stranger', createTokenAccount(FROM, STRANGER, USDC)],
    ['associated_account', 'a nested account recovered', { ...open(USDC), data: Uint8Array.of(2) }],
    ['associated_account', 'more data than a kind', { ...open(USDC), data: Uint8Array.of(1, 0) }],
    ['associated_account', 'no accounts', { ...open(USDC), accounts: [] }],
    ['transfer_destination', 'SOL to a stranger', transferLamports(FROM, STRANGER, 1n)],
    [
      'transfer_destination',
      "SOL to a stranger's wrapped account",
      transferLamports(FROM, tokenAddress(STRANGER, WRAPPED_SOL_MINT), 1n),
    ],
    [
      'transfer_destination',
      "SOL to an account of the wallet's for a token",
      transferLamports(FROM, mine, 1n),
    ],
    ['system_instruction', 'create account', system(0, 52, FROM, STRANGER)],
    ['system_instruction', 'assign', system(1, 36, FROM)],
    ['system_instruction', 'create account with seed', system(3, 92, FROM, STRANGER)],
    ['system_instruction', 'advance nonce', system(4, 4, STRANGER, FROM)],
    ['system_instruction', 'withdraw nonce', system(5, 12, STRANGER, FROM)],
    ['system_instruction', 'authorize nonce', system(7, 36, STRANGER, FROM)],
    ['system_instruction', 'allocate', system(8, 12, FROM, WRAPPED)],
    ['system_instruction', 'transfer with seed', system(11, 12, FROM, WRAPPED)],
    ['system_instruction', 'a transfer with three accounts', system(2, 12, FROM, WRAPPED, STRANGER)],
    ['system_instruction', 'a transfer without an amount', system(2, 4, FROM, WRAPPED)],
    ['system_instruction', 'no data', { ...system(0, 1, FROM), data: new Uint8Array(0) }],
    ['token_instruction', 'transfer', token([3, ...u64], mine, theirs, FROM)],
    ['token_instruction', 'approve', token([4, ...u64], mine, STRANGER, FROM)],
    ['token_instruction', 'revoke', token([5], mine, FROM)],
    ['token_instruction', 'set authority', token([6, 2, 1, ...sha256('thief')], mine, FROM)],
    ['token_instruction', 'mint', token([7, ...u64], USDC, theirs, FROM)],
    ['token_instruction', 'burn', token([8, ...u64], mine, USDC, FROM)],
    ['token_instruction', 'approve checked', token([13, ...u64, 6], mine, USDC, STRANGER, FROM)],
    ['token_instruction', 'burn checked', token([15, ...u64, 6], mine, USDC, FROM)],
    ['token_instruction', 'initialize a multisig', token([2, 1], STRANGER, FROM)],
    [
      'token_instruction',
      'transfer with fee',
      { ...token([26, 1, ...u64, 6], mine, USDC, theirs, FROM), program: TOKEN_2022_PROGRAM },
    ],
    ['token_instruction', 'no data', token([], mine)],
    ['token_instruction', 'a longer SyncNative', token([17, 0], WRAPPED)],
    ['token_instruction', 'a longer CloseAccount', { ...unwrap, data: Uint8Array.of(9, 0) }],
    ['close_destination', 'an account closed in favour of a stranger', token([9], WRAPPED, STRANGER, FROM)],
    ['close_destination', 'another account closed', closeTokenAccount(mine, FROM)],
    ['close_destination', "a stranger's signature in the close", token([9], WRAPPED, FROM, STRANGER)],
    ['close_destination', 'a multisig close', token([9], WRAPPED, FROM, FROM, STRANGER)],
  ]
  for (const { name, claim, instructions } of CORPUS) {
    for (const [rule, what, instruction] of hostile) {
      // What comes first is tried first: a rule must hold wherever its instruction stands.
      for (const spoiled of [
        [instruction, ...instructions],
        [...instructions, instruction],
      ]) {
        refused(t, rule, () => prove(serialize(spoiled), claim), `${name}: ${what}`)
      }
    }
    const idle = instructions.filter(({ data }) => data.length < 30)
    refused(t, 'route', () => prove(serialize(idle), claim), `${name}: nothing is swapped`)
  }
})

t.test('the sums over all instructions are bounded', async (t) => {
  for (const { name, claim, instructions } of [CORPUS[0]!, CORPUS[1]!, CORPUS[2]!]) {
    const rest = instructions.slice(2)
    const refuses = (rule: string, what: string, ...extra: Composed[]) =>
      refused(t, rule, () => prove(serialize([...extra, ...rest]), claim), `${name}: ${what}`)
    refuses('compute_unit_price', 'a price above the cap', setComputeUnitPrice(1_000_001))
    const most = [setComputeUnitLimit(1_400_000), setComputeUnitPrice(1_000_000)]
    const dear = { maxComputeUnitPrice: 2_000_000n }
    t.ok(prove(serialize([...most, ...rest]), claim, dear), `${name}: 1,400,000 lamports`)
    const over = [setComputeUnitPrice(1_428_572)]
    const bytes = serialize([...over, ...rest])
    refused(t, 'priority_fee', () => prove(bytes, claim, dear), `${name}: a price without a limit`)
    const huge = serialize([setComputeUnitLimit(0xffffffff), ...over, ...rest])
    refused(t, 'priority_fee', () => prove(huge, claim, dear), `${name}: a limit beyond the most there is`)
    const two = serialize([setComputeUnitLimit(200_000), setComputeUnitPrice(9_999_996), ...rest])
    const dearer = { maxComputeUnitPrice: 10_000_000n }
    t.equal(prove(two, claim, dearer).priorityLamports, '2000000', `${name}: rounded up`)

    const once = transferLamports(FROM, WRAPPED, 1n)
    refuses('transfer_amount', 'one lamport on top', once)
    const others = ['a', 'b', 'c', 'd'].map((seed) => open(encodeBase58(sha256(seed))))
    t.equal(prove(serialize([...others.slice(1), ...rest]), claim).openedAccounts, 3)
    refuses('opened_accounts', 'four accounts beside those of the swap', ...others)
  }
  const { claim, instructions } = CORPUS[0]!
  const less = instructions.with(3, transferLamports(FROM, WRAPPED, AMOUNT - 1n))
  refused(t, 'transfer_amount', () => prove(serialize(less), claim), 'one lamport less than the order')
  refused(
    t,
    'transfer_amount',
    () => prove(serialize(instructions.toSpliced(3, 1)), claim),
    'nothing wrapped',
  )
  for (const { name, claim, instructions } of CORPUS.filter((one) => one.claim === SELL)) {
    refused(
      t,
      'unwrap',
      () => prove(serialize(instructions.slice(0, -1)), claim),
      `${name}: SOL stays wrapped`,
    )
    const early = [instructions.at(-1)!, ...instructions.slice(0, -1)]
    refused(t, 'unwrap', () => prove(serialize(early), claim), `${name}: unwrapped before the swap`)
  }
})

t.test("rent goes along to the account that Jupiter's program opens, where it comes back", async (t) => {
  const RENT = 2_039_280n
  const swapping = (claim: SwapClaim, lamports: bigint, end: readonly Composed[] = [closeTemporary]) => {
    const funds = transferLamports(FROM, TEMPORARY, lamports)
    const opens = [funds, openTemporary, ...(claim.mintOut === null ? [] : [open(USDC)])]
    return serialize([...limits, ...opens, temporarily(route(claim)), ...end])
  }
  const most = 2_999_760n
  for (const [claim, wraps] of [
    [BUY, AMOUNT],
    [SELL, 0n],
  ] as const) {
    for (const rent of [0n, RENT, most]) t.ok(prove(swapping(claim, wraps + rent), claim), `${rent}`)
    refused(t, 'transfer_amount', () => prove(swapping(claim, wraps + most + 1n), claim), 'more than rent')
  }
  refused(t, 'transfer_amount', () => prove(swapping(BUY, AMOUNT + RENT, []), BUY), 'it stays there')
  const plain = serialize([
    ...limits,
    open(WRAPPED_SOL_MINT),
    transferLamports(FROM, WRAPPED, AMOUNT + RENT),
    open(USDC),
    route(BUY),
    unwrap,
  ])
  refused(t, 'transfer_amount', () => prove(plain, BUY), 'the program that opens it takes its own')
  const both = serialize([...limits, openTemporary, open(USDT), route(CROSS), closeTemporary, unwrap])
  refused(t, 'close_destination', () => prove(both, CROSS), 'one account of wrapped SOL, not two')
})

t.test('the swap is the one that was ordered', async (t) => {
  for (const { name, claim, instructions } of CORPUS) {
    const at = instructions.findIndex(({ program, data }) => program === JUPITER && data.length > 30)
    const swap = instructions[at]!
    const isShared = swap.data[0] === 0xd1
    const place = (index: number): number => (isShared ? [1, 2, 5, 6, 7, 8, 9, -1, 10, 11][index]! : index)
    const with_ = (changed: Composed): Buffer => serialize(instructions.with(at, changed))
    const account = (index: number, address: string): Buffer =>
      with_({
        ...swap,
        accounts: swap.accounts.with(place(index), { ...swap.accounts[place(index)]!, address }),
      })
    const data = (offset: number, ...bytes: number[]): Buffer => {
      const changed = Buffer.from(swap.data)
      changed.set(bytes, offset + (isShared ? 1 : 0))
      return with_({ ...swap, data: changed })
    }
    const kind = (hex: string): Buffer =>
      with_({ ...swap, data: Buffer.concat([Buffer.from(hex, 'hex'), swap.data.subarray(8)]) })
    // Up to the number of the plan's steps. What the steps are is the program's own matter.
    const shortest = 8 + (isShared ? 1 : 0) + 8 + 8 + 2 + 2 + 2 + 4
    const isSigned = swap.accounts.map((one) => ({ ...one, isSigner: false }))
    const unnamed = { ...swap, accounts: isSigned.with(place(0), use(STRANGER, false)) }
    const hostile: readonly (readonly [string, string, Buffer])[] = [
      ['authority', 'a stranger pays', with_(unnamed)],
      ['source_account', "a stranger's source", account(1, tokenAddress(STRANGER, USDC))],
      ['source_account', "the wallet's account for another token", account(1, tokenAddress(FROM, BONK))],
      ['destination_account', "a stranger's account", account(2, tokenAddress(STRANGER, USDC))],
      ['destination_account', "the wallet's account for another token", account(2, tokenAddress(FROM, BONK))],
      ['destination_account', 'the wallet itself', account(2, FROM)],
      ['mints', 'another input mint', account(3, BONK)],
      ['mints', 'another output mint', account(4, BONK)],
      ['token_program', 'a program of theirs for the input', account(5, STRANGER)],
      ['token_program', 'a program of theirs for the output', account(6, STRANGER)],
      ['source_account', 'the wrong program for the input', account(5, TOKEN_2022_PROGRAM)],
      ['instruction', 'another event authority', account(8, STRANGER)],
      ['instruction', 'another program in its own place', account(9, STRANGER)],
      ['amount', 'one unit more', data(8, Number(AMOUNT & 0xffn) + 1)],
      ['amount', 'much more', data(15, 1)],
      ['minimum', 'a lower quote', data(16, Number((QUOTED & 0xffn) - 2n))],
      ['minimum', 'nothing quoted', data(16, 0, 0, 0, 0, 0, 0, 0, 0)],
      ['minimum', 'more slippage', data(24, 0x2d, 1)],
      ['minimum', 'all of it lost', data(24, 0x10, 0x27)],
      ['minimum', 'more than all of it lost', data(24, 0xff, 0xff)],
      ['platform_fee', 'a fee of one basis point', data(26, 1)],
      ['platform_fee', 'a fee in the upper byte', data(27, 1)],
      ['positive_slippage', 'what is above the quote', data(28, 1)],
      ['positive_slippage', 'the same in the upper byte', data(29, 0x27)],
      ...[
        'e517cb977ae3ad2a',
        '96564774a75d0e68',
        'c1209b3341d69c81',
        'e6798f50779f6aaa',
        'd033ef977b2bed5c',
        'b0d169a89a7d453e',
        '9d8ab85215f4f324',
        '3560e5cad8bbfa18',
        '3ec6d6c1d59f6cd2',
        '0000000000000000',
      ].map((hex) => ['instruction', hex, kind(hex)] as const),
      ['route', 'twice', serialize([...instructions, swap])],
      ['instruction', 'too few accounts', with_({ ...swap, accounts: swap.accounts.slice(0, 9) })],
      ['instruction', 'too little data', with_({ ...swap, data: swap.data.subarray(0, 30) })],
      [
        'instruction',
        'a byte less than the arguments',
        with_({ ...swap, data: swap.data.subarray(0, shortest - 1) }),
      ],
      ['instruction', 'no data', with_({ ...swap, data: new Uint8Array(0) })],
      ...(isShared
        ? []
        : ([
            ['destination_account', 'an overruling account', account(7, tokenAddress(STRANGER, USDC))],
          ] as const)),
    ]
    for (const [rule, what, bytes] of hostile) refused(t, rule, () => prove(bytes, claim), `${name}: ${what}`)
    const [changed] = [{ ...claim, minOut: MIN_OUT + 1n }]
    refused(t, 'minimum', () => prove(serialize(instructions), changed), `${name}: more was agreed`)
    for (const lost of [data(16, 0, 0, 0, 0, 0, 0, 0, 0), data(24, 0x10, 0x27), data(24, 0xff, 0xff)]) {
      refused(t, 'minimum', () => prove(lost, { ...claim, minOut: 0n }), `${name}: for nothing, as agreed`)
    }
    t.ok(prove(data(24, 0x2b, 1), claim), `${name}: less slippage`)
    t.ok(prove(with_({ ...swap, data: swap.data.subarray(0, shortest) }), claim), `${name}: no steps`)
    if (!isShared) {
      const same = swap.accounts[2]!.address
      t.ok(prove(account(7, same), claim), `${name}: the destination named twice`)
    }
  }
})

t.test("Jupiter's own helpers follow the rules of what they replace", async (t) => {
  const { claim, instructions } = CORPUS[4]!
  const other = tokenAddress(STRANGER, WRAPPED_SOL_MINT)
  const account = (helper: Composed, index: number, address: string): Composed => ({
    ...helper,
    accounts: helper.accounts.with(index, use(address, true)),
  })
  const data = (helper: Composed, hex: string): Composed => ({
    ...helper,
    data: Buffer.concat([helper.data, Buffer.from(hex, 'hex')]),
  })
  const hostile: readonly (readonly [string, Composed])[] = [
    ['associated_account', account(openTemporary, 0, other)],
    ['associated_account', account(openTemporary, 1, STRANGER)],
    ['associated_account', account(openTemporary, 3, STRANGER)],
    ['associated_account', data(openTemporary, '00')],
    ['associated_account', openByJupiter(USDT)],
    ['associated_account', account(openByJupiter(WRAPPED_SOL_MINT), 2, STRANGER)],
    ['associated_account', account(openByJupiter(WRAPPED_SOL_MINT), 4, STRANGER)],
    ['associated_account', data(openByJupiter(WRAPPED_SOL_MINT), '00')],
    ['close_destination', account(closeTemporary, 0, other)],
    ['close_destination', account(closeTemporary, 1, STRANGER)],
    ['close_destination', data(closeTemporary, '00')],
  ]
  for (const [rule, helper] of hostile) {
    refused(
      t,
      rule,
      () => prove(serialize([helper, ...instructions]), claim),
      `${rule} ${helper.data.length}`,
    )
  }
})

t.test("an account from a lookup table cannot be proved to be anybody's", async (t) => {
  const { claim, instructions } = CORPUS[0]!
  const looked = (instruction: Composed, at: number, before = instructions): Buffer => {
    const bytes = withLookup(serialize([...before, instruction]))
    const keys = bytes[69]!
    // The last instruction's accounts stand before its data and the lookups.
    const accountsAt = bytes.length - LOOKUP_BYTES - instruction.data.length - 1 - instruction.accounts.length
    return edited(bytes, accountsAt + at, keys)
  }
  refused(
    t,
    'transfer_destination',
    () => prove(looked(transferLamports(FROM, WRAPPED, 0n), 1), claim),
    'a transfer',
  )
  refused(t, 'associated_account', () => prove(looked(open(USDC), 2), claim), 'an owner')
  refused(t, 'associated_account', () => prove(looked(open(USDT), 5), claim), 'a token program')
  t.ok(prove(looked(open(USDC), 3), claim), "a mint, where the account's address is known")
  refused(t, 'close_destination', () => prove(looked(unwrap, 1), claim), 'a close')
  const around = instructions.filter(({ program }) => program !== JUPITER)
  // An associated account's address proves the mint and the token program.
  const rules = ['authority', 'source_account', 'destination_account', null, null, null, null]
  for (const [at, rule] of [...rules, 'destination_account', null, null].entries()) {
    const bytes = looked(route(BUY), at, around)
    if (rule === null) t.ok(prove(bytes, claim), `account ${at}`)
    else refused(t, rule, () => prove(bytes, claim), `account ${at}`)
  }
})

t.test('no byte of the keys that the money goes through can be changed', async (t) => {
  const { claim, instructions } = CORPUS[0]!
  const bytes = serialize(instructions)
  const mine = tokenAddress(FROM, USDC)
  const programs = [COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM, JUPITER]
  for (const address of [FROM, WRAPPED, mine, WRAPPED_SOL_MINT, USDC, EVENT_AUTHORITY, ...programs]) {
    const keyAt = bytes.indexOf(decodeBase58(address, 32)!)
    const passed = Array.from({ length: 32 }, (_, i) => keyAt + i).filter((at) => {
      try {
        return prove(edited(bytes, at, bytes[at]! ^ 0x10), claim)
      } catch (error) {
        return (error as { code?: string }).code !== 'material_refused'
      }
    })
    t.same(passed, [], address)
  }
})

t.test('the address of an associated account is the one that web3.js finds', async () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(key, key, fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM), (owner, mint, program) => {
      const programKey = decodeBase58(program, 32)!
      const [expected] = PublicKey.findProgramAddressSync(
        [owner, programKey, mint],
        new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
      )
      return encodeBase58(associatedAddress(owner, mint, programKey)) === expected.toBase58()
    }),
    { numRuns: 50 },
  )
})

t.test("points off the curve match another implementation's", async () => {
  const isPoint = (bytes: Uint8Array): boolean => {
    try {
      return ed25519.Point.fromBytes(bytes, true) !== null
    } catch {
      return false
    }
  }
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const extreme = fc.tuple(fc.constantFrom(0, 255), bytes).map(([fill, some]) => {
    const made = new Uint8Array(32).fill(fill)
    made.set(some.subarray(0, 1), 0)
    made.set(some.subarray(1, 2), 31)
    return made
  })
  fc.assert(
    fc.property(fc.oneof(bytes, extreme), (candidate) => isOnCurve(candidate) === isPoint(candidate)),
    { numRuns: 300 },
  )
})

const budget = (kind: number, bytes: number): Composed => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.of(kind, ...new Array(bytes - 1).fill(0)),
})

const onToken2022 = (instruction: Composed): Composed => ({
  ...instruction,
  program: instruction.program === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : instruction.program,
  accounts: instruction.accounts.map((use) =>
    use.address === TOKEN_PROGRAM ? { ...use, address: TOKEN_2022_PROGRAM } : use,
  ),
})

function edited(bytes: Uint8Array, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = value
  return copy
}

/** Its second key signs too. */
function withSigner(bytes: Buffer): Buffer {
  const message = edited(bytes.subarray(65), 1, 2)
  return Buffer.concat([Uint8Array.of(2), new Uint8Array(128), message])
}

/** One table that loads one writable account; its count stands where the number of tables was 0. */
const LOOKUP_BYTES = 1 + 32 + 3

function withLookup(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Uint8Array.of(1), sha256('table'), Uint8Array.of(1, 7, 0)])
}

const NONCE = encodeBase58(sha256('nonce'))
const OTHER_NONCE = encodeBase58(sha256('other nonce'))

function advance(account = NONCE, authority = FROM, changes: Partial<Composed> = {}): Composed {
  return { ...advanceNonce(account, authority), ...changes }
}

t.test("an order's nonce is advanced first, once, and by the wallet alone", async (t) => {
  const instructions = [...limits, ...wrap, open(USDC), route(BUY), unwrap]
  const nonce = { account: NONCE, value: BLOCKHASH }
  const claim = { ...BUY, nonce }
  const proved = prove(serialize([advance(), ...instructions]), claim)
  t.match(proved, { nonce: { account: NONCE, value: BLOCKHASH }, expires: false })
  t.same(proved.checks, [...JUPITER_CHECKS, 'nonce'])
  t.ok(prove(serialize([advance(), ...instructions]), { ...BUY, nonce: { ...nonce, value: null } }))

  const [, sysvar, authority] = advance().accounts
  const account = use(NONCE, true)
  for (const [name, rule, list] of [
    ['none', 'nonce', instructions],
    ['after the budget', 'nonce', [...limits, advance(), ...instructions.slice(2)]],
    ['last', 'nonce', [...instructions, advance()]],
    ['twice', 'nonce', [advance(), advance(), ...instructions]],
    ['another account, too', 'system_instruction', [advance(), advance(OTHER_NONCE), ...instructions]],
    ['another account', 'nonce', [advance(OTHER_NONCE), ...instructions]],
    [
      'with a stranger in the place of the authority',
      'nonce',
      [advance(NONCE, FROM, { accounts: [account, sysvar!, use(STRANGER, false)] }), ...instructions],
    ],
    [
      'with another sysvar',
      'nonce',
      [advance(NONCE, FROM, { accounts: [account, use(STRANGER, false), authority!] }), ...instructions],
    ],
    [
      'with more data',
      'nonce',
      [advance(NONCE, FROM, { data: Uint8Array.of(4, 0, 0, 0, 0) }), ...instructions],
    ],
    ['withdrawn from', 'nonce', [advance(NONCE, FROM, { data: Uint8Array.of(5, 0, 0, 0) }), ...instructions]],
    [
      'named by the route',
      'nonce',
      [
        advance(),
        ...limits,
        ...wrap,
        open(USDC),
        { ...route(BUY), accounts: [...route(BUY).accounts, account] },
        unwrap,
      ],
    ],
  ] as const) {
    refused(t, rule, () => prove(serialize(list), claim), name)
  }
  const stale = { ...BUY, nonce: { ...nonce, value: OTHER_NONCE } }
  refused(t, 'nonce', () => prove(serialize([advance(), ...instructions]), stale), 'another value')
  refused(t, 'system_instruction', () => prove(serialize([advance(), ...instructions]), BUY), 'not ordered')
})

t.test('a cancellation advances the nonce, and does nothing else', async (t) => {
  const claim = { from: FROM, nonce: { account: NONCE, value: BLOCKHASH } }
  const cancel = (list: readonly Composed[], payer = FROM) =>
    proveCancel(Buffer.from(serialize(list, payer)).toString('base64'), claim, RULES)
  t.match(cancel([advance(), ...limits]), {
    checks: CANCEL_CHECKS,
    cancels: true,
    expires: false,
    nonce: { account: NONCE, value: BLOCKHASH },
    confirm: { spends: { token: null, atMost: 0n }, receives: null, atMostNativeFees: 0n },
  })
  t.ok(cancel([advance()]))
  for (const [name, rule, list] of [
    ['nothing', 'nonce', []],
    ['a budget alone', 'nonce', limits],
    ['budget first', 'nonce', [...limits, advance()]],
    ['another account', 'nonce', [advance(OTHER_NONCE)]],
    ['two', 'nonce', [advance(), advance()]],
    ['a transfer', 'program', [advance(), transferLamports(FROM, STRANGER, 1n)]],
    ['a new account', 'program', [advance(), open(USDC)]],
    ['a memo', 'program', [advance(), memo('x')]],
    ['a swap', 'program', [advance(), route(BUY)]],
    ['a price', 'compute_unit_price', [advance(), setComputeUnitPrice(1_000_001)]],
    ['a fee', 'priority_fee', [advance(), setComputeUnitPrice(2_000_000)]],
  ] as const) {
    const rules = rule === 'priority_fee' ? { maxComputeUnitPrice: 50_000_000n } : RULES
    const run = () => proveCancel(Buffer.from(serialize(list)).toString('base64'), claim, rules)
    refused(t, rule, run, name)
  }
  refused(t, 'fee_payer', () => cancel([advance(NONCE, STRANGER)], STRANGER), 'paid by a stranger')
})
