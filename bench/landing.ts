/**
 * What lands and what it costs: a wallet's ways to get transactions into blocks, in a lab with leaders, lossy lanes and
 * tip auctions (landing-lab.ts), in simulated time. The relay that submits, repeats and advises is the gateway's own
 * code; only the nodes and services behind it are the lab's.
 *
 * The markets are made up. They show what a policy does when lanes lose and prices move, and nothing about any
 * service's quality.
 */

import { encodeBase58 } from '../src/chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../src/chains/solana/programs.ts'
import { KEY_BYTES, SIGNATURE_BYTES } from '../src/chains/solana/sizes.ts'
import { CancellationScope, type Client } from '../src/flow/cancellation.ts'
import { pricesOf } from '../src/providers/priority.ts'
import { StatusPoller } from '../src/relay/reads/statuses.ts'
import { type ParsedTransaction, parseTransaction } from '../src/relay/submissions/submission.ts'
import { Submissions } from '../src/relay/submissions/submissions.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { GatewayError } from '../src/runtime/errors.ts'
import { type Composed, composeMessage, unsigned } from '../src/sandbox/solana/ledger/compose.ts'
import { MAX_BLOCKHASH_AGE, SLOT_MS } from '../src/sandbox/solana/ledger/slots.ts'
import type { UpstreamRequest } from '../src/upstream/call.ts'
import { LANDING_SERVICES, type LandingService } from '../src/upstream/nodes/solana/landing-services.ts'
import { percentilesOf } from '../src/upstream/nodes/solana/priority.ts'
import type { RpcReply, SolanaRpc } from '../src/upstream/nodes/solana/rpc.ts'
import { SolanaSubmissions } from '../src/upstream/nodes/solana/submissions.ts'
import type { Upstream } from '../src/upstream/upstream.ts'
import { callOf } from '../test/fixtures/call.ts'
import { type LabLane, type LabMarket, LandingLab } from './landing-lab.ts'
import { type BenchReport, type Claim, show, spread } from './report.ts'

const SEEDS = [1, 2, 3] as const
/** A transaction in each. */
const SLOTS = 1_000
const CLIENTS = 5
const DEADLINE_MS = 15_000
const ANSWER_MS = 20
const MAX_PRICE = 50_000_000n
/** What wallets pay that pay the same always, lamports to each service. */
const CONSTANT_TIP = 50_000n

const row = (name: string): LandingService => ({
  ...LANDING_SERVICES.find((service) => service.name === name)!,
  quota: null,
})
const SERVICES = ['Jito', 'Helius Sender, swqos_only', 'Astralane'].map(row)
const [JITO, SWQOS, ASTRALANE] = SERVICES as [LandingService, LandingService, LandingService]

const node = (loss: number, stormLoss: number): LabLane => ({
  name: 'node',
  loss,
  stormLoss,
  delayMs: 60,
  tip: null,
})
const service = (
  { name, leastTip }: LandingService,
  loss: number,
  stormLoss: number,
  most: number,
): LabLane => ({
  name,
  loss,
  stormLoss,
  delayMs: 40,
  tip: { floor: Number(leastTip), most },
})

const MARKETS: readonly LabMarket[] = [
  {
    name: 'quiet',
    price: 0,
    skipped: 0.02,
    storms: 0,
    lanes: [
      node(0.05, 0.05),
      service(JITO, 0.02, 0.02, 0),
      service(SWQOS, 0.02, 0.02, 0),
      service(ASTRALANE, 0.02, 0.02, 0),
    ],
  },
  {
    name: 'busy',
    price: 200_000,
    skipped: 0.03,
    storms: 0.1,
    lanes: [
      node(0.4, 0.8),
      service(JITO, 0.05, 0.15, 8_000),
      service(SWQOS, 0.1, 0.3, 0),
      service(ASTRALANE, 0.05, 0.2, 0),
    ],
  },
  {
    name: 'congested',
    price: 2_000_000,
    skipped: 0.05,
    storms: 0.25,
    lanes: [
      node(0.8, 0.95),
      service(JITO, 0.1, 0.3, 50_000),
      service(SWQOS, 0.2, 0.5, 20_000),
      service(ASTRALANE, 0.15, 0.4, 40_000),
    ],
  },
  {
    name: 'scramble',
    price: 4_000_000,
    skipped: 0.05,
    storms: 0.25,
    lanes: [
      node(0.8, 0.95),
      service(JITO, 0.1, 0.3, 300_000),
      service(SWQOS, 0.2, 0.5, 150_000),
      service(ASTRALANE, 0.15, 0.4, 250_000),
    ],
  },
]

interface Policy {
  readonly name: string
  readonly maxRetries: number
  readonly services: readonly LandingService[]
  /** What a wallet puts into its next transaction; `advised` is the gateway's advice. */
  tips(advised: () => readonly Tip[]): readonly Tip[]
}

interface Tip {
  readonly service: LandingService
  readonly lamports: bigint
}

const constant = (services: readonly LandingService[]) => (): readonly Tip[] =>
  services.map((service) => ({ service, lamports: CONSTANT_TIP }))

