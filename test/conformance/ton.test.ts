/**
 * Real messages of STON.fi and DeDust, from traces of mainnet and from the
 * tests of wallets and SDKs, each held against the order that it states; and
 * real jetton wallets, computed again.
 */
import t from 'tap'
import { canonicalAddress } from '../../src/chains/address.ts'
import { findChain } from '../../src/chains/find.ts'
import { jettonWallet } from '../../src/proof/jetton-wallet.ts'
import type { TonMessage } from '../../src/proof/material.ts'
import type { BuildOrder, Token } from '../../src/proof/order.ts'
import { proveTon } from '../../src/proof/ton.ts'
import { DEDUST_NATIVE_VAULT, STON_ROUTERS } from '../../src/proof/ton-swap.ts'
import type { GatewayError } from '../../src/runtime/errors.ts'
import { contractAddress, ROUTER_PTON } from '../../src/sandbox/swap/ton.ts'
import { clockOf } from '../fixtures/clock.ts'
import { readVectorLines, readVectors, skipWithout } from '../fixtures/vectors.ts'

const WALLETS = 'calldata/ton-wallets.json'
const SAMPLES = 'calldata/samples.jsonl'

const CHAIN = findChain('ton')!
const TON = { address: 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', isNative: true, decimals: 9 }
const jetton = (address: string): Token => ({ address, isNative: false, decimals: 9 })
const USDT = jetton('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs')
const STON = jetton('EQA2kCVNwVsil2EM2mB0SkXytxCqQjS4mttjDpnXmwG9T6bO')
/** Where a sample does not tell which jetton it is. */
const SOLD = jetton(contractAddress('a jetton that is sold'))
const BOUGHT = jetton(contractAddress('a jetton that is bought'))
const PTON_V1 = 'EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC'

interface WalletRow {
  readonly jetton: string
  readonly master: string
  readonly owner: string
  readonly wallet: string
  readonly layout: string
}

t.test('the wallets of mainnet owners are computed', { skip: skipWithout(WALLETS) }, async (t) => {
  const { rows } = readVectors<{ rows: WalletRow[] }>(WALLETS)
  t.equal(rows.length, 10)
  for (const { jetton: name, master, owner, wallet, layout } of rows) {
    const computed = jettonWallet(master, canonicalAddress('ton', owner))
    // Its wallets have a layout of their own, so the chain is asked.
    t.equal(computed, layout === 'tston' ? null : wallet, name)
  }
})

interface Fields {
  readonly kind: string
  readonly amount?: string
  readonly tonAmount?: string
  readonly destination?: string
  readonly response?: string | null
  readonly refund?: string
  readonly forwardTon?: string
  readonly limit?: string
  readonly deadline?: number
  readonly forward?: {
    readonly kind: string
    readonly askWallet?: string
    readonly to?: string
    readonly minOut?: string
    readonly limit?: string
    readonly deadline?: number | string
  }
}

interface Sample {
  readonly family: string
  readonly origin: string
  readonly from: string | null
  readonly to: string | null
  readonly valueNano?: string
  readonly fields: Fields
  /** Base64. */
  readonly data: string
}

/** What was traded, where the sample does not tell: its file does. */
const TRADED: readonly (readonly [file: string, tokenIn: Token, tokenOut: Token])[] = [
  ['dedust/tonSwapUsdt', TON, USDT],
  ['dedust/usdtSwapGram', USDT, BOUGHT],
  ['dedust/usdtSwapTon', USDT, TON],
  ['stonfi/stonSwapTon', STON, TON],
  ['stonfi/stonSwapUsdt', STON, USDT],
  ['stonfi/tonSwapSton', TON, STON],
  ['swapCoffee/usdtSwapBuild2Split', USDT, BOUGHT],
  ['utyaSwap', SOLD, TON],
  ['event_handlers_test', TON, BOUGHT],
  ['TonDappHeroResolverTest', TON, USDT],
]

/** In the file's order: the traces, then the tests' messages. A referral was asked for by the wallets that sent it. */
const OUTCOMES: readonly string[] = [
  ...['passes', 'pools', 'passes', 'passes', 'passes', 'passes', 'pools', 'passes'],
  ...['passes', 'referral', 'passes', 'router', 'router', 'router', 'passes', 'referral', 'passes'],
  ...['referral', 'referral', 'passes', 'router', 'router', 'refund', 'passes'],
]

/** The order that a sample states, the message in full, and what the nodes say of jettons that it does not name. */
function readSample({ origin, from, to, valueNano, fields, data }: Sample) {
  const { forward } = fields
  const traded = TRADED.find(([file]) => origin.includes(file))
  const isNative = traded?.[1].isNative ?? fields.kind !== 'jetton_transfer'
  const asksPton = [...STON_ROUTERS.values()].some(({ ptonWallet }) => ptonWallet === forward?.askWallet)
  const [, tokenIn, tokenOut] = traded ?? ['', isNative ? TON : SOLD, asksPton ? TON : BOUGHT]
  const amount = BigInt(fields.amount ?? fields.tonAmount!)
  const sender = from ?? fields.response ?? fields.refund ?? forward?.to ?? contractAddress('somebody')
  const target =
    to ??
    (fields.kind === 'dedust_native_swap'
      ? DEDUST_NATIVE_VAULT
      : fields.kind === 'pton_ton_transfer'
        ? ROUTER_PTON
        : isNative
          ? PTON_V1
          : contractAddress('the wallet of the jetton that is sold'))
  const deadline = Number(fields.deadline ?? forward?.deadline ?? 0)
  const seconds = deadline > 60 && deadline < 2_000_000_000 ? deadline - 60 : 1_780_000_000
  const value =
    valueNano ?? String((isNative ? amount : 0n) + BigInt(fields.forwardTon ?? 200_000_000n) + 50_000_000n)
  const message: TonMessage = {
    to: target,
    value,
    payload: data,
    stateInit: null,
    validUntil: seconds + 60,
    from: sender,
  }
  const order: BuildOrder = {
    chain: CHAIN,
    side: isNative ? 'buy' : 'sell',
    tokenIn,
    tokenOut,
    amountIn: amount,
    slippageBps: 100,
    from: sender,
  }
  const walletOf = async (master: string) =>
    master === SOLD.address ? target : master === BOUGHT.address ? (forward?.askWallet ?? null) : null
  const minOut = BigInt(fields.limit ?? forward?.minOut ?? forward?.limit ?? 0)
  return { message, order, minOut, rules: { walletOf, clock: clockOf({ date: () => seconds * 1_000 }) } }
}

async function ruleOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'passes'
  } catch (error) {
    const { code, fields } = error as GatewayError
    return fields?.rule ?? String(code ?? error)
  }
}

t.test(
  'real messages are read whole, and held against their orders',
  { skip: skipWithout(SAMPLES) },
  async (t) => {
    const samples = readVectorLines<Sample>(SAMPLES).filter(({ family }) =>
      ['stonfi', 'dedust'].includes(family),
    )
    t.equal(samples.length, 24)
    for (const [i, sample] of samples.entries()) {
      const { message, order, minOut, rules } = readSample(sample)
      const rule = await ruleOf(proveTon(message, order, { minOut, ...rules }))
      t.equal(rule, OUTCOMES[i], `${sample.origin} ${sample.fields.kind}`)
      if (rule !== 'passes') continue
      const more = await ruleOf(proveTon(message, order, { minOut: minOut + 1n, ...rules }))
      t.equal(more, 'minimum', 'the minimum is the one that it states')
      const other = { ...order, amountIn: order.amountIn + 1n }
      t.match(await ruleOf(proveTon(message, other, { minOut, ...rules })), /^(amount|value)$/)
    }
  },
)
