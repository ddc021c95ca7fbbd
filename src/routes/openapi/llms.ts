/**
 * The routes as a page for language models: a title, a summary, a worked call, and lists of links with a line
 * each, below it the operation's parameters.
 *
 * Source: llmstxt.org
 */
import type { Example, Route, RouteDescription } from '../../http/route.ts'
import { COMMUNITY } from '../groups.ts'
import texts from './llms-texts.json' with { type: 'json' }

/** What may be left out if there is little room (llmstxt.org). */
const OPTIONAL = 'Optional'

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
  const lists = [...sections].map(([name, lines]) => `## ${name}\n\n${lines.join('\n')}`)
  return `${[texts.introduction, workedCall(routes, origin), ...lists].join('\n\n')}\n`
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
    texts.worked,
    step(texts.quote, `quote=$(curl -s '${origin}/api/quote?${query}')\nprintf '%s' "$quote"`, quote.reply),
    step(texts.build, posted('/api/build', body), build.reply),
    step(texts.relay, posted('/api/solrpc', JSON.stringify(relay.requests!.sendTransaction!.value)), {
      jsonrpc: '2.0',
      id: 'submit-1',
      result: '<signature, base58>',
    }),
  ].join('\n\n')
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : value
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}
