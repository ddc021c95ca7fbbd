/**
 * Whether durable nonces are still unused, for the transactions that wait for them: all that want to know ask in one
 * call, and one call is under way at a time.
 *
 * A node that lags shows the value before this one. So another value counts only in an answer of a later slot than
 * one that had this value; or much later, if none ever had it.
 */
import type { Nonce } from '../../chains/solana/nonce.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { nullIfRefused } from '../../runtime/errors.ts'
import { askNonces, MAX_ACCOUNTS, type NonceAccount } from '../../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'

const DEADLINE_MS = 4_000
/** No node that answers is further behind the others. */
const MAX_LAG_SLOTS = 100

/** The nonce of a transaction that waits. */
export class HeldNonce {
  readonly nonce: Nonce
  /** Whether the account has another value: the transaction has landed, or never will. */
  isAdvanced = false
  /** Another value counts in answers of later slots; null before the first answer. */
  #after: number | null = null

  constructor(nonce: Nonce) {
    this.nonce = nonce
  }

  /**
   * @param value  what the account holds, in base58; null if it is no nonce account any more
   * @param slot   of the node's answer
   */
  observe(value: string | null, slot: number): void {
    if (value === this.nonce.value) this.#after = slot
    else if (this.#after === null) this.#after = slot + MAX_LAG_SLOTS
    else if (slot > this.#after) this.isAdvanced = true
  }
}

export class Nonces {
  readonly #rpc: Pick<SolanaRpc, 'read'>
  readonly #clock: Clock
  readonly #waiting = new Set<HeldNonce>()
  #isAsking = false

  constructor(rpc: Pick<SolanaRpc, 'read'>, clock: Clock) {
    this.#rpc = rpc
    this.#clock = clock
  }

  /** Whether a node shows another value at this time; false also if none answers. */
  async hasOther({ nonce }: HeldNonce, scope: CancellationScope): Promise<boolean> {
    const answer = await this.#read([nonce.account], scope)
    const value = answer === null ? null : valueIn(answer.accounts[0]!)
    // A node that lags may not have the account yet.
    return value !== null && value !== nonce.value
  }

  /** Has it learn what its account holds. */
  look(held: HeldNonce): void {
    this.#waiting.add(held)
    if (!this.#isAsking) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    const asked = [...this.#waiting].slice(0, MAX_ACCOUNTS)
    for (const one of asked) this.#waiting.delete(one)
    const answer = await this.#read(asked.map(({ nonce }) => nonce.account))
    if (answer !== null)
      for (const [i, one] of asked.entries()) one.observe(valueIn(answer.accounts[i]!), answer.slot)
    this.#isAsking = false
    if (this.#waiting.size > 0) void this.#ask()
  }

  #read(accounts: readonly string[], scope?: CancellationScope) {
    const call = Call.of(this.#clock, 'research', DEADLINE_MS, scope)
    return askNonces(this.#rpc, accounts, call).catch(nullIfRefused)
  }
}

const valueIn = (account: NonceAccount): string | null => (typeof account === 'string' ? null : account.value)
