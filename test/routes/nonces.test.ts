/** Slow signers: builds on the wallet's own nonce, from the request to the receipt, and their cancellation. */
import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { decodeKey, encodeBase58 } from '../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { createClient, signatureOf } from '../../src/clients/client/index.ts'
import { verify } from '../../src/clients/verify/index.ts'
import type { BuildResult } from '../../src/runtime/resources/build.ts'
import { movedClock } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { nonceAt, openNonce, placeNonce, sandboxConnection } from '../fixtures/nonces.ts'
import { EVM_WALLET, fund, getQuote, postBuild, SOLANA_WALLET, USDC } from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const SLOT_MS = 200
const ORDER = {
  chain: 'solana',
  side: 'buy',
  token: USDC.solana,
  amount: '0.1',
  from: SOLANA_WALLET,
} as const
type Answer = ReturnType<typeof JSON.parse>

async function world(t: Test) {
  const clock = movedClock()
  const gateway = await listen(t, { LIMITS: 'swap=off,rpcRead=off,rpcSend=off' }, { clock })
  const { url, sandbox } = gateway
  const connection = sandboxConnection(sandbox!.solanaRpc)
  await fund(sandbox!.solanaRpc)
  const opened = await openNonce(connection, WALLET)
  clock.move(40 * SLOT_MS)
  const nonce = opened.toBase58()
  const order = { ...ORDER, nonce }
  const build = async (more: object = {}) => {
    const quote = await (await getQuote(url, ORDER)).json()
    const response = await postBuild(url, { ...order, quote, ...more })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const send = async (transaction: string): Promise<Answer> =>
    (await call(url, 'sendTransaction', [transaction, { encoding: 'base64' }])).json()
  const status = async (signature: string): Promise<Answer> =>
    (await connection.getSignatureStatuses([signature])).value[0]
  return {
    url,
    clock,
    connection,
    nonce,
    order,
    build,
    send,
    status,
    held: () => nonceAt(connection, opened),
  }
}

function signed({ solanaTransaction }: BuildResult): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(solanaTransaction!, 'base64'))
  transaction.sign([WALLET])
  return Buffer.from(transaction.serialize()).toString('base64')
}

function wireOf({ solanaTransaction }: BuildResult): WireTransaction {
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(solanaTransaction!, 'base64')) !== null) throw new Error('it does not parse')
  return wire
}

t.test('a swap that is signed ten minutes later lands once, and its receipt is found', async (t) => {
  const { url, clock, nonce, order, build, send, status, held } = await world(t)
  const { status: code, body } = await build({ priority: 'medium' })
  t.equal(code, 200, JSON.stringify(body).slice(0, 300))
  const value = await held()
  t.same(body.nonce, { account: nonce, value })
  t.notOk('lastValidBlockHeight' in body)
  t.match(body.verification, { level: 'proved', nonce: { account: nonce, value }, expires: false })
  t.match(body.verification.simulation, { by: 'simulateTransaction' })
  t.ok(body.verification.checks.includes('nonce'))
  t.ok(body.priority.unitsConsumed > 0, 'executed for its budget, too')
  const wire = wireOf(body)
  t.equal(encodeBase58(wire.blockhash()), value)
  t.same([...wire.instructions()[0]!.data], [4, 0, 0, 0])

  const verdict = await verify({ ...order, minOut: body.minOut }, body, { now: clock.date })
  t.match(verdict, { isVerified: true, facts: { expires: false, nonce: { account: nonce } } })
  clock.move(600_000)
  const transaction = signed(body)
  const judged = await verify.signed({ ...order, minOut: body.minOut }, body, transaction, {
    now: clock.date,
  })
  t.match(judged, { isVerified: true, changes: { length: 0 } })
  const { result } = await send(transaction)
  clock.move(40 * SLOT_MS)
  t.match(await status(result), { err: null })
  t.not(await held(), value)
  const receipt = (await (
    await fetch(`${url}/api/receipt?chain=solana&signature=${result}`)
  ).json()) as Answer
  t.match(
    receipt,
    { swap: { minimum: body.minOut, changedByWallet: { length: 0 } } },
    JSON.stringify(receipt).slice(0, 1400),
  )
  t.match(await send(transaction), { result }, 'the same one')
})

t.test('a client learns how it ended, also when it sends it again', async (t) => {
  const { url, clock, build, nonce } = await world(t)
  const client = createClient({ baseUrl: url })
  const [one, other] = [await build(), await build({ priority: 'high' })].map(({ body }) => body)
  const transaction = signed(one)
  const poll = { pollMs: 10, lastValidBlockHeight: 1_000_000_000 }
  const moving = setInterval(() => clock.move(SLOT_MS), 5)
  t.teardown(() => clearInterval(moving))
  t.match(await client.submit(transaction, poll), { outcome: 'landed' })
  t.match(await client.submit(transaction, poll), { outcome: 'landed' }, 'its own nonce is used by now')
  const late = signed(other)
  await t.rejects(client.submit(late, poll), { code: 'rpc_error', rpc: { data: { expired: true } } })
  const asked = { chain: 'solana', signature: signatureOf(late) }
  t.same(other.nonce, { account: nonce, value: other.nonce.value })
  t.match(await client.waitForTransaction(asked, { nonce: other.nonce, pollMs: 10 }), { outcome: 'expired' })
})

