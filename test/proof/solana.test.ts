/**
 * What a wallet may be asked to sign. Material of every shape that passes is
 * accepted once, then spoiled in every way that the rules list.
 */

import { PublicKey } from '@solana/web3.js'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { proveSolana, SOLANA_CHECKS, type SolanaClaim, type SolanaRules } from '../../src/proof/solana.ts'
import { JUPITER_ROUTER } from '../../src/providers/swap/jupiter-wire.ts'
import { type Composed, composeMessage, unsigned } from '../../src/sandbox/solana/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../../src/sandbox/solana/instructions.ts'
import { associatedAddress } from '../../src/solana/associated.ts'
import { decodeBase58, encodeBase58 } from '../../src/solana/base58.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../src/solana/programs.ts'
import { MAX_TRANSACTION_BYTES } from '../../src/solana/wire.ts'
import { keypair, sha256 } from '../fixtures/transactions.ts'

const FROM = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const DESK = encodeBase58(keypair('desk').publicKey)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const BLOCKHASH = encodeBase58(sha256('blockhash'))
const AMOUNT = 250_000_000n
const PRICE = 331_600
const WRAPPED = tokenAddress(FROM, WRAPPED_SOL_MINT)

const LIVE: SolanaRules = {
  programs: [JUPITER_ROUTER],
  maxComputeUnitPrice: 1_000_000n,
  settlementAccounts: [],
}
const WITH_DESK: SolanaRules = { ...LIVE, programs: [], settlementAccounts: [STRANGER, DESK] }
const BUY: SolanaClaim = { from: FROM, spends: { mint: null, amount: AMOUNT } }
const SELL: SolanaClaim = { from: FROM, spends: { mint: USDC, amount: AMOUNT } }

const route: Composed = {
  program: JUPITER_ROUTER,
  accounts: [
    { address: FROM, isSigner: true, isWritable: true },
    { address: tokenAddress(FROM, USDC), isSigner: false, isWritable: true },
    { address: encodeBase58(sha256('pool')), isSigner: false, isWritable: true },
  ],
  data: sha256('route'),
}
const limits = [setComputeUnitLimit(214_880), setComputeUnitPrice(PRICE)]
const open = (mint: string) => createTokenAccount(FROM, FROM, mint)
const wrap = [open(WRAPPED_SOL_MINT), transferLamports(FROM, WRAPPED, AMOUNT), syncNative(WRAPPED)]
const unwrap = closeTokenAccount(WRAPPED, FROM)
const pay = (mint: string) => transferTokens(FROM, DESK, mint, AMOUNT, 6)

interface Material {
  readonly name: string
  readonly claim: SolanaClaim
  readonly rules: SolanaRules
  readonly instructions: readonly Composed[]
}

const CORPUS: readonly Material[] = [
  {
    name: 'SOL for a token, over the router',
    claim: BUY,
    rules: LIVE,
    instructions: [...limits, ...wrap, open(USDC), route, unwrap],
  },
  {
    name: 'a token for SOL, over the router',
    claim: SELL,
    rules: LIVE,
    instructions: [...limits, open(WRAPPED_SOL_MINT), route, unwrap],
  },
  {
    name: 'SOL for a token, to the desk',
    claim: BUY,
    rules: WITH_DESK,
    instructions: [...limits, open(USDC), ...wrap, pay(WRAPPED_SOL_MINT), unwrap],
  },
  {
    name: 'a token for SOL, to the desk',
    claim: SELL,
    rules: WITH_DESK,
    instructions: [...limits, pay(USDC), memo('swap')],
  },
]

const serialize = (instructions: readonly Composed[], payer = FROM): Buffer =>
  unsigned(composeMessage(payer, instructions, BLOCKHASH))

const prove = (bytes: Uint8Array, claim: SolanaClaim, rules: SolanaRules) =>
  proveSolana(Buffer.from(bytes).toString('base64'), claim, rules)

const refused = (t: Test, rule: string, run: () => unknown, name: string) =>
  t.throws(run, { name: 'GatewayError', code: 'material_refused', status: 502, fields: { rule } }, name)

