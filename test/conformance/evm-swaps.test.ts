import t from 'tap'
import { KYBERSWAP, readKyberswap } from '../../src/proof/kyberswap.ts'
import { AUGUSTUS, readVelora } from '../../src/proof/velora.ts'
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
/** Partner words with a fee that the samples' own users agreed to. */
const WITH_FEES = new Set(['swapExactAmountInOnUniswapV2', 'swapExactAmountInPro'])

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
    const exactIn = velora.filter((sample) => sample.function.startsWith('swapExactAmountIn'))
    t.same([velora.length, exactIn.length], [9, 5])
    for (const { data, fields, ...sample } of exactIn) {
      const rules = { from: WALLET, expectedOut: BigInt(fields.quoted!), wrappedNative: WETH }
      t.equal(AUGUSTUS.read(data)?.name, sample.function)
      if (WITH_FEES.has(sample.function)) {
        const refusal = await failureOf(Promise.resolve().then(() => readVelora(data, rules)))
        t.equal(refusal.fields.rule, 'fees', sample.function)
        continue
      }
      const terms = readVelora(data, rules)
      t.equal(terms.tokenIn, fields.srcToken!.toLowerCase(), sample.function)
      t.equal(terms.tokenOut, fields.dstToken!.toLowerCase())
      t.same([String(terms.amountIn), String(terms.minOut)], [fields.amount, fields.minReturn])
      t.equal(terms.recipient, WALLET, 'zero stands for the sender')
    }
    for (const { data, ...sample } of velora.filter(
      (one) => !exactIn.some(({ data }) => data === one.data),
    )) {
      t.equal(AUGUSTUS.read(data), null, `${sample.function} is not read`)
    }
  },
)
