import { addr } from 'micro-eth-signer'
import t from 'tap'
import { EVM_CHAINS, findEvmChain } from '../../../src/chains/find.ts'
import { CalldataReader } from '../../../src/proof/evm/calldata.ts'
import { EVM_CHECKS, type EvmRules, proveEvm } from '../../../src/proof/evm/evm.ts'
import { KYBERSWAP, type KyberDescription } from '../../../src/proof/evm/kyberswap.ts'
import { kyberswapRules, uniswapV2Rules, uniswapV3Rules, veloraRules } from '../../../src/proof/evm/rules.ts'
import type { SwapKind } from '../../../src/proof/evm/uniswap.ts'
import { encodeV2Swap } from '../../../src/proof/evm/uniswap-v2.ts'
import { encodeV3Swap, type V3Swap } from '../../../src/proof/evm/uniswap-v3.ts'
import { AUGUSTUS } from '../../../src/proof/evm/velora.ts'
import { VELORA_PARTNER } from '../../../src/proof/evm/velora-fee.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { evmOrder, FROM, NATIVE } from '../../fixtures/evm-orders.ts'
import { v2Pool, v3Pool } from '../../fixtures/hostile/evm-swaps.ts'
import { failureOf, NOW } from '../../fixtures/provider.ts'

type Request = Material & { kind: 'evm' }

const STRANGER = '0x000000000000000000000000000000000000dEaD'
const MIN_OUT = 1_000n
const EXPECTED_OUT = 1_030n
/** Of Velora's, without a fee: one unit stays in its router. */
const DUST = 1n
/** The partner word of a route without a fee: no partner, and the cap of what is above the quote. */
const CAPPED = 1n << 92n
const DEADLINE = BigInt(NOW / 1_000) + 1_200n
const WETH = findEvmChain('base')!.wrappedNative

/** A provider's rules on a chain. */
function rulesOf(provider: string, chainKey: string): EvmRules {
  const { v2Routers, v3, wrappedNative } = findEvmChain(chainKey)!
  if (provider === 'kyberswap') return kyberswapRules
  if (provider === 'velora') return veloraRules
  if (provider === 'uniswap-v3')
    return uniswapV3Rules(
      Object.values(v3).map(({ router }) => router),
      wrappedNative,
    )
  const routers = v2Routers.map(({ address }) => address)
  return uniswapV2Rules(routers, wrappedNative)
}

const ORDERS: Readonly<Record<SwapKind, BuildOrder>> = {
  'native-in': evmOrder('base', 'ETH', 'USDC', 10n ** 18n),
  'native-out': evmOrder('base', 'USDC', 'ETH', 250_000_000n),
  tokens: evmOrder('base', 'USDC', 'AERO', 250_000_000n),
}
const KINDS = Object.keys(ORDERS) as SwapKind[]

/** The request that a provider should have built. */
function request(provider: string, kind: SwapKind, data: string): Request {
  const { tokenIn, amountIn } = ORDERS[kind]
  const router = rulesOf(provider, 'base').routers[0]!
  const approval = { token: tokenIn.address, spender: router, amount: String(amountIn) }
  return {
    kind: 'evm',
    to: router,
    data,
    value: tokenIn.isNative ? String(amountIn) : '0',
    approval: tokenIn.isNative ? null : approval,
  }
}

function uniswapCall(kind: SwapKind): V3Swap {
  const { tokenIn, tokenOut, amountIn } = ORDERS[kind]
  const end = ({ isNative, address }: BuildOrder['tokenIn']) => (isNative ? WETH : address)
  const path = [end(tokenIn), end(tokenOut)]
  return {
    amountIn,
    amountOutMin: MIN_OUT,
    path,
    fees: [500],
    to: FROM,
    deadline: DEADLINE,
  }
}

const NOTHING = new Uint8Array()

