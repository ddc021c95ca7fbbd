import t from 'tap'
import { PIECE_BYTES } from '../../src/flow/loop-share.ts'
import { Pieces } from '../../src/flow/pieces.ts'
import { revealsInPieces as lookIn, reveals, secretsOf } from '../../src/upstream/secrets.ts'
import { cutAt } from '../fixtures/cuts.ts'
import fc from '../fixtures/fast-check.ts'

/** Looks at a text that came in one. */
const revealsInPieces = (bytes: Buffer, secrets: readonly string[]) => lookIn(new Pieces([bytes]), secrets)

const SECRETS = ['rpc.example.com', 's3cr3t-k3y', '0123456789abcdef'.repeat(8)]

t.test('a secret is found anywhere in a long text, in any case', async () => {
  const place = fc.oneof(
    // Around the ends of pieces, and anywhere else.
    fc
      .tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: -150, max: 150 }))
      .map(([piece, offset]) => piece * PIECE_BYTES + offset),
    fc.nat(3 * PIECE_BYTES),
  )
  const filler = fc.constantFrom('a', '"', 'ä', '☃')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SECRETS),
      place,
      filler,
      fc.boolean(),
      async (secret, at, fill, upper) => {
        const bytes = Buffer.alloc(3 * PIECE_BYTES + 500, fill)
        const clean = !(await revealsInPieces(bytes, SECRETS))
        bytes.write(upper ? secret.toUpperCase() : secret, at)
        return clean && reveals(bytes, SECRETS) && (await revealsInPieces(bytes, SECRETS))
      },
    ),
    { numRuns: 60 },
  )
})

t.test("a chain's name is no key where a URL has it, but a password may be one", (t) => {
  const secrets = secretsOf(new URL('https://me:Ethereum@rpc.example/Optimism?net=arbitrum'), [], [])
  t.same(secrets, ['rpc.example', 'ethereum'])
  t.end()
})

t.test('the first and the last bytes of a text count, whatever its length', async (t) => {
  for (const length of [10, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES]) {
    for (const at of [0, length - 10]) {
      const bytes = Buffer.alloc(length, 'a')
      bytes.write('s3cr3t-k3y', at)
      t.ok(await revealsInPieces(bytes, SECRETS), `${at} of ${length}`)
    }
    const cut = Buffer.alloc(length, 'a')
    cut.write('s3cr3t-k3', length - 9)
    t.notOk(await revealsInPieces(cut, SECRETS), 'all but the last byte')
  }
  for (let at = PIECE_BYTES - 10; at <= PIECE_BYTES; at++) {
    const bytes = Buffer.alloc(2 * PIECE_BYTES, 'a')
    bytes.write('s3cr3t-k3y', at)
    t.ok(await revealsInPieces(bytes, ['s3cr3t-k3y']), `${at}, across the end of a piece`)
  }
  t.notOk(await revealsInPieces(Buffer.alloc(0), SECRETS))
  t.notOk(await revealsInPieces(Buffer.from('s3cr3t-k3y'), []), 'without secrets there is nothing to find')
})

t.test('wherever a text is cut, the same is found in it as in one', async () => {
  // The Kelvin sign is a k in lower case; the others make characters of two to four bytes be cut.
  const bits = fc.constantFrom(
    'k',
    'K',
    '\u212a',
    'key',
    'KEY',
    'é',
    'É',
    '\u1e9e',
    'ß',
    '☃',
    '\u{1f600}',
    'x',
  )
  const secret = fc.constantFrom('keykey', 'kßé☃k', 'key\u{1f600}key', 'xkkkkkkkx')
  const text = fc
    .tuple(fc.array(bits, { maxLength: 12 }), secret, fc.array(bits, { maxLength: 12 }), fc.boolean())
    .map(([before, secret, after, isIn]) => {
      const odd = secret.replaceAll('k', '\u212a').toUpperCase()
      return before.join('') + (isIn ? odd : '') + after.join('')
    })
  await fc.assert(
    fc.asyncProperty(text, secret, fc.array(fc.nat(90), { maxLength: 20 }), async (text, secret, cuts) => {
      const bytes = Buffer.from(text)
      return (await lookIn(new Pieces(cutAt(bytes, cuts)), [secret])) === reveals(bytes, [secret])
    }),
    { numRuns: 2_000 },
  )
})
