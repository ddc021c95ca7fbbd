/** `npm run dev`: builds and runs the service, and does both again on a change. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { context } from 'esbuild'
import { programs } from './build.mjs'
import { pagesPlugin } from './pages.mjs'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
let service = null

const restart = {
  name: 'restart',
  setup({ onEnd }) {
    onEnd(async ({ errors }) => {
      // A build that fails leaves the service that runs; esbuild has printed why.
      if (errors.length > 0) return
      await stop()
      service = spawn(
        process.execPath,
        ['--enable-source-maps', `${DIST}/main.js`, ...process.argv.slice(2)],
        { stdio: 'inherit', env: { SHUTDOWN_GRACE_MS: '0', ...process.env } },
      )
    })
  },
}

async function stop() {
  if (service === null || service.exitCode !== null || service.signalCode !== null) return
  service.kill('SIGTERM')
  await once(service, 'exit')
}

const watcher = await context({ ...programs(DIST), plugins: [pagesPlugin, restart] })
await watcher.watch()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await stop()
    await watcher.dispose()
    process.exit(0)
  })
}
