import t, { type Test } from 'tap'
import { canonicalAddress } from '../../../src/chains/address.ts'
import { CHAINS } from '../../../src/chains/chains.ts'
import { EVM_CHAINS, findEvmChain } from '../../../src/chains/find.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { proveCrossChain } from '../../../src/proof/cross-chain/cross-chain.ts'
import type { Step } from '../../../src/proof/cross-chain/lifi/step.ts'
import { BRIDGE_PROGRAMS } from '../../../src/proof/cross-chain/solana.ts'
import { evmFeesOf } from '../../../src/proof/terms/fees.ts'
import type { CrossChainOrder } from '../../../src/proof/terms/order.ts'
import { verified } from '../../../src/proof/terms/verification.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { type Composed, composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  closeTokenAccount,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { copyOf, encode, HONEST, ZERO } from '../../fixtures/lifi.ts'
import { NOW, OPTIONS } from '../../fixtures/provider.ts'
import { crossChain, startXprov, WALLETS, type XprovSandbox } from '../../fixtures/xprov.ts'

const { evm, otherEvm, solana, sui } = WALLETS
const STRANGER = 'Stranger11111111111111111111111111111111111'
/** An account of Jito's. */
const TIPPED = '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5'
const BLOCKHASH = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** The programs whose instructions are not read. */
const UNREAD = [...BRIDGE_PROGRAMS].flatMap(([program, { read }]) => (read === null ? [program] : []))
const ONE_ETH = 10n ** 18n
const ONE = { evm: 250_000_000n, solana: 10n ** 9n, sui: 250_000_000n }

// biome-ignore lint/suspicious/noExplicitAny: a mutation may write anything anywhere
type Loose = any

const provedNow = (step: Step, order: CrossChainOrder) => proveCrossChain(step, order, NOW)

/** The rule that refused, or null. */
function ruleOf(step: Step, order: CrossChainOrder): string | null {
  try {
    provedNow(step, order)
    return null
  } catch (error) {
    const { code, status, fields } = error as GatewayError
    return code === 'material_refused' && status === 502 ? fields.rule! : String(error)
  }
}

type Mutation = readonly [rule: string, mutate: (step: Loose) => void]

/** Accepted once, then spoiled in each way. */
async function refusesEach(
  t: Test,
  { client }: XprovSandbox,
  order: CrossChainOrder,
  mutations: readonly Mutation[],
) {
  const { value } = await client.quote(order, OPTIONS)
  t.equal(ruleOf(value, order), null, 'accepted as it is')
  for (const [rule, mutate] of mutations) {
    const step = structuredClone(value)
    mutate(step)
    t.equal(ruleOf(step, order), rule, mutate.toString().slice(0, 90))
  }
  return value
}

const STATEMENT: readonly Mutation[] = [
  ['source_chain', (step) => step.action.fromChainId++],
  ['destination_chain', (step) => (step.action.toChainId = 56)],
  ['sent_token', (step) => (step.action.fromToken.address = otherEvm)],
  ['received_token', (step) => (step.action.toToken.address = STRANGER)],
  ['decimals', (step) => step.action.fromToken.decimals--],
  ['decimals', (step) => step.action.toToken.decimals--],
  ['decimals', (step) => step.action.toToken.decimals++],
  ['amount', (step) => (step.action.fromAmount = '1')],
  ['amount', (step) => (step.estimate.fromAmount = '1')],
  ['minimum', (step) => (step.estimate.toAmountMin = '0')],
  ['minimum', (step) => (step.estimate.toAmountMin = `${BigInt(step.estimate.toAmount) + 1n}`)],
  ['sender', (step) => (step.action.fromAddress = STRANGER)],
  ['sender', (step) => delete step.action.fromAddress],
  ['recipient', (step) => (step.action.toAddress = STRANGER)],
  ['recipient', (step) => delete step.action.toAddress],
]

