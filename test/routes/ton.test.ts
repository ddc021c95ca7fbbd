import t from 'tap'
import { DOGS } from '../../src/sandbox/ton/addresses.ts'
import { listen } from '../fixtures/gateway.ts'
import { getQuote, postBuild, TON_WALLET, turn } from '../fixtures/swaps.ts'

/** Its wallets' code is not known, so the chain is asked. */
const TON_USDC = 'EQC61IQRl0_la95t27xhIpjxZt32vl1QQVF2UgTNuvD18W-4'
const TON_USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const ORDER = { chain: 'ton', token: TON_USDC, amount: '1.5', slippageBps: 100, from: TON_WALLET }

t.test('a jetton whose code is not known is proved by two nodes, and by no fewer', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off' })
  for (const side of ['sell', 'buy'] as const) {
    const order = { ...ORDER, side }
    const quote = await (await getQuote(gateway.url, order)).json()
    await turn(gateway, 'ton', '500')
    const refused = await postBuild(gateway.url, { ...order, quote })
    t.equal(refused.status, 502, side)
    t.match(await refused.json(), {
      code: 'material_unproved',
      rule: 'jetton_wallet',
      error: /RPC_URLS_TON/,
    })
    await turn(gateway, 'ton', null)

    // The breakers of nodes that failed once are still closed.
    const built = await postBuild(gateway.url, { ...order, quote })
    t.equal(built.status, 200, side)
    t.match(await built.json(), { verification: { level: 'proved', recipient: TON_WALLET } })
  }
})

t.test('so are the router that is paid, and the pool', async (t) => {
  for (const [rule, token] of [
    ['router', TON_USDT],
    ['pools', DOGS],
  ] as const) {
    const gateway = await listen(t, { LIMITS: 'swap=off' })
    const order = { ...ORDER, token, side: 'buy' }
    const quote = await (await getQuote(gateway.url, order)).json()
    await turn(gateway, 'ton', '500')
    const refused = await postBuild(gateway.url, { ...order, quote })
    t.equal(refused.status, 502, rule)
    t.match(await refused.json(), { code: 'material_unproved', rule, error: /RPC_URLS_TON/ })
    await turn(gateway, 'ton', null)
    const built = await postBuild(gateway.url, { ...order, quote })
    t.match(await built.json(), { verification: { level: 'proved', recipient: TON_WALLET } }, rule)
  }
})
