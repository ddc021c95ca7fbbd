/** One sentence for the whole of a transaction. */
import type { Findings } from './findings.ts'
import { amountIn } from './ledger.ts'
import type { Effect } from './types.ts'

/** The most that one sentence lists of a kind. */
const MOST = 3

/**
 * @returns one sentence: what the wallet loses, hands over and gets; for each possible wallet, if none was
 * named
 */
export function summaryOf(found: Findings): string {
  const { effects, unknown, signers } = found
  const bySubject = new Map<string, Effect[]>()
  for (const effect of effects) {
    const { holder } = effect
    if (holder !== null && !found.concerns(holder)) continue
    const isGuessed = holder !== null && signers.size > 0 && (signers.has(holder) || found.isOwn(holder))
    const isWallet = holder === null || found.isOwn(holder)
    const subject = isGuessed
      ? found.nameOf(holder)
      : isWallet
        ? 'Your wallet'
        : `The account ${found.nameOf(holder)}`
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), effect])
  }
  const clauses = [...bySubject].flatMap(([subject, all]) => {
    const parts = partsOf(found, all)
    const last = parts.pop()
    if (last === undefined) return []
    return [`${subject} ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}`]
  })
  const known = clauses.join('; ')
  const count = unknown.length === 1 ? 'one part was' : `${unknown.length} parts were`
  if (unknown.length === 0) return `${known || 'Nothing of your wallet moves'}.`
  return `${known || 'Nothing that was read moves anything of your wallet'}, and ${count} not understood.`
}

const SUMMED: ReadonlySet<Effect['kind']> = new Set(['pays', 'receives', 'cost', 'destroys'])

/** What moves, summed by the asset and where it goes: ten payments of one coin are ten coins. */
function summed(effects: readonly Effect[]): readonly Effect[] {
  const sums = new Map<unknown, Effect>()
  for (const one of effects) {
    const { kind, asset, amount, to, what } = one
    const key = SUMMED.has(kind) && asset !== null ? [kind, asset, to, what].join() : one
    const before = sums.get(key) ?? { ...one, amount: amount && '0' }
    const all = before.amount && amount && String(BigInt(before.amount) + BigInt(amount))
    sums.set(key, { ...before, amount: all })
  }
  return [...sums.values()]
}

/** What happens to the things of one holder. */
function partsOf(found: Findings, all: readonly Effect[]): string[] {
  const { chain } = found
  const mine = summed(all)
  const who = (to: string | null) => (to === null ? 'an account that is not shown' : found.nameOf(to))
  const list = (kind: Effect['kind'], words: (effect: Effect) => string, of = mine): string[] => {
    const all = [...new Set(of.filter((one) => one.kind === kind).map(words))]
    return all.length > MOST ? [...all.slice(0, MOST), `${all.length - MOST} more of the kind`] : all
  }
  const sum = (kind: Effect['kind']): bigint =>
    mine
      .filter((one) => one.kind === kind && one.asset === 'native')
      .reduce((all, { amount }) => all + BigInt(amount ?? 0), 0n)
  const native = (amount: bigint) => amountIn(chain, { asset: 'native', amount: String(amount) })
  const [costs, rent] = [sum('cost'), sum('account')]
  const tokens = mine.filter(({ asset }) => asset !== 'native')
  const unbounded = mine.filter(({ asset, amount }) => asset === 'native' && amount === null)
  return [
    ...list('control', ({ asset, to, what }) => {
      const power = `${what ?? 'control'} of ${asset === null ? 'something' : found.nameOf(asset)}`
      return to === null ? `gives up ${power}` : `gives ${power} to ${who(to)}`
    }),
    ...list('permission', (one) => `lets ${who(one.to)} take ${amountIn(chain, one)}`),
    ...list('pays', (one) => `pays ${amountIn(chain, one)} to ${who(one.to)}`),
    ...list('destroys', (one) => `destroys ${amountIn(chain, one)}`),
    ...list('receives', (one) =>
      one.amount === null
        ? `gets back what there is of ${amountIn(chain, one).slice(4)}`
        : `gets at least ${amountIn(chain, one)}`,
    ),
    ...list('cost', (one) => `pays ${amountIn(chain, one)} as ${one.what ?? 'a fee'}`, tokens),
    ...(rent > 0n ? [`locks ${native(rent)} as rent`] : []),
    ...(costs > 0n ? [`pays ${chain.family === 'sui' ? 'at most ' : ''}${native(costs)} in fees`] : []),
    ...list('cost', ({ what }) => `pays ${what}`, unbounded),
  ]
}
