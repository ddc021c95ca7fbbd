/**
 * Checks that every required signer has signed the transactions of a submission.
 *
 * Source: rules R26, R27 of codes.json
 */

import type { SignatureRefusal } from '../../chains/solana/refusals.ts'
import type { Verifier } from '../../chains/solana/signatures/verifier.ts'
import type { WireTransaction } from '../../chains/solana/wire.ts'
import { LoopShare } from '../../flow/loop-share.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'

/** The share of each event loop turn that signature checks may take: turns become at most twice as long. */
const TURN_PART = 0.5

interface SignatureCheckerOptions {
  readonly clock?: Clock
  readonly share?: LoopShare
}

/** Checks the signatures of all submissions: one for the process, because they share the event loop. */
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

  /** How long the longest-waiting submission has waited for its check, ms. */
  get waitMs(): number {
    return this.#share.waitMs
  }

  /**
   * Finds the first signature that is missing or does not verify. Missing ones come first: finding them is
   * free.
   * @param transactions  parsed without refusal; no longer read once this has returned its promise
   * @param dueAt  called if they have to wait: those that expire first go first; monotonic, ms
   * @returns the indexes of the transaction and of the signature in it; null if every required signature verifies
   */
  async findBad(transactions: readonly WireTransaction[], dueAt: () => number = never) {
    const bad = (code: SignatureRefusal, transaction: number, index: number) => ({ code, transaction, index })
    const checks = transactions.flatMap((parsed, transaction) => {
      const message = parsed.message()
      return Array.from({ length: parsed.signatureCount }, (_, index) => {
        const signature = parsed.signature(index)
        return { transaction, index, signature, message, publicKey: parsed.key(index) }
      })
    })
    const missing = checks.find(({ signature }) => signature.every(isZero))
    if (missing !== undefined) return bad('transaction_not_signed', missing.transaction, missing.index) // R27
    for (const { transaction, index, signature, message, publicKey } of checks) {
      if (this.#share.isUsedUp) await this.#share.wait(dueAt())
      const start = this.#clock.now()
      const holds = this.#verifier.verify(signature, message, publicKey)
      this.#share.spend(this.#clock.now() - start)
      if (!holds) return bad('signature_invalid', transaction, index) // R26
    }
    return null
  }
}

const never = (): number => Infinity

const isZero = (byte: number): boolean => byte === 0
