/** What the parser is made of: it runs in the service, in the console and in wallets, so it is small and imports nothing. */

import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PARSER = ['cursor.ts', 'locks.ts', 'sizes.ts', 'wire-v1.ts', 'wire.ts'].map(
  (name) => `src/chains/solana/${name}`,
)
/** Minified. */
const MAX_BYTES = 6_600
/** What a module can reach without an import. Typed arrays and numbers are all that it needs. */
const AROUND =
  /\b(?:process|Buffer|globalThis|require|fetch|console|performance|crypto|setTimeout|Date|eval|import)\b/

const bundle = (entry: string, options: BuildOptions = {}) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    ...options,
  })

t.test('it is five files that import nothing else, and small', async (t) => {
  const { metafile, outputFiles } = await bundle('src/chains/solana/wire.ts')
  t.same(Object.keys(metafile!.inputs).sort(), PARSER)
  t.same(
    Object.values(metafile!.outputs).flatMap(({ imports }) => imports),
    [],
  )
  const { text } = outputFiles![0]!
  t.ok(text.length <= MAX_BYTES, `${text.length} bytes`)
  t.notMatch(text, AROUND)
})

t.test('the module for wallets and the console have the same files', async (t) => {
  const verify = await bundle('src/clients/verify/index.ts', {
    external: ['node:fs', 'node:buffer'],
    mainFields: ['module', 'main'],
    conditions: ['browser', 'import'],
  })
  const { pages } = await import(new URL('../../../scripts/pages.mjs', import.meta.url).href)
  const { inputs } = (await pages()) as { inputs: string[] }
  for (const [where, files] of [
    ['verify', Object.keys(verify.metafile!.inputs)],
    ['console', inputs],
  ] as const) {
    t.same(
      PARSER.filter((file) => !files.includes(file)),
      [],
      where,
    )
    t.same(
      files.filter((file) => /(?:^|\/)(?:wire|transaction-view|short-vec)/.test(file)),
      ['src/chains/solana/wire-v1.ts', 'src/chains/solana/wire.ts'].filter((file) => files.includes(file)),
      `${where} has no other parser`,
    )
  }
})
