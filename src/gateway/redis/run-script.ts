/** The one way to a script's reply. */
import type { Script } from './script.ts'
import type { Store } from './store.ts'

/** A store that runs scripts. */
export type ScriptStore = Pick<Store, 'key' | 'run'> & Partial<Pick<Store, 'distrust'>>

/**
 * Runs a script and reads its reply: the only way to one. A server that is not what it says, or a proxy that mixes
 * replies up, may answer anything.
 *
 * @param read  undefined for a reply that the script cannot have given
 * @returns undefined where there is no reply, or none that can be read: the caller then goes on alone. It never
 *          rejects
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
