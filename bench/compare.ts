/**
 * `npm run bench -- compare COMMIT` builds another commit and pairs the two builds: what a change
 * costs, in processor time, memory and start-up. Both are black boxes that get the same
 * environment and the same requests, in alternation, each hot. `--brief` takes a minute, reports
 * what it finds, and never fails.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Sandbox } from '../src/sandbox/index.ts'
import { keypair } from '../test/fixtures/transactions.ts'
import { canCountInstructions, countInstructions } from './figures/perf.ts'
import { describeMachine, show, spread, toText } from './figures/report.ts'
import { type Clients, load, requestBytes, type Target, type Until } from './load/load.ts'
import { BALANCE_CALL } from './load/replies.ts'
import { signedTransfer, submissionCall } from './load/transfers.ts'
import { areSame, type Build, buildOf, currentBuild, findCommit } from './servers/builds.ts'
import {
  CLIENT_CORE,
  cpuMs,
  firstLine,
  freePort,
  launch,
  peer,
  pinClient,
  providerUrls,
  residentMiB,
  SANDBOX,
  SERVER_CORE,
  type ServerProcess,
  startServer,
  stop,
} from './servers/process.ts'

/** A figure counts as grown beyond this ratio. */
const GROWN = 1.05
const SETTLE_MS = 300
const READY_MS = 30_000
const POLL_MS = 100
/** How often a round is tried: a busy machine may make a server shed load. */
const TRIES = 3

/** How much is measured. Processes differ by how they were compiled, so a few pairs of them are better than one. */
interface Plan {
  readonly processes: number
  readonly rounds: number
  readonly starts: number
  /** Bounds of the warm-up and of a round, beside their numbers of requests, in seconds. */
  readonly warmUpSeconds: number
  readonly roundSeconds: number
}

const FULL: Plan = { processes: 3, rounds: 5, starts: 15, warmUpSeconds: 20, roundSeconds: 5 }
const BRIEF: Plan = { processes: 1, rounds: 5, starts: 5, warmUpSeconds: 2, roundSeconds: 0.4 }

/** What stands behind the builds. */
interface World {
  readonly sandbox: Sandbox
  readonly node: ServerProcess
  readonly acceptor: ServerProcess
}

/** A kind of request. */
interface Row {
  readonly name: string
  readonly warmUp: number
  /** Requests of a round. */
  readonly amount: number
  readonly clients: Clients
  environment(world: World): Readonly<Record<string, string>>
  /** The bytes of the nth request, and what its answer must contain. */
  request(nth: number): Buffer
  readonly answer: string
}

const ORDER = new URLSearchParams({
  chain: 'base',
  side: 'buy',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '0.1',
  slippageBps: '50',
  from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
})
const SIGNER = keypair('compare')

/** A request that is the same each time. */
function same(path: string, body: string | null = null): () => Buffer {
  const bytes = requestBytes(path, body)
  return () => bytes
}

const beforeSandbox = ({ sandbox }: World): Record<string, string> => ({
  ...providerUrls(sandbox),
  SOLANA_RPC_URLS: sandbox.solanaUrl,
  RPC_URLS_BASE: `${sandbox.urls.evm}/base`,
})

const ROWS: readonly Row[] = [
  {
    name: 'GET /api/chains',
    warmUp: 30_000,
    amount: 15_000,
    clients: 'one client',
    environment: ({ node }) => ({ SOLANA_RPC_URLS: node.url }),
    request: same('/api/chains'),
    answer: '{"chains":[',
  },
  {
    name: 'a relay read, not shared',
    warmUp: 30_000,
    amount: 5_000,
    clients: 'one client',
    environment: ({ node }) => ({ SOLANA_RPC_URLS: node.url, SOLANA_READ_CACHE: 'off' }),
    request: same('/api/solrpc', BALANCE_CALL),
    answer: '"value":9007199254740993',
  },
  {
    name: 'a submission',
    warmUp: 3_000,
    amount: 400,
    clients: 'many clients',
    environment: ({ acceptor }) => ({ SOLANA_RPC_URLS: acceptor.url }),
    request: (nth) => requestBytes('/api/solrpc', submissionCall(signedTransfer(SIGNER, nth), nth)),
    answer: '"result":"',
  },
  {
    name: 'a cached quote',
    warmUp: 15_000,
    amount: 3_000,
    clients: 'one client',
    environment: beforeSandbox,
    request: same(`/api/quote?${ORDER}`),
    answer: '"minOut"',
  },
  {
    name: 'a cached list',
    warmUp: 15_000,
    amount: 3_000,
    clients: 'one client',
    environment: beforeSandbox,
    request: same('/api/tokens?limit=20'),
    answer: '"priceTs"',
  },
]

