import t from 'tap'
import { ConfigError, readConfig, variableNames } from '../../src/config/config.ts'
import { readFlags } from '../../src/config/flags.ts'
import { helpText } from '../../src/config/help.ts'

t.test('has a default for everything', async (t) => {
  const config = readConfig({})
  t.match(config, {
    host: '127.0.0.1',
    port: 8080,
    mode: 'sandbox',
    solanaRpcUrls: null,
    solanaSendUrls: null,
    solanaLandingUrls: null,
    maxRetries: 5,
    maxV1TransactionBytes: 1_232,
    extraRpcMethods: { length: 0 },
    rpcCompat: 'strict',
    verifier: 'noble',
    clientAddressHeader: 'x-forwarded-for',
    limits: { rpcSend: { client: 6, global: 120 } },
    corsOrigins: '*',
    publicUrl: null,
    adminPort: null,
    logLevel: 'info',
    maxConnections: null,
    maxConnectionsPerClient: null,
    drainDelayMs: 0,
    shutdownGraceMs: 10_000,
  })
  t.ok(Object.isFrozen(config))
  t.strictSame(readConfig({ PORT: '', MODE: ' ' }), readConfig({}), 'an empty variable is not set')
})

t.test('reads each variable', async (t) => {
  const config = readConfig({
    HOST: '::',
    PORT: '0',
    MODE: 'live',
    SOLANA_RPC_URLS: 'https://a.example/?api-key=k, http://127.0.0.1:8899',
    SOLANA_SEND_URLS: 'https://b.example',
    SOLANA_LANDING_URLS: 'https://c.example/?key=k',
    SOLANA_MAX_RETRIES: '0',
    MAX_V1_TRANSACTION_BYTES: '4096',
    EXTRA_RPC_METHODS: 'getVersion, getEpochInfo,getVersion',
    RPC_COMPAT: 'node',
    VERIFIER: 'native',
    TRUSTED_PROXIES: 'none',
    CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
    LIMITS: 'rpcSend=10/200,swap=off',
    CORS_ORIGINS: 'https://app.example,http://localhost:3000',
    ADMIN_HOST: '0.0.0.0',
    ADMIN_PORT: '9090',
    LOG_LEVEL: 'silent',
    MAX_CONNECTIONS: '500',
    MAX_CONNECTIONS_PER_CLIENT: 'off',
    DRAIN_DELAY_MS: '5000',
    SHUTDOWN_GRACE_MS: '0',
  })
  t.match(config, {
    host: '::',
    port: 0,
    mode: 'live',
    solanaRpcUrls: ['https://a.example/?api-key=k', 'http://127.0.0.1:8899'],
    solanaSendUrls: ['https://b.example'],
    solanaLandingUrls: ['https://c.example/?key=k'],
    maxRetries: 0,
    maxV1TransactionBytes: 4_096,
    extraRpcMethods: ['getEpochInfo', 'getVersion'],
    rpcCompat: 'node',
    verifier: 'native',
    clientAddressHeader: 'cf-connecting-ip',
    limits: { rpcSend: { client: 10, global: 200 }, swap: { client: Infinity }, rpcRead: { client: 60 } },
    corsOrigins: ['https://app.example', 'http://localhost:3000'],
    adminHost: '0.0.0.0',
    adminPort: 9090,
    logLevel: 'silent',
    maxConnections: 500,
    maxConnectionsPerClient: Infinity,
    drainDelayMs: 5_000,
    shutdownGraceMs: 0,
  })
  t.equal(readConfig({ CORS_ORIGINS: 'off' }).corsOrigins, null)
  const apps =
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn,moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc,capacitor://localhost,tauri://localhost,https://*.app.example:8443,http://*.localhost:3000'
  t.same(readConfig({ CORS_ORIGINS: apps }).corsOrigins, apps.split(','))
  t.throws(() => readConfig({ CORS_ORIGINS: 'https://App.example/x' }), {
    message: /entry 1 is no origin as browsers write it, such as https:..app\.example$/,
  })
  t.equal(readConfig({ PUBLIC_URL: 'https://Swap.example/a/' }).publicUrl, 'https://swap.example/a')
})

