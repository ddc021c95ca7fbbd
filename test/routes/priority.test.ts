/** What a wallet pays to be first on Solana, from the prices of the moment to the block. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { computeBudgetOf } from '../../src/chains/solana/compute-budget.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { verify } from '../../src/clients/verify/index.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import type { BuildResult } from '../../src/runtime/resources/build.ts'
import { LANDING_SERVICES } from '../../src/upstream/nodes/solana/landing-services.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { fund, getQuote, postBuild, SOLANA_WALLET, USDC } from '../fixtures/swaps.ts'

const PAYER = Keypair.fromSeed(new Uint8Array(32).fill(7))
const SLOT_MS = 200
/** What leaders take at most. */
const BUSY = 400_000

type Json = Record<string, unknown>

async function rpc(url: string, method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()) as { result?: unknown; error?: unknown }
}

async function demand({ sandbox }: TestGateway, price: number): Promise<void> {
  const response = await fetch(`${sandbox!.control}/faults/solana-demand`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fault: 'busy', price }),
  })
  if (response.status !== 200) throw new Error(await response.text())
}

async function world(t: Test, environment: Record<string, string> = {}) {
  const clock = movedClock({ ...STILL, after: CLOCK.after })
  const gateway = await listen(t, { LIMITS: 'swap=off,rpcRead=off', ...environment }, { clock })
  const { url } = gateway
  await fund(gateway.sandbox!.solanaRpc)
  const build = async (priority: unknown, more: Json = {}) => {
    const order = {
      chain: 'solana',
      side: 'buy',
      token: USDC.solana,
      amount: '0.1',
      from: SOLANA_WALLET,
      ...more,
    }
    const quote = (await (await getQuote(url, order)).json()) as Json
    const response = await postBuild(url, { ...order, quote, ...(priority !== undefined && { priority }) })
    return {
      status: response.status,
      body: (await response.json()) as Json & { priority?: Paid; verification: Json },
    }
  }
  const fees = async (accounts?: string) => {
    const response = await fetch(
      `${url}/api/priority-fees${accounts === undefined ? '' : `?accounts=${accounts}`}`,
    )
    return { status: response.status, body: (await response.json()) as Fees }
  }
  return { gateway, clock, build, fees }
}

interface Paid {
  readonly computeUnitPrice: string
  readonly computeUnitLimit: number
  readonly lamports: string
  readonly unitsConsumed: number | null
  readonly slots: number | null
}

interface Fees extends Json {
  readonly percentiles: {
    readonly p25: number
    readonly p50: number
    readonly p75: number
    readonly p90: number
  }
  readonly levels: Record<string, number>
  readonly landed: { readonly count: number }
}

function signed({ solanaTransaction }: Json): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(String(solanaTransaction), 'base64'))
  transaction.sign([PAYER])
  return Buffer.from(transaction.serialize()).toString('base64')
}

/** Handed to the leaders of four slots, one after the other. @returns in which it landed; null if in none */
async function landsIn(gateway: TestGateway, clock: { move(ms: number): void }, built: Json) {
  const node = gateway.sandbox!.solanaRpc
  const text = signed(built)
  for (let nth = 0; nth < 4; nth++) {
    const { result, error } = await rpc(node, 'sendTransaction', [
      text,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ])
    if (error !== undefined) throw new Error(JSON.stringify(error))
    clock.move(SLOT_MS)
    const { result: told } = await rpc(node, 'getSignatureStatuses', [[result]])
    if ((told as { value: unknown[] }).value[0] !== null) return nth
  }
  return null
}

