import t from 'tap'
import { MAJORS } from '../../../src/chains/majors.ts'
import { isNameSuspicious } from '../../../src/research/list/suspicious-name.ts'

const TOKEN = { chain: 'base', address: '0x1111111111111111111111111111111111111111' }

t.test('a name that looks like a major and is written otherwise is marked', async (t) => {
  const cases: [what: string, name: string][] = [
    ['a Cyrillic es', 'USDС'],
    ['Cyrillic alone', 'ЕТН'],
    ['Greek alone', 'ΕΤΗ'],
    ['small letters of Cyrillic', 'uѕdс'],
    ['a joiner', 'US\u200dDC'],
    ['a non-joiner', 'USD\u200cT'],
    ['a blank that no rule calls one', 'USDC\u2800'],
    ['a Hangul filler', 'US\u3164DC'],
    ['a space', 'USD C'],
    ['a variation selector', 'USDC\ufe0f'],
    ['full width', 'ＵＳＤＣ'],
    ['mathematical letters', '𝐔𝐒𝐃𝐂'],
    ['letters in circles', 'ⓊⓈⒹⒸ'],
    ['small capitals', 'ᴜꜱᴅᴄ'],
    ['Lisu', 'ꓴꓢꓓꓚ'],
    ['Cherokee', 'ᎬᎢᎻ'],
    ['a mark', 'USḊC'],
    ['a tugrik', 'USD₮'],
    ['a zero', 'S0L'],
    ['a name, with a Cyrillic a', 'Tether USD'.replace('e', 'е')],
    ['an l for an i', 'USD Coln'],
  ]
  for (const [what, name] of cases) {
    t.equal(isNameSuspicious(TOKEN, name, null), true, what)
    t.equal(isNameSuspicious(TOKEN, null, name), true, `${what}, as a name`)
  }
})

t.test('a namesake, a name of its own, and the major itself are not', async (t) => {
  for (const name of [
    'USDC',
    'usdc',
    'Usd coin',
    'PEPE',
    '🐸',
    '柴犬',
    'ПИВО',
    'USDCX',
    'USD',
    '',
    'aUSDC',
    '1INCH',
  ]) {
    t.equal(isNameSuspicious(TOKEN, name, name), false, name)
  }
  t.equal(isNameSuspicious(TOKEN, null, null), false)
  for (const [chain, majors] of MAJORS) {
    for (const { address, symbol, name } of majors) {
      t.equal(isNameSuspicious({ chain, address }, symbol, name), false, `${chain} ${symbol}`)
      t.equal(isNameSuspicious(TOKEN, symbol, name), false, `a namesake of ${chain} ${symbol}`)
      t.equal(isNameSuspicious({ chain, address }, 'USDС', null), false, 'whatever a source calls it')
    }
  }
})
