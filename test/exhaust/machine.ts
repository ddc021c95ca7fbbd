/**
 * A sample of each family in LiteSVM, which decodes, sanitizes and verifies by the crates that validators use: up to so
 * many cases of each verdict. What the parser accepts is signed, and signed badly in three ways; then the parser and
 * our verifier together must accept or refuse as the machine does.
 *
 * The machine's native half ends the process on bytes that do not decode, so those are tried in processes of their own.
 */

import { spawnSync } from 'node:child_process'
import { sign } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { decodeKey } from '../../src/chains/solana/base58.ts'
import { LOOKUP_TABLE_PROGRAM } from '../../src/chains/solana/programs.ts'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { MAX_V1_TRANSACTION_BYTES } from '../../src/chains/solana/sizes.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { Vm } from '../../src/sandbox/solana/ledger/vm.ts'
import { writeCase } from './block.ts'
import { FAMILIES } from './families.ts'
import { SIGNERS, tableOf } from './keys.ts'
import { sampleOf } from './sample.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** By a parser that accepts: what the machine must not say of a transaction that is signed. */
const REFUSED: ReadonlySet<string> = new Set(['SanitizeFailure', 'SignatureFailure', 'AccountLoadedTwice'])
/** The machine ends here before it verifies: R24, and tables that it does not have. */
const BEFORE_SIGNATURES: ReadonlySet<string> = new Set([
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableIndex',
])

/** Refusals of bytes that do not divide into fields, which end the machine or do not pass its sanitize. */
const FRAMING: ReadonlySet<string> = new Set([
  'transaction_truncated',
  'compact_u16_malformed',
  'signature_count_invalid',
  'transaction_version_unsupported',
  'account_count_invalid',
  'too_many_lookups',
  'config_mask_invalid',
])
/** What the crates of the machine leave to the packet and to the runtime. */
const NOT_ITS_RULE: ReadonlySet<string> = new Set([
  'transaction_too_large',
  'trailing_bytes',
  'too_many_instructions',
])
const LOADED_TWICE: ReadonlySet<string> = new Set(['duplicate_account', 'duplicate_lookup'])

const TABLES = 64
const TABLE_HEADER_BYTES = 56
const TABLE_ADDRESSES = 256

export interface Sample {
  /** The most cases of each verdict of a family. */
  readonly most: number
  /** The most of those that are tried in a process of their own. */
  readonly mostApart: number
  /** How many cases of a family are looked through. */
  readonly through: number
}

export interface MachineTally {
  readonly signed: number
  readonly badlySigned: number
  /** Accepted by both up to where the machine stops for reasons that are left to nodes. */
  readonly leftToNodes: number
  readonly refused: number
  readonly refusedApart: number
  readonly notItsRule: number
}

type Counts = { -readonly [key in keyof MachineTally]: MachineTally[key] }

const wire = new WireTransaction()
const verifier = createVerifier('native')

/** @throws Error  at the first case that the machine judges otherwise */
export async function tryMachine(sample: Sample): Promise<MachineTally> {
  const vm = await Vm.load()
  placeTables(vm)
  const tally: Counts = {
    signed: 0,
    badlySigned: 0,
    leftToNodes: 0,
    refused: 0,
    refusedApart: 0,
    notItsRule: 0,
  }
  for (const family of FAMILIES) {
    const seen = new Map<string, number>()
    for (const n of sampleOf(family, sample.through)) {
      const bytes = writeCase(family, n)
      const refusal = wire.parse(bytes, MAX_V1_TRANSACTION_BYTES)
      const verdict = refusal ?? 'accepted'
      const before = seen.get(verdict) ?? 0
      if (before >= (FRAMING.has(verdict) ? sample.mostApart : sample.most)) continue
      seen.set(verdict, before + 1)
      try {
        if (refusal === null) tryAccepted(vm, Uint8Array.from(bytes), tally)
        else tryRefused(vm, bytes, refusal, tally)
      } catch (cause) {
        throw new Error(`${family.name}:${n}, ${verdict}: ${(cause as Error).message}`, { cause })
      }
    }
  }
  return tally
}

