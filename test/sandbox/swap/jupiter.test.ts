/**
 * A swap from end to end: quote, build, proof, a wallet's signature by web3.js,
 * submission to the sandbox's node, and balances that change by what was quoted.
 */

import { Connection, Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { TOKEN_2022_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { MAX_COMPUTE_UNIT_PRICE } from '../../../src/config/defaults.ts'
import { JUPITER_CHECKS, proveJupiter } from '../../../src/proof/solana/jupiter.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import type { BuildOrder, Token } from '../../../src/proof/terms/order.ts'
import type { Offer } from '../../../src/providers/provider.ts'
import { jupiter } from '../../../src/providers/swap/jupiter.ts'
import { SCALED_MINT } from '../../../src/sandbox/market/tokens.ts'
import { tokenAddress } from '../../../src/sandbox/solana/ledger/instructions.ts'
import { CALL, type JupiterWorld, orderOf, startJupiter, tokenOf, WALLET } from '../../fixtures/jupiter.ts'

/** The node's own, and the priority by the length of the route, as nobody has simulated it. */
const feeOf = ({ details }: Offer): bigint =>
  5_000n + 2_000n * BigInt((details.stated as { hops: unknown[] }).hops.length + 2)
const TOKEN_ACCOUNT_RENT = 2_039_280n
const SOL = 1_000_000_000n

const providerOf = ({ upstream }: JupiterWorld) => jupiter({ upstream })

async function funded(connection: Connection): Promise<Keypair> {
  const wallet = Keypair.generate()
  await connection.requestAirdrop(wallet.publicKey, 10_000_000_000)
  return wallet
}

const solOf = async (connection: Connection, wallet: Keypair): Promise<bigint> =>
  BigInt(await connection.getBalance(wallet.publicKey, 'processed'))

async function tokensOf(connection: Connection, wallet: Keypair, mint: string): Promise<bigint> {
  const account = new PublicKey(tokenAddress(wallet.publicKey.toBase58(), mint))
  return BigInt((await connection.getTokenAccountBalance(account, 'processed')).value.amount)
}

/** As the gateway does. */
async function date({ message }: VersionedTransaction, connection: Connection): Promise<void> {
  message.recentBlockhash = (await connection.getLatestBlockhash()).blockhash
}

/** Quotes, builds, proves, signs and sends. */
async function swap(t: Test, world: JupiterWorld, order: BuildOrder, wallet: Keypair) {
  const provider = providerOf(world)
  const offer = await provider.quote(order, CALL)
  const material = await provider.build(order, offer, CALL)
  const transaction = proved(t, material, order, offer)
  const connection = new Connection(world.solanaUrl, 'confirmed')
  await date(transaction, connection)
  transaction.sign([wallet])
  const sent = transaction.serialize()
  const signature = await connection.sendRawTransaction(sent)
  return { offer, material, signature, sent }
}

function proved(t: Test, material: Material, order: BuildOrder, { minOut }: Offer): VersionedTransaction {
  if (material.kind !== 'solana') throw new TypeError('not a Solana transaction')
  const mintOf = ({ isNative, address }: Token): string | null => (isNative ? null : address)
  const { from, tokenIn, tokenOut, amountIn } = order
  const claim = { from, mintIn: mintOf(tokenIn), mintOut: mintOf(tokenOut), amountIn, minOut }
  const rules = { maxComputeUnitPrice: MAX_COMPUTE_UNIT_PRICE }
  const proof = proveJupiter(material.transaction, claim, rules)
  t.same(proof.checks, JUPITER_CHECKS)
  t.match(
    proof,
    { feePayer: from, amountIn: `${amountIn}`, instruction: 'route_v2', fees: [] },
    'it is proved',
  )
  return VersionedTransaction.deserialize(Buffer.from(material.transaction, 'base64'))
}

t.test('what was quoted is what the wallet gets, both ways', async (t) => {
  const world = await startJupiter(t)
  const { market } = world
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const from = wallet.publicKey.toBase58()
  for (const symbol of ['USDC', 'BONK']) {
    const { address } = tokenOf(market, symbol)
    const before = await solOf(connection, wallet)
    const bought = await swap(t, world, orderOf(market, 'buy', symbol, SOL, from), wallet)
    const paid = bought.offer.expectedOut
    t.equal(await tokensOf(connection, wallet, address), paid, `${symbol} at once`)
    const spent = SOL + feeOf(bought.offer) + TOKEN_ACCOUNT_RENT
    t.equal(await solOf(connection, wallet), before - spent, 'SOL, fees, and the rent of the account')

    world.advance(30_000)
    const half = paid / 2n
    const middle = await solOf(connection, wallet)
    const sold = await swap(t, world, orderOf(market, 'sell', symbol, half, from), wallet)
    t.equal(await tokensOf(connection, wallet, address), paid - half, `${symbol} sold`)
    const received = sold.offer.expectedOut - feeOf(sold.offer)
    t.equal(await solOf(connection, wallet), middle + received, 'SOL received')
  }
})

t.test('a token for a token needs no SOL but for the fee', async (t) => {
  const world = await startJupiter(t)
  const { market } = world
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const from = wallet.publicKey.toBase58()
  const { offer } = await swap(t, world, orderOf(market, 'buy', 'USDC', SOL, from), wallet)
  const [tokenIn, tokenOut] = [tokenOf(market, 'USDC'), tokenOf(market, 'JUP')]
  const order = { ...orderOf(market, 'sell', 'USDC', offer.expectedOut, from), tokenIn, tokenOut }
  const crossed = await swap(t, world, order, wallet)
  t.equal(await tokensOf(connection, wallet, tokenOut.address), crossed.offer.expectedOut)
  t.equal(await tokensOf(connection, wallet, tokenIn.address), 0n)
})

t.test('what the lookup table holds and the proof does not read is looked up', async (t) => {
  const world = await startJupiter(t)
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const from = wallet.publicKey.toBase58()
  const order = orderOf(world.market, 'buy', 'SCALED', SOL, from)
  const { material, signature } = await swap(t, world, order, wallet)
  world.advance(2_000)
  const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  t.equal(landed?.meta?.err, null)
  const { transaction } = material as { transaction: string }
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'))
  const [table] = message.addressTableLookups
  t.equal(message.addressTableLookups.length, 1)
  t.match(
    [table!.writableIndexes.length, table!.readonlyIndexes.length],
    [2, 4],
    'vaults; mints, desk, events',
  )
  const fixed = message.staticAccountKeys.map((key) => key.toBase58())
  t.ok(fixed.includes(TOKEN_2022_PROGRAM), 'a token program is in the table, and in the bytes')
})

t.test(
  'a token that is shown multiplied trades by its base units, and is shown as its program shows it',
  async (t) => {
    const world = await startJupiter(t)
    const { market } = world
    const connection = new Connection(world.solanaUrl, 'confirmed')
    const wallet = await funded(connection)
    const from = wallet.publicKey.toBase58()
    const bought = await swap(t, world, orderOf(market, 'buy', 'SCALED', SOL, from), wallet)
    const half = bought.offer.expectedOut / 2n
    await swap(t, world, orderOf(market, 'sell', 'SCALED', half, from), wallet)

    const account = new PublicKey(tokenAddress(from, SCALED_MINT, TOKEN_2022_PROGRAM))
    const { value } = await connection.getTokenAccountBalance(account, 'processed')
    const held = bought.offer.expectedOut - half
    t.equal(value.amount, `${held}`)
    const { blockhash } = await connection.getLatestBlockhash()
    const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash })
    // AmountToUiAmount, which answers by return data.
    const data = Buffer.alloc(9, 23)
    data.writeBigUInt64LE(held, 1)
    const keys = [{ pubkey: new PublicKey(SCALED_MINT), isSigner: false, isWritable: false }]
    transaction.add({ programId: new PublicKey(TOKEN_2022_PROGRAM), keys, data })
    const simulated = await connection.simulateTransaction(transaction, [wallet])
    const [text, encoding] = simulated.value.returnData!.data
    t.equal(value.uiAmountString, Buffer.from(text, encoding).toString())
    t.not(value.uiAmountString, `${Number(held) / 1e6}`)
    const programId = new PublicKey(TOKEN_2022_PROGRAM)
    const found = await connection.getParsedTokenAccountsByOwner(wallet.publicKey, { programId }, 'processed')
    t.match(found.value[0]?.account.data, {
      program: 'spl-token-2022',
      parsed: { info: { tokenAmount: value } },
    })
  },
)

