/**
 * The subscriptions of one WebSocket connection, to signatures, accounts and
 * slots, with a node's answers. It takes messages and returns texts;
 * sockets.ts has the sockets.
 *
 *   signatureSubscribe -> id ... "receivedSignature", if requested, once a
 *   node has it in a block ... {err} at the commitment, and the subscription is gone
 *   accountSubscribe -> id, once its state is known ... each change
 *   slotSubscribe -> id ... each higher slot
 *
 * Source: JSON-RPC 2.0 · agave rpc/src/rpc_pubsub.rs
 */
import { EnvelopeScan, ID } from '../../chains/json/scan.ts'
import type { Client } from '../../flow/cancellation.ts'
import { SHED } from '../../http/reply/reply.ts'
import { compiledOnce, refuseInput, type Validator } from '../../runtime/validate.ts'
import {
  type AccountSubscribeOptions,
  type ParamsSchema,
  SUBSCRIPTION_PARAMS,
  type SubscribeOptions,
} from '../methods/params.ts'
import { RPC_ERRORS, rpcErrorOf } from '../methods/rpc-error.ts'
import type { AccountPoller } from '../reads/accounts.ts'
import type { Slots } from '../reads/slots.ts'
import { COMMITMENTS, type Commitment, type SignatureStatus } from '../reads/statuses.ts'
import { AccountNotice, isOutOfReach } from './account-notice.ts'

/** A typical client has one for each transaction that it waits for. */
const MAX_SUBSCRIPTIONS = 32
/** A root is this many slots behind the slot, if none was skipped (agave MAX_LOCKOUT_HISTORY). */
const ROOT_BEHIND = 31

type SubscriptionMethod = keyof typeof SUBSCRIPTION_PARAMS
type SubscribeMethod = Extract<SubscriptionMethod, `${string}Subscribe`>

/** Each is compiled at its first use. */
const VALIDATORS: ReadonlyMap<string, () => Validator<ParamsSchema>> = new Map(
  Object.entries(SUBSCRIPTION_PARAMS).map(([method, params]) => [method, compiledOnce(params)]),
)
const SUBSCRIBE_METHODS = Object.keys(SUBSCRIPTION_PARAMS).filter((name) => name.endsWith('Subscribe'))

/** Scratch space, used only while a message is read. */
const SCAN = new EnvelopeScan()

/** What the subscriptions of all connections share. */
export interface SubscriptionRegistry {
  /** Watches a signature until the returned function is called. */
  readonly watch: (
    signature: string,
    onStatus: (status: SignatureStatus) => void,
    onAsked: (calls: number) => void,
  ) => () => void
  readonly accounts: Pick<AccountPoller, 'watch'>
  readonly slots: Pick<Slots, 'listen'>
  /** The most subscriptions on all connections together. */
  readonly max: number
  lastId: number
  /** Open subscriptions of all connections. */
  open: number
}

interface SubscriptionsOptions {
  readonly registry: SubscriptionRegistry
  readonly client: Client
  /** Sends a notification, or an answer that had to wait. */
  readonly notify: (text: string) => void
  /** Answers a refused subscription, not necessarily at once. */
  readonly refuse: (text: string) => void
  /** Called with upstream calls, or parts of them, and their bytes that served its subscriptions. */
  readonly charge: (calls: number, bytes: number) => void
  /** Called when the client has been shown that something in this slot is confirmed or finalized. */
  readonly onShown: (slot: number, commitment: Exclude<Commitment, 'processed'>) => void
}

