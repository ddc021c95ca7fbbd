/**
 * A body that is served many times, with everything that a reply needs made in advance: its bytes in each
 * content coding, and a strong ETag for each coding, because their bytes differ.
 *
 * Source: RFC 9110 §8.8.3 (ETag), §12.5.3 (Accept-Encoding), §12.5.5 (Vary), §13.1.2 (If-None-Match) · RFC
 * 7932 (br), RFC 1952 (gzip)
 */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { Pieces } from '../../flow/pieces.ts'

/** The codings; the first one wins if a client weighs them equally. */
const CODINGS = ['br', 'gzip', 'identity'] as const
type Coding = (typeof CODINGS)[number]

// This matches in linear time: spaces are allowed in one place only after a name.
const MEMBER = /^([!#$%&'*+\-.^_`|~0-9a-z]+)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?$/
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

// The token list is compressed anew every ten seconds: these levels keep a
// rebuild within its bound (bench: Token list).
const GZIP_LEVEL = 2
const BROTLI_QUALITY = 2

/** 72 bits: enough to distinguish any two versions. */
const TAG_CHARACTERS = 12

/** The bytes of one coding, with their headers. */
type Coded = ReturnType<typeof coded>

/** The content type and caching of a representation that is not JSON. */
export interface Medium {
  readonly contentType: string
  readonly cacheControl: string
  /** For a 200 and a 304; alternating names and values. */
  readonly headers: readonly string[]
}

/** A built file in the smallest coding, from which the others are made. */
interface Compressed {
  /** Identifies its version. */
  readonly tag: string
  readonly br: Buffer
}

/** The plain bytes, and the codings that are available. */
type Codings = Readonly<Partial<Record<Coding, Coded>> & { identity: Coded }>

export class Representation {
  private readonly codings: Codings
  /** Null for JSON. */
  readonly medium: Medium | null

  private constructor(codings: Codings, medium: Medium | null) {
    this.codings = codings
    this.medium = medium
  }

  /** Makes the other codings, off the main thread. */
  static async ofFile({ tag, br }: Compressed, medium: Medium): Promise<Representation> {
    const identity = await promisify(brotliDecompress)(br)
    const gzipped = await promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION })
    return new Representation(codingsOf(tag, { identity, gzip: gzipped, br }), medium)
  }

  /** Without compression. @param body  must not change any more */
  static plain(body: Buffer, medium: Medium | null): Representation {
    return new Representation({ identity: coded(body, `"${tagOf(body)}"`, []) }, medium)
  }

  /** Compresses off the main thread. @param body  JSON; must not change any more */
  static async of(body: Buffer): Promise<Representation> {
    const params: BrotliOptions['params'] = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    }
    const [br, gzipped] = await Promise.all([
      promisify(brotliCompress)(body, { params }),
      promisify(gzip)(body, { level: GZIP_LEVEL }),
    ])
    return new Representation(codingsOf(tagOf(body), { identity: body, gzip: gzipped, br }), null)
  }

  /** The coding that a request asks for; the plain bytes if none of those is available (§12.5.3). */
  select(headers: IncomingHttpHeaders): Coded {
    const accepted = headers['accept-encoding']
    if (accepted === undefined) return this.codings.identity
    return this.codings[negotiate(accepted)] ?? this.codings.identity
  }
}

/** A body of bytes that many replies share, in pieces, so that none of them has a copy. It has no ETag. */
export class SharedPieces {
  readonly pieces: readonly Buffer[]
  /** Null for JSON. */
  readonly medium: Medium | null
  /** The memory behind the pieces, if it is held only for these replies; null if it outlives them. */
  readonly held: Pieces | null

  constructor(pieces: readonly Buffer[], medium: Medium | null, held: Pieces | null = null) {
    this.pieces = pieces
    this.medium = medium
    this.held = held
  }
}

/**
 * Whether the client already has these bytes. Tags are compared weakly. A tag cannot contain a quote, so a
 * quoted tag occurs in a list only as a member of it.
 */
export function isCurrent({ etag }: Coded, headers: IncomingHttpHeaders): boolean {
  const tags = headers['if-none-match']
  return tags !== undefined && (tags.trim() === '*' || tags.includes(etag))
}

/** @param accepted  an Accept-Encoding header; malformed members are ignored */
export function negotiate(accepted: string): Coding {
  const weights = new Map<string, number>()
  for (const member of accepted.toLowerCase().split(',')) {
    const match = MEMBER.exec(member.trim())
    const weight = Number(match?.[2] ?? 1)
    if (match !== null && weight <= 1) weights.set(ALIASES[match[1]!] ?? match[1]!, weight)
  }
  // A coding that is not named has the star's weight. The plain bytes are always
  // acceptable, but come after any coding that was asked for.
  const others = weights.get('*')
  let best: Coding = 'identity'
  let bestWeight = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others ?? 0
    if (weight > bestWeight) [best, bestWeight] = [coding, weight]
  }
  return best
}

function tagOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS)
}

function codingsOf(tag: string, bodies: Readonly<Record<Coding, Buffer>>): Codings {
  return {
    identity: coded(bodies.identity, `"${tag}"`, []),
    gzip: coded(bodies.gzip, `"${tag}-gzip"`, ['Content-Encoding', 'gzip']),
    br: coded(bodies.br, `"${tag}-br"`, ['Content-Encoding', 'br']),
  }
}

/**
 * @param etag  with its quotes
 * @returns `validators` are the headers of a 304, and `headers` those of a 200: names and values in turn
 */
function coded(body: Buffer, etag: string, encoding: readonly string[]) {
  const validators: readonly string[] = ['ETag', etag, 'Vary', 'Accept-Encoding']
  return { body, etag, validators, headers: [...validators, ...encoding] }
}
