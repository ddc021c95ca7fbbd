/**
 * Calls between the threads of one process, as messages: each side has methods, and knows the other's by their
 * types. Arguments and results are cloned: a Buffer arrives as a Uint8Array, and an object without its methods.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { GatewayError } from '../../runtime/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: methods of any form; each call is checked by the other side's type
type Methods = Readonly<Record<string, (...args: any[]) => unknown>>

type Refusal = Pick<GatewayError, 'code' | 'message' | 'fields' | 'status'>

type Message =
  | { readonly method: string; readonly args: readonly unknown[]; readonly id: number | null }
  | {
      readonly answers: number
      readonly value?: unknown
      readonly refusal?: Refusal
      readonly error?: unknown
    }

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export class Port<Remote extends Methods> {
  readonly #end: MessagePort | Worker
  readonly #methods: Methods
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #isClosed = false

  /** @param methods  what the other side may call */
  constructor(end: MessagePort | Worker, methods: Methods) {
    this.#end = end
    this.#methods = methods
    end.on('message', (message: Message) => this.#receive(message))
  }

  /**
   * @returns the method's result
   * @throws GatewayError  the method's own
   * @throws Error         if the other thread has ended
   */
  call<Name extends keyof Remote & string>(
    method: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    if (this.#isClosed) return Promise.reject(ended())
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#post({ method, args, id })
    })
  }

  /** Calls a method whose result does not matter. */
  tell<Name extends keyof Remote & string>(method: Name, ...args: Parameters<Remote[Name]>): void {
    if (!this.#isClosed) this.#post({ method, args, id: null })
  }

  /** The other thread has ended: what waits for it is rejected. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(ended())
    this.#waiting.clear()
  }

  #post(message: Message): void {
    this.#end.postMessage(message)
  }

  #receive(message: Message): void {
    if ('method' in message) return void this.#run(message.method, message.args, message.id)
    const { answers, value, refusal, error } = message
    const waiting = this.#waiting.get(answers)
    this.#waiting.delete(answers)
    if (refusal !== undefined) waiting?.reject(errorOf(refusal))
    else if (error !== undefined) waiting?.reject(error)
    else waiting?.resolve(value as never)
  }

  async #run(method: string, args: readonly unknown[], id: number | null): Promise<void> {
    if (id === null) return void this.#methods[method]!(...args)
    try {
      const value = await this.#methods[method]!(...args)
      this.#answer({ answers: id, value })
    } catch (error) {
      if (!(error instanceof GatewayError)) return this.#answer({ answers: id, error })
      const { code, message, fields, status } = error
      this.#answer({ answers: id, refusal: { code, message, fields, status } })
    }
  }

  #answer(message: Message): void {
    if (!this.#isClosed) this.#post(message)
  }
}

const ended = (): Error => new Error('the other thread has ended')

const errorOf = ({ code, message, fields, status }: Refusal): GatewayError =>
  new GatewayError(code, message, fields, status)
