/**
 * Names that are confusable with a major's.
 *
 * Two texts are confusable if their skeletons are equal, much as in UTS #39. A skeleton has compatibility
 * forms resolved, marks, blanks and invisible characters removed, confusable characters replaced, and case
 * folded. The table covers the confusables of Latin letters and digits in the scripts that forgers use, not
 * all of Unicode; `test/research/list/suspicious-name.test.ts` lists names that must be caught.
 *
 * Source: Unicode Technical Standard #39, section 4 (confusable detection)
 */
import { LRUCache } from 'lru-cache'
import { addToList } from '../runtime/lists.ts'
import { CHAINS } from './chains.ts'
import confusables from './confusables.json' with { type: 'json' }
import { MAJORS, type Major } from './majors.ts'

/** A major and its chain. */
interface ChainMajor {
  readonly chain: string
  readonly major: Major
}

/** Characters of other scripts, and the Latin letters that they are confusable with. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  confusables.scripts.flatMap(({ characters, letters }) =>
    [...characters].map((character, i): [string, string] => [character, letters[i]!]),
  ),
)
/** Characters confusable within ASCII, lower case. */
const ASCII: Readonly<Record<string, string>> = confusables.ascii

/** Invisible characters, and marks that are easily overlooked between letters. */
const OVERLOOKED = /[._'-]|[\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s\u2800]/gu

/** Each rebuild of the token list asks for mostly the same names. */
const KNOWN = new LRUCache<string, string>({ max: 4_096 })

/** @returns the skeleton of a text: equal for texts that are confusable with each other */
export function skeletonOf(text: string): string {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const skeleton = makeSkeleton(text)
  KNOWN.set(text, skeleton)
  return skeleton
}

function makeSkeleton(text: string): string {
  let letters = ''
  for (const character of text.normalize('NFKD').replace(OVERLOOKED, ''))
    letters += LETTERS.get(character) ?? character
  let skeleton = ''
  for (const character of letters.toLowerCase()) skeleton += ASCII[character] ?? character
  return skeleton
}

/** Shorter symbols are common: they count only on the major's own chain. */
const MIN_LENGTH = 3

/** Majors by the skeletons of their symbols, and of a stablecoin's name. Made on first use. */
let majorsBySkeleton: ReadonlyMap<string, readonly ChainMajor[]> | null = null

function bySkeleton(): ReadonlyMap<string, readonly ChainMajor[]> {
  const all = new Map<string, ChainMajor[]>()
  for (const { key } of CHAINS) {
    for (const major of MAJORS.get(key)!) {
      addToList(all, skeletonOf(major.symbol), { chain: key, major })
      // A native coin's name here is its chain's name, which many tokens contain.
      if (major.kind === 'stablecoin') addToList(all, skeletonOf(major.name), { chain: key, major })
    }
  }
  return all
}

/**
 * The major that a token's symbol or name is confusable with; one of the token's own chain, if there is one.
 * The token may be a bridge's copy, a fake, or the major itself: the function does not compare addresses.
 */
export function readsLike(chain: string, symbol: string | null, name: string | null): ChainMajor | null {
  for (const text of [symbol, name]) {
    const skeleton = text === null ? '' : skeletonOf(text)
    majorsBySkeleton ??= bySkeleton()
    const majors = majorsBySkeleton.get(skeleton) ?? []
    const own = majors.find((one) => one.chain === chain)
    const found = own ?? (skeleton.length >= MIN_LENGTH ? majors[0] : undefined)
    if (found !== undefined) return found
  }
  return null
}
