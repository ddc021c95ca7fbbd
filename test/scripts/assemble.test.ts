/** The assembler, by what the virtual machine makes of its files. */
import t from 'tap'
import { assemble, murmur3 } from '../../scripts/sbpf/assemble.ts'
import { builtPrograms } from '../../scripts/sbpf/programs.ts'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { composeMessage, unsigned } from '../../src/sandbox/solana/ledger/compose.ts'
import { openTransaction } from '../../src/sandbox/solana/ledger/transaction.ts'
import { startSolanaSandbox } from '../../src/sandbox/solana/server.ts'
import programs from '../../src/sandbox/swap/programs.json' with { type: 'json' }
import { keypair, sha256 } from '../fixtures/transactions.ts'

t.test('system calls have the names that the machine knows', async (t) => {
  // As anza-xyz/sbpf registers them.
  t.equal(murmur3('abort'), 0xb6fc1a11)
  t.equal(murmur3('sol_log_'), 0x207559bd)
})

t.test('the sandbox holds what its listings say: else run scripts/sandbox-programs.ts', async (t) => {
  t.same(programs, builtPrograms())
})

t.test('a listing that cannot be read is refused by its line', async (t) => {
  for (const line of ['jump r1', 'mov r11, 1', 'mov r1, x', 'ldxb r1, r2', 'ja nowhere', 'lddw 1, 2']) {
    t.throws(() => assemble(line), { name: 'SyntaxError', message: /no such instruction/ }, line)
  }
})

t.test('programs run, and say what they computed', async (t) => {
  const { bank, close } = await startSolanaSandbox({ now: () => 0 })
  t.teardown(() => close())
  const wallet = keypair('wallet').publicKey
  bank.vm.endow(wallet, 1_000_000_000n)
  const blockhash = () => bank.slots.latestBlockhash('confirmed').blockhash
  const cases: readonly (readonly [string, string])[] = [
    ['mov r0, 7\nexit', '0x7'],
    ['mov r0, 6\nadd r0, -2\nmul r0, 8\ndiv r0, 2\nexit', '0x10'],
    ['lddw r0, 0x1122334455667788\nmov r1, 0xff\nand r0, r1\nexit', '0x88'],
    ['ja over\nmov r0, 1\nexit\nover: mov r0, 2\nlsh r0, 3\nexit', '0x10'],
    ['mov r0, 513\nstxh [r10-8], r0\nldxb r0, [r10-7]\nexit ; the upper byte', '0x2'],
    ['mov r6, 3\nmov r0, 0\nloop: jeq r6, 0, done\nadd r0, r6\nadd r6, -1\nja loop\ndone: exit', '0x6'],
    ['mov r1, 20\ncall half\nexit\nhalf: div r1, 2\nmov r0, r1\nexit', '0xa'],
  ]
  for (const [i, [listing, code]] of cases.entries()) {
    const program = sha256(`program ${i}`)
    bank.vm.addProgram(program, assemble(listing))
    const instruction = { program: encodeBase58(program), accounts: [], data: new Uint8Array(0) }
    const bytes = unsigned(composeMessage(encodeBase58(wallet), [instruction], blockhash()))
    const rules = { verifySignatures: false, blockhashSeenAt: null }
    const { verdict } = bank.simulate(openTransaction(bytes), rules)
    t.ok(verdict.logs.at(-1)?.endsWith(`custom program error: ${code}`), `${verdict.logs.at(-1)}`)
  }
})
