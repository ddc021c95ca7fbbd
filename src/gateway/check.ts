/**
 * `npm start -- --check`: asks each configured upstream one question, and prints the answers and which
 * families of chains can build a swap. Nothing listens, and nothing but questions is sent.
 */
import { Access } from '../chains/access.ts'
import type { Config } from '../config/config.ts'
import { warningsOf } from '../config/warnings.ts'
import { HeldBytes } from '../flow/held-bytes.ts'
import { CLOCK } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { Sandbox } from '../sandbox/index.ts'
import { DEADLINES } from '../swap/deadlines.ts'
import type { CallEnd } from '../upstream/call.ts'
import type { UpstreamState } from '../upstream/health.ts'
import { createUpstreams } from './upstreams.ts'

const DEADLINE_MS = 10_000

/** Each by the labels of its nodes, how many of these must answer, and the providers that build; one is enough. */
const FAMILIES = [
  { name: 'solana', nodes: /^solana-\d/, needed: 1, builders: ['jupiter', 'dflow'] },
  { name: 'evm', nodes: /^(?!(solana|sui|ton)-).*-\d+$/, needed: 1, builders: ['kyberswap', 'velora'] },
  { name: 'sui', nodes: /^sui-/, needed: 1, builders: ['xprov'] },
  // Two must agree.
  { name: 'ton', nodes: /^ton-/, needed: 2, builders: ['swapcoffee'] },
]
type Family = (typeof FAMILIES)[number]

/**
 * @param sandbox  the simulated world, in place of the real one; null in live mode
 * @returns lines for people (warnings, a table, and the verdict), and whether every family can build
 */
export async function check(config: Config, log: Logger, sandbox: Sandbox | null) {
  const access = new Access(config, null)
  const ends = new Map<string, CallEnd>()
  const upstreams = createUpstreams({
    config,
    access,
    log,
    clock: CLOCK,
    deadlines: DEADLINES,
    nameClient: () => undefined,
    sandbox,
    shareLimits: null,
    metrics: null,
    limitsAsPublic: false,
    held: new HeldBytes(),
    onCall: (end) => void (end.failure !== null && ends.set(end.upstream, end)),
  })
  const { solana, providers, files } = upstreams
  const servesSolana = access.serves('solana')
  await Promise.all([servesSolana && solana.warmUp(DEADLINE_MS), providers.greet(DEADLINE_MS)])
  const states = [...(servesSolana ? solana.state() : []), ...providers.state()]
  await Promise.all([solana.close(), providers.close(), files?.close()])

  const answering = new Set(states.filter(answers).map(({ name }) => name))
  const served = FAMILIES.filter(({ nodes }) => states.some(({ name }) => nodes.test(name)))
  const lacks = served.map((family) => [family.name, lackOf(family, answering, config)] as const)
  const rows = [
    ...warningsOf(config).map(({ facts, message }) => `warning: ${message}${listed(facts)}`),
    '',
    ...states.map((state) => `  ${state.name.padEnd(18)}${wordOf(state, ends.get(state.name))}`),
    '',
    `${answering.size} of ${states.length} upstreams answer.`,
    ...lacks.map(([name, lack]) => `  ${name.padEnd(18)}${lack ?? 'can build'}`),
  ]
  return { text: `${rows.join('\n')}\n`, canBuild: lacks.every(([, lack]) => lack === null) }
}

const answers = ({ state, lastSuccessAgoMs }: UpstreamState): boolean =>
  state !== 'refused' && lastSuccessAgoMs !== null

function lackOf({ nodes, needed, builders, name }: Family, answering: ReadonlySet<string>, config: Config) {
  const count = [...answering].filter((label) => nodes.test(label)).length
  if (count < needed) return `cannot build: ${count} of the ${needed} nodes that it needs answer`
  // Uniswap's contracts and Solana's pools are read through the nodes.
  const hasOwn =
    name === 'evm' ? config.uniswapV2 || config.uniswapV3 : name === 'solana' && config.solanaPools
  const isBuilt = hasOwn || builders.some((label) => answering.has(label))
  return isBuilt ? null : `cannot build: none of ${builders.join(', ')} answers`
}

function wordOf({ state, lastError, lastSuccessAgoMs }: UpstreamState, end: CallEnd | undefined): string {
  if (state === 'untried') return 'not asked'
  if (lastError === null) return 'answers'
  const cause =
    end?.cause === null || end?.cause === undefined || end.cause === 'answer' ? '' : ` (${end.cause})`
  const status = lastError.status === null ? '' : ` status ${lastError.status}`
  return `${lastSuccessAgoMs === null ? 'fails' : 'answers, but'} ${lastError.code}${status}${cause}`
}

const listed = (facts: Readonly<Record<string, unknown>>): string =>
  Object.values(facts)
    .map((value) => ` [${Array.isArray(value) ? value.join(', ') : String(value)}]`)
    .join('')
