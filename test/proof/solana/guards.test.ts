/** What guards prove, executed in LiteSVM: tokens of both programs, with fees and hooks on transfers. */
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { withInstructions } from '../../../src/chains/solana/decompile.ts'
import type { InstructionParts } from '../../../src/chains/solana/message.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { Guards } from '../../../src/proof/solana/guards.ts'
import { composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  memo,
  readonly,
  signer,
  u32,
  u64,
  writable,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { Vm } from '../../../src/sandbox/solana/ledger/vm.ts'
import { keypair } from '../../fixtures/transactions.ts'

const [ME, THIEF, MINT, ACCOUNT] = ['me', 'thief', 'mint', 'account'].map((name) =>
  encodeBase58(keypair(name).publicKey),
) as readonly string[] as readonly [string, string, string, string]
const key = (address: string) => decodeBase58(address, 32)!
const HELD = 1_000n

const extension = (type: number, ...parts: Uint8Array[]) => {
  const value = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(type, 0, value.length, 0), value])
}
const FEE = Buffer.concat([u64(0n), u64(10n ** 15n), Buffer.of(100, 0)])
/** By name: the program, and the extensions of a mint and of an account. */
const KINDS: Readonly<Record<string, readonly [string, Uint8Array?, Uint8Array?]>> = {
  Token: [TOKEN_PROGRAM],
  'Token-2022': [TOKEN_2022_PROGRAM],
  'Token-2022, with a fee': [
    TOKEN_2022_PROGRAM,
    extension(1, key(THIEF), key(THIEF), u64(0n), FEE, FEE),
    extension(2, u64(0n)),
  ],
  'Token-2022, with a hook': [
    TOKEN_2022_PROGRAM,
    extension(14, key(THIEF), key(THIEF)),
    extension(15, Buffer.of(0)),
  ],
}

t.test('a transfer to itself moves nothing, and fails for an account that is not as expected', async (t) => {
  const vm = await Vm.load()
  const blockhash = vm.nextBlockhash()
  for (const owner of [ME, THIEF]) vm.endow(key(owner), 10n ** 10n)
  for (const [kind, [program, ofMint, ofAccount]] of Object.entries(KINDS)) {
    const mint = Buffer.alloc(82)
    mint.writeBigUInt64LE(10n ** 15n, 36)
    mint.set([6, 1], 44)
    const account = Buffer.alloc(165)
    account.set(key(MINT), 0)
    account.set(key(ME), 32)
    account.writeBigUInt64LE(HELD, 64)
    account[108] = 1
    const withMore = (base: Buffer, type: number, more?: Uint8Array) =>
      more === undefined
        ? base
        : Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.of(type), more])
    vm.place(key(MINT), { lamports: 10n ** 9n, data: withMore(mint, 1, ofMint), owner: key(program) })
    vm.place(key(ACCOUNT), {
      lamports: 10n ** 9n,
      data: withMore(account, 2, ofAccount),
      owner: key(program),
    })

    const by = (...data: Uint8Array[]): InstructionParts => ({
      program,
      accounts: [writable(ACCOUNT), signer(ME)],
      data: Buffer.concat(data),
    })
    const checked = (amount: bigint): InstructionParts => ({
      program,
      accounts: [writable(ACCOUNT), readonly(MINT), writable(ACCOUNT), signer(ME)],
      data: Buffer.concat([Buffer.of(12), u64(amount), Buffer.of(6)]),
    })
    const revoke = by(Buffer.of(5))
    const closable = by(Buffer.of(6, 3, 0))
    const guards = (amount: bigint) => [revoke, checked(amount), closable]
    const outcome = (...instructions: InstructionParts[]) => {
      const transaction = unsigned(composeMessage(ME, instructions, blockhash))
      const { failure, postAccounts } = vm.simulate(transaction, { signatures: false, blockhash: false })
      const after = postAccounts.find(({ address }) => encodeBase58(address) === ACCOUNT)
      return failure === null ? Buffer.from(after!.account.data) : null
    }
    const after = outcome(...guards(HELD))
    t.same(after?.subarray(0, 165), account, `${kind}: nothing changes`)
    t.ok(outcome(...guards(0n)), `${kind}: less is demanded`)
    t.equal(outcome(...guards(HELD + 1n)), null, `${kind}: more is demanded`)
    t.equal(outcome(by(Buffer.of(6, 2, 1), key(THIEF)), ...guards(0n)), null, `${kind}: another owner`)
    t.equal(outcome(by(Buffer.of(6, 3, 1), key(THIEF)), ...guards(0n)), null, `${kind}: a close authority`)
    const approve = {
      ...by(Buffer.of(4), u64(1n)),
      accounts: [writable(ACCOUNT), readonly(THIEF), signer(ME)],
    }
    t.equal(outcome(approve, ...guards(0n))?.readUInt32LE(72), 0, `${kind}: a delegate is gone`)

    // A new owner makes the wallet its delegate, who may transfer.
    account.set(key(THIEF), 32)
    account.writeUInt32LE(1, 72)
    account.set(key(ME), 76)
    account.writeBigUInt64LE(HELD, 121)
    vm.place(key(ACCOUNT), {
      lamports: 10n ** 9n,
      data: withMore(account, 2, ofAccount),
      owner: key(program),
    })
    t.ok(outcome(checked(HELD)), `${kind}: a delegate may transfer`)
    t.equal(outcome(revoke, checked(HELD)), null, `${kind}: and not after a revocation`)
  }
})

