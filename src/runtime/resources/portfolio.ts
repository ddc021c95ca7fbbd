import { type Static, Type } from 'typebox'
import { boolean, integer, NullableNumber, NullableTime, nullable, number, string } from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { portfolio: text } = texts

export const PortfolioHolding = Type.Object({
  address: string("the token's address"),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  isNative: boolean(text.isNative),
  listed: boolean(text.listed),
  amount: string('base units, decimal'),
  decimals: nullable(Type.Integer()),
  amountHuman: NullableNumber('whole tokens; null if `decimals` is'),
  wrapped: Type.Optional(string('base units, the part of `amount` that is wrapped SOL')),
  price: NullableNumber(text.price),
  priceTs: NullableTime,
  priceStale: Type.Optional(boolean(text.priceStale)),
  valueUsd: NullableNumber('dollars, rounded down to millionths; null if unpriced'),
  cappedBy: Type.Optional(Type.Enum(['liquidity'], { description: text.cappedBy })),
  notes: Type.Array(Type.Enum(['frozen', 'scaled', 'gated']), { description: text.notes }),
})

export type PortfolioHolding = Static<typeof PortfolioHolding>

export const PortfolioProblem = Type.Object({
  part: Type.Enum(['holdings', 'prices']),
  error: Type.String(),
  code: Type.Optional(string('as in Error bodies')),
  provider: Type.Optional(Type.String()),
  missing: Type.Optional(integer(text.missing)),
})

export type PortfolioProblem = Static<typeof PortfolioProblem>

export const PortfolioEntry = Type.Object({
  chain: string('chain key'),
  status: Type.Enum(['complete', 'partial', 'failed'], { description: '`problems` says what is missing' }),
  block: Type.Optional(nullable(integer('the block at which an EVM chain was read'))),
  slot: Type.Optional(nullable(integer('the slot at which Solana was read'))),
  at: Type.String({ format: 'date-time', description: 'when the chain was read' }),
  usd: number('the sum of `valueUsd`, hidden holdings included'),
  tokenCount: integer('number of tokens held, hidden ones included'),
  unpriced: integer('number of tokens held that have no value'),
  holdings: Type.Array(PortfolioHolding, { description: 'most valuable first' }),
  hidden: Type.Object(
    { count: Type.Integer(), unpriced: Type.Integer(), usd: Type.Number() },
    { description: text.hidden },
  ),
  problems: Type.Array(PortfolioProblem),
})

export type PortfolioEntry = Static<typeof PortfolioEntry>

export const Portfolio = Type.Object({
  address: Type.Optional(nullable(Type.String())),
  sol: Type.Optional(nullable(Type.String())),
  chains: Type.Array(PortfolioEntry),
  totalUsd: number("the sum of the entries' `usd`"),
  tokenCount: integer("the sum of the entries' `tokenCount`"),
  unpriced: integer("the sum of the entries' `unpriced`"),
  at: Type.String({ format: 'date-time' }),
})

export type Portfolio = Static<typeof Portfolio>
