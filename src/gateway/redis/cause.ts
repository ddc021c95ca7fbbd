/** Why Redis is away, as one word. */
import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  ErrorReply,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
} from '@redis/client'
import { causeOf } from '../../upstream/cause.ts'

/** Errors of the client's own that have no code. */
const CAUSES = [
  [SocketClosedUnexpectedlyError, 'reset'],
  [ClientClosedError, 'reset'],
  [ClientOfflineError, 'reset'],
  [ConnectionTimeoutError, 'timeout'],
  [SocketTimeoutError, 'timeout'],
] as const

/** @returns the code of Redis's own error, such as NOAUTH, or a cause as upstreams have it */
export function redisCauseOf(error: Error): string {
  return replyCode(error) ?? CAUSES.find(([type]) => error instanceof type)?.[1] ?? causeOf(error)
}

/** Whether Redis answered, and it is Redis's own error. */
export function isReply(error: Error): boolean {
  return error instanceof ErrorReply
}

/** The code that Redis's own error begins with, such as NOAUTH; null for other errors. */
export function replyCode(error: Error): string | null {
  if (!(error instanceof ErrorReply)) return null
  return /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? null
}
