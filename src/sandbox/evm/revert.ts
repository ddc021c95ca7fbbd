/** A call that a contract of the sandbox's EVM chains reverted. */
export class Revert extends Error {
  override readonly name = 'Revert'
  /** What it reverted with, ABI-encoded hex; 0x for nothing. */
  readonly data: string

  constructor(reason: string | null, data: string) {
    super(reason === null ? 'execution reverted' : `execution reverted: ${reason}`)
    this.data = data
  }

  /** A revert without a reason, as for a function that the contract doesn't have. */
  static nameless(): Revert {
    return new Revert(null, '0x')
  }
}
