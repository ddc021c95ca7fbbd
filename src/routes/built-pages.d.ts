/** What scripts/pages.mjs builds. */
declare module '#pages' {
  /** By the path that each is served at. */
  export const files: Readonly<Record<string, BuiltFile>>

  interface BuiltFile {
    readonly type: string
    readonly tag: string
    /** Its bytes, in Brotli and base64. */
    readonly br: string
    /** Of a page: the hashes of its inline script and style, as a Content-Security-Policy has them. */
    readonly inline?: { readonly script: string; readonly style: string }
  }
}
