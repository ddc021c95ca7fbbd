/**
 * The cost of a body while it arrives. Its bytes count towards those held for its client, and reserve units
 * of the budget `refused`: with many bodies in progress, or one in small pieces, the units run out, and the
 * body is refused early.
 */
import type { IncomingMessage } from 'node:http'
import type { ByteHolding, HeldBytes, Holder, PausableFlow } from '../../flow/held-bytes.ts'
import { TurnShare } from '../../flow/turn-share.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { REFUSED_UNIT_BYTES } from '../limit/budgets.ts'
import { FEW_PARTS, LEAST_PART_BYTES } from './body.ts'
import type { ClientAccounts, Exchange } from './exchange.ts'

/** A part that costs more time than its bytes do. */
const SMALL_PART_BYTES = 512
/** The share of a turn for all bodies. A body on its own may use all of it: 3 ms of processor time. */
const SMALL_PARTS = new TurnShare({ units: 1_100 })

export class BodyMeter implements PausableFlow, Holder {
  /** The bytes that came. */
  bytes = 0
  /** Why it was refused; null while it is not. A GatewayError, or the budget. */
  refusal: GatewayError | 'budget' | null = null
  readonly flow: PausableFlow = this
  readonly #exchange: Exchange
  readonly #accounts: ClientAccounts
  readonly #held: HeldBytes
  readonly #onDrop: () => void
  #holding: ByteHolding | null = null
  #units = 0
  /** Extra bytes that small parts count for. */
  #extra = 0
  /** In this turn of the event loop. */
  #smallParts = 0
  #turn = 0

  /** @param onDrop  called if the body is refused between two parts */
  constructor(exchange: Exchange, accounts: ClientAccounts, held: HeldBytes, onDrop: () => void) {
    this.#exchange = exchange
    this.#accounts = accounts
    this.#held = held
    this.#onDrop = onDrop
  }

  /** Counts a part of an unfinished body. @returns false if the body is refused */
  add(bytes: number): boolean {
    if (this.refusal !== null) return false
    this.bytes += bytes
    if (bytes < LEAST_PART_BYTES) this.#extra += LEAST_PART_BYTES - bytes
    if (bytes < SMALL_PART_BYTES && !this.#hasTurn()) {
      const message = 'Too many bodies come in small chunks at once. Send yours in one, or try again later.'
      this.refusal = new GatewayError('overloaded', message)
      return false
    }
    const units = Math.ceil((this.bytes + this.#extra) / REFUSED_UNIT_BYTES) - this.#units
    this.#holding ??= this.#held.open(this.#exchange.client, this)
    if (units > 0) {
      if (!this.#accounts.reserve(this.#exchange, units, this.#units)) {
        this.refusal = 'budget'
        return false
      }
      this.#units += units
    }
    this.#holding.add(bytes)
    return this.refusal === null
  }

  /** The body is complete, refused or abandoned. Its reservation is released, except for small parts. */
  end(): void {
    if (this.#holding === null) return
    if (this.#extra >= REFUSED_UNIT_BYTES) this.#accounts.chargeBody(this.#exchange, this.#extra)
    const { client } = this.#holding.account
    this.#holding.close()
    this.#holding = null
    this.#accounts.unreserve(client, this.#units)
    this.#units = 0
  }

  pause(): void {
    this.#request.pause()
  }

  resume(): void {
    this.#request.resume()
  }

  drop(): void {
    const message =
      'Too many bytes are held already. Read the replies to your other requests; try again later.'
    this.refusal = new GatewayError('overloaded', message)
    this.#onDrop()
  }

  /** Whether the turn takes another small part. */
  #hasTurn(): boolean {
    const hasRoom = SMALL_PARTS.take(0)
    if (this.#turn !== SMALL_PARTS.turn) {
      this.#turn = SMALL_PARTS.turn
      this.#smallParts = 0
    }
    return ++this.#smallParts <= FEW_PARTS || hasRoom
  }

  get #request(): IncomingMessage {
    return this.#exchange.request
  }
}