const kyberCall = (kind: SwapKind): KyberDescription => ({
  srcToken: ORDERS[kind].tokenIn.address,
  dstToken: ORDERS[kind].tokenOut.address,
  srcReceivers: [STRANGER],
  srcAmounts: [ORDERS[kind].amountIn],
  feeReceivers: [],
  feeAmounts: [],
  dstReceiver: FROM,
  amount: ORDERS[kind].amountIn,
  minReturnAmount: MIN_OUT,
  flags: 0n,
  permit: NOTHING,
})

function encodeKyberSwap(executor: string, desc: KyberDescription): string {
  const targets = { callTarget: executor, approveTarget: executor, targetData: NOTHING, clientData: NOTHING }
  return KYBERSWAP.write('swap', { ...targets, desc })
}

const veloraCall = (kind: SwapKind) => ({
  srcToken: ORDERS[kind].tokenIn.address,
  destToken: ORDERS[kind].tokenOut.address,
  fromAmount: ORDERS[kind].amountIn,
  toAmount: MIN_OUT + DUST,
  quotedAmount: EXPECTED_OUT + DUST,
  metadata: new Uint8Array(32),
  beneficiary: FROM,
})

function encodeVelora(
  swapData: ReturnType<typeof veloraCall>,
  partnerAndFee = CAPPED,
  permit = NOTHING,
): string {
  return AUGUSTUS.write('swapExactAmountIn', {
    executor: STRANGER,
    swapData,
    partnerAndFee,
    permit,
    executorData: NOTHING,
  })
}

const DATA: Readonly<Record<string, (kind: SwapKind) => string>> = {
  kyberswap: (kind) => encodeKyberSwap(STRANGER, kyberCall(kind)),
  velora: (kind) => encodeVelora(veloraCall(kind)),
  'uniswap-v2': (kind) => encodeV2Swap(kind, uniswapCall(kind)),
  'uniswap-v3': (kind) => encodeV3Swap(kind, uniswapCall(kind)),
}

const claimOf = (kind: SwapKind) => ({
  order: ORDERS[kind],
  expectedOut: EXPECTED_OUT,
  minOut: MIN_OUT,
  date: NOW,
})

const prove = (provider: string, kind: SwapKind, material: Material) =>
  proveEvm(material, claimOf(kind), rulesOf(provider, 'base'))

/** The rule by which it is refused; it must be refused. */
async function ruleOf(provider: string, kind: SwapKind, material: Material) {
  const { code, status, fields } = await failureOf(prove(provider, kind, material))
  return code === 'material_refused' && status === 502 ? fields.rule : code
}

t.test('what was asked for passes, and the proof says what it rests on', async (t) => {
  const uniswap = await prove(
    'uniswap-v2',
    'tokens',
    request('uniswap-v2', 'tokens', DATA['uniswap-v2']!('tokens')),
  )
  t.strictSame(uniswap, {
    checks: [...EVM_CHECKS, 'deadline', 'function'],
    router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    spender: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    recipient: FROM,
    minOut: '1000',
    fees: [],
    deadline: Number(DEADLINE),
  })
  const kyber = await prove(
    'kyberswap',
    'native-in',
    request('kyberswap', 'native-in', DATA.kyberswap!('native-in')),
  )
  t.strictSame(kyber.checks, [...EVM_CHECKS, 'function', 'flags', 'fees', 'permit'])
  t.equal(kyber.spender, null)
  const velora = await prove('velora', 'tokens', request('velora', 'tokens', DATA.velora!('tokens')))
  t.strictSame(velora.checks, [...EVM_CHECKS, 'function', 'pools', 'fees', 'quoted_amount', 'permit'])
})

