/**
 * What an explanation takes: of drawn thefts and honest transactions of all families without a network, and at a
 * gateway whose nodes execute them, a sandbox's and a real EVM (anvil).
 */
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import { encodeFunctionData, erc20Abi } from 'viem'
import { findChain } from '../src/chains/find.ts'
import { explain } from '../src/explain/explain.ts'
import { startSandbox } from '../src/sandbox/index.ts'
import { account, artifact, deploy, startAnvil } from '../test/fixtures/anvil.ts'
import { Random } from '../test/fixtures/classes/random.ts'
import { draw, FAMILIES } from '../test/fixtures/drainers.ts'
import { fund } from '../test/fixtures/swaps.ts'
import { percentile } from './load.ts'
import type { Latency } from './pace.ts'
import { cpuMs, GATEWAY, pinClient, providerUrls, startServer } from './process.ts'
import { type BenchReport, type Claim, show, spread, type Table } from './report.ts'

const ROUNDS = 3
const DRAWS = 1_000
const REQUESTS = 150
/** ms at p99. */
const OFFLINE_MS = 50
const WITH_NODE_MS = 150
const BASE = findChain('base')!
const COLUMNS = ['', 'p50 ms', 'p99 ms']

export async function benchExplain(): Promise<BenchReport> {
  const reports = [await offline(), await withNodes()]
  return {
    tables: reports.flatMap(({ tables }) => tables),
    claims: reports.flatMap(({ claims }) => claims),
  }
}

async function offline(): Promise<BenchReport> {
  const rounds: Map<string, Latency>[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const times = new Map(FAMILIES.map((family) => [family, [] as number[]]))
    for (let i = 0; i < DRAWS; i++) {
      const { family, request } = draw(new Random(round, i), i % 2 === 0)
      const begun = performance.now()
      await explain(request)
      times.get(family)!.push(performance.now() - begun)
    }
    // The first round loads and compiles the code.
    if (round > 0) rounds.push(new Map([...times].map(([family, each]) => [family, latencyOf(each)])))
  }
  const text = `Half of them thefts: ${DRAWS.toLocaleString('en')} drawn in each of ${ROUNDS} rounds, in this process.`
  return report('Explanations without a network', text, 'offline', rounds, OFFLINE_MS)
}

function latencyOf(times: number[]): Latency {
  times.sort((a, b) => a - b)
  return { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) }
}

async function withNodes(): Promise<BenchReport> {
  pinClient()
  const endings: (() => unknown)[] = []
  const scope = { teardown: (end: () => unknown) => void endings.push(end) }
  const { url, client } = await startAnvil(scope as Parameters<typeof startAnvil>[0], BASE.chainId!)
  const sandbox = await startSandbox()
  try {
    const gateway = await startServer(GATEWAY, {
      CHAINS: 'solana,base',
      ...providerUrls(sandbox),
      SOLANA_RPC_URLS: sandbox.solanaUrl,
      RPC_URLS_BASE: url,
      QUOTE_SECRET: 's'.repeat(32),
      LIMITS: 'explain=1000000000/1000000000',
      IN_FLIGHT: 'off',
    })
    endings.push(() => gateway.stop())
    const token = await deploy(client, artifact('@uniswap/v2-core/build/ERC20'), [10n ** 24n])
    const bodies = {
      'Solana: a transfer': { chain: 'solana', transaction: await solTransfer(sandbox.solanaUrl) },
      'EVM: a signed transfer of a token': { chain: 'base', transaction: await tokenTransfer(token.address) },
      'EVM: a permit': { chain: 'base', typedData: permitOf(token.address) },
    }
    let [executed, cpuAtFirst] = [0, 0]
    const ask = async (body: object): Promise<Latency> => {
      const headers = { 'content-type': 'application/json' }
      const times: number[] = []
      for (let i = 0; i < REQUESTS; i++) {
        const begun = performance.now()
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        const answer = await (await fetch(`${gateway.url}/api/explain`, init)).text()
        times.push(performance.now() - begun)
        if (!answer.includes('"verdict":')) throw new Error(`Unexpected answer: ${answer}`)
        if (answer.includes('"simulation":{')) executed++
      }
      return latencyOf(times)
    }
    const rounds: Map<string, Latency>[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      if (round === 1) [executed, cpuAtFirst] = [0, cpuMs(gateway.pid)]
      const latencies = new Map<string, Latency>()
      for (const [name, body] of Object.entries(bodies)) latencies.set(name, await ask(body))
      if (round > 0) rounds.push(latencies)
    }
    const cpu = cpuMs(gateway.pid) - cpuAtFirst
    const total = ROUNDS * Object.keys(bodies).length * REQUESTS
    const text = `${REQUESTS} requests, one after the other, in each of ${ROUNDS} rounds after a warm-up, from sending to the last byte; ${executed} of ${total} were executed, and the gateway took ${(cpu / total).toFixed(1)} ms of its processor for each. Solana's node is the sandbox's, which executes in this process; the other is anvil.`
    return report('Explanations with a node', text, 'with a node', rounds, WITH_NODE_MS)
  } finally {
    for (const end of endings.reverse()) await end()
    await sandbox.close()
  }
}

function report(
  title: string,
  text: string,
  what: string,
  rounds: readonly ReadonlyMap<string, Latency>[],
  bound: number,
): BenchReport {
  const names = [...rounds[0]!.keys()]
  const of = (name: string, figure: keyof Latency) => spread(rounds.map((round) => round.get(name)![figure]))
  const rows = names.map((name) => [name, show(of(name, 'p50Ms'), 2), show(of(name, 'p99Ms'), 2)])
  const claims = names.map(
    (name): Claim => ({
      what: `explain ${what}, ${name}: ms at p99`,
      figure: of(name, 'p99Ms'),
      is: 'at most',
      bound,
    }),
  )
  const table: Table = { title, text, columns: COLUMNS, rows }
  return { tables: [table], claims }
}

async function solTransfer(solanaUrl: string): Promise<string> {
  const [wallet, friend] = [Keypair.generate().publicKey, Keypair.generate().publicKey]
  await fund(solanaUrl, wallet.toBase58())
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: wallet, toPubkey: friend, lamports: 1_000_000 }),
  )
  transaction.feePayer = wallet
  transaction.recentBlockhash = SystemProgram.programId.toBase58()
  return transaction.serialize({ verifySignatures: false, requireAllSignatures: false }).toString('base64')
}

const FRIEND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

async function tokenTransfer(token: `0x${string}`): Promise<string> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [FRIEND, 5n] })
  const fees = { gas: 90_000n, maxFeePerGas: 7n, maxPriorityFeePerGas: 1n }
  const transaction = { type: 'eip1559', chainId: BASE.chainId!, nonce: 1, to: token, data, ...fees } as const
  return account(0).signTransaction!(transaction)
}

function permitOf(token: string): object {
  const names = ['owner', 'spender', 'value', 'nonce', 'deadline']
  return {
    domain: { chainId: BASE.chainId!, verifyingContract: token },
    primaryType: 'Permit',
    types: { Permit: names.map((name, i) => ({ name, type: i < 2 ? 'address' : 'uint256' })) },
    message: { owner: account(0).address, spender: FRIEND, value: '1000000', nonce: 0, deadline: 1 },
  }
}
