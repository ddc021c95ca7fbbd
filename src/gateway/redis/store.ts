/**
 * What the instances of a service share, in Redis or Valkey. A request waits
 * for it 50 ms at most, and not at all while it is known to be away: whoever
 * asks has to have an answer of its own.
 *
 * A connection that has not answered for three such times in a row, or that is
 * closed, is thrown away, with all that waits for it; another one is tried for
 * in the background until one answers. So nothing piles up before a server that
 * hangs, and nobody has to ask in order to find out that it is back.
 */
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { causeOf } from '../../upstream/cause.ts'
import type { Connect, Connection } from './connection.ts'
import type { Script } from './script.ts'

/** How long a request waits for Redis. */
export const ANSWER_MS = 50
/** Times in a row without an answer after which Redis is away. */
const MAX_MISSES = 3
/** How long a connection may take to be opened, encryption and password included. */
const CONNECT_MS = 1_000
/** Between two tries to connect: the second figure is what the first is doubled up to. */
const RETRY_MS = { first: 100, last: 2_000 }
/** A connection that has lived so long was none that is lost at once. */
const STABLE_MS = 10_000
/** A connection that nobody used for so long is asked whether it is there. */
const IDLE_MS = 1_000
/** Of what is written: it changes when what is written changes its form. */
const LAYOUT = 1

export interface StoreOptions {
  readonly connect: Connect
  /** One server, or some nodes of a cluster. */
  readonly urls: readonly string[]
  /** Before every key: what tells services apart that use one Redis. */
  readonly prefix: string
  /** Called when Redis is lost, with why in a word, and when it is back. */
  readonly onChange: (state: StoreState, cause: string | null) => void
  readonly clock?: Clock
  readonly answerMs?: number
}

export type StoreState = 'ok' | 'away'

export class Store {
  readonly #options: StoreOptions
  readonly #clock: Clock
  readonly #answerMs: number
  #connection: Connection | null = null
  #cause: string | null = null
  #misses = 0
  #missedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #giveUp: (cause: string) => void = () => {}
  #wake: () => void = () => {}
  #isClosed = false

  private constructor(options: StoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? CLOCK
    this.#answerMs = options.answerMs ?? ANSWER_MS
  }

  /** The store, once the first try to connect is over: where it failed, the store is away, and goes on trying. */
  static open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    return new Promise((resolve) => void store.#live(() => resolve(store)))
  }

  get state(): StoreState {
    return this.#connection === null ? 'away' : 'ok'
  }

  /**
   * The name of a value.
   * @param tag  values of one tag are on one node of a cluster, and only those may be used by one script
   */
  key(tag: string, name: string): string {
    return `${this.#options.prefix}:${LAYOUT}:{${tag}}:${name}`
  }

