/**
 * The result of simulating material at a node, and the check that it matches what
 * the wallet agreed to. It covers what the bytes alone cannot show.
 */
import { type Agreed, refuseMaterial } from '../verification.ts'

/** A gain of the wallet, or a loss if the amount is negative. */
export interface BalanceChange {
  /** Canonical; null for the native coin. */
  readonly token: string | null
  /** Base units. */
  readonly amount: bigint
}

export interface MaterialSimulation {
  /** How it was simulated, such as `eth_simulateV1`; names the sandbox's ledger if that did it. */
  readonly by: string
  /** The block, slot or checkpoint of the state; null if the node does not say. */
  readonly at: number | null
  /** The wallet's balance changes; unchanged balances are not listed. */
  readonly changes: readonly BalanceChange[]
}

/**
 * @throws GatewayError  material_refused, rule `simulation`, if the wallet would lose more or gain less than
 * agreed
 */
export function requireAgreed(changes: readonly BalanceChange[], agreed: Agreed): void {
  const { spends, receives, atMostNativeFees } = agreed
  for (const { token, amount } of changes) {
    const spent = token === spends.token ? spends.atMost : 0n
    const fees = token === null ? atMostNativeFees : 0n
    if (amount < -(spent + fees)) throw refuseMaterial('simulation')
  }
  if (receives === null) return
  const gained = sumOf(changes, receives.token)
  // The native balance is read after fees were paid.
  const fees = receives.token === null ? atMostNativeFees : 0n
  if (gained + fees < receives.atLeast) throw refuseMaterial('simulation')
}

/** Adds up the changes by token and drops sums of zero. */
export function summed(changes: Iterable<BalanceChange>): readonly BalanceChange[] {
  const sums = new Map<string | null, bigint>()
  for (const { token, amount } of changes) sums.set(token, (sums.get(token) ?? 0n) + amount)
  return [...sums].flatMap(([token, amount]) => (amount === 0n ? [] : [{ token, amount }]))
}

function sumOf(changes: readonly BalanceChange[], token: string | null): bigint {
  return changes.reduce((sum, change) => (change.token === token ? sum + change.amount : sum), 0n)
}
