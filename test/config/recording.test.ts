import t from 'tap'
import { readConfig } from '../../src/config/config.ts'

t.test('a request to record is described by settings of one value each', async (t) => {
  const recorded = (settings: Record<string, string>) =>
    readConfig({ RECORD_DIR: '/tmp', ...settings }).record
  t.match(recorded({}), { header: null, path: null, error: null, oneIn: 1, maxMib: 256 })
  const given = { RECORD_HEADER: 'X-Record', RECORD_PATH: '/api/quote', RECORD_ERROR: 'internal_error' }
  t.match(recorded(given), { header: 'x-record', path: '/api/quote', error: 'internal_error' })
  for (const [name, bad] of [
    ['RECORD_HEADER', 'a b'],
    ['RECORD_ERROR', 'no_such_code'],
    ['RECORD_ONE_IN', '0'],
  ])
    t.throws(() => recorded({ [name!]: bad! }), new RegExp(name!))
  t.throws(() => recorded({ WORKERS: '2' }), /RECORD_DIR needs WORKERS=1/)
})

t.test('a recording names settings without keys and hosts', async (t) => {
  const { settings, secrets } = readConfig({
    SOLANA_RPC_URLS: 'https://one.example/KEY-OF-MINE,https://one.example/other,https://two.example',
    RPC_URLS_ETHEREUM: 'https://one.example/Ethereum/key-by-path?network=ethereum&key=key-by-query',
    JUPITER_API_KEY: 'jupiter-key',
    QUOTE_SECRET: 's'.repeat(40),
    MIN_LIQUIDITY_USD: '5',
    LOG_LEVEL: 'warn',
    RECORD_DIR: 'recordings',
  }).given!
  const text = JSON.stringify(settings)
  t.notMatch(text, /example|KEY-OF-MINE|jupiter-key|ssss|LOG_LEVEL/)
  const hosts = settings.SOLANA_RPC_URLS!.split(',').map((url) => new URL(url).host)
  t.equal(new Set(hosts).size, 2)
  t.equal(hosts[0], hosts[1])
  t.equal(settings.MIN_LIQUIDITY_USD, '5')
  const all = ['one.example', 'key-of-mine', 'key-by-path', 'key-by-query', 'jupiter-key', 's'.repeat(40)]
  for (const secret of all) t.ok(secrets.includes(secret))
  t.notOk(secrets.includes('ethereum'), 'which answers contain')
  // The settings of a recording start a gateway again.
  t.equal(readConfig(settings).solanaRpcUrls!.length, 3)
})
