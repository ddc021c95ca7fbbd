/**
 * Runs TypeScript as it stands, for the tests: `node --import=./scripts/ts-loader.mjs`.
 * Types are stripped by esbuild and the result is kept below node_modules/.cache, by the content's hash.
 */
import { register } from 'node:module'

register('./ts-hooks.mjs', import.meta.url)
// tap has hooks of its own loaded by every program that a test starts, which takes each of them half a second.
if (process.env.TAP_CHILD_ID !== undefined) delete process.env.NODE_OPTIONS
