import t from 'tap'
import { KYBERSWAP, readKyberswap } from '../../src/proof/evm/kyberswap.ts'
import { AUGUSTUS, readVelora } from '../../src/proof/evm/velora.ts'
import { failureOf } from '../fixtures/provider.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

interface Sample {
  readonly family: string
  readonly function: string
  readonly data: string
  readonly fields: Readonly<Record<string, string>>
}

const WALLET = `0x${'5a'.repeat(20)}`
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
/** The end of partner words: all of the samples name a partner, who takes a fee or the surplus. */
const PARTNERS: Readonly<Record<string, string>> = {
  swapExactAmountIn: 'surplus',
  swapExactAmountInOnUniswapV2: '15 bps',
  swapExactAmountInOnUniswapV3: 'surplus',
  swapExactAmountInOnCurveV1: 'surplus',
  swapExactAmountInPro: '90 bps',
  swapExactAmountOut: 'surplus',
}
/** What Velora writes where no partner is named: one bps, to itself. */
const OWN_WORD = '45a6e007c874ffc6321d6fb90eac272dd6864bfa100000000000000000000001'

const SAMPLES = 'calldata/samples.jsonl'

t.test(
  'real calldata of both routers is read, and says what its source says of it',
  { skip: skipWithout(SAMPLES) },
  async (t) => {
    const samples = readVectorLines<Sample>(SAMPLES)
    const kyber = samples.filter(({ family }) => family === 'kyberswap')
    t.equal(kyber.length, 2)
    for (const { data, fields } of kyber) {
      const terms = readKyberswap(data, WALLET)
      t.equal(terms.tokenIn, fields.srcToken!.toLowerCase())
      t.equal(terms.tokenOut, fields.dstToken!.toLowerCase())
      t.equal(terms.recipient, fields.recipient!.toLowerCase())
      t.same([String(terms.amountIn), String(terms.minOut)], [fields.amount, fields.minReturn])
      t.equal(KYBERSWAP.read(data)?.name, 'swap')
    }

    const velora = samples.filter(({ family }) => family === 'velora-v6.2')
    const isRead = (sample: Sample): boolean => Object.hasOwn(PARTNERS, sample.function)
    const read = velora.filter(isRead)
    t.same([velora.length, read.length], [9, 6])
    for (const { data, fields, ...sample } of read) {
      const quoted = BigInt(fields.quoted!)
      const expectedOut = quoted - quoted / 10_000n - 1n
      const rules = { from: WALLET, expectedOut, feeBps: 1, wrappedNative: WETH }
      t.equal(AUGUSTUS.read(data)?.name, sample.function)
      const refusal = await failureOf(
        Promise.resolve().then(() => readVelora(data, { ...rules, feeBps: 90 })),
      )
      t.equal(refusal.fields.rule, 'fees', `${sample.function}: a partner takes ${PARTNERS[sample.function]}`)
      const own = data.replace(fields.partnerAndFee!.slice(2), OWN_WORD)
      t.not(own, data)
      const terms = readVelora(own, rules)
      t.equal(terms.tokenIn, fields.srcToken!.toLowerCase(), sample.function)
      t.equal(terms.tokenOut, fields.dstToken!.toLowerCase())
      const least = BigInt(fields.minReturn!)
      const isExactOut = sample.function === 'swapExactAmountOut'
      t.equal(terms.isExactOut ?? false, isExactOut)
      const fee = isExactOut ? 0n : least / 10_000n
      t.same([String(terms.amountIn), terms.minOut], [fields.amount, least - fee - 1n])
      t.equal(terms.recipient, WALLET, 'zero stands for the sender')
    }
    for (const { data, ...sample } of velora.filter((one) => !isRead(one))) {
      t.equal(AUGUSTUS.read(data), null, `${sample.function} is not read`)
    }
  },
)
