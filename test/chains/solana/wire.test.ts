/**
 * The parser against a table of single mutations, one per rule, against a
 * slower model, and against the two client libraries, which are laxer.
 */

import assert from 'node:assert/strict'
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit'
import { VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import { decodeBase58 } from '../../../src/chains/solana/base58.ts'
import type { TransactionRefusal, WireRefusal } from '../../../src/chains/solana/refusals.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { describeRefusal } from '../../../src/relay/submissions/refusals.ts'
import { CODES, type Code } from '../../../src/runtime/errors.ts'
import fc from '../../fixtures/fast-check.ts'
import {
  DESTINATION,
  type Draft,
  type DraftInstruction,
  type DraftLookup,
  drafts,
  keypair,
  mutations,
  PAYER,
  SECOND,
  SYSTEM_PROGRAM,
  serialize,
  sha256,
  transfer,
  transferV0,
} from '../../fixtures/transactions.ts'
import { readTransaction, type WireModel } from '../../fixtures/wire-model.ts'

const parse = (bytes: Uint8Array): WireRefusal | null => new WireTransaction().parse(bytes)
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
const [instruction] = transfer().instructions
const calls = (changes: Partial<DraftInstruction>, count = 1): DraftInstruction[] =>
  Array(count).fill({ ...instruction!, ...changes })
const dataOf = (length: number): DraftInstruction[] => calls({ data: new Uint8Array(length) })
const lookup = (writable: number[], readonly: number[], table = 'table'): DraftLookup => ({
  table: sha256(table),
  writable,
  readonly,
})
/** A transfer without its data, and what is left for data in 1,232 bytes; from 128 on a length takes two. */
const ROOM = 1_232 - (serialize(transfer({ instructions: dataOf(0) })).length + 1)

t.test('a transfer parses into its fields, which are views of the input', async (t) => {
  const bytes = serialize(transferV0({ signers: [PAYER, SECOND], readonlySigned: 1 }))
  const wire = new WireTransaction()
  t.equal(wire.parse(bytes), null)
  t.match(wire, {
    version: 0,
    signatureCount: 2,
    requiredSignatures: 2,
    readonlySigned: 1,
    readonlyUnsigned: 1,
    keyCount: 4,
    accountCount: 7,
    instructionCount: 1,
    lookupCount: 1,
  })
  t.same(
    range(0, 4).map((i) => wire.key(i)),
    [PAYER.publicKey, SECOND.publicKey, DESTINATION, SYSTEM_PROGRAM],
  )
  t.same(wire.blockhash(), sha256('blockhash'))
  t.same(wire.message(), bytes.subarray(129))
  t.same(wire.signature(1), bytes.subarray(65, 129))
  t.same(wire.instructions(), [{ programIndex: 2, accounts: Uint8Array.of(0, 1), data: instruction!.data }])
  t.same(wire.lookups(), [
    { table: sha256('table'), writable: Uint8Array.of(3), readonly: Uint8Array.of(5, 250) },
  ])
  for (const view of [wire.key(0), wire.message(), wire.signature(0), wire.instructions()[0]!.data]) {
    t.equal(view.buffer, bytes.buffer)
  }
})

t.test('what stands on the edge of a rule is accepted', async (t) => {
  const signers = range(0, 12).map((i) => keypair(`edge ${i}`))
  const keys = range(0, 32).map((i) => sha256(`key ${i}`))
  const accepted: [string, Draft][] = [
    ['legacy', transfer()],
    ['version 0', transferV0()],
    ['version 0 without tables', transferV0({ lookups: [] })],
    ['R2: 1,232 bytes', transfer({ instructions: dataOf(ROOM) })],
    ['R6: twelve signatures', transfer({ signers, others: [SYSTEM_PROGRAM], instructions: [] })],
    ['R10: the payer alone is writable', transfer({ signers: [PAYER, SECOND], readonlySigned: 1 })],
    ['R11: all but the payer read-only', transfer({ readonlyUnsigned: 2 })],
    ['R12: one key', transfer({ others: [], readonlyUnsigned: 0, instructions: [] })],
    ['R12: 33 keys', transfer({ others: keys, instructions: [] })],
    ['R14: the last static key as program', transfer({ instructions: calls({ program: 2 }) })],
    ['R15: the last looked-up account', transferV0({ instructions: calls({ accounts: [5] }) })],
    ['R16: 64 instructions', transfer({ instructions: calls({ data: Uint8Array.of(1) }, 64) })],
    [
      'R17, left to preflight: 300 accounts',
      transfer({ instructions: calls({ accounts: Array(300).fill(1) }) }),
    ],
    ['R19: 256 accounts', transferV0({ lookups: [lookup(range(0, 200), range(200, 253))] })],
    ['R20: 24 tables', transferV0({ lookups: range(0, 24).map((i) => lookup([i], [], `${i}`)) })],
    ['R23: one index, two tables', transferV0({ lookups: [lookup([7], [], 'a'), lookup([7], [], 'b')] })],
    ['R23: one table, two entries', transferV0({ lookups: [lookup([7], []), lookup([], [8])] })],
    ['R24, left to preflight: 100 accounts', transferV0({ lookups: [lookup(range(0, 97), [])] })],
    ['R25: legacy without instructions', transfer({ instructions: [] })],
  ]
  for (const [name, draft] of accepted) t.equal(parse(serialize(draft)), null, name)
  t.equal(serialize(accepted[3]![1]).length, 1_232)
})

t.test('one mutation breaks one rule, and the refusal names it', async (t) => {
  const empty = { signers: [PAYER, SECOND], others: [], instructions: [] }
  const refused: [WireRefusal, string, Draft][] = [
    ['transaction_too_large', 'R2', transfer({ instructions: dataOf(ROOM + 1) })],
    ['compact_u16_malformed', 'R4: 80 00', transfer({ instead: { instructionCount: [0x80, 0x00] } })],
    ['compact_u16_malformed', 'R4: 82 00', transfer({ instead: { accountCount: [0x82, 0x00] } })],
    ['compact_u16_malformed', 'R4: 8c 80 00', transfer({ instead: { dataLength: [0x8c, 0x80, 0x00] } })],
    ['compact_u16_malformed', 'R4: 81 00', transferV0({ instead: { writableCount: [0x81, 0x00] } })],
    ['compact_u16_malformed', 'R4: 82 00', transferV0({ instead: { readonlyCount: [0x82, 0x00] } })],
    ['compact_u16_malformed', 'R4: 80 80 04', transfer({ instead: { dataLength: [0x80, 0x80, 0x04] } })],
    ['compact_u16_malformed', 'R5: 80 80 01', transfer({ instead: { dataLength: [0x80, 0x80, 0x01] } })],
    ['compact_u16_malformed', 'R5: keys', transfer({ instead: { keyCount: [0x83, 0x00] } })],
    ['compact_u16_malformed', 'R5: tables', transferV0({ instead: { lookupCount: [0x81, 0x00] } })],
    ['signature_count_invalid', 'R6: none', transfer({ signers: [] })],
    ['signature_count_invalid', 'R6: 13', transfer({ instead: { signatureCount: [13] } })],
    ['signature_count_invalid', 'R6: 80 00', transfer({ instead: { signatureCount: [0x80, 0x00] } })],
    ['signature_count_invalid', 'R6: 82', transfer({ instead: { signatureCount: [0x82] } })],
    ['transaction_version_unsupported', 'R7: 0x81', transferV0({ instead: { prefix: [0x81] } })],
    ['transaction_version_unsupported', 'R7: 0xff', transferV0({ instead: { prefix: [0xff] } })],
    ['signature_count_mismatch', 'R8: too few', transfer({ instead: { header: [2, 0, 1] } })],
    ['signature_count_mismatch', 'R8: too many', transfer({ ...empty, instead: { header: [1, 0, 0] } })],
    // With one key, the second one is read as the blockhash, and the blockhash is one byte of it.
    [
      'account_keys_missing',
      'R9',
      transfer({ ...empty, blockhash: Uint8Array.of(0), instead: { keyCount: [1], instructionCount: [] } }),
    ],
    ['fee_payer_readonly', 'R10: the payer', transfer({ readonlySigned: 1 })],
    ['fee_payer_readonly', 'R10: 255', transfer({ readonlySigned: 255 })],
    ['header_out_of_range', 'R11: one too many', transfer({ readonlyUnsigned: 3 })],
    ['header_out_of_range', 'R11: 255', transfer({ readonlyUnsigned: 255 })],
    ['account_count_invalid', 'R12: none', transfer({ instead: { keyCount: [0] } })],
    ['account_count_invalid', 'R12: 39', transfer({ instead: { keyCount: [39] } })],
    ['program_is_fee_payer', 'R13', transfer({ instructions: calls({ program: 0 }) })],
    ['program_index_out_of_range', 'R14', transfer({ instructions: calls({ program: 3 }) })],
    ['program_index_out_of_range', 'R14: looked up', transferV0({ instructions: calls({ program: 3 }) })],
    ['account_index_out_of_range', 'R15', transfer({ instructions: calls({ accounts: [0, 3] }) })],
    ['account_index_out_of_range', 'R15', transferV0({ instructions: calls({ accounts: [6, 0] }) })],
    ['too_many_instructions', 'R16', transfer({ instructions: calls({ data: Uint8Array.of(1) }, 65) })],
    ['lookup_empty', 'R18', transferV0({ lookups: [lookup([], [])] })],
    ['too_many_accounts', 'R19', transferV0({ lookups: [lookup(range(0, 200), range(200, 254))] })],
    ['too_many_lookups', 'R20', transferV0({ instead: { lookupCount: [32] } })],
    ['trailing_bytes', 'R21', transferV0({ instead: { tail: [0] } })],
    ['trailing_bytes', 'R21: like an empty table list', transfer({ instead: { tail: [0] } })],
    ['trailing_bytes', 'R21: many', transfer({ instead: { tail: Array(64).fill(1) } })],
    ['duplicate_account', 'R22', transfer({ others: [DESTINATION, SYSTEM_PROGRAM, DESTINATION] })],
    ['duplicate_account', 'R22: a signer', transfer({ others: [PAYER.publicKey, SYSTEM_PROGRAM] })],
    ['duplicate_account', 'R22: signers', transfer({ signers: [PAYER, PAYER] })],
    ['duplicate_lookup', 'R23: in one list', transferV0({ lookups: [lookup([4, 9, 4], [])] })],
    ['duplicate_lookup', 'R23: in both', transferV0({ lookups: [lookup([4], [4])] })],
    [
      'duplicate_lookup',
      'R23: in two entries',
      transferV0({ lookups: ['a', 'b', 'a'].map((table) => lookup([4], [], table)) }),
    ],
  ]
  for (const [code, name, draft] of refused) {
    const bytes = serialize(draft)
    t.equal(parse(bytes), code, name)
    t.equal(readTransaction(bytes), null, `${name}, by the model`)
  }
})

t.test('a transaction that is cut off anywhere is truncated', async (t) => {
  for (const draft of [transfer({ signers: [PAYER, SECOND] }), transferV0()]) {
    const bytes = serialize(draft)
    for (let length = 0; length < bytes.length; length++) {
      const refusal = parse(bytes.subarray(0, length))
      if (refusal !== 'transaction_truncated') t.fail(`${length} of ${bytes.length} bytes: ${refusal}`)
    }
    t.equal(parse(bytes), null)
  }
})

t.test('a truncated length is truncated, not malformed', async (t) => {
  const bytes = serialize(transfer({ instructions: [], instead: { instructionCount: [0x81] } }))
  t.equal(parse(bytes), 'transaction_truncated')
})

t.test('one object parses any number of transactions, whatever the last one was', async (t) => {
  const wire = new WireTransaction()
  const inputs: [Draft, WireRefusal | null][] = [
    [transferV0({ lookups: [lookup([], [])] }), 'lookup_empty'],
    [transferV0(), null],
    [transferV0({ instructions: calls({ program: 0 }) }), 'program_is_fee_payer'],
    [transfer({ instructions: [] }), null],
    [transfer({ instructions: calls({ accounts: [99] }) }), 'account_index_out_of_range'],
    [transfer(), null],
  ]
  for (const [draft, verdict] of inputs) t.equal(wire.parse(serialize(draft)), verdict)
  t.equal(wire.lookupCount, 0)
  t.same(wire.lookups(), [])
})

/** What the libraries let through, by rule. */
const LAXER: ReadonlySet<WireRefusal> = new Set<WireRefusal>([
  'transaction_too_large', // R2
  'transaction_truncated', // R4
  'compact_u16_malformed', // R4, R5
  'account_keys_missing', // R9
  'fee_payer_readonly', // R10
  'header_out_of_range', // R11
  'account_count_invalid', // R12
  'program_is_fee_payer', // R13
  'program_index_out_of_range', // R14
  'account_index_out_of_range', // R15
  'lookup_empty', // R18
  'trailing_bytes', // R21
  'duplicate_account', // R22
  'duplicate_lookup', // R23
])

/** kit decodes a version 1 message also where a signature stands before it, as none may. */
const isVersion1OfKit = (refusal: WireRefusal, kit: ReturnType<typeof decodeWithKit> | null): boolean =>
  refusal === 'transaction_version_unsupported' && kit?.messageBytes[0] === 0x81 && kit.message.version === 1

t.test('it agrees with the model and with both client libraries', async (t) => {
  const wire = new WireTransaction()
  const seen = { accepted: 0, refused: 0, laxer: 0 }
  const property = fc.property(drafts, fc.array(mutations, { maxLength: 3 }), (draft, accidents) => {
    const bytes = accidents.reduce((mutated, mutate) => mutate(mutated), serialize(draft))
    const refusal = wire.parse(bytes)
    const model = readTransaction(bytes)
    const web3 = attempt(() => VersionedTransaction.deserialize(bytes))
    const kit = attempt(() => decodeWithKit(bytes))
    assert.equal(refusal === null, model !== null, `the model differs: ${refusal}`)
    if (refusal !== null) {
      assert.ok(accidents.length > 0, `a good one is refused: ${refusal}`)
      seen.refused++
      if (web3 === null && kit === null) return
      seen.laxer++
      const isExplained = LAXER.has(refusal) || (web3 === null && isVersion1OfKit(refusal, kit))
      assert.ok(isExplained, `unexplained: ${refusal}`)
      return
    }
    seen.accepted++
    assert.ok(web3 !== null && kit !== null, 'others cannot decode what is accepted')
    const fields = fieldsOfWire(wire)
    assert.deepEqual(fields, model)
    assert.deepEqual(fieldsOfWeb3(web3), fields)
    assert.deepEqual(fieldsOfKit(kit), fields)
    assert.deepEqual(new Uint8Array(web3.serialize()), bytes)
    assert.deepEqual(
      new Uint8Array(getCompiledTransactionMessageEncoder().encode(kit.message)),
      fields.message,
    )
  })
  fc.assert(property, { numRuns: 1_200 })
  const tried = seen.accepted + seen.refused
  const isOfAll = seen.accepted > tried / 6 && seen.refused > tried / 6 && seen.laxer > tried / 60
  t.ok(isOfAll, JSON.stringify(seen))
})

t.test('every refusal has a sentence, and every code of a wire rule is a refusal', async (t) => {
  const codes = Object.keys(CODES) as Code[]
  const wireCodes = codes.filter((code) => /^R\d|^version 1:/.test(CODES[code].meaning))
  t.equal(wireCodes.length, 25)
  for (const code of wireCodes) t.match(describeRefusal(code as TransactionRefusal), /^[A-Z].*\.$/, code)
})

function attempt<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch {
    return null
  }
}

