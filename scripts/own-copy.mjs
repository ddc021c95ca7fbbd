/**
 * For a bundler that splits: it puts a file into one chunk with all that any importer uses of it, so code that reads
 * calldata would load the descriptors and the curves, too. What needs these gets a copy of their packages of its own.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** In src/explain/evm. */
const IMPORTERS = ['descriptors', 'signer']

/** What is copied with what imports it: curves, which reading needs none of. */
const COPIED = /^(?:\.|micro-eth-signer\/|@noble\/curves\/)/

/** What the namespaces of copied files begin with, as a build names its inputs. */
export const COPY = 'copy-for-'

export const ownCopyPlugin = {
  name: 'own-copy',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: COPIED }, async ({ path, importer, namespace, resolveDir, kind }) => {
      const first = IMPORTERS.find((name) => importer.endsWith(`/src/explain/evm/${name}.ts`))
      const isFirst = first !== undefined && !path.startsWith('.')
      if (!isFirst && !namespace.startsWith(COPY)) return null
      const found = await resolve(path, { resolveDir, kind })
      return { path: found.path, namespace: isFirst ? COPY + first : namespace, sideEffects: false }
    })
    for (const name of IMPORTERS)
      onLoad({ filter: /./, namespace: COPY + name }, ({ path }) => ({
        contents: readFileSync(path),
        resolveDir: dirname(path),
      }))
  },
}
