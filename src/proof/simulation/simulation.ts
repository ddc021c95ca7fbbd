/**
 * What executing material at a node showed, and whether it is what the wallet
 * agreed to: for what bytes cannot tell.
 */
import { type Agreed, refuseMaterial } from '../verification.ts'

/** What a wallet has more of afterwards, or less where it is negative. */
export interface BalanceChange {
  /** Canonical; null for the native coin. */
  readonly token: string | null
  /** Base units. */
  readonly amount: bigint
}

export interface Simulation {
  /** How it was executed, such as `eth_simulateV1`; the sandbox's own ledgers say so. */
  readonly by: string
  /** The state it was executed against: a block, a slot or a checkpoint; null where the node does not tell. */
  readonly at: number | null
  /** Of the wallet; what did not change is not listed. */
  readonly changes: readonly BalanceChange[]
}

/** @throws GatewayError  material_refused, rule `simulation`, where the wallet would lose more or gain less than it agreed to */
export function judge(changes: readonly BalanceChange[], agreed: Agreed): void {
  const { spends, receives, atMostNativeFees } = agreed
  for (const { token, amount } of changes) {
    const spent = token === spends.token ? spends.atMost : 0n
    const fees = token === null ? atMostNativeFees : 0n
    if (amount < -(spent + fees)) throw refuseMaterial('simulation')
  }
  if (receives === null) return
  const gained = sumOf(changes, receives.token)
  // Of the native coin the fees are gone already when the balance is read.
  const fees = receives.token === null ? atMostNativeFees : 0n
  if (gained + fees < receives.atLeast) throw refuseMaterial('simulation')
}

/** The changes, each token once, without those that cancel out. */
export function summed(changes: Iterable<BalanceChange>): readonly BalanceChange[] {
  const sums = new Map<string | null, bigint>()
  for (const { token, amount } of changes) sums.set(token, (sums.get(token) ?? 0n) + amount)
  return [...sums].flatMap(([token, amount]) => (amount === 0n ? [] : [{ token, amount }]))
}

function sumOf(changes: readonly BalanceChange[], token: string | null): bigint {
  return changes.reduce((sum, change) => (change.token === token ? sum + change.amount : sum), 0n)
}
