/**
 * The gateway's connection settings and headers for an upstream (src/upstream/upstream.ts),
 * for peers that use the same.
 */
import type { Pool } from 'undici'

export const POOL_OPTIONS: Pool.Options = {
  connections: 40,
  pipelining: 1,
  keepAliveTimeout: 50_000,
  connect: { timeout: 4_000 },
  headersTimeout: 0,
  bodyTimeout: 0,
}

export const UPSTREAM_HEADERS = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  'swapgate',
  'content-type',
  'application/json',
]
