import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { buildPrograms } from '../fixtures/dist.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What `npm start` needs: the bundle, the script that runs it, and no node_modules. */
const folder = t.testdir()
for (const name of ['package.json', 'scripts'])
  cpSync(join(ROOT, name), join(folder, name), { recursive: true })
buildPrograms(join(folder, 'dist'))

const CTRL_C = '\x03'
const LIVE = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

function start(t: Test, command: string, ...args: string[]): { child: ChildProcess; said: { text: string } } {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: 'false', ...LIVE },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said = { text: '' }
  child.stdout!.on('data', (chunk) => (said.text += chunk))
  child.stderr!.on('data', (chunk) => (said.text += chunk))
  t.teardown(() => child.kill('SIGKILL'))
  return { child, said }
}

async function portIn({ child, said }: ReturnType<typeof start>): Promise<number> {
  const url = /http:\/\/127\.0\.0\.1:(\d{2,5})/
  while (!url.test(said.text)) await once(child.stdout!, 'data')
  return Number(url.exec(said.text)![1])
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.unref().once('connect', () => socket.destroy())
  })

t.test('a signal to npm start reaches the service, and the port is free', async (t) => {
  const npm = start(t, 'npm', 'start')
  const port = await portIn(npm)
  t.equal(await isOpen(port), true)
  npm.child.kill('SIGTERM')
  await once(npm.child, 'close')
  t.match(npm.said.text, /"signal":"SIGTERM","msg":"stopping"[\s\S]*"msg":"stopped"/)
  t.equal(await isOpen(port), false)
})

t.test('on a terminal it says where it listens, in which mode, and what to try', async (t) => {
  // Python's pty module is the terminal that is at hand on Linux and macOS.
  const program = join(folder, 'dist/main.js')
  const spawned = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
  const terminal = start(t, 'python3', '-c', spawned, process.execPath, program)
  terminal.child.once('error', () => {})
  if ((await Promise.race([once(terminal.child, 'spawn'), once(terminal.child, 'error')])).length > 0) {
    return t.ok(!process.env.CI, 'no python3, which lends the terminal', { skip: !process.env.CI })
  }
  const port = await portIn(terminal)
  while (!terminal.said.text.includes('Ctrl-C')) await once(terminal.child.stdout!, 'data')
  t.match(terminal.said.text, `swapgate 0.1.0-beta.1 listens on http://127.0.0.1:${port}`)
  t.match(terminal.said.text, /mode +live\s+console +http:[\s\S]*curl http:.*\/api\/chains[\s\S]*README\.md/)
  t.notMatch(terminal.said.text, '"level"')
  t.equal(await isOpen(port), true)
  terminal.child.stdin!.write(CTRL_C)
  await once(terminal.child, 'close')
  t.equal(await isOpen(port), false)
})

t.test('without a build, npm start says what to run', async (t) => {
  rmSync(join(folder, 'dist'), { recursive: true })
  for (const script of ['start', 'demo', 'sandbox']) {
    const { child, said } = start(t, 'npm', 'run', script)
    t.same(await once(child, 'close'), [1, null])
    t.match(said.text, 'swapgate is not built. Run `npm run build`')
    t.notMatch(said.text, 'MODULE_NOT_FOUND')
  }
})
