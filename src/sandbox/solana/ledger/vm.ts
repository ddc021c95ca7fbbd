/**
 * The virtual machine: LiteSVM, in plain data. Signatures, balances, programs, fees, nonces and lookup tables
 * are judged by it alone.
 *
 * Its native half aborts the whole process on bytes that do not decode, so only what `WireTransaction.parse`
 * has accepted may be given to it. It knows one valid blockhash, its newest; `Slots` decides which older ones
 * a node honours.
 *
 * Source: LiteSVM/litesvm crates/node-litesvm
 */

import type { LiteSvm, Account as NativeAccount, TransactionMetadata } from 'litesvm/dist/internal.js'
import { describeFailure, type TransactionFailure } from './errors.ts'

const NOT_INSTALLED =
  'The sandbox needs the package litesvm, and the demo @solana/web3.js: run `npm install litesvm@1.5.0 @solana/web3.js@1.99.0`.'
/** As `process` names them; on Linux with glibc and with musl. */
const PLATFORMS: readonly string[] = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64']

/** How many landed transactions are remembered, here and in the bank: enough for the minute in which one could come again. */
export const REMEMBERED_TRANSACTIONS = 10_000
/** The rent epoch that the runtime writes into every rent-exempt account. */
const RENT_EXEMPT_EPOCH = 0xffffffffffffffffn

const SYSTEM_PROGRAM = new Uint8Array(32)
const NO_BYTES = new Uint8Array(0)

export interface Account {
  readonly lamports: bigint
  readonly owner: Uint8Array
  readonly data: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
}

interface InnerInstruction {
  readonly programIndex: number
  readonly accounts: Uint8Array
  readonly data: Uint8Array
  readonly stackHeight: number
}

export interface Verdict {
  /** Null when the transaction succeeded. */
  readonly failure: TransactionFailure | null
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint
  readonly returnData: { readonly programId: Uint8Array; readonly data: Uint8Array } | null
  /** One list for each top-level instruction. */
  readonly innerInstructions: readonly (readonly InnerInstruction[])[]
}

export interface Simulation extends Verdict {
  /** What the writable accounts would be; empty if it failed. */
  readonly postAccounts: readonly { readonly address: Uint8Array; readonly account: Account }[]
}

/** What the machine checks of a transaction; the rest is always checked. */
export interface VmChecks {
  readonly signatures: boolean
  /** False if `Slots` vouches for the blockhash, or if any will do. */
  readonly blockhash: boolean
}

type Package = typeof import('litesvm/dist/internal.js')

/**
 * The whole machine is loaded at the latest after this many blockhashes: catching up with more would delay
 * others.
 */
const MAX_EXPIRED = 1_000

type Change = (svm: LiteSvm) => void

/**
 * Loading the programs is most of a machine's start, and many sandboxes only need slots and hashes. So the
 * whole machine is loaded when its accounts are first needed; earlier operations are then repeated in order.
 */
export class Vm {
  readonly #litesvm: Package
  /** A machine without programs and accounts, which has the same hashes, first slot and rents. */
  readonly #bare: LiteSvm
  #whole: LiteSvm | null = null
  /** What the whole machine has to catch up with: blockhashes, the slot, and placed accounts. */
  #expired = 0
  #enter: Change = () => {}
  #placed: Change[] = []
  /** The first blockhash, which on any Solana chain is the hash of its genesis. */
  readonly genesisHash: string

  constructor(litesvm: Package) {
    this.#litesvm = litesvm
    this.#bare = litesvm.LiteSvm.default()
    this.#bare.setSysvars()
    this.genesisHash = this.#bare.latestBlockhash()
  }

  /** @throws Error if the optional dependency is not installed, or not for this platform */
  static async load(
    importPackage: () => Promise<Package> = () => import('litesvm/dist/internal.js'),
  ): Promise<Vm> {
    try {
      return new Vm(await importPackage())
    } catch (cause) {
      const here = `${process.platform} ${process.arch}`
      const reason = PLATFORMS.includes(here)
        ? NOT_INSTALLED
        : `The sandbox's virtual machine, litesvm, is built for Linux and macOS on x64 and arm64. This is ${here}.`
      throw new Error(reason, { cause })
    }
  }

