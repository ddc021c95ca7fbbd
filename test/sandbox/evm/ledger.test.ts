/** What the sandbox's EVM nodes show of a transaction: their ledger's word, read by the gateway's own simulation. */
import t, { type Test } from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import { proveCrossChain } from '../../../src/proof/cross-chain.ts'
import { KYBERSWAP } from '../../../src/proof/kyberswap.ts'
import { createSimulate } from '../../../src/proof/simulation/simulate.ts'
import { encodeSwap } from '../../../src/proof/uniswap-v2.ts'
import { Dials } from '../../../src/sandbox/dials.ts'
import { evm } from '../../../src/sandbox/evm/node.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { startProviderServer } from '../../../src/sandbox/provider-server.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm-rpc.ts'
import { OPTIONS } from '../../fixtures/provider.ts'
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

async function start(t: Test) {
  const server = await startProviderServer(evm(new Market()), new Dials(), () => Date.UTC(2026, 10, 20, 12))
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
  encodeSwap('native-out', { amountIn, amountOutMin: 1_000n, path: [USDC, WETH], to, deadline: 2n ** 40n })

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
  t.match(await simulate(KYBER_ROUTER, kyber(`0x${'0'.repeat(40)}`)), moved, 'zero is whoever calls')
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
  const { transactionRequest, proof } = proveCrossChain((await client.quote(order, OPTIONS)).value, order)
  const { to, data } = transactionRequest!
  const least = BigInt(String(proof.minimum))
  t.match(await simulate(to, data, sold, least), {
    by: BY,
    changes: [{ amount: String(-sold) }, { token: 'native', amount: String(least) }],
  })
})
