/**
 * The store that the instances of a service share, in Redis or Valkey. A request waits 50 ms for it at most,
 * and not at all while it is known to be away, so each caller must be able to go on without an answer.
 *
 * A connection that has not answered for three such times in a row, or that is closed, is destroyed with
 * everything that waits for it. The store then tries to connect in the background until a server answers. So
 * nothing piles up before a server that hangs, and no request has to find out that it is back.
 *
 * An error that Redis answers with, because it is full, read only or busy, does not end the connection. But
 * the command has no answer, and its caller goes on alone: the store is then degraded, and reports which
 * error. It is still used, and probed with a write next to the key that failed. If that fails, another
 * connection is tried in the background, and replaces this one if the write succeeds there: a server that
 * became a replica keeps its connections, and so does a cluster's client.
 */
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { errorClass, isBug } from '../../upstream/cause.ts'
import { isReply, redisCauseOf, replyCode } from './cause.ts'
import type { Connect, RedisConnection } from './connection.ts'
import { Failures } from './failures.ts'
import type { Script } from './script.ts'

/** How long a request waits for Redis. */
export const ANSWER_MS = 50
/** Consecutive misses after which Redis counts as away. */
const MAX_MISSES = 3
/** How long a connection may take to be opened, encryption and password included. */
const CONNECT_MS = 1_000
/** The time between two attempts to connect, doubled from the first figure up to the last. */
const RETRY_MS = { first: 100, last: 2_000 }
/**
 * A connection that lived this long was stable: the backoff starts again. One without a failure for this long
 * is not degraded.
 */
const STABLE_MS = 10_000
/** A connection that was idle for this long is pinged; a degraded one is probed as often. */
const IDLE_MS = 1_000
/** The version of what is written: it changes with its format. */
const LAYOUT = 1

/** The cause of a failure if the reply has an unexpected form. */
const STRANGE = 'strange_reply'

export interface StoreOptions {
  readonly connect: Connect
  /** One server, or some nodes of a cluster. */
  readonly urls: readonly string[]
  /** Begins every key, so that several services can use one Redis. */
  readonly prefix: string
  /**
   * Called when Redis is lost or degraded, with the cause in one word, and when it has recovered.
   * @param error  class and code of the error, if the cause is `unknown`
   */
  readonly onChange: (state: StoreState, cause: string | null, error: string | null) => void
  /**
   * Called with an error that is a bug of this program: Redis is not used because of it, but is not at fault.
   */
  readonly onBug: (error: Error) => void
  readonly clock?: Clock
  readonly answerMs?: number
  readonly connectMs?: number
}

/** `degraded`: Redis is reachable, but leaves commands unanswered; each instance then decides alone. */
export type StoreState = 'ok' | 'degraded' | 'away'

/** Why a connection was lost or could not be made: an error, or a word if there is none. */
type Loss = Error | 'timeout' | 'closed'

export class Store {
  readonly #options: StoreOptions
  readonly #clock: Clock
  readonly #answerMs: number
  readonly #failures = new Failures()
  #connection: RedisConnection | null = null
  /** Why there is no connection; null while there is one, and before the first try. */
  #loss: Loss | null = null
  #misses = 0
  #missedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #giveUp: (loss: Loss) => void = () => {}
  #wake: () => void = () => {}
  #isReplacing = false
  #isClosed = false

  private constructor(options: StoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? CLOCK
    this.#answerMs = options.answerMs ?? ANSWER_MS
  }

  /** Resolves after the first attempt to connect. If it failed, the store is away and keeps trying. */
  static open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    return new Promise((resolve) => store.#inBackground(store.#live(() => resolve(store))))
  }

