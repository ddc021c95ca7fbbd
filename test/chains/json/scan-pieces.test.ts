import t from 'tap'
import { EnvelopeScan, type Member } from '../../../src/chains/json/scan.ts'
import { PiecesScan } from '../../../src/chains/json/scan-pieces.ts'
import { Pieces } from '../../../src/flow/pieces.ts'
import { cutAt } from '../../fixtures/cuts.ts'
import fc from '../../fixtures/fast-check.ts'

const MEMBERS: readonly Member[] = [0, 1, 2, 3, 4, 5]
const whole = new EnvelopeScan()

function scanned(parts: readonly Buffer[]): { readonly scan: PiecesScan; readonly isJson: boolean } {
  const scan = new PiecesScan(new Pieces(parts))
  for (let step = 0; step < 10_000; step++) {
    const isJson = scan.step()
    if (isJson !== null) return { scan, isJson }
  }
  throw new Error('it does not end')
}

/** Whether the pieces are judged as the joined document is. */
function agrees(bytes: Buffer, cuts: readonly number[]): boolean {
  const expected = whole.scan(bytes)
  const { scan, isJson } = scanned(cutAt(bytes, cuts))
  if (isJson !== expected || !isJson) return isJson === expected
  const { envelope } = scan
  return (
    envelope.isObject === whole.isObject &&
    envelope.duplicate === whole.duplicate &&
    JSON.stringify(envelope.id) === JSON.stringify(whole.id) &&
    MEMBERS.every((member) => envelope.start(member) === whole.start(member)) &&
    MEMBERS.every((member) => envelope.end(member) === whole.end(member))
  )
}

const DOCUMENT = Buffer.from(
  ' {"jsonrpc":"2.0" ,"\\u0069d" : 12.5e+3 ,"é\\n\u{1f600}":[true,null,-0.0,"\\ud83d\\ude00☃",{"":{}}],"result":"\\\\","x":7} ',
)

t.test('a document is judged as in one, wherever it is cut once or twice', async (t) => {
  for (const bytes of [DOCUMENT, DOCUMENT.subarray(0, -2), Buffer.from('17'), Buffer.from('"é"')]) {
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        if (!agrees(bytes, [first, second])) t.fail(`cut at ${first} and ${second} of ${bytes}`)
      }
    }
  }
})

t.test('whatever the document and the cuts, the same is found as in one', async () => {
  const bits = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '\\u00',
      ':',
      ',',
      ' ',
      '1',
      '.',
      'e',
      'é',
      '☃',
      '"id"',
      '"result":',
      'true',
    ],
  )
  const texts = fc.oneof(
    fc
      .jsonValue({ maxDepth: 5 })
      .map((value) => JSON.stringify({ id: 1, result: value, jsonrpc: '2.0' }, null, 1)),
    fc.jsonValue().map((value) => JSON.stringify({ a: value, id: [value] })),
    fc.array(bits, { maxLength: 25 }).map((all) => all.join('')),
  )
  const damage = fc.option(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })))
  const cuts = fc.array(fc.nat(120), { maxLength: 30 })
  fc.assert(
    fc.property(texts, damage, cuts, (text, changed, offsets) => {
      const bytes = Buffer.from(text)
      if (changed !== null && changed[0] < bytes.length) bytes[changed[0]] = changed[1]
      return agrees(bytes, offsets)
    }),
    { numRuns: 3_000 },
  )
})

t.test('names, numbers and strings may be longer than a piece, up to the bounds of the scan', async (t) => {
  const every = (step: number, length: number) => Array.from({ length: length / step }, (_, i) => i * step)
  const longest = 65_536
  const texts = [
    `{"${'n'.repeat(longest - 2)}":1,"id":2}`,
    `{"${'n'.repeat(longest)}":1,"id":2}`,
    `{"${'\\u00e9'.repeat(longest / 6)}":1}`,
    `{"id":${'1'.repeat(longest)}.${'2'.repeat(longest)}e${'3'.repeat(longest)}}`,
    `{"id":${'1'.repeat(longest + 1)}}`,
    `{"id":${'1'.repeat(3 * longest)}x}`,
    `{"id":1,"result":"${'\\"é'.repeat(60_000)}"}`,
    `{"id":1,"result":"${' '.repeat(200_000)}\n"}`,
    `{"id":1 ${' '.repeat(200_000)}, "result":1}`,
    `{"result":1 , ${' '.repeat(200_000)}"id":1${' '.repeat(100_000)}}`,
  ]
  for (const text of texts) {
    const bytes = Buffer.from(text)
    for (const step of [997, 16_384, 65_536]) {
      t.ok(agrees(bytes, every(step, bytes.length)), `${text.slice(0, 20)}... in pieces of ${step}`)
    }
  }
})

t.test('a step takes one piece of a document, however long the document', async (t) => {
  const bytes = Buffer.from(`{"id":1,"result":"${'a'.repeat(1 << 20)}"}`)
  const scan = new PiecesScan(new Pieces([bytes]))
  let steps = 1
  while (scan.step() === null) steps++
  t.ok(steps >= 16, `${steps}`)
})
