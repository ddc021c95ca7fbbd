/**
 * The rules that every Solana proof shares: the transaction parses as a validator
 * would parse it and is not of version 1, `from` alone pays for it and signs it, it is not signed yet,
 * and the top-level instructions around the swap can only prepare for it and
 * clean up after it:
 *
 *   Compute Budget   each kind once; limit times price under a cap in lamports
 *   Associated Token create, paid by `from`, for `from`; a few besides the swap's own accounts, and for another wallet
 *                    none but the one that the order pays
 *   System           transfers to `from`'s wrapped-SOL account that add up to the order's amount
 *   Token            SyncNative and CloseAccount of that account, the latter in favour of `from`
 *   Memo             anything: a memo moves nothing and grants nothing
 *   guards           see guards.ts
 *
 * None of them can pay a third party, approve a delegate, change the owner of an
 * account or advance a nonce, except that an order with a nonce begins with its
 * advance. The instruction that swaps is checked per provider: see jupiter.ts and
 * ../cross-chain/solana.ts.
 *
 * Source: solana-program/token interface/src/instruction.rs · anza-xyz/solana-sdk system-interface,
 * compute-budget-interface · anza-xyz/agave compute-budget-instruction (limits, duplicates)
 */

import { associatedAddress } from '../../chains/solana/associated.ts'
import { decodeBase58, decodeKey, encodeBase58 } from '../../chains/solana/base58.ts'
import {
  MAX_COMPUTE_UNITS,
  priorityLamports,
  SET_LIMIT,
  SET_PRICE,
} from '../../chains/solana/compute-budget.ts'
import { decodeTransaction } from '../../chains/solana/encoding.ts'
import { RECENT_BLOCKHASHES } from '../../chains/solana/nonce.ts'
import * as programs from '../../chains/solana/programs.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { advancesNonce } from '../../chains/solana/wallet-edits.ts'
import { type Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import {
  accountRent,
  MAX_OPENED_ACCOUNTS,
  MAX_PRIORITY_LAMPORTS,
  SOLANA_CEILING,
  type SolanaRates,
  within,
} from '../terms/fees.ts'
import { refuseMaterial } from '../terms/verification.ts'
import { Guards } from './guards.ts'
import { FROM, isSame, readU64, staticKey, view } from './reading.ts'

/** The rules of `openUnsigned`, in the order in which they are checked. */
export const ENVELOPE_CHECKS = ['size', 'parse', 'version', 'signers', 'fee_payer', 'unsigned'] as const

/** The rules of `Surroundings`. */
export { default as SURROUNDING_CHECKS } from './surrounding-checks.json' with { type: 'json' }

/** The required length of the instruction data, by its first byte. */
const COMPUTE_BUDGET_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 5], // RequestHeapFrame
  [2, 5], // SetComputeUnitLimit
  [3, 9], // SetComputeUnitPrice
  [4, 5], // SetLoadedAccountsDataSizeLimit
])
export const SYSTEM_TRANSFER = 2
const CREATE_ASSOCIATED = 0
const CREATE_ASSOCIATED_IDEMPOTENT = 1
const CLOSE_ACCOUNT = 9
export const SYNC_NATIVE = 17

const SYSTEM_KEY = decodeKey(programs.SYSTEM_PROGRAM)
const RECENT_BLOCKHASHES_KEY = decodeKey(RECENT_BLOCKHASHES)
const TOKEN_KEY = decodeKey(programs.TOKEN_PROGRAM)
const TOKEN_2022_KEY = decodeKey(programs.TOKEN_2022_PROGRAM)

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, whose `rule` is one of ENVELOPE_CHECKS
 */
export function openUnsigned(base64: string, from: string): WireTransaction {
  const bytes = decodeTransaction(base64, 'base64')
  if (bytes === 'transaction_too_large') throw refuseMaterial('size')
  if (bytes === 'transaction_encoding_invalid') throw refuseMaterial('parse')
  const wire = new WireTransaction()
  if (wire.parse(bytes) !== null) throw refuseMaterial('parse')
  // What costs the wallet is elsewhere in version 1: the proofs read instructions, and it has a config instead.
  if (wire.version === 1) throw refuseMaterial('version')
  if (wire.requiredSignatures !== 1) throw refuseMaterial('signers')
  if (!isSame(wire.key(FROM), decodeBase58(from, KEY_BYTES))) throw refuseMaterial('fee_payer')
  if (wire.signature(0).some((byte) => byte !== 0)) throw refuseMaterial('unsigned')
  return wire
}

