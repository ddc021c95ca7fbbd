/**
 * The known name that somebody probably meant by an unknown one.
 */

/** Slips that are forgiven in names of at least so many characters, the longest first. */
const FORGIVEN = [
  { characters: 13, slips: 3 },
  { characters: 10, slips: 2 },
  { characters: 4, slips: 1 },
] as const
const MAX_SLIPS = FORGIVEN[0].slips
/** A shorter beginning, or one of half the other name or less, says too little about what was meant. */
const MIN_PREFIX = 4

/**
 * Near is what differs in case, underscores or hyphens only, then what is a few
 * slips away, then what begins with the other name. Of equally near names the
 * first known one answers.
 *
 * @param beginnings  whether a beginning is near: not where most names are somebody else's
 */
export function nearest(name: string, known: Iterable<string>, beginnings = true): string | null {
  const plain = plainly(name)
  let best: string | null = null
  let least = Infinity
  for (const candidate of known) {
    const distance = distanceOf(plain, plainly(candidate), beginnings)
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

const plainly = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase()

/** @returns Infinity where the names are not near */
function distanceOf(a: string, b: string, beginnings: boolean): number {
  if (a === b) return 0
  const longer = Math.max(a.length, b.length)
  const allowed = FORGIVEN.find(({ characters }) => longer >= characters)?.slips ?? 0
  const gap = Math.abs(a.length - b.length)
  if (gap <= allowed) {
    const distance = slips(a, b)
    if (distance <= allowed) return distance
  }
  const shorter = longer - gap
  if (!beginnings || shorter < MIN_PREFIX || shorter <= longer / 2) return Infinity
  return a.startsWith(b) || b.startsWith(a) ? MAX_SLIPS + gap : Infinity
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) from `a` to `b`. */
function slips(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(current[column - 1]! + 1, last[column]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
