/** A request as the reader filled it in, and the programs that send it. */
import { OPERATIONS } from '../../client/generated/operations.ts'
import { objectOf } from '../../client/json.ts'
import type { OperationRow } from '../../client/transport.ts'
import { curlOf } from '../curl.ts'
import type { Entry, Input, Reference } from './document.ts'
import texts from './programs.json' with { type: 'json' }

export interface Request {
  readonly entry: Entry
  /** Path and query. */
  readonly target: string
  /** The parameters of a GET as the client takes them; the body of a POST, null if it is no object in JSON. */
  readonly input: Input | null
  /** Of a POST: as it was typed. */
  readonly body: string | null
  /** Of a build without a quote: where that is asked for. */
  readonly quoteTarget: string | null
}

type Values = Readonly<Record<string, string>>
const QUOTE_PATH = '/api/quote'

/** Parameters, of which those that are empty are left out, or a body, as they were typed. */
type Filled = { readonly values: Values; readonly body: string }

export function requestOf(entry: Entry, filled: Filled, { entries, resolve }: Reference): Request {
  const { values, body } = filled
  const input = entry.body === null ? inputOf(entry, values) : objectOf(body)
  const target = targetOf(entry.path, (entry.body === null && input) || {})
  const request = { entry, target, input, body: entry.body === null ? null : body, quoteTarget: null }
  const isQuoted = input === null || 'quote' in input || entry.body === null
  if (isQuoted || resolve(entry.body!).properties?.quote === undefined) return request
  const { parameters } = entries.find(({ path }) => path === QUOTE_PATH)!
  const asked = parameters.flatMap(({ name }) => (name in input ? [[name, input[name]]] : []))
  return { ...request, quoteTarget: targetOf(QUOTE_PATH, Object.fromEntries(asked)) }
}

/** A build's body with a quote, byte for byte as it was answered. */
export const withQuote = (body: string, quote: string): string =>
  `${JSON.stringify(objectOf(body)).slice(0, -1)},"quote":${quote}}`

/** Fields hold text, which numbers and flags are not for the client. */
function inputOf({ parameters }: Entry, values: Values): Input {
  const given = parameters.flatMap(({ name, schema: { type = 'string' } }) => {
    const value = values[name]!
    const isText = type === 'string' || !/^(true|false|-?\d{1,15}(\.\d+)?)$/.test(value)
    return value === '' ? [] : [[name, isText ? value : JSON.parse(value)]]
  })
  return Object.fromEntries(given)
}

function targetOf(path: string, input: Input): string {
  const query = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(input)) {
    const place = `{${name}}`
    if (path.includes(place)) filled = filled.replace(place, () => encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  // Both are allowed in a query, and easier to read.
  const rest = String(query).replaceAll('%2C', ',').replaceAll('%3A', ':')
  return rest === '' ? filled : `${filled}?${rest}`
}

/** The client's methods by their paths. */
const METHODS = new Map(Object.entries<OperationRow>(OPERATIONS).map(([name, { path }]) => [path, name]))
const CONSTANTS: Values = { true: 'True', false: 'False', null: 'None' }
const STRINGS = /"(?:[^"\\]|\\.)*"|true|false|null/g

/** The program that sends a request, by language. @param origin  the gateway's */
export function programsOf(request: Request, origin: string): Values {
  const { entry, target, input, body, quoteTarget } = request
  const { path, media } = entry
  const kind = body === null ? 'get' : quoteTarget === null ? 'post' : 'build'
  const read = media === 'text/event-stream' ? 'stream' : media === 'application/json' ? kind : 'bytes'
  const raw = input === null ? body! : JSON.stringify(input)
  const literal = (value: unknown): string =>
    JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
  const curl = (url: string, data: string | null): string =>
    curlOf({ method: data === null ? 'GET' : 'POST', url, body: data }, origin)
  const parts: Values = {
    origin,
    url: JSON.stringify(origin + target),
    quote: JSON.stringify(origin + quoteTarget),
    name: METHODS.get(path) ?? '',
    input: input === null || Object.keys(input).length === 0 ? '' : literal(input),
    method: literal(input?.method ?? ''),
    params: literal(input?.params ?? []),
    python: JSON.stringify(input, null, 4).replace(STRINGS, (token) => CONSTANTS[token] ?? token),
    go: raw.includes('`') ? JSON.stringify(raw) : `\`${raw}\``,
    curl: curl(target, body === null ? null : raw),
    curlQuote: curl(quoteTarget ?? '', null),
    // The shell's quotes end before the variable.
    curlBuild: curl(target, raw).replace(/\}'$/, () => `,"quote":'"$quote"'}'`),
  }
  const fill = (lines: readonly string[]): string =>
    lines.join('\n').replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name]!)
  const called = path === '/api/solrpc' ? 'rpc' : path.startsWith('/api/logo/') ? 'logo' : read
  return {
    curl: fill(texts.curl[kind]),
    TypeScript: fill(texts.TypeScript[METHODS.has(path) || called !== read ? called : 'bytes']),
    Python: fill(texts.Python[read]),
    Go: fill([...texts.Go[kind], ...texts.Go.read]),
  }
}
