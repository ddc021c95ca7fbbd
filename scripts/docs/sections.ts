/**
 * The sections that the code writes, by name. What a client can see is read
 * from a gateway with its defaults, as a client reads it; the rest from the
 * modules that the service itself reads.
 */
import { EVM_CHAINS } from '../../src/chains/find.ts'
import { readConfig } from '../../src/config/config.ts'
import { PROVIDERS, type ProviderRow } from '../../src/config/providers.ts'
import { settingsIn } from '../../src/config/setting.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { RISKS } from '../../src/explain/risks.ts'
import type { Priority } from '../../src/flow/call.ts'
import { startGateway } from '../../src/gateway.ts'
import { type BudgetName, DEFAULT_BUDGETS } from '../../src/http/limit/budgets.ts'
import { EXTRA_METHODS, METHODS, type Methods } from '../../src/relay/methods/methods.ts'
import { COLLECTIONS } from '../../src/research/content/inventory.ts'
import { CODES } from '../../src/runtime/errors.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import type { Chain } from '../../src/runtime/resources/chain.ts'
import { type ConcurrencyLimits, DEFAULT_CONCURRENCY } from '../../src/upstream/admission/concurrency.ts'
import { type Quota, RESERVED_PERCENT } from '../../src/upstream/admission/governor.ts'
import { SUBMISSION_CONCURRENCY } from '../../src/upstream/context.ts'
import { LANDING_SERVICES } from '../../src/upstream/nodes/solana/landing-services.ts'
import { exhaust } from '../../test/exhaust/page.ts'
import { upstreamCalls } from './calls.ts'
import { journeys } from './journeys.ts'
import { type Document, endpoints, groupTable, parameters } from './parameters.ts'
import routes from './routes.json' with { type: 'json' }
import { table } from './table.ts'
import { classes, evmFees, fees, hostile, liveSamples, realSamples, rules } from './verification.ts'

export async function writeSections(): Promise<ReadonlyMap<string, string>> {
  const { document, chains, swapProviders } = await askGateway()
  const { counts, harmless } = await hostile()
  return new Map([
    ['endpoints', endpoints(document)],
    ['parameters', parameters(document)],
    ['community', groupTable('Community', document)],
    ['operations', groupTable('Statistics', document)],
    ['swap form', groupTable('Swap forms', document)],
    ['risks', risks()],
    ['collections', collections()],
    ['methods', methods(METHODS)],
    ['extra methods', methods(EXTRA_METHODS)],
    ['landing services', landingServices()],
    ['budgets', budgets()],
    ['reserves', reserves()],
    ['in flight', inFlight()],
    ['upstream calls', upstreamCalls()],
    ['journeys', journeys()],
    ['configuration', configuration()],
    ['errors', errors()],
    ['providers', providers()],
    ['chains', chainTable(chains, swapProviders)],
    ['rules', rules()],
    ['fees', fees()],
    ['evm fees', evmFees()],
    ['hostile', counts],
    ['classes', classes()],
    ['harmless', harmless],
    ['parser', exhaust()],
    ['real samples', realSamples()],
    ['live samples', liveSamples()],
  ])
}

interface SelfDescription<Shape> {
  readonly document: Shape
  readonly chains: readonly Chain[]
  /** The labels of all providers that are asked for a quote, by chain key. */
  readonly swapProviders: ReadonlyMap<string, readonly string[]>
}

