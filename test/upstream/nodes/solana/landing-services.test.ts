import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import t from 'tap'
import { Receipts } from '../../../../src/relay/submissions/receipts.ts'
import {
  LANDING_SERVICES,
  type LandingService,
  lackOf,
  landingServiceOf,
  offeringOf,
} from '../../../../src/upstream/nodes/solana/landing-services.ts'
import { SolanaRpc } from '../../../../src/upstream/nodes/solana/rpc.ts'
import { SolanaSubmissions } from '../../../../src/upstream/nodes/solana/submissions.ts'
import { callOf } from '../../../fixtures/call.ts'
import { handClock, until } from '../../../fixtures/clock.ts'
import { type Sent, SUBMISSION, scripted } from '../../../fixtures/scripted-nodes.ts'
import { submissionOf } from '../../../fixtures/submission.ts'
import { DESTINATION, serialize, transfer, transferV0 } from '../../../fixtures/transactions.ts'

const PAYER = Keypair.generate()
const [JITO, SWQOS, HELIUS, NOZOMI, ASTRALANE] = LANDING_SERVICES as [
  (typeof LANDING_SERVICES)[0],
  ...typeof LANDING_SERVICES,
]

const hasTip = (base64: string, row: LandingService): boolean =>
  lackOf(offeringOf(base64), row) !== 'untipped'

/** Transfers by web3.js, as a wallet would write them; base64. */
function paying(...transfers: readonly (readonly [to: string, lamports: bigint])[]): string {
  return priced(null, ...transfers)
}

function priced(
  microLamports: bigint | null,
  ...transfers: readonly (readonly [to: string, lamports: bigint])[]
): string {
  const transaction = new Transaction({
    feePayer: PAYER.publicKey,
    recentBlockhash: PublicKey.default.toBase58(),
  })
  if (microLamports !== null) {
    transaction.add(ComputeBudgetProgram.setComputeUnitPrice({ microLamports }))
  }
  for (const [to, lamports] of transfers) {
    transaction.add(
      SystemProgram.transfer({ fromPubkey: PAYER.publicKey, toPubkey: new PublicKey(to), lamports }),
    )
  }
  transaction.sign(PAYER)
  return transaction.serialize().toString('base64')
}

t.test('a URL has the row of its host, and its path unless it has one', async (t) => {
  for (const [text, name, url] of [
    [
      'https://mainnet.block-engine.jito.wtf',
      'Jito',
      'https://mainnet.block-engine.jito.wtf/api/v1/transactions',
    ],
    ['https://x-api-key:k3y@tx.jup.ag', 'Jupiter', 'https://x-api-key:k3y@tx.jup.ag/'],
    [
      'https://ny.mainnet.block-engine.jito.wtf/api/v1/transactions?bundleOnly=true',
      'Jito',
      'https://ny.mainnet.block-engine.jito.wtf/api/v1/transactions?bundleOnly=true',
    ],
    ['http://fra-sender.helius-rpc.com', 'Helius Sender', 'http://fra-sender.helius-rpc.com/fast'],
    [
      'https://sender.helius-rpc.com/?swqos_only=true',
      'Helius Sender, swqos_only',
      'https://sender.helius-rpc.com/fast?swqos_only=true',
    ],
    [
      'https://sender.helius-rpc.com/fast?swqos_only=false',
      'Helius Sender',
      'https://sender.helius-rpc.com/fast?swqos_only=false',
    ],
    ['https://nozomi.temporal.xyz/?c=key', 'Nozomi', 'https://nozomi.temporal.xyz/?c=key'],
    [
      'https://fr.gateway.astralane.io?api-key=key',
      'Astralane',
      'https://fr.gateway.astralane.io/iris?api-key=key',
    ],
    ['https://jito.wtf.example', undefined, 'https://jito.wtf.example/'],
    [
      'https://mainnet.block-engine.jito.wtf.example/',
      undefined,
      'https://mainnet.block-engine.jito.wtf.example/',
    ],
  ] as const) {
    const found = landingServiceOf(text)
    t.same([found.row?.name, found.url], [name, url], text)
  }
})

