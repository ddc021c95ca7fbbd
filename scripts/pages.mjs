/**
 * Builds what the gateway serves to browsers into one module, which programs
 * import as `#pages`: each page and what it loads, compressed, by its path.
 *
 * The module is kept below node_modules/.cache with the hashes of all that it was
 * made of, so that a build and a hundred test processes make it once, and none
 * of them takes one that is out of date.
 */
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
 * imports the page's style. The tags of both stand in the place of ASSETS.
 */
const PAGES = [
  { path: '/', folder: 'src/clients/console' },
  // At the root of the admin listener.
  { path: '/operator', folder: 'src/clients/console/operator' },
  { path: '/reference', folder: 'src/clients/console/reference' },
].map(({ path, folder }) => ({ path, html: `${folder}/index.html`, entry: `${folder}/main.tsx` }))
const ASSETS = '<!-- assets -->'
/** Where scripts and styles are served; a name has its content's hash, and so never changes. */
const FOLDER = '/assets/'

const TYPES = {
  '.css': 'text/css; charset=utf-8',
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
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: PAGES.map(({ entry, path }) => ({
      in: entry,
      out: path === '/' ? 'console' : path.slice(1),
    })),
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
  const files = outputFiles.map(({ path, contents }) => [FOLDER + posix.basename(path), contents])
  for (const { path, html, entry } of PAGES)
    files.push([path, Buffer.from(withAssets(html, entry, metafile))])
  const sources = ['scripts/pages.mjs', 'package-lock.json']
  return {
    code: `export const files = ${JSON.stringify(Object.fromEntries(files.map(compress)), null, 1)}\n`,
    inputs: [...Object.keys(metafile.inputs), ...PAGES.map(({ html }) => html), ...sources].sort(),
  }
}

/** The HTML with the tags of its style and its program, and hints to what that imports. */
function withAssets(html, entry, { outputs }) {
  const [name, output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  const urlOf = (path) => FOLDER + posix.basename(path)
  const imported = new Set()
  const follow = ({ imports }) => {
    for (const { kind, path } of imports) {
      if (kind !== 'import-statement' || imported.has(path)) continue
      imported.add(path)
      follow(outputs[path])
    }
  }
  follow(output)
  const tags = [
    ...(output.cssBundle ? [`<link rel="stylesheet" href="${urlOf(output.cssBundle)}">`] : []),
    ...[...imported].map((path) => `<link rel="modulepreload" href="${urlOf(path)}">`),
    `<script type="module" src="${urlOf(name)}"></script>`,
  ]
  return readFileSync(join(ROOT, html), 'utf8').replace(ASSETS, tags.join('\n    '))
}

function compress([path, contents]) {
  const type = TYPES[posix.extname(path) || '.html']
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
  }
  const br = brotliCompressSync(contents, { params }).toString('base64')
  return [path, { type, tag: sha256(contents), br }]
}

/** @returns null if there are none, or no JSON */
function readDependencies() {
  try {
    return JSON.parse(read(DEPENDENCIES))
  } catch {
    return null
  }
}