const EVM: readonly Mutation[] = [
  ['router', (step) => (step.transactionRequest.to = otherEvm)],
  ['router', (step) => delete step.transactionRequest.to],
  ['sender', (step) => (step.transactionRequest.from = otherEvm)],
  ['chain', (step) => (step.transactionRequest.chainId = 1)],
  ['calldata', (step) => (step.transactionRequest.data = '0x')],
  ['calldata', (step) => (step.transactionRequest.data += '0')],
  ['calldata', (step) => (step.transactionRequest.data = '0xzz112233')],
  ['calldata', (step) => delete step.transactionRequest.data],
  ['value', (step) => (step.transactionRequest.value = '0x1')],
  ['value', (step) => (step.transactionRequest.value = '12')],
  ['value', (step) => delete step.transactionRequest.value],
  ['value', (step) => (step.estimate.feeCosts = [])],
  ['value', (step) => (step.estimate.feeCosts[1].token.chainId = 56)],
  ['value', (step) => (step.estimate.feeCosts[1].included = true)],
  ['gas', (step) => (step.transactionRequest.gasPrice = 'high')],
  ['gas', (step) => (step.transactionRequest.gasLimit = '0x')],
]

t.test('what calls within an EVM swap do is to be confirmed', async (t) => {
  const sandbox = await startXprov(t)
  const within = crossChain(sandbox.market, ['base', 'USDC', evm], ['base', null, evm], 50_000_000n)
  const { proof } = provedNow((await sandbox.client.quote(within, OPTIONS)).value, within)
  t.same(proof.confirm, {
    spends: { token: within.tokenIn.address, atMost: 50_000_000n },
    receives: { token: null, atLeast: BigInt(String(proof.minimum)) },
    atMostNativeFees: BigInt(String(proof.nativeFee)),
    atMostGas: 0n,
  })
  const across = crossChain(sandbox.market, ['base', 'USDC', evm], ['arbitrum', 'USDC', evm], 50_000_000n)
  const { value } = await sandbox.client.quote(across, OPTIONS)
  t.equal(provedNow(value, across).proof.confirm, undefined, 'no call is unread')
})

t.test('the fees that calldata takes are those that the quote has taken off', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', null, evm], ['base', 'USDC', evm], ONE_ETH)
  const step: Loose = structuredClone((await sandbox.client.quote(order, OPTIONS)).value)
  const call = copyOf(HONEST.find(({ name }) => name === 'swapTokensMultipleV3NativeToERC20')!)
  call.args.minAmountOut = BigInt(step.estimate.toAmountMin)
  step.transactionRequest.data = encode(call)
  const fee = (ONE_ETH * 75n) / 10_000n
  const cost = (amount: bigint, changes = {}) => ({
    token: { address: ZERO, chainId: 8_453 },
    amount: `${amount}`,
    included: true,
    ...changes,
  })
  const stating = (...feeCosts: object[]): Step => ({ ...step, estimate: { ...step.estimate, feeCosts } })
  const { fees } = provedNow(stating(cost(fee)), order).proof as Loose
  t.match(fees, [
    { bps: 25, amount: `${fee / 3n}`, whose: 'lifi' },
    { bps: 50, amount: `${fee - fee / 3n}`, whose: null },
  ])
  const sentinel = { token: { address: order.tokenIn.address, chainId: 8_453 } }
  const cases: [rule: string | null, ...costs: object[]][] = [
    [null, cost(fee, sentinel)],
    [null, cost(fee / 2n), cost(fee - fee / 2n)],
    ['fees'],
    ['fees', cost(fee - 1n)],
    ['fees', cost(fee, { amount: undefined })],
    ['fees', cost(fee, { token: { address: ZERO, chainId: 1 } })],
    ['fees', cost(fee, { token: { address: order.tokenOut.address, chainId: 8_453 } })],
    ['value', cost(fee), cost(1n, { included: false })],
  ]
  for (const [rule, ...costs] of cases) t.equal(ruleOf(stating(...costs), order), rule, JSON.stringify(costs))
})

