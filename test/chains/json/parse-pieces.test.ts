import t from 'tap'
import { parseInPieces } from '../../../src/chains/json/parse-pieces.ts'
import { finish } from '../../../src/flow/loop-share.ts'

const parsed = (text: string): unknown => finish(parseInPieces(Buffer.from(text)))
const LONG = 'x'.repeat(70_000)

t.test('reads what JSON.parse reads, short and long', async (t) => {
  const documents: unknown[] = [
    null,
    1.5,
    'a"b',
    [],
    {},
    { a: [1, { b: [] }] },
    LONG,
    [LONG, [], [[LONG]], { a: LONG }],
    { tokens: Array.from({ length: 5_000 }, (_, i) => ({ i, name: `n${i}`, at: [i] })), version: 1 },
    { 'a"b': LONG, '': [LONG], ä: 1 },
  ]
  for (const document of documents) {
    for (const text of [JSON.stringify(document), ` ${JSON.stringify(document, null, 2)}\n`]) {
      t.same(parsed(text), document)
    }
  }
  const own = parsed(`{"a":1,"a":"${LONG}","__proto__":[2]}`)
  t.same(own, JSON.parse(`{"a":1,"a":"${LONG}","__proto__":[2]}`))
  t.ok(Object.hasOwn(own as object, '__proto__'))
})

t.test('refuses what JSON.parse refuses, and what takes it long', async (t) => {
  const bad = ['', '[', '[1,]', '{"a":1,}', '[1] 2', '{a:1}', `["${LONG}",]`, `["${LONG}"`, `{"a":"${LONG}"]`]
  for (const text of [...bad, '\ufeff[]', '['.repeat(600) + ']'.repeat(600)]) {
    t.throws(() => parsed(text), { name: 'SyntaxError' }, text.slice(0, 20))
  }
  t.throws(() => parsed('['.repeat(1e6)), { name: 'SyntaxError' })
  t.throws(() => parsed(`${'['.repeat(9)}"${LONG}"${']'.repeat(9)}`), { name: 'SyntaxError' })
})

t.test('a long document takes many pieces', async (t) => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i })))
  t.ok([...parseInPieces(Buffer.from(text))].length > 20_000)
})