t.test('a transaction is settled once', async (t) => {
  const world = await startJupiter(t)
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const order = orderOf(world.market, 'buy', 'USDC', SOL, wallet.publicKey.toBase58())
  const { offer, signature, sent } = await swap(t, world, order, wallet)

  world.advance(2_000)
  const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  t.equal(landed?.meta?.err, null)
  await t.rejects(connection.sendRawTransaction(sent), { message: /already been processed/ })
  t.equal(await tokensOf(connection, wallet, order.tokenOut.address), offer.expectedOut)
})

t.test('a failed or a foreign transaction is not settled', async (t) => {
  const world = await startJupiter(t)
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const from = wallet.publicKey.toBase58()
  const order = orderOf(world.market, 'buy', 'USDC', 20n * SOL, from)
  const provider = providerOf(world)
  const offer = await provider.quote(order, CALL)
  const material = await provider.build(order, offer, CALL)
  const transaction = proved(t, material, order, offer)
  await date(transaction, connection)
  transaction.sign([wallet])
  await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true })
  t.equal(
    await solOf(connection, wallet),
    10n * SOL - feeOf(offer),
    'it landed, and failed at the cost of its fee',
  )
  t.equal(await connection.getAccountInfo(new PublicKey(tokenAddress(from, order.tokenOut.address))), null)
})

