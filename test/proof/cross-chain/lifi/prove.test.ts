import t, { type Test } from 'tap'
import { FACETS } from '../../../../src/proof/cross-chain/lifi/facets.ts'
import { feeContractsOf } from '../../../../src/proof/cross-chain/lifi/fee-contracts.ts'
import { mayanTerms } from '../../../../src/proof/cross-chain/lifi/mayan.ts'
import { type LifiProof, SWAP_FUNCTIONS } from '../../../../src/proof/cross-chain/lifi/prove.ts'
import { CalldataReader } from '../../../../src/proof/evm/calldata.ts'
import {
  type Args,
  across,
  bytes,
  COLLECTORS,
  copyOf,
  encode,
  HONEST,
  mayanData,
  NOW,
  STRANGER,
  swiftData,
  swiftOf,
  tryCall,
} from '../../../fixtures/lifi.ts'

const WHOLE = 10n ** 18n

/** Selectors of the published source (lifinance/contracts, 2026-08-21): of a facet's start, and of its swap and start. */
const SELECTORS: readonly (readonly [facet: string, start: string, swap: string])[] = [
  ['AcrossV4', '0xa1f1ce43', '0x1794958f'],
  ['Stargate', '0x14d53077', '0xa6010a66'],
  ['DeBridgeDln', '0x4004633e', '0x2c7d2db0'],
  ['Mayan', '0xb4875292', '0x80c65808'],
  ['PolymerCCTP', '0xf434d6ca', '0x17917a4e'],
  ['CelerCircleBridge', '0xe0a4201c', '0x4f3b0759'],
  ['AllBridge', '0x6a51e9a9', '0x63267469'],
  ['Glacis', '0x6f9206ba', '0x9c4b6dd9'],
  ['GasZip', '0xfc5f1003', '0x606326ff'],
  ['ArbitrumBridge', '0xc9851d0b', '0x3cc9517b'],
  ['OptimismBridge', '0xce8a97a5', '0x5bb5d448'],
  ['PolygonBridge', '0xaf62c7d6', '0xb4f37581'],
  ['GnosisBridge', '0xf66fe519', '0x7bf96e0a'],
  ['OmniBridge', '0x782621d8', '0x95726782'],
  ['RelayDepository', '0x092e8fa4', '0xa3443faa'],
  ['AcrossV4Swap', '0x6a90d66e', '0x9b054bc4'],
  ['Chainflip', '0x0ad553b3', '0xee3314a1'],
  ['Eco', '0x7e56b7b0', '0x9e75aa95'],
  ['Garden', '0x5f9af35d', '0x76ad76fe'],
  ['LayerSwap', '0xee9e98e0', '0x4c279d6b'],
  ['LiFiIntentEscrowV2', '0x7dbcf1d9', '0x6d21c5df'],
  ['NEARIntents', '0x5cf8113b', '0x3110c7b9'],
  ['Symbiosis', '0xe23b7a08', '0xc46059b2'],
  ['ThorSwap', '0x2541ec57', '0xad673d88'],
  ['Unit', '0x64261d58', '0x21a3af52'],
]
const SWAP_SELECTORS = [
  '0x4666fc80',
  '0x733214a3',
  '0xaf7060fd',
  '0x5fd9ae2e',
  '0x2c57e884',
  '0x736eac0b',
  '0x4630a0d8',
]

t.test('the functions that are read have the selectors of the published source', async (t) => {
  t.same(
    FACETS.map(({ name, start, swap }) => [name, start, swap]),
    SELECTORS,
  )
  t.same(
    SWAP_FUNCTIONS.map(({ selector }) => selector),
    SWAP_SELECTORS,
  )
})

const honest = (name: string) => HONEST.find((call) => call.name === name)!

/** An honest call with a change: its proof, or the rule that refused it. */
function changed(call: (typeof HONEST)[number], change: (args: Args) => void) {
  const copy = copyOf(call)
  change(copy.args)
  return tryCall(copy)
}

/** All of it is proved, and so much arrives at least. */
function proves(t: Test, outcome: LifiProof | string, minimum: bigint, name = 'proved'): void {
  if (typeof outcome === 'string') t.fail(`${name}: ${outcome}`)
  else t.same([outcome.stated, outcome.facts.minimum], [[], `${minimum}`], name)
}

