import t from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { CHAINS } from '../../../src/chains/chains.ts'
import { parseTokens } from '../../../src/research/ticker/request.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `base:0x${(i + 1).toString(16).padStart(40, '0')}`).join()

t.test('each token is taken once, by the rules of its chain', async (t) => {
  t.same(parseTokens(`base:${USDC.toLowerCase()},solana:${BONK},base:${USDC},solana:${BONK}`), [
    { chain: 'base', address: USDC },
    { chain: 'solana', address: BONK },
  ])
  for (const chain of CHAINS) {
    const address = nativeAddress(chain)
    t.same(parseTokens(`${chain.key}:native`), [{ chain: chain.key, address }])
    t.same(parseTokens(`${chain.key}:${address},${chain.key}:native`), [{ chain: chain.key, address }])
  }
  t.match(parseTokens('sui:0x2::sui::SUI'), [{ address: /::sui::SUI$/ }], 'addresses may hold colons')
  t.equal(parseTokens(numbered(50)).length, 50)
  t.equal(parseTokens(`${numbered(50)},${numbered(50)}`).length, 50, 'doubles do not count')
})

t.test('a fault is reported with its entry', async (t) => {
  const cases: [text: string, index: number | undefined, message: RegExp][] = [
    ['', 0, /^Entry 1 of `tokens` must be a chain key, a colon and an address\.$/],
    [',', 0, /Entry 1/],
    [`base:${USDC},`, 1, /Entry 2 .* colon/],
    [`base:${USDC}, base:${USDC}`, 1, /Entry 2 .* chain key that GET \/api\/chains lists/],
    ['base', 0, /colon/],
    [':', 0, /chain key that/],
    ['BASE:native', 0, /chain key that/],
    ['sEcReT:native', 0, /chain key that/],
    [`base:native,base:${USDC.replace('f', 'F')}`, 1, /Entry 2 .* a token on Base, or native/],
    ['base:', 0, /token on Base/],
    [`base:${BONK}`, 0, /token on Base/],
    ['solana:sEcReT', 0, /token on Solana/],
    [numbered(51), undefined, /at most 50 tokens/],
  ]
  for (const [text, index, message] of cases) {
    const error = t.throws(() => parseTokens(text), {
      name: 'GatewayError',
      status: 400,
      code: 'invalid_parameter',
      message,
      fields: { field: 'tokens' },
    }) as { fields?: { index?: number }; message?: string }
    t.equal(error.fields?.index, index, text.slice(0, 60))
    t.notMatch(error.message, 'sEcReT')
  }
})
