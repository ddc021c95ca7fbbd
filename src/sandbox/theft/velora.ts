/** A compromised Velora: the calldata of Augustus, changed and encoded again. */
import { AUGUSTUS, type GenericCall } from '../../proof/velora.ts'
import { ALL, spellingsOf, THIEF, type Thief, theftsOf } from './thief.ts'

/** Another token that the wallet may have approved to the same contract. */
const OTHER = '0x4200000000000000000000000000000000000007'
/** The flag of the partner word by which all surplus over the quote goes to the partner. */
const TAKES_SURPLUS = 1n << 95n
/** Two percent. */
const FEE_BPS = 200n

export const thief: Thief = (body) => {
  const call = typeof body.data === 'string' ? AUGUSTUS.read(body.data) : null
  if (call?.name !== 'swapExactAmountIn') return []
  const { args } = call
  const write = (changed: object) => ({ ...body, ...changed })
  const rewrite = (changed: GenericCall) => write({ data: AUGUSTUS.write('swapExactAmountIn', changed) })
  const { swapData } = args
  const trade = (change: Partial<GenericCall['swapData']>) => (whole: GenericCall) => ({
    ...whole,
    swapData: { ...whole.swapData, ...change },
  })
  const partner = (flags: bigint) => (whole: GenericCall) => ({
    ...whole,
    partnerAndFee: (BigInt(THIEF) << 96n) | flags,
  })
  return [
    ...theftsOf(args, rewrite, [
      ['lets a stranger receive', trade({ beneficiary: THIEF })],
      ['takes all of the token', trade({ fromAmount: ALL })],
      ['sells another token', trade({ srcToken: OTHER })],
      ['buys another token', trade({ destToken: OTHER })],
      ['promises nothing', trade({ toAmount: 0n })],
      ['promises half', trade({ toAmount: swapData.toAmount / 2n })],
      ['keeps what is above the minimum', trade({ quotedAmount: swapData.toAmount })],
      ['takes a fee', partner(FEE_BPS)],
      ['takes the surplus', partner(TAKES_SURPLUS)],
      ['uses a permit', (whole) => ({ ...whole, permit: new Uint8Array(224) })],
    ]),
    ...theftsOf({}, write, [
      ['names another contract', () => ({ to: THIEF })],
      ['asks for native coins too', () => ({ value: String(10n ** 18n + swapData.fromAmount) })],
      ['hides bytes behind the call', () => ({ data: `${body.data}${'00'.repeat(32)}` })],
    ]),
    ...spellingsOf(write, [
      ['writes addresses as 0X', () => ({ to: `0X${String(body.to).slice(2)}` })],
      ['writes amounts with leading zeros', () => ({ value: `000${body.value}` })],
    ]),
  ]
}
