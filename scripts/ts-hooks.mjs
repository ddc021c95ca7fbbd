/** The hooks of ts-loader.mjs; they run on the thread that Node keeps for hooks. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { write } from './made-of.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const CACHE = join(MODULES, '.cache/ts-loader')
/** As tsconfig.json has it: an import that is not `import type` stays, whether its names are used or not. */
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { target: 'es2023', verbatimModuleSyntax: true } },
}
/**
 * Files that are imported as data. Node 20 loads JSON with a warning only, and wants an attribute at the import that
 * esbuild leaves out for it.
 */
const DATA = /\.(json|lua|tsv)$/
const OWN = /^\.\.?\/.*\.ts$/
const ESBUILD = JSON.parse(readFileSync(join(MODULES, 'esbuild/package.json'), 'utf8')).version
const SALT = ESBUILD + JSON.stringify(OPTIONS)

let building = null
let generating = null

mkdirSync(CACHE, { recursive: true })

export async function resolve(specifier, context, nextResolve) {
  if (specifier === '#pages') return { url: pathToFileURL(await modulePath()).href, shortCircuit: true }
  if (/\/generated\/\w+\.ts$/.test(specifier)) await (generating ??= generated())
  // Our own files name each other as they are: to look for them as Node does takes as long as all else here.
  if (OWN.test(specifier) && context.parentURL?.startsWith('file:') && !context.parentURL.includes('?')) {
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
  }
  return nextResolve(specifier, context)
}

/**
 * Hands the JavaScript on as the source that it "read", and does not answer itself:
 * the hooks below this one (tap's coverage) must see the text that is run.
 */
export async function load(url, context, nextLoad) {
  const [file] = url.split('?')
  if (!file.startsWith('file:')) return nextLoad(url, context)
  if (DATA.test(file)) {
    const source = `export default ${dataOf(fileURLToPath(file))}`
    return { format: 'module', source, shortCircuit: true }
  }
  if (!file.endsWith('.ts')) return nextLoad(url, context)
  const source = await compile(fileURLToPath(file))
  return nextLoad(url, { ...context, format: 'module', source })
}

/** @returns JSON as it is, and a table as a string: both are expressions of JavaScript */
function dataOf(path) {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.json') ? text : JSON.stringify(text)
}

async function compile(path) {
  const text = readFileSync(path)
  const key = createHash('sha256').update(SALT).update(path).update('\0').update(text).digest('hex')
  const cached = join(CACHE, `${key}.mjs`)
  try {
    return readFileSync(cached, 'utf8')
  } catch {
    const { transform } = await import('esbuild')
    const { code } = await transform(text.toString(), { ...OPTIONS, sourcefile: path })
    write(cached, code)
    return code
  }
}

/** Where the pages for browsers are built; a process that starts two gateways builds them once. */
async function modulePath() {
  const { pages } = await import('./pages.mjs')
  return (await (building ??= pages())).module
}

/** The client's generated files follow the routes; a process looks at them once. */
async function generated() {
  const client = await import('./client/generated.mjs')
  await client.generated()
}