t.test('names every bad value at once, and what is accepted', async (t) => {
  const bad: Record<string, string[]> = {
    HOST: ['a b', '-x', '999.1.1.1:80'],
    PORT: ['65536', '-1', '80.5', 'http', '0x50'],
    MODE: ['test', 'LIVE'],
    SOLANA_RPC_URLS: [
      'ftp://a.example',
      'a.example',
      'https://a.example,',
      'https://a.example,https://a.example',
      'https://a.example#x',
    ],
    SOLANA_SEND_URLS: ['ws://a.example'],
    SOLANA_LANDING_URLS: ['ws://a.example'],
    SOLANA_MAX_RETRIES: ['101', 'none'],
    MAX_V1_TRANSACTION_BYTES: ['1231', '4097', '4 KiB'],
    EXTRA_RPC_METHODS: ['getEpochinfo', 'getVersion,', 'getProgramAccounts', 'getSlot', 'requestAirdrop'],
    VERIFIER: ['openssl'],
    TRUSTED_PROXIES: ['10.0.0.0/33', 'everybody'],
    CLIENT_ADDRESS_HEADER: ['x forwarded', 'x:y'],
    LIMITS: ['rpc=1/2', 'swap=0/1', 'swap'],
    PUBLIC_URL: [
      'swap.example',
      'ftp://a.example',
      'https://a.example/?b',
      'https://u:p@a.example',
      'https://a/#b',
    ],
    CORS_ORIGINS: [
      ...['app.example', 'https://app.example/', 'https://app.example,*', 'https://App.example', 'null'],
      ...[
        'https://app.example:443',
        'https://bücher.example',
        'https://u:p@app.example',
        'https://a.*.example',
      ],
      ...[
        'https://*',
        'https://*app.example',
        'https://*.*.example',
        'https://*.1.2.3.4',
        'https://*.App.example',
      ],
      ...[
        'wss://app.example',
        'ftp://app.example',
        'file://a',
        'capacitor://localhost/',
        'Tauri://localhost',
      ],
      ...['chrome-extension://*', 'chrome-extension://', 'https://app.example,'],
    ],
    ADMIN_HOST: ['a b'],
    ADMIN_PORT: ['on'],
    LOG_LEVEL: ['verbose'],
    SHUTDOWN_GRACE_MS: ['1s', '600001'],
  }
  for (const [variable, values] of Object.entries(bad)) {
    for (const value of values) {
      t.throws(
        () => readConfig({ [variable]: value }),
        { name: 'ConfigError', message: `${variable}=` },
        `${variable}=${value}`,
      )
    }
  }
  const all = Object.fromEntries(Object.entries(bad).map(([variable, values]) => [variable, values[0]]))
  try {
    readConfig(all)
    t.fail('a bad configuration was accepted')
  } catch (error) {
    t.type(error, ConfigError)
    const { message } = error as Error
    for (const variable of Object.keys(bad)) t.match(message, `${variable}=`)
    t.match(message, 'MODE="test": expected sandbox or live')
  }
})

t.test('a method that is nearly one that can be added is named', async (t) => {
  t.throws(
    () => readConfig({ EXTRA_RPC_METHODS: 'getVersion,getEpochinfo' }),
    new ConfigError(
      'bad configuration:\n  EXTRA_RPC_METHODS="getVersion,getEpochinfo": getEpochinfo is not known; getEpochInfo is',
    ),
  )
})

t.test('a URL that may hold a key is not repeated in the error', async (t) => {
  t.throws(
    () => readConfig({ SOLANA_RPC_URLS: 'htps://rpc.example/?api-key=SECRET' }),
    new ConfigError(
      'bad configuration:\n  SOLANA_RPC_URLS=(not shown): entry 1 is not an http or https URL without a fragment',
    ),
  )
})

t.test('the help lists every variable with its default', async (t) => {
  const help = helpText()
  for (const name of [
    'HOST',
    'PORT',
    'MODE',
    'SOLANA_RPC_URLS',
    'LIMITS',
    'TRUSTED_PROXIES',
    'VERIFIER',
    'ADMIN_PORT',
  ]) {
    t.match(help, `  ${name} `)
  }
  t.match(help, 'default 8080')
})

t.test('OPERATIONS=admin needs the listener that answers them', async (t) => {
  t.equal(readConfig({}).operations, 'public')
  t.equal(readConfig({ OPERATIONS: 'admin', ADMIN_PORT: '0' }).operations, 'admin')
  t.throws(() => readConfig({ OPERATIONS: 'admin' }), { message: /OPERATIONS=admin needs ADMIN_PORT/ })
  t.throws(() => readConfig({ OPERATIONS: 'off' }), { message: /public or admin/ })
})

