/**
 * The chain's state and its past: accounts in the virtual machine, slots from the clock, and the transactions
 * that landed. Earlier states of accounts are kept for commitments and for nodes that lag.
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase58, encodeBase58 } from '../../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../../chains/solana/sizes.ts'
import type { WireTransaction } from '../../../chains/solana/wire.ts'
import { Auction } from './auction.ts'
import { BLOCKHASH_NOT_FOUND } from './errors.ts'
import { LAMPORTS_PER_SIGNATURE } from './fees.ts'
import { type Commitment, MAX_BLOCKHASH_AGE, MAX_LAG, NodeSlots, SLOTS_BEHIND, SlotClock } from './slots.ts'
import { type ReadAccount, readMintDecimals, readTokenAccount } from './tokens.ts'
import { type LoadedAccounts, resolveAccounts, type SubmittedTransaction } from './transaction.ts'
import { type Account, REMEMBERED_TRANSACTIONS, type Simulation, type Verdict, type Vm } from './vm.ts'

interface TokenBalance {
  readonly accountIndex: number
  readonly mint: string
  readonly owner: string
  readonly programId: string
  readonly amount: bigint
  readonly decimals: number
}

/** The balances of all accounts of a transaction, in their order; the token accounts among them by index. */
export interface TransactionBalances {
  readonly lamports: readonly bigint[]
  readonly tokens: readonly TokenBalance[]
}

/** What a transaction did, or would do. */
export interface Effects {
  readonly accounts: LoadedAccounts
  readonly before: TransactionBalances
  readonly after: TransactionBalances
  /** Transactions neither create nor lose lamports, except the fee: it is the difference. */
  readonly fee: bigint
}

export interface SimulatedEffects extends Effects {
  /** Reads an account as it would be afterwards. */
  readonly accountAfter: ReadAccount
}

export interface Landed {
  readonly sent: SubmittedTransaction
  readonly verdict: Verdict
  readonly effects: Effects
  readonly slot: number
  /** Unix time in seconds. */
  readonly blockTime: number
}

/** Transactions in a full block, about as on mainnet. */
const BLOCK_ROOM = 1_000

interface SimulationRules {
  readonly verifySignatures: boolean
  /**
   * The commitment that must have seen the blockhash; null treats the transaction as new, with a valid
   * blockhash.
   */
  readonly blockhashSeenAt: Commitment | null
  /** The node's view of the slots; by default that of an up-to-date node. */
  readonly slots?: NodeSlots
}

/** An account's state before a transaction changed it. */
interface AccountChange {
  readonly slot: number
  /** base58 */
  readonly address: string
  readonly before: Account | null
}

export class Bank {
  readonly vm: Vm
  readonly genesisHash: string
  readonly clock: SlotClock
  readonly slots: NodeSlots
  /** The leaders' auction, by micro-lamports for a compute unit. */
  readonly blocks = new Auction(BLOCK_ROOM)
  /** Lamports for a signature. */
  perSignature = LAMPORTS_PER_SIGNATURE
  /** Called for each landed transaction before readers can see it. It may process others. */
  onLanded: ((landed: Landed) => void) | null = null
  /** Called before accounts are read, with null, and before a transaction is executed: it may place accounts. */
  prepare: ((wire: WireTransaction | null) => void) | null = null
  readonly #now: () => number
  /** The transactions that landed, the oldest first. */
  readonly #landed = new Map<string, Landed>()
  /** The oldest first. */
  readonly #changes: AccountChange[] = []

  /**
   * @param now       Unix time in ms
   * @param hashedAs  renames the machine's hashes: machines all have the same, clusters must not
   */
  constructor(vm: Vm, now: () => number, hashedAs = (hash: string): string => hash) {
    this.vm = vm
    this.#now = now
    this.genesisHash = hashedAs(vm.genesisHash)
    this.clock = new SlotClock(vm.slot(), () => hashedAs(vm.nextBlockhash()), now)
    this.slots = new NodeSlots(this.clock)
    this.#enterSlot()
  }

  /** Brings the bank up to the clock: call it before reading anything at a new time. */
  catchUp(): void {
    if (this.clock.catchUp()) this.#enterSlot()
  }

  /** A transaction that landed, whether it succeeded or failed at its sender's cost. */
  find(signature: string): Landed | undefined {
    return this.#landed.get(signature)
  }