t.test('an EVM crossing of the native coin', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', null, evm], ['solana', 'USDC', solana], ONE_ETH / 10n)
  const step = await refusesEach(t, sandbox, order, [...STATEMENT, ...EVM])
  const { transactionRequest, approval, proof: verification } = provedNow(step, order)
  t.equal(approval, null, 'needs no approval')
  const fee = BigInt(String(verification.nativeFee))
  t.ok(fee > 0n, 'the messaging fee comes on top')
  t.equal(BigInt(transactionRequest!.value), order.amountIn + fee)
  t.same(Object.keys(transactionRequest!), ['from', 'to', 'chainId', 'data', 'value', 'gasPrice', 'gas'])
  t.match(verification, { sender: evm, recipient: solana, router: findEvmChain('base')!.xprovContract! })
})

t.test('an order of Mayan demands no more than is promised, and says what a refund costs', async (t) => {
  const { client, market } = await startXprov(t)
  for (const [from, given] of [
    ['base', 'evm'],
    ['solana', 'solana'],
    ['sui', 'sui'],
  ] as const) {
    const to = from === 'solana' ? ['base', null, evm] : ['solana', null, solana]
    const wallet = from === 'base' ? evm : from === 'solana' ? solana : sui
    const order = crossChain(
      market,
      [from, from === 'solana' ? null : 'USDC', wallet],
      to as never,
      ONE[given],
    )
    const step = (await client.quote(order, OPTIONS)).value
    const { demands, minimum, refundFee } = provedNow(step, order).proof as Loose
    t.ok(BigInt(demands) >= BigInt(minimum), from)
    t.match(refundFee, { bps: Number, amount: /^\d+$/ }, from)
    t.ok(refundFee.bps <= 500, from)
    const scaled = (percent: bigint): Step => {
      const least = (BigInt(demands) * percent) / 100n
      const estimate = {
        ...step.estimate,
        toAmount: `${least}`,
        toAmountMin: `${(least * 995n) / 1_000n + 1n}`,
      }
      return { ...step, estimate }
    }
    t.equal(ruleOf(scaled(99n), order), 'minimum', `${from}: a hundredth more than is promised`)
    t.equal(ruleOf(scaled(50n), order), 'minimum', `${from}: twice what is promised`)
    t.equal(ruleOf(scaled(100n), order), null, `${from}: what is promised`)
  }
})

t.test('an EVM crossing of a token', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', 'USDC', evm], ['ethereum', null, evm], 250_000_000n)
  const step = await refusesEach(t, sandbox, order, [
    ...EVM,
    ['spender', (step) => (step.estimate.approvalAddress = otherEvm)],
    ['value', (step) => (step.transactionRequest.value = '0xffffffffffffffff')],
  ])
  const token = order.tokenIn.address
  const approval = { token, spender: findEvmChain('base')!.xprovContract!, amount: '250000000' }
  t.same(provedNow(step, order).approval, approval)
  Object.assign(step.estimate, { approvalReset: true })
  t.same(provedNow(step, order).approval, approval, 'which tokens want zero first is for us to know')
  const dollars = crossChain(sandbox.market, ['ethereum', 'USDT', evm], ['base', null, evm], 250_000_000n)
  const ofDollars = (await sandbox.client.quote(dollars, OPTIONS)).value
  t.match(provedNow(ofDollars, dollars).approval, { token: dollars.tokenIn.address, reset: true })
  step.estimate.skipApproval = true
  t.equal(provedNow(step, order).approval, null, 'a step that takes nothing by allowance')
})

