import t from 'tap'
import {
  EnvelopeScan,
  ERROR,
  ID,
  JSONRPC,
  MAX_DEPTH,
  METHOD,
  type Member,
  PARAMS,
  RESULT,
} from '../../../src/chains/json/scan.ts'
import { spliceId } from '../../../src/chains/json/splice.ts'
import { codePoint } from '../../fixtures/code-points.ts'
import fc from '../../fixtures/fast-check.ts'

const MEMBERS: readonly (readonly [name: string, member: Member])[] = [
  ['jsonrpc', JSONRPC],
  ['id', ID],
  ['method', METHOD],
  ['params', PARAMS],
  ['result', RESULT],
  ['error', ERROR],
]

/** The dumber implementation: decode strictly, then parse. */
function parsed(bytes: Uint8Array): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) }
  } catch {
    return null
  }
}

function raw(scan: EnvelopeScan, text: string, member: Member): string | null {
  return scan.has(member) ? Buffer.from(text).toString('utf8', scan.start(member), scan.end(member)) : null
}

t.test('finds the members of an envelope as they are spelled', async (t) => {
  const ids = [
    '12345678901234567890',
    '1.0',
    '1e2',
    '-0',
    '"x"',
    '"a\\"},\\\\"',
    '""',
    'null',
    'true',
    '[]',
    '{}',
    '{"id":[1,{"id":2}]}',
    '"\u00e9\u{1f600}"',
  ]
  const scan = new EnvelopeScan()
  for (const id of ids) {
    for (const text of [
      `{"jsonrpc":"2.0","id":${id},"method":"getSlot","params":[{"id":9}]}`,
      ` {\n"id" :\t${id} ,\r"params": [{"id":9}] ,"method" :"getSlot","jsonrpc":"2.0" } `,
    ]) {
      t.ok(scan.scan(Buffer.from(text)), text)
      t.ok(scan.isObject)
      t.notOk(scan.duplicate)
      t.equal(raw(scan, text, ID), id)
      t.equal(raw(scan, text, JSONRPC), '"2.0"')
      t.equal(raw(scan, text, METHOD), '"getSlot"')
      t.equal(raw(scan, text, PARAMS), '[{"id":9}]')
      t.notOk(scan.has(RESULT))
      t.notOk(scan.has(ERROR))
    }
  }
})

t.test('reads a name as what it means, and lets the last of two count', async (t) => {
  const cases: [text: string, id: string | null, duplicate: boolean][] = [
    ['{"\\u0069d":1}', '1', false],
    ['{"\\u0069\\u0064":1}', '1', false],
    ['{"id":1,"id":2}', '2', true],
    ['{"id":1,"\\u0069d":[2]}', '[2]', true],
    ['{"result":1,"error":2,"result":3,"id":4}', '4', true],
    ['{"x":1,"x":2,"id":3}', '3', false],
    ['{"Id":1,"i":2,"idd":3,"":4,"ID":5,"\\\\u0069d":6}', null, false],
    ['{"resulT":1,"erro":2,"errors":3,"json_pc":4,"paramz":5,"methoe":6}', null, false],
    ['{"a":{"id":1},"b":[{"id":2}]}', null, false],
    ['[{"id":1}]', null, false],
  ]
  const scan = new EnvelopeScan()
  for (const [text, id, duplicate] of cases) {
    t.ok(scan.scan(Buffer.from(text)), text)
    t.equal(raw(scan, text, ID), id, text)
    t.equal(scan.duplicate, duplicate, text)
    t.equal(scan.isObject, text.startsWith('{'))
  }
})

t.test('remembers nothing of the document before', async (t) => {
  const scan = new EnvelopeScan()
  for (const text of ['[]', '7', '{}', '', '{"x":{"error":1}}']) {
    scan.scan(Buffer.from('{"jsonrpc":1,"id":2,"id":2,"method":3,"params":4,"result":5,"error":6}'))
    t.equal(scan.scan(Buffer.from(text)), text !== '')
    for (const [name, member] of MEMBERS) {
      t.notOk(scan.has(member), `${name} in ${text}`)
      t.same([scan.start(member), scan.end(member)], [-1, -1])
    }
    t.same(scan.id, { start: -1, end: -1, cutStart: -1, cutEnd: -1 })
    t.notOk(scan.duplicate)
    t.equal(scan.isObject, text.startsWith('{'))
  }
})

t.test('bounds the nesting', async (t) => {
  const scan = new EnvelopeScan()
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
  t.ok(scan.scan(nested(MAX_DEPTH)))
  t.notOk(scan.scan(nested(MAX_DEPTH + 1)))
  t.notOk(scan.scan(Buffer.from('{"a":'.repeat(100_000))))
  t.ok(scan.scan(Buffer.from(`[${'[{}],'.repeat(2 * MAX_DEPTH)}0]`)), 'breadth is not depth')
})

t.test('refuses a document that breaks off at any byte', async (t) => {
  const whole = Buffer.from(
    '{"jsonrpc":"2.0","result":{"value":["AQ==\\u00e9\\n",-1.5e+3,true,null,{}],"n":[]},"id":1}',
  )
  const scan = new EnvelopeScan()
  t.ok(scan.scan(whole))
  for (let length = 0; length < whole.length; length++) {
    t.notOk(scan.scan(whole.subarray(0, length)), `after ${length} bytes`)
  }
})

