/** R1 to R3: the text around a transaction, as strict as a node. */

import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { decodeTransaction } from '../../../src/chains/solana/encoding.ts'
import fc from '../../fixtures/fast-check.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (length: number, fill = 0xfb): Uint8Array => new Uint8Array(length).fill(fill)

t.test('both encodings round-trip byte for byte', async () => {
  const property = fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    const texts = [base64(bytes), encodeBase58(bytes)] as const
    const decoded = [decodeTransaction(texts[0], 'base64'), decodeTransaction(texts[1], 'base58')]
    return decoded.every((got) => typeof got !== 'string' && Buffer.compare(got, bytes) === 0)
  })
  fc.assert(property, { numRuns: 500 })
})

t.test('R1, R2: 1,232 bytes pass, one more does not, nor does a longer text', async (t) => {
  t.same(decodeTransaction(base64(bytesOf(1_232)), 'base64'), Buffer.from(bytesOf(1_232)))
  t.same(decodeTransaction(encodeBase58(bytesOf(1_232)), 'base58'), bytesOf(1_232))
  const large: [name: string, text: string, encoding: 'base58' | 'base64'][] = [
    ['1,233 bytes, still 1,644 characters', base64(bytesOf(1_233)), 'base64'],
    ['1,648 characters', 'A'.repeat(1_648), 'base64'],
    ['1,645 characters that are not base64', '!'.repeat(1_645), 'base64'],
    ['1,233 zero bytes, 1,233 digits', '1'.repeat(1_233), 'base58'],
    ['1,683 zero bytes', '1'.repeat(1_683), 'base58'],
    ['1,233 bytes', encodeBase58(bytesOf(1_233, 1)), 'base58'],
    ['1,684 characters', '2'.repeat(1_684), 'base58'],
    ['a million characters', 'z'.repeat(1_000_000), 'base58'],
  ]
  for (const [name, text, encoding] of large) {
    t.equal(decodeTransaction(text, encoding), 'transaction_too_large', name)
  }
})

t.test('R3: base64 is canonical or refused, though Node would decode it', async (t) => {
  const bytes = bytesOf(40)
  const text = base64(bytes)
  t.match(text, /^[+/0-9A-Za-z]+==$/)
  const spoilt: [name: string, text: string][] = [
    ['no padding', text.slice(0, -2)],
    ['half the padding', text.slice(0, -1)],
    ['too much padding', `${text}=`],
    ['padding of a whole group', `${text}====`],
    ['URL-safe alphabet', text.replaceAll('+', '-').replaceAll('/', '_')],
    ['a newline', `${text.slice(0, 20)}\n${text.slice(20)}`],
    ['a newline at the end', `${text}\n`],
    ['a space in front', ` ${text}`],
    ['stray bits', text.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)],
    ['text after the padding', `${text}${text}`],
    ['a stray character', `${text.slice(0, 20)}!${text.slice(21)}`],
    ['two bytes a character', `${text.slice(0, 20)}\u{141}${text.slice(21)}`],
    ['base58', encodeBase58(bytes)],
  ]
  for (const [name, text] of spoilt) {
    t.equal(decodeTransaction(text, 'base64'), 'transaction_encoding_invalid', name)
  }
})

t.test('R3: base58 is in its alphabet or refused', async (t) => {
  for (const text of ['0', 'O', 'I', 'l', 'a b', 'AQ==', 'abc\n', ' abc', 'ß', '\u{161}']) {
    t.equal(decodeTransaction(text, 'base58'), 'transaction_encoding_invalid', JSON.stringify(text))
  }
})

t.test('no text makes it throw or answer more than 1,232 bytes', async () => {
  const text = fc.oneof(fc.string({ maxLength: 2_000 }), fc.base64String({ maxLength: 1_700 }))
  const property = fc.property(text, fc.constantFrom('base58', 'base64'), (text, encoding) => {
    const decoded = decodeTransaction(text, encoding)
    if (typeof decoded === 'string') return true
    const again = encoding === 'base64' ? base64(decoded) : encodeBase58(decoded)
    return decoded.length <= 1_232 && again === text
  })
  fc.assert(property, { numRuns: 1_000 })
})