const POLICIES: readonly Policy[] = [
  { name: 'one node, once', maxRetries: 0, services: [], tips: () => [] },
  { name: 'one node, with repetitions', maxRetries: 5, services: [], tips: () => [] },
  { name: 'one service, constant tip', maxRetries: 5, services: [JITO], tips: constant([JITO]) },
  { name: 'all lanes, constant tips', maxRetries: 5, services: SERVICES, tips: constant(SERVICES) },
  { name: 'the advised tip', maxRetries: 5, services: SERVICES, tips: (advised) => advised() },
]
const ALWAYS = 3
const OURS = 4

interface Outcome {
  /** Of all transactions, in percent. */
  readonly landed: number
  /** Lamports, of one that landed. */
  readonly tips: number
  /** Slots from its submission. */
  readonly p50: number
  readonly p95: number
}

export async function benchLanding(): Promise<BenchReport> {
  const rows: string[][] = []
  const claims: Claim[] = []
  for (const market of MARKETS) {
    const outcomes: Outcome[][] = []
    for (const policy of POLICIES) {
      const runs: Outcome[] = []
      for (const seed of SEEDS) runs.push(await run(market, policy, seed))
      outcomes.push(runs)
      const over = (figure: keyof Outcome) => spread(runs.map((one) => one[figure]))
      rows.push([
        `${market.name}: ${policy.name}`,
        show(over('landed'), 1),
        show(over('tips'), 0),
        show(over('p50'), 0),
        show(over('p95'), 0),
      ])
    }
    claims.push(
      {
        what: `${market.name}, the advised tip: percent that land`,
        figure: spread(outcomes[OURS]!.map(({ landed }) => landed)),
        is: 'at least',
        bound: 99,
      },
      {
        what: `${market.name}, the advised tip: percent of the tips of all lanes`,
        figure: spread(outcomes[OURS]!.map(({ tips }, at) => (100 * tips) / outcomes[ALWAYS]![at]!.tips)),
        is: 'at most',
        bound: 60,
      },
    )
  }
  return { tables: [{ title: 'Landing', text: TEXT, columns: COLUMNS, rows }], claims }
}

const COLUMNS = ['', 'percent landed', 'tips, lamports', 'slots, p50', 'slots, p95']
const TEXT = `In simulated time: ${SLOTS.toLocaleString('en')} transactions of ${CLIENTS} clients, one a slot of ${SLOT_MS} ms, over
seeds ${SEEDS.join(', ')}. The markets are made up (bench/landing.ts): a node that loses 5, 40 or 80 % of its packets to each
leader, services that lose 2 to 20 % and forward by tip, leaders that take by price, and storms in which all of it is worse.
Each transaction pays the \`high\` level of the moment to leaders. Landed is what a block has within the ${MAX_BLOCKHASH_AGE}
slots of its blockhash; tips are those of one transaction that landed. A constant tip is ${CONSTANT_TIP.toLocaleString('en')}
lamports to each service, since each asks for its own. All policies go through the gateway's relay, with the same repetitions.`

async function run(market: LabMarket, policy: Policy, seed: number): Promise<Outcome> {
  const clock = new SimulatedClock()
  const lab = new LandingLab({ market, seed, clock })
  const orders = new Map<string, Order>()
  const rpc = labRpc(lab, policy.services, orders, clock)
  const statuses = new StatusPoller({ rpc, clock })
  const submissions = new Submissions({ rpc, statuses, maxRetries: policy.maxRetries, clock })
  for (let nth = 0; nth < SLOTS; nth++) {
    const client = `client-${nth % CLIENTS}`
    const order = createOrder(nth, lab, policy, () => advisedTips(submissions, client))
    orders.set(order.transaction.base64, order)
    const value = { blockhash: order.blockhash, lastValidBlockHeight: lab.slot + MAX_BLOCKHASH_AGE }
    const result = Buffer.from(JSON.stringify({ context: { slot: lab.slot }, value }))
    submissions.blockhashes.learn('getLatestBlockhash', '[]', { result })
    const now = clock.now()
    const arrival = { startedAt: now, parsedAt: now, verifiedAt: now }
    const terms = { call: callOf(DEADLINE_MS, new CancellationScope(client), 'build', clock), arrival }
    // Nobody waits for the answer: what counts is in the lab.
    submissions.submit(order.transaction, null, terms).catch(() => {})
    await clock.pass(SLOT_MS)
  }
  await clock.pass(SLOT_MS * (MAX_BLOCKHASH_AGE + 10))
  submissions.close()
  statuses.close()
  lab.close()
  return outcomeOf([...orders.values()], lab)
}

interface Order {
  readonly transaction: ParsedTransaction
  readonly blockhash: string
  readonly price: number
  readonly tips: readonly Tip[]
  /** The slot that it was signed in. */
  readonly slot: number
}

function advisedTips({ pending }: Submissions, client: Client): readonly Tip[] {
  const { service, lamports } = pending.tips.advise(client)!
  return service === null ? [] : [{ service, lamports }]
}

const PAYER = encodeBase58(new Uint8Array(KEY_BYTES).fill(7))

