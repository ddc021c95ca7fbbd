/** Differences between what was built and what was signed. */
import type { SignedChange } from '../types.ts'

export class Changes {
  readonly list: SignedChange[] = []
  /** What nothing in the signed bytes shows. */
  readonly notBound: string[] = []

  /** A difference after which the wallet still gets what was ordered. */
  allow(kind: string, words: string): void {
    this.list.push({ kind, isAllowed: true, words })
  }

  refuse(kind: string, words: string): void {
    this.list.push({ kind, isAllowed: false, words })
  }

  leave(why: string): void {
    this.notBound.push(why)
  }
}
