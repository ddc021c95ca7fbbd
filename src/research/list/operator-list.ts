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
import { ConfigError } from '../../config/config.ts'
import { readOperatorFile } from '../../config/operator-file.ts'
import { cleanText } from '../../providers/market/clean.ts'
import { idOf, type Named, type TokenId } from '../../providers/market/market.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { Logger } from '../../runtime/log.ts'
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
  readonly #paths: readonly string[]
  readonly #log: Logger
  #tokens: OperatorTokens = { rows: [], known: [], skipped: 0 }

  /**
   * @param paths  empty if no file is configured
   * @throws ConfigError  which names the bad entry and repeats none of its values
   */
  constructor(paths: readonly string[], log: Logger) {
    this.#paths = paths
    this.#log = log
    // Skipped tokens would otherwise go unnoticed.
    if (paths.length > 0 && this.#load() > 0) this.#logCounts()
  }

  /** The rows of the token list, each once. */
  get tokens(): readonly Named[] {
    return this.#tokens.rows
  }

  /** Further tokens that portfolios look for, with decimals: the same array until it changes. */
  get known(): readonly KnownToken[] {
    return this.#tokens.known
  }

  /** Reads the files again. If one is invalid, the tokens stay as they were and the log says why. */
  reload(): void {
    if (this.#paths.length === 0) return
    try {
      this.#load()
      this.#logCounts()
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, "the operator's tokens could not be read; the ones from before stay")
    }
  }

  /** @returns how many tokens were skipped */
  #load(): number {
    const own: Named[] = []
    const known: KnownToken[] = []
    let skipped = 0
    for (const [i, path] of this.#paths.entries()) {
      const place = this.#paths.length === 1 ? '' : `file ${i + 1} of ${this.#paths.length}: `
      const document = readJson(path, place)
      if (isPublishedList(document)) {
        const list = readPublishedList(document)
        if (typeof list === 'string') throw bad(place + list)
        known.push(...list.tokens)
        skipped += list.skipped
      } else own.push(...readOwnFormat(document, place))
    }
    const rows = eachOnce(own)
    if (rows.length > MAX_TOKENS) throw bad(`the files have more than ${MAX_TOKENS} tokens together.`)
    if (known.length > MAX_KNOWN) throw bad(`the Token Lists have more than ${MAX_KNOWN} tokens together.`)
    const all = eachOnce([...rows, ...known])
    this.#tokens = { rows: all.slice(0, MAX_TOKENS), known: eachOnce(known), skipped }
    return skipped
  }

  #logCounts(): void {
    const { rows, known, skipped } = this.#tokens
    const counts = { tokens: rows.length, known: known.length, skipped }
    this.#log.info(counts, "the operator's tokens were read")
  }
}

function eachOnce<T extends TokenId>(tokens: readonly T[]): readonly T[] {
  const byId = new Map<string, T>()
  for (const token of tokens) if (!byId.has(idOf(token))) byId.set(idOf(token), token)
  return [...byId.values()]
}

/**
 * @param place  names the file in an error message, where there are several
 * @returns the tokens in the file's order, their addresses in canonical spelling
 */
function readOwnFormat(list: unknown, place: string): readonly Named[] {
  const validator = compile(TokensFile)
  if (!validator.Check(list)) throw bad(place + refuseInput(validator, list, 'file').message)
  const seen = new Map<string, number>()
  return list.tokens.map((entry, i) => {
    const token = toToken(entry, i, place)
    const id = idOf(token)
    const first = seen.get(id)
    if (first !== undefined) {
      throw bad(`${place}\`file.tokens[${i}]\` is the same token as \`file.tokens[${first}]\`; list it once.`)
    }
    seen.set(id, i)
    return token
  })
}

function readJson(path: string, place: string): unknown {
  let text: string
  try {
    text = readOperatorFile(path, MAX_FILE_BYTES)
  } catch (error) {
    throw bad(place + (error as Error).message)
  }
  try {
    return JSON.parse(text)
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
    symbol: cleanText(symbol, MAX_SYMBOL),
    name: cleanText(name, MAX_NAME),
  }
}

function bad(message: string): ConfigError {
  return new ConfigError(`TOKENS_FILE: ${message}`)
}