t.test('fees and gas are accepted up to their bounds, and not by one wei more', async (t) => {
  const sandbox = await startXprov(t)
  const hex = (wei: bigint): string => `0x${wei.toString(16)}`
  for (const [symbol, amount] of [
    [null, ONE_ETH],
    ['USDC', 250_000_000n],
  ] as const) {
    const order = crossChain(sandbox.market, ['base', symbol, evm], ['ethereum', null, evm], amount)
    const { value } = await sandbox.client.quote(order, OPTIONS)
    const { messaging, gasPrice, gasLimit, gas } = evmFeesOf('base')
    const native = order.tokenIn.isNative ? order.amountIn : 0n
    const ruleWith = (mutate: (step: Loose) => void): string | null => {
      const step = structuredClone(value)
      mutate(step)
      return ruleOf(step, order)
    }
    const paying = (fee: bigint) =>
      ruleWith((step) => {
        step.estimate.feeCosts[1].amount = String(fee)
        step.transactionRequest.value = hex(native + fee)
      })
    t.equal(paying(messaging), null, 'the highest messaging fee')
    t.equal(paying(messaging + 1n), 'value')

    const burning = (price: bigint | undefined, limit: bigint | undefined) =>
      ruleWith(({ transactionRequest }) => {
        transactionRequest.gasPrice = price && hex(price)
        transactionRequest.gasLimit = limit && hex(limit)
      })
    t.equal(burning(gasPrice, gas / gasPrice), null, 'the highest price, and what it leaves for the limit')
    t.equal(burning(gasPrice, gas / gasPrice + 1n), 'gas', 'each within its bound, the product beyond')
    t.equal(burning(gas / gasLimit, gasLimit), null, 'the highest limit, and what it leaves for the price')
    t.equal(burning(gas / gasLimit + 1n, gasLimit), 'gas')
    t.equal(burning(gasPrice + 1n, 1n), 'gas')
    t.equal(burning(1n, gasLimit + 1n), 'gas')
    t.equal(burning(undefined, undefined), null, 'the wallet sets both')
    t.equal(burning(1n, undefined), 'gas', 'one without the other leaves the product open')
    t.equal(burning(undefined, 1n), 'gas')
  }
})

/** The provider's transaction by the names and in the forms of `eth_sendTransaction`. */
function asSent({ chainId, gasLimit, ...rest }: NonNullable<Step['transactionRequest']>) {
  return { ...rest, chainId: `0x${chainId!.toString(16)}`, gas: gasLimit }
}

t.test('what the provider adds to a request is not handed out', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', null, evm], ['base', 'USDC', evm], ONE_ETH)
  const { value } = await sandbox.client.quote(order, OPTIONS)
  const step = structuredClone(value) as Loose
  Object.assign(step.transactionRequest, { nonce: 7, accessList: [], type: 4, authorizationList: [{}] })
  t.same(provedNow(step, order).transactionRequest, asSent(value.transactionRequest!))
})

t.test(
  'a request is written by the gateway: quantities without leading zeros, hex in lower case',
  async (t) => {
    const sandbox = await startXprov(t)
    const order = crossChain(sandbox.market, ['base', null, evm], ['base', 'USDC', evm], ONE_ETH)
    const { value } = await sandbox.client.quote(order, OPTIONS)
    const step = structuredClone(value) as Loose
    const request = step.transactionRequest
    for (const name of ['value', 'gasPrice', 'gasLimit']) {
      request[name] = `0x00${request[name].slice(2).toUpperCase()}`
    }
    for (const name of ['to', 'from']) request[name] = request[name].toLowerCase()
    t.strictSame(provedNow(step, order).transactionRequest, asSent(value.transactionRequest!))
    request.value = request.value.replace('0x', '0X')
    t.equal(ruleOf(step, order), 'value')
    request.value = value.transactionRequest!.value
    request.data = `0x${request.data.slice(2).toUpperCase()}`
    t.equal(ruleOf(step, order), 'calldata')
  },
)

