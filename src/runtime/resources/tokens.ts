import { type Static, Type } from 'typebox'
import {
  boolean,
  integer,
  NullableNumber,
  NullableObject,
  NullableTime,
  nullable,
  number,
  OPEN,
  string,
} from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { tokens: text } = texts

const Change = Type.Object({
  pricePct: NullableNumber('change in percent; negative for a fall'),
  buys: NullableNumber('number of buys'),
  sells: NullableNumber('number of sells'),
})

export const TokenRow = Type.Object(
  {
    chain: string('chain key'),
    address: Type.String(),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    decimals: Type.Optional(Type.Integer()),
    price: Type.Optional(NullableNumber('dollars')),
    priceTs: Type.Optional(NullableTime),
    priceStale: Type.Optional(boolean('the price is more than 60 seconds old')),
    priceBy: Type.Optional(string('the source of the price')),
    mcap: Type.Optional(NullableNumber('dollars; some sources include the supply on other chains')),
    fdv: Type.Optional(NullableNumber('dollars: the total supply on this chain at this price')),
    liq: Type.Optional(NullableNumber("dollars in the token's trusted pools")),
    liqOf: Type.Optional(Type.Enum(['pool'], { description: text.liqOf })),
    vol24: Type.Optional(NullableNumber('dollars')),
    holders: Type.Optional(NullableNumber('number of holders')),
    changes: Type.Optional(
      Type.Object(
        {
          m5: Type.Optional(Change),
          h1: Type.Optional(Change),
          h6: Type.Optional(Change),
          h24: Type.Optional(Change),
        },
        { description: text.changes },
      ),
    ),
    hourly: Type.Optional(Type.Array(NullableNumber('dollars'), { maxItems: 24, description: text.hourly })),
    image: Type.Optional(string('an https URL on a host where the source keeps images')),
    firstPoolAt: Type.Optional(integer('when the first pool was created, ms epoch')),
    launchpad: Type.Optional(string('the launchpad of the token')),
    creatorPct: Type.Optional(number("the creator's share of the supply, percent")),
    topTenPct: Type.Optional(number("the ten largest holders' share of the supply, percent")),
    verified: Type.Optional(Type.Record(Type.String(), Type.Boolean(), { description: text.verified })),
    nameSuspicious: Type.Optional(boolean(text.nameSuspicious)),
    security: Type.Optional(NullableObject(text.security)),
    lp: Type.Optional(NullableObject('how much of the liquidity is locked or burned, by source')),
    book: Type.Optional(string('the list that has the token')),
    metaTs: Type.Optional(NullableTime),
    profileTs: Type.Optional(NullableTime),
    gate: Type.Optional(
      Type.Array(
        Type.Object({
          rule: Type.String(),
          source: nullable(Type.String()),
          reason: Type.String(),
        }),
        { description: 'why the risk filter rejects the token; only with `all`' },
      ),
    ),
  },
  OPEN,
)

export type TokenRow = Static<typeof TokenRow>

export const TokenList = Type.Object({
  tokens: Type.Array(TokenRow),
  books: Type.Array(
    Type.Object({
      book: Type.String(),
      title: Type.String(),
      source: Type.String(),
      count: integer('rows of the book that pass the risk filter'),
      updatedAt: NullableTime,
      ageMs: nullable(integer("age of this book's last answer when the list was built")),
    }),
  ),
  gated: Type.Optional(integer('rows in scope that the risk filter rejects')),
  updatedAt: integer('when the list was built, ms epoch'),
})

export type TokenList = Static<typeof TokenList>
