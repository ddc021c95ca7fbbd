/**
 * Builds what the gateway serves to browsers into one module, which programs
 * import as `#pages`: each page and what it loads, compressed, by its path.
 *
 * The module is kept below node_modules/.cache with the hashes of all that it was
 * made of, so that a build and a hundred test processes make it once, and none
 * of them takes one that is out of date.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { generated } from './client/generated.mjs'
import { hashesOf, isSame, read, sha256, write } from './made-of.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/pages')
const DEPENDENCIES = join(CACHE, 'dependencies.json')

/**
 * The pages: where each is served, its HTML, and the program that it runs, which
 * imports the page's style. The style, OPENING and the program's tags stand in the
 * place of ASSETS: a page is drawn as soon as its HTML is there.
 */
const PAGES = [
  { path: '/', folder: 'src/clients/console' },
  // At the root of the admin listener.
  { path: '/operator', folder: 'src/clients/console/operator' },
  { path: '/reference', folder: 'src/clients/console/reference' },
].map(({ path, folder }) => ({ path, html: `${folder}/index.html`, entry: `${folder}/main.tsx` }))
const ASSETS = '<!-- assets -->'
const OPENING = 'src/clients/console/opening.ts'
/** Where scripts are served; a name has its content's hash, and so never changes. */
const FOLDER = '/assets/'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/**
 * @returns {Promise<{ module: string, inputs: string[] }>} the module's file, and the files that it
 *   was made of, from the project's root
 */
export async function pages() {
  // The console imports the client.
  await generated()
  const known = readDependencies()
  if (known !== null && isSame(ROOT, known.inputs)) {
    return { module: join(CACHE, known.module), inputs: Object.keys(known.inputs) }
  }
  const { code, inputs } = await buildPages()
  const module = `pages-${sha256(code)}.mjs`
  mkdirSync(CACHE, { recursive: true })
  write(join(CACHE, module), code)
  write(DEPENDENCIES, JSON.stringify({ module, inputs: hashesOf(ROOT, inputs) }))
  return { module: join(CACHE, module), inputs }
}

/** For a bundler: `#pages` is the module, and a change of a page is a change of the program. */
export const pagesPlugin = {
  name: 'pages',
  setup({ onResolve }) {
    onResolve({ filter: /^#pages$/ }, async () => {
      try {
        const { module, inputs } = await pages()
        return { path: module, watchFiles: inputs.map((path) => join(ROOT, path)) }
      } catch (error) {
        const inputs = Object.keys(readDependencies()?.inputs ?? {})
        return {
          errors: error.errors ?? [{ text: error.message }],
          watchFiles: inputs.map((path) => join(ROOT, path)),
        }
      }
    })
  },
}

async function buildPages() {
  const { transform } = await import('esbuild')
  const files = new Map()
  const inputs = new Set(['scripts/pages.mjs', 'package-lock.json', OPENING])
  for (const { path, html, entry } of PAGES) {
    const { outputFiles, metafile } = await bundle(entry)
    const built = new Map(outputFiles.map((file) => [posix.basename(file.path), file]))
    for (const [name, { contents }] of built) {
      if (name.endsWith('.js')) files.set(FOLDER + name, compress(name, contents))
    }
    const { outputs } = metafile
    const program = Object.keys(outputs).find((name) => Object.hasOwn(outputs[name].inputs, entry))
    const { cssBundle } = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry)
    const style = built.get(cssBundle).text.trimEnd()
    const define = { VIEW_FILES: JSON.stringify(filesOfViews(program, outputs)) }
    const options = { loader: 'ts', format: 'iife', minify: true, define }
    const script = (await transform(readFileSync(join(ROOT, OPENING)), options)).code.trimEnd()
    const assets = `<style>${style}</style>
    <script>${script}</script>
    <script type="module" src="${urlOf(program)}"></script>`
    const page = readFileSync(join(ROOT, html), 'utf8').replace(ASSETS, () => assets)
    const inline = { script: hashInPolicy(script), style: hashInPolicy(style) }
    files.set(path, compress(path, Buffer.from(page), inline))
    for (const input of [...Object.keys(metafile.inputs), html]) inputs.add(input)
  }
  return {
    code: `export const files = ${JSON.stringify(Object.fromEntries(files), null, 1)}\n`,
    inputs: [...inputs].sort(),
  }
}

/**
 * Every module imports the entry, so that esbuild puts all that the entry imports into one file, and not what some
 * views share of it into many: over HTTP/1.1 a browser asks for six at a time.
 */
async function bundle(entry) {
  const { build } = await import('esbuild')
  return build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    inject: [entry],
    outdir: ROOT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    alias: { '#verify': './src/clients/verify/index.ts' },
    loader: { '.txt': 'text' },
    target: ['chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    // What a package says of its licence is in THIRD-PARTY.txt.
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
}

const urlOf = (path) => FOLDER + posix.basename(path)

/** What each view of a program loads beyond the program, by the view's name. */
function filesOfViews(program, outputs) {
  const views = outputs[program].imports.filter(({ kind }) => kind === 'dynamic-import')
  return Object.fromEntries(
    views.map(({ path }) => {
      const files = [path, ...importsOf(outputs[path], outputs)].filter((file) => file !== program)
      return [posix.basename(outputs[path].entryPoint, '.tsx'), files.map(urlOf)]
    }),
  )
}

/** The paths of all that an output imports at once. */
function importsOf(output, outputs, found = new Set()) {
  for (const { kind, path } of output.imports) {
    if (kind !== 'import-statement' || found.has(path)) continue
    importsOf(outputs[path], outputs, found.add(path))
  }
  return [...found]
}

const hashInPolicy = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function compress(path, contents, inline) {
  const type = TYPES[posix.extname(path) || '.html']
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
  }
  const br = brotliCompressSync(contents, { params }).toString('base64')
  return { type, tag: sha256(contents), br, inline }
}

/** @returns null if there are none, or no JSON */
function readDependencies() {
  try {
    return JSON.parse(read(DEPENDENCIES))
  } catch {
    return null
  }
}
