/**
 * The token list of 500 rows: the cost of a rebuild, and the cost of serving it compared
 * with bare node:http serving the same bytes.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { checkAnswer, type Load, load, repeated } from '../load/load.ts'
import { type SampleList, sampleList } from '../load/sample-list.ts'
import { peer, pinClient, startServer } from '../servers/process.ts'

const REBUILDS = 40
const WARM_UP_REBUILDS = 20
const POLL_MS = 20
const ROUNDS = 5
const SECONDS = 4
const WARM_UP_SECONDS = 3
/** See http.ts. */

export async function benchTokens(): Promise<BenchReport> {
  const parts = [await benchRebuild(), await benchServing()]
  return { tables: parts.flatMap(({ tables }) => tables), claims: [] }
}

async function benchRebuild(): Promise<BenchReport> {
  const sample = sampleList()
  const cpuMs: number[] = []
  const blockMs: number[] = []
  const poll = (): Promise<void> => sleep(POLL_MS)
  for (let i = 0; i < WARM_UP_REBUILDS; i++) await rebuild(sample, poll)
  for (let i = 0; i < REBUILDS; i++) {
    const before = process.cpuUsage()
    await rebuild(sample, poll)
    const { user, system } = process.cpuUsage(before)
    cpuMs.push((user + system) / 1_000)
    // In a rebuild of its own, because watching the event loop takes processor time itself.
    let longest = 0
    await rebuild(sample, async () => {
      const startedAt = performance.now()
      await turn()
      longest = Math.max(longest, performance.now() - startedAt)
    })
    blockMs.push(longest)
  }
  const representation = await sample.list.reply(false, null)
  const sizes = ['identity', 'gzip', 'br'].map((coding) => {
    const { body } = representation.select({ 'accept-encoding': coding })
    return `${(body.length / 1_024).toFixed(0)} KiB ${coding}`
  })
  const rows = JSON.parse(representation.select({}).body.toString()).tokens.length
  const [cpu, block] = [spread(cpuMs), spread(blockMs)]
  const table = {
    title: `Token list: a rebuild of ${rows} rows`,
    text: `Every row changes. ${REBUILDS} rebuilds after a warm-up. Processor time is that of all threads, compression included:\n${sizes.join(', ')}. The last row is the longest time that the event loop was blocked.`,
    columns: ['', 'ms'],
    rows: [
      ['processor time', show(cpu, 2)],
      ['longest block of the event loop', show(block, 2)],
    ],
  }
  return { tables: [table], claims: [] }
}

/** @param wait  waits for a moment; called until the list is rebuilt */
async function rebuild({ list, clock, everyMs }: SampleList, wait: () => Promise<void>): Promise<void> {
  const last = await list.reply(false, null)
  clock.now += everyMs
  list.reply(false, null)
  do await wait()
  while ((await list.reply(false, null)) === last)
}

async function benchServing(): Promise<BenchReport> {
  pinClient()
  const servers = [
    await startServer(peer('tokens'), { PEER: 'bare' }),
    await startServer(peer('tokens'), { PEER: 'swapgate' }),
  ] as const
  const expected = await (await fetch(`${servers[0].url}/api/tokens`)).text()
  const targets = [
    repeated('bare node:http', servers[0], '/api/tokens', null, expected),
    repeated('swapgate', servers[1], '/api/tokens', null, expected),
  ] as const
  for (const target of targets) await checkAnswer(target)
  for (const target of targets) await load(target, { seconds: WARM_UP_SECONDS })
  const rounds: (readonly [bare: Load, ours: Load])[] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push([await load(targets[0], { seconds: SECONDS }), await load(targets[1], { seconds: SECONDS })])
  }
  for (const server of servers) await server.stop()

  const over = (figure: (round: readonly [Load, Load]) => number) => spread(rounds.map(figure))
  const rows = targets.map(({ name }, i) => [
    name,
    show(
      over((round) => round[i]!.requestsPerSecond),
      0,
    ),
    show(
      over((round) => round[i]!.cpuUs),
      1,
    ),
    show(
      over((round) => round[i]!.busy),
      2,
    ),
    show(
      over((round) => round[i]!.p99Ms),
      2,
    ),
  ])
  const table = {
    title: 'GET /api/tokens, uncompressed',
    text: `The same bytes. Fifty connections, ${ROUNDS} alternating rounds of ${SECONDS} s after a warm-up; servers on\ncore 0, the client on core 1.`,
    columns: ['', 'requests/s', 'CPU µs/request', 'core busy', 'p99 ms'],
    rows,
  }
  return { tables: [table], claims: [] }
}
