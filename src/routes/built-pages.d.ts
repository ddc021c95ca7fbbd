/** What scripts/pages.mjs builds. */
declare module '#pages' {
  /** By the path that each is served at; its bytes in base64. */
  export const files: Readonly<
    Record<string, { readonly type: string; readonly tag: string; readonly br: string }>
  >
}
