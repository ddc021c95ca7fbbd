/**
 * The operator's own tokens for the list: the JSON file that TOKENS_FILE names,
 *
 *   { "tokens": [{ "chain": "base", "address": "0x…", "symbol": "FOO", "name": "Foo" }] }
 *
 * where symbol and name may be left out: what the markets call it is shown then.
 */
import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { parseToken } from '../chains/address.ts'
import { findChain } from '../chains/find.ts'
import { ConfigError } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { cleanText } from '../providers/market/clean.ts'
import type { TokenId } from '../providers/market/market.ts'
import { compile, refuseInput } from '../validate.ts'
import { idOf } from './books.ts'

const MAX_TOKENS = 1_000
const MAX_SYMBOL = 32
const MAX_NAME = 64

export interface OperatorToken extends TokenId {
  /** The operator's name for it; null where the markets' own is shown. */
  readonly symbol: string | null
  readonly name: string | null
}

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
type Entry = Static<typeof TokensFile>['tokens'][number]

/** The operator's tokens as they were when their file was last good. */
export class OperatorList {
  readonly #path: string | null
  readonly #log: Logger
  #tokens: readonly OperatorToken[] = []

  /**
   * @param path  null where there is no file
   * @throws ConfigError  see loadOperatorTokens
   */
  constructor(path: string | null, log: Logger) {
    this.#path = path
    this.#log = log
    if (path !== null) this.#tokens = loadOperatorTokens(path)
  }

  get tokens(): readonly OperatorToken[] {
    return this.#tokens
  }

  /** Reads the file again; where it is bad now, the log says why and the tokens stay. */
  reload(): void {
    if (this.#path === null) return
    try {
      this.#tokens = loadOperatorTokens(this.#path)
      this.#log.info({ tokens: this.#tokens.length }, "the operator's tokens were read")
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, "the operator's tokens could not be read; the ones from before stay")
    }
  }
}

/**
 * @returns the tokens in the file's order, their addresses in canonical spelling
 * @throws ConfigError  that names the entry at fault, and repeats none of its values
 */
export function loadOperatorTokens(path: string): readonly OperatorToken[] {
  const list = readJson(path)
  const validator = compile(TokensFile)
  if (!validator.Check(list)) throw bad(refuseInput(validator, list, 'file').message)
  const seen = new Map<string, number>()
  return list.tokens.map((entry, i) => {
    const token = toToken(entry, i)
    const id = idOf(token)
    const first = seen.get(id)
    if (first !== undefined) {
      throw bad(`\`file.tokens[${i}]\` is the same token as \`file.tokens[${first}]\`; list it once.`)
    }
    seen.set(id, i)
    return token
  })
}

function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw bad(`The file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw bad('The file must be one JSON document.')
  }
}

function toToken({ chain: key, address, symbol, name }: Entry, i: number): OperatorToken {
  const chain = findChain(key)
  if (chain === null) throw bad(`\`file.tokens[${i}].chain\` must be a chain key of GET /api/chains.`)
  const token = parseToken(chain, address)
  if (token === null) throw bad(`\`file.tokens[${i}].address\` must be a token address on ${chain.name}.`)
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
