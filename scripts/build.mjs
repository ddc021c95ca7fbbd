/**
 * Bundles the programs: `node scripts/build.mjs [--bench | --image] [folder]`, into
 * dist/ where no folder is given, with the licences of what they hold of others.
 * `npm ci` runs it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'
import { CODE_CACHE, WRITE_CODE_CACHE, writeCodeCache } from './code-cache.mjs'
import { notices } from './notices.mjs'
import { pages, pagesPlugin } from './pages.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const PROGRAMS = ['main', 'sandbox/demo', 'sandbox/main', 'research/onchain/truth', 'replay']

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  loader: { '.lua': 'text', '.tsv': 'text' },
  plugins: [pagesPlugin],
}

/** @param {string} outdir */
export const programs = (outdir) => ({
  ...COMMON,
  entryPoints: PROGRAMS.map((name) => `src/${name}.ts`),
  outdir,
  splitting: true,
  // Read where the process runs with --enable-source-maps, as `npm start` does.
  sourcemap: true,
  // A log's stack traces name the sources, and the maps need no copy of them.
  sourcesContent: false,
  // Names stay: they are what a stack trace without source maps has.
  minifyWhitespace: true,
  minifySyntax: true,
  // What a file says of its own licence stays, beside the packages' in THIRD-PARTY.txt.
  legalComments: 'eof',
  // Native modules, and what only the demo and the sandbox load: the peers of the package.
  external: ['litesvm', '@solana/web3.js', 'bufferutil', 'utf-8-validate'],
  // What is bundled from CommonJS asks for Node's modules by require.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
})

/** Parts of the container's program that not every instance needs, and none when it starts: by the names that they are imported by. */
const PARTS = ['#pages', '@redis/client']

/** What all of the container's program is built by. */
const IN_CONTAINER = {
  ...programs('.'),
  format: 'cjs',
  splitting: false,
  banner: {},
  sourcemap: false,
  legalComments: 'none',
  metafile: true,
  write: false,
  // A part is asked for by `require`, which finds it in the same file.
  supported: { 'dynamic-import': false },
}

/** What a container runs: the service as one program, without the sandbox, which is for machines of developers. */
const SERVICE = {
  ...IN_CONTAINER,
  entryPoints: { swapgate: 'src/main.ts' },
  plugins: [withoutSandbox()],
  external: [...IN_CONTAINER.external, ...PARTS],
}

/** @param {string} name */
const part = (name) => ({
  ...IN_CONTAINER,
  entryPoints: undefined,
  outdir: undefined,
  stdin: { contents: `export * from '${name}'`, resolveDir: ROOT },
})

function withoutSandbox() {
  const contents = `
    export const SAMPLE = {}
    export async function startSandbox() {
      throw new Error('The container has no sandbox; npm start of a checkout has one.')
    }`
  return {
    name: 'without-sandbox',
    setup({ onResolve, onLoad }) {
      const namespace = 'sandbox'
      onResolve({ filter: /^\.\/sandbox\/(index|content)\.ts$/ }, ({ path }) => ({ path, namespace }))
      onLoad({ filter: /./, namespace }, () => ({ contents }))
    },
  }
}

/**
 * What unpacks a program when it is started, which beside it is in Brotli, so that it is small with all names
 * kept, which a stack trace in a log is read by. Its parts are unpacked when they are asked for.
 * @param {[name: string, bytes: Uint8Array][]} texts  CommonJS, ASCII: the program, without a name, and its parts
 */
