/**
 * JSON whose integers may exceed 2^53, as a Solana node's do: `rentEpoch` of every
 * account, lamports of a large one. JSON.parse would round them without a word.
 */

/** A string, which is skipped, or an integer with enough digits to be at risk. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/g

/**
 * The text's value. An integer that a `number` cannot hold exactly is a `bigint`;
 * all others are numbers.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  // Known to nobody before the text was written, so that no string in it begins so.
  const mark = `${Math.random()}:`
  let isMarked = false
  const marked = text.replace(TOKENS, (token) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return token
    isMarked = true
    return `"${mark}${token}"`
  })
  if (!isMarked) return JSON.parse(text)
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}
