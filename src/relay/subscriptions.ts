/**
 * The subscriptions of one WebSocket connection: signatureSubscribe and
 * signatureUnsubscribe, answered as a node answers them. It takes messages and
 * returns texts; sockets.ts has the sockets.
 *
 *   signatureSubscribe -> id ... "receivedSignature", where asked for, once a
 *   node has it in a block ... {err} at the commitment, and the subscription is gone
 *
 * Source: JSON-RPC 2.0 · agave rpc/src/rpc_pubsub.rs
 */
import { EnvelopeScan, ID } from '../chains/json/scan.ts'
import { compile, refuseInput, type Validator } from '../runtime/validate.ts'
import { type ParamsSchema, SUBSCRIPTION_PARAMS, type SubscribeOptions } from './params.ts'
import { COMMITMENTS, type Commitment, type SignatureStatus } from './statuses.ts'

/** A usual client has one for each transaction that it waits for. */
const MAX_SUBSCRIPTIONS = 32

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602
/** The code that a node refuses a subscription with. */
const INTERNAL_ERROR = -32_603

type SubscriptionMethod = keyof typeof SUBSCRIPTION_PARAMS

/** What the subscriptions of all connections share. */
export class SubscriptionRegistry {
  /** Watches a signature until the returned function is called. */
  readonly watch: (signature: string, onStatus: (status: SignatureStatus) => void) => () => void
  /** The most subscriptions on all connections together. */
  readonly max: number
  readonly scan = new EnvelopeScan()
  readonly #validators = new Map<SubscriptionMethod, Validator<ParamsSchema>>()
  #lastId = 0
  /** Open subscriptions of all connections. */
  open = 0

  constructor(options: Pick<SubscriptionRegistry, 'watch' | 'max'>) {
    this.watch = options.watch
    this.max = options.max
  }

  nextId(): number {
    return ++this.#lastId
  }

  /** Compiled at its first use. */
  validator(method: SubscriptionMethod): Validator<ParamsSchema> {
    let validator = this.#validators.get(method)
    if (validator === undefined) {
      validator = compile(SUBSCRIPTION_PARAMS[method])
      this.#validators.set(method, validator)
    }
    return validator
  }
}

interface SubscriptionsOptions {
  readonly registry: SubscriptionRegistry
  /** Sends a notification. */
  readonly notify: (text: string) => void
  /** Called when the client has been shown a transaction as confirmed or finalized. */
  readonly onShown: (status: SignatureStatus) => void
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  /** Functions that end each subscription, by its id. */
  readonly #ends = new Map<number, () => void>()

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#ends.size
  }

  /**
   * Answers a message; null for a notification, such as the `ping` of
   * @solana/kit.
   */
  receive(bytes: Buffer): string | null {
    const { scan } = this.#options.registry
    if (!scan.scan(bytes)) return failure('null', PARSE_ERROR, 'Parse error: send JSON.')
    if (!scan.isObject) {
      return failure('null', INVALID_REQUEST, 'Invalid request: send one call in each message, and no batch.')
    }
    // The id goes back as it was spelled, because a number may be of any size.
    const id = scan.has(ID) ? bytes.toString('utf8', scan.start(ID), scan.end(ID)) : null
    const call = JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>
    if (call.jsonrpc !== '2.0' || typeof call.method !== 'string' || !isId(call.id)) {
      const message = 'Invalid request: send `jsonrpc` "2.0", a `method`, and as `id` a string or a number.'
      return failure('null', INVALID_REQUEST, message)
    }
    return id === null ? null : this.#answer(call.method, call.params ?? [], id)
  }

  /** Ends all of them. */
  end(): void {
    for (const id of this.#ends.keys()) this.#end(id)
  }

  #answer(method: string, params: unknown, id: string): string {
    if (!Object.hasOwn(SUBSCRIPTION_PARAMS, method)) {
      const names = Object.keys(SUBSCRIPTION_PARAMS).join(' and ')
      return failure(id, METHOD_NOT_FOUND, `Method not found: this endpoint serves ${names}.`)
    }
    const validator = this.#options.registry.validator(method as SubscriptionMethod)
    if (!validator.Check(params)) {
      return failure(
        id,
        INVALID_PARAMS,
        `Invalid params: ${refuseInput(validator, params, 'params').message}`,
      )
    }
    return method === 'signatureSubscribe'
      ? this.#subscribe(params[0] as string, params[1] as SubscribeOptions | null | undefined, id)
      : this.#unsubscribe(params[0] as number, id)
  }

  #subscribe(signature: string, options: SubscribeOptions | null | undefined, id: string): string {
    const { registry } = this.#options
    const reached =
      this.size >= MAX_SUBSCRIPTIONS
        ? `${MAX_SUBSCRIPTIONS} on one connection`
        : registry.open >= registry.max
          ? `${registry.max} on this service`
          : null
    if (reached !== null) {
      return failure(id, INTERNAL_ERROR, `Subscription refused: the limit of ${reached} is reached.`)
    }
    const subscription = registry.nextId()
    const level = COMMITMENTS.indexOf(options?.commitment ?? 'finalized')
    let isReceived = options?.enableReceivedNotification !== true
    const onStatus = (status: SignatureStatus): void => {
      if (!isReceived) {
        isReceived = true
        this.#notify(subscription, status.slot, 'receivedSignature')
      }
      if (levelOf(status.confirmationStatus) < level) return
      this.#end(subscription)
      this.#notify(subscription, status.slot, { err: status.err })
      if (status.confirmationStatus !== 'processed') this.#options.onShown(status)
    }
    this.#ends.set(subscription, registry.watch(signature, onStatus))
    registry.open++
    return result(id, subscription)
  }

  #unsubscribe(subscription: number, id: string): string {
    if (!this.#ends.has(subscription)) return failure(id, INVALID_PARAMS, 'Invalid subscription id.')
    this.#end(subscription)
    return result(id, true)
  }

  #end(subscription: number): void {
    this.#ends.get(subscription)!()
    this.#ends.delete(subscription)
    this.#options.registry.open--
  }

  /**
   * @param slot  the slot of the transaction's block; the node that answered may be ahead of it
   */
  #notify(subscription: number, slot: number, value: unknown): void {
    const params = { result: { context: { slot }, value }, subscription }
    this.#options.notify(JSON.stringify({ jsonrpc: '2.0', method: 'signatureNotification', params }))
  }
}

const levelOf = (commitment: Commitment): number => COMMITMENTS.indexOf(commitment)

/** It is absent in a notification. */
const isId = (id: unknown): boolean =>
  id === undefined || id === null || typeof id === 'string' || typeof id === 'number'

/** @param id  JSON text */
const result = (id: string, value: number | boolean): string =>
  `{"jsonrpc":"2.0","result":${value},"id":${id}}`

const failure = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","error":${JSON.stringify({ code, message })},"id":${id}}`
