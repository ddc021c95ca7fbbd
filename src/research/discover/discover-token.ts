/**
 * A token as the routes of discovery show it.
 *
 * Source: §4.10 `/api/discover/*`
 */
import { type Static, Type } from 'typebox'
import { readsLike } from '../../chains/confusable.ts'
import { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { ListedRow } from '../list/token-set.ts'
import { TIER_BOUNDS, TIER_NAMES, tierOf } from './tiers.ts'

const Text = (description?: string) =>
  Type.Union([Type.String(description ? { description } : {}), Type.Null()])
const Dollars = (description: string) => Type.Union([Type.Number({ description }), Type.Null()])

export const DiscoverToken = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  address: Type.String({ description: 'in canonical spelling' }),
  symbol: Text(),
  name: Text(),
  decimals: Type.Union([Type.Integer(), Type.Null()]),
  price: Dollars('dollars'),
  priceTs: Type.Union([Type.Integer({ description: 'ms epoch' }), Type.Null()]),
  liq: Dollars('dollars in its pools'),
  tier: Type.Enum(TIER_NAMES, { description: `by \`liq\`: ${TIER_BOUNDS}` }),
  book: Text('the book of the token list; null if the token is not in the list'),
  gated: Type.Union([Type.Boolean({ description: 'rejected by the risk filter' }), Type.Null()], {
    description: 'null: it is not in the list, so the risk filter has not checked it',
  }),
  gate: Type.Array(
    Type.Object({ rule: Type.String(), source: Text('null: the market figures'), reason: Type.String() }),
    { description: 'why it is rejected' },
  ),
  risks: Type.Optional(TokenRisks),
  readsLike: Type.Union(
    [Type.Object({ chain: Type.String(), address: Type.String(), symbol: Type.String() }), Type.Null()],
    {
      description:
        'the native coin, wrapped coin or stablecoin whose name it has without being it: a copy or a fake',
    },
  ),
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
