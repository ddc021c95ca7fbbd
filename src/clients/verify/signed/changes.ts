/** Differences between what was built and what was signed, in words that may hold a stranger's text: cut, on one line. */
import { printable } from '../../../runtime/shown.ts'
import type { SignedChange } from '../types.ts'

/** `id` is the signature by which the chain knows it; null if there is none. */
export interface Signed {
  readonly id: string | null
  /** It has the blockhash that was built. */
  readonly isAsBuilt: boolean
}

export const NOT_SIGNED: Signed = { id: null, isAsBuilt: false }

const MAX_WORDS = 300

export class Changes {
  readonly list: SignedChange[] = []
  /** What nothing in the signed bytes shows. */
  readonly notBound: string[] = []

  /** A difference after which the wallet still gets what was ordered. */
  allow(kind: string, words: string): void {
    this.list.push({ kind, isAllowed: true, words: printable(words, MAX_WORDS) })
  }

  refuse(kind: string, words: string): void {
    this.list.push({ kind, isAllowed: false, words: printable(words, MAX_WORDS) })
  }

  leave(why: string): void {
    this.notBound.push(why)
  }
}
