/** Lua scripts are imported as text: scripts/build.mjs bundles them, scripts/ts-hooks.mjs loads them. */
declare module '*.lua' {
  const text: string
  export default text
}