t.test('the fees that a proof names are those that its steps take', async (t) => {
  const paid = (WHOLE * 75n) / 10_000n
  const fees = [
    ['AcrossV4 base USDC to arbitrum USDC', []],
    [
      'AcrossV4 after swaps base  to arbitrum ',
      [
        {
          bps: 25,
          amount: `${paid / 3n}`,
          token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
          recipient: '0xC06ebbefD94032B85424D51906e2A335EFAe264B',
          whose: 'lifi',
        },
        {
          bps: 50,
          amount: `${paid - paid / 3n}`,
          token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
          recipient: '0xAC4c6e212A361c968F1725b4d055b47E63F80b75',
          whose: null,
        },
      ],
    ],
    ['AcrossV4 after swaps base  to arbitrum USDC', []],
    ['GnosisBridge ethereum DAI to gnosis ', []],
  ] as const
  for (const [name, expected] of fees) t.same((tryCall(honest(name)) as LifiProof).facts.fees, expected, name)
})

t.test('Stargate may promise all that it is given, and not a unit more', async (t) => {
  const call = honest('Stargate ethereum USDC to bsc USDC')
  const promising = (units: bigint) =>
    changed(call, ({ facetData }) => (facetData.sendParams.minAmountLD = units))
  proves(t, promising(250_000_000n), 250n * WHOLE)
  t.equal(promising(250_000_001n), 'minimum')
})

t.test("Optimism's bridge pays out the token that the call names", async (t) => {
  const USDC = '0x0b2c639c533813f4aa9d7837caf62653d097ff85'
  const OTHER = '0x7f5c764cbc14f9669b88837ca1490cca17c31607'
  const crossing = (symbol: string | null, assetIdOnL2: string, isSynthetix = false) => {
    const [given, wanted] = [['ethereum', symbol] as const, ['optimism', symbol] as const]
    return tryCall(
      across('OptimismBridge', { given, wanted, amountIn: WHOLE, minimum: WHOLE }, () => ({
        assetIdOnL2,
        l2Gas: 200_000n,
        isSynthetix,
      })),
    )
  }
  t.same(
    (crossing('USDC', USDC) as LifiProof).stated,
    ['received_token', 'minimum'],
    'it mints its own: not proved',
  )
  t.equal(crossing('USDC', OTHER), 'received_token', 'another token of the same issuer')
  t.equal(crossing('USDC', USDC, true), 'received_token')
  proves(t, crossing(null, OTHER), WHOLE, 'the coin has no other name')
})

t.test(
  'Mayan carries eight decimals: an order may be for the amount, or for it rounded down to them',
  async (t) => {
    const crossing = (symbol: string, amountIn: bigint) =>
      across(
        'Mayan',
        { given: ['ethereum', symbol], wanted: ['solana', 'USDC'], amountIn, minimum: 249_000_000n },
        (order) => mayanData(order, 249_000_000n),
      )
    const ordering = (call: (typeof HONEST)[number], amount: bigint) => {
      const rule = changed(call, ({ facetData }) => {
        const order = swiftOf(facetData.protocolData)
        facetData.protocolData = swiftData({ ...order, amountIn: amount })
      })
      return typeof rule === 'string' ? rule : null
    }
    const dai = crossing('DAI', 250_123_456_789_012_345_678n)
    t.equal(ordering(dai, 250_123_456_789_012_345_678n), null, 'the amount')
    t.equal(ordering(dai, 250_123_456_780_000_000_000n), null, 'rounded')
    for (const other of [
      250_123_456_789_012_345_679n,
      250_123_456_789_012_345_677n,
      250_123_456_780_000_000_001n,
      250_123_456_779_999_999_999n,
      250_123_456_790_000_000_000n,
      250_123_456_700_000_000_000n,
      0n,
    ])
      t.equal(ordering(dai, other), 'amount', `${other}`)
    const usdc = crossing('USDC', 250_123_456n)
    t.equal(ordering(usdc, 250_123_456n), null, 'six decimals')
    for (const other of [250_123_455n, 250_123_450n, 2_501_234n])
      t.equal(ordering(usdc, other), 'amount', `${other}`)
  },
)

