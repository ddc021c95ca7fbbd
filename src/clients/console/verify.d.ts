/** `@swapgate/client/verify`, which scripts/pages.mjs bundles: its types name nothing of Node's. */
declare module '#verify' {
  export const verify: import('../verify/types.ts').Verify
  export const explain: (
    request: import('../../explain/types.ts').ExplainRequest,
    options?: import('../../explain/types.ts').ExplainOptions,
  ) => Promise<import('../../explain/types.ts').Explanation>
  export const tradeFile: (trade: import('../verify/types.ts').Trade) => Promise<string>
}
