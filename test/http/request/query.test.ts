import t from 'tap'
import { Type } from 'typebox'
import { QueryReader } from '../../../src/http/request/query.ts'

const schema = Type.Object({
  chain: Type.String(),
  side: Type.Enum(['buy', 'sell']),
  slippageBps: Type.Integer({ minimum: 1, maximum: 5000, default: 300 }),
  dust: Type.Optional(Type.Number({ minimum: 0 })),
  all: Type.Optional(Type.Boolean()),
  only: Type.Optional(Type.String({ 'x-separator': ',' })),
})
const reader = new QueryReader(schema, ['chain'])

t.test('reads declared parameters in declared order, typed', async (t) => {
  const cases: [query: string, input: object][] = [
    ['', { chain: 'base', slippageBps: 300 }],
    [
      'side=buy&slippageBps=7&dust=0.5&all=true',
      { chain: 'base', side: 'buy', slippageBps: 7, dust: 0.5, all: true },
    ],
    ['dust=.5&all=false', { chain: 'base', slippageBps: 300, dust: 0.5, all: false }],
    ['side=b%75y', { chain: 'base', side: 'buy', slippageBps: 300 }],
    ['side=a+b', { chain: 'base', side: 'a b', slippageBps: 300 }],
    ['%73ide=sell', { chain: 'base', side: 'sell', slippageBps: 300 }],
    ['side=', { chain: 'base', side: '', slippageBps: 300 }],
    ['side', { chain: 'base', side: '', slippageBps: 300 }],
    ['side=a=b', { chain: 'base', side: 'a=b', slippageBps: 300 }],
    ['unknown=1&unknown=2&__proto__=x&&', { chain: 'base', slippageBps: 300 }],
  ]
  for (const [query, input] of cases) {
    const read = reader.read(query, ['base'])
    t.strictSame(read, input, query)
    t.same(Object.keys(read), Object.keys(input), query)
  }
})

t.test('a list may be given element by element, and nothing else may', async (t) => {
  const lists: [query: string, only: string][] = [
    ['only=a,b', 'a,b'],
    ['only[]=a', 'a'],
    ['only[]=a&only[]=b', 'a,b'],
    ['only%5B%5D=a&side=buy&only%5b%5d=b', 'a,b'],
    ['only[0]=a&only[1]=b', 'a,b'],
    ['only=a&only[]=b,c', 'a,b,c'],
  ]
  for (const [query, only] of lists) t.equal(reader.read(query, ['base']).only, only, query)
  t.throws(() => reader.read('only[]=a&only=b', ['base']), { code: 'malformed_query' })
  for (const query of ['side[]=buy', 'side[0]=buy', 'Only[]=a', 'only[x]=a', 'only[][]=a', 'only[=a']) {
    t.throws(() => reader.read(query, ['base']), { code: 'invalid_parameter', status: 400 }, query)
  }
  t.notOk('x' in reader.read('x[]=1&[]=2&]=3', ['base']))
})

t.test('what is not a number stays text, so that the validator names it', async (t) => {
  for (const text of ['7.9', '1e3', 'true', '', ' 7', '0x7', '1234567890123456', 'Infinity', '+7', '--7']) {
    t.type(reader.read(`slippageBps=${encodeURIComponent(text)}`, ['base']).slippageBps, 'string', text)
  }
  for (const text of [
    '1e',
    'e3',
    '1e+',
    '1e400',
    '1e1000',
    '',
    '.',
    '-',
    'NaN',
    '0x1',
    '1_000',
    '1,5',
    '1e1.5',
  ]) {
    t.type(reader.read(`dust=${encodeURIComponent(text)}`, ['base']).dust, 'string', text)
  }
  t.equal(reader.read('all=1', ['base']).all, '1')
  for (const text of ['1e3', '1E-2', '1.5e2', '.5e+1', '1e-400', '0e999']) {
    t.equal(reader.read(`dust=${encodeURIComponent(text)}`, ['base']).dust, Number(text), text)
  }
})

t.test('refuses what is malformed or given twice, and decodes the path', async (t) => {
  const refused: [query: string, path: string, code: string][] = [
    ['side=%zz', 'base', 'malformed_query'],
    ['%zz=1', 'base', 'malformed_query'],
    ['unknown=%ff', 'base', 'malformed_query'],
    ['side=%C3%28', 'base', 'malformed_query'],
    ['side=buy&side=buy', 'base', 'malformed_query'],
    ['side=buy&%73ide=sell', 'base', 'malformed_query'],
    ['chain=base', 'base', 'malformed_query'],
    ['', '%', 'malformed_path'],
    ['', '%e0%a4', 'malformed_path'],
  ]
  for (const [query, path, code] of refused) {
    t.throws(() => reader.read(query, [path]), { name: 'GatewayError', code }, `${path}?${query}`)
  }
  t.equal(reader.read('', ['%2F%20+']).chain, '/ +', 'a plus in a path is a plus')
})

t.test('a schema that a query cannot give stops the process at start-up', async (t) => {
  t.throws(() => new QueryReader(Type.Object({ list: Type.Array(Type.String()) }), []), TypeError)
  t.throws(() => new QueryReader(Type.Object({}), ['chain']), TypeError)
})

t.test('a name that nearly is one that is not given is refused, and names it', async (t) => {
  const meant: [query: string, name: string][] = [
    ['slippage=100', 'slippageBps'],
    ['slippagebps=100', 'slippageBps'],
    ['slippage_bps=100', 'slippageBps'],
    ['slipageBps=100', 'slippageBps'],
    ['Side=buy', 'side'],
    ['sdie=buy', 'side'],
    ['x=1&sid%65s=buy', 'side'],
  ]
  for (const [query, name] of meant) {
    const expected = { code: 'invalid_parameter', status: 400, fields: { field: name } }
    t.throws(() => reader.read(query, ['base']), expected, query)
  }
  const given = 'side=buy&slippageBps=7&dust=1&all=true'
  t.strictSame(reader.read(`${given}&slippage=100&Side=sell&chains=x`, ['base']).slippageBps, 7)
  const ignored = [
    '_=1',
    't=1',
    'ts=1',
    'al=1',
    'utm_source=x',
    'slip=1',
    'd%00ust=1',
    'chains=x',
    'site_id=1',
  ]
  for (const query of ignored)
    t.same(reader.read(query, ['base']), { chain: 'base', slippageBps: 300 }, query)
})
