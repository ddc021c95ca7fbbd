/**
 * Bounds the entries of an LRUCache. For `max` it allocates all of its places at once, and a gateway has dozens of
 * caches, most of them nearly empty: with these options it grows with what it holds.
 * @param max  entries
 */
export function growing(max: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: max, sizeCalculation: () => 1 }
}
