/**
 * A secret in every key, URL and header that the configuration takes, every
 * fault of every upstream at once, each endpoint asked: and none of it anywhere
 * that anybody can read.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { settingsIn } from '../../../src/config/setting.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { clockOf, STILL } from '../../fixtures/clock.ts'
import { echoingProxy, FAULTS } from '../../fixtures/echoing-proxy.ts'
import { listen } from '../../fixtures/gateway.ts'
import { idleClock } from '../../fixtures/idle-clock.ts'
import {
  CROSS_CHAIN,
  EVM_WALLET,
  query,
  SOLANA_WALLET,
  SUI_WALLET,
  SWAPS,
  TON_WALLET,
  USDC,
} from '../../fixtures/swaps.ts'
import { keypair, serialize, transfer } from '../../fixtures/transactions.ts'

const SECRET_VARIABLES = settingsIn(SETTINGS)
  .filter(({ isSecret }) => isSecret)
  .map(({ variable }) => variable)
const CANARY = 'c4n4ryQz7'
/** The shorter they are, the fewer of the gateway's other timers come before them. */
const DEADLINES = {
  softMs: 2_000,
  hardMs: 3_000,
  tokenMs: 3_000,
  buildMs: 3_000,
  crossChainMs: 3_000,
  profileMs: 3_000,
  portfolioMs: 3_000,
  listMs: 3_000,
  listCallMs: 3_000,
}
/** Longer than any pause that is asked for, and than any answer is kept. */
const PAUSE_MS = 7_300_000

/** What a secret looks like in other clothes. */
function formsOf(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex')
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from(' '.repeat(shift) + secret).toString('base64')
    // What the neighbours decide is left out at both ends.
    return text.slice(shift === 0 ? 0 : 4, -4)
  })
  const percent = [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
  const escaped = [...secret].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  return [
    secret,
    secret.toLowerCase(),
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
    escaped,
    ...base64,
  ]
}

/** A value for each variable that may hold a secret, and which upstreams stand behind them. */
function secretsFor(port: number, sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  const environment: Record<string, string> = {}
  const targets: Record<string, string> = {}
  const urlTo = (name: string, target: string, path = ''): string => {
    targets[name] = target
    return `http://user-${CANARY}:pass-${CANARY}@127.0.0.1:${port}/${name}/path-${CANARY}${path}?api-key=key-${CANARY}`
  }
  for (const variable of SECRET_VARIABLES) {
    const [, provider] = /^(\w+)_URL$/.exec(variable) ?? []
    const [, chain] = /^RPC_URLS_(\w+)$/.exec(variable) ?? []
    const [, routed] = /^ROUTER_URL_(\w+)$/.exec(variable) ?? []
    const key = chain?.toLowerCase()
    if (variable === 'RECORD_HEADER') environment[variable] = `x-record-${CANARY}`
    else if (variable === 'REDIS_URL')
      environment[variable] = `redis://user-${CANARY}:pass-${CANARY}@127.0.0.1:9`
    else if (variable.startsWith('SOLANA_')) {
      environment[variable] = [1, 2]
        .map((n) => urlTo(`${variable.toLowerCase()}-${n}`, sandbox.solanaUrl))
        .join()
    } else if (key === 'ton') {
      environment[variable] = sandbox.tonUrls
        .map((url, n) => urlTo(`ton-${n}`, new URL(url).origin, new URL(url).pathname))
        .join()
    } else if (key === 'sui') environment[variable] = urlTo('sui', sandbox.suiUrl)
    else if (key !== undefined) environment[variable] = urlTo(`rpc-${key}`, sandbox.evmUrl(key))
    else if (routed !== undefined)
      environment[variable] = urlTo(`router-${routed.toLowerCase()}`, sandbox.urls.router!)
    else if (provider !== undefined) {
      const name = provider.toLowerCase()
      environment[variable] = urlTo(name, sandbox.urls[name]!)
    } else if (/_(API_KEY|APP_KEY|APP_SECRET|SECRET)$/.test(variable)) {
      environment[variable] = `key-of-${variable}-${CANARY}-and-some-more`
      // A proxy would be asked in the place of all the others.
    } else if (variable.endsWith('_PROXY')) continue
    else throw new Error(`${variable} may hold a secret, and this test knows none for it.`)
  }
  return { environment, targets }
}

interface Asked {
  readonly path: string
  readonly body?: unknown
}

const TX = '5'.repeat(88)
const HASH = `0x${'ab'.repeat(32)}`
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const rpc = (method: string, params: readonly unknown[]): Asked => ({
  path: '/api/solrpc',
  body: { jsonrpc: '2.0', id: 1, method, params },
})
let sent = 0
const submission = (): string => {
  const blockhash = new Uint8Array(32).fill(5)
  new DataView(blockhash.buffer).setUint32(0, ++sent)
  return Buffer.from(serialize(transfer({ signers: [keypair('canaries')], blockhash }))).toString('base64')
}

