/** The address rules of a family of chains. Both functions return the canonical spelling, or null. */
export interface AddressFormat {
  /** The canonical spelling of the native coin. */
  readonly native: string
  /** The address of an account. Addresses that stand for the native coin or for no account give null. */
  parseWallet(text: string): string | null
  /** The address of a token; the family's own spellings of the native coin are accepted. */
  parseToken(text: string): string | null
}
