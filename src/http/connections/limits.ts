/**
 * The limits of one server: sizes, numbers and timeouts. The defaults suit a
 * service behind a proxy as well as on the open internet.
 */

export const DEFAULT_SERVER_LIMITS = {
  /** For the whole header; a slow one is a slow-loris attack. */
  headersTimeoutMs: 10_000,
  /** For the whole request. */
  requestTimeoutMs: 15_000,
  /** For an idle connection: longer than the 60 s of the usual load balancer, so that the balancer closes first. */
  keepAliveTimeoutMs: 65_000,
  /** For a socket on which nothing moves, such as one whose client stopped reading. Above every upstream deadline. */
  stalledTimeoutMs: 30_000,
  /** How often the first two are checked. */
  checkIntervalMs: 1_000,
  maxHeaderBytes: 16_384,
  /** Open at once. */
  maxConnections: Infinity,
  /** Open at once from one address, unless it is a trusted proxy. */
  maxConnectionsPerPeer: Infinity,
  /** Requests of one connection that wait for their replies at once. */
  maxPipelined: 100,
  /** Until a reply must have been read: enough for 13 MiB at 1 Mbit/s. */
  replyTimeoutMs: 120_000,
}

export type ServerLimits = Readonly<typeof DEFAULT_SERVER_LIMITS>
