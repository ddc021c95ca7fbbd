import t from 'tap'
import { meaningOf } from '../../../src/providers/swap/prose.ts'

t.test('a refusal is looked for in the first 512 characters', async (t) => {
  const meaning = (text: string) => meaningOf(text, 'velora', 'one')?.code ?? null
  t.equal(meaning('Token not found'), 'unknown_token')
  t.equal(meaning(`${' '.repeat(497)}token not found`), 'unknown_token')
  t.equal(meaning(`${' '.repeat(498)}token not found`), null)
  t.equal(meaning('rate limit'), null)
})