t.test('material that does what was asked for is accepted, and the proof says what was seen', async (t) => {
  for (const { name, claim, rules, instructions } of CORPUS) {
    const bytes = serialize(instructions)
    t.same(
      prove(bytes, claim, rules),
      {
        checks: SOLANA_CHECKS,
        feePayer: FROM,
        bytes: bytes.length,
        programs: [...new Set(instructions.map(({ program }) => program))],
        computeUnitPrice: PRICE.toString(),
        lookupTables: [],
      },
      name,
    )
  }
})

t.test('what any swap may contain beside that is accepted', async (t) => {
  const { claim, rules, instructions } = CORPUS[0]!
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
    ['a closed account of Token-2022', onToken2022(closeTokenAccount(tokenAddress(FROM, USDT), FROM))],
  ]
  for (const [name, extra] of harmless) t.ok(prove(serialize([...instructions, extra]), claim, rules), name)
  const withTable = withLookup(serialize(instructions))
  t.same(prove(withTable, claim, rules).lookupTables, [encodeBase58(sha256('table'))])
  const legacy = Buffer.from(serialize(instructions))
  const asLegacy = Buffer.concat([legacy.subarray(0, 65), legacy.subarray(66, -1)])
  t.ok(prove(asLegacy, claim, rules), 'a legacy message')
  const free = instructions.filter((one) => one !== limits[1])
  t.equal(prove(serialize(free), claim, rules).computeUnitPrice, '0', 'no price at all')
})

t.test('bytes that are no transaction, or one that others sign, are refused', async (t) => {
  for (const { name, claim, rules, instructions } of CORPUS) {
    const bytes = serialize(instructions)
    const text = bytes.toString('base64')
    const spoiled: readonly (readonly [string, string, string])[] = [
      ['parse', 'no text', ''],
      ['parse', 'no base64', `${text.slice(0, -1)}!`],
      ['parse', 'the URL-safe alphabet', `${text.slice(0, -4)}-_-_`],
      ['parse', 'a byte too many', Buffer.concat([bytes, Uint8Array.of(0)]).toString('base64')],
      ['parse', 'a byte too few', bytes.subarray(0, -1).toString('base64')],
      ['parse', 'version 1', edited(bytes, 65, 0x81).toString('base64')],
      ['size', 'more than a packet', Buffer.alloc(MAX_TRANSACTION_BYTES + 1).toString('base64')],
      ['signers', 'two signers', withSigner(bytes).toString('base64')],
      ['fee_payer', 'another fee payer', edited(bytes, 70, bytes[70]! ^ 1).toString('base64')],
      ['unsigned', 'the first byte of a signature', edited(bytes, 1, 1).toString('base64')],
      ['unsigned', 'the last byte of a signature', edited(bytes, 64, 1).toString('base64')],
    ]
    for (const [rule, what, base64] of spoiled) {
      refused(t, rule, () => proveSolana(base64, claim, rules), `${name}: ${what}`)
    }
    refused(
      t,
      'fee_payer',
      () => prove(bytes, { ...claim, from: STRANGER }, rules),
      `${name}: another wallet`,
    )
    refused(t, 'fee_payer', () => prove(bytes, { ...claim, from: 'nobody' }, rules), `${name}: no wallet`)
  }
})

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
    ['program', 'another program', { ...route, program: STRANGER }],
    ['program', 'a program that is the wallet of the desk', { ...route, program: DESK }],
    ['compute_unit_price', 'a price above the cap', setComputeUnitPrice(1_000_001)],
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
    ['transfer_destination', 'SOL to the desk', transferLamports(FROM, DESK, 1n)],
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
    ['transfer_amount', 'one lamport more than was asked for', transferLamports(FROM, WRAPPED, AMOUNT + 1n)],
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
    ['close_destination', "a stranger's signature in the close", token([9], WRAPPED, FROM, STRANGER)],
    ['close_destination', 'a multisig close', token([9], WRAPPED, FROM, FROM, STRANGER)],
  ]
  for (const { name, claim, rules, instructions } of CORPUS) {
    for (const [rule, what, instruction] of hostile) {
      // What comes first is tried first: a rule must hold wherever its instruction stands.
      for (const spoiled of [
        [instruction, ...instructions],
        [...instructions, instruction],
      ]) {
        const expected =
          what === 'one lamport more than was asked for' && claim === SELL ? 'transfer_amount' : rule
        refused(t, expected, () => prove(serialize(spoiled), claim, rules), `${name}: ${what}`)
      }
    }
    const once = transferLamports(FROM, WRAPPED, 1n)
    refused(
      t,
      'transfer_amount',
      () => prove(serialize([...instructions, ...(claim === BUY ? [once] : [once, once])]), claim, rules),
      `${name}: one lamport on top`,
    )
    const idle = instructions.filter((one) => one !== route && one.data[0] !== 12)
    refused(t, 'route', () => prove(serialize(idle), claim, rules), `${name}: nothing is swapped`)
  }
})

