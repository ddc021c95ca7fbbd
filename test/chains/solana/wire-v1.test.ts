/** The parser on version 1: the edges of each rule, what breaks each one, and a second reading of mutants. */

import assert from 'node:assert/strict'
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { durableNonceOf } from '../../../src/chains/solana/nonce.ts'
import type { WireRefusal } from '../../../src/chains/solana/refusals.ts'
import { createVerifier } from '../../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { configOf } from '../../../src/chains/solana/wire-v1.ts'
import { SignatureChecker } from '../../../src/relay/submissions/signatures.ts'
import { Vm } from '../../../src/sandbox/solana/ledger/vm.ts'
import { compareMutants } from '../../fixtures/mutants-v1.ts'
import {
  DESTINATION,
  type DraftInstruction,
  keypair,
  PAYER,
  SECOND,
  SYSTEM_PROGRAM,
  serialize,
  sha256,
  transfer,
  transferV0,
} from '../../fixtures/transactions.ts'
import { type DraftV1, messageV1, readV1, serializeV1, transferV1 } from '../../fixtures/transactions-v1.ts'

const MUTANTS = 400

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
const [instruction] = transferV1().instructions
const calls = (changes: Partial<DraftInstruction>, count = 1): DraftInstruction[] =>
  Array(count).fill({ ...instruction!, ...changes })
const signers = range(0, 13).map((i) => keypair(`edge ${i}`))
const keys = range(0, 64).map((i) => sha256(`key ${i}`))
/** A transfer whose data make it this long. */
const longV1 = (bytes: number): Uint8Array => {
  const room = bytes - serializeV1(transferV1({ instructions: calls({ data: new Uint8Array(0) }) })).length
  return serializeV1(transferV1({ instructions: calls({ data: new Uint8Array(room) }) }))
}

t.test('a transfer parses into its fields, which are views of the input', async (t) => {
  const draft = transferV1({
    signers: [PAYER, SECOND],
    readonlySigned: 1,
    mask: 31,
    values: [7, 1, 2, 3, 65_536],
  })
  const bytes = serializeV1(draft)
  const wire = new WireTransaction()
  t.equal(wire.parse(bytes), null)
  t.match(wire, {
    version: 1,
    signatureCount: 2,
    requiredSignatures: 2,
    readonlySigned: 1,
    readonlyUnsigned: 1,
    keyCount: 4,
    accountCount: 4,
    instructionCount: 1,
    lookupCount: 0,
  })
  t.same(
    range(0, 4).map((i) => wire.key(i)),
    [PAYER.publicKey, SECOND.publicKey, DESTINATION, SYSTEM_PROGRAM],
  )
  t.same(wire.blockhash(), sha256('blockhash'))
  t.same(wire.message(), messageV1(draft))
  t.same(wire.signature(1), bytes.subarray(-64))
  t.same(wire.instructions(), [{ programIndex: 2, accounts: Uint8Array.of(0, 1), data: instruction!.data }])
  t.same(wire.lookups(), [])
  t.same(configOf(wire), {
    priorityFee: (1n << 32n) + 7n,
    computeUnitLimit: 2,
    loadedAccountsDataSizeLimit: 3,
    heapSize: 65_536,
  })
  for (const view of [wire.key(0), wire.message(), wire.signature(0), wire.instructions()[0]!.data]) {
    t.equal(view.buffer, bytes.buffer)
  }
})

t.test('what stands on the edge of a rule is accepted, and kit reads the same in it', async (t) => {
  const accepted: [string, DraftV1][] = [
    ['a transfer', transferV1()],
    ['no config', transferV1({ mask: 0, values: [] })],
    ['a heap alone', transferV1({ mask: 16, values: [32_768] })],
    ['the largest heap', transferV1({ mask: 20, values: [1, 262_144] })],
    ['a priority fee alone', transferV1({ mask: 3, values: [1, 0] })],
    [
      'R6: twelve signers',
      transferV1({ signers: signers.slice(0, 12), others: [], readonlyUnsigned: 0, instructions: [] }),
    ],
    ['R10: the payer alone is writable', transferV1({ signers: [PAYER, SECOND], readonlySigned: 1 })],
    ['R11: all but the payer read-only', transferV1({ readonlyUnsigned: 2 })],
    ['R12: one key', transferV1({ others: [], readonlyUnsigned: 0, instructions: [] })],
    ['R12: 64 keys', transferV1({ others: keys.slice(0, 63), instructions: [] })],
    ['R14: the last key as program', transferV1({ instructions: calls({ program: 2 }) })],
    ['R15: the last key as account', transferV1({ instructions: calls({ accounts: [2] }) })],
    ['R16: 64 instructions', transferV1({ instructions: calls({ data: Uint8Array.of(1) }, 64) })],
    ['R17: 255 accounts', transferV1({ instructions: calls({ accounts: Array(255).fill(1) }) })],
    ['R25: no instruction', transferV1({ instructions: [] })],
  ]
  const wire = new WireTransaction()
  for (const [name, draft] of accepted) {
    const bytes = serializeV1(draft)
    t.equal(wire.parse(bytes, 4_096), null, name)
    t.not(readV1(bytes, 4_096), null, `${name}, by the second reading`)
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    t.same(messageBytes, wire.message(), name)
    t.same(
      Object.keys(signatures),
      draft.signers.map(({ publicKey }) => encodeBase58(publicKey)),
      name,
    )
    t.match(message, { version: 1, configMask: draft.mask, numInstructions: draft.instructions.length }, name)
  }
})

