/**
 * One case, by the parser and by the model of what a validator accepts. Both refuse, or both accept and find the same
 * parts; rules.ts lists the exceptions.
 */

import { REFUSAL_MESSAGES, type WireRefusal } from '../../src/chains/solana/refusals.ts'
import { MAX_TRANSACTION_BYTES, MAX_V1_TRANSACTION_BYTES } from '../../src/chains/solana/sizes.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { configOf } from '../../src/chains/solana/wire-v1.ts'
import { type Refused, TransactionView } from '../fixtures/wire-model.ts'

/** What a case can come to. A digest has the number of each. */
export const VERDICTS = ['accepted', ...Object.keys(REFUSAL_MESSAGES)]
const NUMBERS = new Map(VERDICTS.map((verdict, i) => [verdict, i]))

export class Comparison {
  readonly #wire: WireTransaction
  readonly #view = new TransactionView()

  /** @param wire  the parser; another one to see that its faults are found */
  constructor(wire = new WireTransaction()) {
    this.#wire = wire
  }

  /**
   * @returns the number of the verdict
   * @throws Error  if the two disagree
   */
  compare(bytes: Uint8Array<ArrayBuffer>): number {
    const wire = this.#wire
    const view = this.#view
    const refused = view.read(bytes)
    if (bytes.length > MAX_TRANSACTION_BYTES && wire.parse(bytes) !== 'transaction_too_large') {
      throw new Error('more than 1,232 bytes are accepted by default')
    }
    const refusal = wire.parse(bytes, MAX_V1_TRANSACTION_BYTES)
    if (!isExpected(refusal, refused)) {
      throw new Error(`parser: ${refusal ?? 'accepted'}, model: ${refused ?? 'accepted'}`)
    }
    if (refusal === null) compareParts(wire, view, bytes)
    return NUMBERS.get(refusal ?? 'accepted')!
  }
}

function isExpected(refusal: WireRefusal | null, refused: Refused | null): boolean {
  switch (refusal) {
    case null:
      return refused === null || refused === 'accountsLimit'
    case 'duplicate_account':
    case 'duplicate_lookup':
      return refused === 'locks'
    default:
      return refused === 'parse' || refused === 'sanitize'
  }
}

function compareParts(wire: WireTransaction, view: TransactionView, bytes: Uint8Array): void {
  const same = (part: string, ours: unknown, theirs: unknown): void => {
    if (ours !== theirs) throw new Error(`${part}, parser: ${ours}, model: ${theirs}`)
  }
  const sameView = (part: string, ours: Uint8Array, offset: number, length: number): void => {
    same(`${part}: buffer`, ours.buffer, bytes.buffer)
    same(`${part}: offset`, ours.byteOffset - bytes.byteOffset, offset)
    same(`${part}: length`, ours.length, length)
  }
  same('version', wire.version, view.version)
  same('signatures', wire.signatureCount, view.numSignatures)
  for (let i = 0; i < view.numSignatures; i++) {
    sameView('signature', wire.signature(i), view.signaturesOffset + i * 64, 64)
  }
  sameView('message', wire.message(), view.messageOffset, view.messageEnd - view.messageOffset)
  same('required signatures', wire.requiredSignatures, view.numRequiredSignatures)
  same('read-only signed', wire.readonlySigned, view.numReadonlySignedAccounts)
  same('read-only unsigned', wire.readonlyUnsigned, view.numReadonlyUnsignedAccounts)
  same('keys', wire.keyCount, view.numStaticAccountKeys)
  for (let i = 0; i < view.numStaticAccountKeys; i++) {
    sameView('key', wire.key(i), view.staticAccountKeysOffset + i * 32, 32)
  }
  sameView('blockhash', wire.blockhash(), view.recentBlockhashOffset, 32)
  same('accounts', wire.accountCount, view.totalNumberOfAccounts)

  const instructions = wire.instructions()
  same('instructions', instructions.length, view.numInstructions)
  for (let i = 0; i < view.numInstructions; i++) {
    const { programIndex, accounts, data } = instructions[i]!
    same('program', programIndex, view.programIdIndex[i])
    sameView('accounts', accounts, view.accountsOffset[i]!, view.numAccounts[i]!)
    sameView('data', data, view.dataOffset[i]!, view.dataLen[i]!)
  }
  const lookups = wire.lookups()
  same('lookups', lookups.length, view.numAddressTableLookups)
  for (let i = 0; i < view.numAddressTableLookups; i++) {
    const { table, writable, readonly } = lookups[i]!
    sameView('table', table, view.accountKeyOffset[i]!, 32)
    sameView('writable', writable, view.writableOffset[i]!, view.numWritable[i]!)
    sameView('read-only', readonly, view.readonlyOffset[i]!, view.numReadonly[i]!)
  }
  const config = configOf(wire)
  same('config', config !== null, view.version === 1)
  if (config === null) return
  same('priority fee', config.priorityFee, view.priorityFeeLamports())
  same('compute unit limit', config.computeUnitLimit, view.configValue(2))
  same('data limit', config.loadedAccountsDataSizeLimit, view.configValue(3))
  same('heap', config.heapSize, view.configValue(4))
}
