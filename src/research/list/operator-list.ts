/**
 * The operator's own tokens, from the JSON files that TOKENS_FILE names. A file
 * has one of two formats. In the gateway's own format,
 *
 *   { "tokens": [{ "chain": "base", "address": "0x…", "symbol": "FOO", "name": "Foo" }] }
 *
 * symbol and name are optional; without them the markets' names are shown. The
 * other format is a published Token List: see published-list.ts.
 */
import { type Static, Type } from 'typebox'
import { parseToken } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { parseInPieces } from '../../chains/json/parse-pieces.ts'
import { ConfigError } from '../../config/config.ts'
import { FromFiles, readOperatorFile } from '../../config/operator-file.ts'
import * as clean from '../../providers/market/clean.ts'
import { idOf, type Named, type TokenId } from '../../providers/market/market.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { Logger } from '../../runtime/log.ts'
import { shownPath } from '../../runtime/shown.ts'
import { compile, refuseInput } from '../../runtime/validate.ts'
import { isPublishedList, readPublishedList } from './published-list.ts'

/** Most rows in the operator's book: each is refreshed like any other. */
const MAX_TOKENS = 1_000
/** Most tokens of all Token Lists together: each takes memory for the life of the process. */
const MAX_KNOWN = 50_000
/** Five times the size of a file with ten thousand tokens. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_SYMBOL = 32
const MAX_NAME = 64

const TokensFile = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          chain: Type.String({ title: 'a chain key of GET /api/chains' }),
          address: Type.String({ title: 'a token address' }),
          symbol: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SYMBOL })),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME })),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_TOKENS, title: `an array of at most ${MAX_TOKENS} tokens` },
    ),
  },
  { additionalProperties: false },
)
type FileToken = Static<typeof TokensFile>['tokens'][number]

/** The contents of the operator's files. */
interface OperatorTokens {
  /** The rows of the operator's book: tokens in the own format first, then as many of the Token Lists as fit. */
  readonly rows: readonly Named[]
  /** All tokens of the Token Lists. */
  readonly known: readonly KnownToken[]
  /** Tokens of the Token Lists that are on other chains or malformed. */
  readonly skipped: number
}

/** The operator's tokens, from the last time all files were valid. */
export class OperatorList {
  readonly #files: FromFiles<OperatorTokens>
  readonly #isEmpty: boolean
  readonly #log: Logger

  /**
   * @param paths  empty if no file is configured
   * @throws ConfigError  which names the bad entry and repeats none of its values
   */
  constructor(paths: readonly string[], log: Logger) {
    this.#log = log
    this.#isEmpty = paths.length === 0
    this.#files = new FromFiles("the operator's tokens", () => readFiles(paths), log)
    // Skipped tokens would otherwise go unnoticed.
    if (this.#files.value.skipped > 0) this.#logCounts()
  }

  /** The rows of the token list, each once. */
  get tokens(): readonly Named[] {
    return this.#files.value.rows
  }

  /** Further tokens that portfolios look for, with decimals: the same array until it changes. */
  get known(): readonly KnownToken[] {
    return this.#files.value.known
  }

  /** Reads the files again. If one is invalid, the tokens stay as they were and the log says why. */
  async reload(): Promise<void> {
    if (!this.#isEmpty && (await this.#files.reload())) this.#logCounts()
  }

  #logCounts(): void {
    const { rows, known, skipped } = this.#files.value
    const counts = { tokens: rows.length, known: known.length, skipped }
    this.#log.info(counts, "the operator's tokens were read")
  }
}

function* readFiles(paths: readonly string[]): Generator<void, OperatorTokens, void> {
  const own: Named[] = []
  const known: KnownToken[] = []
  let skipped = 0
  for (const path of paths) {
    const place = `${shownPath(path)}: `
    const document = yield* readJson(path, place)
    if (isPublishedList(document)) {
      const list = yield* readPublishedList(document)
      if (typeof list === 'string') throw bad(place + list)
      known.push(...list.tokens)
      skipped += list.skipped
    } else own.push(...(yield* readOwnFormat(document, place)))
  }
  const rows = eachOnce(own)
  if (rows.length > MAX_TOKENS) throw bad(`the files have more than ${MAX_TOKENS} tokens together.`)
  if (known.length > MAX_KNOWN) throw bad(`the Token Lists have more than ${MAX_KNOWN} tokens together.`)
  const all = eachOnce([...rows, ...known])
  return { rows: all.slice(0, MAX_TOKENS), known: eachOnce(known), skipped }
}

function eachOnce<T extends TokenId>(tokens: readonly T[]): readonly T[] {
  const byId = new Map<string, T>()
  for (const token of tokens) if (!byId.has(idOf(token))) byId.set(idOf(token), token)
  return [...byId.values()]
}

/**
 * @param place  names the file in an error message
 * @returns the tokens in the file's order, their addresses in canonical spelling
 */
function* readOwnFormat(list: unknown, place: string): Generator<void, readonly Named[], void> {
  const validator = compile(TokensFile)
  if (!validator.Check(list)) throw bad(place + refuseInput(validator, list, 'file').message)
  const seen = new Map<string, number>()
  const tokens: Named[] = []
  for (const [i, entry] of list.tokens.entries()) {
    const token = toToken(entry, i, place)
    const id = idOf(token)
    const first = seen.get(id)
    if (first !== undefined) {
      throw bad(`${place}\`file.tokens[${i}]\` is the same token as \`file.tokens[${first}]\`; list it once.`)
    }
    seen.set(id, i)
    tokens.push(token)
    yield
  }
  return tokens
}

function* readJson(path: string, place: string): Generator<void, unknown, void> {
  let bytes: Buffer
  try {
    bytes = yield* readOperatorFile(path, MAX_FILE_BYTES)
  } catch (error) {
    throw bad(place + (error as Error).message)
  }
  try {
    return yield* parseInPieces(bytes)
  } catch {
    throw bad(`${place}The file must be one JSON document.`)
  }
}

function toToken({ chain: key, address, symbol, name }: FileToken, i: number, place: string): Named {
  const chain = findChain(key)
  if (chain === null) throw bad(`${place}\`file.tokens[${i}].chain\` must be a chain key of GET /api/chains.`)
  const token = parseToken(chain, address)
  if (token === null)
    throw bad(`${place}\`file.tokens[${i}].address\` must be a token address on ${chain.name}.`)
  return {
    chain: key,
    address: token.address,
    symbol: clean.text(symbol, MAX_SYMBOL),
    name: clean.text(name, MAX_NAME),
  }
}

function bad(message: string): ConfigError {
  return new ConfigError(`TOKENS_FILE: ${message}`)
}