t.test('a transfer of lamports to itself shows what the wallet holds, and who owns it', async (t) => {
  const vm = await Vm.load()
  const blockhash = vm.nextBlockhash()
  vm.endow(key(ME), 1_000_000n)
  const pay = (lamports: bigint): InstructionParts => ({
    program: SYSTEM_PROGRAM,
    accounts: [signer(ME), writable(ME)],
    data: Buffer.concat([u32(2), u64(lamports)]),
  })
  const assign = {
    program: SYSTEM_PROGRAM,
    accounts: [signer(ME)],
    data: Buffer.concat([u32(1), key(TOKEN_PROGRAM)]),
  }
  const fails = (...instructions: InstructionParts[]) => {
    const transaction = unsigned(composeMessage(ME, instructions, blockhash))
    return vm.simulate(transaction, { signatures: false, blockhash: false }).failure !== null
  }
  t.notOk(fails(pay(995_000n)), 'what the fee leaves')
  t.ok(fails(pay(995_001n)))
  t.ok(fails(assign, pay(1n)), 'another owner')
  t.notOk(fails(assign, pay(0n)), 'which a transfer of nothing does not show')
})

t.test('nothing else is taken for a guard', async (t) => {
  const FROM = 0
  const token = (data: readonly number[], accounts: readonly number[], program: string = TOKEN_PROGRAM) =>
    new Guards().take(program, {
      programIndex: 9,
      accounts: Uint8Array.from(accounts),
      data: Uint8Array.from(data),
    })
  const amount = [1, 0, 0, 0, 0, 0, 0, 0]
  t.ok(token([3, ...amount], [4, 4, FROM]))
  t.ok(token([12, ...amount, 6], [4, 7, 4, FROM], TOKEN_2022_PROGRAM))
  t.ok(token([5], [4, FROM]))
  t.ok(token([6, 3, 0], [4, FROM]))
  t.ok(token([2, 0, 0, 0, ...amount], [FROM, FROM], SYSTEM_PROGRAM))
  for (const [what, ...asked] of [
    ['a transfer to another account', [3, ...amount], [4, 5, FROM]],
    ['a checked one', [12, ...amount, 6], [4, 7, 5, FROM]],
    ['by somebody else', [3, ...amount], [4, 4, 1]],
    ['with more accounts', [3, ...amount], [4, 4, FROM, FROM]],
    ['with a longer amount', [3, ...amount, 0], [4, 4, FROM]],
    ['of the wallet itself', [3, ...amount], [FROM, FROM, FROM]],
    ['a new close authority', [6, 3, 1, ...new Array(32).fill(7)], [4, FROM]],
    ['another authority', [6, 2, 0], [4, FROM]],
    ['an approval', [4, ...amount], [4, 5, FROM]],
    ['a closing', [9], [4, FROM, FROM]],
    ['of another program', [5], [4, FROM], MINT],
    ['a payment', [2, 0, 0, 0, ...amount], [FROM, 1], SYSTEM_PROGRAM],
    ['an assignment', [1, 0, 0, 0, ...amount], [FROM, FROM], SYSTEM_PROGRAM],
  ] as const)
    t.notOk(token(...(asked as unknown as Parameters<typeof token>)), what)

  const guards = new Guards()
  const on = (data: readonly number[], ...accounts: number[]) =>
    guards.take(TOKEN_PROGRAM, {
      programIndex: 9,
      accounts: Uint8Array.from(accounts),
      data: Uint8Array.from(data),
    })
  on([5], 4, FROM)
  t.throws(
    () => guards.close(),
    { code: 'material_refused', fields: { rule: 'token_instruction' } },
    'an account that is not shown to be its own',
  )
  on([3, ...amount], 4, 4, FROM)
  t.doesNotThrow(() => guards.close())
})

t.test('a transaction is compiled again with more at its end', async (t) => {
  const table = encodeBase58(keypair('table').publicKey)
  const others = Array.from({ length: 3 }, (_, i) => keypair(`other ${i}`).publicKey)
  const message = composeMessage(ME, [memo('one')], encodeBase58(new Uint8Array(32).fill(7)))
  const wire = new WireTransaction()
  t.equal(wire.parse(unsigned(message)), null)
  const bytes = withInstructions(wire, new Map([[table, others]]), [
    { program: SYSTEM_PROGRAM, accounts: [signer(ME), writable(ME)], data: Buffer.alloc(12, 2) },
  ])!
  const again = new WireTransaction()
  t.equal(again.parse(bytes), null)
  t.same(
    again.instructions().map(({ programIndex }) => encodeBase58(again.key(programIndex))),
    [encodeBase58(wire.key(wire.instructions()[0]!.programIndex)), SYSTEM_PROGRAM],
  )
  t.same(again.blockhash(), wire.blockhash())
  t.equal(again.lookupCount, 0, 'a table that is not used is not named')
})
