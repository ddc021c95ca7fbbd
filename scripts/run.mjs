/**
 * `npm start`, `npm run demo`, `npm run sandbox`: a built program, by its name in
 * dist/. Where nothing is built it says what to run. A service manager runs
 * `node --enable-source-maps dist/main.js` itself.
 */
import { existsSync } from 'node:fs'

const [name] = process.argv.splice(2, 1)
const program = new URL(`../dist/${name}.js`, import.meta.url)
if (!existsSync(program)) {
  process.stderr.write(
    'swapgate is not built. Run `npm run build`; `npm ci` does it, unless it is told --ignore-scripts.\n',
  )
  process.exit(1)
}
await import(program.href)
