/**
 * Finds nodes of another cluster than the rest, by their genesis hashes. A devnet URL among mainnet ones
 * would answer reads with another cluster's accounts, so such a node gets no calls at all.
 *
 * The home cluster is the one that most hosts report: a single node that lies about its hash cannot get the
 * others barred. If as many hosts report one as another, the operator's order decides. Nothing is decided
 * before each node was asked. A node that comes back later has its vote, too: the home changes if another
 * cluster gets more.
 */

/** A node's hash; `mute` if it answered without one; `silent` if it did not answer. */
type GenesisAnswer = { readonly hash: string } | 'mute' | 'silent'

interface Node {
  readonly label: string
  /** Nodes of one host are one party. */
  readonly host: string
}

export class Clusters {
  readonly #nodes: readonly Node[]
  readonly #onJudged: (label: string, isForeign: boolean) => void
  readonly #answers = new Map<string, GenesisAnswer>()
  readonly #foreign = new Set<string>()
  #home: string | null = null

  /**
   * @param nodes     in order of preference
   * @param onJudged  called for each node that is found to be of another cluster, and again if that turns out
   * to be wrong
   */
  constructor(nodes: readonly Node[], onJudged: (label: string, isForeign: boolean) => void) {
    this.#nodes = nodes
    this.#onJudged = onJudged
  }

  /** Whether a node should be asked for its hash: it has not answered yet. */
  isOpen(label: string): boolean {
    return (
      this.#nodes.length > 1 &&
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
    if (!this.#nodes.every((node) => this.#answers.has(node.label))) return
    this.#home = this.#decided()
    if (this.#home === null) return
    for (const { label: other } of this.#nodes) {
      const known = this.#answers.get(other)
      const isForeign = typeof known === 'object' && known.hash !== this.#home
      if (isForeign === this.#foreign.has(other)) continue
      if (isForeign) this.#foreign.add(other)
      else this.#foreign.delete(other)
      this.#onJudged(other, isForeign)
    }
  }

  /** The hash that most hosts report. Ties go to the present one, then to that of the most preferred node. */
  #decided(): string | null {
    let home = this.#home
    let most = home === null ? 0 : this.#votesFor(home)
    for (const { label } of this.#nodes) {
      const answer = this.#answers.get(label)
      if (typeof answer !== 'object') continue
      const votes = this.#votesFor(answer.hash)
      if (votes > most) [home, most] = [answer.hash, votes]
    }
    return home
  }

  #votesFor(hash: string): number {
    const hosts = this.#nodes.filter(({ label }) => {
      const answer = this.#answers.get(label)
      return typeof answer === 'object' && answer.hash === hash
    })
    return new Set(hosts.map(({ host }) => host)).size
  }
}
