/**
 * Are the transactions of a submission signed, by everybody and correctly?
 *
 * Source: rules R26, R27 of errors.ts
 */

import type { SignatureRefusal } from '../chains/solana/refusals.ts'
import type { Verifier } from '../chains/solana/verifier.ts'
import type { WireTransaction } from '../chains/solana/wire.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { LoopShare } from '../runtime/loop-share.ts'

/** What submissions may take of a turn of the event loop: others' turns take twice as long by it at most. */
const TURN_PART = 0.5

/** The first signature that does not hold. */
export interface BadSignature {
  readonly code: SignatureRefusal
  /** Which of the transactions. */
  readonly transaction: number
  /** Which of its signatures. */
  readonly index: number
}

export interface SignatureCheckerOptions {
  readonly clock?: Clock
  readonly share?: LoopShare
}

/** The checker of all submissions: there is one for the process, because they share the event loop. */
export class SignatureChecker {
  readonly #verifier: Verifier
  readonly #clock: Clock
  readonly #share: LoopShare

  constructor(
    verifier: Verifier,
    { clock = CLOCK, share = new LoopShare({ part: TURN_PART }) }: SignatureCheckerOptions = {},
  ) {
    this.#verifier = verifier
    this.#clock = clock
    this.#share = share
  }

  /** How long the submission that waits for longest has waited for its turn, ms. */
  get waitMs(): number {
    return this.#share.waitMs
  }

  /**
   * The first signature that is missing or does not hold. Missing ones are found first, since that is free.
   * @param transactions  parsed without refusal; not looked at again once this has returned its promise
   * @returns null when every required signature of every transaction holds
   */
  async findBad(transactions: readonly WireTransaction[]): Promise<BadSignature | null> {
    const checks: Check[] = []
    for (const [transaction, parsed] of transactions.entries()) {
      const message = parsed.message()
      for (let index = 0; index < parsed.signatureCount; index++) {
        const signature = parsed.signature(index)
        if (signature.every(isZero)) return { code: 'transaction_not_signed', transaction, index } // R27
        checks.push({ transaction, index, signature, message, publicKey: parsed.key(index) })
      }
    }
    for (const { transaction, index, signature, message, publicKey } of checks) {
      if (this.#share.isUsedUp) await this.#share.wait()
      const start = this.#clock.now()
      const holds = this.#verifier.verify(signature, message, publicKey)
      this.#share.spend(this.#clock.now() - start)
      if (!holds) return { code: 'signature_invalid', transaction, index } // R26
    }
    return null
  }
}

interface Check {
  readonly transaction: number
  readonly index: number
  readonly signature: Uint8Array
  readonly message: Uint8Array
  readonly publicKey: Uint8Array
}

const isZero = (byte: number): boolean => byte === 0