t.test('what a wrap may lose is a part of what a refund costs', async (t) => {
  const call = HONEST.find(({ name, order }) => name.startsWith('Mayan ') && order.tokenIn.isNative)!
  const { amountIn } = call.order
  const keeping = (bps: bigint) =>
    changed(call, ({ facetData }) => (facetData.minMiddleAmount = amountIn - (amountIn * bps) / 10_000n))
  const amountOf = (bps: bigint) => (keeping(bps) as Args).facts.refundFee
  const [none, some] = [amountOf(0n), amountOf(23n)]
  t.match(some, { bps: none.bps + 23 })
  t.equal(BigInt(some.amount) - BigInt(none.amount), (amountIn * 23n) / 10_000n)
  t.equal(keeping(101n), 'bridge_swap')
})

t.test('after a swap, fees in a token of unknown decimals are refused', async (t) => {
  const { order } = honest('Mayan base USDC to solana USDC')
  const amount = 3n * 10n ** 18n
  const taking = (cancelFee: bigint, asset = STRANGER) => {
    const data = mayanData(order, 249_000_000n)
    const { params, ...inner } = swiftOf(data.protocolData)
    const written = { ...inner, tokenIn: asset, params: { ...params, cancelFee, refundFee: 0n } }
    const changed = { ...data, mayanAmountIn: amount, protocolData: swiftData(written) }
    return mayanTerms(changed, { order, asset, amount, isSwapped: true, now: NOW }).refundFee
  }
  t.same(taking(0n), { bps: 0, amount: '0' })
  t.throws(() => taking(1n), { code: 'material_refused', fields: { rule: 'fees' } })
  const wrapped = '0x4200000000000000000000000000000000000006'
  t.same(
    taking(1_000_000n, wrapped),
    { bps: 34, amount: String(10n ** 16n) },
    'eighteen, eight of them carried',
  )
  t.throws(() => taking(15_000_001n, wrapped), { code: 'material_refused', fields: { rule: 'fees' } })
})

t.test("Polymer's fees leave something of the amount", async (t) => {
  const call = { ...honest('PolymerCCTP base USDC to arbitrum USDC'), minimum: 1n }
  const taking = (polymerTokenFee: bigint) =>
    changed(call, ({ facetData }) => Object.assign(facetData, { polymerTokenFee, maxCCTPFee: 40_000n }))
  proves(t, taking(249_959_999n), 1n)
  t.equal(taking(249_960_000n), 'fees', 'all of it')
  t.equal(taking(249_960_001n), 'fees')
})

t.test('what a token counts in has to be known for a minimum to be proved', async (t) => {
  const call = honest('Mayan base USDC to solana BONK')
  const { decimalsOut: _, ...order } = call.order
  t.same((tryCall({ ...call, order }) as LifiProof).stated, ['minimum'])
  proves(t, tryCall(call), 1_234_567_890_123n)
})

t.test('what swaps leave for a bridge that pays out the same asset bounds what arrives', async (t) => {
  const [swapped, bridged] = [
    'AcrossV4 after swaps base  to arbitrum USDC',
    'PolymerCCTP base USDC to arbitrum USDC',
  ]
  const { args, order } = honest(swapped!)
  const { facetData } = honest(bridged!).args
  const crossing = (minimum: bigint) =>
    tryCall(
      across(
        'PolymerCCTP',
        {
          given: ['base', null],
          wanted: ['arbitrum', 'USDC'],
          amountIn: order.amountIn,
          minimum,
          swaps: args.swapData,
          crosses: 2_950_000_000n,
          asset: args.bridgeData.sendingAssetId,
        },
        () => facetData,
      ),
    )
  proves(t, crossing(2_949_950_000n), 2_949_950_000n)
  t.equal(crossing(2_949_950_001n), 'minimum')
})

