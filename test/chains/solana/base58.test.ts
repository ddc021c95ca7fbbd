/** Base58 against published pairs, another implementation, and every kind of text that it is not. */

import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import t from 'tap'
import { decodeBase58, encodeBase58, isBase58Of } from '../../../src/chains/solana/base58.ts'
import fc from '../../fixtures/fast-check.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const ones = (count: number): string => '1'.repeat(count)

t.test('known texts match known bytes, both ways', async (t) => {
  // bitcoin/bitcoin src/test/data/base58_encode_decode.json, and Solana's system program and wrapped SOL.
  const known: [text: string, bytes: string][] = [
    ['', ''],
    ['2g', '61'],
    ['a3gV', '626262'],
    ['aPEr', '636363'],
    ['2cFupjhnEsSn59qHXstmK2ffpLv2', '73696d706c792061206c6f6e6720737472696e67'],
    ['1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L', '00eb15231dfceb60925886b67d065299925915aeb172c06647'],
    ['ABnLTmg', '516b6fcd0f'],
    ['3SEo3LWLoPntC', 'bf4f89001e670274dd'],
    ['3EFU7m', '572e4794'],
    ['EJDM8drfXA6uyA', 'ecac89cad93923c02321'],
    ['Rt5zm', '10c8511e'],
    ['1111111111', '00000000000000000000'],
    [ones(32), '00'.repeat(32)],
    [
      'So11111111111111111111111111111111111111112',
      '069b8857feab8184fb687f634618c035dac439dc1aeb3b5598a0f00000000001',
    ],
  ]
  for (const [text, bytes] of known) {
    t.same(decodeBase58(text, 64), hex(bytes), text)
    t.equal(encodeBase58(hex(bytes)), text, bytes)
  }
})

t.test('it agrees with another implementation on any bytes', async () => {
  const other = getBase58Decoder()
  const bytes = fc.tuple(fc.nat(4), fc.uint8Array({ maxLength: 90 })).map(([zeros, rest]) => {
    return Uint8Array.from([...Array(zeros).fill(0), ...rest])
  })
  const property = fc.property(bytes, (bytes) => {
    const text = other.decode(bytes)
    return (
      encodeBase58(bytes) === text &&
      Buffer.compare(decodeBase58(text, bytes.length)!, bytes) === 0 &&
      (bytes.length === 0 || decodeBase58(text, bytes.length - 1) === null) &&
      isBase58Of(text, 32) === (bytes.length === 32) &&
      isBase58Of(text, 64) === (bytes.length === 64)
    )
  })
  fc.assert(property, { numRuns: 3_000 })
})

t.test('it agrees with another implementation on the longest transaction', async (t) => {
  for (const first of [0, 1, 255]) {
    const bytes = Uint8Array.from({ length: 1_232 }, (_, i) => (i === 0 ? first : (i * 73) & 255))
    const text = encodeBase58(bytes)
    t.same(decodeBase58(text, 1_232), bytes)
    t.same(new Uint8Array(getBase58Encoder().encode(text)), bytes)
    t.equal(decodeBase58(text, 1_231), null)
  }
})

t.test('an exact length differs from its neighbours, at the least and the greatest number', async (t) => {
  for (const length of [32, 64] as const) {
    for (const zeros of [0, 1, 2, length - 1, length]) {
      for (const fill of [0x00, 0xff]) {
        const bytes = (extra: number): Uint8Array => {
          const bytes = new Uint8Array(length + extra).fill(fill, zeros)
          if (zeros < bytes.length) bytes[zeros] = fill === 0 ? 1 : 0xff
          return bytes
        }
        t.equal(isBase58Of(encodeBase58(bytes(0)), length), true, `${length}, ${zeros} zeros, ${fill}`)
        t.equal(isBase58Of(encodeBase58(bytes(1)), length), false, `${length} + 1, ${zeros} zeros, ${fill}`)
        t.equal(isBase58Of(encodeBase58(bytes(-1)), length), false, `${length} - 1, ${zeros} zeros, ${fill}`)
      }
    }
  }
})

t.test('text that is not base58 gives null and false', async (t) => {
  const good = encodeBase58(Uint8Array.from({ length: 32 }, (_, i) => i + 1))
  const bad = [...'0OIl+/=_- \n\0', '\u{100}', '\u{131}', '😀', 'é'].flatMap((stain) => [
    stain,
    stain + good.slice(1),
    good.slice(0, -1) + stain,
    good.slice(0, 20) + stain + good.slice(21),
    good + stain,
    ones(31) + stain,
    ones(32) + stain,
  ])
  for (const text of bad) {
    t.equal(decodeBase58(text, 64), null, JSON.stringify(text))
    t.equal(isBase58Of(text, 32), false, JSON.stringify(text))
  }
})

t.test('a text that is too long is refused, however long', async (t) => {
  t.equal(decodeBase58('z'.repeat(1_000_000), 1_232), null)
  t.equal(decodeBase58(ones(1_000_000), 1_232), null)
  t.equal(isBase58Of('z'.repeat(1_000_000), 64), false)
})
