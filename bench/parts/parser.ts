/**
 * The parser compared with the decoders of web3.js and kit, on the same signed
 * transactions. The decoders build objects, kit also base58 text, and check a few rules;
 * the parser keeps offsets, and checks every rule that the bytes alone can decide.
 */
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { VersionedTransaction } from '@solana/web3.js'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { serialize, sha256, transfer, transferV0 } from '../../test/fixtures/transactions.ts'
import { serializeV1, transferV1 } from '../../test/fixtures/transactions-v1.ts'
import { compare } from '../figures/measure.ts'
import { type BenchReport, toReport } from '../figures/report.ts'

const LEGACY = serialize(transfer())
/** A swap's size: nine static keys, four instructions, one lookup table. */
const V0 = serialize(
  transferV0({
    readonlyUnsigned: 3,
    others: Array.from({ length: 8 }, (_, i) => sha256(`key ${i}`)),
    instructions: Array.from({ length: 4 }, (_, i) => ({
      program: 6 + (i % 3),
      accounts: [0, 1, 2, 3, 4, 9, 10, 14],
      data: sha256(`instruction ${i}`),
    })),
    lookups: [{ table: sha256('table'), writable: [3, 4, 9], readonly: [5, 17, 250] }],
  }),
)

/** A swap's size: what the version 0 one has, with the accounts of its table among the keys. */
const V1 = serializeV1(
  transferV1({
    readonlyUnsigned: 6,
    others: Array.from({ length: 14 }, (_, i) => sha256(`key ${i}`)),
    instructions: Array.from({ length: 4 }, (_, i) => ({
      program: 12 + (i % 3),
      accounts: [0, 1, 2, 3, 4, 9, 10, 14],
      data: sha256(`instruction ${i}`),
    })),
  }),
)

const wire = new WireTransaction()
const transactionDecoder = getTransactionDecoder()
const messageDecoder = getCompiledTransactionMessageDecoder()

export async function benchParser(): Promise<BenchReport> {
  check(LEGACY)
  check(V0)
  checkV1()
  const legacy = await compareOn(LEGACY, 'legacy')
  const v0 = await compareOn(V0, 'version 0')
  const v1 = await compare([
    [`swapgate: version 1, ${V1.length} bytes`, (times) => parse(V1, times)],
    ['kit: version 1', (times) => decode(V1, times)],
  ])
  const claims = [legacy, v0].map(([, web3]) => ({
    what: `${web3!.name}, times as long as the parser`,
    figure: web3!.ratio!,
    is: 'at least' as const,
    bound: 20,
  }))
  return toReport('Parser', TEXT, [...legacy, ...v0, ...v1], claims)
}

const compareOn = (bytes: Uint8Array, kind: string) =>
  compare([
    [`swapgate: ${kind}, ${bytes.length} bytes`, (times) => parse(bytes, times)],
    [`web3.js: ${kind}`, (times) => deserialize(bytes, times)],
    [`kit: ${kind}`, (times) => decode(bytes, times)],
  ])

function parse(bytes: Uint8Array, times: number): number {
  let sum = 0
  for (let i = 0; i < times; i++) if (wire.parse(bytes) === null) sum += wire.instructionCount
  return sum
}

function deserialize(bytes: Uint8Array, times: number): number {
  let sum = 0
  for (let i = 0; i < times; i++) {
    sum += VersionedTransaction.deserialize(bytes).message.compiledInstructions.length
  }
  return sum
}

function decode(bytes: Uint8Array, times: number): number {
  let sum = 0
  for (let i = 0; i < times; i++) {
    sum += messageDecoder.decode(transactionDecoder.decode(bytes).messageBytes).version === 0 ? 1 : 2
  }
  return sum
}

/** Checks that all three find the same fields in a transaction. */
function check(bytes: Uint8Array): void {
  const found = [byOurs(bytes), byWeb3(bytes), byKit(bytes)].map((fields) => JSON.stringify(fields))
  if (found.some((fields) => fields !== found[0])) throw new Error('The parsers find different fields.')
}

/** Checks that ours and kit find the same fields; web3.js does not know version 1. */
function checkV1(): void {
  const { signatures, messageBytes } = transactionDecoder.decode(V1)
  const message = messageDecoder.decode(messageBytes)
  if (message.version !== 1 || wire.parse(V1) !== null) throw new Error('The transaction was rejected.')
  const kit = [
    Object.values(signatures).map((one) => hex(one!)),
    message.staticAccounts,
    message.lifetimeToken,
  ]
  const ours = [
    Array.from({ length: wire.signatureCount }, (_, i) => hex(wire.signature(i))),
    Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i))),
    encodeBase58(wire.blockhash()),
  ]
  if (JSON.stringify(kit) !== JSON.stringify(ours)) throw new Error('The parsers find different fields.')
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function byOurs(bytes: Uint8Array): unknown {
  if (wire.parse(bytes) !== null) throw new Error('The transaction was rejected.')
  return {
    version: wire.version,
    signatures: Array.from({ length: wire.signatureCount }, (_, i) => hex(wire.signature(i))),
    keys: Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i))),
    blockhash: encodeBase58(wire.blockhash()),
    instructions: wire
      .instructions()
      .map(({ programIndex, accounts, data }) => [programIndex, [...accounts], hex(data)]),
    lookups: wire
      .lookups()
      .map((lookup) => [encodeBase58(lookup.table), [...lookup.writable], [...lookup.readonly]]),
  }
}

function byWeb3(bytes: Uint8Array): unknown {
  const { signatures, message } = VersionedTransaction.deserialize(bytes)
  return {
    version: message.version,
    signatures: signatures.map(hex),
    keys: message.staticAccountKeys.map((key) => key.toBase58()),
    blockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map((instruction) => [
      instruction.programIdIndex,
      instruction.accountKeyIndexes,
      hex(instruction.data),
    ]),
    lookups: message.addressTableLookups.map((lookup) => [
      lookup.accountKey.toBase58(),
      lookup.writableIndexes,
      lookup.readonlyIndexes,
    ]),
  }
}

function byKit(bytes: Uint8Array): unknown {
  const { signatures, messageBytes } = transactionDecoder.decode(bytes)
  const message = messageDecoder.decode(messageBytes)
  if (message.version === 1) throw new Error('The transaction has an unexpected version.')
  return {
    version: message.version,
    signatures: Object.values(signatures).map((signature) => hex(signature!)),
    keys: message.staticAccounts,
    blockhash: message.lifetimeToken,
    instructions: message.instructions.map((instruction) => [
      instruction.programAddressIndex,
      instruction.accountIndices ?? [],
      hex(new Uint8Array(instruction.data ?? [])),
    ]),
    lookups: (message.version === 0 ? (message.addressTableLookups ?? []) : []).map((lookup) => [
      lookup.lookupTableAddress,
      lookup.writableIndexes,
      lookup.readonlyIndexes,
    ]),
  }
}

const TEXT = `One whole transaction per call. The decoders build objects, kit's also base58 text, and check little; the
parser keeps offsets, and checks every rule that the bytes alone can decide. All fields were compared first. web3.js
cannot read version 1.`
