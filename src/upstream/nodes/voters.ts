/**
 * Where several nodes must agree, each is asked singly: with a failover behind
 * them, one node could answer for two. Nodes at one host are one party.
 */
import type { Upstream } from '../upstream.ts'

/** The first node of each host, in their order. */
export function onePerHost(nodes: readonly Upstream[]): readonly Upstream[] {
  return nodes.filter(({ host }, i) => nodes.findIndex((other) => other.host === host) === i)
}
