/**
 * The names of clients in log lines and for the operator: by default a hash of the address under a
 * key that only this process has. One client's lines can be found together, but
 * a suspected address can neither be looked up in the log nor guessed from it.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Client } from '../../flow/cancellation.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { addressOf } from './client.ts'

/** `hashed`: see above; `on`: the address, for IPv6 the /64; `off`: nothing. */
export const CLIENT_NAMES = ['hashed', 'on', 'off'] as const

type ClientNames = (typeof CLIENT_NAMES)[number]

/** Names a client; undefined if clients are not named. */
export type NameClient = (client: Client) => string | undefined

/** 48 bits: among a million clients in one log, the chance of a collision is 1 in 600. */
const HASH_DIGITS = 12
/** Cached names; making one costs about 2 µs. */
const MAX_NAMES = 10_000

/** @param key  a secret of fixed length, before the client: only a cut digest leaves, so that nothing can be appended */
export function createClientNames(how: ClientNames, key = randomBytes(32).toString('hex')): NameClient {
  if (how === 'off') return () => undefined
  const nameOf =
    how === 'on' ? addressOf : (client: Client) => hash('sha256', key + client).slice(0, HASH_DIGITS)
  const names = boundedCache<Client, string>({ max: MAX_NAMES })
  return (client) => getOrInsert(names, client, () => nameOf(client))
}
