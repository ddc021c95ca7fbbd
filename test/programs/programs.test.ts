/** What ships: each program that is built, as it is run, against the table of capabilities. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { EVM_CHAINS } from '../../src/chains/find.ts'
import { PROVIDER_NAMES } from '../../src/config/providers.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { SKIPPED as NO_CHROMIUM, startBrowser } from '../fixtures/browser.ts'
import { checkoutWithout, listening, type Program, run, runCommand, said } from '../fixtures/programs.ts'
import { type RedisServer, skipWithoutRedis, startRedis } from '../fixtures/redis.ts'
import {
  type BuiltProgram,
  COMMANDS,
  type Deployment,
  type Instance,
  LIVE,
  operatorTokens,
  SERVICE,
} from './capabilities.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MIB = 2 ** 20
const INSTANCES = 4

// Away from node_modules, as where the programs alone are installed.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'swapgate-')))
t.teardown(() => rmSync(folder, { recursive: true }))
// It builds the programs and starts some forty processes.
t.setTimeout(600_000)

/** dist/, and what `npm start` needs beside it. */
const bare = join(folder, 'bare')
/** The same with the packages of a checkout. */
const checkout = join(folder, 'checkout')
const image = join(folder, 'image')
/** The client as it is packed. That it installs is the matter of test/clients/client/package.test.ts. */
const client = join(folder, 'client')
/** dist/ as it is built without these packages. */
const reduced = join(folder, 'reduced')
const OPTIONAL = ['@redis/client', 'rapidoc']

const build = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT })
checkoutWithout(reduced, ...OPTIONAL)
await Promise.all([
  build('scripts/build.mjs', join(bare, 'dist')),
  build('scripts/build.mjs', '--image', image),
  build(join(reduced, 'scripts/build.mjs')),
  build('scripts/client/package.mjs', client),
])
cpSync(join(ROOT, 'scripts/run.mjs'), join(bare, 'scripts/run.mjs'))
writeFileSync(join(bare, 'package.json'), '{ "type": "module" }')
cpSync(bare, checkout, { recursive: true })
symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
const file = join(image, 'swapgate.cjs')

/** Runs a file with Node.js. @param before  a module that runs first */
function start(
  t: Test,
  script: readonly string[],
  environment: Record<string, string>,
  args: readonly string[] = [],
  before?: string,
): Program {
  const preload = before === undefined ? [] : [`--import=data:text/javascript,${encodeURIComponent(before)}`]
  const [first, ...others] = [...preload, ...script, ...args]
  return run(t, first!, environment, ...others)
}

/** As `npm start` of package.json runs it. */
const npmStart = (root: string): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [exec, node, ...args] = (scripts.start as string).split(' ')
  if (exec !== 'exec' || node !== 'node') throw new Error('npm start is run in another way')
  return args.map((arg) => (arg.startsWith('scripts/') ? join(root, arg) : arg))
}

const PROGRAMS: readonly BuiltProgram[] = [
  {
    name: 'dist/main.js',
    start: (t, environment, { args, before } = {}) => start(t, npmStart(bare), environment, args, before),
    startWithoutRedis: (t, environment) => start(t, npmStart(reduced), environment),
    withoutSandbox: /^swapgate: The sandbox needs .*npm install litesvm@1\.5\.0.*\n$/,
    frame: /at exit \(.*src\/main\.ts:\d+:\d+\)/,
  },
  {
    name: "the container's file",
    start: (t, environment, { args, before } = {}) => start(t, [file], environment, args, before),
    startWithoutRedis(t, environment) {
      const without = join(folder, 'without-redis.cjs')
      const text = readFileSync(file, 'utf8')
      // What is built where the package is missing differs by the part that holds it.
      const part = /^ {2}'@redis\/client': .*\n/m
      if (!part.test(text)) throw new Error('the file has no client of Redis')
      writeFileSync(without, text.replace(part, ''))
      return start(t, [without], environment)
    },
    withoutSandbox: /^swapgate: The container has no sandbox; .* MODE=live needs none of it\.\n$/,
    frame: /at exit \(swapgate\.js:\d+:\d+\)/,
  },
]

t.test('each program that is built', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const sandbox = await startSandbox(t)
  const { createClient }: Pick<Deployment, 'createClient'> = await import(
    pathToFileURL(join(client, 'index.js')).href
  )
  const browser = NO_CHROMIUM ? null : await startBrowser()
  for (const program of PROGRAMS) {
    await t.test(program.name, async (t) => {
      for (const [name, check] of Object.entries(COMMANDS)) await t.test(name, (t) => check(t, program))
      const tokensFile = join(t.testdir({ content: { 'announcements.jsonl': '' } }), 'tokens.json')
      const contentDir = join(dirname(tokensFile), 'content')
      writeFileSync(tokensFile, operatorTokens('FIRST'))
      const environment = before(sandbox)
      const instances = await startInstances(t, program, {
        ...environment,
        ...sharing(redis, program.name),
        TOKENS_FILE: tokensFile,
        CONTENT_DIR: contentDir,
      })
      const solanaRpc = sandbox.solanaUrl
      const deployment: Deployment = {
        ...{ program, environment, instances, tokensFile, contentDir, solanaRpc, createClient, browser },
      }
      for (const [name, check] of Object.entries(SERVICE)) await t.test(name, (t) => check(t, deployment))
    })
  }
})

