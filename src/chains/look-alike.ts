/**
 * Names that read like a major's: whatever cannot be seen is left out, and
 * what looks alike counts as the same, whichever script it is of.
 *
 * Source: UTS #39 §4 (confusables: the letters that symbols are made of)
 */
import { LRUCache } from 'lru-cache'
import { CHAINS } from './chains.ts'
import { MAJORS, type Major } from './majors.ts'

/** A major, with the chain that it is of. */
export interface ChainMajor {
  readonly chain: string
  readonly major: Major
}

/** By the letter that they are read as, in lower case. */
const ALIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ4@',
  b: 'вβьƅ8',
  c: 'сςϲ¢',
  d: 'ԁɗ',
  e: 'еεєҽ3',
  g: 'ɡց',
  h: 'нһη',
  i: 'іιı!',
  j: 'јϳ',
  k: 'кκ',
  l: '1|ӏ',
  m: 'мμ',
  n: 'пո',
  o: 'оοσօ0',
  p: 'рρ',
  s: 'ѕ5$',
  t: 'тτ₮7',
  u: 'υս',
  v: 'ѵν',
  w: 'ѡωԝ',
  x: 'хχ×',
  y: 'уүγ',
  z: 'ᴢ2',
}
const READ_AS: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIKE).flatMap(([letter, others]) =>
    [...others].map((other): [string, string] => [other, letter]),
  ),
)
/** Marks on letters, and all that is not a letter, a digit or a sign for one. */
const BESIDE = /[^\p{L}\p{N}@¢!|$₮×]/gu
/** Capital I and small L are one stroke each. */
const STROKES = /[il]/g

/** The same names come again with each edition of the token list. */
const READ = new LRUCache<string, string>({ max: 4_096 })

/** @returns what a text is read as; two texts that look alike have the same */
export function readingOf(text: string): string {
  const known = READ.get(text)
  if (known !== undefined) return known
  const reading = read(text)
  READ.set(text, reading)
  return reading
}

function read(text: string): string {
  const plain = text.normalize('NFKD').toLowerCase().replace(BESIDE, '')
  const letters = Array.from(plain, (character) => READ_AS.get(character) ?? character)
  return letters.join('').replace(STROKES, 'l')
}

/** Shorter symbols are anybody's: only on their own chain do they mean the coin. */
const MIN_READING = 3

/** By what their symbols read as; those of stablecoins by their names too. */
const BY_READING: ReadonlyMap<string, readonly ChainMajor[]> = readings()

function readings(): ReadonlyMap<string, readonly ChainMajor[]> {
  const all = new Map<string, ChainMajor[]>()
  const add = (text: string, one: ChainMajor): void => {
    const reading = readingOf(text)
    all.set(reading, [...(all.get(reading) ?? []), one])
  }
  for (const { key } of CHAINS) {
    for (const major of MAJORS.get(key)!) {
      add(major.symbol, { chain: key, major })
      // A native coin has its chain's name here, which is many things' name.
      if (major.kind === 'stablecoin') add(major.name, { chain: key, major })
    }
  }
  return all
}

/**
 * The major that a token reads like, by its symbol or its name, of its own
 * chain where there is one: a bridge's copy, or a fake. Whether the token is
 * that major itself is for the caller to know.
 */
export function readsLike(chain: string, symbol: string | null, name: string | null): ChainMajor | null {
  for (const text of [symbol, name]) {
    const reading = text === null ? '' : readingOf(text)
    const majors = BY_READING.get(reading) ?? []
    const own = majors.find((one) => one.chain === chain)
    const found = own ?? (reading.length >= MIN_READING ? majors[0] : undefined)
    if (found !== undefined) return found
  }
  return null
}