t.test('REDIS_URL is one server, or some nodes of a cluster', async (t) => {
  const urlsOf = (text: string) => readConfig({ REDIS_URL: text, QUOTE_SECRET: 's'.repeat(32) }).redisUrls
  t.equal(urlsOf(''), null)
  t.same(urlsOf('redis://localhost'), ['redis://localhost'])
  t.same(urlsOf('rediss://user:password@redis.internal:6380/3'), [
    'rediss://user:password@redis.internal:6380/3',
  ])
  t.same(urlsOf('redis://a:1, redis://b:2'), ['redis://a:1', 'redis://b:2'])
  for (const text of ['unix:///run/redis.sock', 'unix://user:p%25@localhost/run/my%20redis.sock']) {
    t.same(urlsOf(text), [text])
  }
  for (const [text, message] of [
    ['localhost:6379', /REDIS_URL=\(not shown\): entry 1 is not a URL such as/],
    ['http://localhost', /entry 1 is not/],
    ['redis://a,redis://', /entry 2 is not/],
    ['redis://a/two', /entry 1 is not/],
    ['redis://:100%@a', /entry 1 is not/],
    ['redis://a?db=2', /entry 1 is not/],
    ['redis://a/1,redis://b/1', /no numbered databases/],
    ['unix://', /entry 1 is not/],
    ['unix:///', /entry 1 is not/],
    ['unix://elsewhere/run/redis.sock', /entry 1 is not/],
    ['unix:///run/100%.sock', /entry 1 is not/],
    ['unix:///run/redis.sock?db=2', /entry 1 is not/],
    ['redis://a,unix:///run/redis.sock', /not on a Unix socket/],
  ] as const) {
    t.throws(() => urlsOf(text), { message }, text)
  }
})

t.test('REDIS_PREFIX cannot break the tags that hold the keys of a script together', async (t) => {
  t.equal(readConfig({}).redisPrefix, 'swapgate')
  t.equal(readConfig({ REDIS_PREFIX: 'swap.2-b_c' }).redisPrefix, 'swap.2-b_c')
  for (const text of ['{a}', 'a b', 'a:b', 'a'.repeat(65)])
    t.throws(() => readConfig({ REDIS_PREFIX: text }), text)
})

/** Long, with a control character, with a password, and costly for a careless expression. */
const NASTY: readonly string[] = [
  ...['a', '1', 'a.', 'a-', 'a/', ',', '::', '*.', 'a=1/1,', '10.0.0.0/8,', '%41', 'https://a.example,'].map(
    (part) => `${part.repeat(100_000 / part.length)}!`,
  ),
  ...['https://', 'redis://', 'unix:///'].map((scheme) => `${scheme}${'a/'.repeat(50_000)} #`),
  `https://user:s3cret@a.example/${'x'.repeat(1_000)}#y`,
  'user:s3cret@a.example:x y',
  'https://a.example/?token=s3cret y',
  '\u001b[31mred\u009b\u202e',
  'gateway.eu-central-1.internal.example.com:8080',
  'ec2-203-0-113-25.compute-1.amazonaws.com/',
]

t.test(
  'no value keeps the start busy, and no error repeats a long one, a password or a control',
  async (t) => {
    const faults: string[] = []
    for (const variable of variableNames()) {
      for (const value of NASTY) {
        const { message, ms } = timed(() => readConfig({ [variable]: value }))
        const echo = message.replace(/^bad configuration:\n {2}/, '')
        // Names of what is accepted take a few hundred characters.
        if (ms > 1_000 || echo.length > 900 || /s3cret|[\p{C}\p{Zl}]/u.test(echo.replaceAll('\n', ''))) {
          faults.push(`${variable}=${value.slice(0, 60)}: ${ms} ms, ${echo.slice(0, 200)}`)
        }
      }
    }
    t.same(faults, [])
    t.throws(() => readConfig({ PUBLIC_URL: 'https://u:pw@a.example' }), {
      message: /PUBLIC_URL="\(not shown\)@a\.example": expected/,
    })
    t.throws(() => readConfig({ CHAINS: '\u001b[31mbase' }), {
      message: /CHAINS="\\u\{1b\}\[31mbase": \\u\{1b\}\[31mbase is/,
    })
    t.throws(() => readConfig({ MODE: 'x'.repeat(81) }), { message: `MODE="${'x'.repeat(79)}…": expected` })
    t.throws(() => readFlags([`--${'x'.repeat(81)}`]), { message: /^"--x{77}…" is not a flag/ })
    t.throws(() => readConfig({ 'RPC_URLS_\u001b[31m': 'x' }), {
      message: /RPC_URLS_\\u\{1b\}\[31m is not read/,
    })
  },
)

function timed(read: () => unknown): { readonly message: string; readonly ms: number } {
  const begunAt = process.cpuUsage()
  let message = ''
  try {
    read()
  } catch (error) {
    message = (error as Error).message
  }
  const { user, system } = process.cpuUsage(begunAt)
  return { message, ms: (user + system) / 1_000 }
}
