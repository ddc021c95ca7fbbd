/** The providers' lists of tokens, as the sandbox serves them, and as an attacker would. */
import t, { type Test } from 'tap'
import { jupiterVerified } from '../../../src/providers/tokens/jupiter-verified.ts'
import { xprovTokens } from '../../../src/providers/tokens/xprov-tokens.ts'
import { tokensAnswer } from '../../../src/sandbox/market/jupiter-tokens.ts'
import { failureOf, OPTIONS, startProvider } from '../../fixtures/provider.ts'
import { startXprov } from '../../fixtures/xprov.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
const item = (number: number, more: object = {}) => ({
  address: address(number),
  symbol: `T${number}`,
  name: `Token ${number}`,
  decimals: 18,
  chainId: 8453,
  priceUSD: '1.5',
  ...more,
})

/** A provider that answers this, whatever it is asked. */
async function answering(t: Test, body: unknown) {
  const { upstream, requests } = await startProvider(t, () => ({
    name: 'xprov',
    rateLimited: () => ({ status: 429, body: {} }),
    handle: () => ({ status: 200, body }),
  }))
  return { upstream, requests }
}
const listed = async (t: Test, items: readonly unknown[]) =>
  xprovTokens((await answering(t, { tokens: { 8453: items } })).upstream).ask('base', OPTIONS)

t.test("the cross-chain provider's tokens of a chain, without its coin and flagged ones", async (t) => {
  const { upstream, market, requests } = await startXprov(t)
  const source = xprovTokens(upstream)
  t.notOk(source.chains.has('solana'))
  t.equal(source.everyMs, 1_800_000)
  const tokens = await source.ask('base', OPTIONS)
  t.equal(`${requests[0]!.path}?${requests[0]!.query}`, '/v1/tokens?chains=8453&chainTypes=EVM')
  const expected = market.tokens('base').filter(({ isNative, trait }) => !isNative && trait !== 'spam')
  t.same(tokens.map((one) => one.address).sort(), expected.map((one) => one.address).sort())
  t.match(tokens[0], { chain: 'base', isVouched: true })
  t.match(
    tokens.find(({ symbol }) => symbol === 'HONEY'),
    { isVouched: false },
  )
  const sui = await source.ask('sui', OPTIONS)
  t.equal(requests.at(-1)!.query.get('chainTypes'), 'MVM')
  t.ok(sui.some(({ symbol }) => symbol === 'CETUS'))
})

t.test('the map of chains may stand without the member around it', async (t) => {
  const { upstream } = await answering(t, { 8453: [item(1)] })
  t.match(await xprovTokens(upstream).ask('base', OPTIONS), [{ symbol: 'T1', isVouched: false }])
})

t.test('a link to a logo is kept if it leads to the public web, and is short', async (t) => {
  const long = `https://foo.example/${'x'.repeat(300)}`
  const wrong = [
    'http://foo.example/a',
    'https://127.0.0.1/a',
    'https://db.internal/a',
    'javascript:1',
    '',
    7,
    null,
    long,
  ]
  const good = 'https://foo.example/a.png'
  const items = [good, ...wrong].map((logoURI, i) => item(i + 1, { logoURI }))
  const tokens = await listed(t, items)
  t.same(
    tokens.map(({ logo }) => logo),
    [good, ...wrong.map(() => undefined)],
  )
})

