import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { durableNonceOf, readNonce } from '../../../src/chains/solana/nonce.ts'
import { SYSTEM_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { nonceData } from '../../fixtures/nonces.ts'
import {
  DESTINATION,
  type DraftInstruction,
  serialize,
  sha256,
  transfer,
} from '../../fixtures/transactions.ts'

/** The keys of `transfer` are the payer, the destination and the system program. */
const SYSTEM = 2
const ADVANCE = [4, 0, 0, 0]

const isDurableNonce = (wire: WireTransaction) => durableNonceOf(wire) !== null

function wireOf(instructions: readonly DraftInstruction[], changes = {}): WireTransaction {
  const wire = new WireTransaction()
  const refusal = wire.parse(serialize(transfer({ instructions, ...changes })))
  if (refusal !== null) throw new Error(refusal)
  return wire
}
const instruction = (data: readonly number[], program = SYSTEM): DraftInstruction => ({
  program,
  accounts: [1, 0],
  data: Uint8Array.from(data),
})

t.test('a transaction is durable where its first instruction advances a nonce', async (t) => {
  t.ok(isDurableNonce(wireOf([instruction(ADVANCE)])))
  t.ok(isDurableNonce(wireOf([instruction(ADVANCE), instruction([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])])))
  t.ok(isDurableNonce(wireOf([instruction([...ADVANCE, 9])])), 'what follows is not read')
  t.notOk(isDurableNonce(wireOf([])))
  t.notOk(isDurableNonce(wireOf([instruction([2, 0, 0, 0]), instruction(ADVANCE)])), 'the first decides')
})

t.test('the kind of instruction is four bytes, and each of them counts', async (t) => {
  for (const at of ADVANCE.keys()) {
    const data = ADVANCE.with(at, ADVANCE[at]! + 1)
    t.notOk(isDurableNonce(wireOf([instruction(data)])), `byte ${at}`)
  }
  for (const length of [0, 1, 2, 3]) {
    t.notOk(isDurableNonce(wireOf([instruction(ADVANCE.slice(0, length))])), `${length} bytes`)
  }
})

t.test('another program advances nothing, however near its key is to zero', async (t) => {
  for (const at of [0, 31]) {
    const program = new Uint8Array(32)
    program[at] = 1
    const wire = wireOf([instruction(ADVANCE)], { others: [DESTINATION, program] })
    t.notOk(isDurableNonce(wire), `byte ${at}`)
  }
  const wire = wireOf([instruction(ADVANCE)], { others: [DESTINATION, sha256('program')] })
  t.notOk(isDurableNonce(wire))
})

t.test('an account is read as what the System program takes it for', async (t) => {
  const [authority, value] = [sha256('authority'), sha256('value')]
  const read = (changes: Parameters<typeof nonceData>[0] = {}, owner = SYSTEM_PROGRAM) =>
    readNonce(owner, nonceData({ authority, value, ...changes }))
  t.same(read(), { authority: encodeBase58(authority), value: encodeBase58(value) })
  t.equal(read({ state: 0 }), 'uninitialized')
  t.equal(read({ version: 0 }), 'old')
  t.equal(read({ version: 0, state: 0 }), 'uninitialized')
  t.equal(read({ version: 2 }), 'foreign')
  t.equal(read({ state: 2 }), 'foreign')
  t.equal(read({}, encodeBase58(sha256('program'))), 'foreign')
  for (const length of [0, 79, 81]) t.equal(readNonce(SYSTEM_PROGRAM, new Uint8Array(length)), 'foreign')
})