  /** All remembered transactions, newest first. */
  landed(): Landed[] {
    return [...this.#landed.values()].reverse()
  }

  /**
   * Reads accounts as they were at the end of a slot; accounts that were placed count as having always
   * existed.
   */
  accountsAt(slot: number): ReadAccount {
    this.prepare?.(null)
    const changed = this.#changedSince(slot)
    return (address) => {
      const change = changed.get(encodeBase58(address))
      return change === undefined ? this.vm.account(address) : change.before
    }
  }

  /** The accounts of a program, as they were at the end of a slot. */
  programAccountsAt(program: Uint8Array, slot: number): { address: Uint8Array; account: Account }[] {
    const changed = this.#changedSince(slot)
    const same = this.vm.accountsOf(program).filter(({ address }) => !changed.has(encodeBase58(address)))
    const others = [...changed.values()].flatMap(({ address, before }) =>
      before !== null && Buffer.compare(before.owner, program) === 0
        ? [{ address: decodeBase58(address, KEY_BYTES)!, account: before }]
        : [],
    )
    return [...same, ...others]
  }

  /** @param effects  null when it would fail */
  simulate(
    sent: SubmittedTransaction,
    rules: SimulationRules,
  ): { verdict: Simulation; effects: SimulatedEffects | null } {
    const { verifySignatures, blockhashSeenAt, slots = this.slots } = rules
    // The machine detects a repeated transaction only if it verifies signatures.
    const isRepeated = blockhashSeenAt !== null && this.#hasLanded(sent)
    const isForeign = blockhashSeenAt !== null && !slots.isUsable(sent.blockhash, blockhashSeenAt)
    const checks = { signatures: verifySignatures || isRepeated, blockhash: isForeign }
    this.prepare?.(sent.wire)
    const giveBack = this.#takeMore(sent)
    const simulated = this.vm.simulate(sent.wire.bytes, checks)
    giveBack()
    // The machine looks for the payer first, a node for the blockhash.
    const isStrange = isForeign && simulated.failure?.err === 'AccountNotFound'
    const verdict = isStrange ? { ...simulated, failure: BLOCKHASH_NOT_FOUND } : simulated
    const accounts = verdict.failure === null ? resolveAccounts(sent, this.vm.account) : null
    if (accounts === null) return { verdict, effects: null }

    const changed = new Map(verdict.postAccounts.map((post) => [encodeBase58(post.address), post.account]))
    const accountAfter: ReadAccount = (address) =>
      changed.get(encodeBase58(address)) ?? this.vm.account(address)
    const before = balances(accounts, this.vm.account)
    const after = balances(accounts, accountAfter)
    return { verdict, effects: { accounts, before, after, fee: missing(before, after), accountAfter } }
  }

  /**
   * Executes the transaction in the newest slot. One that could not be loaded leaves no trace.
   * @param isGift  its changes are visible at every commitment and node at once, as placed accounts are
   */
  process(sent: SubmittedTransaction, isGift = false): Verdict {
    this.prepare?.(sent.wire)
    const accounts = resolveAccounts(sent, this.vm.account)
    const before = accounts === null ? null : balances(accounts, this.vm.account)
    const held = accounts?.keys.map(this.vm.account) ?? []
    const giveBack = this.#takeMore(sent)
    const verdict = this.vm.execute(sent.wire.bytes, {
      signatures: true,
      blockhash: !this.slots.isUsable(sent.blockhash, 'processed'),
    })
    const isNew = !this.#landed.has(sent.signature) && this.vm.remembers(sent.wire.signature(0))
    if (!isNew) giveBack()
    if (accounts !== null && before !== null && isNew) {
      for (const [i, key] of accounts.keys.entries()) this.#renewNonce(key, held[i]!)
      const after = balances(accounts, this.vm.account)
      const effects = { accounts, before, after, fee: missing(before, after) }
      if (!isGift) for (const [i, key] of accounts.keys.entries()) this.#noteChange(key, held[i]!)
      this.#remember({
        sent,
        verdict,
        effects,
        slot: this.slots.slot('processed'),
        blockTime: this.#unixSeconds(),
      })
    }
    return verdict
  }

  /**
   * The machine charges its own fee for a signature: charges the rest of the cluster's, before anything else,
   * as the machine does. @returns undoes it
   */
  #takeMore({ wire }: SubmittedTransaction): () => void {
    const more = (this.perSignature - LAMPORTS_PER_SIGNATURE) * BigInt(wire.requiredSignatures)
    const payer = Uint8Array.from(wire.key(0))
    const held = more === 0n ? null : this.vm.account(payer)
    if (held === null) return () => {}
    this.vm.place(payer, { ...held, lamports: held.lamports > more ? held.lamports - more : 0n })
    return () => this.vm.place(payer, held)
  }

  /** By address: what each account was at the end of a slot, for those that changed since. */
  #changedSince(slot: number): Map<string, AccountChange> {
    const changed = new Map<string, AccountChange>()
    if (slot >= this.clock.newest) return changed
    for (const change of this.#changes) {
      if (change.slot > slot && !changed.has(change.address)) changed.set(change.address, change)
    }
    return changed
  }

  /**
   * Derives a new nonce from the slot's blockhash. The machine derives it from the transaction's blockhash,
   * and refuses to advance a nonce twice under the same one. So this nonce is one that no transaction's
   * blockhash gives.
   */
  #renewNonce(key: Uint8Array, before: Account | null): void {
    const account = this.vm.account(key)
    if (account === null || !isNonce(account) || isEqual(before, account)) return
    const hash = decodeBase58(this.clock.hash(this.clock.newest), KEY_BYTES)!
    const nonce = sha256(Buffer.concat([NONCE_OF_SLOT, hash]))
    if (before !== null && Buffer.compare(nonceOf(before), nonce) === 0) return
    const data = Uint8Array.from(account.data)
    data.set(nonce, NONCE_AT)
    this.vm.place(key, { ...account, data })
  }

  #noteChange(key: Uint8Array, before: Account | null): void {
    if (isEqual(before, this.vm.account(key))) return
    const slot = this.clock.newest
    const oldest = slot - MAX_LAG - SLOTS_BEHIND.finalized
    while (this.#changes.length > 0 && this.#changes[0]!.slot < oldest) this.#changes.shift()
    this.#changes.push({ slot, address: encodeBase58(key), before })
  }

  #hasLanded({ signature, wire }: SubmittedTransaction): boolean {
    const landed = this.#landed.get(signature)
    return landed !== undefined && Buffer.compare(landed.sent.wire.bytes, wire.bytes) === 0
  }

  #remember(landed: Landed): void {
    this.#landed.set(landed.sent.signature, landed)
    if (this.#landed.size > REMEMBERED_TRANSACTIONS) this.#landed.delete(this.#landed.keys().next().value!)
    this.onLanded?.(landed)
  }

  #enterSlot(): void {
    const newest = this.slots.slot('processed')
    const hashes = Array.from({ length: MAX_BLOCKHASH_AGE }, (_, i) => ({
      slot: BigInt(newest - 1 - i),
      hash: this.clock.hash(newest - 1 - i),
    }))
    this.vm.enterSlot(newest, this.#unixSeconds(), hashes)
  }

  #unixSeconds(): number {
    return Math.floor(this.#now() / 1_000)
  }
}

