/** Words for effects: amounts by decimals that are our own, and one sentence for the whole. */
import { formatAmount } from '../../chains/amount.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { findMajor } from '../../chains/majors.ts'
import type { Books } from './ledger.ts'
import type { Effect } from './types.ts'

/** An amount with its symbol, where this house knows the token itself. A token's own word for it never counts. */
export function amountIn(
  chain: ChainDefinition,
  { asset, amount }: Pick<Effect, 'asset' | 'amount'>,
): string {
  const major =
    asset === 'native'
      ? { symbol: chain.native, decimals: chain.decimals }
      : findMajor(chain.key, asset ?? '')
  const name = major?.symbol ?? asset ?? 'a token that is not named'
  if (amount === null) return `all ${name}`
  return major ? `${formatAmount(BigInt(amount), major.decimals)} ${name}` : `${amount} base units of ${name}`
}

/** The most that one sentence lists of a kind. */
const MOST = 3

/** @returns one sentence: what the wallet loses, hands over and gets */
export function summaryOf(found: Books): string {
  const { chain, unknown } = found
  const mine = found.effects.filter(({ holder }) => holder === null || found.concerns(holder))
  const who = (to: string | null) => (to === null ? 'an account that is not shown' : found.nameOf(to))
  const list = (kind: Effect['kind'], words: (effect: Effect) => string): string[] => {
    const all = [...new Set(mine.filter((one) => one.kind === kind).map(words))]
    return all.length > MOST ? [...all.slice(0, MOST), `${all.length - MOST} more of the kind`] : all
  }
  const sum = (kind: Effect['kind']): bigint =>
    mine
      .filter((one) => one.kind === kind && one.asset === 'native')
      .reduce((all, { amount }) => all + BigInt(amount ?? 0), 0n)
  const native = (amount: bigint) => amountIn(chain, { asset: 'native', amount: String(amount) })
  const [costs, rent] = [sum('cost'), sum('account')]
  const parts = [
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
    ...(rent > 0n ? [`locks ${native(rent)} as rent`] : []),
    ...(costs > 0n ? [`pays ${native(costs)} in fees`] : []),
  ]
  const last = parts.pop()
  const known =
    last === undefined
      ? 'Nothing of your wallet moves'
      : `Your wallet ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}`
  const count = unknown.length === 1 ? 'one part was' : `${unknown.length} parts were`
  return unknown.length === 0
    ? `${known}.`
    : `${last === undefined ? 'Nothing that was read moves anything of your wallet' : known}, and ${count} not understood.`
}
