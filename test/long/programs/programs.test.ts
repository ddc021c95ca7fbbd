/** What ships: the program of `npm start`, as it is built and run, against the table of capabilities. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { installPacked, listening, run, runCommand } from '../../fixtures/programs.ts'
import { skipWithoutRedis } from '../../fixtures/redis.ts'
import { buildAll, hasAll, npmStart, ROOT, start } from './built.ts'
import { type BuiltProgram, LIVE } from './capabilities.ts'

// It builds the programs and starts about twenty processes.
t.setTimeout(600_000)

const built = await buildAll(t)
const { bare, checkout, client, folder } = built

const program: BuiltProgram = {
  name: 'dist/main.js',
  start: (t, environment, { args, before } = {}) => start(t, npmStart(bare), environment, args, before),
  withoutSandbox: /^swapgate: The sandbox needs .*npm install litesvm@1\.5\.0.*\n$/,
  frame: /at exit \(.*src\/main\.ts:\d+:\d+\)/,
}

t.test(program.name, { skip: skipWithoutRedis() }, (t) => hasAll(t, program, built))

t.test('npm start of a checkout has a sandbox, in which the demo swaps', async (t) => {
  const { url } = await listening(start(t, npmStart(checkout), { PORT: '0' }))
  const demo = (root: string) =>
    start(t, [join(root, 'dist/sandbox/demo.js')], { SWAPGATE_URL: `${url}/` }).exit
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

t.test('the packed gateway and client install alone, and start by their commands', async (t) => {
  // Outside of the checkout, whose packages it would find.
  const app = join(folder, 'app')
  mkdirSync(app)
  installPacked(app, packageOf(bare, client), client)
  const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8'))
  t.same(Object.keys(packages), ['', 'node_modules/@swapgate/client', 'node_modules/swapgate'])
  const command = (name: string, environment: Record<string, string>, ...args: string[]) =>
    runCommand(t, join(app, 'node_modules/.bin', name), args, environment)

  const { url } = await listening(command('swapgate', LIVE))
  for (const path of ['/api/health', '/', '/reference']) t.equal((await fetch(url + path)).status, 200, path)
  t.match(await command('swapgate', { PORT: '0' }).exit, { code: 1, err: program.withoutSandbox })
  for (const name of ['litesvm', '@solana/web3.js']) {
    mkdirSync(dirname(join(app, 'node_modules', name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  }
  const sandboxed = await listening(command('swapgate', { PORT: '0' }))
  t.match(await command('swapgate', { SWAPGATE_URL: `${sandboxed.url}/` }, 'demo').exit, { code: 0, err: '' })

  t.match(await command('swapgate-verify', {}, '--help').exit, { code: 0, out: /^Usage: swapgate-verify/ })
  t.match(await command('swapgate-mcp', { SWAPGATE_URL: 'no URL' }).exit, { code: 2, err: /SWAPGATE_URL/ })
  writeFileSync(
    join(app, 'app.js'),
    `import { createClient } from '@swapgate/client'
    import { verify } from '@swapgate/client/verify'
    import * as gateway from 'swapgate'
    const { version } = await gateway.createClient({ baseUrl: process.env.GATEWAY }).health()
    console.log(version, typeof createClient, typeof verify)`,
  )
  const asked = await run(t, join(app, 'app.js'), { GATEWAY: url }).exit
  t.match(asked, { code: 0, out: /^0\.1\.0\S* function function\n$/ })
})

/** The folder that is published as `swapgate`. */
function packageOf(bare: string, client: string): string {
  const root = join(folder, 'package')
  cpSync(bare, root, { recursive: true })
  cpSync(client, join(root, 'dist/client'), { recursive: true })
  for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'])
    cpSync(join(ROOT, name), join(root, name))
  return root
}
