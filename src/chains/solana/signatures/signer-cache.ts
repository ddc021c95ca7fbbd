/**
 * The cache of signers whose signatures held, so that the key of a signer who returns within minutes is not
 * decoded again (bench: Verifier, known signer). It is bounded in number and in time.
 */

import { LRUCache } from 'lru-cache'
import { CLOCK } from '../../../runtime/clock.ts'
import type { VerifierOptions } from './verifier.ts'

const MAX_SIGNERS = 256
const TTL_MS = 600_000

export const createSignerCache = <Value extends object>({
  maxSigners = MAX_SIGNERS,
  clock = CLOCK,
}: VerifierOptions): LRUCache<string, Value> =>
  // With a resolution of 0 the cache reads the clock each time instead of starting a timer.
  new LRUCache({ max: maxSigners, ttl: TTL_MS, updateAgeOnGet: true, ttlResolution: 0, perf: clock })