/** The nonce that an order names; `value` is what the account held, null if it is not known here. */
export interface NonceClaim {
  readonly account: string
  readonly value: string | null
}

/**
 * The instructions after the advance of the order's nonce, which comes first. No other one may name the account:
 * a program that receives the wallet's signature could empty it, or hand it over.
 * @throws GatewayError  material_refused, rule `nonce`
 */
export function afterNonce(wire: WireTransaction, { account, value }: NonceClaim): readonly Instruction[] {
  const [first, ...rest] = wire.instructions()
  const [at = -1, sysvar, authority] = first?.accounts ?? []
  const isOrdered =
    first !== undefined &&
    isSame(wire.key(first.programIndex), SYSTEM_KEY) &&
    first.data.length === 4 &&
    advancesNonce(first.data) &&
    first.accounts.length === 3 &&
    isSame(staticKey(wire, at), decodeKey(account)) &&
    isSame(staticKey(wire, sysvar), RECENT_BLOCKHASHES_KEY) &&
    authority === FROM &&
    (value === null || isSame(wire.blockhash(), decodeKey(value)))
  if (!isOrdered || rest.some(({ accounts }) => accounts.includes(at))) throw refuseMaterial('nonce')
  return rest
}

/** What a proof says of it. */
export const describeNonce = (wire: WireTransaction, { account }: NonceClaim) => ({
  nonce: { account, value: encodeBase58(wire.blockhash()) },
  expires: false,
})

/** The addresses of a wallet's associated token accounts. */
export class OwnAccounts {
  readonly #owner: Uint8Array
  readonly #found = new Map<string, Uint8Array>()

  /** @param owner  base58; absent: `from` */
  constructor(wire: WireTransaction, owner?: string) {
    this.#owner = owner === undefined ? wire.key(FROM) : decodeKey(owner)
  }

