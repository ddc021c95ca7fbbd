import { type Static, Type } from 'typebox'
import { boolean, FreeForm, integer, NullableObject, nullable, OPEN, string, UNVERIFIED } from './shared.ts'
import texts from './texts.json' with { type: 'json' }
import { TokenRow } from './tokens.ts'

const { tokenProfile: text } = texts

const PartNames = (description: string) => Type.Array(Type.String(), { description })

/** What is known against a token: what no source checked is unknown, not safe. */
export const TokenRisks = Type.Object(
  {
    chain: Type.String(),
    token: string('its address, in canonical spelling'),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    checked: Type.Enum(['chosen', 'sources', 'nobody'], { description: text.checked }),
    checkedBy: Type.Array(Type.Object({ source: Type.String(), at: integer('ms epoch') })),
    flags: Type.Array(
      Type.Object({
        flag: string('the rule, such as `honeypot` or `freezable`'),
        isGrave: boolean(text.isGrave),
        source: nullable(string('null: the market figures or its name')),
        at: nullable(integer('when the source was asked, ms epoch')),
        reason: string('for people'),
      }),
      { description: 'grave ones first' },
    ),
  },
  UNVERIFIED,
)

export type TokenRisks = Static<typeof TokenRisks>

/** Of both tokens of a swap: what is paid, and what is received. */
export const SWAP_RISKS = Type.Optional(
  Type.Array(TokenRisks, { description: text.swapRisks, ...UNVERIFIED }),
)

export const TokenProfile = Type.Object(
  {
    chain: string('chain key'),
    token: string('the address of the token, in canonical spelling'),
    updatedAt: integer('ms epoch of the newest answer in the profile'),
    row: Type.Optional(Type.Union([TokenRow, Type.Null()])),
    profile: Type.Optional(NullableObject(text.profile)),
    holders: Type.Optional(Type.Array(FreeForm, { description: text.holders })),
    early: Type.Optional(Type.Array(FreeForm, { description: text.early })),
    candles: Type.Optional(Type.Array(FreeForm, { description: 'in dollars, `ts` in ms, oldest first' })),
    trades: Type.Optional(Type.Array(FreeForm, { description: 'newest first' })),
    security: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          at: integer('when the source was asked, ms epoch'),
          facts: Type.Object({}, { description: "the source's own fields" }),
          flags: Type.Object({}, { description: text.flags }),
          verified: Type.Optional(boolean("whether the source vouches for the token's identity")),
        }),
        { description: 'by source; sources may contradict each other' },
      ),
    ),
    risks: Type.Optional(TokenRisks),
    origins: Type.Record(
      Type.String(),
      Type.Object({
        source: Type.String(),
        at: integer('ms epoch'),
        stale: boolean('the source has failed since'),
      }),
      { description: text.origins },
    ),
    sources: Type.Array(
      Type.Object({
        provider: Type.String(),
        status: Type.Enum(['ok', 'stale', 'partial', 'missing', 'failed'], { description: text.status }),
        at: nullable(integer("ms epoch of the source's oldest answer")),
        parts: PartNames('parts that the source gave'),
        failed: PartNames('parts that the source could not give'),
        code: Type.Optional(string('why the status is not ok')),
        retryAfterMs: Type.Optional(Type.Integer()),
      }),
      { description: 'the outcome of each source that was asked' },
    ),
  },
  OPEN,
)

export type TokenProfile = Static<typeof TokenProfile>
