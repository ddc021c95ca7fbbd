/**
 * Replaces the compute budget that a provider set in an unsigned Solana transaction. The limit comes from a
 * simulation: it is what the wallet pays for, and too low a limit fails. The price, if a level is asked for,
 * is the current one for the accounts that the transaction writes to. The result is proved and executed like
 * any other material.
 *
 * Source: solana.com/docs/core/fees
 */
import {
  computeBudgetOf,
  highestPrice,
  MAX_COMPUTE_UNITS,
  priorityLamports,
  withComputeBudget,
} from '../chains/solana/compute-budget.ts'
import { MAX_TRANSACTION_BYTES } from '../chains/solana/sizes.ts'
import type { Call } from '../flow/call.ts'
import { simulatedUnits, writableIn } from '../proof/simulation/solana.ts'
import { openUnsigned } from '../proof/solana/solana.ts'
import type { FeePriority, PriorityLevel } from '../proof/terms/order.ts'
import { CONFIRM_MS } from '../proof/terms/verification.ts'
import { GatewayError, nullIfUnanswered } from '../runtime/errors.ts'
import type { BuildResult } from '../runtime/resources/build.ts'
import { MAX_FEE_ACCOUNTS, type PriorityFees, type RecentFees } from '../upstream/nodes/solana/priority.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'

/** A node's answer for long accounts is not read. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024
/** The next execution may take more, because pools have moved. Percent, and a minimum in units. */
const MARGIN_PERCENT = 20
const LEAST_MARGIN = 1_000

/**
 * The least that a level pays, in micro-lamports per unit: some nodes report 0 for higher levels, and a block
 * with room may be full by the next slot.
 */
const LEAST: Readonly<Record<PriorityLevel, number>> = { none: 0, low: 1_000, medium: 10_000, high: 100_000 }

/** The price of each level. */
export function pricesOf({ percentiles }: Pick<RecentFees, 'percentiles'>, most: bigint) {
  const { p25 = 0, p50 = 0, p75 = 0 } = percentiles ?? {}
  const priceOf = (level: PriorityLevel, recent: number): number =>
    Math.min(Math.max(LEAST[level], recent), Number(most))
  return { none: 0, low: priceOf('low', p25), medium: priceOf('medium', p50), high: priceOf('high', p75) }
}

/** What a transaction pays for priority. */
export type Paid = NonNullable<BuildResult['priority']>

interface PriorityTerms {
  readonly from: string
  /** Absent: the provider's price. */
  readonly priority?: FeePriority
  /** Lamports that it may come to. */
  readonly most: bigint
  /** The highest price that the proof accepts, micro-lamports per unit. Absent: that of a swap. */
  readonly mostPrice?: bigint
  /** Who built the transaction. */
  readonly provider: string
}

/**
 * @throws GatewayError  material_refused; no_route if it would not fit into a packet; upstream_* if prices
 * are asked for
 */
export type Prioritize = (
  transaction: string,
  terms: PriorityTerms,
  call: Call,
) => Promise<{ readonly transaction: string; readonly paid: Paid }>

interface PrioritizeOptions {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly fees: Pick<PriorityFees, 'recent'>
  readonly maxComputeUnitPrice: bigint
}

export function createPrioritize({ solana, fees, maxComputeUnitPrice }: PrioritizeOptions): Prioritize {
  return async (transaction, { from, priority, most, mostPrice = maxComputeUnitPrice, provider }, whole) => {
    const wire = openUnsigned(transaction, from)
    const offered = computeBudgetOf(wire)!
    // Without a requested priority it isn't worth a long wait: the provider's limit will do.
    const call = priority === undefined ? whole.within(CONFIRM_MS) : whole
    const ask = async (method: string, params: readonly unknown[]): Promise<string> => {
      const { result } = await solana.read(method, JSON.stringify(params), call.as('build'))
      if (result !== null && result.length <= MAX_RESULT_BYTES) return result.toString()
      const message = 'The Solana node answered with an error. Try again later.'
      throw new GatewayError('upstream_unusable', message)
    }
    const free = withComputeBudget(wire, { price: 0n, limit: MAX_COMPUTE_UNITS }).toString('base64')
    const [unitsConsumed, recent] = await Promise.all([
      // A wallet that cannot pay yet is given the provider's limit.
      simulatedUnits(free, ask).catch(nullIfUnanswered),
      typeof priority !== 'string' || priority === 'none'
        ? null
        : writableIn(wire, ask).then((accounts) => fees.recent(accounts.slice(0, MAX_FEE_ACCOUNTS), call)),
    ])
    const limit = unitsConsumed === null ? offered.limit : withMargin(unitsConsumed)
    const wanted =
      typeof priority === 'string'
        ? BigInt(recent === null ? 0 : pricesOf(recent, maxComputeUnitPrice)[priority])
        : (priority ?? offered.price)
    // The proof refuses what costs more than a share of what is swapped.
    const highest = highestPrice(most, limit ?? MAX_COMPUTE_UNITS)
    const price = [highest, mostPrice].reduce((least, one) => (one < least ? one : least), wanted)
    const bytes = withComputeBudget(wire, { price, limit })
    if (bytes.length > MAX_TRANSACTION_BYTES) throw tooLarge(provider)
    return {
      transaction: bytes.toString('base64'),
      paid: {
        computeUnitPrice: String(price),
        computeUnitLimit: limit,
        lamports: String(priorityLamports(price, limit ?? MAX_COMPUTE_UNITS)),
        unitsConsumed,
        slots: recent?.slots ?? null,
      },
    }
  }
}

function withMargin(units: number): number {
  const margin = Math.max(Math.ceil((units * MARGIN_PERCENT) / 100), LEAST_MARGIN)
  return Math.min(units + margin, MAX_COMPUTE_UNITS)
}

function tooLarge(provider: string): GatewayError {
  const message = `With a priority fee the transaction is larger than ${MAX_TRANSACTION_BYTES} bytes. Try another amount, or leave \`priority\` out.`
  return new GatewayError('no_route', message, { provider, field: 'priority' })
}
