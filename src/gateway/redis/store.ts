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
import { errorClass, isBug } from '../../upstream/cause.ts'
import { redisCauseOf, replyCode } from './cause.ts'
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
  /**
   * Called when Redis is lost, with the cause in one word, and when it is back.
   * @param error  class and code of the error, where the cause is `unknown`
   */
  readonly onChange: (state: StoreState, cause: string | null, error: string | null) => void
  /** Called with an error that is a bug of this program: Redis is not used for want of it, and is not at fault. */
  readonly onBug: (error: Error) => void
  readonly clock?: Clock
  readonly answerMs?: number
  readonly connectMs?: number
}

export type StoreState = 'ok' | 'away'

/** Why a connection was lost, or could not be made: an error, or a word where there is none. */
type Loss = Error | 'timeout' | 'closed'

export class Store {
  readonly #options: StoreOptions
  readonly #clock: Clock
  readonly #answerMs: number
  #connection: RedisConnection | null = null
  /** Why there is no connection; null while there is one, and before the first try. */
  #loss: Loss | null = null
  #misses = 0
  #missedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #giveUp: (loss: Loss) => void = () => {}
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
        if (replyCode(error) !== 'NOSCRIPT') throw error
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
          if (isBug(error)) this.#options.onBug(error)
          else if (!isOver) this.#miss(connection, begunAt, error)
          end(undefined)
        },
      )
    })
  }

  /** Calls that were under way together count as one miss. */
  #miss(connection: RedisConnection, begunAt: number, loss: Loss): void {
    if (connection !== this.#connection || begunAt < this.#missedAt) return
    this.#missedAt = this.#clock.now()
    if (++this.#misses >= MAX_MISSES) this.#giveUp(loss)
  }

  async #live(onTried: () => void): Promise<void> {
    let retryMs = RETRY_MS.first
    while (!this.#isClosed) {
      const openedAt = this.#clock.now()
      const loss = await this.#connectAndStay(onTried)
      onTried()
      const wasUp = this.#connection !== null
      this.#connection?.destroy()
      this.#connection = null
      if (this.#isClosed) return
      const isNews = wasUp || this.#loss === null
      this.#tell(loss, isNews)
      this.#loss = loss
      if (wasUp && this.#clock.now() - openedAt >= STABLE_MS) retryMs = RETRY_MS.first
      // Jitter: instances that lost it together do not all come back together.
      await this.#wait(retryMs * (0.5 + Math.random() / 2))
      retryMs = Math.min(retryMs * 2, RETRY_MS.last)
    }
  }

  /** A bug is told of whenever it takes the place of another reason; else only the first of several tries is news. */
  #tell(loss: Loss, isNews: boolean): void {
    const { onChange, onBug } = this.#options
    if (!(loss instanceof Error)) {
      if (isNews) onChange('away', loss, null)
    } else if (isBug(loss)) {
      const isKnown = this.#loss instanceof Error && isBug(this.#loss)
      if (isNews || !isKnown) onBug(loss)
    } else if (isNews) {
      const cause = redisCauseOf(loss)
      onChange('away', cause, cause === 'unknown' ? errorClass(loss) : null)
    }
  }

  async #connectAndStay(onUp: () => void): Promise<Loss> {
    const { connect, urls, onChange, connectMs = CONNECT_MS } = this.#options
    let connection: RedisConnection
    try {
      connection = await connect(urls, connectMs)
    } catch (error) {
      return error as Error
    }
    const gone = new Promise<Loss>((resolve) => {
      this.#giveUp = resolve
      connection.lost.then(resolve)
    })
    // A server may accept connections without answering: it is up once it answers.
    let loss: Loss = 'timeout'
    const ping = connection.send(null, ['PING']).catch((error: Error) => {
      loss = error
    })
    const pong = await this.#answer(connection, ping)
    if (pong === undefined || this.#isClosed) {
      connection.destroy()
      // Where the connection was lost, its own error says more than the command's.
      return Promise.race([gone, loss])
    }
    this.#connection = connection
    this.#loss = null
    this.#misses = 0
    this.#answeredAt = this.#clock.now()
    onChange('ok', null, null)
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
