/** The failures of a swap that are not the gateway's own (SwapgateError). */
import type { SignedChange } from '../verify/types.ts'

export type SwapCode =
  /** The user declined, in `agree` or in the wallet. Nothing was sent. */
  | 'declined'
  /** What the gateway built is not the order; `rule` says why. Nothing was signed. */
  | 'refused'
  /** The wallet signed something else: see `changes`. It was not sent, unless the wallet did: then `id` is there. */
  | 'signed_changed'
  /** The wallet failed, and sent nothing; `cause` has its error. */
  | 'wallet'
  /** The wallet does not say whether it sent: look at its activity, then `forgetSwap` to try again. */
  | 'unsure'
  /** It is in a block, and failed there. */
  | 'reverted'
  /** It is in no block, and never will be. */
  | 'expired'
  /** Another transaction of the wallet took its place, which may be the same one with another fee. */
  | 'replaced'
  /** The store failed, or has something that was not written by this module; `cause` has its error. */
  | 'store'

type Details = Partial<Pick<SwapError, 'id' | 'rule' | 'changes' | 'cause'>>

export class SwapError extends Error {
  readonly code: SwapCode
  /** The hash or signature of what is or may be on its way; null if nothing is, or it is not known. */
  readonly id: string | null
  /** The rule that does not hold: see docs/verify.md. */
  readonly rule: string | null
  readonly changes: readonly SignedChange[]

  constructor(code: SwapCode, message: string, { id, rule, changes, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'SwapError'
    this.code = code
    this.id = id ?? null
    this.rule = rule ?? null
    this.changes = changes ?? []
  }
}
