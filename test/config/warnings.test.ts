import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { warningsOf } from '../../src/config/warnings.ts'

const messages = (environment: Record<string, string>) =>
  warningsOf(readConfig(environment)).map(({ facts, message }) => `${message} ${JSON.stringify(facts)}`)

t.test('a live gateway with its defaults warns of what it will run short of', async (t) => {
  const [shared, keyless, secret, ...none] = messages({ MODE: 'live', CHAINS: 'base,solana,scroll' })
  t.match(shared, /^only public nodes.*set SOLANA_RPC_URLS, RPC_URLS_\w+ and the like .*"solana"/)
  t.match(keyless, /less than one call a second.*"jupiter","xprov","geckoterminal","goplus"/)
  t.match(secret, /QUOTE_SECRET is random/)
  t.same(none, [])
})

t.test('each warning goes away with what it asks for', async (t) => {
  const nodes = { MODE: 'live', CHAINS: 'base', RPC_URLS_BASE: 'https://a.example/k3y,https://b.example' }
  const keys = {
    JUPITER_API_KEY: 'k3y',
    XPROV_API_KEY: 'k3y',
    GECKOTERMINAL_URL: 'https://own.example',
    GOPLUS_URL: 'off',
  }
  const secret = { QUOTE_SECRET: 'x'.repeat(40) }
  t.same(messages({ ...nodes, ...keys, ...secret }), [])
  const [single, ...others] = messages({
    ...nodes,
    ...keys,
    ...secret,
    RPC_URLS_BASE: 'https://a.example/one,https://a.example/two',
  })
  t.match(single, /^one node only.*\["base"\]/, 'two URLs of one host are one node')
  t.same(others, [])
  t.same(messages({}), [], 'the sandbox needs nothing')
})
