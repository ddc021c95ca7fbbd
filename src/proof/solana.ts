/**
 * Proof that a Solana transaction from a provider is what a wallet may be
 * asked to sign: unsigned, paid for and signed by `from` alone, and with no
 * top-level instruction beyond what a swap needs.
 *
 *   Compute Budget   limits, and a price under the cap
 *   Associated Token create, paid by `from`, for `from`
 *   System           a transfer to `from`'s own wrapped-SOL account, up to the order's amount
 *   Token, 2022      SyncNative; CloseAccount in favour of `from`; TransferChecked to a settlement
 *                    account, where the provider has any, up to the order's amount
 *   Memo             anything
 *   provider's own   anything: see below
 *
 * So no top-level instruction can pay a stranger, approve a delegate, hand an
 * account to another owner, or advance a nonce. Not proved, because the bytes
 * do not tell: what the provider's own program does with the wallet's
 * signature, and which accounts the lookup tables hold. A wallet sees both in a simulation.
 *
 * Source: solana-program/token interface/src/instruction.rs · anza-xyz/solana-sdk system-interface,
 * compute-budget-interface
 */

import { associatedAddress } from '../solana/associated.ts'
import { decodeBase58, encodeBase58 } from '../solana/base58.ts'
import { decodeTransaction } from '../solana/encoding.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../solana/programs.ts'
import { type Instruction, KEY_BYTES, WireTransaction } from '../solana/wire.ts'
import { refuseMaterial, type Verification } from './verification.ts'

/** What is known of a provider, whatever the order. */
export interface SolanaRules {
  /** Its own programs, base58. */
  readonly programs: readonly string[]
  /** Micro-lamports per compute unit. */
  readonly maxComputeUnitPrice: bigint
  /**
   * Wallets, base58, to whose associated accounts the wallet may pay the order's
   * input by an ordinary transfer. None for a provider whose program takes it.
   */
  readonly settlementAccounts: readonly string[]
}

/** What the material was asked for. */
export interface SolanaClaim {
  readonly from: string
  /** What the wallet means to spend, in base units; `mint` is null for SOL. */
  readonly spends: { readonly mint: string | null; readonly amount: bigint }
}

/** The names of the rules, in the order in which they are tried. */
export const SOLANA_CHECKS = [
  'size',
  'parse',
  'signers',
  'fee_payer',
  'unsigned',
  'program',
  'compute_budget',
  'compute_unit_price',
  'associated_account',
  'system_instruction',
  'token_instruction',
  'close_destination',
  'transfer_destination',
  'transfer_amount',
  'route',
] as const

type Check = (typeof SOLANA_CHECKS)[number]

/** By the first byte of its data: the length that the data must have. */
const COMPUTE_BUDGET_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 5], // RequestHeapFrame
  [2, 5], // SetComputeUnitLimit
  [3, 9], // SetComputeUnitPrice
  [4, 5], // SetLoadedAccountsDataSizeLimit
])
const SET_COMPUTE_UNIT_PRICE = 3
const SYSTEM_TRANSFER = 2
const CREATE_ASSOCIATED = 0
const CREATE_ASSOCIATED_IDEMPOTENT = 1
const CLOSE_ACCOUNT = 9
const TRANSFER_CHECKED = 12
const SYNC_NATIVE = 17
/** `from`: the fee payer is the first key. */
const FROM = 0

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, whose `rule` is one of SOLANA_CHECKS
 */
export function proveSolana(base64: string, claim: SolanaClaim, rules: SolanaRules): Verification {
  const bytes = decodeTransaction(base64, 'base64')
  if (bytes === 'transaction_too_large') throw refuse('size')
  if (bytes === 'transaction_encoding_invalid') throw refuse('parse')
  const wire = new WireTransaction()
  if (wire.parse(bytes) !== null) throw refuse('parse')
  if (wire.requiredSignatures !== 1) throw refuse('signers')
  if (!same(wire.key(FROM), decodeBase58(claim.from, KEY_BYTES))) throw refuse('fee_payer')
  if (wire.signature(0).some((byte) => byte !== 0)) throw refuse('unsigned')

  const proof = new InstructionProof(wire, claim, rules)
  const instructions = wire.instructions()
  for (const instruction of instructions) proof.take(instruction)
  if (!proof.isRouted) throw refuse('route')
  return {
    checks: SOLANA_CHECKS,
    feePayer: claim.from,
    bytes: bytes.length,
    programs: [...new Set(instructions.map(({ programIndex }) => encodeBase58(wire.key(programIndex))))],
    computeUnitPrice: proof.computeUnitPrice.toString(),
    lookupTables: wire.lookups().map(({ table }) => encodeBase58(table)),
  }
}

/** Takes the top-level instructions one after the other, and keeps the sums that go over all of them. */
class InstructionProof {
  computeUnitPrice = 0n
  /** Does any instruction carry the swap out? */
  isRouted = false
  readonly #wire: WireTransaction
  readonly #claim: SolanaClaim
  readonly #rules: SolanaRules
  #wrapped = 0n
  #paid = 0n

