/**
 * Finds the nodes of another cluster than the rest, by their genesis hashes. A
 * devnet URL among mainnet ones would answer reads with the accounts of another
 * cluster, so such a node gets no calls at all.
 *
 * The home cluster is that of the most preferred node that answers its hash: the
 * operator's order says which cluster is meant, devnet included. It is decided
 * once, when every node preferred to that one has failed to answer. A node that
 * comes back later does not change it.
 */

/** A node's hash; `mute` where it answered without one; `silent` where it did not answer. */
type GenesisAnswer = { readonly hash: string } | 'mute' | 'silent'

export class Clusters {
  readonly #labels: readonly string[]
  readonly #onForeign: (label: string) => void
  readonly #answers = new Map<string, GenesisAnswer>()
  readonly #foreign = new Set<string>()
  #home: string | null = null

  /**
   * @param labels     the nodes, in order of preference
   * @param onForeign  called once for each node of another cluster
   */
  constructor(labels: readonly string[], onForeign: (label: string) => void) {
    this.#labels = labels
    this.#onForeign = onForeign
  }

  /** Whether a node should be asked for its hash: it has not answered yet. */
  isOpen(label: string): boolean {
    return (
      this.#labels.length > 1 &&
      typeof this.#answers.get(label) !== 'object' &&
      this.#answers.get(label) !== 'mute'
    )
  }

  /** Whether the home cluster is decided, and this node has not answered its hash yet. */
  isUnproved(label: string): boolean {
    return this.#home !== null && this.isOpen(label)
  }

  note(label: string, answer: GenesisAnswer): void {
    if (!this.isOpen(label)) return
    this.#answers.set(label, answer)
    this.#home ??= this.#decided()
    if (this.#home === null) return
    for (const [other, known] of this.#answers) {
      if (typeof known !== 'object' || known.hash === this.#home || this.#foreign.has(other)) continue
      this.#foreign.add(other)
      this.#onForeign(other)
    }
  }

  #decided(): string | null {
    for (const label of this.#labels) {
      const answer = this.#answers.get(label)
      if (answer === undefined) return null
      if (typeof answer === 'object') return answer.hash
    }
    return null
  }
}
