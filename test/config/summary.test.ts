import t, { type Test } from 'tap'
import { PROVIDER_NAMES } from '../../src/config/providers.ts'
import { forPeople } from '../../src/config/terminal.ts'
import { listen } from '../fixtures/gateway.ts'

/** Stands in every URL and key of the operator's. */
const CANARY = 'canary7f3a'
const url = (name: string) => `https://${CANARY}-${name}.example/${CANARY}?api-key=${CANARY}`

/** The start line of a gateway with these variables, and how it is shown to people. */
async function startLine(t: Test, environment: Record<string, string>) {
  const { log } = await listen(t, environment)
  const line = log.find(({ msg }) => msg === 'listening')!
  return { line, json: JSON.stringify(line), text: forPeople(JSON.stringify(line)) }
}

t.test('the start line counts the upstreams and says who runs them', async (t) => {
  const { line, text } = await startLine(t, { MODE: 'live' })
  t.match(line, {
    mode: 'live',
    configured: {
      solana: { read: { count: 1, by: 'public' }, send: { count: 1, by: 'public' } },
      nodes: { own: { length: 0 }, others: 'public' },
      providers: {
        count: PROVIDER_NAMES.length,
        own: { length: 0 },
        others: 'public',
        off: { length: 0 },
        keys: { length: 0 },
      },
      budgets: /^swap=60\/1200,.*rpcSend=6\/120/,
      changedBudgets: { length: 0 },
      connections: { all: Number, perClient: Number },
      rpcCompat: 'strict',
      verifier: 'noble',
      minVerification: 'simulated',
      quoteSecret: 'random',
    },
  })
  t.match(text, / nodes +Solana: 1 to read \(public\), 1 to send \(public\); others: public\n/)
  t.match(text, / providers +12, public\n/)
  t.match(text, / budgets +swap=60\/1200,\S+\n/)
})

t.test('the start line shows what deviates, and no URL, key or host of the operator', async (t) => {
  const { line, json, text } = await startLine(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: `${url('one')},${url('two')}`,
    SOLANA_SEND_URLS: `${url('two')},${url('three')},${url('four')}`,
    RPC_URLS_BASE: url('base'),
    RPC_URLS_TON: `${url('ton')},${url('ton2')},${url('ton3')}`,
    JUPITER_URL: url('jupiter'),
    VELORA_URL: 'off',
    XPROV_API_KEY: CANARY,
    JUPITER_API_KEY: CANARY,
    QUOTE_SECRET: CANARY.repeat(4),
    LIMITS: 'rpcSend=10/120,rpcRead=off',
    MAX_CONNECTIONS: '77',
    MAX_CONNECTIONS_PER_CLIENT: 'off',
    RPC_COMPAT: 'node',
    VERIFIER: 'native',
    MIN_VERIFICATION: 'proved',
    CORS_ORIGINS: `https://${CANARY}.example`,
    CLIENT_ADDRESS_HEADER: `x-${CANARY}`,
  })
  const { line: plain } = await startLine(t, { MODE: 'live' })
  const upstreams = ({ configured }: Record<string, unknown>) =>
    (configured as { upstreams: number }).upstreams
  // Four distinct Solana nodes for the one, one of Base's for its three, three of TON's for its two, Velora off.
  t.equal(upstreams(line) - upstreams(plain), 3 - 2 + 1 - 1)
  t.match(line, {
    configured: {
      solana: { read: { count: 2, by: 'own' }, send: { count: 3, by: 'own' } },
      nodes: { own: ['base', 'ton'], others: 'public' },
      providers: { count: 11, own: ['jupiter'], off: ['velora'], keys: ['jupiter', 'xprov'] },
      budgets: /rpcRead=off.*rpcSend=10\/120/,
      changedBudgets: ['rpcRead', 'rpcSend'],
      connections: { all: 77, perClient: 'off' },
      rpcCompat: 'node',
      verifier: 'native',
      minVerification: 'proved',
      quoteSecret: 'own',
    },
  })
  t.notMatch(json, CANARY)
  t.notMatch(text, CANARY)
  t.match(text, /2 to read \(your own\), 3 to send \(your own\); others: public; your own: base, ton\n/)
  t.match(text, /11, public; your own: jupiter; off: velora; with a key: jupiter, xprov\n/)
  t.match(text, /; changed: rpcRead, rpcSend\n/)
  t.match(text, / clients +77 connections; of one address: off\n/)
  t.match(text, /signatures by native; builds at least proved\n/)
})

t.test('in sandbox mode the others are simulated, and what the operator chose is not', async (t) => {
  const { line, text } = await startLine(t, { SOLANA_SEND_URLS: url('send') })
  t.match(line, {
    configured: {
      upstreams: null,
      solana: { read: { count: 1, by: 'sandbox' }, send: { count: 1, by: 'own' } },
      nodes: { others: 'sandbox' },
      providers: { others: 'sandbox' },
    },
  })
  t.match(text, /Solana: 1 to read \(simulated\), 1 to send \(your own\); others: simulated\n/)
  t.notMatch(text, CANARY)
})
