/**
 * What log lines call a client: by default a hash of the address under a key
 * that only this process has, so that one client's lines can be found together,
 * and an address that somebody suspects can neither be looked up in them nor
 * guessed from them.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Client } from '../../runtime/cancellation.ts'
import { addressOf } from './client.ts'

/** `hashed`: see above; `on`: the address, of IPv6 the /64; `off`: nothing. */
export const CLIENT_NAMES = ['hashed', 'on', 'off'] as const

export type ClientNames = (typeof CLIENT_NAMES)[number]

/** 48 bits: of a million clients in one log some two meet with a chance of 1 in 600. */
const HASH_DIGITS = 12
/** Clients whose names are at hand; one costs some 10 µs to make anew. */
const MAX_NAMES = 10_000

/** @returns undefined where a line says nothing of its client, or none is known */
export function createClientNames(
  how: ClientNames,
  key: Buffer = randomBytes(32),
): (client: Client) => string | undefined {
  if (how === 'off') return () => undefined
  const nameOf =
    how === 'on'
      ? addressOf
      : (client: Client) => createHmac('sha256', key).update(client).digest('hex').slice(0, HASH_DIGITS)
  const names = new LRUCache<Client, string>({ max: MAX_NAMES })
  return (client) => {
    let name = names.get(client)
    if (name === undefined) names.set(client, (name = nameOf(client)))
    return name
  }
}