interface OpenSubscription {
  readonly kind: SubscribeMethod
  readonly end: () => void
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  /** By their ids. */
  readonly #open = new Map<number, OpenSubscription>()
  /** A node, too, gives equal subscriptions of a connection the same id. */
  #slotSubscription: number | null = null

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  /**
   * Answers a message; null if the answer comes later, and for a notification,
   * such as the `ping` of @solana/kit.
   */
  receive(bytes: Buffer): string | null {
    if (!SCAN.scan(bytes)) return failure('null', RPC_ERRORS.parse, 'Parse error: send JSON.')
    if (!SCAN.isObject) {
      const message = 'Invalid request: send one call in each message, and no batch.'
      return failure('null', RPC_ERRORS.invalidRequest, message)
    }
    const id = idOf(bytes)
    const call = JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>
    if (call.jsonrpc !== '2.0' || typeof call.method !== 'string' || !isId(call.id)) {
      const message = 'Invalid request: send `jsonrpc` "2.0", a `method`, and as `id` a string or a number.'
      return failure('null', RPC_ERRORS.invalidRequest, message)
    }
    return id === null ? null : this.#answer(call.method, call.params ?? [], id)
  }

  /** Refuses a shed message, reading nothing but its id. */
  shed(bytes: Buffer): void {
    const id = SCAN.scan(bytes) && SCAN.isObject ? idOf(bytes) : null
    if (id !== null) this.#refuse(`{"jsonrpc":"2.0","error":${SHED_ERROR},"id":${id}}`)
  }

  /** Ends all of them. */
  end(): void {
    for (const id of this.#open.keys()) this.#end(id)
  }

  #answer(method: string, params: unknown, id: string): string | null {
    const validator = VALIDATORS.get(method)?.()
    if (validator === undefined) {
      const message = `Method not found: this endpoint serves ${SUBSCRIBE_METHODS.join(', ')}.`
      const text = failure(id, RPC_ERRORS.methodNotFound, message)
      return method.endsWith('Subscribe') ? this.#refuse(text) : text
    }
    const known = method as SubscriptionMethod
    if (!validator.Check(params)) {
      const { message } = refuseInput(validator, params, 'params')
      const text = failure(id, RPC_ERRORS.invalidParams, `Invalid params: ${message}`)
      return isSubscribe(known) ? this.#refuse(text) : text
    }
    return isSubscribe(known)
      ? this.#subscribe(known, params, id)
      : this.#unsubscribe(known, params[0] as number, id)
  }

  #subscribe(method: SubscribeMethod, params: readonly unknown[], id: string): string | null {
    if (method === 'slotSubscribe' && this.#slotSubscription !== null)
      return result(id, this.#slotSubscription)
    const { registry } = this.#options
    const reached =
      this.size >= MAX_SUBSCRIPTIONS
        ? `${MAX_SUBSCRIPTIONS} on one connection`
        : registry.open >= registry.max
          ? `${registry.max} on this service`
          : null
    if (reached !== null) {
      const message = `Subscription refused: the limit of ${reached} is reached.`
      return this.#refuse(failure(id, RPC_ERRORS.internal, message))
    }
    const subscription = ++registry.lastId
    if (method === 'slotSubscribe') return this.#subscribeToSlots(subscription, id)
    const [subject, options] = params as [string, never]
    return method === 'signatureSubscribe'
      ? this.#subscribeToSignature(subscription, subject, options, id)
      : this.#subscribeToAccount(subscription, subject, options, id)
  }

  #subscribeToSignature(
    subscription: number,
    signature: string,
    options: SubscribeOptions | null | undefined,
    id: string,
  ): string {
    const level = COMMITMENTS.indexOf(options?.commitment ?? 'finalized')
    let isReceived = options?.enableReceivedNotification !== true
    const onStatus = (status: SignatureStatus): void => {
      if (!isReceived) {
        isReceived = true
        this.#notifyOfSignature(subscription, status.slot, 'receivedSignature')
      }
      const { slot, confirmationStatus } = status
      if (COMMITMENTS.indexOf(confirmationStatus) < level) return
      this.#end(subscription)
      this.#notifyOfSignature(subscription, slot, { err: status.err })
      this.#show(slot, confirmationStatus)
    }
    const { registry, charge } = this.#options
    const unwatch = registry.watch(signature, onStatus, (calls) => charge(calls, 0))
    this.#add(subscription, 'signatureSubscribe', unwatch)
    return result(id, subscription)
  }

