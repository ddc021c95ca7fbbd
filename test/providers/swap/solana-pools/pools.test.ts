/** Swaps in one pool, from the quote at a node to the execution there. */
import t from 'tap'
import { decodeKey } from '../../../../src/chains/solana/base58.ts'
import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '../../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../../src/chains/solana/wire.ts'
import { simulateSolana } from '../../../../src/proof/simulation/solana.ts'
import type { Token } from '../../../../src/proof/terms/order.ts'
import { verified } from '../../../../src/proof/terms/verification.ts'
import type { Prioritize } from '../../../../src/providers/priority.ts'
import { proved } from '../../../../src/providers/proved.ts'
import { GatewayError } from '../../../../src/runtime/errors.ts'
import { tokenAddress } from '../../../../src/sandbox/solana/ledger/instructions.ts'
import { CALL, orderOf, tokenOf, WALLET } from '../../../fixtures/jupiter.ts'
import { extension, mintAccount, transferFee } from '../../../fixtures/mint.ts'
import { startPools } from '../../../fixtures/pool-world.ts'

const SOL = 1_000_000_000n
const UNWRAPPED: Token = { address: WRAPPED_SOL_MINT, isNative: false, decimals: 9 }

t.test('what is quoted is what the execution gives, with the minimum in the bytes', async (t) => {
  const { world, solana, providers } = await startPools(t)
  const ask = async (method: string, params: readonly unknown[]) =>
    (await solana.read(method, JSON.stringify(params), CALL)).result!.toString()
  for (const provider of providers) {
    for (const order of [
      orderOf(world.market, 'buy', 'USDC', SOL),
      orderOf(world.market, 'sell', 'USDC', 25_000_000n),
      { ...orderOf(world.market, 'sell', 'USDC', 25_000_000n), tokenOut: UNWRAPPED },
    ]) {
      const offer = await provider.quote(order, CALL)
      const material = await provider.build(order, offer, CALL)
      const proof = await provider.prove(order, offer, material, CALL)
      t.match(verified(proof, null), { level: 'proved', stated: { length: 0 }, minOut: String(offer.minOut) })
      t.equal(offer.minOut, (offer.expectedOut * 9_700n) / 10_000n)
      if (material.kind !== 'solana') throw t.fail('another kind')
      const bytes = Buffer.from(material.transaction, 'base64')
      const wire = new WireTransaction()
      t.equal(wire.parse(bytes), null)
      t.equal(wire.lookupCount, 0, 'every account is in the bytes')
      t.ok(bytes.length < 900, 'there is room for guards')

      const done = await simulateSolana(material.transaction, WALLET, ask)
      if ('failed' in done) throw t.fail(`${provider.label}: it failed`)
      const of = (token: Token) =>
        done.changes.find((one) => one.token === (token.address === USDC ? USDC : null))!.amount
      const native = order.tokenIn.isNative ? order.tokenIn : order.tokenOut
      const fees = 5_000n
      if (order.side === 'buy') {
        t.same(of(order.tokenOut), offer.expectedOut)
        t.same(of(native), -SOL - fees)
      } else {
        t.same(of(order.tokenIn), -order.amountIn)
        t.same(of(native), offer.expectedOut - fees)
      }
    }
  }
})

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

t.test('a pool that no longer gives the minimum fails the execution', async (t) => {
  const { world, solana, providers } = await startPools(t)
  const ask = async (method: string, params: readonly unknown[]) =>
    (await solana.read(method, JSON.stringify(params), CALL)).result!.toString()
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  for (const provider of providers) {
    const offer = await provider.quote(order, CALL)
    const late = { ...offer, minOut: offer.expectedOut + 1n }
    const material = await provider.build(order, late, CALL)
    if (material.kind !== 'solana') throw t.fail('another kind')
    t.match(await simulateSolana(material.transaction, WALLET, ask), { failed: true })
  }
})

t.test('a transaction of an order with a nonce begins with its advance', async (t) => {
  const { world, providers } = await startPools(t)
  const nonce = { account: tokenAddress(USDC, WRAPPED_SOL_MINT), value: WRAPPED_SOL_MINT }
  const order = { ...orderOf(world.market, 'buy', 'USDC', SOL), nonce }
  for (const provider of providers) {
    const offer = await provider.quote(order, CALL)
    const proof = await provider.prove(order, offer, await provider.build(order, offer, CALL), CALL)
    t.match(proof, { expires: false, nonce })
  }
})

t.test('a pair without a pool, or with SOL on both sides, has no route', async (t) => {
  const { world, providers } = await startPools(t)
  for (const provider of providers) {
    for (const order of [
      orderOf(world.market, 'buy', 'BONK', SOL),
      { ...orderOf(world.market, 'buy', 'USDC', SOL), tokenOut: UNWRAPPED },
    ])
      await t.rejects(provider.quote(order, CALL), { code: 'no_route', fields: { provider: provider.label } })
    await t.rejects(provider.quote(orderOf(world.market, 'buy', 'USDC', 1n), CALL), {
      code: /^(amount_too_small|no_route)$/,
    })
    await t.rejects(provider.quote({ ...orderOf(world.market, 'buy', 'USDC', 2n ** 64n) }, CALL), {
      code: 'amount_too_large',
    })
  }
})

t.test('a token whose transfers do more than move the amount has no route', async (t) => {
  const { world, providers } = await startPools(t)
  const { address } = tokenOf(world.market, 'USDC')
  const { vm } = world.solana.bank
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const hook = extension(14, Buffer.alloc(64, 1))
  const free = { epoch: 0, bps: 0 }
  for (const [name, extensions, isServed] of [
    ['metadata', [extension(18, Buffer.alloc(64))], true],
    ['a fee', [transferFee(free, { epoch: 0, bps: 100 })], false],
    ['a fee that can be set', [transferFee(free, free, Buffer.alloc(32, 1))], false],
    ['a hook', [hook], false],
    ['accounts that are born frozen', [extension(6, Uint8Array.of(2))], false],
    ['an extension that is not known', [extension(999)], false],
  ] as const) {
    const data = mintAccount({}, ...extensions)
    vm.place(decodeKey(address), { lamports: SOL, data, owner: decodeKey(TOKEN_2022_PROGRAM) })
    for (const provider of providers) {
      const quote = provider.quote(order, CALL)
      if (isServed) t.ok(await quote, name)
      else await t.rejects(quote, { code: 'no_route' }, name)
    }
  }
})

t.test('without a node that tells prices, a build that asks for no priority pays none', async (t) => {
  const { world, providers } = await startPools(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const blockhash = async () => ({ blockhash: Buffer.alloc(32, 1), lastValidBlockHeight: 1 })
  for (const provider of providers) {
    const asked: unknown[] = []
    const prioritize: Prioritize = async (transaction, { priority = null }) => {
      asked.push(priority)
      if (priority !== null) throw new GatewayError('upstream_timeout', 'It tells no prices.')
      const paid = {
        computeUnitPrice: '0',
        computeUnitLimit: 1,
        lamports: '0',
        unitsConsumed: 1,
        slots: null,
      }
      return { transaction, paid }
    }
    const rules = { simulate: async () => null, blockhash, prioritize, minimum: 'proved' } as const
    const { buildProved } = proved(provider, rules)
    const offer = await provider.quote(order, CALL)
    t.match(await buildProved(order, offer, CALL), { verification: { level: 'proved' } })
    t.same(asked, ['medium', null])
    await t.rejects(buildProved({ ...order, priority: 'high' }, offer, CALL), { code: 'upstream_timeout' })
  }
})
