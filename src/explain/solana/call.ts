/**
 * One instruction with its accounts, the reader of its data, and what is known of the accounts in its
 * transaction.
 */
import { associatedAddress } from '../../chains/solana/associated.ts'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { isOnCurve } from '../../chains/solana/program-address.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import type { Findings } from '../findings.ts'

export interface ProgramCall {
  readonly where: string
  readonly program: string
  /** Base58; null for an account of an unread lookup table. */
  readonly accounts: readonly (string | null)[]
  readonly signs: readonly boolean[]
  readonly data: Uint8Array
}

/** How one program's instructions are read. */
export interface Program {
  read(call: ProgramCall, found: Findings, memory: Memory): void
  /** Notes accounts that the instruction makes, before any is judged. */
  foresee?(call: ProgramCall, memory: Memory): void
}

/** Derivations of associated accounts that one transaction may cost: about 0.06 ms each. */
const MOST_DERIVED = 256

/** An account that the transaction creates: its payer, and its later authority. */
interface Made {
  readonly payer: string | null
  readonly authority: string | null
}

/** The owners of one transaction's accounts. */
export class Memory {
  readonly #owners = new Map<string, string>()
  readonly #tokens = new Map<string, string>()
  readonly #made = new Map<string, Made>()
  /** Accounts that change hands within the transaction: they belong to nobody in particular. */
  readonly #passed = new Set<string>()
  readonly #split = new Set<string>()
  readonly #mints: readonly string[]
  /** The token programs that the transaction can call. */
  readonly #programs: readonly string[]
  readonly #derived = new Map<string, string | null>()
  readonly #found: Findings

  constructor(accounts: readonly (string | null)[], found: Findings) {
    this.#found = found
    const named = accounts.filter((account) => account !== null)
    this.#mints = [WRAPPED_SOL_MINT, ...named]
    const isRead = named.length === accounts.length
    this.#programs = TOKEN_PROGRAMS.filter((program) => !isRead || named.includes(program))
  }

  /** A token account that the transaction opens. One that is closed and opened again for another passes on. */
  opens(account: string | null, owner: string | null, mint: string | null = null): void {
    if (account === null || owner === null) return
    const known = this.#owners.get(account)
    if (known !== undefined && known !== owner) this.#passed.add(account)
    if (known !== undefined) return
    this.#owners.set(account, owner)
    if (mint !== null) this.#tokens.set(account, mint)
    this.finishes(account, owner)
  }