/** At least one request of every endpoint that asks an upstream, and of those that tell of the instance. */
const asked = (quotes: readonly unknown[]): readonly Asked[] => [
  ...Object.values(SWAPS).map((order) => ({
    path: `/api/quote?${query({ ...order, amount: `1.${++sent}` })}`,
  })),
  { path: `/api/v2quote?${query({ ...SWAPS.base, amount: `2.${++sent}` })}` },
  ...quotes.map((body) => ({ path: '/api/build', body })),
  { path: `/api/xquote?${query({ ...CROSS_CHAIN, amount: `0.${++sent}` })}` },
  { path: `/api/xstatus?txHash=${HASH}&fromChain=base` },
  { path: '/api/tokens?all=1' },
  { path: `/api/token/base/${BRETT}` },
  { path: `/api/token/solana/${USDC.solana}` },
  { path: `/api/logo/base/${BRETT}` },
  { path: '/api/chains' },
  ...[EVM_WALLET, SUI_WALLET, TON_WALLET].map((address) => ({ path: `/api/portfolio?address=${address}` })),
  { path: `/api/portfolio?address=${SOLANA_WALLET}` },
  { path: `/api/balances?address=${EVM_WALLET}&sol=${SOLANA_WALLET}` },
  { path: '/api/swap-options' },
  { path: '/api/desktop/swap-options' },
  { path: '/api/basket/top?chain=base' },
  { path: '/api/basket/plan?chain=base&usd=100' },
  rpc('getBalance', [SOLANA_WALLET, { minContextSlot: ++sent }]),
  rpc('getAccountInfo', [SOLANA_WALLET, { minContextSlot: ++sent }]),
  rpc('getLatestBlockhash', []),
  rpc('getSignatureStatuses', [[TX]]),
  rpc('simulateTransaction', [submission(), { encoding: 'base64' }]),
  rpc('sendTransaction', [submission(), { encoding: 'base64' }]),
  rpc('sendTransactions', [[submission(), submission()], { encoding: 'base64' }]),
  rpc('noSuchMethod', []),
  { path: `/api/fast-trade-proof?digest=${TX}` },
  { path: '/api/rebroadcast' },
  { path: '/api/native-price?chain=base' },
  { path: `/api/priority-fees?accounts=${SOLANA_WALLET}` },
  { path: '/api/explain', body: { chain: 'solana', transaction: submission(), owner: SOLANA_WALLET } },
  {
    path: '/api/explain',
    body: { chain: 'base', owner: EVM_WALLET, call: { to: BRETT, data: '0x', value: String(++sent) } },
  },
  { path: '/api/native-history?chain=base' },
  { path: `/api/native-history?chain=base&token=${BRETT}&interval=5m` },
  { path: `/api/transaction-status?chain=base&hash=${HASH}` },
  { path: `/api/receipt?chain=base&hash=${HASH}` },
  { path: `/api/receipt?chain=solana&signature=${TX}` },
  { path: `/api/allowance?chain=base&token=${USDC.base}&owner=${EVM_WALLET}&spender=${BRETT}` },
  { path: '/api/discover/feed' },
  { path: `/api/discover/lookup?address=${BRETT}` },
  { path: '/api/discover/tokens?q=usdc' },
  { path: '/api/discover/nothing' },
  { path: '/api/health' },
  { path: '/api/config' },
  { path: '/api/diagnostics' },
  { path: '/api/bake-off' },
  { path: '/api/bake-off/export' },
  { path: '/api/funnel' },
  { path: '/api/funnel/summary' },
  { path: '/api/announcements' },
  { path: '/openapi.json' },
  { path: '/' },
  { path: `/nowhere/${HASH}` },
]
/** What an operator's content and the private routes answer is the operator's, or nothing. */
const IS_COMMUNITY = /^\/api\/(reels|social|game|referrals|arcade|onramp|push|recovery)\//

/**
 * Second nodes, most EVM chains and their routers, TON's nodes, which are asked for the wallets of jettons that the
 * sandbox does not swap, and STON.fi, which is asked for decimals that swap.coffee doesn't have.
 */
const IS_RARELY_ASKED = /landing|-2$|^rpc-|^router-(?!base$)|^ton-|^stonfi$/

/** Streams, which are read for a moment: what they begin with. */
const STREAMS = [
  `/api/prices/stream?tokens=base:${USDC.base},solana:${USDC.solana}`,
  `/api/quote/stream?${query(SWAPS.base)}`,
  '/api/bake-off/event',
]

