/** A list in pieces of this many, the last of them shorter: what one call to a source takes. */
export function chunksOf<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

/** A map, a weak one or a cache. */
interface ByKey<K, V> {
  get(key: K): V | undefined
  set(key: K, value: NoInfer<V>): unknown
}

/** The value of a key, made at its first use. */
export function getOrInsert<K, V>(values: ByKey<K, V>, key: K, make: () => V): V {
  let value = values.get(key)
  if (value === undefined) values.set(key, (value = make()))
  return value
}

/** Adds to the count of a key, which goes with its last one. @returns the count */
export function addToCount<K>(counts: Map<K, number>, key: K, more: number): number {
  const count = (counts.get(key) ?? 0) + more
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
  return count
}

/** Adds a value to the list of its key. */
export function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** The values by key, in their order. */
export function groupedBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const lists = new Map<K, V[]>()
  for (const value of values) addToList(lists, keyOf(value), value)
  return lists
}
