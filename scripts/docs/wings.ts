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
    rooms: [['', '']],
  },
  {
    path: 'flow/',
    purpose: 'what flows through a request: its call, cancellation, held bytes, its share of the event loop',
    rooms: [['', '']],
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
      ['request/', 'head, body, query, and the exchange that they make'],
      ['client/', 'whose request it is, behind proxies and by origin'],
      ['reply/', 'what is sent: replies, representations, events, streams'],
      ['overload/', 'load shedding'],
      ['connections/', 'sockets and their bounds'],
      ['', ''],
    ],
  },
  {
    path: 'upstream/',
    purpose: 'one call to one origin: pool, deadline, cancellation, circuit breaker, quota',
    rooms: [
      ['admission/', 'when a call may begin: quotas, cool-downs, concurrency, the circuit breaker'],
      ['', ''],
      ['answers/', 'answers that callers share: coalescing, stale if error, between instances'],
      ['nodes/', 'RPC nodes by family: fail-over, hedging, first acceptance'],
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
    purpose: 'checks that built material is what was ordered; one room a family of chains',
    rooms: [
      ['strict-reader.ts', 'reads bytes that have to be read whole'],
      ['cross-chain/lifi/ids.ts', "LI.FI's names of chains and contracts"],
      ['cross-chain/lifi/periphery.ts', "the fee contracts that LI.FI's registry names"],
      ['terms/', 'the order, the material, what may be taken, what a check says'],
      ['evm/', ''],
      ['solana/', ''],
      ['cross-chain/lifi/', 'calls of the cross-chain provider on EVM chains'],
      ['cross-chain/bridges/', 'the programs of bridges on Solana'],
      ['sui/', ''],
      ['ton/', ''],
      ['cross-chain/', ''],
      ['simulation/', 'checks material by executing it at a node'],
      ['', ''],
    ],
  },
  {
    path: 'explain/',
    purpose: 'what any transaction does, in words and in data, and its risks; it says, it does not prove',
    rooms: [
      ['', 'what the families share: findings, the ledger, risks, the summary'],
      ['evm/', ''],
      ['solana/', ''],
      ['sui/', ''],
      ['ton/', ''],
      ['explain.ts', 'reads a transaction of any family'],
      ['node.ts', 'asks nodes for what the transaction alone does not say'],
    ],
  },
  {
    path: 'providers/',
    purpose: 'one file an upstream: swap/, market/, holdings/, tokens/',
    rooms: [['', '']],
  },
  {
    path: 'relay/',
    purpose: 'POST /api/solrpc',
    rooms: [
      ['methods/', 'which methods pass, and their parameters'],
      ['reads/', 'reads, and what is polled for all: statuses, accounts, slots'],
      ['submissions/', 'signed transactions: checks, repetition, receipts'],
      ['subscriptions/', 'the WebSocket endpoint'],
      ['', ''],
    ],
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
      ['examples/', 'recorded requests and replies, for the documents'],
      ['built-pages.d.ts', 'the type of the pages that scripts/pages.mjs builds'],
      ['openapi/', 'GET /openapi.json, from the schemas that validate'],
      ['metrics/', 'GET /metrics, GET /api/diagnostics, and the data of the admin page'],
      ['swap/', ''],
      ['research/', ''],
      ['relay/', ''],
      ['service/', ''],
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