t.test('every mutation of a request is refused, by the rule that it breaks', async (t) => {
  const mutations: [rule: string, mutate: (good: Request) => Material][] = [
    ['kind', () => ({ kind: 'sui', transaction: '' })],
    ['to', (good) => ({ ...good, to: STRANGER })],
    ['to', (good) => ({ ...good, to: FROM })],
    ['to', (good) => ({ ...good, to: '' })],
    ['value', (good) => ({ ...good, value: `${BigInt(good.value) + 1n}` })],
    ['value', (good) => ({ ...good, value: '-1' })],
    ['value', (good) => ({ ...good, value: '0x0' })],
    ['value', (good) => ({ ...good, value: '' })],
    ['chain_id', (good) => ({ ...good, chainId: 1 })],
    ['from', (good) => ({ ...good, from: STRANGER })],
    ['calldata', (good) => ({ ...good, data: '' })],
    ['calldata', (good) => ({ ...good, data: '0x' })],
    ['calldata', (good) => ({ ...good, data: '0xe3ead5' })],
    ['calldata', (good) => ({ ...good, data: `${good.data}0` })],
    ['calldata', (good) => ({ ...good, data: good.data.slice(2) })],
    ['calldata', (good) => ({ ...good, data: `${good.data}zz` })],
  ]
  const approvals: [kinds: SwapKind[], mutate: (good: Request) => Request['approval']][] = [
    [['native-out', 'tokens'], () => null],
    [['native-out', 'tokens'], ({ approval }) => ({ ...approval!, spender: STRANGER })],
    [['native-out', 'tokens'], ({ approval }) => ({ ...approval!, token: WETH })],
    [['native-out', 'tokens'], ({ approval }) => ({ ...approval!, amount: '250000001' })],
    [['native-out', 'tokens'], ({ approval }) => ({ ...approval!, amount: String(2n ** 256n - 1n) })],
    [['native-in'], ({ to }) => ({ token: WETH, spender: to, amount: '1' })],
  ]
  for (const provider of ['kyberswap', 'velora', 'uniswap-v2', 'uniswap-v3']) {
    for (const kind of KINDS) {
      const good = request(provider, kind, DATA[provider]!(kind))
      await prove(provider, kind, good)
      await prove(provider, kind, {
        ...good,
        to: good.to.toLowerCase(),
        from: FROM.toLowerCase(),
        chainId: 8_453,
      })
      for (const [rule, mutate] of mutations) {
        t.equal(await ruleOf(provider, kind, mutate(good)), rule, `${provider} ${kind} ${rule}`)
      }
      for (const [kinds, mutate] of approvals) {
        if (!kinds.includes(kind)) continue
        t.equal(
          await ruleOf(provider, kind, { ...good, approval: mutate(good) }),
          'approval',
          `${provider} ${kind}`,
        )
      }
    }
  }
})

t.test('the approval is for the router that is called, not for another known one', async (t) => {
  const { routers } = rulesOf('uniswap-v2', 'base')
  t.ok(routers.length > 1)
  const good = request('uniswap-v2', 'tokens', DATA['uniswap-v2']!('tokens'))
  for (const to of routers)
    for (const spender of routers) {
      const material = { ...good, to, approval: { ...good.approval!, spender } }
      if (to === spender) await prove('uniswap-v2', 'tokens', material)
      else t.equal(await ruleOf('uniswap-v2', 'tokens', material), 'approval')
    }
})

const UNISWAP = { 'uniswap-v2': encodeV2Swap, 'uniswap-v3': encodeV3Swap }