function decodeWithKit(bytes: Uint8Array) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
  return { messageBytes, signatures, message: getCompiledTransactionMessageDecoder().decode(messageBytes) }
}

const toKey = (text: string): Uint8Array => decodeBase58(text, 32)!
const toBytes = (bytes: ArrayLike<number> = []): Uint8Array => Uint8Array.from(bytes)

const fieldsOfWire = (wire: WireTransaction): WireModel => ({
  version: wire.version as WireModel['version'],
  signatures: range(0, wire.signatureCount).map((i) => wire.signature(i)),
  message: wire.message(),
  header: [wire.requiredSignatures, wire.readonlySigned, wire.readonlyUnsigned],
  keys: range(0, wire.keyCount).map((i) => wire.key(i)),
  blockhash: wire.blockhash(),
  instructions: wire.instructions(),
  lookups: wire.lookups(),
})

const fieldsOfWeb3 = ({ signatures, message }: VersionedTransaction): WireModel => ({
  version: message.version === 0 ? 0 : 'legacy',
  signatures: signatures.map(toBytes),
  message: toBytes(message.serialize()),
  header: [
    message.header.numRequiredSignatures,
    message.header.numReadonlySignedAccounts,
    message.header.numReadonlyUnsignedAccounts,
  ],
  keys: message.staticAccountKeys.map((key) => toBytes(key.toBytes())),
  blockhash: toKey(message.recentBlockhash),
  instructions: message.compiledInstructions.map((instruction) => ({
    programIndex: instruction.programIdIndex,
    accounts: toBytes(instruction.accountKeyIndexes),
    data: toBytes(instruction.data),
  })),
  lookups: message.addressTableLookups.map((lookup) => ({
    table: toBytes(lookup.accountKey.toBytes()),
    writable: toBytes(lookup.writableIndexes),
    readonly: toBytes(lookup.readonlyIndexes),
  })),
})

const fieldsOfKit = ({ messageBytes, signatures, message }: ReturnType<typeof decodeWithKit>): WireModel => {
  const { header, version } = message
  assert.ok(version !== 1)
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : []
  return {
    version,
    signatures: Object.values(signatures).map((signature) => toBytes(signature ?? new Uint8Array(64))),
    message: toBytes(messageBytes),
    header: [header.numSignerAccounts, header.numReadonlySignerAccounts, header.numReadonlyNonSignerAccounts],
    keys: message.staticAccounts.map(toKey),
    blockhash: toKey(message.lifetimeToken),
    instructions: message.instructions.map((instruction) => ({
      programIndex: instruction.programAddressIndex,
      accounts: toBytes(instruction.accountIndices),
      data: toBytes(instruction.data),
    })),
    lookups: lookups.map((lookup) => ({
      table: toKey(lookup.lookupTableAddress),
      writable: toBytes(lookup.writableIndexes),
      readonly: toBytes(lookup.readonlyIndexes),
    })),
  }
}
