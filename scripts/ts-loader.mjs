/**
 * Runs TypeScript as it stands, for the tests: `node --import=./scripts/ts-loader.mjs`.
 * Types are stripped by esbuild and the result is kept below node_modules/.cache, by
 * the content's hash, so that the hundred processes of a test run compile each file once.
 */
import { register } from 'node:module'

register('./ts-hooks.mjs', import.meta.url)
