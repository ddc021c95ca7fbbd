/** A recipient that is no wallet is refused, with what it is. */

import t from 'tap'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { parseCrossChain } from '../../src/swap/cross-chain.ts'
import { type RecipientSources, requireWallet } from '../../src/swap/recipient.ts'
import { callOf } from '../fixtures/call.ts'
import { listen } from '../fixtures/gateway.ts'
import { CROSS_CHAIN, EVM_WALLET, getCrossChain, SOLANA_WALLET, SUI_WALLET, USDC } from '../fixtures/swaps.ts'

const OTHER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const UNLISTED = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const NATIVE = { ...CROSS_CHAIN, fromToken: 'native', toToken: 'native' }

t.test('a cross-chain quote names what its recipient is', async (t) => {
  const { url } = await listen(t)
  const cases: [to: string, more: object, what: string][] = [
    [USDC.solana, {}, 'a token'],
    [TOKEN_PROGRAM, {}, 'a program'],
    [USDC.base, { fromChain: 'ethereum', toChain: 'base' }, 'a token'],
    [UNLISTED, { fromChain: 'ethereum', toChain: 'base' }, 'a token'],
    [USDC.sui.split('::')[0]!, { toChain: 'sui', toToken: USDC.sui }, 'a token'],
  ]
  for (const [to, more, what] of cases) {
    const response = await getCrossChain(url, { ...CROSS_CHAIN, ...more, to })
    const { code, field, error } = (await response.json()) as Record<string, string>
    t.match(
      { status: response.status, code, field },
      { status: 400, code: 'invalid_parameter', field: 'to' },
      to,
    )
    t.match(error, `This is ${what}: what is sent there is lost.`)
  }
  for (const more of [{}, { toChain: 'ethereum', to: OTHER }, { toChain: 'ethereum', to: EVM_WALLET }]) {
    t.equal((await getCrossChain(url, { ...CROSS_CHAIN, ...more })).status, 200, JSON.stringify(more))
  }
})

/** @param account  what stands at an address of Solana */
function sources(account: unknown): Required<RecipientSources> & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    decimals: {
      async addTo(_, { address }) {
        asked.push(address)
        throw new GatewayError('unknown_token', 'There is no such token.')
      },
    },
    accounts: {
      async read() {
        if (account === undefined) throw new GatewayError('upstream_timeout', 'It is silent.')
        const value = account === null ? null : { executable: false, ...account }
        return { result: Buffer.from(JSON.stringify({ context: { slot: 1 }, value })), error: null } as never
      },
    },
  }
}

t.test('token accounts are not wallets; unknown addresses pass', async (t) => {
  const order = { ...parseCrossChain(NATIVE), amountIn: 1n } as never
  const ask = (account: unknown) => requireWallet(order, sources(account), callOf(1_000))
  for (const owner of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM])
    await t.rejects(ask({ owner }), { code: 'invalid_parameter', message: /is a token account:/ })
  await t.resolves(ask({ owner: SYSTEM_PROGRAM }))
  // A wallet that is a program's, such as a multisig.
  await t.resolves(ask({ owner: SOLANA_WALLET }))
  await t.resolves(ask(null), 'which was never funded')
  for (const account of [{ owner: SYSTEM_PROGRAM }, { owner: SOLANA_WALLET }, null]) {
    const parts = sources(account)
    await requireWallet(order, parts, callOf(1_000))
    t.same(parts.asked, [], 'no other source learns of it')
  }
  await t.resolves(ask(undefined), 'no node answers')
})

t.test("the signer's own address, and Sui wallets, are not looked up", async (t) => {
  for (const more of [
    { toChain: 'ethereum', to: EVM_WALLET },
    { toChain: 'sui', to: SUI_WALLET },
  ]) {
    const parts = sources(null)
    const parsed = parseCrossChain({ ...NATIVE, ...more })
    await requireWallet({ ...parsed, amountIn: 1n } as never, parts, callOf(1_000))
    t.same(parts.asked, [])
  }
})
