/**
 * The known tokens beyond the few hundred of the token list: the operator's,
 * the well-known ones, and those of the providers' own lists. Wallets are
 * searched for them, and addresses get their names from them. An entry vouches
 * for a token's identity, never for a price.
 *
 *   find ──> the operator's | well-known | provider A's | provider B's    the first that has it
 *
 * A provider's list is read when its chain is asked for and it is due, as a call
 * of the gateway itself. It is kept through failures, and only requests before
 * its first read wait for it.
 */

import { CHAINS } from '../../chains/chains.ts'
import { Call } from '../../flow/call.ts'
import type { KnownToken, TokenSource } from '../../providers/tokens/token-source.ts'
import { atMost, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { groupedBy } from '../../runtime/lists.ts'
import type { Logger } from '../../runtime/log.ts'
import { knownTokens } from './known-tokens.ts'
import { TokenTable } from './table.ts'

/** A list that could not be read is read again after this long, ms. */
const RETRY_MS = 300_000
const CALL_MS = 20_000
/** The most lists read at the same time: each may be several megabytes. */
const AT_ONCE = 3
/** A list that shrank to less than one part in this many is taken over only if the next read confirms it. */
const SHRUNK = 2

interface UniverseOptions {
  readonly sources: readonly TokenSource[]
  /** The operator's tokens as they are now: the same array until they change. */
  readonly operatorTokens: () => readonly KnownToken[]
  readonly clock: Clock
  readonly log: Logger
}

/** A source's list of one chain. */
interface SourceList {
  readonly source: TokenSource
  readonly chain: string
  table: TokenTable
  /** Monotonic, ms. */
  dueAt: number
  isDoubted: boolean
  /** Resolves when the first read has ended, well or not; null before it began. */
  first: Promise<void> | null
}

export class Universe {
  readonly #options: UniverseOptions
  readonly #lists: ReadonlyMap<string, readonly SourceList[]>
  readonly #queues: Promise<void>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
  #nextQueue = 0
  #operator: { readonly tokens: readonly KnownToken[]; readonly tables: ReadonlyMap<string, TokenTable> }

  constructor(options: UniverseOptions) {
    this.#options = options
    this.#operator = { tokens: [], tables: new Map() }
    const dueAt = Number.NEGATIVE_INFINITY
    this.#lists = new Map(
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
   * Starts to read the lists of these chains that are due. Resolves when each
   * was tried at least once, or when the deadline passes.
   */
  async ready(chains: readonly string[], deadlineMs: number): Promise<void> {
    const lists = chains.flatMap((chain) => this.#lists.get(chain) ?? [])
    const firsts = lists.map((list) => this.#keepCurrent(list))
    if (firsts.length > 0) await atMost(this.#options.clock, deadlineMs, Promise.all(firsts))
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

  /** The picture from the first list that has one; null if none does. @param address  canonical */
  logoOf(chain: string, address: string): string | null {
    for (const table of this.#tables(chain)) {
      const logo = table.find(address)?.logo
      if (logo !== undefined) return logo
    }
    return null
  }

  /** The approximate memory of all tables. */
  get bytes(): number {
    const lists = [...this.#lists.values()].flat().map(({ table }) => table)
    const tables = [...this.#operator.tables.values(), ...CHAINS.map(({ key }) => knownTokens(key)), ...lists]
    return tables.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #tables(chain: string): readonly TokenTable[] {
    const lists = this.#lists.get(chain)
    if (lists === undefined) return []
    const own = this.#operatorTables().get(chain) ?? TokenTable.EMPTY
    return [own, knownTokens(chain), ...lists.map(({ table }) => table)]
  }

  #operatorTables(): ReadonlyMap<string, TokenTable> {
    const tokens = this.#options.operatorTokens()
    if (tokens !== this.#operator.tokens) {
      const byChain = groupedBy(tokens, ({ chain }) => chain)
      const tables = new Map([...byChain].map(([chain, some]) => [chain, new TokenTable(chain, some)]))
      this.#operator = { tokens, tables }
    }
    return this.#operator.tables
  }

  /** Starts to read the list if it is due. @returns the first read, which may long be over */
  #keepCurrent(list: SourceList): Promise<void> {
    const nowMs = this.#options.clock.now()
    if (nowMs >= list.dueAt) {
      list.dueAt = nowMs + Math.min(RETRY_MS, list.source.everyMs)
      const done = this.#enqueue(() => this.#read(list))
      list.first ??= done
    }
    return list.first!
  }

  #enqueue(read: () => Promise<void>): Promise<void> {
    const queue = this.#nextQueue++ % AT_ONCE
    const done = this.#queues[queue]!.then(read)
    this.#queues[queue] = done
    return done
  }

  /** Never rejects. */
  async #read(list: SourceList): Promise<void> {
    const { clock, log } = this.#options
    const { source, chain, table } = list
    try {
      const tokens = await source.ask(chain, Call.of(clock, 'list', CALL_MS))
      list.dueAt = clock.now() + source.everyMs
      const hasShrunk = tokens.length * SHRUNK < table.size
      if (!hasShrunk || list.isDoubted) list.table = new TokenTable(chain, tokens)
      list.isDoubted = hasShrunk && !list.isDoubted
    } catch (error) {
      // GET /api/health shows upstream failures; any other error is a bug of the gateway.
      if (error instanceof GatewayError)
        log.debug({ provider: source.label, code: error.code }, 'universe source')
      else log.error({ provider: source.label, err: error }, 'fault')
    }
  }
}
