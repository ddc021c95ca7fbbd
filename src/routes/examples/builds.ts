/** The examples of POST /api/build: each was built from the quote of the same name. Source: §4.6 */
import type { Example } from '../../http/route.ts'
import built from './build.json' with { type: 'json' }
import quoted from './quote.json' with { type: 'json' }

type Name = keyof typeof built.replies & keyof typeof quoted.examples

const exampleOf = (name: Name): Example => {
  const { request, reply } = quoted.examples[name]
  return { request: { ...request, quote: reply }, reply: built.replies[name] }
}

export const BUILDS: Readonly<Record<string, Example>> = Object.fromEntries(
  (Object.keys(built.replies) as Name[]).map((name) => [name, exampleOf(name)]),
)