t.test('a cancellation ends what was signed before it', async (t) => {
  const { clock, nonce, order, build, send, status, held } = await world(t)
  const { body: swap } = await build()
  const value = await held()
  const { status: code, body } = await build({ cancel: true, quote: {} })
  t.equal(code, 200, JSON.stringify(body).slice(0, 300))
  t.match(body, {
    provider: 'swapgate',
    chain: 'solana',
    from: SOLANA_WALLET,
    nonce: { account: nonce, value },
  })
  t.match(body.verification, {
    level: 'proved',
    cancels: true,
    expires: false,
    simulation: { changes: Array },
  })
  t.match(body.priority, { computeUnitPrice: '10000' }, 'it competes with what it cancels')
  t.match(body.costs, [{ kind: 'network_fee' }, { kind: 'priority_fee' }])
  t.equal(body.costsComplete, true)
  t.match(body, { minOut: '0', expectedOut: '0' }, 'nothing is swapped')
  t.notOk('lastValidBlockHeight' in body)
  const cancelled = { ...order, minOut: '1', cancel: true }
  const verdict = await verify(cancelled, body, { now: clock.date })
  t.match(verdict, { isVerified: true, facts: { cancels: true, spends: { amount: '0' } } })
  t.match(await verify(cancelled, swap), { isVerified: false, rule: 'program' }, 'a swap cancels nothing')
  t.match(await verify({ ...order, minOut: '1' }, body), { isVerified: false, rule: 'route' })

  const { result } = await send(signed(body))
  clock.move(40 * SLOT_MS)
  t.match(await status(result), { err: null })
  t.match(await send(signed(swap)), { error: { data: { err: 'BlockhashNotFound', expired: true } } })
})

t.test('only one of several swaps with a value lands', async (t) => {
  const { clock, build, send, status } = await world(t)
  const [first, second] = [(await build()).body, (await build({ priority: 'high' })).body]
  t.same(first.nonce, second.nonce)
  const { result } = await send(signed(second))
  clock.move(40 * SLOT_MS)
  t.match(await status(result), { err: null })
  t.match(await send(signed(first)), { error: { data: { expired: true } } })
  t.equal((await build()).status, 200, 'the next value serves the next swap')
})

t.test('an account that the wallet cannot use is refused, with the reason', async (t) => {
  const { clock, connection, build, nonce } = await world(t)
  const refused = async (more: object, pattern: RegExp, field = 'nonce') => {
    const { status, body } = await build(more)
    t.match(
      { status, body },
      { status: 400, body: { code: 'invalid_parameter', field } },
      JSON.stringify(more),
    )
    t.match(body.error, pattern)
  }
  const stranger = Keypair.generate()
  await connection.requestAirdrop(stranger.publicKey, 2_000_000_000)
  const foreign = await openNonce(connection, stranger)
  const raw = await placeNonce(connection, WALLET)
  clock.move(40 * SLOT_MS)
  await refused({ nonce: foreign.toBase58() }, new RegExp(`of ${stranger.publicKey.toBase58()}, not of`))
  await refused({ nonce: raw.toBase58() }, /not initialized/)
  await refused({ nonce: Keypair.generate().publicKey.toBase58() }, /has no account/)
  await refused({ nonce: stranger.publicKey.toBase58() }, /no nonce account/)
  await refused({ nonce: TOKEN_PROGRAM }, /no nonce account/)
  await refused({ nonce: USDC.solana, cancel: true }, /no nonce account/)
  await refused({ nonce: SOLANA_WALLET }, /other than/)
  await refused({ nonce: 'x' }, /must be the address/)
  await refused({ nonce: undefined, cancel: true }, /needs `nonce`/, 'cancel')
  const evm = { chain: 'base', token: USDC.base, from: EVM_WALLET }
  await refused(evm, /is for Solana/)
  await refused({ ...evm, cancel: true, quote: {} }, /is for Solana/)
  const { status, body } = await build({ quote: {} })
  t.match({ status, body }, { status: 400, body: { field: 'quote' } }, 'a swap needs its quote')
  t.equal((await build({ nonce, cancel: false })).body.provider, 'jupiter')
})

t.test('the verifier takes a nonce only where the order has it', async (t) => {
  const { order, build, clock } = await world(t)
  const { body } = await build()
  const minOut = body.minOut
  const judge = (more: object, answer: object = {}) =>
    verify({ ...order, minOut, ...more }, { ...body, ...answer }, { now: clock.date })
  t.match(await judge({}), { isVerified: true })
  const refused = { isVerified: false, rule: 'nonce' }
  const other = encodeBase58(decodeKey(order.nonce).map((byte) => byte ^ 1))
  t.match(await judge({ nonce: other }), refused)
  t.match(await judge({ nonce: other }, { nonce: { account: other, value: body.nonce.value } }), refused)
  t.match(await judge({}, { nonce: { ...body.nonce, value: other } }), refused)
  t.match(await judge({}, { nonce: undefined }), { isVerified: false })
  t.match(await judge({}, { lastValidBlockHeight: 1 }), refused)
  t.match(await judge({ nonce: undefined }), refused)
  t.match(await judge({ nonce: undefined }, { nonce: undefined }), {
    isVerified: false,
    rule: 'system_instruction',
  })
  t.match(await judge({ chain: 'base', token: USDC.base, from: EVM_WALLET }), {
    isVerified: false,
    rule: 'invalid_parameter',
  })
  t.match(await judge({ nonce: undefined, cancel: true }), { isVerified: false, rule: 'invalid_parameter' })

  const bytes = Buffer.from(body.solanaTransaction, 'base64')
  const wire = wireOf(body)
  bytes.set(new PublicKey(other).toBytes(), wire.blockhashAt)
  const stamped = signed({ ...body, solanaTransaction: bytes.toString('base64') })
  t.match(
    await verify.signed({ ...order, minOut }, body, stamped, { now: clock.date }),
    { isVerified: false, rule: 'signed_nonce' },
    'a wallet that sets a blockhash takes the nonce away',
  )
})