t.test('one mutation breaks one rule, and the refusal names it', async (t) => {
  const header = (...counts: [number, number, number]) => ({ instead: { header: counts } })
  const config = (mask: number, ...values: number[]) => transferV1({ mask, values })
  const refused: [WireRefusal, string, DraftV1][] = [
    [
      'signature_count_invalid',
      'R6: none',
      transferV1({ signers: [], others: [PAYER.publicKey, ...keys.slice(0, 2)] }),
    ],
    ['signature_count_invalid', 'R6: 13', transferV1({ signers, others: [], instructions: [] })],
    ['fee_payer_readonly', 'R10: the payer', transferV1({ readonlySigned: 1 })],
    ['fee_payer_readonly', 'R10: 255', transferV1({ readonlySigned: 255 })],
    ['header_out_of_range', 'R11: one too many', transferV1({ readonlyUnsigned: 3 })],
    ['header_out_of_range', 'R11: 255', transferV1({ readonlyUnsigned: 255 })],
    [
      'header_out_of_range',
      'R11: three signers, two keys',
      transferV1({
        signers: [PAYER, SECOND],
        others: [],
        readonlyUnsigned: 0,
        instructions: [],
        instead: { header: [3, 0, 0], tail: Array(64).fill(1) },
      }),
    ],
    ['config_mask_invalid', 'bit 0 alone', config(0b00101, 1, 2)],
    ['config_mask_invalid', 'bit 1 alone', config(0b00110, 1, 2)],
    ['config_mask_invalid', 'bit 5', config(0b100100, 1, 2)],
    ['config_mask_invalid', 'bit 31', config(2 ** 31, 1)],
    ['heap_size_invalid', 'too small', config(0b10000, 31_744)],
    ['heap_size_invalid', 'too large', config(0b10000, 263_168)],
    ['heap_size_invalid', 'no multiple', config(0b10100, 1, 32_769)],
    ['account_count_invalid', 'R12: none', transferV1({ instead: { keyCount: 0 } })],
    ['account_count_invalid', 'R12: 65', transferV1({ others: keys, instructions: [] })],
    ['too_many_instructions', 'R16', transferV1({ instructions: calls({ data: Uint8Array.of(1) }, 65) })],
    ['program_is_fee_payer', 'R13', transferV1({ instructions: calls({ program: 0 }) })],
    ['program_index_out_of_range', 'R14', transferV1({ instructions: calls({ program: 3 }) })],
    ['account_index_out_of_range', 'R15', transferV1({ instructions: calls({ accounts: [0, 3] }) })],
    ['trailing_bytes', 'R21', transferV1({ instead: { tail: [0] } })],
    ['trailing_bytes', 'R21: another signature', transferV1({ instead: { tail: Array(64).fill(1) } })],
    ['transaction_truncated', 'data beyond the end', transferV1({ instead: { dataLength: 4_000 } })],
    ['transaction_truncated', 'a signature too few', transferV1({ signers: [PAYER], ...header(2, 0, 0) })],
    ['duplicate_account', 'R22', transferV1({ others: [DESTINATION, SYSTEM_PROGRAM, DESTINATION] })],
    ['duplicate_account', 'R22: a signer', transferV1({ others: [PAYER.publicKey, SYSTEM_PROGRAM] })],
    ['signature_count_invalid', 'version 2', transferV1({ instead: { version: 0x82 } })],
  ]
  const wire = new WireTransaction()
  for (const [code, name, draft] of refused) {
    const bytes = serializeV1(draft)
    t.equal(wire.parse(bytes, 4_096), code, name)
    t.equal(readV1(bytes, 4_096), null, `${name}, by the second reading`)
  }
})

t.test('its size is bounded apart from that of the others', async (t) => {
  const wire = new WireTransaction()
  t.same([longV1(1_232).length, longV1(4_096).length], [1_232, 4_096])
  t.equal(wire.parse(longV1(1_232)), null)
  t.equal(wire.parse(longV1(1_233)), 'transaction_too_large')
  t.equal(wire.parse(longV1(2_000), 2_000), null)
  t.equal(wire.parse(longV1(2_001), 2_000), 'transaction_too_large')
  t.equal(wire.parse(longV1(4_096), 4_096), null)
  t.equal(wire.parse(longV1(4_097), 4_096), 'transaction_too_large')
  const long = serialize(transfer({ instructions: calls({ data: new Uint8Array(1_100) }) }))
  t.ok(long.length > 1_232)
  t.equal(wire.parse(long, 4_096), 'transaction_too_large', 'a legacy one has 1,232 bytes still')
})

