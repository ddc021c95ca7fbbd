/** What the sandbox's EVM nodes show of a transaction: their ledger's word, read by the gateway's own simulation. */
import t, { type Test } from 'tap'
import { EVM_CHAINS, findChain, findEvmChain } from '../../../src/chains/find.ts'
import { proveCrossChain } from '../../../src/proof/cross-chain/cross-chain.ts'
import { guardCall } from '../../../src/proof/evm/guard.ts'
import { KYBERSWAP } from '../../../src/proof/evm/kyberswap.ts'
import { encodeV2Swap } from '../../../src/proof/evm/uniswap-v2.ts'
import { createSimulate } from '../../../src/proof/simulation/simulate.ts'
import { Dials } from '../../../src/sandbox/dials.ts'
import { Ledger } from '../../../src/sandbox/evm/ledger.ts'
import { evm } from '../../../src/sandbox/evm/node.ts'
import { termsOf } from '../../../src/sandbox/evm/state.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { LISTINGS } from '../../../src/sandbox/market/tokens.ts'
import { startProviderServer } from '../../../src/sandbox/provider-server.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { NOW, OPTIONS } from '../../fixtures/provider.ts'
import { crossChain, startXprov, WALLETS } from '../../fixtures/xprov.ts'

const BASE = findChain('base')!
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WETH = '0x4200000000000000000000000000000000000006'
const V2_ROUTER = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'
const KYBER_ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const STRANGER = '0x9999999999999999999999999999999999999999'
const SENTINEL = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const wallet = WALLETS.evm
const sold = 100_000_000n
const BY = "the sandbox's ledger"

async function start(t: Test, market = new Market()) {
  const server = await startProviderServer(evm(market), new Dials(), () => Date.UTC(2026, 10, 20, 12))
  const rpc = new EvmRpc({ chainKey: 'base', urls: [`${server.url}/base`] })
  t.teardown(async () => {
    await rpc.close()
    await server.close()
  })
  const simulate = createSimulate({ solana: null as never, sui: null as never, evm: () => rpc })
  return (to: string, data: string, amount = sold, least = 1_000n, approved = amount) => {
    const approval = { token: USDC, spender: to, amount: String(approved) }
    const agreed = {
      spends: { token: USDC, atMost: amount },
      receives: { token: null, atLeast: least },
      atMostNativeFees: 0n,
      atMostGas: 0n,
    }
    return simulate(BASE, { kind: 'evm', to, data, value: '0', approval }, wallet, agreed, OPTIONS)
  }
}

const v2 = (amountIn: bigint, to: string = wallet) =>
  encodeV2Swap('native-out', { amountIn, amountOutMin: 1_000n, path: [USDC, WETH], to, deadline: 2n ** 40n })

const kyber = (dstReceiver: string) =>
  KYBERSWAP.write('swap', {
    callTarget: STRANGER,
    approveTarget: STRANGER,
    targetData: new Uint8Array(),
    desc: {
      srcToken: USDC.toLowerCase(),
      dstToken: SENTINEL,
      srcReceivers: [],
      srcAmounts: [],
      feeReceivers: [],
      feeAmounts: [],
      dstReceiver,
      amount: sold,
      minReturnAmount: 1_000n,
      flags: 0n,
      permit: new Uint8Array(),
    },
    clientData: new Uint8Array(),
  })

t.test('a router moves what its calldata says, and the ledger says that it was asked', async (t) => {
  const simulate = await start(t)
  const moved = {
    by: BY,
    changes: [
      { token: USDC, amount: String(-sold) },
      { token: 'native', amount: '1000' },
    ],
  }
  t.match(await simulate(V2_ROUTER, v2(sold)), moved)
  t.match(await simulate(KYBER_ROUTER, kyber(wallet)), moved)
  t.match(await simulate(KYBER_ROUTER, kyber(`0x${'0'.repeat(40)}`)), moved, 'zero stands for the caller')
  const stolen = { code: 'material_refused', fields: { rule: 'simulation' } }
  await t.rejects(simulate(V2_ROUTER, v2(sold, STRANGER)), stolen)
  await t.rejects(simulate(KYBER_ROUTER, kyber(STRANGER)), stolen)
  const left = { code: 'material_refused', fields: { rule: 'permission' } }
  await t.rejects(simulate(V2_ROUTER, v2(sold), sold, 1_000n, sold + 1n), left, 'an approval stays behind')
})

t.test('a ledger that disagrees reverts', async (t) => {
  const simulate = await start(t)
  const held = 1_000_000_000n
  t.ok(await simulate(V2_ROUTER, v2(held), held), 'all that a wallet holds')
  t.equal(await simulate(V2_ROUTER, v2(held + 1n), held + 1n), null, 'a unit more')
  t.equal(await simulate(V2_ROUTER, v2(sold + 1n), sold + 1n, 1_000n, sold), null, 'more than is approved')
  t.equal(await simulate(V2_ROUTER, `${v2(sold)}00`), null, 'what cannot be read')
  t.equal(await simulate(STRANGER, v2(sold)), null, 'no router')
})