t.test(
  'without the decimals of what is bought, the provider alone states what its amounts are worth',
  async (t) => {
    const sandbox = await startXprov(t)
    for (const [from, to] of [
      [
        ['base', 'USDC', evm],
        ['arbitrum', 'USDC', evm],
      ],
      [
        ['solana', null, solana],
        ['base', 'USDC', evm],
      ],
      [
        ['sui', null, sui],
        ['base', 'USDC', evm],
      ],
    ] as const) {
      const order = crossChain(sandbox.market, from, to, 5n * 10n ** 9n)
      const { decimalsOut: _, ...uncounted } = order
      const { value } = await sandbox.client.quote(order, OPTIONS)
      t.ok(provedNow(value, order).proof.checks.includes('decimals'))
      const step = structuredClone(value) as Loose
      step.action.toToken.decimals--
      const { proof } = provedNow(step, uncounted)
      t.ok(proof.stated!.includes('decimals') && !proof.checks.includes('decimals'), from[0])
      const { agreed: _agreed, ...bytes } = proof
      t.equal(verified(bytes, null).level, 'stated', from[0])
    }
  },
)

t.test('a step without a transaction has no material', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', null, evm], ['base', 'USDC', evm], ONE_ETH)
  const { value } = await sandbox.client.quote(order, OPTIONS)
  const { transactionRequest: _, ...step } = value
  const nothing = { transactionRequest: null, solanaTransaction: null, suiTransaction: null, approval: null }
  const { proof, ...material } = provedNow(step, order)
  t.match(material, nothing)
  t.same(proof.stated, ['recipient', 'minimum'], 'no bytes show them')
  t.notOk(proof.checks.some((check) => proof.stated!.includes(check)))
})

