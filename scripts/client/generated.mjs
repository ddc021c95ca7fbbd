/**
 * The parts of `@swapgate/client` that the build writes from the routes and the
 * error codes, into src/clients/client/generated/, which Git ignores.
 *
 * The folder also keeps the hashes of all that the files were made of. The build,
 * the pages, `npm run typecheck` and each test that imports the client call
 * `generated` first, so none of them takes a file that is out of date. Where
 * nothing changed, that takes 10 ms.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hashesOf, isSame, read, sha256, write } from '../made-of.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GENERATED = join(ROOT, 'src/clients/client/generated')
const GENERATOR = 'scripts/client/generator.ts'
/** Below node_modules, where the bundle finds the packages. */
const CACHE = join(ROOT, 'node_modules/.cache/client')
/** What the generator takes from packages changes with their versions. */
const LOCK = 'package-lock.json'
const RECORD = 'made-of.json'

/**
 * Writes what is not up to date.
 * @param {string} folder
 * @returns {Promise<string[]>} the names of the files that were written; a file whose text is the same is left alone
 * @throws {Error} where the routes do not compile
 */
export async function generated(folder = GENERATED) {
  if (isFresh(folder)) return []
  const { files, inputs } = await generate()
  const written = [...files].filter(([name, text]) => text !== read(join(folder, name)))
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of written) write(join(folder, name), text)
  const made = { inputs: hashesOf(ROOT, inputs), files: hashesOf(folder, [...files.keys()]) }
  write(join(folder, RECORD), JSON.stringify(made, null, 1))
  return written.map(([name]) => name)
}

function isFresh(folder) {
  const text = read(join(folder, RECORD))
  if (text === null) return false
  const { inputs, files } = JSON.parse(text)
  return isSame(ROOT, inputs) && isSame(folder, files)
}

/** The generator is bundled, which needs no dev dependency, and runs in this process. */
async function generate() {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [GENERATOR],
    outdir: ROOT,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    metafile: true,
    logLevel: 'warning',
  })
  const [{ text }] = outputFiles
  mkdirSync(CACHE, { recursive: true })
  // A name of its own: a process that runs for long may generate twice, and Node loads a module once.
  const module = join(CACHE, `generator-${sha256(text)}.${process.pid}.mjs`)
  writeFileSync(module, text)
  try {
    const { generate } = await import(pathToFileURL(module).href)
    const inputs = [...Object.keys(metafile.inputs), LOCK, 'scripts/client/generated.mjs'].sort()
    return { files: generate(), inputs }
  } finally {
    rmSync(module)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generated()
