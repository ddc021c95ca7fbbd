/**
 * `@swapgate/client`: the gateway's operations as typed methods, for browsers and
 * Node. It has no dependencies, and needs `fetch`.
 */
export { type Client, createClient } from './client.ts'
export {
  type ClientCode,
  type ErrorCode,
  isSwapgateError,
  type RpcError,
  SwapgateError,
} from './errors.ts'
export type { Code } from './generated/codes.ts'
export type * from './generated/operations.ts'
export type { Limit } from './limits.ts'
export type * from './options.ts'
export type { Rpc } from './rpc.ts'
export {
  type Ended,
  mayBeSent,
  type SubmitOptions,
  type Submitted,
  signatureOf,
  type WaitOptions,
} from './submission.ts'
