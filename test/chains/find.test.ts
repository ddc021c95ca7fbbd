import t from 'tap'
import { parseChain, parseXprovChain } from '../../src/chains/find.ts'

t.test('the refusal of a chain names the nearest key', (t) => {
  const told = (parse: typeof parseChain, key: string): string => {
    try {
      return parse(key, 'chain').key
    } catch (error) {
      return (error as Error).message
    }
  }
  for (const [key, meant] of [
    ['Base', 'base'],
    ['bsae', 'base'],
    ['SOLANA', 'solana'],
    ['arbitrum-one', 'arbitrum'],
  ] as const) {
    t.equal(
      told(parseChain, key),
      `\`chain\` must be a chain key that GET /api/chains lists. Did you mean \`${meant}\`?`,
    )
    t.match(told(parseXprovChain, key), ` lists with both. Did you mean \`${meant}\`?`)
  }
  for (const key of ['', 'x', 'mainnet', '__proto__', 'b'.repeat(100_000), '8454']) {
    t.equal(told(parseChain, key), '`chain` must be a chain key that GET /api/chains lists.')
  }
  t.match(told(parseXprovChain, 'ton'), /both\.$/)
  t.end()
})
