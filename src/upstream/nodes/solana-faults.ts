import { errorCode, type RpcReply } from './json-rpc.ts'

/**
 * Errors about the node, not about the request: unhealthy or behind; block
 * status not yet available; minimum context slot not reached; long-term
 * storage unreachable. Another node may answer.
 * Source: anza-xyz/agave rpc-client-api/src/custom_error.rs
 */
const ELSEWHERE: ReadonlySet<number | null> = new Set([-32005, -32014, -32016, -32019])

/** Whether an answer speaks of the node's own state only. */
export const isAboutNode = ({ error }: RpcReply): boolean => error !== null && ELSEWHERE.has(errorCode(error))
