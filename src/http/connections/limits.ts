/**
 * The limits of one server: sizes, numbers and timeouts. The defaults suit a
 * service behind a proxy as well as on the open internet.
 */

export interface ServerLimits {
  /** For the whole header; a slow one is a slow-loris attack. */
  readonly headersTimeoutMs: number
  /** For the whole request. */
  readonly requestTimeoutMs: number
  /** For an idle connection: longer than the 60 s of the usual load balancer, so that the balancer closes first. */
  readonly keepAliveTimeoutMs: number
  /** For a socket on which nothing moves, such as one whose client stopped reading. Above every upstream deadline. */
  readonly stalledTimeoutMs: number
  /** How often the first two are checked. */
  readonly checkIntervalMs: number
  readonly maxHeaderBytes: number
  /** Open at once. */
  readonly maxConnections: number
  /** Open at once from one address, unless it is a trusted proxy. */
  readonly maxConnectionsPerPeer: number
  /** Requests of one connection that wait for their replies at once. */
  readonly maxPipelined: number
  /** Until a reply must have been read: enough for 13 MiB at 1 Mbit/s. */
  readonly replyTimeoutMs: number
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
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
}
