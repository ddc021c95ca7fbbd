import type { Script } from './script.ts'
import type { Store } from './store.ts'

/** A store that runs scripts. */
export type ScriptStore = Pick<Store, 'key' | 'run'> & Partial<Pick<Store, 'distrust'>>

/** Reads a reply that is a list. */
export const listOf =
  <Item>(isItem: (value: unknown) => value is Item) =>
  (reply: unknown): readonly Item[] | undefined =>
    Array.isArray(reply) && reply.every(isItem) ? reply : undefined

/**
 * Runs a script and validates its reply. A server that is not what it claims to be, or a proxy that mixes
 * replies up, may answer anything.
 *
 * @param read  undefined for a reply that the script cannot have given
 * @returns undefined if there is no reply, or an invalid one: the caller then decides alone. Never rejects
 */
export async function runScript<T>(
  store: Omit<ScriptStore, 'key'>,
  script: Script,
  keys: readonly [string, ...string[]],
  args: readonly string[],
  read: (reply: unknown) => T | undefined,
): Promise<T | undefined> {
  const reply = await store.run(script, keys, args)
  if (reply === undefined) return undefined
  const value = read(reply)
  if (value === undefined) store.distrust?.(keys[0])
  return value
}