t.test('a tip is one transfer of enough to an account of the service', async (t) => {
  const [first] = JITO.tipAccounts as [string]
  const stranger = Keypair.generate().publicKey.toBase58()
  for (const account of JITO.tipAccounts) t.ok(hasTip(paying([stranger, 5n], [account, 1_000n]), JITO))
  t.notOk(hasTip(paying([first, 999n]), JITO), 'a lamport short')
  t.notOk(hasTip(paying([first, 500n], [first, 500n]), JITO), 'together only')
  t.notOk(hasTip(paying([stranger, 1_000_000n]), JITO), 'somebody else')
  t.notOk(hasTip(paying([first, 1_000_000n]), HELIUS!), "another service's")
  t.ok(hasTip(paying([HELIUS!.tipAccounts[0]!, 5_000n]), SWQOS!))
  t.notOk(hasTip(paying([HELIUS!.tipAccounts[0]!, 5_000n]), HELIUS!), 'the other path asks for more')
  t.ok(hasTip(paying(['noz3jAjPiHuBPqiSPkkugaJDkJscPuRhYnSpbi8UvC4', 1_000_000n]), NOZOMI!))
  t.ok(hasTip(paying(['astrazznxsGUhWShqgNtAdfrzP2G83DzcWVJDxwV9bF', 10_000n]), ASTRALANE!))
  t.notOk(hasTip(Buffer.from('nonsense').toString('base64'), JITO))
})

t.test('what the bytes do not show is not a tip', async (t) => {
  const row = { ...JITO, leastTip: 1n, tipAccounts: [new PublicKey(DESTINATION).toBase58()] }
  const base64 = (draft: Parameters<typeof serialize>[0]): string =>
    Buffer.from(serialize(draft)).toString('base64')
  const data = Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
  const withInstruction = (program: number, accounts: readonly number[], bytes: Uint8Array = data) => ({
    instructions: [{ program, accounts, data: bytes }],
  })
  t.ok(hasTip(base64(transfer()), row))
  t.ok(hasTip(base64(transferV0()), row))
  t.notOk(hasTip(base64(transferV0(withInstruction(2, [0, 3]))), row), 'an account of a lookup table')
  t.notOk(hasTip(base64(transfer(withInstruction(1, [0, 1]))), row), 'another program')
  t.notOk(hasTip(base64(transfer(withInstruction(2, [0]))), row), 'no recipient')
  t.notOk(hasTip(base64(transfer(withInstruction(2, [0, 1], Uint8Array.of(8, ...data.subarray(1))))), row))
  t.notOk(hasTip(base64(transfer(withInstruction(2, [0, 1], data.subarray(0, 11)))), row), 'cut off')
})

t.test('without its tip a service gets nothing, and the receipt says why', async (t) => {
  const clock = handClock()
  const sent: Sent[] = []
  const upstream = (label: string) => scripted(label, clock, [{ kind: 'accepts', ms: 0 }], sent, [])
  const submissions = new SolanaSubmissions({
    senders: [upstream('solana-1')],
    services: ['solana-landing-1', 'solana-landing-2', 'solana-landing-3'].map(upstream),
    serviceRows: [JITO, HELIUS!, null],
    graceMs: 2_000,
    clock,
    pace: { slotMs: 200 },
  })
  const receipts = new Receipts({ upstreams: submissions.labels, clock })
  const signature = new Uint8Array(64).fill(7)
  const trace = receipts.begin(signature, {
    startedAt: clock.now(),
    parsedAt: clock.now(),
    verifiedAt: clock.now(),
  })
  clock.advance(1)
  const base64 = paying([JITO.tipAccounts[0]!, 1_000n])
  const submission = { ...submissionOf(`["${base64}",{}]`, SUBMISSION.signature), base64, trace }
  const done = submissions.submit(submission, callOf(15_000))
  clock.advance(0)
  await until(() => sent.length === 1)
  clock.advance(0)
  await done
  await until(() => sent.length === 3)
  clock.advance(0)
  clock.advance(2_000)
  const again = submissions.resend(submission, callOf(15_000))
  await until(() => sent.length === 6)
  clock.advance(0)
  await again
  t.same(new Set(sent.map(({ to }) => to)), new Set(['solana-1', 'solana-landing-1', 'solana-landing-3']))
  t.match(receipts.find(signature)!.upstreams, [
    { name: 'solana-1', sends: 2, outcome: 'accepted' },
    { name: 'solana-landing-1', sends: 2, outcome: 'accepted' },
    { name: 'solana-landing-2', sends: 0, sentUs: 1_000, answeredUs: 1_000, outcome: 'untipped' },
    { name: 'solana-landing-3', sends: 2, outcome: 'accepted' },
  ])
})