  /** @param tokenProgram  base58 */
  associated(mint: string, tokenProgram: string): Uint8Array {
    const make = () => associatedAddress(this.#owner, decodeKey(mint), decodeKey(tokenProgram))
    return getOrInsert(this.#found, `${mint} ${tokenProgram}`, make)
  }

  wrappedSol(): Uint8Array {
    return this.associated(programs.WRAPPED_SOL_MINT, programs.TOKEN_PROGRAM)
  }
}

export interface SurroundingRules {
  /** Micro-lamports per compute unit. */
  readonly maxComputeUnitPrice: bigint
  /** Lamports that must be wrapped: the order's amount if it sells SOL, otherwise zero. */
  readonly wraps: bigint
  /** Whether less may be wrapped: a bridge may take the rest unwrapped. */
  readonly mayWrapLess?: boolean
  /** What the order is worth in lamports, which bounds its fees; null if it trades other tokens. */
  readonly worth: bigint | null
  /**
   * The accounts that tips go to, base58, and the most lamports of all tips; none for a swap on one chain.
   */
  readonly tips?: { readonly to: ReadonlySet<string>; readonly most: bigint }
  /** `from`'s accounts that may wrap and unwrap SOL; a transaction does so with one of them. */
  readonly wrapped: readonly Uint8Array[]
  /** `from`'s accounts that the swap itself needs: opening them does not count against the limit. */
  readonly needed: readonly Uint8Array[]
  /**
   * The associated account of another wallet that gets the output. It is opened before the swap, in the way that fails
   * for any other owner, or if it is no longer that wallet's. Absent: `from` gets the output.
   */
  readonly pays?: Uint8Array | undefined
  /** Solana's current charges. Absent: their ceiling. */
  readonly rates?: SolanaRates | undefined
}

/** Checks the instructions around the swap one by one, and keeps the sums over all of them. */
export class Surroundings {
  computeUnitPrice = 0n
  opened = 0
  /** Lamports in transfers to services that land transactions, added up. */
  tips = 0n
  /** Whether the wrapped-SOL account was closed after the last call of `swaps`. */
  isUnwrapped = false
  readonly guards = new Guards()
  /** Whether the account of `pays` is shown to be that wallet's. */
  #isPayable = false
  /** The most, if the transaction sets none. */
  #computeUnitLimit = MAX_COMPUTE_UNITS
  #lamports = 0n
  /** Lamports that may be transferred to it in addition to the wrapped amount. */
  #rent = 0n
  /** The one that the transaction uses: the first that it names. */
  #wrapped: Uint8Array | null = null
  readonly #budgeted = new Set<number>()
  readonly #wire: WireTransaction
  readonly #rules: SurroundingRules

  constructor(wire: WireTransaction, rules: SurroundingRules) {
    this.#wire = wire
    this.#rules = rules
  }

  /** The priority fee in lamports, rounded up as the runtime does. */
  get priorityLamports(): bigint {
    return priorityLamports(this.computeUnitPrice, this.#computeUnitLimit)
  }

  /** Marks the position of the swap among the instructions. */
  swaps(): void {
    if (this.#rules.pays && !this.#isPayable) throw refuseMaterial('destination_account')
    this.isUnwrapped = false
    this.guards.swaps()
  }

  /** @returns false for a program without rules here */
  take(program: string, instruction: Instruction): boolean {
    if (this.guards.take(program, instruction)) return true
    switch (program) {
      case programs.COMPUTE_BUDGET_PROGRAM:
        this.#computeBudget(instruction)
        return true
      case programs.ASSOCIATED_TOKEN_PROGRAM:
        this.#associatedToken(instruction)
        return true
      case programs.SYSTEM_PROGRAM:
        this.#system(instruction)
        return true
      case programs.TOKEN_PROGRAM:
        this.#token(instruction)
        return true
      case programs.TOKEN_2022_PROGRAM:
        // Wrapped SOL belongs to the older program, and no other token account needs an instruction here.
        throw refuseMaterial('token_instruction')
      case programs.MEMO_V1_PROGRAM:
      case programs.MEMO_PROGRAM:
        return true
      default:
        return false
    }
  }

  /** Checks the rules over all instructions together. Call it after the last one. */
  close(): void {
    this.guards.close()
    if (this.computeUnitPrice > this.#rules.maxComputeUnitPrice) throw refuseMaterial('compute_unit_price')
    const mostForPriority = within(MAX_PRIORITY_LAMPORTS, this.#rules.worth)
    if (this.priorityLamports > mostForPriority) throw refuseMaterial('priority_fee')
    const more = this.#lamports - this.#rules.wraps
    // Rent comes back if the account is closed after the swap.
    if (more > (this.isUnwrapped ? this.#rent : 0n)) throw refuseMaterial('transfer_amount')
    if (more < 0n && this.#rules.mayWrapLess !== true) throw refuseMaterial('transfer_amount')
  }

  /** Adds up the lamports that are wrapped. @returns false for another account than the wrapped-SOL account */
  wraps(account: number | undefined, lamports: bigint): boolean {
    const isWrapped = this.isWrapped(account)
    if (isWrapped) this.#lamports += lamports
    return isWrapped
  }

  /** An account without lamports is opened as the wrapped-SOL account: its rent is transferred to it. */
  opensWrapped(): void {
    this.#rent = accountRent(this.#rules.rates ?? SOLANA_CEILING)
  }

  /** @returns whether the bytes show that the account is `from`'s wrapped-SOL account, the same each time */
  isWrapped(index: number | undefined): boolean {
    const key = staticKey(this.#wire, index)
    this.#wrapped ??= this.#rules.wrapped.find((one) => isSame(one, key)) ?? null
    return isSame(key, this.#wrapped)
  }

  #computeBudget({ data }: Instruction): void {
    const kind = data[0] ?? -1
    if (COMPUTE_BUDGET_BYTES.get(kind) !== data.length) throw refuseMaterial('compute_budget')
    if (this.#budgeted.has(kind)) throw refuseMaterial('compute_budget')
    this.#budgeted.add(kind)
    if (kind === SET_PRICE) this.computeUnitPrice = readU64(data, 1)
    if (kind === SET_LIMIT) {
      this.#computeUnitLimit = Math.min(view(data).getUint32(1, true), MAX_COMPUTE_UNITS)
    }
  }

  /**
   * [payer, account, owner, mint, System, token program]. The program derives
   * the account's address from the owner, the mint and the token program. The
   * token program decides the account's size and thus the rent that the payer
   * leaves in it: for an account that is not one of the swap's own, it must be
   * one of the two that exist.
   */
  #associatedToken({ data, accounts }: Instruction): void {
    const kind = data.length === 0 ? CREATE_ASSOCIATED : data[0]
    const isCreate = kind === CREATE_ASSOCIATED || kind === CREATE_ASSOCIATED_IDEMPOTENT
    if (!isCreate || data.length > 1 || accounts.length !== 6) throw refuseMaterial('associated_account')
    if (accounts[0] !== FROM) throw refuseMaterial('associated_account')
    if (accounts[2] === FROM) this.opens(accounts[1], accounts[5])
    else {
      const isPaid = isSame(staticKey(this.#wire, accounts[1]), this.#rules.pays)
      if (!isPaid || kind !== CREATE_ASSOCIATED_IDEMPOTENT) throw refuseMaterial('associated_account')
      this.#isPayable = true
    }
  }

  /** @throws GatewayError  if the swap does not need the account and too many others were opened already */
  opens(account: number | undefined, tokenProgram: number | undefined): void {
    const address = staticKey(this.#wire, account)
    if (this.#rules.needed.some((needed) => isSame(address, needed))) return
    const program = staticKey(this.#wire, tokenProgram)
    if (!isSame(program, TOKEN_KEY) && !isSame(program, TOKEN_2022_KEY))
      throw refuseMaterial('associated_account')
    this.opened++
    if (this.opened > MAX_OPENED_ACCOUNTS) throw refuseMaterial('opened_accounts')
  }

  /** [sender, recipient], [transfer u32][lamports u64]. */
  #system({ data, accounts }: Instruction): void {
    const kind = data.length === 12 ? view(data).getUint32(0, true) : -1
    if (kind !== SYSTEM_TRANSFER || accounts.length !== 2) throw refuseMaterial('system_instruction')
    if (accounts[0] !== FROM) throw refuseMaterial('transfer_destination')
    const { tips } = this.#rules
    const lamports = readU64(data, 4)
    if (this.wraps(accounts[1], lamports)) return
    const to = staticKey(this.#wire, accounts[1])
    if (to === null || !tips?.to.has(encodeBase58(to))) throw refuseMaterial('transfer_destination')
    this.tips += lamports
    if (this.tips > tips.most) throw refuseMaterial('transfer_amount')
  }

  /** SyncNative: [account]. CloseAccount: [account, destination, owner]. */
  #token({ data, accounts }: Instruction): void {
    if (data.length !== 1) throw refuseMaterial('token_instruction')
    if (data[0] === SYNC_NATIVE) {
      if (accounts.length !== 1 || !this.isWrapped(accounts[0])) throw refuseMaterial('token_instruction')
      return
    }
    if (data[0] !== CLOSE_ACCOUNT) throw refuseMaterial('token_instruction')
    if (accounts.length !== 3) throw refuseMaterial('close_destination')
    this.unwraps(accounts[0], accounts[1], accounts[2])
  }

  /** Checks that the lamports of a closed account go to `from`. */
  unwraps(account: number | undefined, destination: number | undefined, owner: number | undefined): void {
    const isOwn = this.isWrapped(account) && destination === FROM && owner === FROM
    if (!isOwn) throw refuseMaterial('close_destination')
    this.isUnwrapped = true
  }
}

/** The facts about any transaction that a wallet may display. */
export function describeEnvelope(wire: WireTransaction, around: Surroundings): Record<string, unknown> {
  const programs = wire.instructions().map(({ programIndex }) => encodeBase58(wire.key(programIndex)))
  return {
    feePayer: encodeBase58(wire.key(FROM)),
    bytes: wire.bytes.length,
    programs: [...new Set(programs)],
    computeUnitPrice: around.computeUnitPrice.toString(),
    priorityLamports: around.priorityLamports.toString(),
    openedAccounts: around.opened,
    lookupTables: wire.lookups().map(({ table }) => encodeBase58(table)),
    ...around.guards.facts(wire),
  }
}