t.test('a malformed item is left out, and no other', async (t) => {
  const wrong = [
    null,
    'text',
    [],
    item(2, { decimals: '18' }),
    item(3, { decimals: 37 }),
    item(4, { decimals: -1 }),
    item(5, { decimals: 1.5 }),
    item(6, { symbol: '' }),
    item(7, { symbol: 7 }),
    item(8, { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }),
    item(9, { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda0291' }),
    item(10, { address: USDC.replace('fCD6', 'fcD6') }),
    item(11, { address: address(0) }),
    item(12, { verificationStatus: 'flagged' }),
    item(13, { symbol: 'USDC' }),
    item(14, { symbol: 'ＵＳＤＣ' }),
    item(15, { symbol: 'usd\u200bc' }),
    item(16, { symbol: 'eth ' }),
    item(17, { name: 'x'.repeat(70_000) }),
  ]
  const good = [
    item(20, { symbol: 'USDC', verificationStatus: 'verified' }),
    item(21, { name: 'Two\tlines\n\u202eof text' }),
    item(22, { name: null }),
    item(23, { address: USDC, symbol: 'USDC' }),
    item(21, { symbol: 'AGAIN' }),
  ]
  const tokens = await listed(t, [...wrong, ...good])
  t.same(
    tokens.map(({ symbol, name, isVouched }) => [symbol, name, isVouched]),
    [
      ['USDC', 'Token 20', true],
      ['T21', 'Two lines of text', false],
      ['T22', 'T22', false],
      ['USDC', 'Token 23', false],
    ],
  )
})

t.test('of a list that is too long, vouched and priced tokens are kept', async (t) => {
  const unpriced = Array.from({ length: 1_500 }, (_, i) => item(i + 1, { priceUSD: '0' }))
  const priced = Array.from({ length: 1_500 }, (_, i) => item(i + 10_001))
  const verified = Array.from({ length: 400 }, (_, i) => item(i + 20_001, { verificationStatus: 'verified' }))
  const tokens = await listed(t, [...unpriced, ...priced, ...verified])
  t.equal(tokens.length, 2_000)
  t.equal(tokens.filter(({ isVouched }) => isVouched).length, 400)
  t.equal(tokens.filter(({ symbol }) => Number(symbol.slice(1)) <= 1_500).length, 100)
})

t.test('a million tokens are refused, or cut, in pieces that leave others their turns', async (t) => {
  const huge = `{"tokens":{"8453":[${Array.from({ length: 60_000 }, (_, i) => JSON.stringify(item(i + 1))).join()}]}}`
  const tooLong = await answering(t, huge)
  t.match(await failureOf(xprovTokens(tooLong.upstream).ask('base', OPTIONS)), { code: 'upstream_unusable' })

  const small = Array.from({ length: 150_000 }, (_, i) => `{"address":"${address(i + 1).slice(0, 20)}"}`)
  const { upstream } = await answering(t, `{"tokens":{"8453":[${JSON.stringify(item(1))},${small.join()}]}}`)
  let turns = 0
  const count = setInterval(() => turns++, 1)
  t.equal((await xprovTokens(upstream).ask('base', OPTIONS)).length, 1)
  clearInterval(count)
  t.ok(turns > 5, `${turns} turns`)
})

t.test("anything but a list of the chain's tokens is refused", async (t) => {
  for (const body of [
    '[]',
    '{}',
    '{"tokens":{}}',
    '{"tokens":{"1":[]}}',
    '{"tokens":{"8453":[',
    'x',
    '[[[[',
  ]) {
    const { upstream } = await answering(t, body)
    t.match(await failureOf(xprovTokens(upstream).ask('base', OPTIONS)), { code: 'upstream_unusable' }, body)
  }
})

t.test("Jupiter's verified mints, the most organic first", async (t) => {
  const { upstream, market } = await startProvider(t, (world) => ({
    name: 'jupiter',
    rateLimited: () => ({ status: 429, body: {} }),
    handle: (request) => ({ status: 200, body: tokensAnswer(world.market, request) }),
  }))
  const source = jupiterVerified(upstream)
  const tokens = await source.ask('solana', OPTIONS)
  const expected = market.tokens('solana').filter(({ isNative, trait }) => !isNative && trait === null)
  t.same(tokens.map((one) => one.symbol).sort(), expected.map((one) => one.symbol).sort())
  t.ok(tokens.every(({ isVouched }) => isVouched))

  const mints = [
    'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
    '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R',
  ]
  const sus = { id: 'HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3', symbol: 'S', name: 'S', decimals: 6 }
  const { upstream: other } = await answering(t, [
    { id: mints[0], symbol: 'A', name: 'A', decimals: 6, organicScore: 3, stats1h: { priceChange: 1 } },
    { id: mints[1], symbol: 'B', name: 'B', decimals: 9, organicScore: 80 },
    { ...sus, audit: { isSus: false } },
  ])
  t.same(
    (await jupiterVerified(other).ask('solana', OPTIONS)).map(({ address }) => address),
    [mints[1], mints[0]],
  )
})
