/** Guarded builds, as wallets verify and sign them. */
import { ed25519 } from '@noble/curves/ed25519.js'
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { verify } from '../../../src/clients/verify/index.ts'
import type { SwapOrder } from '../../../src/clients/verify/types.ts'
import { explain } from '../../../src/explain/explain.ts'
import { callsOf } from '../../../src/proof/evm/approval.ts'
import { guardCall } from '../../../src/proof/evm/guard.ts'
import { mintOf } from '../../../src/sandbox/swap/jupiter-desk.ts'
import { callOf } from '../../fixtures/call.ts'
import { OTHER, orderOf, startGuarded, THIEF, tokenOf } from '../../fixtures/guarded-world.ts'
import { rewritten, SOLANA_FORMS } from '../../fixtures/solana-forms.ts'

const SOL = 1_000_000_000n
const KEY = new Uint8Array(32).fill(5)
const WALLET = encodeBase58(ed25519.getPublicKey(KEY))
const DECIMALS = { decimals: async () => 6 }

t.test('on Solana a guarded build is verified with its guards, and not without them', async (t) => {
  const world = await startGuarded(t)
  world.fund(THIEF, SOL, [[OTHER, { amount: 0n }]])
  for (const symbols of [
    ['USDC', 'BONK'],
    ['USDC', 'SOL'],
    ['SOL', 'USDC'],
  ] as const) {
    world.fund(WALLET, 5n * SOL, [
      [tokenOf('USDC'), { amount: 5n * SOL }],
      [OTHER, { amount: 9n, delegate: THIEF }],
    ])
    const build = async (guards: boolean) => {
      const asked = orderOf(WALLET, { symbols, amountIn: SOL, slippageBps: 100, guards })
      const { material, guards: enforced, minOut } = await world.build(asked, callOf())
      if (material.kind !== 'solana') throw new Error('it is of Solana')
      const { transaction } = material
      const answer = {
        ...{ provider: 'jupiter', chain: 'solana', chainId: null, from: WALLET, minOut: String(minOut) },
        ...{ swapTransaction: transaction, solanaTransaction: transaction },
        ...(enforced && { guards: enforced }),
      }
      return { transaction, answer, minOut, enforced }
    }
    const [open, guarded] = [await build(false), await build(true)]
    const [sold, bought] = symbols
    const order: SwapOrder = {
      chain: 'solana',
      side: sold === 'SOL' ? 'buy' : 'sell',
      token: tokenOf(sold === 'SOL' ? bought : sold).address,
      against: sold === 'SOL' || bought === 'SOL' ? 'native' : tokenOf(bought).address,
      from: WALLET,
      amountIn: String(SOL),
      minOut: String(guarded.minOut),
      guards: true,
    }
    const name = symbols.join(' to ')
    const judged = await verify(order, guarded.answer, { trust: DECIMALS })
    t.match(judged, { isVerified: true, checks: /guards/ }, `${name}: verified`)
    t.match(await verify(order, open.answer, { trust: DECIMALS }), { isVerified: false, rule: 'guards' })
    const unasked = { ...order, guards: false }
    t.match(await verify(unasked, guarded.answer, { trust: DECIMALS }), { isVerified: true }, 'not asked for')

    const other = guarded.enforced?.enforced?.find(({ token }) => token === OTHER.address)
    t.same(other?.leftOut, ['delegate'], 'a delegate of the wallet is kept, and named')
    t.match(guarded.enforced, { by: 'transaction', bytes: Number, units: Number })

    for (const form of [
      'Phantom, untouched',
      'Phantom, with guards before and after',
      'a mobile wallet, with another price and a memo',
    ]) {
      const mints = symbols.map((symbol) => mintOf(tokenOf(symbol)))
      const rewrite = SOLANA_FORMS[form]!(guarded.transaction, WALLET, mints)
      const signed = rewritten(guarded.transaction, KEY, rewrite)
      t.match(
        await verify.signed(order, guarded.answer, signed, { trust: DECIMALS }),
        { isVerified: true },
        form,
      )
    }
    const wire = new WireTransaction()
    wire.parse(Buffer.from(guarded.transaction, 'base64'))
    const last = wire.instructions().length - 1
    const removed = rewritten(guarded.transaction, KEY, { keep: (_, i) => i !== last })
    const verdict = await verify.signed(order, guarded.answer, removed, { trust: DECIMALS })
    t.match(verdict, { isVerified: false, rule: 'signed_missing' }, 'a wallet that removes one is named')

    const before = await explain({ chain: 'solana', transaction: open.transaction, owner: WALLET }, {})
    const after = await explain({ chain: 'solana', transaction: guarded.transaction, owner: WALLET }, {})
    t.same(
      after.risks.map(({ code }) => code).sort(),
      before.risks.map(({ code }) => code).sort(),
      'guards are no risk',
    )
  }
})

t.test('without a node that executes it, nothing is handed out as guarded', async (t) => {
  const world = await startGuarded(t)
  world.fund(WALLET, 5n * SOL, [[tokenOf('USDC'), { amount: 1n }]])
  const order = orderOf(WALLET, { symbols: ['USDC', 'BONK'], amountIn: SOL, slippageBps: 100, guards: true })
  const refusal = { code: 'material_unproved', fields: { rule: 'guards' } }
  await t.rejects(world.build(order, callOf()), refusal, 'the wallet does not hold what it sells')
  world.fund(WALLET, 5n * SOL, [[tokenOf('USDC'), { amount: SOL }]])
  world.isReadable = false
  await t.rejects(world.build(order, callOf()), refusal, 'no node answers')
})

const EVM = {
  wallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const

t.test('a guard on an EVM chain is read byte for byte', async (t) => {
  const { leastIn } = await import('../../../src/proof/evm/guard.ts')
  const swap = { to: EVM.token, data: '0x12', value: 0n, approval: null }
  for (const bought of [
    { address: EVM.token, isNative: false },
    { address: EVM.token, isNative: true },
  ]) {
    const guarded = { chainKey: 'base', from: EVM.wallet, bought }
    const call = guardCall(guarded, 990_000n)!
    t.equal(leastIn(guarded, call), 990_000n)
    const { calls, atomicRequired } = callsOf(swap, call)
    t.same([calls.at(-1), atomicRequired], [call, true])
    for (const [what, other] of Object.entries({
      'another contract': { ...call, to: EVM.token },
      'more data': { ...call, data: `${call.data}00` },
      'a value that it must not carry': { ...call, value: bought.isNative ? 'x' : '0x1' },
      'no call': { to: undefined, data: undefined, value: undefined },
    }))
      t.equal(leastIn(guarded, other), null, what)
    t.equal(leastIn({ ...guarded, from: EVM.token }, call), null, 'of another wallet')
    t.equal(leastIn({ ...guarded, chainKey: 'scroll' }, call), null, 'a chain without the router')
  }
  const asTwo = {
    ...guardCall(
      { chainKey: 'base', from: EVM.wallet, bought: { address: EVM.token, isNative: false } },
      5n,
    )!,
  }
  // FLAG_ALLOW_REVERT: the check may fail.
  const lax = { ...asTwo, data: asTwo.data.replace('0e000000', '8e000000') }
  t.not(lax.data, asTwo.data)
  const guarded = { chainKey: 'base', from: EVM.wallet, bought: { address: EVM.token, isNative: false } }
  t.equal(leastIn(guarded, lax), null)
})
