/** What an app gets that installs the client: one module, its types, and nothing of the service. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import typescript from 'typescript'
import { ROOT } from '../../../scripts/docs/pages.ts'
import type { Client, Quote, Receipt } from '../../../src/clients/client/index.ts'
import type { Keep, Order, SolanaWallet, SwapOptions, SwapResult } from '../../../src/clients/swap/index.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { installClient } from '../../fixtures/programs.ts'
import { blocksOf } from '../../fixtures/samples.ts'

// It compiles seven times, which takes minutes where much else runs.
t.setTimeout(300_000)

/** An app that has installed the packed client. */
const app = t.testdir()
installClient(app)

const APP = `
import { createClient, isSwapgateError, type Quote, type SwapgateError } from '@swapgate/client'

const client = createClient({ baseUrl: 'http://127.0.0.1:1', fetch, signal: new AbortController().signal })

export async function best(amount: string): Promise<string | null> {
  try {
    const quote: Quote = await client.quote({ chain: 'base', side: 'buy', token: '0x', amount, from: undefined })
    const least: string = quote.minOut
    const built = await client.build({ ...quote, token: '0x', amount, from: '0x', quote })
    if (built.solanaTransaction !== undefined) {
      const { solanaTransaction, to }: { solanaTransaction: string; to?: never } = built
      return solanaTransaction ?? to
    }
    if (built.transactionRequest !== undefined) {
      const { to, approval, from, chainId } = built
      const addresses: readonly \`0x\${string}\`[] = [to, from, ...(approval === null ? [] : [approval.spender])]
      const amountTaken: string | undefined = approval?.amount
      console.log(addresses, amountTaken, chainId + 1, built.verification.router ?? least)
    }
    for await (const { data } of client.prices({ tokens: ['solana:native'] })) {
      const price: number | null = data.prices[0]?.price ?? null
      console.log(price)
    }
    return built.data ?? null
  } catch (error) {
    if (isSwapgateError(error, 'no_route', 'amount_too_small')) {
      const code: 'no_route' | 'amount_too_small' = error.code
      return code
    }
    const other = error as SwapgateError
    switch (other.code) {
      case 'budget_exhausted':
        return String(other.retryAfterMs)
      case 'timeout':
        return null
      default:
        throw error
    }
  }
}

// @ts-expect-error a side that there is not
client.quote({ chain: 'base', side: 'hold', token: '0x', amount: '1' })
// @ts-expect-error amounts are text
client.quote({ chain: 'base', side: 'buy', token: '0x', amount: 1 })
// @ts-expect-error the token is missing
client.quote({ chain: 'base', side: 'buy', amount: '1' })
// @ts-expect-error there is no such code
isSwapgateError(null, 'no_such_code')
// @ts-expect-error nor such an operation
client.steal()
`

const SWAPS = `
import { createClient } from '@swapgate/client'
import { executeSwap, SwapError, type Wallet } from '@swapgate/client/swap'
import type { Confirmed } from '@swapgate/client/verify'

const client = createClient({ baseUrl: '' })
const order = { chain: 'base', side: 'sell', token: '0x', amount: '1' } as const

export async function swap(wallet: Wallet): Promise<string | null> {
  try {
    const { receipt } = await executeSwap(client, order, wallet, { agree: ({ minOut }) => minOut !== '0' })
    return receipt.hash
  } catch (error) {
    if (error instanceof SwapError && error.code === 'unsure') return error.id
    throw error
  }
}
export const spenderIn = ({ send }: Confirmed): \`0x\${string}\` | undefined =>
  send.family === 'evm' ? send.approval?.spender : undefined
export const feeIn = ({ facts }: Confirmed): string | undefined => facts.fees?.[0]?.amount
// @ts-expect-error there is no such fact
export const otherIn = ({ facts }: Confirmed) => facts.nothing
`

const COMMON = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
}
const NODE = { lib: ['es2022'], types: ['node'] }
const BROWSER = { lib: ['es2022', 'dom'], types: [] }
const NODENEXT = { module: 'nodenext' }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }

