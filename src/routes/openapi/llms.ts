/**
 * The routes as a page for language models: a title, a summary, a worked call, and lists of links with a line
 * each, below it the operation's parameters.
 *
 * Source: llmstxt.org
 */
import type { Example, Route, RouteDescription } from '../../http/route.ts'
import { COMMUNITY } from '../groups.ts'

/** What may be left out if there is little room (llmstxt.org). */
const OPTIONAL = 'Optional'

const INTRODUCTION = `# swapgate

> A gateway between a wallet, bot or dapp and the chains: swap quotes, unsigned transactions, cross-chain routes, token research, portfolios, and a Solana JSON-RPC relay that lets only valid, signed transactions through. It holds no keys and signs nothing.

Bodies are JSON. Nobody is authenticated; a client is its address, and has a budget of requests for each minute: a 429 says by Retry-After when to ask again. Errors are {"error", "scope", "code"}, of which \`code\` is stable. What POST /api/build answers is unsigned: the caller's wallet reviews and signs it. The first list is specified; the others are unverified and may change.`

/** The worked call's example, of the quotes and of the builds. */
const WORKED = 'solana'
/** Longer texts are cut in the worked call. */
const MAX_TEXT = 60

interface Property {
  readonly description?: string
  readonly default?: unknown
}

/** @param origin  of the service, without a slash at its end */
export function describeForModels(routes: readonly Route[], origin: string): string {
  const sections = new Map<string, string[]>([['Endpoints', []]])
  for (const route of routes) {
    const name = sectionOf(route.description)
    sections.set(name, [...(sections.get(name) ?? []), line(route, origin), ...parameters(route)])
  }
  // The section that may be left out is the last one.
  const optional = sections.get(OPTIONAL)
  if (sections.delete(OPTIONAL)) sections.set(OPTIONAL, optional!)
  const texts = [...sections].map(([name, lines]) => `## ${name}\n\n${lines.join('\n')}`)
  return `${[INTRODUCTION, workedCall(routes, origin), ...texts].join('\n\n')}\n`
}

function sectionOf({ stability, group }: RouteDescription): string {
  if (stability === undefined) return 'Endpoints'
  return group === COMMUNITY ? OPTIONAL : group.summary
}

function line({ method, path, description }: Route, origin: string): string {
  return `- [${method} ${path}](${origin}${path}): ${description.summary}`
}

/** A line for each parameter or member of the body; none if the body isn't an object with named members. */
function parameters(route: Route): string[] {
  const schema: { properties?: object; required?: readonly string[] } =
    route.method === 'GET' ? route.input : route.body
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).map(([name, property]: [string, Property]) => {
    const note = required.has(name) && property.default === undefined ? ' (required)' : ''
    const meaning = property.description?.replace(/\s+/g, ' ')
    return `  - \`${name}\`${note}${meaning === undefined ? '' : `: ${meaning}`}`
  })
}

/** A swap from the quote to the relay, made from the document's examples. */
function workedCall(routes: readonly Route[], origin: string): string {
  const described = (path: string) => routes.find((route) => route.path === path)!.description
  const example = (path: string): Example => described(path).examples![WORKED]!
  const [quote, build, relay] = [example('/api/quote'), example('/api/build'), described('/api/solrpc')]
  const query = new URLSearchParams(quote.request as Record<string, string>)
  const { quote: _, ...order } = build.request
  const body = `${JSON.stringify(order).slice(0, -1)},"quote":'"$quote"'}`
  const step = (text: string, command: string, reply: unknown): string =>
    `${text}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`json\n${JSON.stringify(shortened(reply), null, 2)}\n\`\`\``
  const posted = (path: string, json: string): string =>
    `curl -s '${origin}${path}' -H 'Content-Type: application/json' -d '${json}'`
  return [
    '## A worked call\n\nA swap on Solana: quote, build, sign, send. Answers are shortened: a text that ends in `...` is longer, and of a list only the first is shown.',
    step(
      'Ask for a quote:',
      `quote=$(curl -s '${origin}/api/quote?${query}')\nprintf '%s' "$quote"`,
      quote.reply,
    ),
    step(
      'Send the order with the whole quote, byte for byte, to be built:',
      posted('/api/build', body),
      build.reply,
    ),
    step(
      'The wallet decodes `solanaTransaction`, reviews and signs it; send the signed bytes through the relay, whose `result` is the signature. On EVM chains the wallet sends `transactionRequest` itself, after the `approval` where there is one.',
      posted('/api/solrpc', JSON.stringify(relay.bodyExamples!.sendTransaction)),
      { jsonrpc: '2.0', id: 'submit-1', result: '<signature, base58>' },
    ),
  ].join('\n\n')
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : value
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}
