/**
 * Bounds the entries of an LRUCache without `max`, which would allocate all of its slots at once: a gateway
 * has dozens of caches, most of them nearly empty.
 * @param max  entries
 */
export function maxEntries(max: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: max, sizeCalculation: () => 1 }
}
