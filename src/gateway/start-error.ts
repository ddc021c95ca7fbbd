/** A start-up failure that the operator can mend; its message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
