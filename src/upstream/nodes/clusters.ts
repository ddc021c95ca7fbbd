/**
 * Which nodes are of another cluster than the rest, by their genesis hashes. A
 * devnet URL among mainnet ones would answer reads with another world's
 * accounts, so it gets no calls at all.
 *
 * The home cluster is that of the most preferred node that tells: the operator's
 * order says what was meant, and also an operator of devnet nodes is right. It
 * is decided once, when all that are preferred to that node have failed to tell,
 * so that no node that comes back changes the world under its callers.
 */

/** What is known of a node: its hash; `mute` where it answered, but not with one; `silent` where it did not. */
type Told = { readonly hash: string } | 'mute' | 'silent'

export class Clusters {
  readonly #labels: readonly string[]
  readonly #onForeign: (label: string) => void
  readonly #told = new Map<string, Told>()
  readonly #foreign = new Set<string>()
  #home: string | null = null

  /**
   * @param labels     the nodes, in order of preference
   * @param onForeign  told once of each node of another cluster
   */
  constructor(labels: readonly string[], onForeign: (label: string) => void) {
    this.#labels = labels
    this.#onForeign = onForeign
  }

  /** Whether it is worth asking a node for its hash: it has not answered yet. */
  isOpen(label: string): boolean {
    return (
      this.#labels.length > 1 && typeof this.#told.get(label) !== 'object' && this.#told.get(label) !== 'mute'
    )
  }

  /** Whether the cluster is known, and not yet whether this node is of it. */
  isUnproved(label: string): boolean {
    return this.#home !== null && this.isOpen(label)
  }

  note(label: string, told: Told): void {
    if (!this.isOpen(label)) return
    this.#told.set(label, told)
    this.#home ??= this.#decided()
    if (this.#home === null) return
    for (const [other, known] of this.#told) {
      if (typeof known !== 'object' || known.hash === this.#home || this.#foreign.has(other)) continue
      this.#foreign.add(other)
      this.#onForeign(other)
    }
  }

  #decided(): string | null {
    for (const label of this.#labels) {
      const told = this.#told.get(label)
      if (told === undefined) return null
      if (typeof told === 'object') return told.hash
    }
    return null
  }
}
