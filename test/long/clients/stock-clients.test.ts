/**
 * Clients that nobody here wrote, unchanged and of the versions that docs/relay.md
 * lists, submit a transaction through the relay and wait for it. Where one of them
 * fails in strict mode, the transaction has landed all the same.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { runningClock } from '../../fixtures/clock.ts'
import { IS_PART } from '../../fixtures/fast-check.ts'
import { listen } from '../../fixtures/gateway.ts'
import { installed } from '../../fixtures/installed.ts'

const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
/** A script that waits for ever is ended. */
const TIMEOUT_MS = 120_000
const WEB3 = { '@solana/web3.js': '1.99.0' }

interface StockClient {
  readonly script: string
  /** The first is the client's own. */
  readonly packages: Readonly<Record<string, string>>
  /** Whether it needs RPC_COMPAT=node to wait for its transaction. */
  readonly needsNode: boolean
  /** What its script reports beside the signature. */
  readonly reports?: object
}

const CLIENTS: readonly StockClient[] = [
  ...['2.3.0', '3.0.3', '5.5.1', '8.4.0'].map((version) => ({
    script: 'kit.mjs',
    packages: { '@solana/kit': version },
    needsNode: true,
    reports: { lamports: 1_000_000_000, slot: Number },
  })),
  ...['1.99.0', '3.0.0-rc.2'].map((version) => ({
    script: 'web3.mjs',
    packages: { '@solana/web3.js': version },
    needsNode: false,
    reports: { lamports: 999_995_000 },
  })),
  // Those before take the advance that their own transaction makes for another's, now and then.
  ...['5.5.1', '8.4.0'].map((version) => ({
    script: 'nonce-kit.mjs',
    packages: { '@solana/kit': version },
    needsNode: false,
    reports: { confirmed: 6, nonces: 6 },
  })),
  {
    script: 'nonce-web3.mjs',
    packages: WEB3,
    needsNode: false,
    reports: { confirmed: 6, nonces: 6, isNonce: true },
  },
  { script: 'gill.mjs', packages: { gill: '0.14.0' }, needsNode: true },
  {
    script: 'umi.mjs',
    packages: {
      '@metaplex-foundation/umi-bundle-defaults': '1.6.0',
      '@metaplex-foundation/umi': '1.6.0',
      ...WEB3,
    },
    needsNode: false,
    reports: { lamports: 999_995_000 },
  },
  {
    script: 'anchor.mjs',
    packages: { '@coral-xyz/anchor': '0.32.1' },
    needsNode: false,
    reports: { several: 2, simulated: true, lamports: 999_985_000 },
  },
  {
    script: 'wallet-adapter.mjs',
    packages: { '@solana/wallet-adapter-base': '0.9.28', ...WEB3 },
    needsNode: false,
    reports: { err: null },
  },
]

const LANDED = { status: /^(processed|confirmed|finalized)$/, err: null }

t.setTimeout(1_800_000)

/** A sandbox whose second port is where @solana/web3.js looks for the WebSocket. */
async function start(t: Test, compat: string) {
  for (;;) {
    const gateway = await listen(t, { LIMITS, RPC_COMPAT: compat }, { clock: runningClock() })
    if (gateway.wsUrl !== null) return gateway
  }
}

/**
 * @param folder  where the packages are that the script imports
 * @returns the JSON that it writes
 */
async function runIn(folder: string, script: string, args: readonly string[]): Promise<unknown> {
  // Packages are looked for from where the script is.
  const copy = join(folder, script)
  copyFileSync(fileURLToPath(new URL(`stock/${script}`, import.meta.url)), copy)
  // A build for production does not say what has failed.
  const options = { timeout: TIMEOUT_MS, env: { ...process.env, NODE_ENV: 'development' } }
  const { stdout } = await promisify(execFile)(process.execPath, [copy, ...args], options)
  return JSON.parse(stdout)
}

/** The newest version of each, if a part is enough. */
const TRIED = CLIENTS.filter(
  ({ script }, i) => !IS_PART || CLIENTS.findLastIndex((other) => other.script === script) === i,
)

/** Where a client's packages are. */
const folderOf = ({ packages }: StockClient): Promise<string> =>
  installed(Object.entries(packages)[0]!.join('-').replaceAll('/', '-'), packages)

t.test('they are installed', async (t) => {
  t.setTimeout(600_000)
  for (const folder of await Promise.all(TRIED.map(folderOf)))
    t.ok(existsSync(join(folder, 'node_modules')), folder)
})

for (const compat of ['node', 'strict']) {
  t.test(`with RPC_COMPAT=${compat}`, async (t) => {
    t.setTimeout(1_200_000)
    // They wait for blocks more than they work.
    t.jobs = 3
    for (const client of TRIED) void submits(t, compat, client)
  })
}

function submits(t: Test, compat: string, client: StockClient) {
  const { script, packages, needsNode, reports } = client
  const [name, version] = Object.entries(packages)[0]!
  return t.test(`${name} ${version}, ${script}`, { buffered: true, timeout: 600_000 }, async (t) => {
    const folder = await folderOf(client)
    const { url, wsUrl, sandbox } = await start(t, compat)
    const args = [`${url}/api/solrpc`, `${wsUrl}/api/solrpc`, sandbox!.solanaRpc]
    const report = (await runIn(folder, script, args)) as {
      signature: string
      refusal?: string | null
    }
    t.match(report, { ...reports, ...(needsNode && compat === 'node' && { refusal: null }) })
    if (needsNode && compat === 'strict') {
      // Where the machine is busy, the confirmation may be there before the refusal.
      t.ok([null, 'method_not_allowed'].includes(report.refusal!), `${report.refusal}`)
    }
    const asked = `${url}/api/transaction-status?chain=solana&signature=${report.signature}`
    let landed: { status?: string } = { status: 'pending' }
    while (landed.status === 'pending') {
      await sleep(50)
      landed = (await (await fetch(asked)).json()) as typeof landed
    }
    t.match(landed, LANDED)
  })
}

t.test('docs/relay.md lists them with their versions', async (t) => {
  const page = readFileSync(new URL('../../../docs/relay.md', import.meta.url), 'utf8')
  for (const { packages } of CLIENTS) {
    const [name, version] = Object.entries(packages)[0]!
    t.match(page, new RegExp(`\\| ${name} \\|.*${version.replaceAll('.', '\\.')}`), `${name} ${version}`)
  }
})
