/** The rooms of src/ from the top to the bottom, as test/imports.test.ts orders them, each with what it is. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

const PURPOSES: Readonly<Record<string, string>> = {
  'console/': 'the page at `/`: a program for browsers, with its views, one folder each',
  'demo.ts': '`npm run demo`: a client, which shares nothing with the service',
  'main.ts': 'reads the configuration, starts the gateway, stops it on a signal',
  'gateway.ts': 'where all of it is put together, by plain arguments',
  'gateway/': 'parts of that: the listeners, what is noted of replies, and research',
  'redis/': 'what instances share: the connection, and what is kept there',
  'routes/': 'one file an endpoint, with its examples; index.ts is the list',
  'diagnostics.ts': 'GET /api/diagnostics: what it tells, and what it does not',
  'metrics/': "the admin listener: GET /metrics, and what the operator's page asks",
  'openapi.ts': 'GET /openapi.json, from the schemas that validate',
  'pages.d.ts': 'the type of what scripts/pages.mjs builds for browsers',
  'openapi/': 'parts of that: responses, headers, schemas',
  'sandbox/': 'the simulated world: market/, swap/, theft/, evm/, solana/',
  'discover/': 'tokens by their names, by an address, and as they come',
  'native/': 'what native coins cost, and their charts',
  'onchain/': 'what became of one transaction, or of one approval',
  'swap-options/': 'what a swap form needs when it opens',
  'basket/': 'the deepest tokens of a chain, and an amount split over them',
  'portfolio/': 'what addresses hold, and what it is worth',
  'profile/': 'one token, by source',
  'ticker/': "the list's prices as they change, for all who listen",
  'list/': 'the token list, and its risk gate',
  'quotes/': 'orders, races, seals, builds, crossings',
  'universe/': 'which tokens there are, beyond those of the list',
  'providers/': 'one file an upstream: swap/, market/, holdings/, tokens/',
  'simulation/': 'what executing material at a node shows',
  'proof/': 'is built material what was asked for: one file a family of chains',
  'relay/': 'POST /api/solrpc: methods, params, submissions, batches',
  'content/': "an operator's own content: what can be published, and where it is answered",
  'config/': 'environment variables to one frozen Config',
  'providers/directory.ts': 'one row a provider: URL, quotas, key, terms',
  'nodes/': 'RPC nodes: Solana, EVM; fail-over, first acceptance',
  'http/': "one request's life; client/ is who is asking",
  'source-report.ts': 'what became of a source that was asked',
  'kept-answers.ts': 'answers of sources, and those of before where one fails',
  'counts/': 'what the service counts of itself: the funnel, the bake-off',
  'flights.ts': 'requests that mean the same share one answer',
  'peers.ts': 'answers that instances share, as those see it who ask',
  'upstream/': 'one call to one origin: pool, deadline, cancel, breaker, quota',
  'chains/': 'the chains, their addresses and amounts',
  'solana/': 'a library of bytes: wire format, signatures, encodings; the console reads by it, too',
  'resources.ts': 'the shapes of requests and answers, as schemas',
  'validate.ts': 'schemas to validators, and their refusals to sentences',
  'limit/': 'a window, and the budgets',
  'json/': 'JSON-RPC envelopes and numbers, without parsing all of it',
  'cursor.ts': 'pages of a list, and where one was left off',
  'mac.ts': 'is what came back what went out',
  'errors.ts': 'every error code',
  'loop-share.ts': 'long work in pieces, which leave others their turns',
  'event-loop.ts': 'how late the event loop is',
  'timing.ts': 'what a request spent its time on',
  'clock.ts': 'the two clocks',
  'nearest.ts': 'the known name that was probably meant',
  'terminal.ts': 'the log, for people',
  'log.ts': 'JSON lines on stdout',
  'request-line.ts': 'the line of each request, in the same form',
  'version.ts': 'the version',
  'client/': '`swapgate/client`, which others install; it shares nothing with the service',
}

/** @throws Error  where a room has no purpose here */
export function rooms(): string {
  const source = readFileSync(join(ROOT, 'test/imports.test.ts'), 'utf8')
  const list = /^const ROOMS = \[([\s\S]*?)^\]/m.exec(source)![1]!
  const names = [...list.matchAll(/^ {2}'(.+)',$/gm)].map(([, name]) => name!).reverse()
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const purpose = PURPOSES[name]
    if (purpose === undefined) throw new Error(`scripts/docs/rooms.ts: say what ${name} is.`)
    return `${name.padEnd(width)}  ${purpose}`
  })
  return ['```', ...lines, '```'].join('\n')
}