/** dist/sandbox/main.js, which stands for all that is outside. */
async function startSandbox(t: Test): Promise<Sandbox> {
  const program = start(t, [join(checkout, 'dist/sandbox/main.js')], { PORT: '0' })
  await said(program, '\n')
  return JSON.parse(program.text.out) as Sandbox
}

/** The variables of a live gateway whose providers and nodes are the sandbox's. */
function before({ solanaUrl, tonUrls, suiUrl, urls }: Sandbox): Record<string, string> {
  const providers = PROVIDER_NAMES.map((name) => [`${name.toUpperCase()}_URL`, urls[name] ?? 'off'])
  const nodes = EVM_CHAINS.map(({ key }) => [`RPC_URLS_${key.toUpperCase()}`, `${urls.evm}/${key}`])
  return {
    ...{ MODE: 'live', PORT: '0', SOLANA_RPC_URLS: solanaUrl },
    ...{ RPC_URLS_TON: tonUrls.join(), RPC_URLS_SUI: suiUrl },
    ...Object.fromEntries([...providers, ...nodes]),
  }
}

const sharing = (redis: RedisServer, program: string): Record<string, string> => ({
  REDIS_URL: redis.url,
  // Programs beside each other: the next does not go on with the counts of the one before.
  REDIS_PREFIX: program.replaceAll(/\W/g, '-'),
  QUOTE_SECRET: 's'.repeat(32),
  LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off,rpcBatch=off/100000',
  ADMIN_PORT: '0',
})

async function startInstances(
  t: Test,
  program: BuiltProgram,
  environment: Record<string, string>,
): Promise<Instance[]> {
  const programs = Array.from({ length: INSTANCES }, (_, i) =>
    program.start(t, { ...environment, VERIFIER: i === 0 ? 'native' : 'noble' }),
  )
  return Promise.all(
    programs.map(async (program) => {
      const { url, adminUrl } = await listening(program)
      return { program, url, adminUrl: adminUrl! }
    }),
  )
}

t.test('npm start of a checkout has a sandbox, in which the demo swaps', async (t) => {
  const { url } = await listening(start(t, npmStart(checkout), { PORT: '0' }))
  const demo = (root: string) => start(t, [join(root, 'dist/demo.js')], { SWAPGATE_URL: `${url}/` }).exit
  const { code, out, err } = await demo(checkout)
  t.same({ code, err }, { code: 0, err: '' })
  const steps = [
    /^ +[\d.]+ ms {2}make a wallet in memory +\w{32,44}$/,
    /^ +[\d.]+ ms {2}fund it at the faucet +2 SOL$/,
    /^ +[\d.]+ ms {2}read its balance +2 SOL$/,
    /^ +[\d.]+ ms {2}sign a transfer +215 bytes, 0.5 SOL$/,
    /^ +[\d.]+ ms {2}submit it +\w{80,88}$/,
    /^ +[\d.]+ ms {2}wait for its status +confirmed$/,
    /^ +[\d.]+ ms {2}read its balance again +1.499995 SOL$/,
    /^$/,
    /^a swap, from quote to token:$/,
    /^ +[\d.]+ ms {2}quote 0.25 SOL for USDC +[\d.]+ USDC by jupiter$/,
    /^ +[\d.]+ ms {2}build the transaction +unsigned, \d+ checks passed$/,
    /^ +[\d.]+ ms {2}sign and submit it +\w{80,88}$/,
    /^ +[\d.]+ ms {2}wait for its status +confirmed$/,
    /^ +[\d.]+ ms {2}read its USDC balance +[\d.]+ USDC$/,
    /^ +[\d.]+ ms {2}ask for its portfolio +\$3\d\.\d\d of USDC, \$\d{3}\.\d\d in all$/,
    /^$/,
    /^the same from a provider that was taken over:$/,
    /^ +[\d.]+ ms {2}quote 0.25 SOL for USDC +[\d.]+ USDC by jupiter$/,
    /^ +[\d.]+ ms {2}build the transaction +502 material_refused$/,
    /^ +it lets a stranger receive: refused by the rule destination_account$/,
    /^ +The provider built something else than what was asked for/,
    /^$/,
    /^and what the relay refuses:$/,
    /^ +[\d.]+ ms {2}a flipped bit +400 signature_invalid$/,
    /^ +A signature does not verify/,
    /^ +[\d.]+ ms {2}an oversized transaction +400 transaction_too_large$/,
    /^ +The transaction is longer than 1,232 bytes/,
    /^ +[\d.]+ ms {2}skipPreflight +400 preflight_required$/,
    /^ +Preflight is required/,
  ]
  t.match(out.trimEnd().split('\n'), steps)
  t.match(await demo(bare), { code: 1, err: /^demo: .*npm install @solana\/web3\.js@1\.99\.0/ })
})

