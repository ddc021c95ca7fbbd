/** A gateway and its sandbox for programs of stock clients, on the time of the machine. */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { installLocked } from '../../../scripts/packages.mjs'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { listen } from '../../fixtures/gateway.ts'
import { packClient } from '../../fixtures/programs.ts'

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))
/** Beside the programs, for those that run one. */
const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/', import.meta.url))

/** @param name  of a folder of test/long/packages, which is installed once. @returns where its packages are */
export const installed = (name: string): string => installLocked(`test/long/packages/${name}`)

export async function startWorld(t: Test) {
  const { url, sandbox } = await listen(t, { LIMITS: 'swap=off', RPC_COMPAT: 'node' }, { clock: CLOCK })
  // The gateway's own sandbox does not tell where its providers are.
  const providers = await startSandbox({ now: Date.now })
  t.teardown(() => providers.close())
  return {
    GATEWAY: url,
    EVM: `${sandbox!.evmRpc}/base`,
    SOLANA: sandbox!.solanaRpc,
    LIFI: `${providers.urls.xprov}/v1`,
  }
}

/** Puts the programs and the client where their packages are. */
export function prepare(folder: string): void {
  for (const file of readdirSync(PROGRAMS)) copyFileSync(join(PROGRAMS, file), join(folder, file))
  cpSync(EXAMPLES, join(folder, 'examples'), { recursive: true })
  packClient(join(folder, 'node_modules/@swapgate/client'))
}

/** Runs programs/<name>.mjs in a folder that is prepared. @returns what it tells */
export async function run(name: string, folder: string, environment: Readonly<Record<string, string>>) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, `${name}.mjs`)], {
    env: { ...process.env, ...environment },
    timeout: 120_000,
  })
  return JSON.parse(stdout) as unknown
}
