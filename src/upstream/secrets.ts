/**
 * What an operator's upstream URL and headers give away, so that no reply of
 * that upstream carries it to a caller: its host, user and password, and the
 * keys that providers put into paths and queries.
 */

import { inPieces, PIECE_BYTES } from '../runtime/loop-share.ts'

/** What is shorter is a word or a version, not a key: `v2`, `rpc`, `true`, the user `solana`. */
const MIN_KEY_LENGTH = 8
/** A short password is still one, but below this every other text would contain it. */
const MIN_PASSWORD_LENGTH = 4

/**
 * @param credentials  what is sent beside the URL, such as an API key
 * @param publicHosts  hosts that everybody knows, lower case
 * @returns texts to look for, lower case
 */
export function secretsOf(
  url: URL,
  credentials: readonly string[],
  publicHosts: readonly string[],
): readonly string[] {
  const secrets = new Set<string>()
  // `solana` in http://solana:8899 is an ordinary word; with its port it is an address.
  const host = /[.:]/.test(url.hostname) ? url.hostname : url.host
  if (!publicHosts.includes(host)) secrets.add(host)
  add(secrets, url.username, MIN_KEY_LENGTH)
  add(secrets, url.password, MIN_PASSWORD_LENGTH)
  for (const segment of url.pathname.split('/')) add(secrets, segment, MIN_KEY_LENGTH)
  for (const pair of url.search.slice(1).split('&')) {
    add(secrets, pair.slice(pair.indexOf('=') + 1), MIN_KEY_LENGTH)
  }
  for (const value of credentials) add(secrets, value, MIN_KEY_LENGTH)
  return [...secrets]
}

/** Whether any of the secrets stands in the bytes, in whatever case. */
export function reveals(bytes: Buffer, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false
  const text = bytes.toString().toLowerCase()
  return secrets.some((secret) => text.includes(secret))
}

/** The same of bytes that are many, in pieces. */
export async function revealsInPieces(bytes: Buffer, secrets: readonly string[]): Promise<boolean> {
  if (secrets.length === 0) return false
  const overlap = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)))
  let isFound = false
  let at = 0
  await inPieces(() => {
    isFound = reveals(bytes.subarray(Math.max(0, at - overlap), at + PIECE_BYTES), secrets)
    at += PIECE_BYTES
    return !isFound && at < bytes.length
  })
  return isFound
}

/** Adds a secret as it is written, and as a server may repeat it after decoding it. */
function add(secrets: Set<string>, written: string, minLength: number): void {
  if (written.length < minLength) return
  secrets.add(written.toLowerCase())
  secrets.add(decoded(written).toLowerCase())
}

/** Percent-decoded, or as it is where it is not valid percent-encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