t.test('a Solana cross-chain swap', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['solana', null, solana], ['base', 'USDC', evm], 10n ** 9n)
  const use = (address: string) => ({ address, isSigner: false, isWritable: true })
  const with_ = (program: string, data: number[], accounts: readonly string[]) =>
    unsigned(
      composeMessage(
        solana,
        [{ program, data: Uint8Array.from(data), accounts: accounts.map(use) }],
        BLOCKHASH,
      ),
    ).toString('base64')
  const set = (data: unknown) => (step: Loose) => (step.transactionRequest.data = data)
  const spoil = (at: number) => (step: Loose) => {
    const bytes = Buffer.from(step.transactionRequest.data, 'base64')
    bytes[at]! ^= 1
    step.transactionRequest.data = bytes.toString('base64')
  }
  const step = await refusesEach(t, sandbox, order, [
    ['size', set(Buffer.alloc(1_233).toString('base64'))],
    ['parse', set('')],
    ['parse', set('{"version":2}')],
    ['parse', (step) => delete step.transactionRequest.data],
    ['parse', (step) => (step.transactionRequest.data = step.transactionRequest.data.slice(0, -4))],
    ['unsigned', spoil(1)],
    ['unsigned', spoil(64)],
    ['fee_payer', spoil(1 + 64 + 5)],
    ['fee_payer', set(unsigned(composeMessage(STRANGER, [memo('x')], BLOCKHASH)).toString('base64'))],
    ['system_instruction', set(with_(SYSTEM_PROGRAM, [1, 0, 0, 0, ...Array(32).fill(0)], [solana]))],
    ['system_instruction', set(with_(SYSTEM_PROGRAM, [4, 0, 0, 0], [STRANGER]))],
    ['system_instruction', set(with_(SYSTEM_PROGRAM, [2, 1, 0, 0], [solana, STRANGER]))],
    ['system_instruction', set(with_(SYSTEM_PROGRAM, [], [solana]))],
    ['token_instruction', set(with_(TOKEN_PROGRAM, [4, 1, 0, 0, 0, 0, 0, 0, 0], [STRANGER, solana]))],
    ['token_instruction', set(with_(TOKEN_PROGRAM, [6, 2, 0], [STRANGER, solana]))],
    ['token_instruction', set(with_(TOKEN_PROGRAM, [], [STRANGER]))],
    ['close_destination', set(with_(TOKEN_PROGRAM, [9], [STRANGER, STRANGER, solana]))],
  ])
  const { solanaTransaction, proof: verification } = provedNow(step, order)
  t.equal(solanaTransaction, step.transactionRequest!.data)
  t.match(verification, { feePayer: solana, bridges: ['mayan'] })
  t.same(verification.stated, [])
  t.match(verification.agreed, { spends: { token: null, atMost: 10n ** 9n }, receives: null })
  t.ok(verification.agreed!.atMostNativeFees < 10n ** 8n, 'the fees have a bound')
  const wrapped = tokenAddress(solana, WRAPPED_SOL_MINT)
  const bridge = (program: string) => ({ program, accounts: [use(solana)], data: Uint8Array.of(1) })
  const cases: readonly (readonly [string | null, string, ...Composed[]])[] = [
    [null, 'a tip', transferLamports(solana, TIPPED, 10_000_000n)],
    ['transfer_amount', 'a larger one', transferLamports(solana, TIPPED, 10_000_001n)],
    [
      'transfer_amount',
      'two small ones',
      transferLamports(solana, TIPPED, 6_000_000n),
      transferLamports(solana, 'nozc5yT15LazbLTFVZzoNZCwjh3yUtW86LoUyqsBu4L', 6_000_000n),
    ],
    ['transfer_destination', 'a lamport to anybody else', transferLamports(solana, STRANGER, 1n)],
    [
      'transfer_destination',
      'a key that begins like a tip account',
      transferLamports(solana, 'nozc5yT15LazbLTFVZzoNZCwjh3yUtW86LoUyqsBu4M', 1n),
    ],
    [null, 'wrapped as far as it goes', transferLamports(solana, wrapped, 10n ** 9n), syncNative(wrapped)],
    ['transfer_amount', 'more wrapped than ordered', transferLamports(solana, wrapped, 10n ** 9n + 1n)],
    ['token_instruction', "a stranger's account", syncNative(STRANGER)],
    ['close_destination', "a stranger's account closed", closeTokenAccount(STRANGER, solana)],
    ['token_instruction', 'tokens to a stranger', transferTokens(solana, STRANGER, WRAPPED_SOL_MINT, 1n, 9)],
    ['program', 'a program that is no bridge', bridge(STRANGER)],
    ['program', "Jupiter's program", bridge('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')],
    ['priority_fee', 'a dear unit', setComputeUnitPrice(2_000_000)],
    ['bridge', 'two bridges', ...UNREAD.slice(0, 2).map(bridge)],
    ...UNREAD.map((program) => [null, program, bridge(program)] as const),
  ]
  for (const [rule, name, ...instructions] of cases) {
    set(unsigned(composeMessage(solana, instructions, BLOCKHASH)).toString('base64'))(step)
    t.equal(ruleOf(step, order), rule, name)
    if (rule === null) {
      const stated = ['amount', 'recipient', 'destination_chain', 'minimum']
      t.match(provedNow(step, order).proof, { stated, agreed: { receives: null } }, name)
    }
  }
})

t.test('wrapped SOL where SOL was asked for is another token, and the reverse', async (t) => {
  const sandbox = await startXprov(t)
  const wrapped = { address: WRAPPED_SOL_MINT, isNative: false, decimals: 9 }
  const state = (side: 'fromToken' | 'toToken', address: string) => (step: Loose) =>
    (step.action[side].address = address)
  const cases = [
    [
      crossChain(sandbox.market, ['solana', null, solana], ['base', 'USDC', evm], 10n ** 9n),
      'tokenIn',
      'fromToken',
      'sent_token',
    ],
    [
      crossChain(sandbox.market, ['base', 'USDC', evm], ['solana', null, solana], 250_000_000n),
      'tokenOut',
      'toToken',
      'received_token',
    ],
  ] as const
  for (const [order, side, named, rule] of cases) {
    const step = await refusesEach(t, sandbox, order, [[rule, state(named, WRAPPED_SOL_MINT)]])
    const forWrapped = { ...order, [side]: wrapped }
    t.equal(ruleOf(step, forWrapped), rule, 'SOL for the wrapped mint')
    state(named, WRAPPED_SOL_MINT)(step)
    const { value } = await sandbox.client.quote(forWrapped, OPTIONS)
    t.equal(ruleOf({ ...step, transactionRequest: value.transactionRequest! }, forWrapped), null)
  }
})

