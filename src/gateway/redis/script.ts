/** A Lua script, which Redis runs atomically. */
import { createHash } from 'node:crypto'

export interface Script {
  readonly text: string
  /** The name by which Redis knows the script once it has run it. */
  readonly sha1: string
}

export function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}