for (const [provider, encode] of Object.entries(UNISWAP)) {
  t.test(`every mutation of ${provider}'s calldata is refused`, async (t) => {
    const mutations: [rule: string, change: (call: V3Swap) => Partial<V3Swap>][] = [
      ['tokens', ({ path }) => ({ path: [STRANGER, path[1]!] })],
      ['tokens', ({ path }) => ({ path: [path[0]!, STRANGER] })],
      ['tokens', ({ path }) => ({ path: [...path].reverse() })],
      ['calldata', ({ path }) => ({ path: path.slice(1), fees: [] })],
      ['calldata', ({ path }) => ({ path: [path[0]!, WETH, WETH, path[1]!], fees: [500, 500, 500] })],
      ['minimum', () => ({ amountOutMin: MIN_OUT - 1n })],
      ['minimum', () => ({ amountOutMin: 0n })],
      ['recipient', () => ({ to: STRANGER })],
      ['deadline', () => ({ deadline: BigInt(NOW / 1_000) })],
      ['deadline', () => ({ deadline: BigInt(NOW / 1_000) + 1_801n })],
      ['deadline', () => ({ deadline: 2n ** 256n - 1n })],
    ]
    for (const kind of KINDS) {
      const refused = (data: string) => ruleOf(provider, kind, request(provider, kind, data))
      const call = uniswapCall(kind)
      for (const [rule, change] of mutations) {
        t.equal(await refused(encode(kind, { ...call, ...change(call) })), rule, `${kind} ${rule}`)
      }
      // V2 sells the whole value.
      if (kind !== 'native-in' || provider === 'uniswap-v3') {
        for (const amountIn of [call.amountIn + 1n, call.amountIn - 1n, 0n])
          t.equal(await refused(encode(kind, { ...call, amountIn })), 'amount')
      }
      for (const other of KINDS.filter((one) => one !== kind)) {
        t.equal(await refused(encode(other, call)), 'calldata', `${kind} as ${other}`)
      }
      const good = encode(kind, call)
      t.equal(await refused(`${good}00`), 'calldata', 'a tail')
      t.equal(await refused(good.slice(0, -64)), 'calldata', 'cut off')
      await prove(
        provider,
        kind,
        request(provider, kind, encode(kind, { ...call, amountOutMin: MIN_OUT + 1n })),
      )
    }
  })
}

t.test('a swap at SwapRouter02 is its own calls alone, in their order, to the wallet', async (t) => {
  const ROUTER = new CalldataReader<{ multicall: { deadline: bigint; data: readonly Uint8Array[] } }>([
    'function multicall(uint256 deadline, bytes[] data)',
  ])
  const callsOf = (data: string) => ROUTER.read(data)!.args.data
  const thief = (kind: SwapKind) => callsOf(encodeV3Swap(kind, { ...uniswapCall(kind), to: STRANGER }))
  for (const kind of KINDS) {
    const own = callsOf(DATA['uniswap-v3']!(kind))
    const [swap, ...then] = own
    const variants: Record<string, readonly Uint8Array[]> = {
      nothing: [],
      'a second swap': [...own, swap!],
      "a thief's swap before": [...thief(kind), ...own],
      "a thief's swap after": [...own, ...thief(kind)],
      'an unknown call': [...own, Uint8Array.of(1, 2, 3, 4)],
      'another order': [...then, swap!],
      'no end': [swap!],
    }
    for (const [name, data] of Object.entries(variants)) {
      const calldata = ROUTER.write('multicall', { deadline: DEADLINE, data })
      if (calldata === DATA['uniswap-v3']!(kind)) continue
      const rule = await ruleOf('uniswap-v3', kind, request('uniswap-v3', kind, calldata))
      t.equal(rule, 'calldata', `${kind}: ${name}`)
    }
  }
  // The router, not the wallet, receives the wrapped coin: a thief's payment out of it is seen.
  const data = [...callsOf(DATA['uniswap-v3']!('native-out')).slice(0, 1), ...thief('native-out').slice(1)]
  const calldata = ROUTER.write('multicall', { deadline: DEADLINE, data })
  t.equal(
    await ruleOf('uniswap-v3', 'native-out', request('uniswap-v3', 'native-out', calldata)),
    'recipient',
  )
})

