/**
 * The secrets in an operator's upstream URL and headers: the host, user and
 * password, and the keys that providers put into paths and queries. No reply of
 * that upstream may carry them to a client.
 */

import { CHAINS } from '../chains/chains.ts'
import { finishInPieces, PIECE_BYTES } from '../flow/loop-share.ts'
import type { Pieces } from '../flow/pieces.ts'

/** Shorter parts are words or versions, not keys: `v2`, `rpc`, `true`, the user `solana`. */
const MIN_KEY_LENGTH = 8
/** A short password is still a secret, but below this length every other text would contain it. */
const MIN_PASSWORD_LENGTH = 4
/** Many answers contain them, and URLs do too: `https://node.example/ethereum/KEY`. */
const CHAIN_KEYS: ReadonlySet<string> = new Set(CHAINS.map(({ key }) => key))

/**
 * @param credentials  what is sent besides the URL, such as an API key
 * @param publicHosts  hosts that aren't secret, lower case
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
  for (const segment of url.pathname.split('/')) addUnlessChain(secrets, segment)
  for (const pair of url.search.slice(1).split('&')) {
    addUnlessChain(secrets, pair.slice(pair.indexOf('=') + 1))
  }
  for (const value of credentials) add(secrets, value, MIN_KEY_LENGTH)
  return [...secrets]
}

/** Whether the bytes contain any of the secrets, in any case. */
export function reveals(bytes: Buffer, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false
  const text = bytes.toString().toLowerCase()
  return secrets.some((secret) => text.includes(secret))
}

/** In lower case a character may take a third of its bytes: the Kelvin sign is a `k`. */
const SHRINKS_BY = 3

/** The same for a long text, in turns that leave the event loop free between them. */
export async function revealsInPieces({ parts }: Pieces, secrets: readonly string[]): Promise<boolean> {
  return secrets.length > 0 && finishInPieces(searched(parts, secrets))
}

function* searched(parts: readonly Buffer[], secrets: readonly string[]): Generator<void, boolean, void> {
  const overlap = SHRINKS_BY * Math.max(...secrets.map((secret) => Buffer.byteLength(secret)))
  /** The last bytes that were searched: a secret may begin in them. */
  let last: Buffer = Buffer.alloc(0)
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      const bytes = part.subarray(at, at + PIECE_BYTES)
      const across = Buffer.concat([last, bytes.subarray(0, overlap)])
      if (reveals(across, secrets) || reveals(bytes, secrets)) return true
      last = lastOf(bytes.length < overlap ? across : bytes, overlap)
      yield
    }
  }
  return false
}

const lastOf = (bytes: Buffer, count: number): Buffer => bytes.subarray(Math.max(0, bytes.length - count))

function addUnlessChain(secrets: Set<string>, part: string): void {
  if (!CHAIN_KEYS.has(part.toLowerCase())) add(secrets, part, MIN_KEY_LENGTH)
}

/** Adds a secret as written, and as a server may repeat it after decoding it. */
function add(secrets: Set<string>, written: string, minLength: number): void {
  if (written.length < minLength) return
  secrets.add(written.toLowerCase())
  secrets.add(decoded(written).toLowerCase())
}

/** Percent-decoded; unchanged if it is not valid percent-encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A URL's user and password as Basic credentials. */
export const basicTokenOf = ({ username, password }: URL): string =>
  Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
