/**
 * `@swapgate/client/swap`: a swap in one call, with the wallets of the usual libraries. It trusts no gateway: what is
 * signed and what was signed are verified by `@swapgate/client/verify`, which loads a family of chains at its first order.
 */
export * from './errors.ts'
export * from './execute.ts'
export type { BatchStatus, Provider } from './provider.ts'
export { forgetSwap, type Keep, type Store } from './record.ts'
export * from './wallets.ts'