t.test('of a fee step, both fees are counted, and they are bounded together', async (t) => {
  const CALLS = new CalldataReader<Record<string, Args>>([
    'function collectTokenFees(address tokenAddress, uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
    'function collectNativeFees(uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  ])
  for (const [name, amountIn] of [
    ['swapTokensMultipleV3ERC20ToERC20', 250_000_000n],
    ['swapTokensMultipleV3NativeToERC20', WHOLE],
  ] as const) {
    const call = honest(name)
    const isNative = call.order.tokenIn.isNative
    const taking = (integratorFee: bigint, lifiFee: bigint) =>
      changed(call, ({ swapData: [fees] }) => {
        fees.callTo = fees.approveTo = COLLECTORS[call.order.fromChain.key]
        const common = { integratorFee, lifiFee, integratorAddress: STRANGER }
        fees.callData = bytes(
          isNative
            ? CALLS.write('collectNativeFees', common)
            : CALLS.write('collectTokenFees', { tokenAddress: fees.sendingAssetId, ...common }),
        )
      })
    const percent = amountIn / 100n
    const shares = (outcome: LifiProof | string) =>
      (outcome as LifiProof).facts.fees as { amount: string; whose: string | null }[]
    t.match(
      shares(taking(percent / 4n, percent / 2n)),
      [
        { bps: 25, amount: `${percent / 4n}`, recipient: STRANGER, whose: null },
        { bps: 50, amount: `${percent / 2n}`, whose: 'lifi' },
      ],
      name,
    )
    t.equal(shares(taking(percent / 2n, percent / 2n)).length, 2, name)
    t.equal(shares(taking(0n, percent)).length, 1, 'a share of nothing is none')
    t.equal(taking(percent / 2n + 1n, percent / 2n), 'fees', name)
    t.equal(taking(percent / 2n, percent / 2n + 1n), 'fees', name)
  }
})

t.test('a fee is a share of what enters its step, whatever the step says that it sells', async (t) => {
  const CALLS = new CalldataReader<Record<string, Args>>([
    'function collectTokenFees(address tokenAddress, uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  ])
  const call = honest('swapTokensMultipleV3ERC20ToERC20')
  const { amountIn } = call.order
  const [sell, buy] = [call.order.tokenIn, call.order.tokenOut].map(({ address }) => address.toLowerCase())
  const least = 1_000_000n
  const bpsOf = (token: string, claimed: bigint, fee: bigint, isFirst: boolean) => {
    const copy = copyOf(call)
    const { args } = copy
    const [step, swap] = args.swapData
    Object.assign(step, { sendingAssetId: token, receivingAssetId: token, fromAmount: claimed })
    step.requiresDeposit = false
    const shares = { integratorFee: 0n, lifiFee: fee, integratorAddress: STRANGER }
    step.callData = bytes(CALLS.write('collectTokenFees', { tokenAddress: token, ...shares }))
    Object.assign(swap, { fromAmount: amountIn, requiresDeposit: true })
    const other = {
      ...swap,
      fromAmount: 1n,
      requiresDeposit: false,
      sendingAssetId: buy,
      receivingAssetId: token,
    }
    const back = { ...other, sendingAssetId: token, receivingAssetId: buy }
    const through = token === sell || token === buy ? [] : [other]
    args.swapData = isFirst ? [step, swap] : [swap, ...through, step, ...(through.length > 0 ? [back] : [])]
    args.minAmountOut = least
    const outcome = tryCall(copy, encode(copy), null)
    return typeof outcome === 'string'
      ? outcome
      : (outcome.facts.fees as { bps: number }[]).map(({ bps }) => bps)
  }
  for (const times of [1n, 1_000_000n]) {
    const name = `${times} times as much`
    t.same(bpsOf(sell!, amountIn * times, amountIn / 400n, true), [25], `${name}: of what is sold`)
    t.equal(bpsOf(sell!, amountIn * times, (amountIn * 3n) / 100n, true), 'fees', `${name}: 3 %`)
    t.same(bpsOf(buy!, least * 2n * times, least / 399n, false), [25], `${name}: of what comes out`)
    t.equal(bpsOf(buy!, least * 2n * times, least / 33n, false), 'fees', `${name}: 3 % of it`)
    t.equal(bpsOf(STRANGER, times, 1n, false), 'fees', `${name}: of a token whose amount no byte says`)
  }
  t.same(bpsOf(sell!, amountIn / 10n, amountIn / 4_000n, true), [25], 'of a part of what is sold')
})

t.test('a fee is one that the quote states, through a contract that is known', async (t) => {
  const OUTPUT_VALIDATOR = new CalldataReader<Record<string, Args>>([
    'function validateERC20Output(address tokenAddress, uint256 expectedAmount, address validationWalletAddress)',
  ])
  for (const name of ['swapTokensMultipleV3ERC20ToERC20', 'AcrossV4 after swaps base  to arbitrum ']) {
    const call = honest(name)
    const fee = (call.order.amountIn * 75n) / 10_000n
    const stated = (most: bigint) => tryCall(call, encode(call), most)
    t.type(stated(fee), 'object', `${name}: as much as is stated`)
    t.equal(stated(fee - 1n), 'fees', `${name}: a unit more`)
    t.equal(stated(0n), 'fees', `${name}: none is stated`)
    const at = (address: string) =>
      changed(call, ({ swapData: [fees] }) => {
        fees.callTo = fees.approveTo = address
      })
    const { fromChain } = call.order
    const isToken = !call.order.tokenIn.isNative
    const collector = COLLECTORS[fromChain.key]!
    for (const forwarder of feeContractsOf(fromChain.key).forwarders)
      t.equal(typeof at(forwarder), isToken ? 'string' : 'object', `${name}: ${forwarder}`)
    t.equal(typeof at(collector), isToken ? 'object' : 'string', `${name}: the collector`)
    t.equal(at(STRANGER), 'fees', `${name}: another contract`)
    const isSwap = changed(call, ({ swapData: [fees] }) => {
      fees.receivingAssetId = STRANGER
    })
    t.match(isSwap, /^(?:fees|source_swaps)$/, `${name}: as if it were a swap`)
    t.equal(
      changed(call, ({ swapData: [fees] }) => {
        const args = {
          tokenAddress: fees.sendingAssetId,
          expectedAmount: 1n,
          validationWalletAddress: STRANGER,
        }
        fees.callData = bytes(OUTPUT_VALIDATOR.write('validateERC20Output', args))
      }),
      'fees',
      `${name}: what is above an amount, for somebody else`,
    )
  }
})

t.test('of the input a hundredth may be kept before a bridge, and not a unit more', async (t) => {
  const call = { ...honest('AcrossV4 after swaps base  to arbitrum '), minimum: 1n }
  const sending = (amount: bigint) => changed(call, ({ bridgeData }) => (bridgeData.minAmount = amount))
  const least = (WHOLE * 99n) / 100n
  proves(t, sending(least), (least * 99n) / 100n)
  t.equal(sending(least - 1n), 'amount')
})

t.test('a coin and its wrapper are worth the same', async (t) => {
  const call = honest('AcrossV4 after swaps base  to arbitrum ')
  const WETH = '0x4200000000000000000000000000000000000006'
  const wrapped = copyOf(call)
  wrapped.args.bridgeData.sendingAssetId = WETH
  const [fees] = wrapped.args.swapData
  const wrap = { ...fees, callTo: WETH, approveTo: WETH, receivingAssetId: WETH, callData: bytes('d0e30db0') }
  wrapped.args.swapData = [wrap]
  const outcome = tryCall(wrapped)
  t.same(typeof outcome === 'string' ? outcome : outcome.stated, [])
})

t.test("an order of Across's older function is refused: LI.FI's contract gets its refund", (t) => {
  const call = honest('AcrossV4 base USDC to arbitrum USDC')
  const older = new CalldataReader<{ startBridgeTokensViaAcross: Args }>([
    'function startBridgeTokensViaAcross((bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) bridgeData, (int64 relayerFeePct, uint32 quoteTimestamp, bytes message, uint256 maxCount) facetData)',
  ])
  // Without a fee for it, no relayer fills the order.
  const facetData = { relayerFeePct: 0n, quoteTimestamp: 0n, message: new Uint8Array(), maxCount: 0n }
  const args = { bridgeData: call.args.bridgeData, facetData }
  t.equal(tryCall(call, older.write('startBridgeTokensViaAcross', args)), 'selector')
  t.end()
})
