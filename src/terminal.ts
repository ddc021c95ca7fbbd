/**
 * The log's lines as people read them, where standard output is a terminal. The
 * service says once where it listens and what to try; the rest is a line each.
 */

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

interface Line {
  readonly level: number
  readonly time: number
  readonly msg: string
  readonly err?: { readonly stack?: string }
  readonly [fact: string]: unknown
}

interface Listening {
  readonly version: string
  readonly mode: string
  readonly url: string
  readonly adminUrl: string | null
  readonly sandbox: { readonly solanaRpc: string } | null
}

/** @param json  one line as pino writes it */
export function forPeople(json: string): string {
  const line = JSON.parse(json) as Line
  if (line.msg === 'listening') return printable(welcome(line as unknown as Listening))
  const { level, time, msg, err, ...facts } = line
  const clock = new Date(time).toTimeString().slice(0, 8)
  const words = Object.entries(facts).map(([name, value]) => `${name}=${spelled(value)}`)
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return printable(`${clock}  ${[`${LEVELS[level] ?? ''}${msg}`, ...words].join(' ')}${stack}\n`)
}

function welcome({ version, mode, url, adminUrl, sandbox }: Listening): string {
  const port = new URL(url).port
  const demo = port === '8080' ? 'npm run demo' : `PORT=${port} npm run demo`
  const rows: [string, string][] = [
    mode === 'sandbox'
      ? ['mode', 'sandbox: a simulated world and play money; MODE=live is the real one']
      : ['mode', mode],
  ]
  if (sandbox !== null) {
    rows.push(['solana', `${sandbox.solanaRpc} (the sandbox's node and faucet)`])
    rows.push(['try', `${demo}   (in a second terminal)`])
  }
  if (adminUrl !== null) rows.push(['admin', adminUrl])
  rows.push(['', `curl ${url}/api/chains`])
  rows.push(['documents', `README.md, and every route at ${url}/openapi.json`])
  rows.push(['settings', 'npm start -- --help'])
  const table = rows.map(([name, text]) => `  ${name.padEnd(11)}${text}\n`)
  return `\nswapgate ${version} listens on ${url}\n\n${table.join('')}\nCtrl-C stops it.\n\n`
}

const spelled = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)

/** Without control characters: what an upstream said must not move a cursor. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, ' ')
