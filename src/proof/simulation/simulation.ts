/**
 * The result of simulating material at a node, and the check that it matches what
 * the wallet agreed to. It covers what the bytes alone cannot show.
 */
import { GatewayError } from '../../runtime/errors.ts'
import { type Agreed, refuseMaterial, type Spent } from '../terms/verification.ts'

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
  /**
   * The network's fee in the native coin, which is part of the changes; null if the node does not report it:
   * then it is what the bytes offer.
   */
  readonly gas: bigint | null
  /** As in `Spent`, if the family has these. */
  readonly spent?: Partial<Pick<Spent, 'units' | 'approvalUnits' | 'rents' | 'seen'>>
}

/** What it took in addition to the swapped amount. */
export const spentOf = ({ changes, gas, spent = {} }: MaterialSimulation): Spent => ({
  units: null,
  approvalUnits: null,
  rents: [],
  ...spent,
  gas,
  native: sumOf(changes, null),
})

/**
 * @throws GatewayError  material_refused, rule `simulation`, if the wallet would lose more or gain less than
 * agreed, or pay more for gas
 */
export function requireAgreed(
  { changes, gas }: Pick<MaterialSimulation, 'changes' | 'gas'>,
  agreed: Agreed,
): void {
  const { spends, receives, atMostNativeFees, atMostGas } = agreed
  const used = gas ?? atMostGas
  if (used > atMostGas) throw refuseMaterial('simulation')
  // Balances are read after gas was paid. Only the used part of it isn't a loss.
  const withoutGas = summed([...changes, { token: null, amount: used }])
  for (const { token, amount } of withoutGas) {
    const spent = token === spends.token ? spends.atMost : 0n
    const fees = token === null ? atMostNativeFees : 0n
    if (amount < -(spent + fees)) throw refuseMaterial('simulation')
  }
  if (receives === null) return
  const gained = sumOf(withoutGas, receives.token)
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

/** @param node  that gave an answer which cannot be read, such as `The Sui node` */
export const unreadable = (node: string): GatewayError =>
  new GatewayError('upstream_unusable', `${node} gave no readable simulation result. Try again later.`)
