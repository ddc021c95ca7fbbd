/** What generators of clients make of the document compiles with NodeNext, and swaps. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Keypair } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { installed, startWorld } from './world.ts'

const PROGRAMS = fileURLToPath(new URL('generated/', import.meta.url))
const run = promisify(execFile)

const TSC = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  skipLibCheck: true,
}

/** The arguments of each generator's program. */
const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['openapi.json', '-o', 'generated.d.ts'],
  orval: ['--config', 'orval.config.mjs'],
  'openapi-ts': [],
}

const CONFIGURATIONS = {
  'orval.config.mjs': (url: string) =>
    `export default { swapgate: { input: './openapi.json', output: { target: './generated.ts', client: 'fetch', baseUrl: '${url}' } } }`,
  'openapi-ts.config.mjs': () =>
    `export default { input: './openapi.json', output: { path: './generated', importFileExtension: '.js' } }`,
}

t.setTimeout(600_000)

const folder = installed('generators')
const world = startWorld(t)

const bin = (name: string): string => join(folder, 'node_modules/.bin', name)

/** A folder with the packages and the document. */
async function startIn(t: Test, name: string): Promise<{ readonly cwd: string; readonly GATEWAY: string }> {
  const { GATEWAY, SOLANA } = await world
  // TypeScript emits nothing of what lies below node_modules.
  const cwd = mkdtempSync(join(tmpdir(), `swapgate-${name}-`))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  symlinkSync(join(folder, 'node_modules'), join(cwd, 'node_modules'))
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}')
  writeFileSync(join(cwd, 'openapi.json'), await (await fetch(`${GATEWAY}/openapi.json`)).text())
  for (const [file, text] of Object.entries(CONFIGURATIONS)) writeFileSync(join(cwd, file), text(GATEWAY))
  await fund(SOLANA)
  return { cwd, GATEWAY }
}

const wallet = Keypair.generate()
const from = wallet.publicKey.toBase58()

async function fund(node: string): Promise<void> {
  const ask = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(node, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return ((await response.json()) as { result: { value: number } }).result
  }
  await ask('requestAirdrop', [from, 2_000_000_000])
  while ((await ask('getBalance', [from, { commitment: 'confirmed' }])).value === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

t.test('generators and linters of others', async (t) => {
  t.jobs = 2
  for (const [name, args] of Object.entries(GENERATORS)) {
    void t.test(
      `${name}: a quote, a build and a submission`,
      { buffered: true, timeout: 300_000 },
      async (t) => {
        const { cwd, GATEWAY } = await startIn(t, name)
        const config = { compilerOptions: { ...TSC, outDir: 'out' }, include: ['program.ts'] }
        writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(config))
        await run(bin(name), args, { cwd })
        copyFileSync(join(PROGRAMS, `${name}.txt`), join(cwd, 'program.ts'))
        copyFileSync(join(PROGRAMS, 'wallet.txt'), join(cwd, 'wallet.ts'))
        await run(bin('tsc'), ['-p', '.'], { cwd }).catch(({ stdout }) => t.equal(stdout, ''))
        const key = Buffer.from(wallet.secretKey.subarray(0, 32)).toString('hex')
        const env = { ...process.env, GATEWAY, FROM: from, KEY: key }
        const { stdout } = await run(process.execPath, ['out/program.js'], { cwd, env })
        t.match(JSON.parse(stdout), { result: /^[1-9A-Za-z]{86,88}$/ }, 'it was submitted')
      },
    )
  }

  void t.test('Spectral finds no fault', { buffered: true, timeout: 300_000 }, async (t) => {
    const { cwd } = await startIn(t, 'spectral')
    writeFileSync(join(cwd, '.spectral.yaml'), 'extends: ["spectral:oas"]')
    const args = ['lint', 'openapi.json', '-f', 'json', '-F', 'hint']
    const { stdout } = await run(bin('spectral'), args, { cwd }).catch((error: { stdout: string }) => error)
    t.match(stdout, /^(\[\]|No results)/)
  })
})
