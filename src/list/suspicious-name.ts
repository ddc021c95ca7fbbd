/**
 * Names that look like a major's without being written as one: by letters of
 * another script, characters that have no glyph, or blanks. A name that is
 * written the same is a name's namesake, which its address and the marks of
 * sources tell apart.
 *
 * Two texts look the same where their skeletons are the same, much as in UTS
 * #39: compatibility forms resolved, marks, blanks and what has no glyph left
 * out, look-alikes replaced, and case ignored. The look-alikes are those of
 * Latin letters and digits in the scripts that forgers use, not all of
 * Unicode's; `test/list/suspicious-name.test.ts` lists what has to be caught.
 *
 * Source: Unicode Technical Standard #39, section 4 (confusable detection)
 */
import { findMajor, MAJORS } from '../chains/majors.ts'
import type { TokenId } from '../providers/market/market.ts'

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
const ASCII: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', i: 'l', '|': 'l' }

const UNSEEN = /[\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s\u2800]/gu

/** What majors are called, as plain texts, by skeleton. */
const MAJOR_NAMES = new Map<string, Set<string>>()
for (const majors of MAJORS.values()) {
  for (const { symbol, name } of majors) {
    for (const text of [symbol, name]) {
      const skeleton = skeletonOf(text)
      const texts = MAJOR_NAMES.get(skeleton) ?? new Set()
      MAJOR_NAMES.set(skeleton, texts.add(text.toLowerCase()))
    }
  }
}

/** Whether a token that is no major of its chain looks like one by its symbol or name. */
export function isNameSuspicious(
  { chain, address }: TokenId,
  symbol: string | null,
  name: string | null,
): boolean {
  if (findMajor(chain, address) !== null) return false
  return [symbol, name].some((text) => text !== null && imitates(text))
}

function imitates(text: string): boolean {
  const imitated = MAJOR_NAMES.get(skeletonOf(text))
  return imitated !== undefined && !imitated.has(text.toLowerCase())
}

function skeletonOf(text: string): string {
  let letters = ''
  for (const character of text.normalize('NFKD').replace(UNSEEN, ''))
    letters += LETTERS.get(character) ?? character
  let skeleton = ''
  for (const character of letters.toLowerCase()) skeleton += ASCII[character] ?? character
  return skeleton
}
