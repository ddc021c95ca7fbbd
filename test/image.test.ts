import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MIB = 2 ** 20
const LIVE = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

const image = mkdtempSync(join(tmpdir(), 'swapgate-image-'))
t.teardown(() => rmSync(image, { recursive: true }))
execFileSync(process.execPath, ['scripts/build.mjs', '--image', image], { cwd: ROOT })
const file = join(image, 'swapgate.cjs')

t.test('it is one file of at most 1.5 MiB, beside the licences of what it holds', async (t) => {
  t.same(readdirSync(image).sort(), ['THIRD-PARTY.txt', 'swapgate.cjs'])
  t.ok(statSync(file).size <= 1.5 * MIB, `${statSync(file).size} bytes`)
})

t.test('it has no sandbox, and says what runs without', async (t) => {
  const { status, stderr } = spawnSync(process.execPath, [file], { env: {}, encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stderr, /^swapgate: The container has no sandbox; .* MODE=live needs none of it\.\n$/)
})

t.test('a stack trace of it names what stands in the sources', async (t) => {
  const { stderr } = spawnSync(
    process.execPath,
    ['-e', `process.exit = () => { throw new Error('stop') }; require(${JSON.stringify(file)})`],
    { env: { MODE: 'none' }, encoding: 'utf8' },
  )
  t.match(stderr, /at exit \(swapgate\.js:\d+:\d+\)/)
})

t.test('it has the client for Redis, which is asked for by REDIS_URL alone', async (t) => {
  const variables = { REDIS_URL: 'redis://127.0.0.1:1', QUOTE_SECRET: 's'.repeat(32) }
  const child = spawn(process.execPath, [file], { env: { ...LIVE, ...variables } })
  t.teardown(() => child.kill('SIGKILL'))
  const { url, text } = await listening(child)
  t.match(await (await fetch(`${url}/api/health`)).json(), { redis: 'away' })
  t.match(text(), /"cause":"refused"/)
})

/**
 * Mount and process namespaces of its own, where this user may make them: as in a container the program is the first
 * process, of a user without a name, on a read-only file system that has Node.js, its libraries and the file.
 */
const NAMESPACES = ['--mount', '--pid', '--fork']
const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', [...NAMESPACES, 'true']).status === 0

t.test('alone with Node.js, on a read-only file system, as process 1 of another user', async (t) => {
  if (!mayUnshare) {
    t.equal(process.env.CI, undefined, 'CI runs it')
    t.comment('left out: this user may not make namespaces')
    return
  }
  const root = fileSystem(t)
  const script = [
    // The test runner's, for every Node.js.
    'unset NODE_OPTIONS',
    `mount --bind ${root} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount -o remount,ro,bind ${root}`,
    `exec chroot --userspec=1000:1000 ${root} ${process.execPath} /swapgate.cjs`,
  ].join(' && ')
  const child = spawn('unshare', [...NAMESPACES, '--kill-child', 'sh', '-c', script], {
    env: { ...LIVE, PATH: process.env.PATH },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const log = await listening(child)

  for (const path of ['/api/health', '/api/chains', '/openapi.json', '/', '/reference']) {
    t.equal((await fetch(log.url + path)).status, 200, path)
  }
  const [pid] = childrenOf(child.pid!)
  t.match(statusOf(pid!), { NSpid: /\t1$/, Uid: /^(\t1000){4}$/, CapEff: /^\t0+$/ })
  const exit = once(child, 'exit')
  process.kill(pid!, 'SIGTERM')
  t.same(await exit, [0, null])
  t.match(log.text(), /"msg":"stopped"/)
})

/** What the image holds, in a folder. */
function fileSystem(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'swapgate-root-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
  for (const path of [process.execPath, ...linked]) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    copyFileSync(path, join(root, path))
  }
  mkdirSync(join(root, 'proc'))
  copyFileSync(file, join(root, 'swapgate.cjs'))
  return root
}

async function listening(child: ChildProcess): Promise<{ url: string; text: () => string }> {
  let out = ''
  let err = ''
  child.stdout!.on('data', (chunk) => (out += chunk))
  child.stderr!.on('data', (chunk) => (err += chunk))
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`it ended: ${err}`)))
  while (!out.includes('"listening"')) await Promise.race([once(child.stdout!, 'data'), ended])
  ended.catch(() => {})
  const line = out.split('\n').find((text) => text.includes('"listening"'))!
  return { url: (JSON.parse(line) as { url: string }).url, text: () => out }
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
}

/** A process as /proc tells of it. */
function statusOf(pid: number): Record<string, string> {
  const lines = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' }).split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/s) as [string, string]))
}
