/**
 * The routes as a page for language models: a title, a summary, and lists of links
 * with a line each.
 *
 * Source: llmstxt.org
 */
import type { Route, RouteDescription } from '../../http/route.ts'
import { COMMUNITY } from '../groups.ts'

/** What may be left out where there is little room (llmstxt.org). */
const OPTIONAL = 'Optional'

const INTRODUCTION = `# swapgate

> A gateway between a wallet, bot or dapp and the chains: swap quotes, unsigned transactions, cross-chain routes, token research, portfolios, and a Solana JSON-RPC relay that lets only valid, signed transactions through. It holds no keys and signs nothing.

Bodies are JSON. Nobody is authenticated; a client is its address, and has a budget of requests for each minute: a 429 says by Retry-After when to ask again. Errors are {"error", "scope", "code"}, of which \`code\` is stable. What POST /api/build answers is unsigned: the caller's wallet reviews and signs it. The first list is specified; the others are unverified and may change.`

/** @param origin  of the service, without a slash at its end */
export function describeForModels(routes: readonly Route[], origin: string): string {
  const sections = new Map<string, string[]>([['Endpoints', []]])
  for (const route of routes) {
    const name = sectionOf(route.description)
    sections.set(name, [...(sections.get(name) ?? []), line(route, origin)])
  }
  // The section that may be left out is the last one.
  const optional = sections.get(OPTIONAL)
  if (sections.delete(OPTIONAL)) sections.set(OPTIONAL, optional!)
  const texts = [...sections].map(([name, lines]) => `## ${name}\n\n${lines.join('\n')}`)
  return `${[INTRODUCTION, ...texts].join('\n\n')}\n`
}

function sectionOf({ stability, group }: RouteDescription): string {
  if (stability === undefined) return 'Endpoints'
  return group === COMMUNITY ? OPTIONAL : group.summary
}

function line({ method, path, description }: Route, origin: string): string {
  return `- [${method} ${path}](${origin}${path}): ${description.summary}`
}
