/** What ships: the container's program against the same table of capabilities, and as a container runs it. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { listening, runCommand } from '../../fixtures/programs.ts'
import { skipWithoutRedis } from '../../fixtures/redis.ts'
import { build, buildAll, hasAll, start } from './built.ts'
import { type BuiltProgram, LIVE } from './capabilities.ts'

const MIB = 2 ** 20

// It builds the programs and starts about twenty processes.
t.setTimeout(600_000)

const built = await buildAll(t, (folder) => build('scripts/build.mjs', '--image', join(folder, 'image')))
const { folder } = built
const image = join(folder, 'image')
const file = join(image, 'swapgate.cjs')
/** What unpacks it, the program, and its parts. */
const PROGRAM = ['swapgate.cjs', 'swapgate.br', 'swapgate-pages.br', 'swapgate-redis-client.br']

const program: BuiltProgram = {
  name: "the container's program",
  start: (t, environment, { args, before } = {}) => start(t, [file], environment, args, before),
  withoutSandbox: /^swapgate: The container has no sandbox; .* MODE=live needs none of it\.\n$/,
  frame: /at exit \(swapgate\.js:\d+:\d+\)/,
}

t.test(program.name, { skip: skipWithoutRedis() }, (t) => hasAll(t, program, built))

t.test('the container holds a program of at most 1.6 MiB, its code cache, and the licences', async (t) => {
  t.same(readdirSync(image).sort(), ['THIRD-PARTY.txt', ...PROGRAM, 'swapgate.cache'].sort())
  const bytes = PROGRAM.reduce((sum, name) => sum + statSync(join(image, name)).size, 0)
  t.ok(bytes <= 1.6 * MIB, `${bytes} bytes`)
  const cache = statSync(join(image, 'swapgate.cache'))
  t.ok(cache.size > MIB / 2 && cache.size <= 3 * MIB, `${cache.size} bytes`)
})

t.test(
  'the program takes the code cache that was written with it, and starts without any other',
  async (t) => {
    const root = t.testdir()
    const program = join(root, 'swapgate.cjs')
    for (const name of PROGRAM) copyFileSync(join(image, name), join(root, name))
    const whole = readFileSync(join(image, 'swapgate.cache'))
    const changed = (at: number): Buffer => {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1
      return bytes
    }
    const told = `
    import vm from 'node:vm'
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options)
        process.stderr.write(options.cachedData ? (this.cachedDataRejected ? 'rejected' : 'taken') : 'none')
      }
    }`
    const caches: [what: string, bytes: Buffer | null, outcome: string][] = [
      ['its own', whole, 'taken'],
      ['none', null, 'none'],
      ['of another program', changed(whole.length - 1), 'none'],
      ['damaged', changed(0), 'none'],
      ['cut off', whole.subarray(0, 50), 'none'],
      ['empty', Buffer.alloc(0), 'none'],
    ]
    for (const [what, bytes, outcome] of caches) {
      rmSync(join(root, 'swapgate.cache'), { force: true })
      if (bytes !== null) writeFileSync(join(root, 'swapgate.cache'), bytes)
      const version = start(t, [program], {}, ['--version'], told)
      t.match(await version.exit, { code: 0, out: /^\d/, err: outcome }, what)
    }
  },
)

/**
 * Mount and process namespaces of its own, where this user may make them: as in a container the program is the first
 * process, of a user without a name, on a read-only file system that has Node.js, its libraries and the program.
 */
const NAMESPACES = ['--mount', '--pid', '--fork']
const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', [...NAMESPACES, 'true']).status === 0

t.test(
  'the program alone with Node.js, on a read-only file system, as process 1 of another user',
  async (t) => {
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
    const program = runCommand(t, 'unshare', [...NAMESPACES, '--kill-child', 'sh', '-c', script], LIVE)
    const { url } = await listening(program)

    for (const path of ['/api/health', '/api/chains', '/openapi.json', '/', '/reference']) {
      t.equal((await fetch(url + path)).status, 200, path)
    }
    const [pid] = childrenOf(program.child.pid!)
    t.match(statusOf(pid!), { NSpid: /\t1$/, Uid: /^(\t1000){4}$/, CapEff: /^\t0+$/ })
    process.kill(pid!, 'SIGTERM')
    t.match(await program.exit, { code: 0, out: /"msg":"stopped"/ })
  },
)

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
  for (const name of [...PROGRAM, 'swapgate.cache']) copyFileSync(join(image, name), join(root, name))
  return root
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
}

/** A process as /proc tells of it. */
function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/s) as [string, string]))
}
