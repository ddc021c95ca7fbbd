/**
 * A swap through DFlow from end to end: quote, build, guards, a wallet's signature by web3.js, submission to the
 * sandbox's node, and a market that pays less by then than when it was executed.
 */
import { Connection, Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import { dflowProgram } from '../../../scripts/sbpf/programs.ts'
import { decodeKey } from '../../../src/chains/solana/base58.ts'
import { DFLOW_PROGRAM, TOKEN_2022_PROGRAM } from '../../../src/chains/solana/programs.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import { tokenAddress } from '../../../src/sandbox/solana/ledger/instructions.ts'
import { type DflowWorld, startDflow } from '../../fixtures/dflow.ts'
import { CALL, orderOf, tokenOf } from '../../fixtures/jupiter.ts'
import { failureOf } from '../../fixtures/provider.ts'

const SOL = 1_000_000_000n

async function walletOf({ solanaUrl }: DflowWorld) {
  const connection = new Connection(solanaUrl, 'confirmed')
  const wallet = Keypair.generate()
  await connection.requestAirdrop(wallet.publicKey, 10_000_000_000)
  const sign = (material: Material): Uint8Array => {
    const { transaction: text } = material as { transaction: string }
    const transaction = VersionedTransaction.deserialize(Buffer.from(text, 'base64'))
    transaction.sign([wallet])
    return transaction.serialize()
  }
  const held = async (mint: string, program?: string): Promise<bigint> => {
    const account = new PublicKey(tokenAddress(wallet.publicKey.toBase58(), mint, program))
    return BigInt((await connection.getTokenAccountBalance(account, 'processed')).value.amount)
  }
  return { connection, from: wallet.publicKey.toBase58(), sign, held }
}

t.test('what was quoted is what the wallet gets, both ways', async (t) => {
  const world = await startDflow(t)
  const { connection, from, sign, held } = await walletOf(world)
  const swap = async (order: ReturnType<typeof orderOf>) => {
    const offer = await world.proved.quote(order, CALL)
    const { material, verification, guards } = await world.proved.buildProved(order, offer, CALL)
    t.match(verification, { level: 'simulated', stated: { length: 0 }, minOut: String(offer.minOut) })
    t.match(guards, { by: 'transaction', enforced: [{ atLeast: String }] })
    await connection.sendRawTransaction(sign(material))
    return offer
  }
  for (const [symbol, program] of [['USDC'], ['SCALED', TOKEN_2022_PROGRAM]] as const) {
    const { address } = tokenOf(world.market, symbol)
    const bought = await swap(orderOf(world.market, 'buy', symbol, SOL, from))
    t.equal(await held(address, program), bought.expectedOut, `${symbol} at once`)
    world.advance(30_000)
    const half = bought.expectedOut / 2n
    const before = BigInt(await connection.getBalance(new PublicKey(from), 'processed'))
    const sold = await swap(orderOf(world.market, 'sell', symbol, half, from))
    t.equal(await held(address, program), bought.expectedOut - half, `${symbol} sold`)
    const after = BigInt(await connection.getBalance(new PublicKey(from), 'processed'))
    t.ok(after - before > sold.minOut, 'unwrapped')
  }
  const [tokenIn, tokenOut] = [tokenOf(world.market, 'USDC'), tokenOf(world.market, 'JUP')]
  const order = { ...orderOf(world.market, 'sell', 'USDC', 1_000_000n, from), tokenIn, tokenOut }
  const crossed = await swap(order)
  t.equal(await held(tokenOut.address), crossed.expectedOut, 'a token for a token')
})

t.test('a market that pays less when it lands than when it was executed', async (t) => {
  const world = await startDflow(t)
  const { from, sign } = await walletOf(world)
  const order = orderOf(world.market, 'buy', 'USDC', SOL, from)
  const offer = await world.proved.quote(order, CALL)
  const { material } = await world.proved.buildProved(order, offer, CALL)
  const open = await world.provider.build(order, offer, CALL)
  const { vm } = world.solana.bank
  const lands = (one: Material) =>
    vm.simulate(sign(one), { signatures: true, blockhash: false }).failure === null
  t.same([material, open].map(lands), [true, true], 'while it pays')
  vm.addProgram(decodeKey(DFLOW_PROGRAM), dflowProgram({ pays: 'div r9, 2' }))
  t.same(
    [material, open].map(lands),
    [false, true],
    'the guards end it; without them the wallet would lose half',
  )
  // It pays the minimum, and not less.
  vm.addProgram(decodeKey(DFLOW_PROGRAM), dflowProgram({ pays: 'mul r9, 97\ndiv r9, 100\nadd r9, 1' }))
  t.same([material, open].map(lands), [true, true])
})

t.test('what its market pays too little when it is executed is refused', async (t) => {
  const world = await startDflow(t)
  const { from } = await walletOf(world)
  const order = orderOf(world.market, 'buy', 'USDC', SOL, from)
  const offer = await world.proved.quote(order, CALL)
  world.solana.bank.vm.addProgram(decodeKey(DFLOW_PROGRAM), dflowProgram({ pays: 'div r9, 2' }))
  const failure = await failureOf(world.proved.buildProved(order, offer, CALL))
  t.match(failure, { code: 'material_refused', fields: { rule: 'simulation' } })
})

t.test('nothing is handed out that no node has executed', async (t) => {
  const world = await startDflow(t, { simulate: async () => null })
  const { from } = await walletOf(world)
  const order = orderOf(world.market, 'buy', 'USDC', SOL, from)
  const offer = await world.proved.quote(order, CALL)
  const unproved = { code: 'material_unproved', fields: { provider: 'dflow', rule: 'guards' } }
  const unasked = await failureOf(world.proved.buildProved(order, offer, CALL))
  t.match(unasked, unproved)
  t.match(unasked.message, "take another provider's quote", 'guards that nobody asked for cannot be left out')
  const asked = await failureOf(world.proved.buildProved({ ...order, guards: true }, offer, CALL))
  t.match(asked, unproved)
  t.match(asked.message, 'leave `guards` out')
  const poor = Keypair.generate().publicKey.toBase58()
  const funded = await startDflow(t)
  t.match(
    await failureOf(funded.proved.buildProved({ ...order, from: poor }, offer, CALL)),
    unproved,
    'a wallet that does not hold what it sells',
  )
})

t.test('the sandbox answers as DFlow does', async (t) => {
  const { url, dials, market } = await startDflow(t)
  const get = async (query: Record<string, string>, path = '/order') => {
    const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
  const usdc = tokenOf(market, 'USDC').address
  const asked = {
    inputMint: 'So11111111111111111111111111111111111111112',
    outputMint: usdc,
    amount: '10000000',
  }
  const { body } = await get({ ...asked, slippageBps: '20' })
  t.same(
    Object.keys(body),
    'inputMint inAmount outputMint outAmount otherAmountThreshold minOutAmount slippageBps platformFee priceImpactPct routePlan contextSlot executionMode'.split(
      ' ',
    ),
  )
  t.match(body, {
    slippageBps: 20,
    platformFee: null,
    executionMode: 'sync',
    minOutAmount: body.otherAmountThreshold,
  })
  const least = BigInt(body.outAmount) - (BigInt(body.outAmount) * 20n) / 10_000n
  t.equal(body.otherAmountThreshold, String(least), 'rounded up')
  const [leg] = body.routePlan
  t.match(leg, { venue: 'Raydium', marketKey: String, inputMintDecimals: 9, outputMintDecimals: 6 })

  const userPublicKey = Keypair.generate().publicKey.toBase58()
  t.match((await get({ ...asked, userPublicKey })).body, {
    transaction: String,
    lastValidBlockHeight: Number,
    computeUnitLimit: 200_000,
    prioritizationType: { computeBudget: { microLamports: 10_000 } },
  })
  for (const [changed, code] of [
    [{ userPublicKey: 'nobody' }, 'invalid_user_public_key'],
    [{ inputMint: 'nothing' }, 'invalid_input_mint'],
    [{ allowSyncExec: 'false' }, 'route_not_found'],
    [{ userPublicKey, reserveTransactionSize: '1000' }, 'route_not_found'],
  ] as const) {
    t.match(await get({ ...asked, ...changed }), { status: 400, body: { code, msg: String } }, code)
  }
  t.match(await get(asked, '/quote'), { status: 404, body: null })
  dials.set('dflow', '429')
  const limited = await get(asked)
  t.match(limited, { status: 429, body: null })
  t.equal(limited.headers.get('x-ratelimit-limit'), '60')
})
