/** Recorded calls of LI.FI and Velora are explained as what they are: what goes, who gets what, and at least how much. */
import t from 'tap'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { EVM_CHAINS } from '../../src/chains/find.ts'
import { explain } from '../../src/explain/explain.ts'
import { type LifiSample, lifiOrderOf } from '../fixtures/lifi-samples.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

const FILES = ['calldata/samples.jsonl', 'calldata/samples-2.jsonl']
const skip = FILES.map(skipWithout).find((reason) => reason !== false) ?? false
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const STRANGER = '0xde709f2102306220921060314715629080e2fb77'
const ZERO = /^0x(?:0{40}|e{40})$/i

const samplesOf = (family: string) =>
  FILES.flatMap((file) => readVectorLines<LifiSample>(file)).filter((sample) => sample.family === family)
const asked = ({ chainId, to, value, data }: LifiSample, owner: string) =>
  explain({
    chain: EVM_CHAINS.find((chain) => chain.chainId === chainId)!.key,
    owner,
    call: { from: owner, to, data, value: `0x${BigInt(value ?? 0).toString(16)}` },
  })
const assetOf = (token: string) => (ZERO.test(token) ? 'native' : token.toLowerCase())
type Told = Awaited<ReturnType<typeof explain>>
const sumOf = ({ effects }: Told, kind: string, token: string): bigint =>
  effects
    .filter((one) => one.kind === kind && one.asset!.toLowerCase() === assetOf(token))
    .reduce((sum, { amount }) => sum + BigInt(amount!), 0n)

t.test(
  'swaps at LI.FI are known, and cross-chain swaps shown as far as the bytes bind them',
  { skip },
  async (t) => {
    const known: string[] = []
    for (const sample of samplesOf('lifi')) {
      const { fields } = sample
      const owner = lifiOrderOf(sample).from
      const told = await asked(sample, owner)
      t.not(told.verdict, 'danger', sample.function)
      t.equal(sumOf(told, 'pays', fields.srcToken), lifiOrderOf(sample).amountIn, sample.function)
      if (told.verdict === 'known') known.push(sample.function)
      else if (fields.dstToken !== undefined)
        t.match(told, { unknown: { length: 0 }, risks: [{ code: 'high_fee', reason: /125 bps/ }] })
      if (fields.dstToken === undefined) {
        const to = `to .+ on (?:Base|Solana|BNB Chain|chain ${fields.destinationChainId})`
        t.match(
          told,
          { verdict: 'unknown', actions: [{ kind: 'bridge', words: new RegExp(to) }] },
          sample.function,
        )
        continue
      }
      t.equal(sumOf(told, 'receives', fields.dstToken), BigInt(fields.minReturn!), sample.function)
      const data = sample.data.replace(owner.slice(2).toLowerCase(), STRANGER.slice(2))
      t.match(
        await asked({ ...sample, data }, owner),
        { verdict: 'danger' },
        `${sample.function}, for another`,
      )
    }
    t.equal(known.length, 6, 'one has a fee of 1.25 %')
  },
)

t.test('an account of a contract may be another on another chain', { skip }, async (t) => {
  const sample = samplesOf('lifi').find((one) => one.function === 'startBridgeTokensViaEco')!
  const safe = sample.fields.recipient as `0x${string}`
  const abi = parseAbi(['function execute(address target, uint256 value, bytes data)'])
  const data = encodeFunctionData({ abi, args: [sample.to as Hex, 0n, sample.data as Hex] })
  const call = { to: safe, data }
  const told = await explain({ chain: 'ethereum', owner: WALLET, recent: [safe], call })
  t.match(told.risks, [{ code: 'recipient_unknown', reason: /^On Base, 0x/ }, {}])
})

t.test('swaps at Velora are known, with any partner', { skip }, async (t) => {
  const unread: string[] = []
  for (const sample of samplesOf('velora-v6.2')) {
    const { fields } = sample
    const told = await asked(sample, WALLET)
    if (told.verdict !== 'known') {
      unread.push(sample.function)
      continue
    }
    t.equal(sumOf(told, 'pays', fields.srcToken), BigInt(fields.amount), sample.function)
    const least = sumOf(told, 'receives', fields.dstToken!)
    const stated = BigInt(fields.minReturn!)
    t.ok(least < stated && least * 1_000n >= stated * 990n, `${sample.function}: ${least} of ${stated}`)
    t.ok(told.effects.some(({ what }) => what === 'fee') || told.risks.length > 0, 'the partner is named')
  }
  t.same(unread, ['swapOnAugustusRFQTryBatchFill'], "makers' orders are not read")
})
