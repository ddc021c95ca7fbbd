/** The programs as they are built, away from their packages, and what each of them has to do. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { EVM_CHAINS } from '../../../src/chains/find.ts'
import { PROVIDER_NAMES } from '../../../src/config/providers.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { SKIPPED as NO_CHROMIUM, startBrowser } from '../../fixtures/browser.ts'
import { buildPrograms } from '../../fixtures/dist.ts'
import { listening, type Program, run, said } from '../../fixtures/programs.ts'
import { type RedisServer, startRedis } from '../../fixtures/redis.ts'
import {
  type BuiltProgram,
  COMMANDS,
  type Deployment,
  type Instance,
  operatorTokens,
  SERVICE,
} from './capabilities.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const INSTANCES = 4

export interface Built {
  /** Away from node_modules, as where the programs alone are installed. */
  readonly folder: string
  /** dist/, and what `npm start` needs beside it. */
  readonly bare: string
  /** The same with the packages of a checkout. */
  readonly checkout: string
  /** The client as it is packed. That it installs is the matter of test/long/clients/package.test.ts. */
  readonly client: string
}

export const build = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT })

/** Builds the programs and the client. @param more  builds into the same folder meanwhile */
export async function buildAll(t: Test, more?: (folder: string) => Promise<unknown>): Promise<Built> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'swapgate-')))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [bare, checkout, client] = ['bare', 'checkout', 'client'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  buildPrograms(join(bare, 'dist'))
  await Promise.all([build('scripts/client/package.mjs', client), more?.(folder)])
  cpSync(join(ROOT, 'scripts/run.mjs'), join(bare, 'scripts/run.mjs'))
  writeFileSync(join(bare, 'package.json'), '{ "type": "module" }')
  cpSync(bare, checkout, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  return { folder, bare, checkout, client }
}

/** Runs a file with Node.js. @param before  a module that runs first */
export function start(
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
export const npmStart = (root: string): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [exec, node, ...args] = (scripts.start as string).split(' ')
  if (exec !== 'exec' || node !== 'node') throw new Error('npm start is run in another way')
  return args.map((arg) => (arg.startsWith('scripts/') ? join(root, arg) : arg))
}

/** The whole table of capabilities, for one program. */
export async function hasAll(t: Test, program: BuiltProgram, built: Built): Promise<void> {
  const redis = await startRedis(t)
  const sandbox = await startSandbox(t, built)
  const { createClient }: Pick<Deployment, 'createClient'> = await import(
    pathToFileURL(join(built.client, 'index.js')).href
  )
  const browser = NO_CHROMIUM ? null : await startBrowser()
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
  const replay = join(built.bare, 'dist/replay.js')
  const deployment: Deployment = {
    ...{ program, environment, instances, tokensFile, contentDir, solanaRpc, replay, createClient, browser },
  }
  for (const [name, check] of Object.entries(SERVICE)) await t.test(name, (t) => check(t, deployment))
}

/** dist/sandbox/main.js, which stands for all that is outside. */
async function startSandbox(t: Test, { checkout }: Built): Promise<Sandbox> {
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
    ...{ RPC_URLS_TON: tonUrls.join(), RPC_URLS_SUI: suiUrl, LOGOS: urls.logos! },
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