t.test('accepts what JSON.parse accepts, and nothing else', async () => {
  const scan = new EnvelopeScan()
  const agrees = (bytes: Uint8Array) => {
    const oracle = parsed(bytes)
    if (scan.scan(bytes) !== (oracle !== null)) return false
    if (oracle === null) return true
    const { value } = oracle
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return !scan.isObject
    return (
      scan.isObject &&
      MEMBERS.every(([name, member]) => {
        if (Object.hasOwn(value, name) !== scan.has(member)) return false
        const found = bytes.subarray(scan.start(member), scan.end(member))
        return (
          !scan.has(member) ||
          JSON.stringify(parsed(found)?.value) === JSON.stringify((value as Record<string, unknown>)[name])
        )
      })
    )
  }

  // Names and values that meet in an envelope, written with stray white space.
  const name = fc.oneof(fc.constantFrom(...MEMBERS.map(([name]) => name)), fc.string({ unit: codePoint }))
  const envelope = fc.dictionary(name, fc.jsonValue({ maxDepth: 3, stringUnit: codePoint }))
  const document = fc
    .tuple(fc.oneof(envelope, fc.jsonValue()), fc.constantFrom(undefined, 1, '\t', '\r'))
    .map(([value, indent]) => Buffer.from(JSON.stringify(value, null, indent)))
  fc.assert(fc.property(document, agrees), { numRuns: 1_000 })

  // One byte changed, put in, taken out: mostly no JSON any more, sometimes still JSON.
  const syntax = fc.constantFrom(...Buffer.from('{}[],:"\\ \n\t019-+.eEtfnu/\x00\x1f\x7f'), 0x80, 0xc3, 0xff)
  const mutation = fc.tuple(document, fc.nat(), syntax, fc.constantFrom('replace', 'insert', 'delete'))
  fc.assert(
    fc.property(mutation, ([bytes, place, byte, kind]) => {
      const at = place % bytes.length
      const rest = bytes.subarray(kind === 'insert' ? at : at + 1)
      return agrees(
        Buffer.concat([bytes.subarray(0, at), Buffer.from(kind === 'delete' ? [] : [byte]), rest]),
      )
    }),
    { numRuns: 5_000 },
  )

  // Short runs of tokens hit the grammar's corners more often than whole documents do.
  const tokens = fc.array(
    fc.constantFrom(...'{ } [ ] , : "a" "id" "\\ \\u12aG 0 -0 01 1. .5 1e 1e5 1E-5 - true nul'.split(' ')),
  )
  fc.assert(
    fc.property(tokens, (parts) => agrees(Buffer.from(parts.join('')))),
    { numRuns: 5_000 },
  )
})

t.test('splices an id and leaves every other byte', async (t) => {
  const cases: [reply: string, rawId: string | null, spliced: string][] = [
    ['{"jsonrpc":"2.0","result":1,"id":7}', '8', '{"jsonrpc":"2.0","result":1,"id":8}'],
    ['{"id":7,"result":1}', '"caller 1"', '{"id":"caller 1","result":1}'],
    ['{"id":7777777,"result":1}', 'null', '{"id":null,"result":1}'],
    ['{"result":1,"id":7}', '{"a":[1.0]}', '{"result":1,"id":{"a":[1.0]}}'],
    [
      '{"result":{"rentEpoch":18446744073709551615,"p":1.10},"\\u0069d": 7 }',
      '12345678901234567890',
      '{"result":{"rentEpoch":18446744073709551615,"p":1.10},"\\u0069d": 12345678901234567890 }',
    ],
    ['{"jsonrpc":"2.0","result":1,"id":7}', null, '{"jsonrpc":"2.0","result":1}'],
    ['{"jsonrpc":"2.0","id":7,"result":1}', null, '{"jsonrpc":"2.0","result":1}'],
    ['{"id":7,"result":1}', null, '{"result":1}'],
    ['{"id":7}', null, '{}'],
    ['{ "id" : 7 , "result" : "," }', null, '{ "result" : "," }'],
    ['{ "result" : "," ,\n "id" : 7\n}', null, '{ "result" : "," }'],
    ['{ "id" : 7 }', null, '{ }'],
  ]
  const scan = new EnvelopeScan()
  for (const [reply, rawId, spliced] of cases) {
    const bytes = Buffer.from(reply)
    t.ok(scan.scan(bytes))
    const range = scan.id
    t.equal(spliceId(bytes, range, rawId === null ? null : Buffer.from(rawId)).toString(), spliced)
    t.equal(bytes.toString(), reply, 'the reply itself is not changed')
  }

  const other = fc.dictionary(
    fc.string({ unit: codePoint }).filter((name) => name !== 'id'),
    fc.jsonValue(),
  )
  const gap = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(
      other,
      other,
      gap,
      fc.jsonValue(),
      fc.option(fc.jsonValue()),
      (before, after, space, id, next) => {
        const members = (part: object) =>
          Object.entries(part).map(
            ([name, value]) => `${space}${JSON.stringify(name)}:${JSON.stringify(value)}${space}`,
          )
        const build = (id: readonly string[]) =>
          `{${[...members(before), ...id, ...members(after)].join(',')}}`
        const text = (value: unknown) => `${space}"id"${space}:${JSON.stringify(value)}${space}`
        const bytes = Buffer.from(build([text(id)]))
        scan.scan(bytes)
        const range = scan.id
        if (next !== null) {
          return spliceId(bytes, range, Buffer.from(JSON.stringify(next))).toString() === build([text(next)])
        }
        const spliced = parsed(spliceId(bytes, range, null))?.value
        return JSON.stringify(spliced) === JSON.stringify(JSON.parse(build([])))
      },
    ),
    { numRuns: 1_000 },
  )
})
