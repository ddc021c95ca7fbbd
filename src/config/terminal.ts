/**
 * Formats the log for people, if standard output is a terminal. The start line becomes a table of where the
 * service listens and what to try; every other line stays one line.
 */
import type { ConfigSummary, UpstreamOwner } from './summary.ts'

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

interface LogLine {
  readonly level: number
  readonly time: number
  readonly msg: string
  readonly err?: { readonly stack?: string }
  readonly [fact: string]: unknown
}

interface ListeningLine {
  readonly version: string
  readonly mode: string
  readonly url: string
  readonly wsUrl: string | null
  readonly adminUrl: string | null
  readonly consoleUrl: string | null
  readonly sandbox: { readonly solanaRpc: string } | null
  readonly configured: ConfigSummary
}

/** @param json  one line, as pino writes it */
export function forPeople(json: string): string {
  const line = JSON.parse(json) as LogLine
  if (line.msg === 'listening') return printable(welcome(line as unknown as ListeningLine))
  const { level, time, msg, err, ...facts } = line
  const clock = new Date(time).toTimeString().slice(0, 8)
  const words = Object.entries(facts).map(([name, value]) => `${name}=${spelled(value)}`)
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return printable(`${clock}  ${[`${LEVELS[level] ?? ''}${msg}`, ...words].join(' ')}${stack}\n`)
}

function welcome(line: ListeningLine): string {
  const { version, mode, url, wsUrl, adminUrl, consoleUrl, sandbox, configured } = line
  const port = new URL(url).port
  const demo = port === '8080' ? 'npm run demo' : `PORT=${port} npm run demo`
  const rows: [string, string][] = [
    mode === 'sandbox'
      ? ['mode', 'sandbox: a simulated world and play money; MODE=live is the real one']
      : ['mode', mode],
  ]
  if (consoleUrl !== null) rows.push(['console', `${consoleUrl} in a browser`])
  if (sandbox !== null) {
    rows.push(['solana', `${sandbox.solanaRpc} (the sandbox's node and faucet)`])
    rows.push(['try', `${demo}   (in a second terminal)`])
  }
  rows.push(...inForce(configured))
  if (wsUrl !== null) rows.push(['websocket', `${wsUrl}/api/solrpc`])
  if (adminUrl !== null) rows.push(['admin', adminUrl])
  rows.push(['', `curl ${url}/api/chains`])
  rows.push(['documents', `README.md, and every route at ${url}/openapi.json`])
  rows.push(['settings', 'npm start -- --help'])
  const table = rows.map(([name, text]) => `  ${name.padEnd(11)}${text}\n`)
  return `\nswapgate ${version} listens on ${url}\n\n${table.join('')}\nCtrl-C stops it.\n\n`
}

const OWNERS: Readonly<Record<UpstreamOwner, string>> = {
  own: 'your own',
  public: 'public',
  sandbox: 'simulated',
}

const RELAYS: Readonly<Record<ConfigSummary['rpcCompat'], string>> = {
  strict: "strict: the specification's calls; RPC_COMPAT=node takes those of stock clients",
  node: 'RPC_COMPAT=node: takes what stock clients send to a node',
}

function inForce({ solana, nodes, providers, ...rest }: ConfigSummary): [string, string][] {
  const { read, send } = solana
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `; ${what} ${names.join(', ')}`
  const changed = named('changed:', rest.changedBudgets)
  return [
    [
      'nodes',
      `Solana: ${read.count} to read (${OWNERS[read.by]}), ${send.count} to send (${OWNERS[send.by]}); others: ${OWNERS[nodes.others]}${named('your own:', nodes.own)}`,
    ],
    [
      'providers',
      `${providers.count}, ${OWNERS[providers.others]}${named('your own:', providers.own)}${named('off:', providers.off)}${named('with a key:', providers.keys)}`,
    ],
    ['budgets', `${rest.budgets}${changed}`],
    ['clients', `${rest.connections.all} connections; of one address: ${rest.connections.perClient}`],
    ['relay', RELAYS[rest.rpcCompat]],
    ['checks', `signatures by ${rest.verifier}; builds at least ${rest.minVerification}`],
  ]
}

const spelled = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)

/** Replaces control characters: text from an upstream must not move the terminal's cursor. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, ' ')
