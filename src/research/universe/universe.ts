/**
 * Which tokens there are, beyond the few hundred of the token list: the
 * operator's, the well-known ones, and those of the providers' own lists. A
 * wallet is looked through for these, and whoever comes upon an address finds
 * here what it is called. An entry vouches for identity, never for a price.
 *
 *   find ──> the operator's | well-known | provider A's | provider B's    the first that has it
 *
 * A provider's list is read when somebody asks for its chain and it is due, by
 * the gateway itself, and is kept through failures: nobody waits for one but
 * those who are there before the first has come.
 */

import { CHAINS } from '../../chains/chains.ts'
import type { KnownToken, TokenSource } from '../../providers/tokens/token-source.ts'
import { atMost, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { knownTokens } from './known-tokens.ts'
import { TokenTable } from './table.ts'

/** A list that could not be read is asked for again after so long. */
const RETRY_MS = 300_000
const CALL_MS = 20_000
/** Lists that are read at the same time: each may be some megabytes. */
const AT_ONCE = 3
/** A list that has lost more than half since it was last read is believed when it says so twice. */
const SHRUNK = 2

interface UniverseOptions {
  readonly sources: readonly TokenSource[]
  /** The operator's tokens as they are now: the same array until they change. */
  readonly operatorTokens: () => readonly KnownToken[]
  readonly clock: Clock
  readonly log: Logger
}

/** A source's list of one chain. */
interface Shelf {
  readonly source: TokenSource
  readonly chain: string
  table: TokenTable
  /** Monotonic, ms. */
  dueAt: number
  isDoubted: boolean
  /** Resolves when it was read for the first time, or could not be; null until that is under way. */
  first: Promise<void> | null
}

export class Universe {
  readonly #options: UniverseOptions
  readonly #shelves: ReadonlyMap<string, readonly Shelf[]>
  readonly #lines: Promise<void>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
  #nextLine = 0
  #operator: { readonly tokens: readonly KnownToken[]; readonly tables: ReadonlyMap<string, TokenTable> }

  constructor(options: UniverseOptions) {
    this.#options = options
    this.#operator = { tokens: [], tables: new Map() }
    const dueAt = Number.NEGATIVE_INFINITY
    this.#shelves = new Map(
      CHAINS.map(({ key }) => [
        key,
        options.sources
          .filter(({ chains }) => chains.has(key))
          .map((source) => ({
            source,
            chain: key,
            table: TokenTable.EMPTY,
            dueAt,
            isDoubted: false,
            first: null,
          })),
      ]),
    )
  }

  /**
   * Has the lists of these chains read where they are due. Resolves at once
   * where each was tried before, else when it was, or when the time is over.
   */
  async ready(chains: readonly string[], deadlineMs: number): Promise<void> {
    const shelves = chains.flatMap((chain) => this.#shelves.get(chain) ?? [])
    const firsts = shelves.map((shelf) => this.#keepCurrent(shelf))
    if (firsts.length > 0) await atMost(deadlineMs, Promise.all(firsts))
  }

  /** The tokens of a chain, each once, the likeliest to be held first. */
  tokens(chain: string): readonly KnownToken[] {
    const tokens = new Map<string, KnownToken>()
    for (const table of this.#tables(chain)) {
      for (let place = 0; place < table.size; place++) {
        const token = table.at(place)
        if (!tokens.has(token.address)) tokens.set(token.address, token)
      }
    }
    return [...tokens.values()]
  }

  /** @param address  canonical */
  find(chain: string, address: string): KnownToken | null {
    for (const table of this.#tables(chain)) {
      const token = table.find(address)
      if (token !== null) return token
    }
    return null
  }

  /** What its tables take of memory, nearly. */
  get bytes(): number {
    const shelves = [...this.#shelves.values()].flat().map(({ table }) => table)
    const tables = [
      ...this.#operator.tables.values(),
      ...CHAINS.map(({ key }) => knownTokens(key)),
      ...shelves,
    ]
    return tables.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #tables(chain: string): readonly TokenTable[] {
    const shelves = this.#shelves.get(chain)
    if (shelves === undefined) return []
    const own = this.#operatorTables().get(chain) ?? TokenTable.EMPTY
    return [own, knownTokens(chain), ...shelves.map(({ table }) => table)]
  }

  #operatorTables(): ReadonlyMap<string, TokenTable> {
    const tokens = this.#options.operatorTokens()
    if (tokens !== this.#operator.tokens) {
      const byChain = new Map<string, KnownToken[]>()
      for (const token of tokens) {
        const ofChain = byChain.get(token.chain)
        if (ofChain === undefined) byChain.set(token.chain, [token])
        else ofChain.push(token)
      }
      const tables = new Map([...byChain].map(([chain, some]) => [chain, new TokenTable(chain, some)]))
      this.#operator = { tokens, tables }
    }
    return this.#operator.tables
  }

  /** Begins to read the list where it is due. @returns its first reading, which may long be over */
  #keepCurrent(shelf: Shelf): Promise<void> {
    const nowMs = this.#options.clock.now()
    if (nowMs >= shelf.dueAt) {
      shelf.dueAt = nowMs + Math.min(RETRY_MS, shelf.source.everyMs)
      const done = this.#inLine(() => this.#read(shelf))
      shelf.first ??= done
    }
    return shelf.first!
  }

  #inLine(read: () => Promise<void>): Promise<void> {
    const line = this.#nextLine++ % AT_ONCE
    const done = this.#lines[line]!.then(read)
    this.#lines[line] = done
    return done
  }

  /** Never rejects. */
  async #read(shelf: Shelf): Promise<void> {
    const { clock, log } = this.#options
    const { source, chain, table } = shelf
    try {
      const tokens = await source.ask(chain, { deadlineMs: CALL_MS, priority: 'list', scope: null })
      shelf.dueAt = clock.now() + source.everyMs
      const hasShrunk = tokens.length * SHRUNK < table.size
      if (!hasShrunk || shelf.isDoubted) shelf.table = new TokenTable(chain, tokens)
      shelf.isDoubted = hasShrunk && !shelf.isDoubted
    } catch (error) {
      // Failures of upstreams are in GET /api/health; the rest is our own fault.
      if (error instanceof GatewayError)
        log.debug({ provider: source.label, code: error.code }, 'universe source')
      else log.error({ provider: source.label, err: error }, 'fault')
    }
  }
}
