// `npm run dev`: builds and runs the service, and does both again on a change.
import { spawn, spawnSync } from 'node:child_process'
import { watch } from 'node:fs'

let service = null
let pending = null

function restart() {
  service?.kill('SIGTERM')
  service = null
  if (spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0) return
  service = spawn(process.execPath, ['dist/main.js', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { SHUTDOWN_GRACE_MS: '0', ...process.env },
  })
}

restart()
watch('src', { recursive: true }, () => {
  clearTimeout(pending)
  pending = setTimeout(restart, 100)
})
