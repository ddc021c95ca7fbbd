/** The address rules of a family. Both functions answer the canonical spelling, or null. */
export interface AddressFormat {
  /** Canonical spelling of the native coin. */
  readonly native: string
  /** Of an account that somebody may hold: what stands for the native coin, or for nobody, is refused. */
  parseWallet(text: string): string | null
  /** Of a token, the family's own spellings of the native coin included. */
  parseToken(text: string): string | null
}
