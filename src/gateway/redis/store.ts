/**
 * The store that the instances of a service share, in Redis or Valkey. A request
 * waits 50 ms for it at most, and not at all while it is known to be away, so
 * each caller must be able to go on without an answer.
 *
 * A connection that has not answered for three such times in a row, or that is
 * closed, is destroyed with everything that waits for it. The store then tries to
 * connect in the background until a server answers. So nothing piles up before a
 * server that hangs, and no request has to find out that it is back.
 */
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { causeOf } from '../../upstream/cause.ts'
import type { Connect, RedisConnection } from './connection.ts'
import type { Script } from './script.ts'

/** How long a request waits for Redis. */
export const ANSWER_MS = 50
/** Times in a row without an answer after which Redis is away. */
const MAX_MISSES = 3
/** How long a connection may take to be opened, encryption and password included. */
const CONNECT_MS = 1_000
/** The time between two tries to connect, doubled from the first figure up to the last. */
const RETRY_MS = { first: 100, last: 2_000 }
/** A connection that has lived so long was stable: the backoff begins anew. */
const STABLE_MS = 10_000
/** A connection that was idle for so long is pinged. */
const IDLE_MS = 1_000
/** The version of what is written: it changes with its format. */
const LAYOUT = 1

export interface StoreOptions {
  readonly connect: Connect
  /** One server, or some nodes of a cluster. */
  readonly urls: readonly string[]
  /** Begins every key, so that several services can use one Redis. */
  readonly prefix: string
  /** Called when Redis is lost, with the cause in one word, and when it is back. */
  readonly onChange: (state: StoreState, cause: string | null) => void
  readonly clock?: Clock
  readonly answerMs?: number
}

export type StoreState = 'ok' | 'away'

export class Store {
  readonly #options: StoreOptions
  readonly #clock: Clock
  readonly #answerMs: number
  #connection: RedisConnection | null = null
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

  /** Resolves after the first try to connect. Where that failed, the store is away and goes on trying. */
  static open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    return new Promise((resolve) => void store.#live(() => resolve(store)))
  }

  get state(): StoreState {
    return this.#connection === null ? 'away' : 'ok'
  }

  /**
   * The key of a value.
   * @param tag  values of one tag are on one node of a cluster; one script may use only values of one tag
   */
  key(tag: string, name: string): string {
    return `${this.#options.prefix}:${LAYOUT}:{${tag}}:${name}`
  }

  /**
   * Runs a script, in one round trip where Redis knows it already.
   * @param keys  the keys that it uses, of one tag
   * @returns the script's answer; undefined where Redis is away, fails or does not answer in time
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
   * Sends one command about one key, such as `['GET', key]`.
   * @returns the answer, null included; undefined where Redis is away, fails or does not answer in time
   */
  command(key: string, command: readonly string[]): Promise<unknown> {
    return this.#ask((connection) => connection.send(key, command))
  }

  /** Disconnects for good. */
  close(): void {
    this.#isClosed = true
    this.#giveUp('closed')
    this.#wake()
  }

  #ask(send: (connection: RedisConnection) => Promise<unknown>): Promise<unknown> {
    const connection = this.#connection
    return connection === null ? Promise.resolve() : this.#answer(connection, send(connection))
  }

  #answer(connection: RedisConnection, sent: Promise<unknown>): Promise<unknown> {
    const begunAt = this.#clock.now()
    return new Promise((resolve) => {
      let isOver = false
      const end = (reply: unknown): void => {
        isOver = true
        resolve(reply)
      }
      const callOff = this.#clock.after(this.#answerMs, () => {
        // Where this process was late itself, the answer has arrived, and is read before this runs.
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

  /** Calls that were under way together count as one miss. */
  #miss(connection: RedisConnection, begunAt: number, cause: string): void {
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
      // Jitter: instances that lost it together do not all come back together.
      await this.#wait(retryMs * (0.5 + Math.random() / 2))
      retryMs = Math.min(retryMs * 2, RETRY_MS.last)
    }
  }

  /** @returns why there is no connection, or no longer */
  async #connectAndStay(onUp: () => void): Promise<string> {
    const { connect, urls, onChange } = this.#options
    let connection: RedisConnection
    try {
      connection = await connect(urls, CONNECT_MS)
    } catch (error) {
      return wordOf(error as Error)
    }
    const gone = new Promise<string>((resolve) => {
      this.#giveUp = resolve
      connection.lost.then((error) => resolve(wordOf(error)))
    })
    // A server may accept connections without answering: it is up once it answers.
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

  /** Pings an idle connection, so that its loss costs no request anything. */
  #watch(connection: RedisConnection): void {
    const idleMs = this.#clock.now() - this.#answeredAt
    this.#clock.after(Math.max(0, IDLE_MS - idleMs), async () => {
      if (connection !== this.#connection) return
      if (this.#clock.now() - this.#answeredAt >= IDLE_MS) {
        await this.#answer(connection, connection.send(null, ['PING']))
      }
      this.#watch(connection)
    })
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#clock.after(ms, resolve)
      this.#wake = () => {
        callOff()
        resolve()
      }
    })
  }
}

/** The code that an error of Redis begins with, such as NOAUTH; null for other errors. */
function codeOf({ message }: Error): string | null {
  return /^[A-Z]{3,20}(?= )/.exec(message)?.[0] ?? null
}

/** The cause in one word. Messages are not repeated, because they may contain a host or a password. */
function wordOf(error: Error): string {
  return codeOf(error) ?? causeOf(error)
}
