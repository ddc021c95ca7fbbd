/**
 * Prices per compute unit that recently got transactions into blocks, as the node reports them: for each slot
 * the lowest price paid by a transaction that writes to one of the accounts.
 *
 * Source: anza-xyz/agave runtime/src/prioritization_fee_cache.rs
 */
import { Type } from 'typebox'
import type { Call } from '../../../flow/call.ts'
import { CLOCK, type Clock } from '../../../runtime/clock.ts'
import { named } from '../../../runtime/tape.ts'
import { Coalescer } from '../../answers/coalescing.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

/** The most accounts that a node takes. */
export const MAX_FEE_ACCOUNTS = 128
/** A few slots: prices of the last half minute move slower than that. */
const KEPT_MS = 1_000
const MAX_BYTES = 262_144

const askFees = checkedRead(
  'getRecentPrioritizationFees',
  Type.Array(
    Type.Object({
      slot: Type.Integer({ minimum: 0 }),
      /** JSON.parse rounds larger values; nobody pays as much. */
      prioritizationFee: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    { maxItems: 1_000 },
  ),
  'the recent priority fees',
  MAX_BYTES,
)

export type RecentFees = ReturnType<typeof summaryOf>

/** @param values  in any order; null if there are none */
export function percentilesOf(values: readonly number[]) {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const at = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1]!
  return { p25: at(25), p50: at(50), p75: at(75), p90: at(90) }
}

export class PriorityFees {
  readonly #rpc: Pick<SolanaRpc, 'read'>
  readonly #answers: Coalescer<RecentFees>

  constructor(rpc: Pick<SolanaRpc, 'read'>, clock: Clock = CLOCK) {
    this.#rpc = rpc
    this.#answers = new Coalescer(KEPT_MS, named(clock, 'fees'))
  }

  /**
   * @param accounts  base58, at most MAX_FEE_ACCOUNTS
   * @throws GatewayError  upstream_*
   */
  recent(accounts: readonly string[], call: Call): Promise<RecentFees> {
    const sorted = [...new Set(accounts)].sort()
    const params = sorted.length === 0 ? [] : [sorted]
    return this.#answers.join(sorted.join(), call.scope, async (shared) => {
      return summaryOf(await askFees(this.#rpc, params, call.in(shared)))
    })
  }
}

function summaryOf(fees: Awaited<ReturnType<typeof askFees>>) {
  const slots = fees.map(({ slot }) => slot)
  const prices = fees.map(({ prioritizationFee }) => prioritizationFee)
  return {
    /** Micro-lamports per compute unit; null if there is no slot. */
    percentiles: percentilesOf(prices),
    slots: slots.length,
    /** Slots in which the least was above zero. */
    paying: prices.filter((price) => price > 0).length,
    fromSlot: slots.length === 0 ? null : Math.min(...slots),
    toSlot: slots.length === 0 ? null : Math.max(...slots),
  }
}