/** Declarations that are the same for every app are read once. */
const declarations = new Map<string, typescript.SourceFile | undefined>()
const SHARED = /\/node_modules\/(typescript\/lib|@types\/node|undici-types)\//

/** What the compiler says of an app; empty where it is content. */
function compile(folder: string, compilerOptions: object, text = APP): string {
  writeFileSync(join(folder, 'app.ts'), text)
  return tsc(folder, compilerOptions, 'app.ts')
}

function tsc(folder: string, compilerOptions: object, file: string): string {
  const json = { compilerOptions, files: [file] }
  const config = join(folder, 'tsconfig.json')
  const { options, fileNames, errors } = typescript.parseJsonConfigFileContent(
    json,
    typescript.sys,
    folder,
    {},
    config,
  )
  const host = typescript.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, how, ...rest) => {
    if (!SHARED.test(name)) return getSourceFile(name, how, ...rest)
    const key = `${name} ${JSON.stringify(how)}`
    if (!declarations.has(key)) declarations.set(key, getSourceFile(name, how, ...rest))
    return declarations.get(key)
  }
  const program = typescript.createProgram({ rootNames: fileNames, options, host })
  const own = program.getSourceFiles().filter(({ fileName }) => !SHARED.test(fileName))
  const diagnostics = [
    ...[...errors, ...program.getOptionsDiagnostics(), ...program.getSyntacticDiagnostics()],
    ...[...program.getGlobalDiagnostics(), ...own.flatMap((file) => program.getSemanticDiagnostics(file))],
  ]
  return typescript.formatDiagnostics(diagnostics, host)
}

const load = async <T>(folder: string, name: string): Promise<T> =>
  import(pathToFileURL(join(folder, 'node_modules', name)).href)

type Swap = (
  client: Client,
  order: Order,
  wallet: SolanaWallet,
  agree: (quote: Quote) => boolean,
  keep: Keep,
  pollMs: number,
) => Promise<Receipt | null>

type SwapWithAdapter = (
  client: Client,
  order: Order,
  wallet: object,
  options: SwapOptions,
) => Promise<SwapResult>