t.test('on a busy chain, payers land, and others wait', async (t) => {
  const { gateway, clock, build, fees } = await world(t)
  await demand(gateway, BUSY)
  // The prices of all slots that nodes remember.
  clock.move(160 * SLOT_MS)
  const { body: told } = await fees(USDC.solana)
  t.match(told, {
    accounts: 1,
    slots: 150,
    paying: 150,
    percentiles: { p50: BUSY / 2, p75: (BUSY * 3) / 4, p90: BUSY },
    levels: { none: 0, low: told.percentiles.p25, medium: BUSY / 2, high: (BUSY * 3) / 4 },
    landed: { count: 0, percentiles: null },
  })
  for (const [priority, price] of [
    ['none', 0],
    ['low', told.levels.low!],
    ['medium', BUSY / 2],
    ['high', (BUSY * 3) / 4],
    [BUSY, BUSY],
  ] as const) {
    const { status, body } = await build(priority)
    t.equal(status, 200, JSON.stringify(body).slice(0, 300))
    const { computeUnitPrice, computeUnitLimit, lamports, unitsConsumed, slots } = body.priority!
    t.equal(computeUnitPrice, String(price))
    t.equal(slots, typeof priority === 'number' || priority === 'none' ? null : 150)
    t.ok(unitsConsumed! > 0 && computeUnitLimit > unitsConsumed! && computeUnitLimit < 200_000, 'simulated')
    t.equal(lamports, String(Math.ceil((price * computeUnitLimit) / 1e6)))
    // What is proved is what is handed out.
    t.match(body.verification, { level: 'proved', computeUnitPrice, priorityLamports: lamports })
    t.equal(body.prioritizationFeeLamports, Number(lamports))
    const ordered = {
      chain: 'solana',
      side: 'buy',
      token: USDC.solana,
      amount: '0.1',
      from: SOLANA_WALLET,
    } as const
    const verdict = await verify({ ...ordered, minOut: String(body.minOut) }, body, { now: clock.date })
    t.match(verdict, { isVerified: true, facts: { computeUnitPrice } }, 'by the wallet, too')
    const landed = await landsIn(gateway, clock, body)
    if (priority === 'none') t.equal(landed, null, 'a wallet without a fee waits')
    else t.type(landed, 'number', `${priority} is taken within four slots`)
    if (price === BUSY) t.equal(landed, 0)
  }
  const { body } = await build(undefined)
  t.notOk('priority' in body, 'the provider decides')

  const { body: followed } = await build(BUSY)
  const sent = await rpc(`${gateway.url}/api/solrpc`, 'sendTransaction', [
    signed(followed),
    { encoding: 'base64' },
  ])
  t.type(sent.result, 'string')
  const lately = async () => (await fees()).body.landed
  // It lands in the next slot, and is seen there when its status is next asked for, by the real time.
  clock.move(2 * SLOT_MS)
  while ((await lately()).count === 0) await sleep(10)
  t.match(await lately(), { count: 1, withinMs: 60_000, percentiles: { p25: BUSY, p90: BUSY } })
  clock.move(60_001)
  t.match(await lately(), { count: 0, percentiles: null })
})