  makes(account: string | null, payer: string | null): void {
    if (account === null) return
    if (this.#made.has(account)) this.#passed.add(account)
    else this.#made.set(account, { payer, authority: null })
  }

  /** The transaction gives the account another owner. */
  passes(account: string | null): void {
    if (account !== null) this.#passed.add(account)
  }

  /** Sets the owner of a new account. Until then, anybody can. */
  finishes(account: string | null, authority: string | null): void {
    const made = this.#made.get(account ?? '')
    if (made?.authority === null) this.#made.set(account!, { ...made, authority })
  }

  /** Gives a new account a part of a stake, and its withdraw authority: `staker` may differ. */
  splits(account: string | null, staker: string | null): void {
    this.finishes(account, staker)
    this.#split.add(account ?? '')
  }

  isSplit = (account: string | null): boolean => this.#split.has(account ?? '')
  /** Whether the transaction makes the account, which signs for that. */
  isNew = (account: string): boolean => this.#made.has(account)
  /** Whether it is a token account, of those that the transaction opens or that are recognized. */
  isTokens = (account: string | null): boolean => this.#owners.has(account ?? '')
  /** The authority of an account that the transaction creates; null if it isn't finished. */
  authorityOf = (account: string | null): string | null =>
    this.#passed.has(account ?? '') ? null : (this.#made.get(account ?? '')?.authority ?? null)
  /** The payer of an account that the transaction creates, who may thus set its owner. */
  makerOf = (account: string | null): string | null => this.#made.get(account ?? '')?.payer ?? null
  /**
   * Whether one of the transaction's accounts is for the mint, and belongs to somebody whose assets are at
   * stake.
   */
  isHeld(mint: string): boolean {
    const { owner } = this.#found
    const own = this.#programs.map((program) => owner && this.#associated(owner, mint, program))
    return (
      own.some((account) => account !== null && this.#mints.includes(account)) ||
      [...this.#tokens].some(
        ([account, one]) => one === mint && this.#found.concerns(this.#owners.get(account) ?? ''),
      )
    )
  }
  /** The mint of a token account, if known. */
  mintOf = (account: string | null): string | null => this.#tokens.get(account ?? '') ?? null

  /**
   * @param mint  null if the instruction does not name it: then each account may be it
   * @returns the owner of a token account, if it is the wallet, a signer that may be it, or an address that the
   *   wallet knows; else null
   */
  ownerOf(account: string | null, mint: string | null): string | null {
    if (account === null || this.#passed.has(account)) return null
    const known = this.#owners.get(account)
    if (known !== undefined) return known
    const { owner: wallet, signers, recent } = this.#found
    const key = decodeBase58(account, 32)
    if (key === null || isOnCurve(key)) return null
    for (const owner of [...(wallet === null ? [] : [wallet]), ...signers, ...recent]) {
      for (const one of mint === null ? this.#mints : [mint]) {
        for (const program of one === WRAPPED_SOL_MINT ? [TOKEN_PROGRAM] : this.#programs) {
          if (this.#associated(owner, one, program) !== account) continue
          this.#owners.set(account, owner)
          this.#tokens.set(account, one)
          return owner
        }
      }
    }
    return null
  }

  /** @returns null also if the transaction has cost enough */
  #associated(owner: string, mint: string, program: string): string | null {
    const seeds = `${owner} ${mint} ${program}`
    const known = this.#derived.get(seeds)
    if (known !== undefined || this.#derived.size >= MOST_DERIVED) return known ?? null
    const account = derived(owner, mint, program)
    this.#derived.set(seeds, account)
    return account
  }
}

const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]

function derived(owner: string, mint: string, program: string): string | null {
  const [a, b, c] = [owner, mint, program].map((address) => decodeBase58(address, 32))
  return a && b && c ? encodeBase58(associatedAddress(a, b, c)) : null
}

/** Reads an instruction's data. A read past its end is null, and `isShort` then. */
export class DataReader {
  readonly #data: Uint8Array
  readonly #view: DataView
  #at = 0
  isShort = false

  constructor(data: Uint8Array) {
    this.#data = data
    this.#view = new DataView(data.buffer, data.byteOffset, data.length)
  }

  u8 = (): number => this.#take(1, (at) => this.#data[at]!) ?? -1
  u32 = (): number => this.#take(4, (at) => this.#view.getUint32(at, true)) ?? -1
  u64 = (): bigint => this.#take(8, (at) => this.#view.getBigUint64(at, true)) ?? 0n
  key = (): string | null => this.#take(32, (at) => encodeBase58(this.#data.subarray(at, at + 32)))
  /** A length of eight bytes, and as many bytes. */
  text = (): void => {
    this.skip(Number(this.u64()))
  }
  skip = (length: number): Uint8Array | null =>
    this.#take(length, (at) => this.#data.subarray(at, at + length))
  /** COption with a tag of one byte. */
  optionalKey = (): string | null => (this.u8() === 0 ? null : this.key())

  /** The unread rest. */
  rest(): Uint8Array {
    return this.#data.subarray(this.#at)
  }

  #take<T>(length: number, read: (at: number) => T): T | null {
    if (!(length >= 0) || length > this.#data.length - this.#at) {
      this.isShort = true
      return null
    }
    this.#at += length
    return read(this.#at - length)
  }
}

export type InstructionReader = (call: ProgramCall, data: DataReader, found: Findings, memory: Memory) => void

/**
 * @param size  of the instruction's number, in bytes
 * @param rows  by the number
 */
export function table(
  size: 1 | 4,
  rows: Readonly<Record<number, InstructionReader>>,
  foresee?: Program['foresee'],
): Program {
  return {
    ...(foresee && { foresee }),
    read(call, found, memory) {
      const data = new DataReader(call.data)
      const kind = size === 1 ? data.u8() : data.u32()
      const reading = rows[kind]
      const { where, program } = call
      if (reading === undefined) {
        const words = `calls ${found.nameOf(program)} with an instruction that is not known here`
        found.act('call', words, { program }, [])
        return found.leave(where, `${program} has no instruction ${kind} that is known here`, call.data)
      }
      reading(call, data, found, memory)
      if (data.isShort) found.leave(where, 'it is shorter than its arguments', call.data)
      else if (data.rest().length > 0) found.leave(where, 'there are bytes behind its arguments', data.rest())
    },
  }
}

/**
 * The signer who authorizes an instruction, if the wallet is one: as the authority, or as one of several for
 * it.
 */
export function signerOf({ accounts, signs }: ProgramCall, found: Findings): string | undefined {
  const signers = accounts.filter(
    (account, i): account is string => signs[i]! && account !== null && found.concerns(account),
  )
  // The payer alone vouches for itself.
  return signers.find((signer) => !found.isOwn(signer)) ?? signers[0]
}

export const isTokenProgram = (program: string | null): boolean => TOKEN_PROGRAMS.includes(program ?? '')

export const at = ({ accounts }: ProgramCall, i: number): string | null => accounts[i] ?? null
/** What moves, permits and costs nothing. */
export const said =
  (kind: string, words: string): InstructionReader =>
  (call, data, found) => {
    data.skip(data.rest().length)
    found.act(kind, words, { program: call.program }, [])
  }