t.test('an app that installs it gets it alone, and its types fit', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8'))
  t.same(Object.keys(packages), ['', 'node_modules/@swapgate/client'])
  mkdirSync(join(app, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  const cases = [
    ['nodenext, in Node', { ...NODENEXT, ...NODE }],
    ['nodenext, in a browser', { ...NODENEXT, ...BROWSER }],
    ['bundler, in Node', { ...BUNDLER, ...NODE }],
    ['bundler, in a browser', { ...BUNDLER, ...BROWSER }],
  ] as const
  for (const [name, options] of cases) t.equal(compile(app, { ...COMMON, ...options }), '', name)
  t.equal(compile(app, { ...COMMON, ...NODENEXT, ...BROWSER }, SWAPS), '')
})

t.test(
  'both packages can be published: only what runs, and no address that the owner did not set',
  async (t) => {
    const pack = (folder: string) =>
      promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', folder], { cwd: ROOT })
    for (const folder of [ROOT, join(app, 'built')]) {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      t.notOk('private' in manifest)
      t.match(manifest, { license: 'Apache-2.0', publishConfig: { access: 'public' } })
      t.notMatch(JSON.stringify(manifest), /git\.example/)
      const [{ files }] = JSON.parse((await pack(folder)).stdout) as [{ files: { path: string }[] }]
      const paths = files.map(({ path }) => path)
      for (const name of ['README.md', 'LICENSE', 'package.json']) t.ok(paths.includes(name), name)
      t.same(
        paths.filter((path) => /^(src|test|bench|docs|node_modules|dist\/bench)\//.test(path)),
        [],
      )
      if (folder === ROOT) t.ok(paths.includes('dist/main.js') && paths.includes('CHANGELOG.md'))
      else t.ok(paths.includes('verify/index.js') && paths.includes('index.d.ts'))
    }
  },
)

t.test('the sources need neither Node nor a library', async (t) => {
  const folder = t.testdir()
  const options = { ...COMMON, ...NODENEXT, ...BROWSER, allowImportingTsExtensions: true }
  t.equal(tsc(folder, options, join(ROOT, 'src/clients/client/index.ts')), '')
})

t.test('the installed module is small, and names no module but itself', (t) => {
  const text = readFileSync(join(app, 'node_modules/@swapgate/client/index.js'), 'utf8')
  t.ok(gzipSync(text).length < 8_192, 'docs/client.md: less than 8 KiB')
  t.notMatch(text, /\brequire\(|\bfrom\s*["']|\bimport\s*[("']/)
  t.end()
})

t.test("the page's samples run as they are printed", async (t) => {
  const { url } = await listen(t)
  const [ask, prices] = blocksOf('docs/client.md').filter(({ language }) => language === 'ts')
  const whole = `${ask!.text}${prices!.text.replace(/\}\s*$/, '  break\n}\n')}`
  t.equal(compile(app, { ...COMMON, ...NODENEXT, ...BROWSER }, whole), '')
  const { outputText } = typescript.transpileModule(whole.replaceAll('http://localhost:8080', url), {
    compilerOptions: { target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.ESNext },
  })
  writeFileSync(join(app, 'app.mjs'), outputText)
  const { stdout } = await promisify(execFile)(process.execPath, ['app.mjs'], { cwd: app })
  t.match(stdout, /^\w+ \d+\nsnapshot \[/)
})

t.test("the pages' examples swap on Solana, from the quote to the receipt", async (t) => {
  const { createClient } = await load<typeof import('../../../src/clients/client/index.ts')>(
    app,
    '@swapgate/client/index.js',
  )
  const { web3Wallet } = await load<typeof import('../../../src/clients/swap/index.ts')>(
    app,
    '@swapgate/client/swap/index.js',
  )
  const example = async <T>(name: string): Promise<T> => {
    cpSync(join(ROOT, `docs/examples/${name}.mjs`), join(app, `${name}.mjs`))
    return import(pathToFileURL(join(app, `${name}.mjs`)).href)
  }
  const { swap } = await example<{ swap: Swap }>('swap-client')
  const { url, sandbox } = await listen(t, {}, { clock: runningClock() })
  const keypair = Keypair.generate()
  const { publicKey } = keypair
  await new Connection(sandbox!.solanaRpc).requestAirdrop(publicKey, 2e9)
  const token = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  const order: Order = { chain: 'solana', side: 'buy', token, amount: '0.25' }
  const client = createClient({ baseUrl: url })
  const kept = new Map<string, string>()
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  }
  const wallet = web3Wallet(keypair, VersionedTransaction)
  const swapped = (id: string, agrees: boolean) =>
    swap(client, order, wallet, () => agrees, { store, id }, 20)
  t.equal(await swapped('first', false), null, 'the user declines')
  const receipt = await swapped('first', true)
  t.match(receipt, { got: [{ token }] })
  t.equal((await swapped('first', true))?.signature, receipt!.signature, 'an id swaps once')

  const { swapWithAdapter } = await example<{ swapWithAdapter: SwapWithAdapter }>('swap-wallet-adapter')
  const adapter = {
    publicKey,
    signTransaction: async (transaction: VersionedTransaction) => {
      transaction.sign([keypair])
      return transaction
    },
  }
  const { id, changes } = await swapWithAdapter(client, order, adapter, { agree: () => true, pollMs: 20 })
  t.notSame(id, receipt!.signature)
  t.same(changes, [])
})

t.test("the service's own package exports the client, too", async (t) => {
  const folder = t.testdir({ 'package.json': '{ "name": "app", "private": true, "type": "module" }' })
  const copy = join(folder, 'node_modules/swapgate')
  cpSync(join(app, 'built'), join(copy, 'dist/client'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'))
  const text = APP.replace("'@swapgate/client'", "'swapgate'")
  t.equal(compile(folder, { ...COMMON, ...NODENEXT, ...BROWSER }, text), '')
})