function tryAccepted(vm: Vm, bytes: Uint8Array, tally: Counts): void {
  if (signAll(bytes)) {
    const err = judge(vm, bytes)
    if (REFUSED.has(err)) throw new Error(`signed, machine: ${err}`)
    if (!isSigned(bytes)) throw new Error('signed, our verifier refuses')
    tally.signed++
    if (BEFORE_SIGNATURES.has(err)) tally.leftToNodes++
  }
  const last = wire.signaturesAt + (wire.signatureCount - 1) * 64
  for (const [what, at] of [
    ['a bit of the message', wire.blockhashAt],
    ['a bit of the last R', last],
    ['a bit of the last S', last + 32],
  ] as const) {
    bytes[at]! ^= 1
    const err = judge(vm, bytes)
    const isRefused = err === 'SignatureFailure' || BEFORE_SIGNATURES.has(err)
    if (!isRefused) throw new Error(`${what} changed, machine: ${err}`)
    if (isSigned(bytes)) throw new Error(`${what} changed, our verifier accepts`)
    bytes[at]! ^= 1
    tally.badlySigned++
  }
}

function tryRefused(vm: Vm, bytes: Uint8Array, refusal: string, tally: Counts): void {
  if (NOT_ITS_RULE.has(refusal)) {
    tally.notItsRule++
  } else if (FRAMING.has(refusal)) {
    const err = judgeApart(bytes)
    if (err !== 'not decoded' && err !== 'SanitizeFailure') throw new Error(`machine: ${err}`)
    tally.refusedApart++
  } else {
    const err = judge(vm, bytes)
    const isRefused =
      err === 'SanitizeFailure' ||
      (LOADED_TWICE.has(refusal) && (err === 'AccountLoadedTwice' || BEFORE_SIGNATURES.has(err)))
    if (!isRefused) throw new Error(`machine: ${err}`)
    tally.refused++
  }
}

/** @returns the error, or `none` */
function judge(vm: Vm, bytes: Uint8Array): string {
  const err = vm.simulate(bytes, { signatures: true, blockhash: false }).failure?.err ?? 'none'
  return typeof err === 'string' ? err : JSON.stringify(err)
}

/** Prints the number of the error, or ends before. */
const APART = `
import { LiteSvm } from 'litesvm/dist/internal.js'
const svm = new LiteSvm()
const result = svm.simulateVersionedTransaction(new Uint8Array(Buffer.from(process.argv[1], 'hex')))
console.log('err' in result ? result.err() : 'none')`
/** TransactionError.SanitizeFailure of the package. */
const SANITIZE_FAILURE = '13'

/** @returns `not decoded`, SanitizeFailure, or what else the machine says */
export function judgeApart(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', APART, hex], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (/called `Result::unwrap\(\)` on an `Err` value/.test(stderr)) return 'not decoded'
  const err = stdout.trim()
  return err === SANITIZE_FAILURE ? 'SanitizeFailure' : err
}

/** @returns false if a key is none that can sign */
function signAll(bytes: Uint8Array): boolean {
  wire.parse(bytes, MAX_V1_TRANSACTION_BYTES)
  for (let i = 0; i < wire.signatureCount; i++) {
    const signer = SIGNERS.find(({ publicKey }) => Buffer.compare(publicKey, wire.key(i)) === 0)
    if (signer === undefined) return false
    bytes.set(sign(null, wire.message(), signer.privateKey), wire.signaturesAt + i * 64)
  }
  return true
}

function isSigned(bytes: Uint8Array): boolean {
  if (wire.parse(bytes, MAX_V1_TRANSACTION_BYTES) !== null) throw new Error('the parser refuses')
  for (let i = 0; i < wire.signatureCount; i++) {
    if (!verifier.verify(wire.signature(i), wire.message(), wire.key(i))) return false
  }
  return true
}

/** All tables of the cases, with addresses that no other account has. */
function placeTables(vm: Vm): void {
  vm.enterSlot(10, 0, [])
  for (let table = 0; table < TABLES; table++) {
    const data = Buffer.alloc(TABLE_HEADER_BYTES + TABLE_ADDRESSES * 32)
    data.writeUInt32LE(1, 0)
    data.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4)
    for (let i = 0; i < TABLE_ADDRESSES; i++) {
      data.fill(0xee, TABLE_HEADER_BYTES + i * 32, TABLE_HEADER_BYTES + i * 32 + 32)
      data.writeUInt16LE(table * TABLE_ADDRESSES + i, TABLE_HEADER_BYTES + i * 32)
    }
    vm.place(tableOf(table), {
      lamports: 1_000_000_000n,
      data,
      owner: decodeKey(LOOKUP_TABLE_PROGRAM),
    })
  }
}