t.test('without its renderer, the reference is a 404 that says why, and the console is there', async (t) => {
  const { url } = await listening(start(t, npmStart(reduced), { ...LIVE, PROVIDERS: 'none' }))
  const reply = await fetch(`${url}/reference`)
  t.equal(reply.status, 404)
  t.match(await reply.json(), { code: 'not_found', error: /not in this build: `npm ci` builds it/ })
  t.equal((await fetch(url)).status, 200)
})

t.test('without esbuild, its WebAssembly bundles', async (t) => {
  const root = t.testdir()
  cpSync(join(ROOT, 'scripts/esbuild.mjs'), join(root, 'scripts/esbuild.mjs'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/esbuild-wasm'), join(root, 'node_modules/esbuild-wasm'))
  const url = pathToFileURL(join(root, 'scripts/esbuild.mjs')).href
  const { transform } = (await import(url)) as typeof import('esbuild')
  t.equal((await transform('const a : 1 = 1', { loader: 'ts' })).code, 'const a = 1;\n')
})

t.test('the container holds one program of at most 1.5 MiB, its code cache, and the licences', async (t) => {
  t.same(readdirSync(image).sort(), ['THIRD-PARTY.txt', 'swapgate.cache', 'swapgate.cjs'])
  t.ok(statSync(file).size <= 1.5 * MIB, `${statSync(file).size} bytes`)
  const cache = statSync(join(image, 'swapgate.cache'))
  t.ok(cache.size > MIB / 2 && cache.size <= 3 * MIB, `${cache.size} bytes`)
})

t.test(
  'the program takes the code cache that was written with it, and starts without any other',
  async (t) => {
    const root = t.testdir()
    const program = join(root, 'swapgate.cjs')
    copyFileSync(file, program)
    const whole = readFileSync(join(image, 'swapgate.cache'))
    const changed = (at: number): Buffer => {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1
      return bytes
    }
    const told = `
    import vm from 'node:vm'
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options)
        process.stderr.write(options.cachedData ? (this.cachedDataRejected ? 'rejected' : 'taken') : 'none')
      }
    }`
    const caches: [what: string, bytes: Buffer | null, outcome: string][] = [
      ['its own', whole, 'taken'],
      ['none', null, 'none'],
      ['of another program', changed(0), 'none'],
      ['damaged', changed(whole.length - 1), 'none'],
      ['cut off', whole.subarray(0, 50), 'none'],
      ['empty', Buffer.alloc(0), 'none'],
    ]
    for (const [what, bytes, outcome] of caches) {
      rmSync(join(root, 'swapgate.cache'), { force: true })
      if (bytes !== null) writeFileSync(join(root, 'swapgate.cache'), bytes)
      const version = start(t, [program], {}, ['--version'], told)
      t.match(await version.exit, { code: 0, out: /^\d/, err: outcome }, what)
    }
  },
)

/**
 * Mount and process namespaces of its own, where this user may make them: as in a container the program is the first
 * process, of a user without a name, on a read-only file system that has Node.js, its libraries and the file.
 */
const NAMESPACES = ['--mount', '--pid', '--fork']
const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', [...NAMESPACES, 'true']).status === 0

t.test(
  'that file alone with Node.js, on a read-only file system, as process 1 of another user',
  async (t) => {
    if (!mayUnshare) {
      t.equal(process.env.CI, undefined, 'CI runs it')
      t.comment('left out: this user may not make namespaces')
      return
    }
    const root = fileSystem(t)
    const script = [
      // The test runner's, for every Node.js.
      'unset NODE_OPTIONS',
      `mount --bind ${root} ${root}`,
      `mount -t proc proc ${root}/proc`,
      `mount -o remount,ro,bind ${root}`,
      `exec chroot --userspec=1000:1000 ${root} ${process.execPath} /swapgate.cjs`,
    ].join(' && ')
    const program = runCommand(t, 'unshare', [...NAMESPACES, '--kill-child', 'sh', '-c', script], LIVE)
    const { url } = await listening(program)

    for (const path of ['/api/health', '/api/chains', '/openapi.json', '/', '/reference']) {
      t.equal((await fetch(url + path)).status, 200, path)
    }
    const [pid] = childrenOf(program.child.pid!)
    t.match(statusOf(pid!), { NSpid: /\t1$/, Uid: /^(\t1000){4}$/, CapEff: /^\t0+$/ })
    process.kill(pid!, 'SIGTERM')
    t.match(await program.exit, { code: 0, out: /"msg":"stopped"/ })
  },
)

/** What the image holds, in a folder. */
function fileSystem(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'swapgate-root-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
  for (const path of [process.execPath, ...linked]) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    copyFileSync(path, join(root, path))
  }
  mkdirSync(join(root, 'proc'))
  for (const name of ['swapgate.cjs', 'swapgate.cache']) copyFileSync(join(image, name), join(root, name))
  return root
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
}

/** A process as /proc tells of it. */
function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/s) as [string, string]))
}
