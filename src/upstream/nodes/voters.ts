/**
 * Where several nodes must agree, each is called without failover: otherwise one node could answer for two.
 * Nodes at one host are one party.
 */
import type { Upstream } from '../upstream.ts'

/** This many nodes have to give the same answer before it is believed. */
export const AGREEING_NODES = 2

/** The first node of each host, in their order. */
export function onePerHost(nodes: readonly Upstream[]): readonly Upstream[] {
  return nodes.filter(({ host }, i) => nodes.findIndex((other) => other.host === host) === i)
}

/**
 * @param answers  one of each node; null if it is invalid
 * @returns the value that this many of them agree on; null if they don't
 */
export function agreedOn(answers: readonly (string | null)[], needed = AGREEING_NODES): string | null {
  const isAgreed = (answer: string) => answers.filter((other) => other === answer).length >= needed
  return answers.find((answer) => answer !== null && isAgreed(answer)) ?? null
}