  /** The slot that a new machine is in. */
  slot(): number {
    return Number(this.#bare.getClock().slot)
  }

  /** The machine's newest blockhash, base58. The machine expires it at once, so it accepts none itself. */
  nextBlockhash(): string {
    const blockhash = this.#bare.latestBlockhash()
    this.#bare.expireBlockhash()
    if (this.#whole !== null) this.#whole.expireBlockhash()
    else if (++this.#expired === MAX_EXPIRED) this.#wake()
    return blockhash
  }

  /**
   * Sets the Clock and SlotHashes sysvars.
   *
   * @param slotHashes  newest first, all older than `slot`
   */
  enterSlot(slot: number, unixSeconds: number, slotHashes: { slot: bigint; hash: string }[]): void {
    this.#enter = (svm) => {
      const clock = svm.getClock()
      clock.slot = BigInt(slot)
      clock.unixTimestamp = BigInt(unixSeconds)
      svm.setClock(clock)
      svm.setSlotHashes(slotHashes)
    }
    if (this.#whole !== null) this.#enter(this.#whole)
  }

  /** @returns null also for an account without lamports, which the runtime forgets */
  readonly account = (address: Uint8Array): Account | null => {
    const account = this.#svm.getAccount(address)
    return account === null || account.lamports() === 0n ? null : plain(account)
  }

  accountsOf(program: Uint8Array): { address: Uint8Array; account: Account }[] {
    return this.#svm.getProgramAccounts(program).map((entry) => ({
      address: entry.address,
      account: plain(entry.account()),
    }))
  }

  /** Creates lamports in an account of the System program. */
  endow(address: Uint8Array, lamports: bigint): void {
    this.place(address, { lamports, data: NO_BYTES, owner: SYSTEM_PROGRAM })
  }

  /** Places an account as if it had always been there. */
  place(address: Uint8Array, { lamports, data, owner }: Pick<Account, 'lamports' | 'data' | 'owner'>): void {
    const { Account } = this.#litesvm
    this.#change((svm) =>
      svm.setAccount(address, new Account(lamports, data, owner, false, RENT_EXEMPT_EPOCH)),
    )
  }

  /** @param elf  of a program for the virtual machine: see assemble.ts */
  addProgram(address: Uint8Array, elf: Uint8Array): void {
    this.#change((svm) => svm.addProgram(address, elf))
  }

  rentExemption(dataBytes: number): bigint {
    return this.#bare.minimumBalanceForRentExemption(BigInt(dataBytes))
  }

  /** Sets the rent of each byte of a new account, from now on. */
  setRent(lamportsPerByte: bigint): void {
    const rent = new this.#litesvm.Rent(lamportsPerByte, 1, 50)
    this.#bare.setRent(rent)
    this.#change((svm) => svm.setRent(rent))
  }

  simulate(transaction: Uint8Array, checks: VmChecks): Simulation {
    const result = this.#checking(checks, () => this.#svm.simulateVersionedTransaction(transaction))
    if ('err' in result) return { ...verdict(result.meta(), describeFailure(result)), postAccounts: [] }
    const postAccounts = result.postAccounts().map((entry) => ({
      address: entry.address,
      account: plain(entry.account()),
    }))
    return { ...verdict(result.meta(), null), postAccounts }
  }

  /** Has a transaction with this first signature landed? */
  remembers(signature: Uint8Array): boolean {
    return this.#svm.getTransaction(signature) !== null
  }

  execute(transaction: Uint8Array, checks: VmChecks): Verdict {
    const result = this.#checking(checks, () => this.#svm.sendVersionedTransaction(transaction))
    return 'err' in result ? verdict(result.meta(), describeFailure(result)) : verdict(result, null)
  }

  /** The checks are switches of the whole machine; each call is synchronous, so setting them for one is safe. */
  #checking<T>(checks: VmChecks, run: () => T): T {
    this.#svm.setSigverify(checks.signatures)
    this.#svm.setBlockhashCheck(checks.blockhash)
    return run()
  }

  #change(change: Change): void {
    if (this.#whole === null) this.#placed.push(change)
    else change(this.#whole)
  }

  get #svm(): LiteSvm {
    return this.#whole ?? this.#wake()
  }

  #wake(): LiteSvm {
    const svm = new this.#litesvm.LiteSvm()
    svm.setTransactionHistory(BigInt(REMEMBERED_TRANSACTIONS))
    svm.withNativeMints()
    for (let i = 0; i < this.#expired; i++) svm.expireBlockhash()
    this.#enter(svm)
    for (const change of this.#placed) change(svm)
    this.#placed = []
    this.#whole = svm
    return svm
  }
}

function plain(account: NativeAccount): Account {
  return {
    lamports: account.lamports(),
    owner: account.owner(),
    data: account.data(),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  }
}

function verdict(meta: TransactionMetadata, failure: TransactionFailure | null): Verdict {
  const returned = meta.returnData()
  const data = returned.data()
  return {
    failure,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    returnData: data.length === 0 ? null : { programId: returned.programId(), data },
    innerInstructions: meta.innerInstructions().map((list) =>
      list.map((inner) => {
        const instruction = inner.instruction()
        return {
          programIndex: instruction.programIdIndex(),
          accounts: instruction.accounts(),
          data: instruction.data(),
          stackHeight: inner.stackHeight(),
        }
      }),
    ),
  }
}
