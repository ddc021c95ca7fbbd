/**
 * `swapgate/client` as a package of its own, so that an app that installs it gets
 * one file and its types, and nothing that the service depends on:
 * `node scripts/client/package.mjs [folder]`, into dist/client where none is given.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../esbuild.mjs'
import { generated } from './generated.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const SOURCE = join(ROOT, 'src/clients/client')

/**
 * @param {string} folder  emptied first
 * @returns {Promise<boolean>} false where TypeScript is not installed (`npm ci --omit=dev`): there is no package then
 */
export async function packageClient(folder) {
  const typescript = await import('typescript').catch(() => null)
  if (typescript === null) return false
  await generated()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(SOURCE, 'index.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    // It uses no module of Node's or of browsers.
    platform: 'neutral',
    target: 'es2022',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  })
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  for (const name of sources.filter((name) => name.endsWith('.ts'))) {
    const path = join(folder, name.replace(/\.ts$/, '.d.ts'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, declarations(typescript.default, name))
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(ROOT, 'docs/client.md'), join(folder, 'README.md'))
  return true
}

/**
 * The types of one file, without reading others: each export says its own.
 * @param {import('typescript')} typescript
 * @param {string} fileName  in src/clients/client
 */
function declarations(typescript, fileName) {
  const { outputText, diagnostics = [] } = typescript.transpileDeclaration(
    readFileSync(join(SOURCE, fileName), 'utf8'),
    { fileName, reportDiagnostics: true, compilerOptions: { isolatedDeclarations: true, target: 9 } },
  )
  if (diagnostics.length > 0) throw new Error(typescript.formatDiagnostics(diagnostics, HOST))
  // What is imported stands in files that end otherwise here.
  return outputText.replace(/(from\s+['"]\.\.?\/[\w/]+)\.ts(['"])/g, '$1.js$2')
}

const HOST = {
  getCanonicalFileName: (/** @type {string} */ name) => name,
  getCurrentDirectory: () => SOURCE,
  getNewLine: () => '\n',
}

function manifest() {
  const {
    name,
    version,
    license,
    private: isPrivate,
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return {
    name,
    version,
    description: 'A typed client of the swapgate gateway, for browsers and Node, without dependencies.',
    license,
    private: isPrivate,
    type: 'module',
    sideEffects: false,
    exports: { './client': { types: './index.d.ts', default: './index.js' } },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(ROOT, 'dist/client')
  if (!(await packageClient(folder)))
    console.log('swapgate/client is not built: its types need the dev dependencies')
}
