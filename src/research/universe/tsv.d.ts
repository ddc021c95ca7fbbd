/** Tables of tab-separated values are imported as text: scripts/build.mjs bundles them, scripts/ts-hooks.mjs loads them. */
declare module '*.tsv' {
  const text: string
  export default text
}