t.test("every mutation of KyberSwap's calldata is refused", async (t) => {
  const mutations: [rule: string, change: Partial<ReturnType<typeof kyberCall>>][] = [
    ['tokens', { srcToken: STRANGER }],
    ['tokens', { dstToken: STRANGER }],
    ['amount', { amount: 1n }],
    ['minimum', { minReturnAmount: MIN_OUT - 2n }],
    ['minimum', { minReturnAmount: 0n }],
    ['minimum', { minReturnAmount: MIN_OUT - 1n }],
    ['recipient', { dstReceiver: STRANGER }],
    ['flags', { flags: 0x01n }],
    ['flags', { flags: 0x40n }],
    ['fees', { feeReceivers: [STRANGER], feeAmounts: [1n] }],
    ['fees', { feeAmounts: [1n] }],
    ['permit', { permit: Uint8Array.of(1) }],
    ['amount', { srcReceivers: [STRANGER, STRANGER] }],
    ['amount', { srcAmounts: [10n ** 30n] }],
  ]
  for (const kind of KINDS) {
    for (const [rule, change] of mutations) {
      const data = encodeKyberSwap(STRANGER, { ...kyberCall(kind), ...change })
      t.equal(await ruleOf('kyberswap', kind, request('kyberswap', kind, data)), rule, `${kind} ${rule}`)
    }
    for (const data of ['0x8af033fb00', '0xdeadbeef', DATA.velora!(kind)]) {
      t.equal(await ruleOf('kyberswap', kind, request('kyberswap', kind, data)), 'calldata', 'not readable')
    }
  }
})

t.test("Velora's pools lead from the sold token to the bought one, over any others", async (t) => {
  const OTHER = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'
  type Pools = 'swapExactAmountInOnUniswapV2' | 'swapExactAmountInOnUniswapV3'
  for (const kind of KINDS) {
    const { tokenIn, tokenOut } = ORDERS[kind]
    const [sold, bought] = [tokenIn, tokenOut].map(({ address, isNative }) =>
      (isNative ? WETH : address).toLowerCase(),
    ) as [string, string]
    const over = (name: Pools, ...pools: Uint8Array[]): Request => {
      const swapData = { ...veloraCall(kind), pools: Buffer.concat(pools) }
      const data = AUGUSTUS.write(name, { swapData, partnerAndFee: CAPPED, permit: NOTHING })
      return request('velora', kind, data)
    }
    const [v2, v3] = ['swapExactAmountInOnUniswapV2', 'swapExactAmountInOnUniswapV3'] as const
    const good: readonly (readonly [string, Request])[] = [
      ['forward', over(v3, v3Pool(sold, bought, true))],
      ['backward', over(v3, v3Pool(bought, sold, false))],
      ['two pools', over(v3, v3Pool(sold, OTHER, true), v3Pool(bought, OTHER, false))],
      ['V2', over(v2, v2Pool(sold, bought))],
      ['V2, the other way', over(v2, v2Pool(OTHER, sold), v2Pool(bought, OTHER))],
    ]
    for (const [what, material] of good)
      t.match(await prove('velora', kind, material), { minOut: '1000' }, `${kind}: ${what}`)
    const spoiled = (at: number, bits: number) => {
      const pool = v3Pool(sold, bought, true)
      pool[at]! |= bits
      return over(v3, pool)
    }
    const bad: readonly (readonly [string, Request])[] = [
      ['the wrong way', over(v3, v3Pool(bought, sold, true))],
      ['the second pool the wrong way', over(v3, v3Pool(sold, OTHER, true), v3Pool(bought, OTHER, true))],
      ['to another token', over(v2, v2Pool(sold, OTHER))],
      ...[0x40, 0x20, 0x10, 8, 4, 2, 1].map((bit) => [`bit ${bit}`, spoiled(0, bit)] as const),
      ...[1, 11, 32, 43].map((at) => [`byte ${at}`, spoiled(at, 1)] as const),
    ]
    for (const [what, material] of bad)
      t.equal(await ruleOf('velora', kind, material), 'pools', `${kind}: ${what}`)
  }
})