t.test("a small order's additional costs are a share of it", async (t) => {
  const sandbox = await startXprov(t)
  const hex = (wei: bigint): string => `0x${wei.toString(16)}`
  const amount = ONE_ETH / 50n
  const share = amount / 10n
  const weth = findEvmChain('base')!.wrappedNative
  const native = crossChain(sandbox.market, ['base', null, evm], ['ethereum', null, evm], amount)
  const { value } = await sandbox.client.quote(native, OPTIONS)
  const changed = (mutate: (step: Loose) => void) => {
    const step: Loose = structuredClone(value)
    mutate(step)
    return step
  }
  const paying = (fee: bigint) =>
    changed((step) => {
      step.estimate.feeCosts[1].amount = String(fee)
      step.transactionRequest.value = hex(amount + fee)
    })
  t.equal(ruleOf(paying(share), native), null)
  t.equal(ruleOf(paying(share + 1n), native), 'value', 'a fifth of the flat bound, and half of the order')

  const { gasPrice } = evmFeesOf('base')
  const burning = (limit: bigint) =>
    changed(({ transactionRequest }) => {
      Object.assign(transactionRequest, { gasPrice: hex(gasPrice), gasLimit: hex(limit) })
    })
  const limit = share / gasPrice
  const requestOf = (step: Loose) => provedNow(step as never, native).transactionRequest!
  t.match(requestOf(burning(limit)), { gasPrice: hex(gasPrice), gas: hex(limit) })
  const dear = requestOf(burning(limit + 1n))
  t.same(Object.keys(dear), ['from', 'to', 'chainId', 'data', 'value'], 'the wallet estimates it')

  const wrapped = crossChain(sandbox.market, ['base', 'WETH', evm], ['ethereum', null, evm], amount)
  t.equal(wrapped.tokenIn.address, weth)
  const ofWrapped = (await sandbox.client.quote(wrapped, OPTIONS)).value
  const step: Loose = structuredClone(ofWrapped)
  step.estimate.feeCosts[1].amount = String(share + 1n)
  step.transactionRequest.value = hex(share + 1n)
  t.equal(ruleOf(step, wrapped), 'value', 'wrapped ether is worth as much')

  const dollars = crossChain(sandbox.market, ['base', 'USDC', evm], ['ethereum', null, evm], 50_000_000n)
  const ofDollars: Loose = structuredClone((await sandbox.client.quote(dollars, OPTIONS)).value)
  ofDollars.estimate.feeCosts[1].amount = String(share + 1n)
  ofDollars.transactionRequest.value = hex(share + 1n)
  t.equal(ruleOf(ofDollars, dollars), null, 'a token whose worth nobody knows has the flat bound')
  t.equal(ruleOf(ofDollars, { ...dollars, worth: null }), null)
  t.equal(ruleOf(ofDollars, { ...dollars, worth: amount }), 'value', 'any other has its share')
})

t.test('a swap on one chain sends no message, so nothing is paid for one', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['base', 'USDC', evm], ['base', null, evm], 50_000_000n)
  const { value } = await sandbox.client.quote(order, OPTIONS)
  t.equal(ruleOf(value, order), null)
  const step: Loose = structuredClone(value)
  const across = crossChain(sandbox.market, ['base', null, evm], ['ethereum', null, evm], ONE_ETH)
  const fee = structuredClone((await sandbox.client.quote(across, OPTIONS)).value.estimate.feeCosts![1]!)
  step.estimate.feeCosts = [{ ...fee, amount: '1' }]
  step.transactionRequest.value = '0x1'
  t.equal(ruleOf(step, order), 'value')
})