async function ask(url: string, { path, body }: Asked): Promise<string> {
  const { statusCode, headers, ...answer } = await request(url + path, {
    // As the gateway's clock is far ahead, it may close a connection that the next request is sent on.
    reset: true,
    headers: {
      ...{
        [`x-record-${CANARY}`]: 'yes',
        authorization: `Bearer ${CANARY}`,
        'x-api-key': CANARY,
        cookie: CANARY,
      },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  return `${path.slice(0, 60)} ${statusCode}\n${JSON.stringify(headers)}\n${await answer.body.text()}`
}

async function listenTo(t: Test, url: string, texts: string[]): Promise<void> {
  for (const path of STREAMS) {
    const leaving = new AbortController()
    t.teardown(() => leaving.abort())
    const response = await fetch(url + path, { signal: leaving.signal })
    const read = async (): Promise<void> => {
      for await (const bytes of response.body!) texts.push(`${path} ${Buffer.from(bytes).toString()}`)
    }
    read().catch(() => {})
  }
}

t.test(
  'no secret of the configuration is in anything that anybody can read',
  { timeout: 300_000 },
  async (t) => {
    const sandbox = await startSandbox({ now: STILL.date })
    t.teardown(() => sandbox.close())
    const targets: Record<string, string> = {}
    const proxy = await echoingProxy(t, targets)
    const { environment, targets: all } = secretsFor(proxy.port, sandbox)
    Object.assign(targets, all)
    const parent = t.testdir()
    const folder = join(parent, `folder-${CANARY}`)
    mkdirSync(folder)
    const recordings = join(parent, 'recordings')
    let pausedMs = 0
    const idle = idleClock()
    const clock = clockOf({ now: () => idle.now() + pausedMs, after: idle.after })
    const gateway = await listen(
      t,
      {
        ...environment,
        MODE: 'live',
        LOG_LEVEL: 'trace',
        ADMIN_PORT: '0',
        CONTENT_DIR: folder,
        RECORD_DIR: recordings,
        RECORD_MIB: '4096',
        CLIENT_ADDRESS_HEADER: `x-${CANARY}`,
        LIMITS:
          'swap=off,portfolio=off,rpcRead=off,rpcSend=off,rpcBatch=off,explain=off,logo=off,refused=off',
        LOGOS: sandbox.urls.logos!,
        MIN_VERIFICATION: 'stated',
      },
      { deadlines: DEADLINES, clock },
    )
    const { url, adminUrl } = gateway
    const forms = [CANARY, `127.0.0.1:${proxy.port}`].flatMap(formsOf)
    const texts: string[] = []
    const check = (what: string): void => {
      const found = texts.filter((text) => forms.some((form) => text.includes(form)))
      t.same(
        found.map((text) => text.slice(0, 300)),
        [],
        what,
      )
      texts.length = 0
    }
    const takeLog = (): void =>
      void texts.push(...gateway.log.splice(0).map((line) => `log ${JSON.stringify(line)}`))
    const round = async (quotes: readonly unknown[]): Promise<void> => {
      texts.push(...(await idle.meanwhile(Promise.all(asked(quotes).map((one) => ask(url, one))))))
      texts.push(await ask(adminUrl!, { path: '/metrics' }))
      takeLog()
    }

    const quotes = await Promise.all(
      Object.values(SWAPS).map(async (order) => {
        const quote = await fetch(`${url}/api/quote?${query(order)}`)
        t.equal(quote.status, 200, `${order.chain} is quoted`)
        return { ...order, quote: await quote.json() }
      }),
    )
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> }
    const askedPaths = [...asked([{}]).map((one) => one.path), ...STREAMS]
    const isAsked = (path: string): boolean => {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)
      return askedPaths.some((one) => pattern.test(one))
    }
    t.same(
      Object.keys(paths).filter((path) => !IS_COMMUNITY.test(path) && !isAsked(path)),
      [],
      'every endpoint is asked',
    )

    await listenTo(t, url, texts)
    await round(quotes)
    t.same(
      Object.keys(targets).filter((name) => !proxy.asked.has(name) && !IS_RARELY_ASKED.test(name)),
      [],
      'every upstream is asked',
    )
    check('while all of them answer')

    for (const [name, fault] of Object.entries(FAULTS)) {
      pausedMs += PAUSE_MS
      proxy.fault = fault
      proxy.asked.clear()
      await round(quotes)
      t.ok(proxy.asked.size > 10, `${name}: ${proxy.asked.size} upstreams were asked`)
      check(name)
      proxy.fault = null
    }
    await gateway.stop()
    takeLog()
    check('at the end')
    for (const name of readdirSync(recordings))
      texts.push(...readFileSync(join(recordings, name), 'utf8').split('\n'))
    const count = texts.filter((line) => line.startsWith('{"recording":')).length
    t.ok(count > 500, `${count} requests were recorded`)
    check('in recordings')
  },
)

t.test('no error at the start repeats a secret', async (t) => {
  const { readConfig } = await import('../../../src/config/config.ts')
  for (const variable of SECRET_VARIABLES) {
    const isUrl = /_URLS?(_|$)/.test(variable)
    const bads = isUrl ? [`ftp://user:${CANARY}@${CANARY}.example`, `http://[${CANARY}`] : [CANARY.repeat(60)]
    // A proxy may be a host without a scheme.
    const isProxy = variable.endsWith('_PROXY')
    for (const bad of isProxy ? [`ftp://user:${CANARY}@${CANARY}.example`] : [...bads, `${CANARY}\u0007`]) {
      try {
        readConfig({ MODE: 'live', [variable]: bad })
        t.fail(`${variable} takes what it should not`)
      } catch (error) {
        t.match((error as Error).message, variable)
        t.notMatch((error as Error).message, CANARY)
      }
    }
    const misspelled = `${variable}X`
    t.throws(() => readConfig({ [misspelled]: CANARY }), new RegExp(`^(?!.*${CANARY})`, 's'))
  }
})