t.test("Velora's minimum is what its fee leaves, and the fee is counted of what was quoted", async (t) => {
  const order = ORDERS.tokens
  const [bps, gross, least] = [10n, 1_000_000n, 900_000n]
  const net = (amount: bigint): bigint => amount - (amount * bps) / 10_000n - DUST
  const claim = { ...claimOf('tokens'), expectedOut: net(gross), minOut: net(least), feeBps: Number(bps) }
  const word = (BigInt(VELORA_PARTNER) << 96n) | CAPPED | bps
  const proof = (change: object) => {
    const swapData = { ...veloraCall('tokens'), toAmount: least, quotedAmount: gross, ...change }
    return proveEvm(request('velora', 'tokens', encodeVelora(swapData, word)), claim, veloraRules)
  }
  const fee = (amount: string) => [
    { bps: 10, amount, recipient: VELORA_PARTNER, whose: 'velora', token: order.tokenOut.address },
  ]
  const { minOut, fees } = await proof({})
  t.same([minOut, fees], ['899099', fee('1000')])
  t.same((await proof({ quotedAmount: gross - 1n })).fees, fee('999'), "a unit of the provider's rounding")
  t.same((await proof({ quotedAmount: 2n ** 255n })).fees, fee('1000'), 'no more than what was quoted')
  t.equal((await proof({ toAmount: gross, quotedAmount: gross })).minOut, '998999')
  t.equal((await proof({ toAmount: least - 1n })).minOut, '899099', 'the fee of a unit less is a unit less')
  for (const [rule, change] of [
    ['minimum', { toAmount: least - 2n }],
    ['quoted_amount', { quotedAmount: gross - 3n }],
    ['quoted_amount', { toAmount: gross + 1n }],
  ] as const)
    t.equal((await failureOf(proof(change))).fields.rule, rule, JSON.stringify(Object.keys(change)))
})

t.test('for a provider without a router on the chain nothing passes', async (t) => {
  const material = request('velora', 'native-in', DATA.velora!('native-in'))
  const claim = claimOf('native-in')
  for (const rules of [{ ...veloraRules, routers: [] }, rulesOf('uniswap-v2', 'mantle')]) {
    t.same(rules.routers, [])
    const { code, fields } = await failureOf(proveEvm(material, claim, rules))
    t.same([code, fields.rule], ['material_refused', 'to'])
  }
})

t.test('the rules hold checksummed addresses', (t) => {
  for (const { key } of EVM_CHAINS) {
    for (const provider of ['kyberswap', 'velora', 'uniswap-v2', 'uniswap-v3']) {
      const { routers, native } = rulesOf(provider, key)
      for (const address of [...routers, native]) {
        t.equal(addr.addChecksum(address.toLowerCase()), address, `${provider} on ${key}`)
      }
    }
  }
  t.equal(kyberswapRules.native, NATIVE)
  t.end()
})

