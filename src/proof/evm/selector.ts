/** Selectors of functions: the first four bytes of the hash of their names and types. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** 0x and four bytes. */
export const SELECTOR_CHARACTERS = 10

/**
 * @param signature  in Solidity's notation, such as `function transfer(address to, uint256 amount)`
 * @returns 0x and eight hex digits; null if it isn't one
 */
export function selectorOf(signature: string): string | null {
  const text = canonicalSignature(signature)
  return text && `0x${bytesToHex(keccak_256(utf8ToBytes(text)).subarray(0, 4))}`
}

/** Tuples within tuples of a function that a request brings: the cost of a coder grows with it. */
const MAX_TUPLES = 8
const TYPE = /^(address|bool|string|function|bytes\d{0,2}|u?int\d{0,3})((?:\[\d*\])*)$/

/**
 * Converts a function in Solidity's notation to the text that its selector is hashed from, in one pass and
 * without a coder.
 * @returns null if it isn't one
 */
function canonicalSignature(signature: string): string | null {
  const [, name] = /^(?:function +)?([A-Za-z_$][\w$]*) *\(/.exec(signature) ?? []
  if (name === undefined) return null
  let text = name
  let depth = 0
  let word = ''
  let before = ''
  for (let at = signature.indexOf('('); at < signature.length; at++) {
    const character = signature[at]!
    if (!'(),'.includes(character)) {
      word += character
      continue
    }
    const [type = ''] = word.trim().split(/\s/, 1)
    const [, base, arrays] = TYPE.exec(type) ?? []
    if (before === ')') text += /^(?:\[\d*\])*/.exec(word)![0]
    else if (base !== undefined && character !== '(')
      text += `${base}${/^u?int$/.test(base) ? '256' : ''}${arrays}`
    else if (type !== '' || (character !== '(' && !(before === '(' && character === ')' && depth === 1)))
      return null
    text += character
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
    if (depth > MAX_TUPLES) return null
    if (depth === 0) return text
    before = character
    word = ''
  }
  return null
}