t.test('a transaction that is cut off anywhere is truncated', async (t) => {
  const bytes = serializeV1(transferV1({ signers: [PAYER, SECOND], mask: 31, values: [1, 2, 3, 4, 32_768] }))
  const wire = new WireTransaction()
  for (let length = 0; length < bytes.length; length++) {
    const refusal = wire.parse(bytes.subarray(0, length))
    if (refusal !== 'transaction_truncated') t.fail(`${length} of ${bytes.length} bytes: ${refusal}`)
  }
  t.equal(wire.parse(bytes), null)
})

t.test('one object parses all versions, one after the other', async (t) => {
  const wire = new WireTransaction()
  for (const [bytes, version, lookups] of [
    [serialize(transferV0()), 0, 1],
    [serializeV1(transferV1()), 1, 0],
    [serialize(transfer()), 'legacy', 0],
    [serializeV1(transferV1()), 1, 0],
    [serialize(transferV0()), 0, 1],
  ] as const) {
    t.equal(wire.parse(bytes), null)
    t.equal(wire.version, version)
    t.equal(wire.lookups().length, lookups)
    t.equal(wire.instructions()[0]!.data.length, 12)
    t.equal(configOf(wire) === null, version !== 1)
    t.equal(await new SignatureChecker(createVerifier('native')).findBad([wire]), null)
  }
})

for (const engine of ['noble', 'native'] as const) {
  t.test(`every byte before the signatures is signed, by ${engine}`, async (t) => {
    const checker = new SignatureChecker(createVerifier(engine))
    const wire = new WireTransaction()
    const good = serializeV1(transferV1({ signers: [PAYER, SECOND] }))
    t.equal(wire.parse(good), null)
    t.equal(await checker.findBad([wire]), null)
    const cases: [string, object, (bytes: Uint8Array) => void][] = [
      ['the blockhash', { code: 'signature_invalid', index: 0 }, (bytes) => (bytes[10]! ^= 1)],
      ['the compute units', { code: 'signature_invalid', index: 0 }, (bytes) => (bytes[42 + 128]! ^= 1)],
      [
        'the last byte',
        { code: 'signature_invalid', index: 0 },
        (bytes) => (bytes[bytes.length - 129]! ^= 1),
      ],
      ['the second', { code: 'signature_invalid', index: 1 }, (bytes) => (bytes[bytes.length - 1]! ^= 1)],
      ['a missing one', { code: 'transaction_not_signed', index: 1 }, (bytes) => bytes.fill(0, -64)],
      [
        'swapped',
        { code: 'signature_invalid', index: 0 },
        (bytes) => bytes.set([...bytes.subarray(-64), ...bytes.subarray(-128, -64)], bytes.length - 128),
      ],
    ]
    for (const [name, bad, spoil] of cases) {
      const bytes = Uint8Array.from(good)
      spoil(bytes)
      t.equal(wire.parse(bytes), null, name)
      t.match(await checker.findBad([wire]), bad, name)
    }
  })
}

t.test('an advanced nonce is in the first instruction, as in the other versions', async (t) => {
  const wire = new WireTransaction()
  const advance = { program: 2, accounts: [1, 0], data: Uint8Array.of(4, 0, 0, 0) }
  for (const [instructions, isDurable] of [
    [[advance, instruction!], true],
    [[instruction!, advance], false],
    [[], false],
  ] as const) {
    t.equal(wire.parse(serializeV1(transferV1({ instructions }))), null)
    t.equal(durableNonceOf(wire) !== null, isDurable)
  }
})

/** Refusals of bytes that divide into fields: the virtual machine's native half aborts on others. */
const AFTER_FRAMING: ReadonlySet<WireRefusal> = new Set<WireRefusal>([
  'fee_payer_readonly',
  'header_out_of_range',
  'heap_size_invalid',
  'program_is_fee_payer',
  'program_index_out_of_range',
  'account_index_out_of_range',
  'duplicate_account',
])

t.test(`${MUTANTS} mutants get the verdict of the second reading and of the virtual machine`, async (t) => {
  const vm = await Vm.load()
  let judged = 0
  const { accepted, refused } = compareMutants(1, MUTANTS, (mutant, refusal, which) => {
    if (refusal !== null && !AFTER_FRAMING.has(refusal)) return
    const { failure } = vm.simulate(mutant, { signatures: true, blockhash: false })
    assert.equal(failure?.err === 'SanitizeFailure', refusal !== null, `${failure?.err}: ${which}`)
    judged++
  })
  t.equal(accepted + refused, MUTANTS)
  t.ok(judged - accepted > MUTANTS / 50, `${judged} judged, ${accepted} accepted`)
  t.ok(accepted > MUTANTS / 10 && refused > MUTANTS / 10, `${accepted} accepted, ${refused} refused`)
})
