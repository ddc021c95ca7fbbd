/**
 * `@swapgate/client` as a package, with the bundles and the types of the client and of `@swapgate/client/verify`:
 * `node scripts/client/package.mjs [folder]`, into dist/client where none is given.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import typescript from 'typescript'
import { notices } from '../notices.mjs'
import { COPY, ownCopyPlugin } from '../own-copy.mjs'
import { generated } from './generated.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const SOURCE = join(ROOT, 'src/clients/client')
const VERIFY = join(ROOT, 'src/clients/verify')
const EXPLAIN = join(ROOT, 'src/explain')
/** The files of its types: they name nothing of the service. */
const VERIFY_TYPES = ['index.ts', 'types.ts', 'verify.ts']
const SWAP = join(ROOT, 'src/clients/swap')

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  // They use no module of Node's or of browsers.
  platform: 'neutral',
  target: 'es2022',
  minifyWhitespace: true,
  minifySyntax: true,
  // Node.js prints the line of an error that nobody catches.
  lineLimit: 2_000,
  logLevel: 'warning',
}

/** @param {string} folder  emptied first */
export async function packageClient(folder) {
  await generated()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({ ...COMMON, entryPoints: [join(SOURCE, 'index.ts')], outfile: join(folder, 'index.js') })
  await buildVerify(folder)
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  const names = sources.filter((name) => name.endsWith('.ts'))
  for (const name of names) writeTypes(SOURCE, name, folder)
  for (const name of VERIFY_TYPES) writeTypes(VERIFY, name, join(folder, 'verify'))
  for (const name of readdirSync(SWAP).filter((name) => name.endsWith('.ts')))
    writeTypes(SWAP, name, join(folder, 'swap'))
  writeTypes(EXPLAIN, 'types.ts', join(folder, 'explain'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  const page = readFileSync(join(ROOT, 'docs/client.md'), 'utf8')
  // The other pages are not in the package: of a link to one, its text stays.
  writeFileSync(join(folder, 'README.md'), page.replace(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1'))
}

/** What else uses the client imports its module: an error is of a class that both know. */
const CLIENT = {
  name: 'client',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/client\/index\.ts$/ }, () => ({ path: '../index.js', external: true })),
}

/** In files that are loaded at the first order of a family. @param {string} folder */
async function buildVerify(folder) {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: {
      'verify/index': join(VERIFY, 'index.ts'),
      'verify/cli': join(VERIFY, 'cli.ts'),
      'swap/index': join(SWAP, 'index.ts'),
      'mcp/index': join(ROOT, 'src/clients/mcp/index.ts'),
    },
    external: ['node:fs', 'node:buffer'],
    plugins: [ownCopyPlugin, CLIENT],
    outdir: folder,
    splitting: true,
    chunkNames: 'verify/[name]-[hash]',
    minifyIdentifiers: true,
    mainFields: ['module', 'main'],
    // Packages bring variants that look for Node's modules at run time.
    conditions: ['browser', 'import'],
    metafile: true,
  })
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith(COPY))
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices(inputs, ROOT))
}

/**
 * Writes the types of one file, without reading others: each export says its own.
 * @param {string} source  the folder of the file
 * @param {string} name
 * @param {string} folder
 */
function writeTypes(source, name, folder) {
  const path = join(folder, name.replace(/\.ts$/, '.d.ts'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, declarations(join(source, name)))
}

/** @param {string} fileName */
function declarations(fileName) {
  const { outputText, diagnostics = [] } = typescript.transpileDeclaration(readFileSync(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, target: 9 },
  })
  for (const { messageText } of diagnostics) throw new Error(`${fileName}: ${messageText}`)
  // What is imported stands in files that end otherwise here.
  return outputText
    .replaceAll('../../explain/', '../explain/')
    .replaceAll('../client/', '../')
    .replace(/(from\s+['"]\.\.?\/[\w/]+)\.ts(['"])/g, '$1.js$2')
}

function manifest() {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { version, license, repository, homepage, bugs, publishConfig } = own
  return {
    name: '@swapgate/client',
    version,
    description:
      'A typed client of the swapgate gateway, and what verifies its builds in the wallet, for browsers and Node, without dependencies.',
    license,
    repository,
    homepage,
    bugs,
    type: 'module',
    sideEffects: false,
    bin: { 'swapgate-verify': './verify/cli.js', 'swapgate-mcp': './mcp/index.js' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './verify': { types: './verify/index.d.ts', default: './verify/index.js' },
      './swap': { types: './swap/index.d.ts', default: './swap/index.js' },
    },
    publishConfig,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await packageClient(process.argv[2] ?? join(ROOT, 'dist/client'))