t.test('a quote that the wallet edits in its transaction buys nothing', async (t) => {
  const world = await startJupiter(t)
  const connection = new Connection(world.solanaUrl, 'confirmed')
  const wallet = await funded(connection)
  const from = wallet.publicKey.toBase58()
  const order = orderOf(world.market, 'buy', 'USDC', SOL, from)
  const provider = providerOf(world)
  const offer = await provider.quote(order, CALL)
  const built = (await provider.build(order, offer, CALL)) as { transaction: string }
  const bytes = Buffer.from(built.transaction, 'base64')
  const quotedAt = bytes.indexOf(Buffer.from('bb64facc31c4af14', 'hex')) + 16
  t.equal(bytes.readBigUInt64LE(quotedAt), offer.expectedOut)
  bytes.writeBigUInt64LE(offer.expectedOut + 1n, quotedAt)
  const transaction = VersionedTransaction.deserialize(bytes)
  await date(transaction, connection)
  transaction.sign([wallet])
  await t.rejects(connection.sendRawTransaction(transaction.serialize()), { message: /0x177a/ })
  t.equal(await solOf(connection, wallet), 10n * SOL, 'and costs nothing')
})

t.test('its refusals are the ones that Jupiter is known for', async (t) => {
  const world = await startJupiter(t)
  const { market } = world
  const sol = 'So11111111111111111111111111111111111111112'
  const mint = (symbol: string) => tokenOf(market, symbol).address
  const query = (inputMint: string, outputMint: string, amount: string, more = `&taker=${WALLET}`) =>
    `?inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}${more}`
  const cases: readonly (readonly [string, string, number, object])[] = [
    ['v2/build', query(sol, sol, '1'), 400, { errorCode: 'CIRCULAR_ARBITRAGE_IS_DISABLED' }],
    ['v2/build', query(sol, mint('GHOST'), '1000'), 400, { errorCode: 'COULD_NOT_FIND_ANY_ROUTE' }],
    ['v2/build', query(sol, mint('DUST'), '1'), 400, { errorCode: 'CANNOT_COMPUTE_OTHER_AMOUNT_THRESHOLD' }],
    [
      'v2/build',
      query(sol, mint('THIN'), '9000000000000'),
      400,
      { errorCode: 'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT' },
    ],
    ['v2/build', query(sol, mint('USDC'), '1.5'), 400, { error: 'Query parameter amount cannot be parsed' }],
    ['v2/build', query(sol, mint('USDC'), '18446744073709551616'), 400, { error: /amount/ }],
    ['v2/build', query('sol', mint('USDC'), '1'), 400, { error: /inputMint/ }],
    ['v2/build', `?inputMint=${sol}&amount=1&taker=${WALLET}`, 400, { error: /outputMint/ }],
    [
      'v2/build',
      query(sol, mint('USDC'), '1', `&taker=${WALLET}&slippageBps=10001`),
      400,
      { error: /slippageBps/ },
    ],
    ['v2/build', query(sol, WALLET, '1'), 500, { error: 'Something unexpected occurred' }],
    ['v2/build', query(sol, mint('USDC'), '1000', ''), 400, { error: 'Invalid taker' }],
    ['v3/anything', '', 404, { error: 'Not Found' }],
  ]
  for (const [path, search, status, body] of cases) {
    const response = await fetch(`${world.url}/swap/${path}${search}`)
    t.equal(response.status, status, `${path} ${search}`)
    t.match(await response.json(), body)
    t.ok(response.headers.get('x-api-gateway-request-id'))
  }
  world.dials.set('jupiter', '429')
  const limited = await fetch(`${world.url}/swap/v2/build`)
  t.equal(limited.status, 429)
  t.equal(limited.headers.get('x-ratelimit-reset'), String(world.now() / 1_000 + 1))
})