const NONCE_OF_SLOT = Buffer.from('SANDBOX_NONCE')
const NONCE_ACCOUNT_BYTES = 80
const NONCE_AT = 40

/** Whether it is a nonce account in use: `[version u32][state u32, 1][authority 32][nonce 32][fee u64]`. */
const isNonce = ({ owner, data }: Account): boolean =>
  data.length === NONCE_ACCOUNT_BYTES && data[4] === 1 && owner.every((byte) => byte === 0)

const nonceOf = ({ data }: Account): Uint8Array => data.subarray(NONCE_AT, NONCE_AT + KEY_BYTES)

function balances({ keys }: LoadedAccounts, read: ReadAccount): TransactionBalances {
  const accounts = keys.map(read)
  const tokens: TokenBalance[] = []
  accounts.forEach((account, accountIndex) => {
    const balance = account === null ? null : tokenBalance(account, accountIndex, read)
    if (balance !== null) tokens.push(balance)
  })
  return { lamports: accounts.map((account) => account?.lamports ?? 0n), tokens }
}

function tokenBalance(account: Account, accountIndex: number, read: ReadAccount): TokenBalance | null {
  const token = readTokenAccount(account)
  const decimals = token === null ? null : readMintDecimals(read(token.mint))
  if (token === null || decimals === null) return null
  return {
    accountIndex,
    mint: encodeBase58(token.mint),
    owner: encodeBase58(token.owner),
    programId: encodeBase58(account.owner),
    amount: token.amount,
    decimals,
  }
}

function isEqual(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b
  return a.lamports === b.lamports && !Buffer.compare(a.data, b.data) && !Buffer.compare(a.owner, b.owner)
}

const sum = (lamports: readonly bigint[]): bigint => lamports.reduce((total, amount) => total + amount, 0n)
const missing = (before: TransactionBalances, after: TransactionBalances): bigint =>
  sum(before.lamports) - sum(after.lamports)
