/**
 * A token as the routes of discovery show it.
 *
 * Source: §4.10 `/api/discover/*`
 */
import { type Static, Type } from 'typebox'
import { readsLike } from '../../chains/confusable.ts'
import { boolean, integer, NullableNumber, nullable, string } from '../../runtime/resources/shared.ts'
import { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { ListedRow } from '../list/token-set.ts'
import texts from '../texts.json' with { type: 'json' }
import { TIER_BOUNDS, TIER_NAMES, tierOf } from './tiers.ts'

const { discover: text } = texts

export const DiscoverToken = Type.Object({
  chain: string('chain key'),
  address: string('in canonical spelling'),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  decimals: nullable(Type.Integer()),
  price: NullableNumber('dollars'),
  priceTs: nullable(integer('ms epoch')),
  liq: NullableNumber('dollars in its pools'),
  tier: Type.Enum(TIER_NAMES, { description: `by \`liq\`: ${TIER_BOUNDS}` }),
  book: nullable(string('the book of the token list; null if the token is not in the list')),
  gated: nullable(boolean('rejected by the risk filter'), { description: text.gated }),
  gate: Type.Array(
    Type.Object({
      rule: Type.String(),
      source: nullable(string('null: the market figures')),
      reason: Type.String(),
    }),
    { description: 'why it is rejected' },
  ),
  risks: Type.Optional(TokenRisks),
  readsLike: nullable(Type.Object({ chain: Type.String(), address: Type.String(), symbol: Type.String() }), {
    description: text.readsLike,
  }),
})
export type DiscoverToken = Static<typeof DiscoverToken>

export function toToken(row: ListedRow): DiscoverToken {
  const { chain, address, symbol, name, decimals, price, priceTs, liq, book, isListed, findings, risks } = row
  return {
    chain,
    address,
    symbol,
    name,
    decimals,
    price,
    priceTs,
    liq,
    tier: tierOf(liq),
    book,
    gated: !isListed,
    gate: findings.map((finding) => ({ ...finding })),
    ...(risks && { risks }),
    // A token chosen by hand is what its name says.
    readsLike: book === 'majors' || book === 'operator' ? null : likeOf(chain, symbol, name),
  }
}

/** @returns `readsLike` of a token that is not a major */
export function likeOf(
  chain: string,
  symbol: string | null,
  name: string | null,
): DiscoverToken['readsLike'] {
  const like = readsLike(chain, symbol, name)
  if (like === null) return null
  return { chain: like.chain, address: like.major.address, symbol: like.major.symbol }
}