/** What a gateway with its defaults says of itself. Nothing outside is asked. */
export async function askGateway<Shape = Document>(): Promise<SelfDescription<Shape>> {
  const config = readConfig({ PORT: '0', MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const gateway = await startGateway(config, loggerTo({ write: () => {} }, 'silent'))
  try {
    const read = async <T>(path: string) => (await (await fetch(`${gateway.url}${path}`)).json()) as T
    const document = await read<Shape>('/openapi.json')
    const { chains } = await read<{ chains: readonly Chain[] }>('/api/chains')
    const options = await read<{ chains: { key: string; providers: { label: string }[] }[] }>(
      '/api/swap-options',
    )
    const swapProviders = new Map(
      options.chains.map(({ key, providers }) => [key, providers.map(({ label }) => label)]),
    )
    return { document, chains, swapProviders }
  } finally {
    await gateway.stop()
  }
}

/** What an explanation may find. */
function risks(): string {
  const rows = Object.entries(RISKS).map(([code, { severity, rule }]) => [`\`${code}\``, severity, rule])
  return table(['code', 'usual severity', 'the rule that does not hold'], rows)
}

/** The files that CONTENT_DIR may hold; what may be left out has a question mark. */
function collections(): string {
  const rows = Object.entries(COLLECTIONS).map(([name, { properties, required }]) => [
    `\`${name}.jsonl\``,
    Object.keys(properties)
      .map((member) => `\`${member}\`${(required as readonly string[]).includes(member) ? '' : '?'}`)
      .join(', '),
  ])
  return table(['file', 'members of an item'], rows)
}

/** A host of a region has its name in the place of the star. */
function landingServices(): string {
  return table(
    [
      'service',
      'host',
      'path',
      'minimum tip, lamports',
      'minimum price, micro-lamports per unit',
      'tip accounts',
      'requests per second without a key',
    ],
    LANDING_SERVICES.map(({ name, host, path, leastTip, leastPrice, quota, tipAccounts }) => [
      name,
      `\`${host.source
        .replaceAll('\\', '')
        .replace(/^\^(\(.*?\)\??|\[.*?\]\+)?/, '*')
        .slice(0, -1)}\``,
      `\`${path}\``,
      leastTip.toLocaleString('en'),
      leastPrice === 0n ? '' : leastPrice.toLocaleString('en'),
      `the ${tipAccounts.length} it publishes`,
      quota === null ? '' : String((quota.calls * 1_000) / quota.windowMs),
    ]),
  )
}

function methods(all: Methods): string {
  const kinds = { read: '', simulate: '', send: 'one signed transaction', batch: 'two to ten of them' }
  return table(
    ['method', 'budget', 'deadline', ''],
    [...all.values()].map(({ name, budget, deadlineMs, kind }) => [
      `\`${name}\``,
      `\`${budget}\``,
      `${deadlineMs / 1_000} s`,
      kinds[kind],
    ]),
  )
}

const SPENT_BY: Readonly<Record<BudgetName, string>> = routes.spend

function budgets(): string {
  return table(
    ['budget', 'spent by', 'per client', 'all clients'],
    Object.entries(DEFAULT_BUDGETS).map(([name, { client, global }]) => [
      `\`${name}\``,
      SPENT_BY[name as BudgetName],
      bound(client),
      bound(global),
    ]),
  )
}

const ASKED_BY: Readonly<Record<Priority, string>> = routes.ask

function reserves(): string {
  return table(
    ['request', 'part of the quota reserved for the rows above'],
    Object.entries(RESERVED_PERCENT).map(([priority, percent]) => [
      ASKED_BY[priority as Priority],
      percent === 0 ? 'nothing' : `${percent} %`,
    ]),
  )
}

function inFlight(): string {
  const row = (what: string, { client, global }: ConcurrencyLimits) => [what, bound(client), bound(global)]
  return table(
    ['calls', 'per client', 'all clients'],
    [
      row('reads, quotes, builds, research (`IN_FLIGHT`)', DEFAULT_CONCURRENCY),
      row('submissions, counted at each node that they go to', SUBMISSION_CONCURRENCY),
    ],
  )
}

const bound = (limit: number): string => (limit === Infinity ? 'no bound' : limit.toLocaleString('en'))

/** The rows of `--help`; those of the EVM chains share one. */
function configuration(): string {
  const [first, ...others] = EVM_CHAINS.map(({ key }) => `_${key.toUpperCase()}`) as [string, ...string[]]
  const rows = settingsIn(SETTINGS)
    .filter(({ variable }) => !others.some((chain) => variable.endsWith(chain)))
    .map(({ variable, meaning, format, fallback = '' }) => [
      `\`${variable.replace(first, '_<CHAINKEY>')}\``,
      // Others name no chain of this key.
      meaning.replace(EVM_CHAINS[0]!.key, `the EVM chain, such as \`${variable.replace(first, '_BASE')}\``),
      format.accepts,
      fallback && `\`${fallback}\``,
    ])
  return table(['variable', 'meaning', 'accepts', 'default'], rows)
}

function errors(): string {
  return table(
    ['status', 'code', 'scope', 'meaning'],
    Object.entries(CODES).map(([code, { status, scope, meaning }]) => [
      String(status),
      `\`${code}\``,
      scope,
      meaning,
    ]),
  )
}

function providers(): string {
  const calls = ({ calls, windowMs, daily }: Quota) =>
    `${calls.toLocaleString('en')} in ${period(windowMs)}${daily ? `, ${daily.toLocaleString('en')} a day` : ''}`
  const quota = (row: ProviderRow, which: 'keyless' | 'keyed') => {
    const { [which]: all } = row.quota
    const { [which]: quotes } = row.quoteQuota ?? {}
    if (!all) return which === 'keyless' ? 'none published' : row.key ? 'unchanged' : ''
    return calls(all) + (quotes ? `; quotes ${calls(quotes)}` : '')
  }
  return table(
    ['label', 'provider', 'used for', 'base URL', 'calls without a key', 'with a key', "key's header"],
    Object.entries(PROVIDERS).map(([label, row]: [string, ProviderRow]) => [
      `\`${label}\``,
      `[${row.name}](${row.documents})`,
      row.purpose,
      row.url,
      quota(row, 'keyless'),
      quota(row, 'keyed'),
      row.key === undefined ? '' : `\`${row.key.header}\``,
    ]),
  )
}

const SECONDS: readonly [seconds: number, unit: string][] = [
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]
function period(ms: number): string {
  const [seconds, unit] = SECONDS.find(([seconds]) => ms % (seconds * 1_000) === 0)!
  return `${ms / seconds / 1_000} ${unit}`
}

function chainTable(chains: readonly Chain[], swapProviders: ReadonlyMap<string, readonly string[]>): string {
  return table(
    ['key', 'name', 'chain id', 'native coin', 'quote providers', 'id in cross-chain routes', 'explorer'],
    chains.map(({ key, name, chainId, native, xprovChainId, explorer }) => [
      `\`${key}\``,
      name,
      String(chainId ?? ''),
      native,
      (swapProviders.get(key) ?? []).join(', '),
      String(xprovChainId ?? ''),
      explorer,
    ]),
  )
}