  get state(): StoreState {
    if (this.#connection === null) return 'away'
    return this.#failures.last === null ? 'ok' : 'degraded'
  }

  /** Why Redis is away or degraded: the code of its own error, such as OOM, or a cause as upstreams have it; null while it is neither. */
  get cause(): string | null {
    return this.#loss === null ? (this.#failures.last?.cause ?? null) : wordOf(this.#loss)
  }

  /** How many commands Redis left unanswered while it was reachable, by cause. */
  get failures(): ReadonlyMap<string, number> {
    return this.#failures.counts
  }

  /**
   * The key of a value.
   * @param tag  values of one tag are on one node of a cluster; one script may use only values of one tag
   */
  key(tag: string, name: string): string {
    return `${this.#options.prefix}:${LAYOUT}:{${tag}}:${name}`
  }

  /**
   * Runs a script, in one round trip if Redis knows it already.
   * @param keys  the keys that it uses, of one tag
   * @returns the script's answer; undefined if Redis is away, fails or does not answer in time
   */
  run(script: Script, keys: readonly [string, ...string[]], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args]
    return this.#ask(keys[0], async (connection) =>
      connection.send(keys[0], ['EVALSHA', script.sha1, ...rest]).catch((error: Error) => {
        if (replyCode(error) !== 'NOSCRIPT') throw error
        return connection.send(keys[0], ['EVAL', script.text, ...rest])
      }),
    )
  }

  /**
   * Sends one command about one key, such as `['GET', key]`.
   * @returns the answer, null included; undefined if Redis is away, fails or does not answer in time
   */
  command(key: string, command: readonly string[]): Promise<unknown> {
    return this.#ask(key, async (connection) => connection.send(key, command))
  }

  /**
   * Records a reply that doesn't match the command: Redis is degraded, as by a failure. @param key  the key
   * in question
   */
  distrust(key: string): void {
    if (this.#connection !== null)
      this.#failures.add({ cause: STRANGE, error: null, key, at: this.#clock.now() })
  }

  /** Runs a task now, and again and again until the store is closed. */
  every(ms: number, task: () => void): void {
    if (this.#isClosed) return
    task()
    this.#clock.after(ms, () => this.every(ms, task))
  }

  /** Disconnects for good. */
  close(): void {
    this.#isClosed = true
    this.#giveUp('closed')
    this.#wake()
  }

  #ask(key: string, send: (connection: RedisConnection) => Promise<unknown>): Promise<unknown> {
    const connection = this.#connection
    return connection === null ? Promise.resolve() : this.#answer(connection, key, send(connection))
  }

  #answer(connection: RedisConnection, key: string | null, sent: Promise<unknown>): Promise<unknown> {
    const begunAt = this.#clock.now()
    return new Promise((resolve) => {
      let isOver = false
      const end = (reply: unknown): void => {
        isOver = true
        resolve(reply)
      }
      const callOff = this.#clock.after(this.#answerMs, () => {
        // If this process was late itself, the answer has arrived and is read before this runs.
        setImmediate(() => {
          if (isOver) return
          this.#fail(connection, key, begunAt, 'timeout')
          end(undefined)
        })
      })
      sent.then(
        (reply) => {
          callOff()
          this.#noteAnswer(connection)
          end(reply)
        },
        (error: Error) => {
          callOff()
          if (isBug(error)) this.#options.onBug(error)
          else if (!isOver) this.#fail(connection, key, begunAt, error)
          end(undefined)
        },
      )
    })
  }

  #noteAnswer(connection: RedisConnection): void {
    if (connection !== this.#connection) return
    this.#misses = 0
    this.#answeredAt = this.#clock.now()
  }

  /** Redis's own error is an answer. Other calls in flight together count as one miss. */
  #fail(connection: RedisConnection, key: string | null, begunAt: number, loss: Loss): void {
    if (connection !== this.#connection) return
    const now = this.#clock.now()
    this.#failures.add({ cause: wordOf(loss), error: unknownClassOf(loss), key, at: now })
    if (loss instanceof Error && isReply(loss)) this.#noteAnswer(connection)
    else if (begunAt >= this.#missedAt) {
      this.#missedAt = now
      if (++this.#misses >= MAX_MISSES) this.#giveUp(loss)
    }
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
      this.#failures.end()
      if (this.#isClosed) return
      this.#report(loss)
      this.#loss = loss
      if (wasUp && this.#clock.now() - openedAt >= STABLE_MS) retryMs = RETRY_MS.first
      // Jitter, so that instances that lost it together do not all return at once.
      await this.#wait(retryMs * (0.5 + Math.random() / 2))
      retryMs = Math.min(retryMs * 2, RETRY_MS.last)
    }
  }

  /** Reports the first of several losses in a row, and a bug whenever it replaces another reason. */
  #report(loss: Loss): void {
    const { onChange, onBug } = this.#options
    if (!(loss instanceof Error && isBug(loss))) {
      if (this.#loss === null) onChange('away', wordOf(loss), unknownClassOf(loss))
    } else if (!(this.#loss instanceof Error && isBug(this.#loss))) onBug(loss)
  }

  async #connectAndStay(onUp: () => void): Promise<Loss> {
    let connection: RedisConnection
    try {
      connection = await this.#connect()
    } catch (error) {
      return error as Error
    }
    const gone = new Promise<Loss>((resolve) => {
      this.#giveUp = resolve
      connection.lost.then((loss) => {
        if (this.#connection === null || this.#connection === connection) resolve(loss)
      })
    })
    // A server may accept connections without answering: it is up once it answers.
    let loss: Loss = 'timeout'
    const ping = connection.send(null, ['PING']).catch((error: Error) => {
      loss = error
    })
    const pong = await this.#answer(connection, null, ping)
    if (pong === undefined || this.#isClosed) {
      connection.destroy()
      // If the connection was lost, its own error says more than the command's.
      return Promise.race([gone, loss])
    }
    this.#use(connection)
    this.#options.onChange('ok', null, null)
    onUp()
    return gone
  }

  #connect(): Promise<RedisConnection> {
    const { connect, urls, connectMs = CONNECT_MS } = this.#options
    return connect(urls, connectMs)
  }

  #use(connection: RedisConnection): void {
    this.#connection = connection
    this.#loss = null
    this.#noteAnswer(connection)
    this.#watch(connection)
  }

  /**
   * Pings an idle connection, so that its loss does not cost a request anything, and probes a degraded one.
   */
  #watch(connection: RedisConnection): void {
    const idleMs = this.#clock.now() - this.#answeredAt
    this.#clock.after(IDLE_MS - idleMs, () => this.#inBackground(this.#look(connection)))
  }

  async #look(connection: RedisConnection): Promise<void> {
    if (connection !== this.#connection) return
    if (this.#failures.last !== null) await this.#probe(connection)
    else if (this.#clock.now() - this.#answeredAt >= IDLE_MS) {
      await this.#answer(connection, null, connection.send(null, ['PING']))
    }
    this.#watch(connection)
  }

  /** A fault in it is reported, and ends nothing. */
  #inBackground(task: Promise<void>): void {
    task.catch((error: Error) => this.#options.onBug(error))
  }

  /** Finds out whether Redis is still degraded, and whether another connection would not be. */
  async #probe(connection: RedisConnection): Promise<void> {
    const failures = this.#failures
    const { cause, error, key, at } = failures.last!
    // A failure that ends at once isn't worth a line, nor is one that ends in a loss.
    if (!failures.isReported && this.#clock.now() - failures.since >= IDLE_MS) {
      failures.isReported = true
      this.#options.onChange('degraded', cause, error)
    }
    if (!(await this.#writes(connection, key))) this.#inBackground(this.#replace(connection, key))
    else if (
      connection === this.#connection &&
      at === failures.last?.at &&
      this.#clock.now() - at >= STABLE_MS
    ) {
      this.#recover()
    }
  }

  /** Whether Redis accepts a write on the same node of a cluster as the key. */
  async #writes(connection: RedisConnection, key: string | null): Promise<boolean> {
    const tag = /(?<={)[^}]*/.exec(key ?? '')?.[0]
    const own = this.key(tag ?? 'probe', 'probe')
    const sent = connection.send(own, ['SET', own, '1', 'PX', String(IDLE_MS)])
    return (await this.#answer(connection, own, sent)) !== undefined
  }

  /** Replaces a connection that cannot write with another one, if that can. */
  async #replace(connection: RedisConnection, key: string | null): Promise<void> {
    if (this.#isReplacing) return
    this.#isReplacing = true
    const other = await this.#connect().catch(() => null)
    this.#isReplacing = false
    if (other === null) return
    if (!(await this.#writes(other, key)) || connection !== this.#connection || this.#isClosed) {
      return other.destroy()
    }
    other.lost.then((loss) => {
      if (other === this.#connection) this.#giveUp(loss)
    })
    this.#use(other)
    connection.destroy()
    this.#recover()
  }

  #recover(): void {
    const { isReported } = this.#failures
    this.#failures.end()
    if (isReported) this.#options.onChange('ok', null, null)
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

/** Why, in one word. */
const wordOf = (loss: Loss): string => (loss instanceof Error ? redisCauseOf(loss) : loss)

/** The class of an error whose cause is not known; null for others. */
function unknownClassOf(loss: Loss): string | null {
  return loss instanceof Error && wordOf(loss) === 'unknown' ? errorClass(loss) : null
}
