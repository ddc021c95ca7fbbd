/**
 * Names that look like a major's.
 *
 * Two texts look the same where their skeletons are the same, much as in UTS
 * #39: compatibility forms resolved, marks, blanks and what has no glyph left
 * out, look-alikes replaced, and case ignored. The look-alikes are those of
 * Latin letters and digits in the scripts that forgers use, not all of
 * Unicode's; `test/research/list/suspicious-name.test.ts` lists what has to be caught.
 *
 * Source: Unicode Technical Standard #39, section 4 (confusable detection)
 */
import { LRUCache } from 'lru-cache'
import { CHAINS } from './chains.ts'
import { MAJORS, type Major } from './majors.ts'

/** A major, with the chain that it is of. */
interface ChainMajor {
  readonly chain: string
  readonly major: Major
}

/** Script by script: characters, and below them the letters that they are taken for. */
const LOOK_ALIKES: readonly (readonly [characters: string, letters: string])[] = [
  // Cyrillic
  ['АВЕЅІЈКМНОРСТУХԌҮԚԜӀ', 'ABESIJKMHOPCTYXGYQWI'],
  ['аеѕіјкмнорстухԁԛԝһӏгпвԍ', 'aesijkmhopctyxdqwhlrnbg'],
  // Greek
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ', 'ABEZHIKMNOPTYXC'],
  ['αβγεικνορστυχωϲηϳ', 'abyeikvopotuxwcnj'],
  // Armenian
  ['ՕՍՏԼհոսօցզՈ', 'OUSLhnuogqn'],
  // Cherokee
  ['ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ', 'ABCDEHJKLMPRSTVWZ'],
  // Lisu
  ['ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ', 'ABCDEFGHIJKLMNOPRSTUVWXYZ'],
  // Small capitals and other Latin letters that no compatibility form resolves
  ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'],
  ['ıłøđħŧɑɡƒ', 'ilodhtagf'],
  // Signs of currencies
  ['₮₿', 'TB'],
]
const LETTERS: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.flatMap(([characters, letters]) =>
    [...characters].map((character, i): [string, string] => [character, letters[i]!]),
  ),
)
/** What is taken for each other within ASCII, once case is ignored. */
const ASCII: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  8: 'b',
  i: 'l',
  '|': 'l',
  '!': 'l',
  $: 's',
  '@': 'a',
}

/** What has no glyph, and what is overlooked between letters. */
const UNSEEN = /[._'-]|[\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s\u2800]/gu

/** The same names come again with each edition of the token list. */
const KNOWN = new LRUCache<string, string>({ max: 4_096 })

/** @returns what a text looks like; two texts that look the same have the same */
export function skeletonOf(text: string): string {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const skeleton = makeSkeleton(text)
  KNOWN.set(text, skeleton)
  return skeleton
}

function makeSkeleton(text: string): string {
  let letters = ''
  for (const character of text.normalize('NFKD').replace(UNSEEN, ''))
    letters += LETTERS.get(character) ?? character
  let skeleton = ''
  for (const character of letters.toLowerCase()) skeleton += ASCII[character] ?? character
  return skeleton
}

/** Shorter symbols are anybody's: only on their own chain do they mean the coin. */
const MIN_LENGTH = 3

/** By what their symbols look like; those of stablecoins by their names too. Made for the first name that is looked at. */
let majorsBySkeleton: ReadonlyMap<string, readonly ChainMajor[]> | null = null

function bySkeleton(): ReadonlyMap<string, readonly ChainMajor[]> {
  const all = new Map<string, ChainMajor[]>()
  const add = (text: string, one: ChainMajor): void => {
    const skeleton = skeletonOf(text)
    all.set(skeleton, [...(all.get(skeleton) ?? []), one])
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
    const skeleton = text === null ? '' : skeletonOf(text)
    majorsBySkeleton ??= bySkeleton()
    const majors = majorsBySkeleton.get(skeleton) ?? []
    const own = majors.find((one) => one.chain === chain)
    const found = own ?? (skeleton.length >= MIN_LENGTH ? majors[0] : undefined)
    if (found !== undefined) return found
  }
  return null
}