  constructor(wire: WireTransaction, claim: SolanaClaim, rules: SolanaRules) {
    this.#wire = wire
    this.#claim = claim
    this.#rules = rules
  }

  take(instruction: Instruction): void {
    const program = encodeBase58(this.#wire.key(instruction.programIndex))
    switch (program) {
      case COMPUTE_BUDGET_PROGRAM:
        this.#computeBudget(instruction)
        break
      case ASSOCIATED_TOKEN_PROGRAM:
        this.#associatedToken(instruction)
        break
      case SYSTEM_PROGRAM:
        this.#system(instruction)
        break
      case TOKEN_PROGRAM:
      case TOKEN_2022_PROGRAM:
        this.#token(instruction)
        break
      case MEMO_V1_PROGRAM:
      case MEMO_PROGRAM:
        break
      default:
        if (!this.#rules.programs.includes(program)) throw refuse('program')
        this.isRouted = true
    }
  }

  #computeBudget({ data }: Instruction): void {
    if (COMPUTE_BUDGET_BYTES.get(data[0] ?? -1) !== data.length) throw refuse('compute_budget')
    if (data[0] !== SET_COMPUTE_UNIT_PRICE) return
    this.computeUnitPrice = readU64(data, 1)
    if (this.computeUnitPrice > this.#rules.maxComputeUnitPrice) throw refuse('compute_unit_price')
  }

  /**
   * [payer, account, owner, mint, System, token program]. The program derives
   * the account itself and gives the others no signature of the payer's.
   */
  #associatedToken({ data, accounts }: Instruction): void {
    const kind = data.length === 0 ? CREATE_ASSOCIATED : data[0]
    const isCreate = kind === CREATE_ASSOCIATED || kind === CREATE_ASSOCIATED_IDEMPOTENT
    if (!isCreate || data.length > 1 || accounts[0] !== FROM || accounts[2] !== FROM) {
      throw refuse('associated_account')
    }
  }

  /** [sender, recipient], [transfer u32][lamports u64]. */
  #system({ data, accounts }: Instruction): void {
    const kind = data.length === 12 ? view(data).getUint32(0, true) : -1
    if (kind !== SYSTEM_TRANSFER || accounts.length !== 2) throw refuse('system_instruction')
    if (accounts[0] !== FROM || !same(this.#static(accounts[1]!), this.#ownWrappedSol())) {
      throw refuse('transfer_destination')
    }
    const { mint, amount } = this.#claim.spends
    this.#wrapped += readU64(data, 4)
    if (this.#wrapped > (mint === null ? amount : 0n)) throw refuse('transfer_amount')
  }

  #token(instruction: Instruction): void {
    const { data, accounts } = instruction
    if (data[0] === SYNC_NATIVE && data.length === 1) return
    if (data[0] === CLOSE_ACCOUNT && data.length === 1) {
      // [account, destination, owner]
      if (accounts.length !== 3 || accounts[1] !== FROM || accounts[2] !== FROM)
        throw refuse('close_destination')
      return
    }
    const isSettlement = data[0] === TRANSFER_CHECKED && this.#rules.settlementAccounts.length > 0
    if (!isSettlement || data.length !== 10 || accounts.length !== 4) throw refuse('token_instruction')
    this.#settlement(instruction)
  }

  /** [source, mint, destination, owner], [12][amount u64][decimals u8]. */
  #settlement({ programIndex, data, accounts }: Instruction): void {
    const { spends } = this.#claim
    const mint = decode(spends.mint ?? WRAPPED_SOL_MINT)
    const destination = this.#static(accounts[2]!)
    const tokenProgram = this.#wire.key(programIndex)
    const isKnown = this.#rules.settlementAccounts.some((owner) =>
      same(destination, associatedAddress(decode(owner), mint, tokenProgram)),
    )
    if (!isKnown || !same(this.#static(accounts[1]!), mint)) throw refuse('transfer_destination')
    this.#paid += readU64(data, 1)
    if (this.#paid > spends.amount) throw refuse('transfer_amount')
    this.isRouted = true
  }

  #ownWrappedSol(): Uint8Array {
    return associatedAddress(this.#wire.key(FROM), decode(WRAPPED_SOL_MINT), decode(TOKEN_PROGRAM))
  }

  /** @returns null for an account from a lookup table: which one it is, the bytes do not tell */
  #static(index: number): Uint8Array | null {
    return index < this.#wire.keyCount ? this.#wire.key(index) : null
  }
}

const refuse = (rule: Check) => refuseMaterial(rule)

const decode = (address: string): Uint8Array => decodeBase58(address, KEY_BYTES)!

const same = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a !== null && b !== null && Buffer.compare(a, b) === 0

const view = (data: Uint8Array): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength)

const readU64 = (data: Uint8Array, at: number): bigint => view(data).getBigUint64(at, true)
