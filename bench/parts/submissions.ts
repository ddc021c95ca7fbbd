/**
 * The time that swapgate adds to a submission, compared with the same call to the node
 * directly and through the unchecked forwarder; by either engine, for new signers and
 * for a known one.
 *
 * No transaction is sent twice, so no answer is shared. A new signer returns only after
 * the engine has forgotten it.
 */
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { type Keypair, keypair } from '../../test/fixtures/transactions.ts'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { type Latency, pace, type Question } from '../load/pace.ts'
import { signedTransfer, submissionCall } from '../load/transfers.ts'
import {
  CLIENT_CORE,
  cpuMs,
  GATEWAY,
  peer,
  pinClient,
  type ServerProcess,
  startServer,
} from '../servers/process.ts'

const ROUNDS = 7
const SECONDS = 2
const PER_SECOND = 200
/** More than an engine remembers (src/chains/solana/signatures/verifier.ts). */
const NEW_SIGNERS = 400
/** Enough for V8 to compile the programs. */
const WARM_UP = { rounds: 2, seconds: 2, perSecond: 400 }

/** A compared server: the node itself, the forwarder, or the service with either engine. */
interface Peer {
  readonly name: string
  readonly server: ServerProcess
  readonly isNewSigner: boolean
}

interface Sample extends Latency {
  /** The server's processor time per submission, microseconds. */
  readonly cpuUs: number
}

export async function benchSubmissions(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('acceptor'), {}, CLIENT_CORE)
  const environment = {
    UPSTREAM: node.url,
    MODE: 'live',
    SOLANA_RPC_URLS: node.url,
    LIMITS: 'rpcSend=1000000000/1000000000',
  }
  const forwarder = await startServer(peer('forwarder'), environment)
  const native = await startServer(GATEWAY, { ...environment, VERIFIER: 'native' })
  const noble = await startServer(GATEWAY, { ...environment, VERIFIER: 'noble' })
  const peers: Peer[] = [
    { name: 'the node itself', server: node, isNewSigner: false },
    { name: 'unchecked forwarder', server: forwarder, isNewSigner: false },
    { name: 'native, known signer', server: native, isNewSigner: false },
    { name: 'native, new signer', server: native, isNewSigner: true },
    { name: 'noble, known signer', server: noble, isNewSigner: false },
    { name: 'noble, new signer', server: noble, isNewSigner: true },
  ]
  const round = async (seconds: number, perSecond: number): Promise<Sample[]> => {
    const samples: Sample[] = []
    for (const each of peers) samples.push(await run(each, seconds, perSecond))
    return samples
  }
  for (let i = 0; i < WARM_UP.rounds; i++) await round(WARM_UP.seconds, WARM_UP.perSecond)
  const rounds: Sample[][] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(SECONDS, PER_SECOND))
  for (const server of [node, forwarder, native, noble]) await server.stop()
  return report(peers, rounds)
}

function report(peers: readonly Peer[], rounds: readonly Sample[][]): BenchReport {
  const over = (at: number, than: number, figure: keyof Sample) =>
    spread(rounds.map((round) => round[at]![figure] - (than < 0 ? 0 : round[than]![figure])))
  const rows = peers.map(({ name }, at) => [
    name,
    show(over(at, -1, 'p50Ms'), 2),
    show(over(at, NODE, 'p50Ms'), 2),
    show(over(at, FORWARDER, 'p50Ms'), 2),
    show(over(at, -1, 'p99Ms'), 2),
    show(over(at, NODE, 'p99Ms'), 2),
    show(over(at, FORWARDER, 'p99Ms'), 2),
    at === NODE ? '' : show(over(at, -1, 'cpuUs'), 0),
  ])
  return { tables: [{ title: 'Submissions', text: TEXT, columns: COLUMNS, rows }], claims: [] }
}

const NODE = 0
const FORWARDER = 1

async function run({ server, isNewSigner }: Peer, seconds: number, perSecond: number): Promise<Sample> {
  const questions = Array.from({ length: seconds * perSecond }, () => [nextQuestion(server.url, isNewSigner)])
  const before = cpuMs(server.pid)
  const latency = await pace((nth) => questions[nth]!, perSecond, seconds)
  return { ...latency, cpuUs: ((cpuMs(server.pid) - before) * 1_000) / questions.length }
}

const KNOWN = keypair('known')
const signers: Keypair[] = []
let submissions = 0

function nextQuestion(origin: string, isNewSigner: boolean): Question {
  const nth = ++submissions
  const signer = isNewSigner ? (signers[nth % NEW_SIGNERS] ??= keypair(`new ${nth % NEW_SIGNERS}`)) : KNOWN
  const transaction = signedTransfer(signer, nth)
  const signature = encodeBase58(transaction.subarray(1, 65))
  const body = submissionCall(transaction, nth)
  return { origin, path: '/api/solrpc', body, isAnswer: (answer) => answer.includes(signature) }
}

const TEXT = `${PER_SECOND} submissions a second at a constant rate, whether or not earlier answers have arrived; ${ROUNDS} alternating rounds of
${SECONDS} s after a warm-up, from sending to the last byte. Servers on core 0, the stub of a node and the client on core 1. No
transaction is sent twice. The added time is the difference between the two distributions of one round. Processor time is
that of all the server's threads, over ${PER_SECOND * SECONDS} submissions.`
const COLUMNS = [
  '',
  'p50 ms',
  'over the node',
  'over the forwarder',
  'p99 ms',
  'over the node',
  'over the forwarder',
  'CPU µs',
]
