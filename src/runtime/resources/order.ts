import { type Static, Type } from 'typebox'
import { LEVELS } from '../levels.ts'
import { string, UNVERIFIED } from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { order: text } = texts

export const Side = Type.Enum(['buy', 'sell'], { description: text.side })

/** An amount (§4.5): a positive decimal. The pattern alone does not exclude zero. */
const AMOUNT = { pattern: '^\\d*\\.?\\d+$', maxLength: 100, title: 'a positive decimal such as 1.5' }
const Amount = Type.String({
  ...AMOUNT,
  description: 'in whole units of the coin or token that is spent',
})

/** §4.5 */
export const MIN_SLIPPAGE_BPS = 1

export const MAX_SLIPPAGE_BPS = 5000

/** For a request without slippage. */
export const DEFAULT_SLIPPAGE_BPS = 300

export const SLIPPAGE_BPS = {
  minimum: MIN_SLIPPAGE_BPS,
  maximum: MAX_SLIPPAGE_BPS,
  description: 'in hundredths of a percent',
} as const

export const BaseUnits = string('base units, decimal')

/** The other side of a swap. */
export const Against = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 256, ...UNVERIFIED }))

/** The terms of a swap: §4.5's query, whose fields §2's BuildRequest has as well. */
export const QuoteQuery = Type.Object({
  chain: string('chain key'),
  side: Side,
  token: string('chain-specific token address or identifier', { maxLength: 256 }),
  amount: Type.Optional(Amount),
  amountOut: Type.Optional(Type.String({ ...AMOUNT, description: text.amountOut, ...UNVERIFIED })),
  slippageBps: Type.Integer({ ...SLIPPAGE_BPS, default: DEFAULT_SLIPPAGE_BPS }),
  from: Type.Optional(string('public sender address', { maxLength: 256 })),
  against: Against(text.against),
  receiver: Type.Optional(string(text.receiver, { maxLength: 256, ...UNVERIFIED })),
  verification: Type.Optional(Type.Enum([...LEVELS], { description: text.verification, ...UNVERIFIED })),
})

export type QuoteQuery = Static<typeof QuoteQuery>
