import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const ROOT = new URL('../../src/', import.meta.url)

/** What a replay could not give again, by the files that may read it themselves: each says why it may. */
const SOURCES: readonly (readonly [what: RegExp, files: readonly string[]])[] = [
  [/\bDate\.now\(|\bnew Date\(\)/, ['runtime/clock.ts']],
  [
    /\bperformance\.now\(|\bprocess\.hrtime\b/,
    // They measure the thread itself.
    ['runtime/clock.ts', 'flow/event-loop.ts', 'gateway/threads/since.ts', 'routes/metrics/process.ts'],
  ],
  // A recording has what GET /api/health and GET /api/diagnostics make of it.
  [/\bprocess\.uptime\(/, ['gateway.ts', 'routes/metrics/diagnostics.ts']],
  [
    /\bMath\.random\(/,
    // The first is recorded; no other is in a reply that is.
    ['http/pipeline.ts', 'http/reply/streams.ts', 'research/ticker/ticker.ts', 'gateway/redis/store.ts'],
  ],
  [
    /\brandom(Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/,
    // Keys and names, of which recordings have only what was made with them.
    [
      'runtime/mac.ts',
      'flow/trace-context.ts',
      'http/client/names.ts',
      'http/limit/client-ring.ts',
      'gateway.ts',
      'gateway/redis/instances.ts',
      'gateway/redis/submissions.ts',
      'gateway/threads/primary.ts',
    ],
  ],
  [/^import (?!type\b)[^\n]* from 'undici/m, ['upstream/upstream.ts']],
  [
    /(?<![#.\w])fetch\(|\bhttps?\.request\(|\bfrom 'node:(https|tls|dns)/,
    ['upstream/tunnel.ts', 'upstream/public-addresses.ts', 'upstream/public-files.ts'],
  ],
]

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.ts$/.test(name) && !/^(clients|sandbox)\//.test(name))

/** Without comments. */
const codeOf = (file: string): string =>
  readFileSync(new URL(file, ROOT), 'utf8').replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '')

t.test('time, randomness and the network have one source each, which a recording has', async (t) => {
  t.ok(files.length > 500)
  for (const [what, may] of SOURCES) {
    const found = files.filter((file) => what.test(codeOf(file)))
    t.same(found.sort(), [...may].sort(), String(what))
  }
})
