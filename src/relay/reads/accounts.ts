/**
 * Polls all watched accounts together, a hundred in one getMultipleAccounts, in a
 * round a slot. Each account is read once, whichever form its watchers want, and
 * its bytes are bounded. If there are more than a round has room for, clients
 * have equal shares, and the accounts that were polled longest ago come first.
 *
 *   round ─┬─ getMultipleAccounts [100]   at confirmed
 *          └─ getMultipleAccounts [100]   at finalized
 *
 * Source: agave rpc/src/rpc.rs (get_multiple_accounts)
 */
import { createHash } from 'node:crypto'
import { Items, membersOf } from '../../chains/json/member.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { Call } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import { nullIfRefused } from '../../runtime/errors.ts'
import { addToCount, getOrInsert } from '../../runtime/lists.ts'
import type { RpcReply } from '../../upstream/nodes/solana/rpc.ts'
import { slotIn } from '../../upstream/nodes/solana/slots.ts'
import { type PollerOptions, Rounds } from './rounds.ts'
import type { Commitment } from './statuses.ts'

const MAX_ADDRESSES = 100
/** Calls in one round. */
const MAX_CALLS = 4
/** Accounts of one client in one round; its share may include accounts that others watch, too. */
const MAX_OF_CLIENT = 100
const DEADLINE_MS = 4_000
/** The bytes read of each account: tick arrays and bins of pools are this long, token accounts a sixtieth. */
export const MAX_DATA_BYTES = 10_240

/** Longer than a lagging node answers alone: slot numbers that stay lower have gone back, as in slots.ts. */
const GONE_BACK_MS = 10_000

const NUMBER = /^\d{1,20}$/

/** An account's state, as JSON text for numbers that may exceed 2^53. */
export type AccountState = Readonly<NonNullable<ReturnType<typeof readState>>>

export interface AccountWatcher {
  readonly client: Client
  /** Called with its part of a call, or of the bytes of its answer. */
  onAsked?(calls: number, bytes: number): void
  /** Called once, when the state from which changes are reported is known; may be called at once. */
  onKnown(slot: number, isCut: boolean): void
  /** @param state  null if there is no such account */
  onChange(slot: number, state: AccountState | null): void
}

const newWatched = (address: string, commitment: Commitment) => ({
  address,
  commitment,
  watchers: new Set<AccountWatcher>(),
  /** The last answer's; null before the first one. */
  digest: null as string | null,
  slot: 0,
  /** When an answer of this slot arrived; monotonic, ms. */
  reportedAt: 0,
  isCut: false,
})
type WatchedAccount = ReturnType<typeof newWatched>

export class AccountPoller {
  readonly #options: PollerOptions
  /** By commitment and address, in the order of their last polls. */
  readonly #watched = new Map<string, WatchedAccount>()
  readonly #rounds: Rounds

  constructor(options: PollerOptions) {
    this.#options = options
    this.#rounds = new Rounds(options, () => this.#round())
  }

  /** The number of watched accounts; one that is watched at two commitments counts twice. */
  get size(): number {
    return this.#watched.size
  }

  /**
   * @param address  base58 of 32 bytes
   * @returns stops watching
   */
  watch(address: string, commitment: Commitment, watcher: AccountWatcher): () => void {
    const key = `${commitment} ${address}`
    const watched = getOrInsert(this.#watched, key, () => newWatched(address, commitment))
    const { watchers, digest, slot, isCut } = watched
    watchers.add(watcher)
    if (digest === null) this.#rounds.schedule(true)
    else watcher.onKnown(slot, isCut)
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0) this.#watched.delete(key)
    }
  }

  /** Ends all polling. */
  close(): void {
    this.#watched.clear()
    this.#rounds.close()
  }

  /** @returns whether there are watchers */
  async #round(): Promise<boolean> {
    await Promise.all(this.#due().map((accounts) => this.#ask(accounts)))
    return this.#watched.size > 0
  }

  /** The calls of a round, each of one commitment. */
  #due(): (readonly WatchedAccount[])[] {
    const calls: WatchedAccount[][] = []
    const open = new Map<Commitment, WatchedAccount[]>()
    const spent = new Map<Client, number>()
    for (const [key, watched] of [...this.#watched]) {
      const payer = payerOf(watched, spent)
      if (payer === null) continue
      let call = open.get(watched.commitment)
      if (call === undefined || call.length === MAX_ADDRESSES) {
        if (calls.length === MAX_CALLS) continue
        calls.push((call = []))
        open.set(watched.commitment, call)
      }
      call.push(watched)
      addToCount(spent, payer, 1)
      this.#watched.delete(key)
      this.#watched.set(key, watched)
    }
    return calls
  }

  async #ask(accounts: readonly WatchedAccount[]): Promise<void> {
    const options = {
      encoding: 'base64',
      commitment: accounts[0]!.commitment,
      // One byte more shows whether there is more.
      dataSlice: { offset: 0, length: MAX_DATA_BYTES + 1 },
    }
    const params = JSON.stringify([accounts.map(({ address }) => address), options])
    charge(accounts, 1, 0)
    const { rpc, clock } = this.#options
    const call = Call.of(clock, 'research', DEADLINE_MS)
    // The log has a failure already; the next round asks again.
    const reply = await rpc.read('getMultipleAccounts', params, call).catch(nullIfRefused)
    if (reply === null) return
    const answer = readAccounts(reply, accounts.length)
    charge(accounts, 0, reply.result?.length ?? 0)
    if (answer === null) return
    const nowMs = clock.now()
    for (const [at, watched] of accounts.entries()) report(watched, answer.slot, answer.states[at]!, nowMs)
  }
}

