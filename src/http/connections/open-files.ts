/**
 * How many files, and so sockets, this process may have open, and how many of
 * these clients may use.
 */
import { readFileSync } from 'node:fs'
import type { Logger } from '../../runtime/log.ts'
import type { ServerLimits } from './limits.ts'

/** Reserved for the gateway itself: upstream connections, its log, files that are read. */
export const OWN_FILES = 256
const MAX_CONNECTIONS = 10_000
const MIN_CONNECTIONS = 64
/** One address may have one in this many of all connections. */
const SHARE = 8
const MAX_PER_PEER = 256

/**
 * The soft limit, as `ulimit -n` shows it (node raises it to the hard limit at its start); Infinity if there
 * is none.
 */
export function openFileLimit(platform: NodeJS.Platform = process.platform): number {
  const text = platform === 'linux' ? limitOfProc() : limitOfReport()
  return /^\d+$/.test(text) ? Number(text) : Infinity
}

/** Connections that clients may have: what is left of the files, between a minimum and a maximum. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, openFiles - OWN_FILES))
}

/** Connections that one address may have. */
export function perPeerOf(connections: number): number {
  return Math.min(MAX_PER_PEER, Math.ceil(connections / SHARE))
}

/** The configured limits, or those that follow from the number of files that may be open. */
export function connectionLimits(
  chosen: { readonly maxConnections: number | null; readonly maxConnectionsPerClient: number | null },
  log: Pick<Logger, 'warn'>,
): Pick<ServerLimits, 'maxConnections' | 'maxConnectionsPerPeer'> {
  const openFiles = openFileLimit()
  const maxConnections = chosen.maxConnections ?? connectionsWithin(openFiles)
  if (maxConnections > openFiles - OWN_FILES) {
    log.warn({ maxConnections, openFiles }, 'MAX_CONNECTIONS leaves too few of the files that may be open')
  }
  return {
    maxConnections,
    maxConnectionsPerPeer: chosen.maxConnectionsPerClient ?? perPeerOf(maxConnections),
  }
}

function limitOfProc(): string {
  const limits = readFileSync('/proc/self/limits', 'latin1')
  return /^Max open files +(\S+)/m.exec(limits)?.[1] ?? ''
}

/** Elsewhere the limit is in node's own report; on Windows there is none. */
function limitOfReport(): string {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  return String(report.userLimits?.open_files?.soft ?? '')
}
