/** The hooks of ts-loader.mjs; they run on the thread that Node keeps for hooks. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/ts-loader')
const ESBUILD = JSON.parse(readFileSync(join(ROOT, 'node_modules/esbuild/package.json'), 'utf8')).version
/** As tsconfig.json has it: an import that is not `import type` stays, whether its names are used or not. */
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { target: 'es2023', verbatimModuleSyntax: true } },
}
const SALT = ESBUILD + JSON.stringify(OPTIONS)

mkdirSync(CACHE, { recursive: true })

/**
 * Hands the JavaScript on as the source that it "read", and does not answer itself:
 * the hooks below this one (tap's coverage) must see the text that is run.
 */
export async function load(url, context, nextLoad) {
  const [file] = url.split('?')
  if (!file.startsWith('file:') || !file.endsWith('.ts')) return nextLoad(url, context)
  const source = await compile(fileURLToPath(file))
  return nextLoad(url, { ...context, format: 'module', source })
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
    // Renamed into place: two test processes may compile the same file at once.
    const partial = `${cached}.${process.pid}`
    writeFileSync(partial, code)
    renameSync(partial, cached)
    return code
  }
}
