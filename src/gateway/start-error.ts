/** A start-up failure that the operator can fix; its message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
