#!/usr/bin/env node
/**
 * `npx swapgate`, `npm start`, `npm run demo`, `npm run sandbox`: a built program, by its name in dist/; the service
 * if none is named. A service manager runs `node --enable-source-maps dist/main.js` itself.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const PROGRAMS = {
  demo: 'sandbox/demo',
  sandbox: 'sandbox/main',
  truth: 'research/onchain/truth',
  replay: 'replay',
}

const isNamed = Object.hasOwn(PROGRAMS, process.argv[2] ?? '')
const name = isNamed ? PROGRAMS[process.argv.splice(2, 1)[0]] : 'main'
const program = new URL(`../dist/${name}.js`, import.meta.url)
if (!existsSync(program)) {
  process.stderr.write(
    'swapgate is not built. Run `npm run build`; `npm ci` does it, unless it is told --ignore-scripts.\n',
  )
  process.exit(1)
}
process.setSourceMapsEnabled(true)
// Node.js 22.8 and later keep what they compiled of ES modules. It is in dist/, so that each build begins anew; if
// that cannot be written, they go on without.
module.enableCompileCache?.(fileURLToPath(new URL('.cache', program)))
await import(program.href)
