/**
 * Reads one item of getTokenAccountsByOwner under jsonParsed. A node that cannot
 * parse an account, because it lacks the mint, returns the account's bytes in
 * base64 instead, without decimals.
 *
 *   bytes  [mint 32][owner 32][amount u64][delegate c36][state u8][native u32 ...
 *
 * Source: anza-xyz/agave account-decoder/src/parse_token.rs · solana-program/token interface/src/state.rs
 */
import { type Static, Type } from 'typebox'
import { floorUnits } from '../../chains/json/decimal.ts'
import { encodeBase58, isBase58Of } from '../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { checkOf } from '../../runtime/validate.ts'

const OWNER_AT = 32
const AMOUNT_AT = 64
const STATE_AT = 108
const NATIVE_AT = 109
const ACCOUNT_BYTES = 165
const UNINITIALIZED = 0
const FROZEN = 2
const MAX_U64 = 2n ** 64n - 1n

/** No legitimate token has more. */
const MAX_DECIMALS = 36

/** The fields of a token account that holdings need. */
export interface ListedTokenAccount {
  readonly mint: string
  readonly owner: string
  /** Base units. */
  readonly amount: bigint
  /** Null if missing or absurd. */
  readonly decimals: number | null
  /** Whether the account holds wrapped lamports. */
  readonly isNative: boolean
  readonly isFrozen: boolean
  /** Whether the node shows an amount that differs from base units and decimals. */
  readonly isScaled: boolean
}

const Parsed = Type.Object({
  parsed: Type.Object({
    type: Type.Literal('account'),
    info: Type.Object({
      mint: Type.String({ maxLength: 44 }),
      owner: Type.String({ maxLength: 44 }),
      state: Type.String(),
      isNative: Type.Boolean(),
      tokenAmount: Type.Object({
        amount: Type.String({ pattern: '^\\d{1,20}$' }),
        decimals: Type.Integer({ minimum: 0, maximum: 255 }),
        uiAmountString: Type.Optional(Type.String({ maxLength: 400 })),
      }),
    }),
  }),
})
const Unparsed = Type.Tuple([Type.String(), Type.Literal('base64')])
const Item = Type.Object({ account: Type.Object({ data: Type.Union([Parsed, Unparsed]) }) })

/** Compiled at the first account, not at startup. */
const isItem = checkOf(Item)

/** @returns null if the item is not a token account */
export function readTokenAccount(item: unknown): ListedTokenAccount | null {
  if (!isItem(item)) return null
  const { data } = item.account
  if ('parsed' in data) return readParsed(data.parsed.info)
  return readBytes(Buffer.from(data[0], 'base64'))
}

type Info = Static<typeof Parsed>['parsed']['info']

function readParsed({ mint, owner, state, isNative, tokenAmount }: Info): ListedTokenAccount | null {
  const amount = BigInt(tokenAmount.amount)
  if (!isBase58Of(mint, KEY_BYTES) || amount > MAX_U64) return null
  const { decimals, uiAmountString } = tokenAmount
  return {
    mint,
    owner,
    amount,
    decimals: decimals > MAX_DECIMALS ? null : decimals,
    isNative,
    isFrozen: state === 'frozen',
    isScaled: uiAmountString !== undefined && floorUnits(uiAmountString, decimals) !== amount,
  }
}

function readBytes(data: Buffer): ListedTokenAccount | null {
  if (data.length < ACCOUNT_BYTES || data[STATE_AT] === UNINITIALIZED) return null
  return {
    mint: encodeBase58(data.subarray(0, KEY_BYTES)),
    owner: encodeBase58(data.subarray(OWNER_AT, OWNER_AT + KEY_BYTES)),
    amount: data.readBigUInt64LE(AMOUNT_AT),
    decimals: null,
    isNative: data.readUInt32LE(NATIVE_AT) === 1,
    isFrozen: data[STATE_AT] === FROZEN,
    isScaled: false,
  }
}
