/**
 * What one server bears: sizes, numbers and patience. The defaults are for a
 * service behind a proxy or on the open internet.
 */

export interface ServerLimits {
  /** The whole header must be here; a slow one is a slow-loris attack. */
  readonly headersTimeoutMs: number
  /** The whole request must be here. */
  readonly requestTimeoutMs: number
  /** An idle connection is kept: longer than the 60 s of the usual load balancer, so that it closes first. */
  readonly keepAliveTimeoutMs: number
  /** A socket on which nothing moves, such as one whose client stopped reading. Above every upstream deadline. */
  readonly stalledTimeoutMs: number
  /** How often the first two are looked at. */
  readonly checkIntervalMs: number
  readonly maxHeaderBytes: number
  /** Open at once. */
  readonly maxConnections: number
  /** Open at once of one peer, unless it is a trusted proxy. */
  readonly maxConnectionsPerPeer: number
  /** Requests of one connection that wait for their answers at once. */
  readonly maxPipelined: number
  /** A reply must have been read: one of 13 MiB at 1 Mbit/s is. */
  readonly replyTimeoutMs: number
  /** Of replies that were written and are not read yet, all together. */
  readonly maxUnreadBytes: number
}

export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 65_000,
  stalledTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  maxHeaderBytes: 16_384,
  maxConnections: Infinity,
  maxConnectionsPerPeer: Infinity,
  maxPipelined: 100,
  replyTimeoutMs: 120_000,
  maxUnreadBytes: 134_217_728,
}