function loader(texts) {
  const rows = texts.map(([name, { length }]) => `  '${name}': ['${archiveOf(name)}', ${length}],`)
  return `// swapgate, Apache-2.0. The packages that it holds have their licences in THIRD-PARTY.txt.
const { createHash } = require('node:crypto')
const { readFileSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')
const { brotliDecompressSync } = require('node:zlib')
const parts = {
${rows.join('\n')}
}
function run(name, [file, chunkSize], module, cachedData) {
  const source = brotliDecompressSync(readFileSync(__dirname + '/' + file), { chunkSize }).toString('latin1')
  const script = new Script(source, { filename: name + '.js', cachedData })
  script.runInThisContext()(requireHere, module, module.exports)
  return script
}
function requireHere(name) {
  if (!Object.hasOwn(parts, name)) return require(name)
  if (Array.isArray(parts[name])) {
    const module = { exports: {} }
    run(name, parts[name], module)
    parts[name] = module.exports
  }
  return parts[name]
}
// V8's code cache, which scripts/code-cache.mjs writes: of this very program, by this very Node.js, or none.
const cacheFile = __dirname + '/${CODE_CACHE}'
const mark = Buffer.from('${createHash('sha256').update(texts[0][1]).digest('hex')} ' + process.version + ' ' + process.arch + '\\n')
function readCache() {
  try {
    const bytes = readFileSync(cacheFile)
    const end = bytes.length - mark.length - 32
    // First in the file, because V8 copies what is not aligned.
    const cache = bytes.subarray(0, end)
    const isOurs = bytes.subarray(end + 32).equals(mark)
    return isOurs && createHash('sha256').update(cache).digest().equals(bytes.subarray(end, end + 32)) ? cache : undefined
  } catch {
    return undefined
  }
}
const isToWrite = process.env.${WRITE_CODE_CACHE} === '1'
const script = run('swapgate', parts[''], module, isToWrite ? undefined : readCache())
if (isToWrite) {
  // After a start, so that it has the functions that a start calls.
  process.once('exit', () => {
    const cache = script.createCachedData()
    writeFileSync(cacheFile, Buffer.concat([cache, createHash('sha256').update(cache).digest(), mark]))
  })
}
`
}

/** @param {string} name  of a part; '' is the program */
const archiveOf = (name) => `swapgate${name.replace(/\W+/g, '-')}.br`

/** @param {Uint8Array} program */
function compressed(program) {
  const params = {
    // The highest, 11, takes two and a half times as long, for a hundredth of the file.
    [constants.BROTLI_PARAM_QUALITY]: 10,
    // No larger than the program: it is memory that unpacking takes.
    [constants.BROTLI_PARAM_LGWIN]: Math.min(24, Math.ceil(Math.log2(program.length))),
    [constants.BROTLI_PARAM_SIZE_HINT]: program.length,
  }
  return brotliCompressSync(program, { params })
}

/** @param {string[]} names  programs of bench/ @param {string} outdir */
const benches = (names, outdir) => ({
  ...COMMON,
  entryPoints: names.map((name) => `bench/${name}.ts`),
  outdir,
  packages: 'external',
})

/** The files that the programs are made of, from the project's root. */
export async function inputs() {
  return inputsOf([await build({ ...programs('unwritten'), metafile: true, write: false })])
}

/** The files that outputs are made of, and those of the pages. @param {import('esbuild').BuildResult[]} outputs */
async function inputsOf(outputs) {
  const inputs = outputs.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs)),
  )
  return [...inputs, ...(await pages()).inputs]
}

/** Writes the programs, or the container's, with the notices of what they hold. @param {string} outdir */
async function write(outdir, isImage) {
  // Chunks are named by their content: a former build's would stay for ever.
  rmSync(outdir, { recursive: true, force: true })
  const outputs = await build(isImage ? SERVICE : { ...programs(outdir), metafile: true })
  const parts = isImage ? await Promise.all(PARTS.map((name) => build(part(name)))) : []
  mkdirSync(outdir, { recursive: true })
  writeFileSync(join(outdir, 'THIRD-PARTY.txt'), notices(await inputsOf([outputs, ...parts]), ROOT))
  if (!isImage) return
  // Wrapped here, so that no start copies it.
  const wrapped = ({ text }) => Buffer.from(`(function (require, module, exports) {${text}\n})`, 'latin1')
  const texts = [outputs, ...parts].map(({ outputFiles }, i) => [['', ...PARTS][i], wrapped(outputFiles[0])])
  writeFileSync(join(outdir, 'swapgate.cjs'), loader(texts))
  for (const [name, bytes] of texts) writeFileSync(join(outdir, archiveOf(name)), compressed(bytes))
  await writeCodeCache(outdir)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { bench: { type: 'boolean' }, image: { type: 'boolean' } },
    allowPositionals: true,
  })
  const outdir = positionals[0] ?? join(ROOT, 'dist')
  await write(outdir, values.image)
  if (values.bench) {
    await write(join(outdir, 'image'), true)
    await build(benches(['main', 'siege', 'attacker', 'soak'], join(outdir, 'bench')))
    // In chunks, because each of its modes loads only what it needs.
    await build({ ...benches(['serve'], join(outdir, 'bench')), splitting: true })
  }
}