t.test('services of a gateway are withheld from by their hosts', async (t) => {
  const rpc = new SolanaRpc({
    readUrls: ['http://127.0.0.1:1'],
    sendUrls: ['http://127.0.0.1:1'],
    submissionServiceUrls: ['https://mainnet.block-engine.jito.wtf', 'https://sender.helius-rpc.com/fast'],
  })
  t.teardown(() => rpc.close())
  const noted: unknown[] = []
  const trace = { sent: (at: number) => noted.push(at), answered: (...args: unknown[]) => noted.push(args) }
  const base64 = paying([Keypair.generate().publicKey.toBase58(), 1n])
  // The node is not there, so that nothing leaves the machine, and only services without a tip are noted at once.
  await rpc.submissions.resend({ ...submissionOf(`["${base64}",{}]`, 's'), base64, trace }, callOf(1_000))
  t.same(noted, [0, [1, 'untipped'], [2, 'untipped'], [0, 'failed']])
})

t.test('a service that requires a price gets nothing without it', async (t) => {
  const lack = (base64: string, row: LandingService) => lackOf(offeringOf(base64), row)
  const helius = [HELIUS!.tipAccounts[0]!, 1_000_000n] as const
  const nozomi = ['noz3jAjPiHuBPqiSPkkugaJDkJscPuRhYnSpbi8UvC4', 1_000_000n] as const
  t.equal(lack(paying(helius), HELIUS!), 'unpriced', 'no instruction')
  t.equal(lack(priced(1n, helius), HELIUS!), null)
  t.equal(lack(priced(999_999n, nozomi), NOZOMI!), 'unpriced')
  t.equal(lack(priced(1_000_000n, nozomi), NOZOMI!), null)
  t.equal(lack(priced(1_000_000n, helius), NOZOMI!), 'untipped', 'the tip comes first')
  t.equal(lack(paying([JITO.tipAccounts[0]!, 1_000n]), JITO), null, 'Jito asks for no price')
})

t.test('Jito gets one transaction a second, unless its URL has a key', async (t) => {
  t.equal(landingServiceOf('https://mainnet.block-engine.jito.wtf').row?.quota?.calls, 1)
  t.equal(landingServiceOf('https://mainnet.block-engine.jito.wtf?uuid=k').row?.quota, null)

  const clock = handClock()
  const sent: Sent[] = []
  const upstream = (label: string) => scripted(label, clock, [{ kind: 'accepts', ms: 0 }], sent, [])
  const submissions = new SolanaSubmissions({
    senders: [upstream('solana-1')],
    services: [upstream('solana-landing-1')],
    serviceRows: [JITO],
    graceMs: 2_000,
    clock,
    pace: { slotMs: 200 },
  })
  const receipts = new Receipts({ upstreams: submissions.labels, clock })
  const base64 = paying([JITO.tipAccounts[0]!, 1_000n])
  const submissionAs = (fill: number) => {
    const at = clock.now()
    const trace = receipts.begin(new Uint8Array(64).fill(fill), {
      startedAt: at,
      parsedAt: at,
      verifiedAt: at,
    })
    return { ...submissionOf(`["${base64}",{}]`, SUBMISSION.signature), base64, trace }
  }
  const resend = async (submission: ReturnType<typeof submissionAs>, sends: number) => {
    const before = sent.length
    const done = submissions.resend(submission, callOf(15_000))
    await until(() => sent.length === before + sends)
    clock.advance(0)
    await done
  }
  const outcome = (fill: number) =>
    receipts.find(new Uint8Array(64).fill(fill))!.upstreams.find(({ name }) => name === 'solana-landing-1')
  const [first, second] = [submissionAs(1), submissionAs(2)]
  await resend(first, 2)
  await resend(second, 1)
  t.match(
    [outcome(1), outcome(2)],
    [
      { outcome: 'accepted', sends: 1 },
      { outcome: 'throttled', sends: 0 },
    ],
  )
  clock.advance(999)
  await resend(second, 1)
  t.match(outcome(2), { outcome: 'throttled', sends: 0 }, 'a millisecond too early')
  clock.advance(1)
  await resend(second, 2)
  t.match(outcome(2), { outcome: 'accepted', sends: 1, sentUs: 1_000_000 })
})
