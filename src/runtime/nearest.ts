/** Finds the known name that an unknown one was probably meant to be. */

/** How many typing slips are forgiven, by the length of the longer name. Longest first. */
const FORGIVEN = [
  { characters: 13, slips: 3 },
  { characters: 10, slips: 2 },
  { characters: 4, slips: 1 },
] as const
const MAX_SLIPS = FORGIVEN[0].slips
/** A prefix must have this length, and more than half of the other name's, to show what was meant. */
const MIN_PREFIX = 4

/**
 * The nearest name is one that differs only in case, underscores or hyphens; else one that is a few slips
 * away; else one of which the other is a prefix. Among equally near names the first known one wins.
 *
 * @param prefixes  whether a prefix counts as near: false if most unknown names belong to other programs
 * @returns null if no name is near
 */
export function nearest(name: string, known: Iterable<string>, prefixes = true): string | null {
  const plain = plainly(name)
  let best: string | null = null
  let least = Infinity
  for (const candidate of known) {
    const distance = distanceOf(plain, plainly(candidate), prefixes)
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

const plainly = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase()

/** @returns Infinity if the names are not near each other */
function distanceOf(a: string, b: string, prefixes: boolean): number {
  if (a === b) return 0
  const longer = Math.max(a.length, b.length)
  const allowed = FORGIVEN.find(({ characters }) => longer >= characters)?.slips ?? 0
  const gap = Math.abs(a.length - b.length)
  if (gap <= allowed) {
    const distance = slips(a, b, allowed)
    if (distance <= allowed) return distance
  }
  const shorter = longer - gap
  if (!prefixes || shorter < MIN_PREFIX || shorter <= longer / 2) return Infinity
  return a.startsWith(b) || b.startsWith(a) ? MAX_SLIPS + gap : Infinity
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and transpositions of
 * neighbours.
 *
 * @returns any number above `most` if the distance is: two names that have little in common are told apart by
 *          their first letters
 */
function slips(a: string, b: string, most: number): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  let leastOfLast = 0
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(current[column - 1]! + 1, last[column]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1)
      current.push(cost)
      least = Math.min(least, cost)
    }
    // A transposition skips one row; from there, costs never fall.
    if (least > most && leastOfLast >= most) return most + 1
    beforeLast = last
    last = current
    leastOfLast = least
  }
  return last[b.length]!
}
