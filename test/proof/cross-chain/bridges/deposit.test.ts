import t from 'tap'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../../src/chains/solana/programs.ts'
import type { SolanaCall } from '../../../../src/proof/cross-chain/bridges/call.ts'
import { Deposited } from '../../../../src/proof/cross-chain/bridges/deposit.ts'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const FROM = 0
/** The indexes of the bridge's account, its owner, the wallet's own tokens and a stranger. */
const [ACCOUNT, OWNER, SOURCE, STRANGER, MINT] = [3, 4, 5, 6, 7]
const AMOUNT = 1_000_000n

const amount = (value = AMOUNT): number[] => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return [...bytes]
}
const TRANSFER = [3, ...amount()]
const CHECKED = [12, ...amount(), 6]
const LAMPORTS = [2, 0, 0, 0, ...amount()]
/** The associated account of the bridge: payer, account, owner, mint, System, token program. */
const OPENED = [FROM, ACCOUNT, OWNER, MINT, 8, 9]

function callOf(
  program: string | null,
  accounts: readonly number[],
  data: readonly number[],
  mint = USDC,
): SolanaCall {
  return {
    program,
    instruction: { programIndex: 1, accounts: Uint8Array.from(accounts), data: Uint8Array.from(data) },
    at: (index) => (accounts[index] === MINT ? mint : null),
  }
}
const depositOf = (mint = USDC) => new Deposited({ account: ACCOUNT, owner: OWNER, atLeast: 0n }, mint)
const refused = { code: 'material_refused', fields: { rule: 'deposit' } }

t.test('what the wallet sends to the account is added up, by every kind of transfer', async (t) => {
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    const deposit = depositOf()
    t.ok(deposit.take(callOf(program, [SOURCE, ACCOUNT, FROM], TRANSFER)))
    t.ok(deposit.take(callOf(program, [SOURCE, MINT, ACCOUNT, FROM], CHECKED)))
    t.equal(deposit.amount, 2n * AMOUNT)
  }
  const deposit = depositOf(WRAPPED_SOL_MINT)
  t.ok(deposit.take(callOf(SYSTEM_PROGRAM, [FROM, ACCOUNT], LAMPORTS)))
  t.ok(deposit.take(callOf(TOKEN_PROGRAM, [ACCOUNT], [17])), 'which makes tokens of the lamports')
  t.equal(deposit.amount, AMOUNT)
})

t.test('the account is opened for its owner, at the expense of the wallet', async (t) => {
  const deposit = depositOf()
  for (const data of [[], [0], [1]]) {
    for (const accounts of [OPENED, [...OPENED, 10]]) {
      t.ok(deposit.take(callOf(ASSOCIATED_TOKEN_PROGRAM, accounts, data)))
    }
  }
  t.equal(deposit.opened, 6)
  t.equal(deposit.amount, 0n)
  t.ok(
    depositOf(BONK).take(callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED.with(3, STRANGER), [])),
    'a mint looked up',
  )
})

t.test('what concerns other accounts is left to other rules', async (t) => {
  const deposit = depositOf()
  const others: readonly SolanaCall[] = [
    callOf(TOKEN_PROGRAM, [SOURCE, STRANGER, FROM], TRANSFER),
    callOf(TOKEN_PROGRAM, [SOURCE, MINT, STRANGER, FROM], CHECKED),
    callOf(TOKEN_PROGRAM, [ACCOUNT, STRANGER, FROM], TRANSFER),
    callOf(TOKEN_PROGRAM, [STRANGER], [17]),
    callOf(TOKEN_PROGRAM, [ACCOUNT, STRANGER], [17]),
    callOf(TOKEN_PROGRAM, [ACCOUNT], [17, 0]),
    callOf(TOKEN_PROGRAM, [SOURCE, ACCOUNT, FROM], [...TRANSFER, 0]),
    callOf(TOKEN_PROGRAM, [SOURCE, ACCOUNT, FROM, FROM], TRANSFER),
    callOf(TOKEN_PROGRAM, [SOURCE, MINT, ACCOUNT, FROM], CHECKED.slice(0, -1)),
    callOf(TOKEN_PROGRAM, [SOURCE, MINT, ACCOUNT, FROM, FROM], CHECKED),
    callOf(TOKEN_PROGRAM, [SOURCE, ACCOUNT, FROM], [4, ...amount()]),
    callOf(SYSTEM_PROGRAM, [FROM, STRANGER], LAMPORTS),
    callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED.with(1, STRANGER), []),
    callOf(MEMO_PROGRAM, [SOURCE, ACCOUNT, FROM], TRANSFER),
    callOf(null, [SOURCE, ACCOUNT, FROM], TRANSFER),
  ]
  for (const [i, other] of others.entries()) t.notOk(deposit.take(other), `${i}`)
  t.same([deposit.amount, deposit.opened], [0n, 0])
})

t.test('other changes of the account, or by another authority, are refused', async (t) => {
  const hostile: readonly (readonly [string, SolanaCall, mint?: string])[] = [
    ['by a stranger', callOf(TOKEN_PROGRAM, [SOURCE, ACCOUNT, STRANGER], TRANSFER)],
    ['by the owner', callOf(TOKEN_PROGRAM, [SOURCE, ACCOUNT, OWNER], TRANSFER)],
    ['by a stranger, checked', callOf(TOKEN_2022_PROGRAM, [SOURCE, MINT, ACCOUNT, STRANGER], CHECKED)],
    ['lamports of a stranger', callOf(SYSTEM_PROGRAM, [STRANGER, ACCOUNT], LAMPORTS), WRAPPED_SOL_MINT],
    [
      'lamports with a third account',
      callOf(SYSTEM_PROGRAM, [FROM, ACCOUNT, OWNER], LAMPORTS),
      WRAPPED_SOL_MINT,
    ],
    ['lamports for tokens', callOf(SYSTEM_PROGRAM, [FROM, ACCOUNT], LAMPORTS)],
    ['another instruction', callOf(SYSTEM_PROGRAM, [FROM, ACCOUNT], LAMPORTS.with(0, 1)), WRAPPED_SOL_MINT],
    ['a longer one', callOf(SYSTEM_PROGRAM, [FROM, ACCOUNT], [...LAMPORTS, 0]), WRAPPED_SOL_MINT],
    ['opened by a stranger', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED.with(0, STRANGER), [])],
    ['opened for a stranger', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED.with(2, STRANGER), [])],
    ['opened for another mint', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED, [], BONK)],
    ['recovered', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED, [2])],
    ['opened with more data', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED, [0, 0])],
    ['opened with too few accounts', callOf(ASSOCIATED_TOKEN_PROGRAM, OPENED.slice(0, 5), [])],
    ['opened with too many', callOf(ASSOCIATED_TOKEN_PROGRAM, [...OPENED, 10, 11], [])],
  ]
  for (const [what, call, mint] of hostile) {
    const deposit = depositOf(mint)
    t.throws(() => deposit.take(call), refused, what)
    t.same([deposit.amount, deposit.opened], [0n, 0], what)
  }
})
