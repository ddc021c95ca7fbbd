/** A value that outlives the views, which are rendered again when it changes. */
import { useEffect, useState } from 'preact/hooks'

export class Kept<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** @returns stops it */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** A list in this browser's storage. If that is blocked, or holds another page's data, there is none. */
export function storedList(key: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

export function store(key: string, list: readonly unknown[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list))
  } catch {
    // Storage is blocked: the page keeps it as long as it is open.
  }
}

export function useKept<T>(kept: Kept<T>): T {
  const [value, draw] = useState(kept.value)
  useEffect(() => {
    const redraw = (): void => draw(kept.value)
    redraw()
    return kept.watch(redraw)
  }, [])
  return value
}
