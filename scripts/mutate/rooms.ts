/** The rooms whose mutants have to be noticed, and the tests that count for each. */
export interface Room {
  readonly name: string
  /** Folders of src/. */
  readonly source: string
  /** Folders and files of test/: the room's own, and those of its neighbours that drive it. */
  readonly tests: readonly string[]
}

export const ROOMS: readonly Room[] = [
  {
    name: 'solana',
    source: 'chains/solana',
    tests: ['chains/solana', 'relay/submissions/blockhashes.test.ts', 'routes/solrpc.test.ts'],
  },
  { name: 'json', source: 'chains/json', tests: ['chains/json', 'relay/reads/reads.test.ts'] },
  {
    name: 'relay',
    source: 'relay',
    tests: ['relay', 'routes/solrpc.test.ts', 'routes/submissions.test.ts', 'routes/subscriptions.test.ts'],
  },
  {
    name: 'limit',
    source: 'http/limit',
    tests: ['http/limit', 'http/server.test.ts', 'http/refused.test.ts'],
  },
  { name: 'proof', source: 'proof', tests: ['proof'] },
  {
    name: 'quotes',
    source: 'swap',
    tests: ['swap', 'routes/swaps.test.ts', 'routes/v2quote.test.ts', 'routes/honest-orders.test.ts'],
  },
  { name: 'upstream', source: 'upstream', tests: ['upstream'] },
  { name: 'redis', source: 'gateway/redis', tests: ['gateway/redis', 'long/gateway/redis'] },
]