  /**
   * Runs a script, in one round trip where Redis knows it already.
   * @param keys  those that it uses, of one tag
   * @returns what the script answers; undefined where Redis is away, fails, or does not answer in time
   */
  run(script: Script, keys: readonly [string, ...string[]], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args]
    return this.#ask((connection) =>
      connection.send(keys[0], ['EVALSHA', script.sha1, ...rest]).catch((error: Error) => {
        if (codeOf(error) !== 'NOSCRIPT') throw error
        return connection.send(keys[0], ['EVAL', script.text, ...rest])
      }),
    )
  }

  /**
   * One command about one key, such as `['GET', key]`.
   * @returns what Redis answers, null included; undefined where it is away, fails, or does not answer in time
   */
  command(key: string, command: readonly string[]): Promise<unknown> {
    return this.#ask((connection) => connection.send(key, command))
  }

  /** Lets go of Redis for good. */
  close(): void {
    this.#isClosed = true
    this.#giveUp('closed')
    this.#wake()
  }

  #ask(send: (connection: Connection) => Promise<unknown>): Promise<unknown> {
    const connection = this.#connection
    return connection === null ? Promise.resolve() : this.#answer(connection, send(connection))
  }

  #answer(connection: Connection, sent: Promise<unknown>): Promise<unknown> {
    const begunAt = this.#clock.now()
    return new Promise((resolve) => {
      let isOver = false
      const end = (reply: unknown): void => {
        isOver = true
        resolve(reply)
      }
      const callOff = this.#clock.after(this.#answerMs, () => {
        // Where it was this process that was late, the answer is there, and is read before this runs.
        setImmediate(() => {
          if (isOver) return
          this.#miss(connection, begunAt, 'timeout')
          end(undefined)
        })
      })
      sent.then(
        (reply) => {
          callOff()
          if (connection === this.#connection) {
            this.#misses = 0
            this.#answeredAt = this.#clock.now()
          }
          end(reply)
        },
        (error: Error) => {
          callOff()
          if (!isOver) this.#miss(connection, begunAt, wordOf(error))
          end(undefined)
        },
      )
    })
  }

  /** Calls that were under way together, and were not answered, are one miss. */
  #miss(connection: Connection, begunAt: number, cause: string): void {
    if (connection !== this.#connection || begunAt < this.#missedAt) return
    this.#missedAt = this.#clock.now()
    if (++this.#misses >= MAX_MISSES) this.#giveUp(cause)
  }

  async #live(onTried: () => void): Promise<void> {
    let retryMs = RETRY_MS.first
    while (!this.#isClosed) {
      const openedAt = this.#clock.now()
      const cause = await this.#connectAndStay(onTried)
      onTried()
      const wasUp = this.#connection !== null
      this.#connection?.destroy()
      this.#connection = null
      if (this.#isClosed) return
      const isNews = wasUp || this.#cause === null
      this.#cause = cause
      if (isNews) this.#options.onChange('away', cause)
      if (wasUp && this.#clock.now() - openedAt >= STABLE_MS) retryMs = RETRY_MS.first
      // Many instances that lost it together do not all come back together.
      await this.#pause(retryMs * (0.5 + Math.random() / 2))
      retryMs = Math.min(retryMs * 2, RETRY_MS.last)
    }
  }

  /** @returns why there is no connection, or no longer */
  async #connectAndStay(onUp: () => void): Promise<string> {
    const { connect, urls, onChange } = this.#options
    let connection: Connection
    try {
      connection = await connect(urls, CONNECT_MS)
    } catch (error) {
      return wordOf(error as Error)
    }
    const gone = new Promise<string>((resolve) => {
      this.#giveUp = resolve
      connection.lost.then((error) => resolve(wordOf(error)))
    })
    // Whoever takes connections may still not answer: it is up once it does.
    let cause = 'timeout'
    const ping = connection.send(null, ['PING']).catch((error: Error) => {
      cause = wordOf(error)
    })
    const pong = await this.#answer(connection, ping)
    if (pong === undefined || this.#isClosed) {
      connection.destroy()
      return cause
    }
    this.#connection = connection
    this.#cause = null
    this.#misses = 0
    this.#answeredAt = this.#clock.now()
    onChange('ok', null)
    onUp()
    this.#watch(connection)
    return gone
  }

  /** Asks a connection that nobody uses, so that its loss costs no request anything. */
  #watch(connection: Connection): void {
    const idleMs = this.#clock.now() - this.#answeredAt
    this.#clock.after(Math.max(0, IDLE_MS - idleMs), async () => {
      if (connection !== this.#connection) return
      if (this.#clock.now() - this.#answeredAt >= IDLE_MS) {
        await this.#answer(connection, connection.send(null, ['PING']))
      }
      this.#watch(connection)
    })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#clock.after(ms, resolve)
      this.#wake = () => {
        callOff()
        resolve()
      }
    })
  }
}

/** What Redis begins an error with, such as NOAUTH; null where it is not Redis that speaks. */
function codeOf({ message }: Error): string | null {
  return /^[A-Z]{3,20}(?= )/.exec(message)?.[0] ?? null
}

/** What went wrong in one word. Messages are not repeated: they may hold a host or a password. */
function wordOf(error: Error): string {
  return codeOf(error) ?? causeOf(error)
}
