/**
 * What can be proved of a crossing that starts on Solana: one transaction that
 * a validator would parse, unsigned, paid for and signed by `from` alone, and
 * without a top-level instruction of the System or token programs that would
 * give away more than a transfer does: no delegate, no new owner, no nonce,
 * no account closed in a stranger's favour.
 *
 * Not provable here: where the bridge sends the value. Every bridge has its own
 * programs, and they take their fees by plain transfers; so the result names
 * the programs, and the recipient is proved by the provider's statement only.
 * What stays within Solana has the stricter proof of solana.ts.
 *
 * Source: §4.7 · docs.li.fi · solana-program/token interface/src/instruction.rs · anza-xyz/solana-sdk
 * system-interface
 */
import { encodeBase58 } from '../solana/base58.ts'
import { decodeTransaction } from '../solana/encoding.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts'
import { type Instruction, WireTransaction } from '../solana/wire.ts'
import { refuseMaterial, type Verification } from './verification.ts'

/** Transfer, and CreateAccountWithSeed, whose account `from` alone can derive. */
const SYSTEM_KINDS: ReadonlySet<number> = new Set([2, 3])
const CLOSE_ACCOUNT = 9
/** InitializeAccount in its three forms, Transfer, CloseAccount, TransferChecked, SyncNative. */
const TOKEN_KINDS: ReadonlySet<number> = new Set([1, 3, CLOSE_ACCOUNT, 12, 16, 17, 18])
/** The fee payer is the first key. */
const FROM = 0

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, with the rule: size, parse, signers, fee_payer, unsigned,
 *                       system_instruction, token_instruction, close_destination
 */
export function proveCrossingSolana(base64: string, from: string): Verification {
  const bytes = decodeTransaction(base64, 'base64')
  if (bytes === 'transaction_too_large') throw refuseMaterial('size')
  const wire = new WireTransaction()
  if (typeof bytes === 'string' || wire.parse(bytes) !== null) throw refuseMaterial('parse')
  if (wire.requiredSignatures !== 1) throw refuseMaterial('signers')
  if (encodeBase58(wire.key(FROM)) !== from) throw refuseMaterial('fee_payer')
  if (wire.signature(0).some((byte) => byte !== 0)) throw refuseMaterial('unsigned')

  const programs = new Set<string>()
  for (const instruction of wire.instructions()) {
    const program = encodeBase58(wire.key(instruction.programIndex))
    programs.add(program)
    if (program === SYSTEM_PROGRAM) proveSystem(instruction)
    if (program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM) proveToken(instruction)
  }
  return {
    checks: [
      'size',
      'parse',
      'signers',
      'fee_payer',
      'unsigned',
      'system_instruction',
      'token_instruction',
      'close_destination',
    ],
    feePayer: from,
    bytes: bytes.length,
    programs: [...programs],
  }
}

/** The kind is a u32, little-endian. */
function proveSystem({ data }: Instruction): void {
  const kind = data.length < 4 || data[1] !== 0 || data[2] !== 0 || data[3] !== 0 ? -1 : data[0]!
  if (!SYSTEM_KINDS.has(kind)) throw refuseMaterial('system_instruction')
}

/** CloseAccount: [account, destination, owner]. */
function proveToken({ data, accounts }: Instruction): void {
  if (!TOKEN_KINDS.has(data[0] ?? -1)) throw refuseMaterial('token_instruction')
  if (data[0] === CLOSE_ACCOUNT && accounts[1] !== FROM) throw refuseMaterial('close_destination')
}
