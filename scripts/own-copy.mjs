/**
 * For a bundler that splits: it puts a file into one chunk with all that anybody uses of it, so whoever reads calldata
 * would load the descriptors, too. They get a copy of their package, which is loaded with them.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

const IMPORTER = '/src/proof/explain/descriptors.ts'

/** What is copied with what imports it: curves, which reading needs none of. */
const COPIED = /^(?:\.|micro-eth-signer\/|@noble\/curves\/)/

/** The namespace of the copied files, as a build names its inputs. */
export const COPY = 'copy'

export const ownCopyPlugin = {
  name: 'own-copy',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: COPIED }, async ({ path, importer, namespace, resolveDir, kind }) => {
      const isCopied = namespace === COPY || (importer.endsWith(IMPORTER) && !path.startsWith('.'))
      if (!isCopied) return null
      const found = await resolve(path, { resolveDir, kind })
      return { path: found.path, namespace: COPY, sideEffects: false }
    })
    onLoad({ filter: /./, namespace: COPY }, ({ path }) => ({
      contents: readFileSync(path),
      resolveDir: dirname(path),
    }))
  },
}
