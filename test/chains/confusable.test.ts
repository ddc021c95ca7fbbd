import t from 'tap'
import { CHAINS } from '../../src/chains/chains.ts'
import { readsLike, skeletonOf } from '../../src/chains/confusable.ts'
import { MAJORS } from '../../src/chains/majors.ts'

t.test('what looks alike reads alike', async (t) => {
  const alike: [text: string, other: string][] = [
    ['USDC', 'usdc'],
    ['USDC', 'UЅDС'],
    ['USDC', 'U5DC'],
    ['USDC', 'US​DC'],
    ['USDC', 'ＵＳＤＣ'],
    ['USDC', '$USDC'.slice(1)],
    ['USDC', 'U.S.D.C'],
    ['USDC', 'ÛSDC'],
    ['USDT', 'USD₮'],
    ['ETH', 'ΕТН'],
    ['SOL', 'S0L'],
    ['SOL', 'SOI'],
    ['BNB', '8NB'],
    ['USD Coin', 'USDCoin'],
    ['USD Coin', 'USD C0in '],
  ]
  for (const [text, other] of alike) t.equal(skeletonOf(other), skeletonOf(text), other)
  for (const other of ['USDT', 'USDC.e', 'aUSDC', 'USD']) t.not(skeletonOf(other), skeletonOf('USDC'), other)
  t.equal(skeletonOf('​ -'), '')
})

t.test('a token reads like the major of its own chain, else of any', async (t) => {
  t.match(readsLike('base', 'USDC', null), { chain: 'base', major: { symbol: 'USDC' } })
  t.match(readsLike('ton', 'USDC', null), { chain: 'ethereum', major: { symbol: 'USDC' } })
  t.match(readsLike('base', 'SOL', 'Wormhole SOL'), { chain: 'solana', major: { kind: 'native' } })
  t.match(readsLike('base', 'FAKE', 'USD Coin'), { major: { symbol: 'USDC' } }, 'by its name')
  t.match(readsLike('sonic', 'S', null), { chain: 'sonic', major: { kind: 'native' } })
})

t.test("a common name is confusable with nobody's", async (t) => {
  t.equal(readsLike('base', 'S', null), null, 'a short symbol counts on its own chain only')
  t.equal(readsLike('base', 'BASED', 'Base'), null, 'the name of a chain')
  t.equal(readsLike('base', null, null), null)
  t.equal(readsLike('base', '', '​'), null)
  t.equal(readsLike('base', 'BRETT', 'Brett'), null)
})

t.test('each major reads like itself', async (t) => {
  for (const { key } of CHAINS) {
    for (const { symbol } of MAJORS.get(key)!) t.match(readsLike(key, symbol, null), { chain: key }, symbol)
  }
})