  /** The answer waits for the account's state: any later change is reported. */
  #subscribeToAccount(
    subscription: number,
    address: string,
    options: AccountSubscribeOptions | null | undefined,
    id: string,
  ): null {
    const { registry, client, notify, charge } = this.#options
    const commitment = options?.commitment ?? 'finalized'
    const notice = new AccountNotice(subscription, options)
    let unwatch: (() => void) | null = null
    this.#add(subscription, 'accountSubscribe', () => unwatch?.())
    unwatch = registry.accounts.watch(address, commitment, {
      client,
      onAsked: charge,
      onKnown: (slot, isCut) => {
        if (isCut && isOutOfReach(options)) {
          this.#end(subscription)
          this.#refuse(failure(id, RPC_ERRORS.internal, notice.tooLong))
          return
        }
        notify(result(id, subscription))
        this.#show(slot, commitment)
      },
      onChange: (slot, state) => {
        notify(notice.textOf(slot, state))
        this.#show(slot, commitment)
      },
    })
    // Its state may have arrived before the watch could be ended.
    if (!this.#open.has(subscription)) unwatch()
    return null
  }

  #subscribeToSlots(subscription: number, id: string): string {
    const end = this.#options.registry.slots.listen((slot) => {
      const told = { parent: Math.max(0, slot - 1), root: Math.max(0, slot - ROOT_BEHIND), slot }
      this.#notify('slotNotification', told, subscription)
    })
    this.#slotSubscription = subscription
    this.#add(subscription, 'slotSubscribe', () => {
      this.#slotSubscription = null
      end()
    })
    return result(id, subscription)
  }

  #unsubscribe(method: SubscriptionMethod, subscription: number, id: string): string {
    const kind = this.#open.get(subscription)?.kind
    if (kind?.replace('Subscribe', 'Unsubscribe') !== method) {
      return failure(id, RPC_ERRORS.invalidParams, 'Invalid subscription id.')
    }
    this.#end(subscription)
    return result(id, true)
  }

  #add(subscription: number, kind: SubscribeMethod, end: () => void): void {
    this.#open.set(subscription, { kind, end })
    this.#options.registry.open++
  }

  #end(subscription: number): void {
    const { end } = this.#open.get(subscription)!
    this.#open.delete(subscription)
    this.#options.registry.open--
    end()
  }

  #refuse(text: string): null {
    this.#options.refuse(text)
    return null
  }

  #show(slot: number, commitment: Commitment): void {
    if (commitment !== 'processed') this.#options.onShown(slot, commitment)
  }

  /**
   * @param slot  the slot of the transaction's block; the node that answered may be ahead of it
   */
  #notifyOfSignature(subscription: number, slot: number, value: unknown): void {
    this.#notify('signatureNotification', { context: { slot }, value }, subscription)
  }

  #notify(method: string, told: unknown, subscription: number): void {
    const params = { result: told, subscription }
    this.#options.notify(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }
}

const SHED_ERROR = rpcErrorOf(RPC_ERRORS.internal, SHED)

const isSubscribe = (method: SubscriptionMethod): method is SubscribeMethod => method.endsWith('Subscribe')

/** The id of the message that was scanned last, as it was written: a number may be of any size. Null without one. */
const idOf = (bytes: Buffer): string | null =>
  SCAN.has(ID) ? bytes.toString('utf8', SCAN.start(ID), SCAN.end(ID)) : null

/** It is absent in a notification. */
const isId = (id: unknown): boolean =>
  id === undefined || id === null || typeof id === 'string' || typeof id === 'number'

/** @param id  JSON text */
const result = (id: string, value: number | boolean): string =>
  `{"jsonrpc":"2.0","result":${value},"id":${id}}`

const failure = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","error":${JSON.stringify({ code, message })},"id":${id}}`
