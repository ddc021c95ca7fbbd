/**
 * The bundler, from the lock file. The native one is an optional package, as its
 * binaries are; where it is not installed (`npm ci --omit=optional`, or a platform
 * that has no binary) the same version in WebAssembly does the same in ten seconds
 * in the place of half a one. Nothing is fetched when the service is built.
 */
async function load() {
  try {
    return await import('esbuild')
  } catch {
    return import('esbuild-wasm')
  }
}

export const { build, context, transform, version } = await load()
