/**
 * How many files, and so sockets, this process may have open, and how many of
 * them clients may take.
 */
import { readFileSync } from 'node:fs'

/** What the rest of a gateway needs at least: upstream connections, its log, a file that is read. */
export const OWN_FILES = 256
const MAX_CONNECTIONS = 10_000
const MIN_CONNECTIONS = 64
/** Of all connections, what one address may have. */
const SHARE = 8
const MAX_PER_PEER = 256

/** The soft limit, as `ulimit -n` shows it (node raises it to the hard one at its start); Infinity where there is none. */
export function openFileLimit(platform: NodeJS.Platform = process.platform): number {
  const text = platform === 'linux' ? limitOfProc() : limitOfReport()
  return /^\d+$/.test(text) ? Number(text) : Infinity
}

/** Connections that clients may have: what is left of the files, within what is of use. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, openFiles - OWN_FILES))
}

export function perPeerOf(connections: number): number {
  return Math.min(MAX_PER_PEER, Math.ceil(connections / SHARE))
}

function limitOfProc(): string {
  const limits = readFileSync('/proc/self/limits', 'latin1')
  return /^Max open files +(\S+)/m.exec(limits)?.[1] ?? ''
}

/** Elsewhere node's own report tells; on Windows it has no such limit. */
function limitOfReport(): string {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  return String(report.userLimits?.open_files?.soft ?? '')
}
