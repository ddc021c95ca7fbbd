/** `swapgate/verify`, which scripts/pages.mjs bundles: its types name nothing of Node's. */
declare module '#verify' {
  export const verify: import('../verify/types.ts').Verify
  export const tradeFile: (trade: import('../verify/types.ts').Trade) => Promise<string>
}
