/** What ships: the program of `npm start`, as it is built and run, against the table of capabilities. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { checkoutWithout } from '../../fixtures/dist.ts'
import { listening } from '../../fixtures/programs.ts'
import { skipWithoutRedis } from '../../fixtures/redis.ts'
import { build, buildAll, hasAll, npmStart, ROOT, start } from './built.ts'
import type { BuiltProgram } from './capabilities.ts'

// It builds the programs and starts about twenty processes.
t.setTimeout(600_000)

const OPTIONAL = ['@redis/client']
const built = await buildAll(t, (folder) => {
  checkoutWithout(join(folder, 'reduced'), ...OPTIONAL)
  return build(join(folder, 'reduced/scripts/build.mjs'))
})
const { bare, checkout, folder } = built
/** dist/ as it is built without these packages. */
const reduced = join(folder, 'reduced')

const program: BuiltProgram = {
  name: 'dist/main.js',
  start: (t, environment, { args, before } = {}) => start(t, npmStart(bare), environment, args, before),
  startWithoutRedis: (t, environment) => start(t, npmStart(reduced), environment),
  withoutSandbox: /^swapgate: The sandbox needs .*npm install litesvm@1\.5\.0.*\n$/,
  frame: /at exit \(.*src\/main\.ts:\d+:\d+\)/,
}

t.test(program.name, { skip: skipWithoutRedis() }, (t) => hasAll(t, program, built))

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

t.test('without esbuild, its WebAssembly bundles', async (t) => {
  const root = t.testdir()
  cpSync(join(ROOT, 'scripts/esbuild.mjs'), join(root, 'scripts/esbuild.mjs'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/esbuild-wasm'), join(root, 'node_modules/esbuild-wasm'))
  const url = pathToFileURL(join(root, 'scripts/esbuild.mjs')).href
  const { transform } = (await import(url)) as typeof import('esbuild')
  t.equal((await transform('const a : 1 = 1', { loader: 'ts' })).code, 'const a = 1;\n')
})
