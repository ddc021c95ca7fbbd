/**
 * The plan of src/: its wings from the bottom to the top, and the rooms of each
 * in the same order. A file imports from its own room and from those before it
 * in this list; test/imports.test.ts holds that, and CONTRIBUTING.md shows it.
 */

/** A folder or a file of a wing, by its path there, and what it is. The longest that fits a file is its room; '' is the rest. */
export type Room = readonly [path: string, purpose: string]

export interface Wing {
  /** A folder of src/; '' are the files beside the folders. */
  readonly path: string
  readonly purpose: string
  readonly rooms: readonly Room[]
}

export const WINGS: readonly Wing[] = [
  {
    path: 'runtime/',
    purpose: 'what every wing may use: errors, clocks, the log, validation',
    rooms: [
      ['version.ts', 'the version'],
      ['nearest.ts', 'suggests the known name nearest to a misspelled one'],
      ['shown.ts', 'how errors repeat what an operator wrote'],
      ['terminal.ts', 'the log for a terminal'],
      ['log.ts', 'JSON lines on stdout'],
      ['clock.ts', 'the two clocks'],
      ['joined.ts', 'what is done once for all that ask while it is done'],
      ['line-bound.ts', 'bounds the log lines of one client'],
      ['made-every.ts', 'what is made at most once in a while, however many ask'],
      ['gathered-bytes.ts', 'bytes that arrive in chunks, however small'],
      ['turn-share.ts', 'bounds what arrives in one turn of the event loop'],
      ['pieces.ts', 'bytes in the pieces that they came in, which are not joined'],
      ['growing.ts', 'caches that grow with what they hold'],
      ['base64.ts', 'strict base64, in browsers too'],
      ['levels.ts', 'the levels of verification'],
      ['timing.ts', 'how a request spent its time'],
      ['thread-cpu-time.ts', 'the processor time that a thread has had'],
      ['event-loop.ts', 'measures how late the event loop is'],
      ['loop-share.ts', 'long work in slices, so that other requests get their turns'],
      ['trace-context.ts', 'W3C Trace Context: the traceparent header'],
      ['cancellation.ts', 'the client that calls are made for, and whether it still waits'],
      ['call.ts', 'what every upstream call carries: client, priority and deadline'],
      ['held-bytes.ts', 'the bytes that are held for each client, and their bounds'],
      ['errors.ts', 'every error code'],
      ['renewed.ts', 'what is read again each hour, and kept where that fails'],
      ['mac.ts', 'message authentication codes (HMAC)'],
      ['cursor.ts', 'cursors of paged lists'],
      ['validate.ts', 'compiles schemas to validators, and words their refusals'],
      ['resources.ts', 'the shapes of requests and answers, as schemas'],
    ],
  },
  {
    path: 'chains/',
    purpose: 'the chains, their addresses and amounts; one file a chain',
    rooms: [
      ['json/', 'JSON-RPC envelopes and numbers, without parsing all of it'],
      ['solana/', 'wire format, signatures, encodings; the console uses it, too'],
      ['', ''],
    ],
  },
  {
    path: 'http/',
    purpose: "one request's life",
    rooms: [
      ['limit/', 'windows and budgets'],
      ['counts/', 'statistics of the service: the funnel, the bake-off'],
      ['request-line.ts', 'the log line of each request'],
      ['', ''],
    ],
  },
  {
    path: 'upstream/',
    purpose: 'one call to one origin: pool, deadline, cancellation, circuit breaker, quota',
    rooms: [
      ['', ''],
      ['shared-answers.ts', 'answers that instances share'],
      ['coalescing.ts', 'request coalescing: equal requests share one answer'],
      ['stale-if-error.ts', 'a cache whose entries stand in for a source that fails'],
      ['source-report.ts', 'the outcome of asking a source, as answers show it'],
      ['nodes/', 'RPC nodes: fail-over, hedging, first acceptance'],
    ],
  },
  {
    path: 'config/',
    purpose: 'environment variables to one frozen Config; one row a provider',
    rooms: [
      ['providers.ts', 'one row a provider: URL, quotas, key, terms'],
      ['', ''],
    ],
  },
  {
    path: 'proof/',
    purpose: 'checks that built material is what was ordered; one file a family of chains',
    rooms: [
      ['', ''],
      ['simulation/', 'checks material by executing it at a node'],
      ['explain/', 'what any transaction does, in words and in data, and its risks'],
    ],
  },
  {
    path: 'providers/',
    purpose: 'one file an upstream: swap/, market/, holdings/, tokens/',
    rooms: [['', '']],
  },
  {
    path: 'relay/',
    purpose: 'POST /api/solrpc: methods, params, submissions, batches, confirmations',
    rooms: [['', '']],
  },
  {
    path: 'swap/',
    purpose: 'orders, races, seals, builds, cross-chain swaps',
    rooms: [['', '']],
  },
  {
    path: 'research/',
    purpose: 'tokens, portfolios, prices, transactions, content',
    rooms: [
      ['content/', "an operator's own content: what can be published, and under which paths"],
      ['universe/', 'known tokens beyond the list'],
      ['logos/', 'pictures of tokens: fetched, read and written anew'],
      ['list/', 'the token list, and its risk filter'],
      ['ticker/', "streams of the list's prices"],
      ['profile/', 'one token, by source'],
      ['portfolio/', 'holdings of addresses, and their value'],
      ['native/', 'prices and charts of native coins'],
      ['prices/', 'prices on which two independent sources agree'],
      ['onchain/', 'the status of one transaction or one approval'],
      ['basket/', 'the deepest tokens of a chain, and splitting an amount over them'],
      ['discover/', 'tokens by name, by address, and the newest'],
      ['swap-options/', 'the options of a swap form'],
    ],
  },
  {
    path: 'sandbox/',
    purpose: 'the simulated world: market/, swap/, evm/, solana/, sui/',
    rooms: [['', '']],
  },
  {
    path: 'routes/',
    purpose: 'one file an endpoint; index.ts is the list',
    rooms: [
      ['groups.ts', 'the groups that the documents list operations in'],
      ['built-pages.d.ts', 'the type of the pages that scripts/pages.mjs builds'],
      ['openapi/', 'GET /openapi.json, from the schemas that validate'],
      ['metrics/', 'GET /metrics, GET /api/diagnostics, and the data of the admin page'],
      ['', ''],
    ],
  },
  {
    path: 'clients/',
    purpose: 'programs that are not the service',
    rooms: [
      ['client/', '`swapgate/client`, a package for apps; it imports nothing of the service'],
      ['verify/', '`swapgate/verify`: the proofs, for wallets that trust no gateway'],
      ['mcp/', '`swapgate-mcp`: tools for agents, over a gateway, with what they sign verified'],
      ['demo.ts', '`npm run demo`'],
      ['console/', 'the page at `/`, for browsers; one folder a view'],
    ],
  },
  {
    path: 'gateway/',
    purpose: 'parts of gateway.ts: upstreams, what routes answer from, the HTTP service, the listeners',
    rooms: [
      ['redis/', 'what instances share through Redis'],
      ['', ''],
    ],
  },
  {
    path: '',
    purpose: '',
    rooms: [
      ['gateway.ts', 'the composition root, by plain arguments'],
      ['main.ts', 'reads the configuration, starts the gateway, stops it on a signal'],
    ],
  },
]

/** The list from the top to the bottom, as a tree. */
export function plan(): string {
  const rows = WINGS.toReversed().flatMap(({ path, purpose, rooms }) => [
    ...(path === '' ? [] : [[path, purpose] as const]),
    ...rooms
      .toReversed()
      .filter(([room]) => room !== '')
      .map(([room, what]) => [`${path === '' ? '' : '  '}${room}`, what] as const),
  ])
  const width = Math.max(...rows.map(([name]) => name.length))
  return ['```', ...rows.map(([name, what]) => `${name.padEnd(width)}  ${what}`), '```'].join('\n')
}
