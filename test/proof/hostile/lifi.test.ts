import t from 'tap'
import fc from '../../fixtures/fast-check.ts'
import { copyOf, encode, HONEST, type HonestCall, tryCall } from '../../fixtures/lifi.ts'
import {
  HARMLESS,
  isHarmless,
  MUTATIONS,
  mutated,
  TEXTS,
  tallyLifi,
  tryMutated,
} from '../../fixtures/lifi-hostile.ts'

const DATA = new Map(HONEST.map((call) => [call, encode(call)]))

t.test('every change of the table is refused, in every call that it fits', async (t) => {
  for (const call of HONEST) {
    const outcome = tryCall(call)
    t.same(typeof outcome === 'string' ? outcome : outcome.stated, [], `${call.name} is proved as it is`)
  }
  for (const { does, of, change } of MUTATIONS) {
    const calls = HONEST.filter(of)
    t.ok(calls.length > 0, does)
    for (const call of calls) {
      const copy = copyOf(call)
      change(copy.args, copy)
      t.type(tryMutated(copy), 'string', `${call.name}: ${does}`)
    }
  }
  for (const call of HONEST) {
    const data = DATA.get(call)!
    for (const { does, change } of TEXTS) {
      const text = change(data)
      if (text !== data) t.type(tryCall(call, text), 'string', `${call.name}: ${does}`)
    }
  }
})

t.test('the cost is the input and the fee that the call names', async (t) => {
  for (const call of HONEST) {
    const { fromChain, toChain, tokenIn, amountIn } = call.order
    if (tokenIn.isNative) t.equal(tryCall({ ...call, value: amountIn - 1n }), 'value', `${call.name}: less`)
    if (fromChain.key !== toChain.key) continue
    t.equal(tryCall({ ...call, value: call.value + 1n }), 'value', `${call.name}: more`)
  }
})

t.test('a call for one order proves no other', async (t) => {
  for (const call of HONEST) {
    const data = DATA.get(call)!
    for (const other of HONEST) {
      if (wants(other) === wants(call)) continue
      t.type(tryCall(other, data), 'string', `${call.name} for ${other.name}`)
    }
  }
})

t.test('whatever is changed at random, alone or together, is refused or harmless', async (t) => {
  const change = fc.record({ leaf: fc.nat(60), seed: fc.nat(200) })
  const changes = fc.array(change, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.nat(HONEST.length - 1), changes, (at, changes) => {
      const call = HONEST[at]!
      const one = mutated(call, changes)
      if (one === null || one.data === DATA.get(call)) return true
      const outcome = tryCall(call, one.data)
      return typeof outcome === 'string' || outcome.stated.length > 0 || isHarmless(one.names, one.call)
    }),
    { numRuns: 400 },
  )
  t.pass(`${Object.keys(HARMLESS).length} fields are harmless, each with its reason`)
})

t.test('each field, changed alone, is refused or harmless', async (t) => {
  // test/long/proof/lifi.test.ts changes it in every way.
  const { tried, refused, letOut, robbed } = tallyLifi(2)
  t.same(robbed, [])
  t.equal(refused + letOut, tried)
})

function wants({ order }: HonestCall): string {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, to } = order
  return [fromChain.key, toChain.key, tokenIn.address, tokenOut.address, amountIn, to].join()
}
