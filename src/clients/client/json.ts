/**
 * JSON whose integers may exceed 2^53, as a Solana node's do: `rentEpoch` of every
 * account, lamports of a large one. JSON.parse rounds them silently.
 */

/** Strings and numbers. A string without its end is one, too: each quote in it would begin another search. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g
/** An integer with enough digits to be at risk. */
const LONG = /^-?\d{16,}$/

/**
 * The text's value. An integer that a `number` cannot hold exactly is a `bigint`;
 * all others are numbers.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  // Unpredictable, so no string in the text can begin with it.
  const mark = `${Math.random()}:`
  let isMarked = false
  const marked = text.replace(TOKENS, (token) => {
    if (!LONG.test(token) || Number.isSafeInteger(Number(token))) return token
    isMarked = true
    return `"${mark}${token}"`
  })
  if (!isMarked) return JSON.parse(text)
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}

/** @returns null if it isn't an object in JSON */
export function objectOf(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
