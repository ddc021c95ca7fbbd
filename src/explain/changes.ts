/** What executing a transaction took, compared with what its effects state. */
import { WRAPPED_SOL_MINT } from '../chains/solana/programs.ts'
import type { Findings } from './findings.ts'
import { boundOf, DEPOSIT } from './ledger.ts'
import type { Change, Effect } from './types.ts'

const LOSING: ReadonlySet<Effect['kind']> = new Set(['pays', 'cost', 'account', 'destroys'])
/** Wrapped SOL counts as SOL, also in a node's figures. */
const coinOf = (asset: string): string => (asset === WRAPPED_SOL_MINT ? 'native' : asset.toLowerCase())

/**
 * Judges what the execution took from the owner: no more than the effects state.
 * @param isSigned  whether it is what a signature lets others take: a permission takes nothing by itself
 */
export function judgeChanges(found: Findings, changes: readonly Change[], isSigned = false): void {
  const takes = (kind: Effect['kind']) => LOSING.has(kind) || (isSigned && kind === 'permission')
  const losing = found.effects.filter(
    ({ kind, holder, to, what }) =>
      takes(kind) &&
      (holder === null || found.isOwn(holder)) &&
      (!found.isOwn(to) || kind === 'account' || what === DEPOSIT),
  )
  const unnamed = losing
    .filter(({ asset }) => asset === null)
    .map(({ amount }) => (amount === null ? null : BigInt(amount)))
    // Those without an amount last: each of them is enough for one.
    .sort((one, other) => Number(one === null) - Number(other === null))
    .slice(-MOST_UNNAMED)
  const explained: bigint[] = []
  const most = boundOf(found.chain).costs
  for (const { token, amount } of changes) {
    let left = -BigInt(amount)
    for (const { kind, asset, amount } of losing) {
      if (asset === null || coinOf(asset) !== coinOf(token)) continue
      // A cost that no byte bounds explains only a negligible loss.
      const named = amount ?? (kind === 'cost' ? most : null)
      left = named === null ? 0n : left - BigInt(named)
    }
    if (isTaken([...explained, left], unnamed)) explained.push(left)
    else
      found.riskOfAll(
        'unexplained_outflow',
        `Executing it takes ${found.says({ asset: token, amount: String(left) })} that none of its parts names.`,
      )
  }
}

/** The most effects of unknown asset that are tried for each loss. */
const MOST_UNNAMED = 6

/**
 * @param unnamed  amounts of effects, each of one asset; those of any amount, null, are the last
 * @returns whether they can have taken all that is lost
 */
function isTaken(losses: readonly bigint[], [one, ...others]: readonly (bigint | null)[]): boolean {
  if (losses.every((left) => left <= 0n)) return true
  if (one === undefined || losses.filter((left) => left > 0n).length > others.length + 1) return false
  if (one === null) return true
  return losses.some(
    (left, i) =>
      left > 0n &&
      isTaken(
        losses.map((loss, nth) => (nth === i ? loss - one : loss)),
        others,
      ),
  )
}
