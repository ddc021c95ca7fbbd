/** A compromised Velora: the calldata of Augustus, changed and encoded again. */
import { AUGUSTUS, type GenericCall } from '../../proof/velora.ts'
import { ALL, spellingsOf, THIEF, type Thief, theftsOf } from './thief.ts'

/** Another token that the wallet may have approved to the same contract. */
const OTHER = '0x4200000000000000000000000000000000000007'
/** Flags of the partner word: what is above the quote goes to the partner, or to a referrer, and so on. */
const [TAKES_SURPLUS, REFERRAL, SKIPS_BLACKLIST, CAPPED, USERS_SURPLUS] = [95n, 94n, 93n, 92n, 90n].map(
  (bit) => 1n << bit,
) as [bigint, bigint, bigint, bigint, bigint]
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
  const word = (partnerAndFee: bigint) => (whole: GenericCall) => ({ ...whole, partnerAndFee })
  const partner = (flags: bigint) => word((BigInt(THIEF) << 96n) | flags)
  return [
    ...theftsOf(args, rewrite, [
      ['lets a stranger receive', trade({ beneficiary: THIEF })],
      ['takes all of the token', trade({ fromAmount: ALL })],
      ['sells another token', trade({ srcToken: OTHER })],
      ['buys another token', trade({ destToken: OTHER })],
      ['promises nothing', trade({ toAmount: 0n })],
      ['promises half', trade({ toAmount: swapData.toAmount / 2n })],
      ['keeps what is above the minimum', trade({ quotedAmount: swapData.toAmount })],
      [
        'leaves its fee out of the minimum',
        trade({ toAmount: swapData.toAmount - swapData.toAmount / 10_000n }),
      ],
      ['takes a fee', partner(CAPPED | FEE_BPS)],
      ['lets a stranger have its fee', partner(CAPPED | 1n)],
      ['takes more than the fee that it stated', word(args.partnerAndFee + FEE_BPS)],
      ['takes the surplus', partner(TAKES_SURPLUS)],
      ['takes the capped surplus', partner(CAPPED | TAKES_SURPLUS)],
      ['takes the surplus for a referrer', partner(CAPPED | REFERRAL)],
      ['shares the surplus', word(args.partnerAndFee | TAKES_SURPLUS | USERS_SURPLUS)],
      ['takes fees of tokens that are free of them', word(args.partnerAndFee | SKIPS_BLACKLIST)],
      ['takes all surplus', word(args.partnerAndFee ^ CAPPED)],
      ['takes all surplus for itself', word(0n)],
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
