import { type Static, Type } from 'typebox'
import { FreeForm, NullableObject, nullable, OPEN, UNVERIFIED } from './shared.ts'
import { TokenRow } from './tokens.ts'

const PartNames = (description: string) => Type.Array(Type.String(), { description })

/** What is known against a token: what no source checked is unknown, not safe. */
export const TokenRisks = Type.Object(
  {
    chain: Type.String(),
    token: Type.String({ description: 'its address, in canonical spelling' }),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    checked: Type.Enum(['chosen', 'sources', 'nobody'], {
      description:
        'chosen: by hand, such as a native coin, a stablecoin or one of the operator, and not checked; sources: those of `checkedBy` were asked; nobody: no source has been asked lately, so it is unknown',
    }),
    checkedBy: Type.Array(
      Type.Object({ source: Type.String(), at: Type.Integer({ description: 'ms epoch' }) }),
    ),
    flags: Type.Array(
      Type.Object({
        flag: Type.String({ description: 'the rule, such as `honeypot` or `freezable`' }),
        isGrave: Type.Boolean({
          description: 'holders can lose everything now, rather than by a power that may be used later',
        }),
        source: nullable(Type.String({ description: 'null: the market figures or its name' })),
        at: nullable(Type.Integer({ description: 'when the source was asked, ms epoch' })),
        reason: Type.String({ description: 'for people' }),
      }),
      { description: 'grave ones first' },
    ),
  },
  UNVERIFIED,
)

export type TokenRisks = Static<typeof TokenRisks>

/** Of both tokens of a swap: what is paid, and what is received. */
export const SWAP_RISKS = Type.Optional(
  Type.Array(TokenRisks, {
    description: 'what is known against the two tokens: what is paid, then what is received',
    ...UNVERIFIED,
  }),
)

export const TokenProfile = Type.Object(
  {
    chain: Type.String({ description: 'chain key' }),
    token: Type.String({ description: 'the address of the token, in canonical spelling' }),
    updatedAt: Type.Integer({ description: 'ms epoch of the newest answer in the profile' }),
    row: Type.Optional(Type.Union([TokenRow, Type.Null()])),
    profile: Type.Optional(
      NullableObject(
        'description, image, links, createdAt, mintAuthority and freezeAuthority; an authority is an address, `none` if there is none, null if it is not known',
      ),
    ),
    holders: Type.Optional(
      Type.Array(FreeForm, { description: 'the largest holders, with their percent of the supply and tags' }),
    ),
    early: Type.Optional(
      Type.Array(FreeForm, {
        description: 'by `kind`: the first pool, each creator, and the first buyers while the pool is young',
      }),
    ),
    candles: Type.Optional(Type.Array(FreeForm, { description: 'in dollars, `ts` in ms, oldest first' })),
    trades: Type.Optional(Type.Array(FreeForm, { description: 'newest first' })),
    security: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          at: Type.Integer({ description: 'when the source was asked, ms epoch' }),
          facts: Type.Object({}, { description: "the source's own fields" }),
          flags: Type.Object(
            {},
            { description: "the gateway's reading of the facts; null means unknown, not safe" },
          ),
          verified: Type.Optional(
            Type.Boolean({ description: "whether the source vouches for the token's identity" }),
          ),
        }),
        { description: 'by source; sources may contradict each other' },
      ),
    ),
    risks: Type.Optional(TokenRisks),
    origins: Type.Record(
      Type.String(),
      Type.Object({
        source: Type.String(),
        at: Type.Integer({ description: 'ms epoch' }),
        stale: Type.Boolean({ description: 'the source has failed since' }),
      }),
      { description: 'the sources of the price, holders, candles and trades, by part' },
    ),
    sources: Type.Array(
      Type.Object({
        provider: Type.String(),
        status: Type.Enum(['ok', 'stale', 'partial', 'missing', 'failed'], {
          description:
            'stale: an earlier answer stands in; partial: some parts are missing; missing: the source does not know the token',
        }),
        at: nullable(Type.Integer({ description: "ms epoch of the source's oldest answer" })),
        parts: PartNames('parts that the source gave'),
        failed: PartNames('parts that the source could not give'),
        code: Type.Optional(Type.String({ description: 'why the status is not ok' })),
        retryAfterMs: Type.Optional(Type.Integer()),
      }),
      { description: 'the outcome of each source that was asked' },
    ),
  },
  OPEN,
)

export type TokenProfile = Static<typeof TokenProfile>