/** Null if nothing is refused. */
const ruleBroken = async (prove: () => Promise<unknown>): Promise<unknown> => {
  try {
    await prove()
    return null
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

t.test(
  'an exact output: at most the maximum leaves, exactly the output arrives, and the rest comes back',
  async (t) => {
    for (const [provider, encode] of Object.entries(UNISWAP)) {
      for (const kind of KINDS) {
        const call = uniswapCall(kind)
        const order = { ...ORDERS[kind], amountOut: MIN_OUT }
        const claim = { order, expectedOut: MIN_OUT, minOut: MIN_OUT, date: NOW }
        const ruleOf = (data: string, more: Partial<Request> = {}, claimed: Partial<BuildOrder> = {}) =>
          ruleBroken(() =>
            proveEvm(
              { ...request(provider, kind, data), ...more },
              { ...claim, order: { ...order, ...claimed } },
              rulesOf(provider, 'base'),
            ),
          )
        const honest = encode(kind, call, true)
        const title = `${provider}, ${kind}`
        const proof = await proveEvm(request(provider, kind, honest), claim, rulesOf(provider, 'base'))
        t.same([proof.minOut, proof.recipient], [String(MIN_OUT), FROM], title)
        const isNative = kind === 'native-in'
        const { approval } = request(provider, kind, honest)
        const most = call.amountIn + 1n
        const thefts: [string, string, string, Partial<Request>?][] = [
          [
            'a larger maximum',
            isNative ? 'value' : 'amount',
            encode(kind, { ...call, amountIn: most }, true),
            isNative ? { value: String(most) } : {},
          ],
          ['a smaller output', 'minimum', encode(kind, { ...call, amountOutMin: MIN_OUT - 1n }, true)],
          ['another output', 'minimum', encode(kind, { ...call, amountOutMin: MIN_OUT + 1n }, true)],
          ['another recipient', 'recipient', encode(kind, { ...call, to: STRANGER }, true)],
          ['all of the maximum', 'calldata', encode(kind, call)],
        ]
        if (approval !== null)
          thefts.push([
            'a larger approval',
            'approval',
            honest,
            { approval: { ...approval, amount: String(most) } },
          ])
        for (const [what, rule, data, more] of thefts)
          t.equal(await ruleOf(data, more), rule, `${title}: ${what}`)
        // An order for an exact input does not take it either.
        const sold = await ruleBroken(() =>
          proveEvm(request(provider, kind, honest), claimOf(kind), rulesOf(provider, 'base')),
        )
        t.equal(sold, 'calldata', `${title}: less than was sold`)
        const receiver = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
        t.equal(await ruleOf(honest, {}, { receiver }), 'recipient', `${title}: pays the signer`)
        const third = encode(kind, { ...call, to: STRANGER }, true)
        t.equal(await ruleOf(third, {}, { receiver }), 'recipient', `${title}: pays a third`)
        t.equal(
          await ruleOf(encode(kind, { ...call, to: receiver }, true), {}, { receiver }),
          null,
          `${title}: pays the receiver`,
        )
      }
    }
  },
)

t.test('without its refund an exact output from the native coin is refused', async (t) => {
  const order = { ...ORDERS['native-in'], amountOut: MIN_OUT }
  const claim = { order, expectedOut: MIN_OUT, minOut: MIN_OUT, date: NOW }
  const outer = new CalldataReader<{ multicall: { deadline: bigint; data: readonly Uint8Array[] } }>([
    'function multicall(uint256 deadline, bytes[] data)',
  ])
  const honest = encodeV3Swap('native-in', uniswapCall('native-in'), true)
  const { args } = outer.read(honest)!
  const kept = outer.write('multicall', { ...args, data: args.data.slice(0, 1) })
  const refused = await ruleBroken(() =>
    proveEvm(request('uniswap-v3', 'native-in', kept), claim, rulesOf('uniswap-v3', 'base')),
  )
  t.equal(refused, 'calldata')
})

t.test('a router without exact outputs does not pass for one, and pays the receiver', async (t) => {
  for (const [provider, call, field] of [
    ['kyberswap', kyberCall('tokens'), 'dstReceiver'],
    ['velora', veloraCall('tokens'), 'beneficiary'],
  ] as const) {
    const encode = (to: string) =>
      provider === 'kyberswap'
        ? encodeKyberSwap(STRANGER, { ...kyberCall('tokens'), dstReceiver: to })
        : encodeVelora({ ...veloraCall('tokens'), beneficiary: to })
    t.ok(field in call)
    const ruleOf = (data: string, more: Partial<BuildOrder>) =>
      ruleBroken(() =>
        proveEvm(
          request(provider, 'tokens', data),
          { ...claimOf('tokens'), order: { ...ORDERS.tokens, ...more } },
          rulesOf(provider, 'base'),
        ),
      )
    t.equal(await ruleOf(encode(FROM), { amountOut: MIN_OUT }), 'amount', provider)
    const receiver = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
    t.equal(await ruleOf(encode(receiver), { receiver }), null, provider)
    const zero = `0x${'0'.repeat(40)}`
    for (const lost of ['0x0000000000000000000000000000000000000002', rulesOf(provider, 'base').routers[0]!])
      t.equal(
        await ruleOf(encode(lost), { receiver: lost }),
        'recipient',
        `${provider}: nobody can spend it at ${lost}`,
      )
    for (const to of [FROM, STRANGER, zero])
      t.equal(await ruleOf(encode(to), { receiver }), 'recipient', `${provider} pays ${to}`)
  }
})
