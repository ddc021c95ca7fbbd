import t from 'tap'
import { Pieces } from '../../../src/flow/pieces.ts'
import { decode, encode } from '../../../src/gateway/replay/codec.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'

const PROVIDER = { label: 'one', quote: () => 1 }
const REFERENCES = {
  nameOf: (object: object) => (object === PROVIDER ? 'one' : undefined),
  named: (name: string) => (name === 'one' ? PROVIDER : undefined),
  promised: () => 7,
  promise: async (number: number) => number,
}

const again = (value: unknown): unknown => {
  const text = JSON.stringify(encode(value, new Map(), REFERENCES))
  return decode(JSON.parse(text), [], REFERENCES)
}

t.test('a value is the same after it was written and read', async (t) => {
  const values = [
    ...[null, true, 'text', 1.5, -0, Number.POSITIVE_INFINITY, undefined, 10n ** 30n],
    ...[[1, [undefined]], { a: 1n, $: 'kind' }, new Map([['a', 1n]]), new Set(['a'])],
    ...[Buffer.from('text'), Buffer.from([0xff, 0]), new Pieces([Buffer.from('a')])],
  ]
  for (const value of values) t.strictSame(again(value), value)
  const error = again(new GatewayError('upstream_timeout', 'late', { provider: 'one' }, 504)) as GatewayError
  t.ok(error instanceof GatewayError)
  t.match(error, { code: 'upstream_timeout', message: 'late', fields: { provider: 'one' }, status: 504 })
})

t.test('what is one object stays one, and what outlives requests is found by its name', async (t) => {
  const offer = { out: 1n }
  const [winner, [first]] = again([offer, [offer]]) as [object, [object]]
  t.equal(winner, first)
  t.equal(again(PROVIDER), PROVIDER)
  t.equal(await again(Promise.resolve()), 7)
})

t.test('what has no form is refused', async (t) => {
  for (const value of [() => 1, Symbol('s'), new (class Own {})()])
    t.throws(() => again([value]), { message: /^a (function|symbol|Own)$/ })
})
