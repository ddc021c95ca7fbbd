import t from 'tap'
import { nearest } from '../../src/runtime/nearest.ts'

const PARAMETERS = ['fromToken', 'toToken', 'amount', 'slippageBps', 'chain', 'account', 'mode', 'id']

t.test(
  'a slip, another case, another separator or a beginning leads to the name that was meant',
  async (t) => {
    const meant: Record<string, string> = {
      slippage: 'slippageBps',
      slippage_bps: 'slippageBps',
      'SLIPPAGE-BPS': 'slippageBps',
      slipageBps: 'slippageBps',
      fromTokens: 'fromToken',
      formToken: 'fromToken',
      totoken: 'toToken',
      amuont: 'amount',
      ammount: 'amount',
      amoun: 'amount',
      amountIn: 'amount',
      chains: 'chain',
      chainId: 'chain',
      accuont: 'account',
      ID: 'id',
    }
    for (const [name, known] of Object.entries(meant)) t.equal(nearest(name, PARAMETERS), known, name)
  },
)

t.test('an unrelated name has no nearest one', async (t) => {
  for (const name of [
    '',
    '_',
    'i',
    'it',
    'x',
    'to',
    'from',
    'api',
    'utm_source',
    'callback',
    'cha',
    'toekn',
  ]) {
    t.equal(nearest(name, ['id', 'amount', 'chain', 'slippageBps']), null, name)
  }
  t.equal(nearest('amount', []), null)
  // One slip in seven characters is forgiven, two in eleven, three in fourteen.
  t.equal(nearest('toTkoen', ['toToken']), 'toToken')
  t.equal(nearest('tuTkoen', ['toToken']), null)
  t.equal(nearest('slipageBbs', ['slippageBps']), 'slippageBps')
  t.equal(nearest('slipageBbz', ['slippageBps']), null)
  t.equal(nearest('TRUSTED_PROXY', ['TRUSTED_PROXIES']), 'TRUSTED_PROXIES')
  t.equal(nearest('TRUST_PROXY', ['TRUSTED_PROXIES']), null)
})

t.test('the nearer name wins, and of equally near ones the first', async (t) => {
  t.equal(nearest('RPC_URLS_BAS', ['RPC_URLS_BSC', 'RPC_URLS_BASE']), 'RPC_URLS_BASE')
  t.equal(nearest('RPC_URLS_BSE', ['RPC_URLS_BASE', 'RPC_URLS_BSC']), 'RPC_URLS_BASE')
  t.equal(nearest('amount', ['amounts', 'amount']), 'amount')
  t.equal(nearest('slippage', ['slippageMaximum', 'slippageBps']), 'slippageBps')
})

t.test('a beginning is near where it may be', async (t) => {
  t.equal(nearest('admin', ['ADMIN_PORT']), 'ADMIN_PORT')
  t.equal(nearest('admin', ['ADMIN_PORT'], false), null)
  t.equal(nearest('adminport', ['ADMIN_PORT'], false), 'ADMIN_PORT')
})

t.test('a name of a megabyte costs no more than its length', async (t) => {
  t.equal(nearest('x'.repeat(1_000_000), PARAMETERS), null)
})
