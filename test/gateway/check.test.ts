/** What `--check` says of upstreams that answer, and of those that do not. */

import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { check } from '../../src/gateway/check.ts'
import { createLogger } from '../../src/runtime/log.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { closedPort, hostileUpstream, status } from '../fixtures/hostile-upstream.ts'

const { log } = createLogger({ logLevel: 'silent' })

t.test('every upstream of the sandbox answers, and every family can build', async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const { text, canBuild } = await check(readConfig({ MODE: 'sandbox' }), log, sandbox)
  t.ok(canBuild, text)
  for (const name of ['solana', 'evm', 'sui', 'ton']) {
    t.match(text, new RegExp(`^  ${name} +can build$`, 'm'), text)
  }
  t.notMatch(text, /fails|warning/, text)
  t.match(text, /^ {2}kyberswap +answers$/m)
  t.match(text, /^ {2}base-1 +answers$/m)
})

t.test('what does not answer is named with its cause, and a family without it cannot build', async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const refusing = await hostileUpstream(t, status(401))
  const config = readConfig({
    MODE: 'sandbox',
    CHAINS: 'base,solana,ton',
    JUPITER_URL: refusing.url,
    JUPITER_API_KEY: 's3cr3t',
    DFLOW_URL: 'off',
    SOLANA_POOLS: 'off',
    RPC_URLS_TON: `http://127.0.0.1:${await closedPort()}/jsonRPC`,
    RPC_URLS_BASE: `http://user:s3cr3t@127.0.0.1:${await closedPort()}`,
  })
  const { text, canBuild } = await check(config, log, sandbox)
  t.notOk(canBuild)
  t.match(text, /^ {2}jupiter +fails upstream_refused status 401$/m, text)
  t.match(text, /^ {2}base-1 +fails upstream_unavailable \(refused\)$/m, text)
  t.match(text, /^ {2}solana +cannot build: none of jupiter, dflow answers$/m, text)
  t.match(text, /^ {2}evm +cannot build: 0 of the 1 nodes that it needs answer$/m)
  t.match(text, /^ {2}ton +cannot build: 0 of the 2 nodes/m)
  t.notMatch(text, /s3cr3t|127\.0\.0\.1/, 'neither keys nor URLs')
})