t.test('a crossing pays to be first as a build does', async (t) => {
  const { gateway, clock } = await world(t)
  await demand(gateway, BUSY)
  clock.move(160 * SLOT_MS)
  const cross = async (more: Record<string, string>) => {
    const order = {
      fromChain: 'solana',
      toChain: 'base',
      amount: '0.1',
      from: SOLANA_WALLET,
      to: '0x52908400098527886E0F7030069857D2E4169EE7',
      ...more,
    }
    const response = await fetch(`${gateway.url}/api/xquote?${new URLSearchParams(order)}`)
    const body = (await response.json()) as Json & { priority?: Paid; estimate: Json }
    return { order, status: response.status, body }
  }
  for (const [priority, price] of [
    ['none', 0],
    ['medium', BUSY / 2],
    ['300000', 300_000],
    ['0', 0],
  ] as const) {
    const { order, status, body } = await cross({ priority })
    t.equal(status, 200, JSON.stringify(body).slice(0, 300))
    const { computeUnitPrice, computeUnitLimit, lamports, unitsConsumed, slots } = body.priority!
    t.equal(computeUnitPrice, String(price))
    t.equal(slots, priority === 'medium' ? 150 : null)
    t.ok(unitsConsumed! > 0 && computeUnitLimit > unitsConsumed!, 'simulated')
    t.match(
      body.verification,
      { computeUnitPrice, priorityLamports: lamports },
      'what is proved is handed out',
    )
    const asked = {
      ...order,
      amountIn: String(body.estimate.fromAmount),
      minOut: String(body.estimate.toAmountMin),
    }
    // Bridges from Solana rest on an execution, which the gateway tells of.
    const accept = ['outcome']
    const verdict = await verify(asked as never, body as never, { now: clock.date, accept })
    t.match(verdict, { isVerified: true, facts: { computeUnitPrice } }, 'by the wallet, too')
  }
  t.notOk('priority' in (await cross({})).body, 'the provider decides')
  for (const priority of ['50000001', '-1', '1.5', 'most', '']) {
    const { status, body } = await cross({ priority })
    t.match(
      { status, body },
      { status: 400, body: { code: 'invalid_parameter', field: 'priority' } },
      priority,
    )
  }
  const elsewhere = await cross({
    fromChain: 'base',
    toChain: 'ethereum',
    from: '0x52908400098527886E0F7030069857D2E4169EE7',
    priority: 'low',
  })
  t.match(elsewhere, { status: 400, body: { code: 'invalid_parameter', field: 'priority' } })
})

t.test('a chain with room: a level still pays a little, and no more than the host allows', async (t) => {
  const { build, fees } = await world(t, { MAX_COMPUTE_UNIT_PRICE: '50000' })
  const levels = { none: 0, low: 1_000, medium: 10_000, high: 50_000 }
  t.match((await fees()).body, { accounts: 0, slots: 150, paying: 0, levels, maxComputeUnitPrice: 50_000 })
  t.equal((await fees()).body.tip, null, 'no service is configured')
  for (const [level, price] of Object.entries(levels)) {
    t.match((await build(level)).body.priority, { computeUnitPrice: String(price) })
  }
  t.equal((await build(50_000)).status, 200)
  for (const priority of [50_001, -1, 1.5, 'most', null, {}, '7']) {
    const { status, body } = await build(priority)
    t.equal(status, 400, String(priority))
    t.match(body, { code: 'invalid_parameter', field: 'priority' })
  }
  const elsewhere = await build('low', {
    chain: 'base',
    token: USDC.base,
    from: '0x52908400098527886E0F7030069857D2E4169EE7',
  })
  t.match(elsewhere, { status: 400, body: { code: 'invalid_parameter', field: 'priority' } })
  for (const accounts of [
    '',
    'x',
    `${SOLANA_WALLET},`,
    `${SOLANA_WALLET},0x12`,
    new Array(129)
      .fill(0)
      .map((_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i)).publicKey.toBase58())
      .join(),
  ]) {
    t.match(await fees(accounts), { status: 400, body: { code: 'invalid_parameter', field: 'accounts' } })
  }
})

t.test('a service whose tips are known has them advised', async (t) => {
  const urls = (...services: string[]) => ({ SOLANA_LANDING_URLS: services.join() })
  const told = async (environment: Record<string, string>) =>
    (await (await world(t, environment)).fees()).body.tip
  t.same(
    await told(urls('https://sender.helius-rpc.com/fast?swqos_only=true', 'https://nozomi.temporal.xyz')),
    {
      service: 'Helius Sender, swqos_only',
      lamports: '5000',
      accounts: LANDING_SERVICES[1]!.tipAccounts,
      leastComputeUnitPrice: 1,
      basis: 'none',
    },
  )
  t.equal(await told(urls('https://landing.example')), null)
})