t.test('tips and the priority of a small order from Solana are a share of it', async (t) => {
  const sandbox = await startXprov(t)
  const amount = 20_000_000n
  const order = crossChain(sandbox.market, ['solana', null, solana], ['base', 'USDC', evm], amount)
  const step: Loose = structuredClone((await sandbox.client.quote(order, OPTIONS)).value)
  const ruleOfBuilt = (...instructions: Composed[]) => {
    const message = composeMessage(solana, instructions, BLOCKHASH)
    step.transactionRequest.data = unsigned(message).toString('base64')
    return ruleOf(step, order)
  }
  t.equal(ruleOfBuilt(transferLamports(solana, TIPPED, amount / 10n)), null)
  t.equal(provedNow(step, order).proof.tipLamports, `${amount / 10n}`)
  t.equal(ruleOfBuilt(transferLamports(solana, TIPPED, amount / 10n + 1n)), 'transfer_amount')
  t.equal(ruleOfBuilt(transferLamports(solana, TIPPED, 9_900_000n)), 'transfer_amount', 'half of it')
  const dollars = crossChain(sandbox.market, ['solana', 'USDC', solana], ['base', 'USDC', evm], 4_000_000n)
  const ofDollars: Loose = structuredClone((await sandbox.client.quote(dollars, OPTIONS)).value)
  const message = composeMessage(solana, [transferLamports(solana, TIPPED, amount / 10n + 1n)], BLOCKHASH)
  ofDollars.transactionRequest.data = unsigned(message).toString('base64')
  t.equal(ruleOf(ofDollars, dollars), null, 'a token whose worth nobody knows has the flat bound')
  t.equal(ruleOf(ofDollars, { ...dollars, worth: amount }), 'transfer_amount', 'any other has its share')
  const small = { ...order, amountIn: 1_000_000n }
  const paid = { ...step, action: { ...step.action, fromAmount: '1000000' } }
  paid.estimate = { ...step.estimate, fromAmount: '1000000' }
  const priced = (lamports: number) => {
    // A unit of gas for a lamport each.
    const instructions = [setComputeUnitLimit(lamports), setComputeUnitPrice(1_000_000), memo('x')]
    paid.transactionRequest = {
      data: unsigned(composeMessage(solana, instructions, BLOCKHASH)).toString('base64'),
    }
    return ruleOf(paid, small)
  }
  t.equal(priced(100_000), null)
  t.equal(priced(100_001), 'priority_fee')
})

t.test('a Sui cross-chain swap', async (t) => {
  const sandbox = await startXprov(t)
  const order = crossChain(sandbox.market, ['sui', null, sui], ['base', 'USDC', evm], 5n * 10n ** 9n)
  t.equal(order.fromChain.xprovChainId, 9_270_000_000_000_000)
  const step = await refusesEach(t, sandbox, order, [
    ['encoding', (step) => (step.transactionRequest.data = '{"version":2}')],
    ['encoding', (step) => delete step.transactionRequest.data],
    ['source_chain', (step) => (step.action.fromChainId = 9_270_000_000_000_002)],
  ])
  t.equal(provedNow(step, order).suiTransaction, step.transactionRequest!.data)
})

t.test("every EVM chain has the provider's contract, spelled with its checksum", async (t) => {
  for (const chain of CHAINS) {
    t.equal('xprovContract' in chain && chain.xprovContract !== null, chain.family === 'evm', chain.key)
  }
  for (const { key, xprovContract: address } of EVM_CHAINS)
    t.equal(canonicalAddress(key, address!), address, key)
})