/** A client whose share of the round has room for the account; null if there is none. */
function payerOf({ watchers }: WatchedAccount, spent: ReadonlyMap<Client, number>): Client | null {
  for (const { client } of watchers) if ((spent.get(client) ?? 0) < MAX_OF_CLIENT) return client
  return null
}

/** Splits calls, or bytes of their answers, among the accounts' watchers. */
function charge(accounts: readonly WatchedAccount[], calls: number, bytes: number): void {
  for (const { watchers } of accounts) {
    const shares = accounts.length * watchers.size
    for (const watcher of watchers) watcher.onAsked?.(calls / shares, bytes / shares)
  }
}

/** Lagging nodes report older states, which aren't changes. */
function report(watched: WatchedAccount, slot: number, state: AccountState | null, nowMs: number): void {
  if (slot < watched.slot && nowMs - watched.reportedAt < GONE_BACK_MS) return
  const digest = digestOf(state)
  const before = watched.digest
  watched.slot = slot
  watched.reportedAt = nowMs
  watched.digest = digest
  watched.isCut = state?.isCut ?? false
  if (before === digest) return
  // A watcher may end itself.
  for (const watcher of [...watched.watchers]) {
    if (before === null) watcher.onKnown(slot, watched.isCut)
    else watcher.onChange(slot, state)
  }
}

/** Nodes of two versions may spell the same state differently. */
function digestOf(state: AccountState | null): string {
  if (state === null) return 'none'
  const { lamports, owner, executable, space, data } = state
  const hash = createHash('sha256').update(`${lamports} ${owner} ${executable} ${data.length}`)
  return hash
    .update(state.isCut && space !== null ? space : '')
    .update(data)
    .digest('base64')
}

/** @returns null if the result does not answer this many accounts in this form */
export function readAccounts({ result }: Pick<RpcReply, 'result'>, count: number) {
  if (result === null) return null
  const members = membersOf(result, 0, ['context', 'value'])
  const context = members.get('context')
  const value = members.get('value')
  if (context === undefined || value === undefined) return null
  const slot = slotIn(result, context.start, 'slot')
  if (slot === null) return null
  const states: (AccountState | null)[] = []
  const items = new Items(result, value.start)
  for (let item = items.next(); item !== null && states.length <= count; item = items.next()) {
    const state = readState(result, item.start)
    if (state === undefined) return null
    states.push(state)
  }
  return states.length === count ? { slot, states } : null
}

const MEMBERS = ['lamports', 'owner', 'executable', 'rentEpoch', 'space', 'data'] as const

/** @returns undefined for anything but null and an account in base64 */
function readState(bytes: Buffer, start: number) {
  if (bytes.toString('latin1', start, start + 4) === 'null') return null
  const found = membersOf(bytes, start, MEMBERS)
  const text = (name: (typeof MEMBERS)[number]): string => {
    const range = found.get(name)
    return range === undefined ? '' : bytes.toString('latin1', range.start, range.end)
  }
  const [lamports, rentEpoch] = [text('lamports'), text('rentEpoch')]
  const [space, executable] = [text('space'), text('executable')]
  const owner = text('owner').slice(1, -1)
  const encoded = /^\[\s*"([A-Za-z0-9+/=]*)"\s*,\s*"base64"\s*\]$/.exec(text('data'))
  const hasForm =
    NUMBER.test(lamports) &&
    NUMBER.test(rentEpoch) &&
    (space === '' || NUMBER.test(space)) &&
    (executable === 'true' || executable === 'false') &&
    isBase58Of(owner, 32)
  if (!hasForm || encoded === null) return undefined
  const data = Buffer.from(encoded[1]!, 'base64')
  return {
    lamports,
    owner,
    executable: executable === 'true',
    rentEpoch,
    /** The length of all data; null if the node does not say. */
    space: space === '' ? null : space,
    /** The first MAX_DATA_BYTES at most. */
    data: data.subarray(0, MAX_DATA_BYTES),
    /** Whether there is more. */
    isCut: data.length > MAX_DATA_BYTES,
  }
}