t.test('whatever a node says that others pay, a swap is not charged a fortune', async (t) => {
  const { gateway, clock, build } = await world(t)
  await demand(gateway, 100_000_000)
  clock.move(160 * SLOT_MS)
  for (const [amount, most] of [
    ['0.1', 1_000_000],
    ['0.001', 100_000],
  ] as const) {
    const { status, body } = await build('high', { amount })
    t.equal(status, 200, JSON.stringify(body).slice(0, 300))
    t.ok(
      Number(body.priority!.lamports) <= most && Number(body.priority!.lamports) > most * 0.9,
      body.priority!.lamports,
    )
    t.ok(BigInt(body.priority!.computeUnitPrice) <= 50_000_000n)
  }
})

t.test(
  'without a priority the limit is what an execution takes and a fifth, and the fee follows it',
  async (t) => {
    const { build } = await world(t)
    const [plain, measured] = [await build(undefined), await build('none')]
    t.equal(plain.status, 200)
    const wire = new WireTransaction()
    t.equal(wire.parse(Buffer.from(String(plain.body.solanaTransaction), 'base64')), null)
    const { computeUnitLimit, unitsConsumed } = measured.body.priority!
    t.equal(computeUnitLimit, Math.ceil(unitsConsumed! * 1.2))
    t.same(computeBudgetOf(wire), { limit: computeUnitLimit, price: 10_000n }, "at Jupiter's price")
    const lamports = Math.ceil(computeUnitLimit / 100)
    t.match(plain.body, {
      prioritizationFeeLamports: lamports,
      verification: {
        level: 'proved',
        priorityLamports: String(lamports),
        simulation: { by: 'simulateTransaction' },
      },
    })
    t.notOk('priority' in plain.body, 'nobody asked for one')
  },
)

t.test('a wallet that cannot pay yet has the limit of the provider', async (t) => {
  const { build } = await world(t)
  const poor = Keypair.fromSeed(new Uint8Array(32).fill(99)).publicKey.toBase58()
  const { body } = await build('low', { from: poor })
  t.match(body.priority, { unitsConsumed: null, computeUnitPrice: '1000' })
  t.equal(body.priority!.computeUnitLimit, 600_000)
})

t.test("a swap's cost is reported to the lamport, including the rent of its new account", async (t) => {
  const { gateway, clock, build } = await world(t)
  const lamports = async (): Promise<bigint> => {
    const { result } = await rpc(gateway.sandbox!.solanaRpc, 'getBalance', [SOLANA_WALLET])
    return BigInt((result as { value: number }).value)
  }
  // Some slots on, so that what was funded is confirmed.
  clock.move(40 * SLOT_MS)
  const before = await lamports()
  const { body } = await build(10_000, { amount: '0.25' })
  const { costs = [], costsComplete } = body as BuildResult
  t.equal(costsComplete, true)
  t.match(
    costs.map(({ kind, source, refundable }) => [kind, source, refundable]),
    [
      ['network_fee', 'material', false],
      ['priority_fee', 'material', false],
      ['rent', 'simulation', true],
    ],
  )
  t.type(await landsIn(gateway, clock, body), 'number')
  clock.move(40 * SLOT_MS)
  const transaction = VersionedTransaction.deserialize(Buffer.from(signed(body), 'base64'))
  const signature = encodeBase58(transaction.signatures[0]!)
  const receipt = (await (
    await fetch(`${gateway.url}/api/receipt?chain=solana&signature=${signature}`)
  ).json()) as Json
  t.match(receipt, {
    fee: {
      amount: String(costs.reduce((sum, one) => (one.kind === 'rent' ? sum : sum + BigInt(one.amount)), 0n)),
    },
    swap: { provider: 'jupiter', token: USDC.solana, quoted: body.expectedOut, minimum: body.minOut, costs },
  })
  const { got } = receipt.swap as Json
  t.ok(BigInt(String(got)) >= BigInt(String(body.minOut)), 'found without a submission to the gateway')
  const all = costs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  t.equal(before - (await lamports()), 250_000_000n + all)
  const { costs: later = [] } = (await build(10_000, { amount: '0.25' })).body as BuildResult
  t.notOk(
    later.some(({ kind }) => kind === 'rent'),
    'the account is there now',
  )
})