t.test('an account from a lookup table is nobody that could be proved', async (t) => {
  const { claim, rules, instructions } = CORPUS[0]!
  const looked = (instruction: Composed, at: number): Buffer => {
    const bytes = withLookup(serialize([...instructions, instruction]))
    const keys = bytes[69]!
    // The last instruction's accounts stand before its data and the lookups.
    const accountsAt = bytes.length - LOOKUP_BYTES - instruction.data.length - 1 - instruction.accounts.length
    return edited(bytes, accountsAt + at, keys)
  }
  refused(
    t,
    'transfer_destination',
    () => prove(looked(transferLamports(FROM, WRAPPED, 0n), 1), claim, rules),
    'a transfer',
  )
  refused(t, 'associated_account', () => prove(looked(open(USDC), 2), claim, rules), 'an owner')
  refused(t, 'close_destination', () => prove(looked(unwrap, 1), claim, rules), 'a close')
})

t.test('only a provider with settlement accounts is paid by a transfer, and only there', async (t) => {
  for (const { name, claim, rules, instructions } of CORPUS.slice(2)) {
    const bytes = serialize(instructions)
    refused(t, 'token_instruction', () => prove(bytes, claim, LIVE), `${name}: live`)
    const elsewhere = { ...rules, settlementAccounts: [FROM, STRANGER] }
    refused(t, 'transfer_destination', () => prove(bytes, claim, elsewhere), `${name}: another desk`)
    const less = { ...claim, spends: { ...claim.spends, amount: AMOUNT - 1n } }
    refused(t, 'transfer_amount', () => prove(bytes, less, rules), `${name}: one unit too much`)
    const own = claim.spends.mint ?? WRAPPED_SOL_MINT
    const again = transferTokens(FROM, DESK, own, 1n, 6)
    refused(
      t,
      'transfer_amount',
      () => prove(serialize([...instructions, again]), claim, rules),
      `${name}: twice`,
    )
    const other = transferTokens(FROM, DESK, USDT, 1n, 6)
    refused(
      t,
      'transfer_destination',
      () => prove(serialize([...instructions, other]), claim, rules),
      `${name}: another token`,
    )
    const mislabelled = {
      ...again,
      accounts: again.accounts.with(1, { ...again.accounts[1]!, address: USDT }),
    }
    refused(
      t,
      'transfer_destination',
      () => prove(serialize([...instructions, mislabelled]), claim, rules),
      `${name}: another mint`,
    )
    const longer = { ...again, accounts: [...again.accounts, again.accounts[0]!] }
    refused(
      t,
      'token_instruction',
      () => prove(serialize([...instructions, longer]), claim, rules),
      `${name}: an account too many`,
    )
  }
})

t.test('no byte of the keys that the money goes through can be changed', async (t) => {
  const { claim, rules, instructions } = CORPUS[2]!
  const bytes = serialize(instructions)
  const desk = tokenAddress(DESK, WRAPPED_SOL_MINT)
  const programs = [COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM]
  for (const address of [FROM, WRAPPED, desk, WRAPPED_SOL_MINT, ...programs]) {
    const keyAt = bytes.indexOf(decodeBase58(address, 32)!)
    const passed = Array.from({ length: 32 }, (_, i) => keyAt + i).filter((at) => {
      try {
        return prove(edited(bytes, at, bytes[at]! ^ 0x10), claim, rules)
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