/** A figure of both builds, pair by pair. */
export interface Pairs {
  readonly name: string
  readonly digits: number
  readonly pairs: readonly (readonly [before: number, after: number])[]
}

/** @param args  the words after `compare` */
export async function compareWith(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { brief: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [name, ...rest] = positionals
  if (name === undefined || rest.length > 0) throw new Error('Name one commit to compare with.')
  try {
    await compareBuilds(name, values.brief)
  } catch (error) {
    if (!values.brief) throw error
    console.log(`Not compared: ${(error as Error).message}`)
  }
}

async function compareBuilds(name: string, isBrief: boolean): Promise<void> {
  const commit = findCommit(name)
  if (commit === null) throw new Error(`this clone has no commit ${name}.`)
  const builds = [buildOf(commit), currentBuild()] as const
  console.log(`${describeMachine()}\nbefore: ${builds[0].name}; after: ${builds[1].name}`)
  if (areSame(...builds)) {
    console.log('Both are the same program.')
    // Beside each other they still show how much the machine alone makes of a difference.
    if (isBrief) return
  }
  pinClient()
  const plan = isBrief ? BRIEF : FULL
  const counts = canCountInstructions()
  const figures = [...(await compareStarts(builds, plan)), ...(await compareRows(builds, plan, counts))]
  console.log(`\n${toText(toTable(figures))}`)
  const grown = figures.filter(hasGrown).map(({ name }) => name)
  console.log(
    grown.length === 0 ? 'Nothing grew by more than 5 %.' : `Grew by more than 5 %: ${grown.join('; ')}.`,
  )
}

/**
 * Whether a figure grew by more than 5 %: by its median pair and by its best rounds, because other
 * work of the machine can only add to a figure.
 */
export function hasGrown({ pairs }: Pairs): boolean {
  if (pairs.length === 0) return false
  const [before, after] = [spread(pairs.map(([one]) => one)), spread(pairs.map(([, other]) => other))]
  return ratioOf(pairs).median > GROWN && after.min / before.min > GROWN
}

const ratioOf = (pairs: Pairs['pairs']) => spread(pairs.map(([before, after]) => after / before))

function toTable(figures: readonly Pairs[]) {
  const rows = figures.map((figure) => {
    const { name, digits, pairs } = figure
    if (pairs.length === 0) return [name, '', '', '', 'not answered by both']
    const [before, after] = [0, 1].map((which) => show(spread(pairs.map((pair) => pair[which]!)), digits))
    return [name, before!, after!, show(ratioOf(pairs), 2), hasGrown(figure) ? 'GREW' : '']
  })
  return { title: 'Median [min..max]', text: '', columns: ['', 'before', 'after', 'after/before', ''], rows }
}

async function compareStarts(builds: readonly [Build, Build], { starts }: Plan): Promise<Pairs[]> {
  const cpu: [number, number][] = []
  const memory: [number, number][] = []
  for (const { main } of builds) await measureStart(main) // loads the files into the page cache
  for (let i = 0; i < starts; i++) {
    const [before, after] = await inPair(i, (which) => measureStart(builds[which].main))
    cpu.push([before.cpuMs, after.cpuMs])
    memory.push([before.residentMiB, after.residentMiB])
  }
  return [
    { name: 'start-up, CPU ms', digits: 0, pairs: cpu },
    { name: 'memory after the start, MiB', digits: 1, pairs: memory },
  ]
}

async function measureStart(main: string): Promise<{ cpuMs: number; residentMiB: number }> {
  const environment = { PORT: String(await freePort()), MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }
  const child = launch(main, SERVER_CORE, environment, 'pipe')
  await firstLine(child)
  const used = cpuMs(child.pid!)
  await sleep(SETTLE_MS)
  const figures = { cpuMs: used, residentMiB: residentMiB(child.pid!) }
  await stop(child)
  return figures
}

async function compareRows(builds: readonly [Build, Build], plan: Plan, counts: boolean): Promise<Pairs[]> {
  const outside = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const world: World = {
    sandbox: JSON.parse(await firstLine(outside)) as Sandbox,
    node: await startServer(peer('node'), {}, CLIENT_CORE),
    acceptor: await startServer(peer('acceptor'), {}, CLIENT_CORE),
  }
  const unit = counts ? 'thousand instructions' : 'CPU µs'
  const figures: Pairs[] = []
  for (const row of ROWS) {
    const pairs: [number, number][] = []
    try {
      for (let i = 0; i < plan.processes; i++)
        pairs.push(...(await comparePair(row, builds, world, plan, counts)))
    } catch (error) {
      console.log(`${row.name}: ${(error as Error).message}`)
      pairs.length = 0
    }
    figures.push({ name: `${row.name}, ${unit}`, digits: 1, pairs })
  }
  await Promise.all([world.node.stop(), world.acceptor.stop(), stop(outside)])
  return figures
}

/** One process of each build. */
async function comparePair(
  row: Row,
  builds: readonly [Build, Build],
  world: World,
  plan: Plan,
  counts: boolean,
): Promise<[number, number][]> {
  const environment = { MODE: 'live', LIMITS, ...row.environment(world) }
  const servers: ServerProcess[] = []
  try {
    for (const { main } of builds) servers.push(await startServer(main, environment))
    const targets = servers.map((server, which) => targetOf(row, builds[which]!, server))
    const cost = async (which: 0 | 1, until: Until): Promise<number> => {
      const work = () => load(targets[which]!, until, row.clients)
      if (!counts) return (await work()).cpuUs
      const [{ requests }, instructions] = await countInstructions(servers[which]!.pid, work)
      return instructions / requests / 1_000
    }
    const warmUp = { amount: row.warmUp, seconds: plan.warmUpSeconds }
    const round = { amount: row.amount, seconds: plan.roundSeconds }
    for (const target of targets) {
      await untilReady(target)
      await again(() => load(target, warmUp, row.clients))
    }
    const pairs: [number, number][] = []
    for (let i = 0; i < plan.rounds; i++)
      pairs.push(await again(() => inPair(i, (which) => cost(which, round))))
    return pairs
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** So high that nothing is refused, while the limiter still counts. */
const LIMITS = ['swap', 'rpcRead', 'rpcSend'].map((name) => `${name}=1000000000/1000000000`).join()

function targetOf({ request, answer }: Row, { name }: Build, server: ServerProcess): Target {
  let nth = 0
  return { name, server, next: () => request(nth++), isAnswer: (body) => body.includes(answer) }
}

/** Waits until a server has what it answers from. */
async function untilReady(target: Target): Promise<void> {
  const endsAt = performance.now() + READY_MS
  for (;;) {
    try {
      await load(target, { amount: 1 })
      return
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await sleep(POLL_MS)
    }
  }
}

async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
      await sleep(1_000)
    }
  }
}

/** Runs both, in an order that alternates. @returns in the order before, after */
async function inPair<Result>(
  nth: number,
  run: (which: 0 | 1) => Promise<Result>,
): Promise<[Result, Result]> {
  if (nth % 2 === 0) return [await run(0), await run(1)]
  const after = await run(1)
  return [await run(0), after]
}
