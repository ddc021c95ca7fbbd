/**
 * Labels for a token's largest holders, from the other parts of its profile: a
 * pool, a bonding curve, or the creator.
 *
 * Source: §2 TokenProfile `holders`
 */
import { findEvmChain } from '../../chains/find.ts'
import type { TokenHolder, TokenId } from '../../providers/market/market.ts'
import curves from './curves.json' with { type: 'json' }
import type { ProfileAnswers } from './profile-answers.ts'

/** Venues that sell a token along a bonding curve until it has pools; in lower case, letters only. */
const CURVES: ReadonlySet<string> = new Set(curves)

/** @returns the holders, with tags from the sources of the other parts */
export function withLabels(
  { chain }: TokenId,
  holders: readonly TokenHolder[],
  answers: ProfileAnswers,
): TokenHolder[] {
  const keyOf = (address: string): string => (findEvmChain(chain) === null ? address : address.toLowerCase())
  const labels = new Map<string, readonly string[]>()
  for (const { address, venue } of poolsIn(answers)) {
    const isCurve = venue !== null && CURVES.has(venue.toLowerCase().replace(/[^a-z]/g, ''))
    labels.set(keyOf(address), [isCurve ? 'bonding curve' : 'pool', ...(venue === null ? [] : [venue])])
  }
  for (const { value } of answers.of('early')) {
    for (const entry of value) {
      if (entry.kind !== 'creator') continue
      const key = keyOf(entry.address)
      labels.set(key, ['creator', ...(labels.get(key) ?? []).filter((label) => label !== 'creator')])
    }
  }
  return holders.map((holder) => {
    const known = new Set(holder.tags.map((tag) => tag.toLowerCase()))
    const more = (labels.get(keyOf(holder.address)) ?? []).filter((label) => !known.has(label.toLowerCase()))
    return more.length === 0 ? holder : { ...holder, tags: [...holder.tags, ...more] }
  })
}

/** The first pools, and the pools whose shares were checked. */
function poolsIn(
  answers: ProfileAnswers,
): readonly { readonly address: string; readonly venue: string | null }[] {
  const early = answers.of('early').flatMap(({ value }) => value.filter((entry) => entry.kind === 'pool'))
  const locked = answers.of('lp').flatMap(({ value: { pools } }) => (Array.isArray(pools) ? pools : []))
  return [...early, ...locked].flatMap(({ address, venue }: Record<string, unknown>) =>
    typeof address === 'string' ? [{ address, venue: typeof venue === 'string' ? venue : null }] : [],
  )
}
