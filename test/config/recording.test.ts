import t from 'tap'
import { readConfig } from '../../src/config/config.ts'

const filterOf = (text: string) => readConfig({ RECORD_FILTER: text }).record.filter

t.test('RECORD_FILTER names the requests that are recorded', async (t) => {
  t.same(filterOf(''), { header: null, route: null, error: null, oneIn: 1 })
  t.same(filterOf('header=X-Record:yes, route=/api/quote,error=price_moved,one-in=100'), {
    header: { name: 'x-record', value: 'yes' },
    route: '/api/quote',
    error: 'price_moved',
    oneIn: 100,
  })
  for (const bad of ['header=x', 'route=api', 'one-in=0', 'other=1', 'quote'])
    t.throws(() => filterOf(bad), bad)
})

t.test('a recording names settings without keys and hosts', async (t) => {
  const { settings, secrets } = readConfig({
    SOLANA_RPC_URLS: 'https://one.example/KEY-OF-MINE,https://one.example/other,https://two.example',
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
  for (const secret of ['one.example', 'key-of-mine', 'jupiter-key', 's'.repeat(40)])
    t.ok(secrets.includes(secret))
  // The settings of a recording start a gateway again.
  t.equal(readConfig(settings).solanaRpcUrls!.length, 3)
})
