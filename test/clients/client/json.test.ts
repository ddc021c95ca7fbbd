import t from 'tap'
import { parseExact } from '../../../src/clients/client/json.ts'
import fc from '../../fixtures/fast-check.ts'

t.test('integers beyond 2^53 are exact, and all else is as JSON.parse has it', async (t) => {
  const account = '{"rentEpoch":18446744073709551615,"lamports":1500000000,"s":"18446744073709551615"}'
  t.same(parseExact(account), {
    rentEpoch: 18446744073709551615n,
    lamports: 1_500_000_000,
    s: '18446744073709551615',
  })
  t.same(parseExact('[9007199254740991,9007199254740992,9007199254740993,-9007199254740993]'), [
    9007199254740991,
    9007199254740992n,
    9007199254740993n,
    -9007199254740993n,
  ])
  const fractions = '[0.12345678901234567890,12345678901234567890.5,12345678901234567890e2,1e-7]'
  t.same(parseExact(fractions), JSON.parse(fractions))
  t.same(parseExact('"a \\"12345678901234567890\\" \\\\"'), 'a "12345678901234567890" \\')
  t.throws(() => parseExact('{"a":12345678901234567890'), SyntaxError)
})

t.test('any text of JSON is read as JSON.parse reads it, but for such integers', async (t) => {
  const same = fc.property(fc.json(), (text) => {
    if (/\d{16}/.test(text)) return
    t.same(parseExact(text), JSON.parse(text))
  })
  fc.assert(same)
  const big = fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.string(), (integer, word) => {
    const [read] = parseExact(`[${integer},${JSON.stringify(word)}]`) as [number | bigint]
    t.equal(BigInt(read), integer)
  })
  fc.assert(big)
})
