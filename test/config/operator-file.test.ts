import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FromFiles, linesOf, readOperatorFile } from '../../src/config/operator-file.ts'
import { finish } from '../../src/flow/loop-share.ts'
import { loggerTo } from '../../src/runtime/log.ts'

const read = (path: string, maxBytes = 1_048_576) => finish(readOperatorFile(path, maxBytes))

t.test('reads a regular file, and one that a link leads to, without a byte order mark', async (t) => {
  const folder = t.testdir({ 'a.txt': '\ufeffä\n', 'empty.txt': '' })
  symlinkSync(join(folder, 'a.txt'), join(folder, 'b.txt'))
  for (const name of ['a.txt', 'b.txt']) t.equal(String(read(join(folder, name))), 'ä\n')
  t.equal(read(join(folder, 'empty.txt')).length, 0)
  t.throws(() => read(join(folder, 'none.txt')), {
    name: 'RangeError',
    message: 'The file cannot be read (ENOENT).',
  })
})

t.test('what never ends is not read: a pipe, a device, a folder', async (t) => {
  const folder = t.testdir()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('/dev/zero', join(folder, 'zeros'))
  for (const path of [join(folder, 'pipe'), join(folder, 'zeros'), '/dev/zero', folder]) {
    t.throws(() => read(path), { name: 'RangeError', message: /regular file|cannot be read/ }, path)
  }
})

t.test('the bound applies to the bytes read, and a long file takes several pieces', async (t) => {
  const path = join(t.testdir(), 'long')
  writeFileSync(path, 'x'.repeat(1_048_576))
  t.equal(read(path).length, 1_048_576)
  t.ok([...readOperatorFile(path, 1_048_576)].length > 10)
  // A file of the kernel's says that it has no bytes.
  t.throws(() => read('/proc/self/maps', 16), { message: 'The file must be at most 16 bytes.' })
  writeFileSync(path, 'x'.repeat(1_048_577))
  t.throws(() => read(path), { message: 'The file must be at most 1048576 bytes.' })
})

t.test('lines keep their numbers, and blank ones are left out', async (t) => {
  const lines = [...linesOf(Buffer.from('a\n\n \t\nb\r\nc'))].map(([line, text]) => [line, String(text)])
  t.same(lines, [
    [1, 'a'],
    [4, 'b\r'],
    [5, 'c'],
  ])
})

t.test('a reading that fails leaves the value, and says why at level error', async (t) => {
  const log: Record<string, unknown>[] = []
  const logger = loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info')
  let next: number | Error = 1
  const befores: (number | null)[] = []
  const files = new FromFiles<number>(
    'numbers',
    function* (before) {
      befores.push(before)
      yield
      if (typeof next === 'number') return next
      throw next
    },
    logger,
  )
  t.equal(files.value, 1)
  next = new Error('no number')
  t.equal(await files.reload(), false)
  t.equal(files.value, 1)
  t.match(log, [
    { level: 50, why: 'no number', msg: 'numbers could not be read; what was read before stays' },
  ])
  next = 2
  t.equal(await files.reload(), true)
  t.equal(files.value, 2)
  t.same(befores, [null, 1, 1])
})
