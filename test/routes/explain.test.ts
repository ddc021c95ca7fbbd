/** POST /api/explain on a whole gateway: what a node adds, the budget, the bounds and the operator's list. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import t from 'tap'
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem'
import { MAX_ABI, MAX_NAME, MAX_RECENT, MAX_SIGNATURE, MAX_TEXT } from '../../src/explain/request.ts'
import type { Explanation } from '../../src/explain/types.ts'
import schema from '../../src/routes/research/explain-request.json' with { type: 'json' }
import { explained, holdExamples } from '../fixtures/examples.ts'
import { listen } from '../fixtures/gateway.ts'
import { EVM_WALLET, fund } from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(41)).publicKey
const FRIEND = Keypair.fromSeed(new Uint8Array(32).fill(42)).publicKey

const ask = async (url: string, body: object) => {
  const response = await fetch(`${url}/api/explain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Explanation }
}

function paying(lamports: number): string {
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: WALLET, toPubkey: FRIEND, lamports }),
  )
  transaction.feePayer = WALLET
  transaction.recentBlockhash = SystemProgram.programId.toBase58()
  return transaction.serialize({ verifySignatures: false, requireAllSignatures: false }).toString('base64')
}

const request = (lamports: number) => ({
  chain: 'solana',
  transaction: paying(lamports),
  owner: WALLET.toBase58(),
  recent: [FRIEND.toBase58()],
})

t.test('a node shows what changes; a transaction that fails is not known', async (t) => {
  const { url, sandbox } = await listen(t)
  await fund(sandbox!.solanaRpc, WALLET.toBase58())
  const { status, body } = await ask(url, request(1_000_000))
  t.equal(status, 200)
  t.match(body, {
    verdict: 'known',
    simulation: { by: 'simulateTransaction', at: Number, changes: [{ token: 'native', amount: '-1005000' }] },
  })
  const tooMuch = await ask(url, request(3_000_000_000))
  t.match(tooMuch.body, {
    verdict: 'unknown',
    risks: [{ code: 'simulation_failed' }],
    simulation: null,
  })
})

t.test('a serialized EVM transaction is executed, and a permit lets be taken what there is', async (t) => {
  const { url } = await listen(t)
  const [owner, spender] = [EVM_WALLET, '0xde709f2102306220921060314715629080e2fb77'] as const
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const data = encodeFunctionData({
    abi: parseAbi(['function approve(address spender, uint256 amount)']),
    args: [spender, 5n],
  })
  const transaction = serializeTransaction({ chainId: 8453, to: usdc, data, type: 'eip1559' })
  const by = "the sandbox's ledger"
  const { body } = await ask(url, { chain: 'base', transaction, owner, recent: [spender] })
  t.match(body, { verdict: 'known', simulation: { by, at: Number, changes: { length: 0 } } })
  const names = ['owner', 'spender', 'value', 'nonce', 'deadline']
  const typedData = {
    domain: { chainId: 8453, verifyingContract: usdc },
    primaryType: 'Permit',
    types: { Permit: names.map((name, i) => ({ name, type: i < 2 ? 'address' : 'uint256' })) },
    message: { owner, spender, value: String(2n ** 255n), nonce: 0, deadline: 1 },
  }
  const permit = await ask(url, { chain: 'base', typedData })
  t.match(permit.body, { verdict: 'danger', simulation: { by, changes: [{ token: usdc }] } })
  const taken = -BigInt(permit.body.simulation!.changes[0]!.amount)
  t.ok(taken > 0n && taken < 2n ** 255n, `${taken}`)
})

t.test('a refused address is named in the answer, and does not refuse the request', async (t) => {
  const path = join(t.testdir(), 'refused')
  writeFileSync(path, FRIEND.toBase58())
  const { url } = await listen(t, { SANCTIONS_FILE: path })
  const { status, body } = await ask(url, request(5))
  t.equal(status, 200)
  t.equal(body.verdict, 'danger')
  t.ok(body.risks.some(({ code }) => code === 'refused_address'))
})

t.test(
  "the operator's descriptors word a call, and are read again where the gateway is told to",
  async (t) => {
    const folder = t.testdir()
    const { url, reload } = await listen(t, { DESCRIPTORS_DIR: folder })
    const to = '0xde709f2102306220921060314715629080e2fb77'
    const signature = 'ringFor(address who)'
    const data = encodeFunctionData({ abi: parseAbi([`function ${signature}`]), args: [to] })
    const fields = async () => (await ask(url, { chain: 'base', call: { to, data } })).body.actions[0]!.fields
    t.equal(await fields(), null)
    const context = { contract: { deployments: [{ chainId: 8453, address: to }] } }
    const display = { formats: { [signature]: { intent: 'Ring', fields: [] } } }
    writeFileSync(join(folder, 'ring.json'), JSON.stringify({ context, display }))
    await reload()
    t.match(await fields(), { intent: 'Ring' })
  },
)

t.test('a chain that is not served is refused', async (t) => {
  const { url } = await listen(t, { CHAINS: 'base' })
  t.match(await ask(url, request(5)), { status: 400, body: { code: 'unsupported_chain' } })
})

t.test('it spends its own budget, and its body is bounded', async (t) => {
  const { url } = await listen(t, { LIMITS: 'explain=2/2' })
  const first = await ask(url, { chain: 'solana', transaction: 'AAAA' })
  t.match(first.headers.get('ratelimit'), /"explain-client";r=1/)
  t.equal((await ask(url, { chain: 'solana', transaction: 'AAAA' })).status, 200)
  t.equal((await ask(url, { chain: 'solana', transaction: 'AAAA' })).status, 429)
  t.equal((await ask(url, { chain: 'solana', transaction: 'A'.repeat(140_000) })).status, 413)
  for (const wrong of [{ recent: Array(33).fill('x') }, { abi: ['x'.repeat(513)] }, { unlisted: 1 }])
    t.equal((await ask(url, { chain: 'solana', transaction: 'AAAA', ...wrong })).status, 400)
})

t.test('the examples are what a sandboxed gateway answers', async (t) => {
  t.ok((await holdExamples(t, explained)).length >= 2)
})

t.test('the document has the bounds that the explainer checks', (t) => {
  const { transaction, owner, recent, abi } = schema.properties
  t.equal(transaction.maxLength, MAX_TEXT)
  t.equal(owner.maxLength, MAX_NAME)
  t.same([recent.maxItems, recent.items.maxLength], [MAX_RECENT, MAX_NAME])
  t.same([abi.maxItems, abi.items.maxLength], [MAX_ABI, MAX_SIGNATURE])
  t.end()
})