t.test("the cross-chain provider's contract", async (t) => {
  const simulate = await start(t)
  const { client, market } = await startXprov(t)
  const order = crossChain(market, ['base', 'USDC', wallet], ['base', null, wallet], sold)
  const { transactionRequest, proof } = proveCrossChain(
    (await client.quote(order, OPTIONS)).value,
    order,
    NOW,
  )
  const { to, data } = transactionRequest!
  const least = BigInt(String(proof.minimum))
  t.match(await simulate(to, data, sold, least), {
    by: BY,
    changes: [{ amount: String(-sold) }, { token: 'native', amount: String(least) }],
  })
})

t.test('guards check what the wallet holds', async (t) => {
  const ledger = new Ledger('base', new Market())
  const run = (call: { to: string; data: string; value: string }) =>
    ledger.run(
      { from: wallet.toLowerCase(), to: call.to.toLowerCase(), data: call.data, value: BigInt(call.value) },
      NOW,
    )
  const guarded = (bought: { address: string; isNative: boolean }, least: bigint) =>
    guardCall({ chainKey: 'base', from: wallet, bought }, least)!
  const usdc = { address: USDC, isNative: false }
  t.ok(run(guarded(usdc, 1_000_000_000n)))
  t.equal(run(guarded(usdc, 1_000_000_001n)), null)
  t.equal(run(guarded({ address: STRANGER, isNative: false }, 0n)), null, 'a token that is not there')
  const other = guarded(usdc, 1n)
  t.equal(run({ ...other, data: other.data.replace('0e00', '0f00') }), null, 'another command')
  const native = { address: SENTINEL, isNative: true }
  const held = termsOf(new Market()).native('base', wallet.toLowerCase())
  t.ok(run(guarded(native, held)))
  t.equal(run(guarded(native, held + 1n)), null)
})

t.test('a lifelike market gives what a swap is worth, and no less than its minimum', async (t) => {
  const market = new Market()
  const lifelike = market.offeredBy('evm')
  const now = Date.UTC(2026, 10, 20, 12)
  const [native, usdc] = ['native', USDC].map((address) => market.find('base', address)!)
  const fair = lifelike.at(now).swap(usdc!, native!, sold)!.amountOut
  const simulate = await start(t, lifelike)
  for (const [to, data] of [
    [KYBER_ROUTER, kyber(wallet)],
    [V2_ROUTER, v2(sold)],
  ] as const) {
    t.match(await simulate(to, data), {
      changes: [{ amount: String(-sold) }, { token: 'native', amount: String(fair) }],
    })
  }
  const offer = market.offeredBy('kyberswap').at(now).swap(usdc!, native!, sold)!.amountOut
  t.ok(Math.abs(Number(fair) / Number(offer) - 1) < 0.0006, 'near to what is offered')
  const all = 4_000_000_000n
  t.equal(await simulate(V2_ROUTER, v2(all), all), null, 'more than a wallet holds')
})

t.test(
  'wallets of a lifelike market: an example worth some 12,400 dollars, and new ones with a little',
  async (t) => {
    const market = new Market()
    const prices = market.at(Date.UTC(2026, 10, 21))
    const balances = termsOf(market.offeredBy('evm'))
    const holdings = (wallet: string) =>
      LISTINGS.filter(({ token, isWrapper }) => findEvmChain(token.chain) !== null && !isWrapper).flatMap(
        ({ token }) => {
          const { chain, symbol, decimals, isNative } = token
          const amount = isNative ? balances.native(chain, wallet) : balances.token(token, wallet)
          const usd = (Number(amount) / 10 ** decimals) * Number(prices.usd(token))
          const pooled = prices.pools(token).reduce((sum, pool) => sum + Number(pool.liquidityUsd), 0)
          return amount === 0n ? [] : [{ chain, symbol, usd, counts: Math.min(usd, pooled / 5) }]
        },
      )
    const sample = holdings('0x52908400098527886e0f7030069857d2e4169ee7')
    t.equal(sample.length, 10)
    t.equal(new Set(sample.map(({ chain }) => chain)).size, 5)
    t.equal(sample.filter(({ usd }) => usd < 0.05).length, 3)
    t.same(
      sample.filter(({ usd, counts }) => counts < usd).map(({ symbol }) => symbol),
      ['KEYCAT', 'GHOST'],
      'one is more than its pool could take, and one has no price',
    )
    const total = sample.reduce((sum, { counts }) => sum + counts, 0)
    t.ok(Math.abs(total / 12_400 - 1) < 0.1, `${total}`)
    const fresh = holdings(STRANGER).filter(({ chain }) => chain === 'base')
    t.same(
      fresh.map(({ symbol }) => symbol),
      ['ETH', 'USDC'],
    )
    t.equal(balances.native('base', STRANGER), 5n * 10n ** 17n)
    for (const { key } of EVM_CHAINS) {
      const usd = (Number(balances.gasPrice(key) * 200_000n) / 1e18) * Number(prices.usd(market.native(key)))
      const [least, most] = key === 'ethereum' ? [0.4, 6] : [0.002, 0.05]
      t.ok(usd >= least && usd <= most, `a swap on ${key} costs ${usd}`)
    }
  },
)