function createOrder(nth: number, lab: LandingLab, policy: Policy, advised: () => readonly Tip[]): Order {
  const percentiles = percentilesOf(lab.leastPrices().map(({ price }) => price))
  const price = pricesOf({ percentiles }, MAX_PRICE).high
  const tips = policy.tips(advised)
  const hash = Buffer.alloc(KEY_BYTES, 1)
  hash.writeUInt32BE(nth)
  const blockhash = encodeBase58(hash)
  const instructions = [priceInstruction(price), ...tips.map(tipInstruction)]
  const bytes = unsigned(composeMessage(PAYER, instructions, blockhash))
  // No signature is checked here, and each transaction needs its own.
  bytes.fill(1, 1, 1 + SIGNATURE_BYTES)
  bytes.writeUInt32BE(nth, 1)
  const transaction = parseTransaction(bytes.toString('base64'), { encoding: 'base64' })
  return { transaction, blockhash, price, tips, slot: lab.slot }
}

function priceInstruction(price: number): Composed {
  const data = Buffer.alloc(9, 3)
  data.writeBigUInt64LE(BigInt(price), 1)
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }
}

function tipInstruction({ service, lamports }: Tip): Composed {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(lamports, 4)
  const [to] = service.tipAccounts
  const accounts = [
    { address: PAYER, isSigner: true, isWritable: true },
    { address: to!, isSigner: false, isWritable: true },
  ]
  return { program: SYSTEM_PROGRAM, accounts, data }
}

function outcomeOf(orders: readonly Order[], lab: LandingLab): Outcome {
  let tips = 0n
  const waits: number[] = []
  for (const order of orders) {
    const landed = lab.landed(order.transaction.signature)
    if (landed === null || landed - order.slot > MAX_BLOCKHASH_AGE) continue
    waits.push(landed - order.slot)
    tips += order.tips.reduce((sum, { lamports }) => sum + lamports, 0n)
  }
  waits.sort((a, b) => a - b)
  const at = (part: number): number => waits[Math.floor(part * (waits.length - 1))] ?? 0
  return {
    landed: (100 * waits.length) / orders.length,
    tips: waits.length === 0 ? 0 : Number(tips) / waits.length,
    p50: at(0.5),
    p95: at(0.95),
  }
}

/** The gateway's view of the lab: one node that takes everything, and services. */
function labRpc(
  lab: LandingLab,
  services: readonly LandingService[],
  orders: ReadonlyMap<string, Order>,
  clock: SimulatedClock,
): SolanaRpc {
  const upstream = (label: string, lane: string): Upstream => {
    const ask = async (request: UpstreamRequest<RpcReply>): Promise<RpcReply> => {
      const { id, params } = JSON.parse(request.body as string)
      const [base64, { maxRetries: retries }] = params
      const { transaction, price, tips } = orders.get(base64)!
      const paid = tips.find(({ service }) => service.name === lane)?.lamports ?? 0n
      lab.send(lane, { signature: transaction.signature, price, tip: Number(paid), retries })
      await new Promise<void>((resolve) => void clock.after(ANSWER_MS, resolve))
      const answer = `{"jsonrpc":"2.0","id":${id},"result":"${transaction.signature}"}`
      return request.read!(200, Buffer.from(answer)) as RpcReply
    }
    return { label, ask, isReady: () => true, waitMs: () => 0 } as unknown as Upstream
  }
  const pace = { slotMs: SLOT_MS }
  return {
    ...pace,
    submissions: new SolanaSubmissions({
      senders: [upstream('solana-1', 'node')],
      services: services.map(({ name }, at) => upstream(`solana-landing-${at + 1}`, name)),
      serviceRows: services,
      graceMs: 2_000,
      clock,
      pace,
    }),
    async read(method: string, params: string) {
      if (method === 'getBlockHeight') return { result: Buffer.from(String(lab.slot)), error: null }
      if (method !== 'getSignatureStatuses') throw new GatewayError('upstream_unusable', method)
      const [signatures] = JSON.parse(params) as [string[]]
      const value = signatures.map((signature) => {
        const slot = lab.landed(signature)
        return slot === null ? null : { slot, err: null, confirmationStatus: 'processed' }
      })
      const result = Buffer.from(JSON.stringify({ context: { slot: lab.slot }, value }))
      return { result, error: null }
    },
  } as unknown as SolanaRpc
}

/** Time that passes when it is told to, in whole ms, with what follows from each. */
class SimulatedClock implements Clock {
  #now = 0
  readonly #due = new Map<number, Set<() => void>>()

  now(): number {
    return this.#now
  }

  date(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const at = Math.max(this.#now, Math.ceil(this.#now + ms))
    const due = this.#due.get(at) ?? new Set()
    this.#due.set(at, due)
    // A function may wait twice.
    const entry = (): void => run()
    due.add(entry)
    return () => void due.delete(entry)
  }

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      for (let due = this.#due.get(this.#now); due !== undefined; due = this.#due.get(this.#now)) {
        this.#due.delete(this.#now)
        for (const run of due) run()
        await new Promise(setImmediate)
      }
      if (this.#now === until) return
      this.#now++
    }
  }
}
