import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { Sanctions } from '../../src/config/sanctions.ts'
import { loggerTo } from '../../src/runtime/log.ts'

const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`
const addresses = (count: number): string[] => Array.from({ length: count }, (_, i) => address(i + 1))
const linesOf = (count: number): string => `${addresses(count).join('\n')}\n`

interface Lists {
  readonly path: string
  readonly log: Record<string, unknown>[]
  readonly open: (environment?: Record<string, string>) => Sanctions
}

function listsOf(t: Test, text: string): Lists {
  const path = join(t.testdir(), 'refused.txt')
  writeFileSync(path, text)
  const log: Record<string, unknown>[] = []
  const logger = loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info')
  const open = (environment = {}) =>
    new Sanctions(readConfig({ SANCTIONS_FILE: path, ...environment }), logger)
  return { path, log, open }
}

/** What a file of ten addresses may turn into by mistake. */
const BAD: readonly [what: string, text: string, why: RegExp][] = [
  ['an empty file', '', /It has no address/],
  ['comments only', '# a list\n# of none\n', /It has no address/],
  ['an empty array', '[]', /It has no address/],
  ['a page of errors', '<html>\n<p>Not found</p>\n', /None of its entries/],
  ['cut within an address', linesOf(9).slice(0, -10), /Its last line has no end/],
  ['cut behind an address', linesOf(9).slice(0, -1), /Its last line has no end/],
  ['cut within a comment', `${linesOf(9)}# and`, /Its last line has no end/],
  ['a cut array', JSON.stringify(addresses(9)).slice(0, -1), /begins as an array in JSON and is none/],
  ['less than half', linesOf(4), /It has 4 addresses, and had 10/],
  ['UTF-16', Buffer.from(`\ufeff${linesOf(10)}`, 'utf16le').toString('latin1'), /None of its entries/],
]

t.test('a list that was emptied, cut or lost half keeps refusing what it did', async (t) => {
  const { path, log, open } = listsOf(t, linesOf(10))
  const sanctions = open()
  for (const [what, text, why] of BAD) {
    writeFileSync(path, text, 'latin1')
    await sanctions.reload()
    t.ok(
      addresses(10).every((one) => sanctions.has(one)),
      what,
    )
    const { level, why: told } = log.at(-1)!
    t.equal(level, 50)
    t.match(told, why)
    t.ok(String(told).startsWith(`SANCTIONS_FILE: ${path}`), 'the file is named by its path')
  }
  writeFileSync(path, linesOf(5))
  await sanctions.reload()
  t.match(log.at(-1), { level: 30, addresses: 5 })
  t.notOk(sanctions.has(address(10)), 'half of them may go')
})

t.test('the start refuses a list that is empty or cut, unless the setting says so', async (t) => {
  for (const [what, text] of BAD.slice(0, 3)) {
    const { open } = listsOf(t, text)
    t.throws(() => open(), { name: 'ConfigError', message: /SANCTIONS_MAY_SHRINK=on accepts that\.$/ }, what)
    t.notOk(open({ SANCTIONS_MAY_SHRINK: 'on' }).has(address(1)), what)
  }
  for (const [what, text] of [BAD[3]!, BAD[4]!, BAD[7]!]) {
    const { open } = listsOf(t, text)
    t.throws(() => open({ SANCTIONS_MAY_SHRINK: 'on' }), { name: 'ConfigError' }, what)
  }
})

t.test('with the setting, a list may shrink to nothing', async (t) => {
  const { path, log, open } = listsOf(t, linesOf(10))
  const sanctions = open({ SANCTIONS_MAY_SHRINK: 'on' })
  for (const text of [linesOf(1), '']) {
    writeFileSync(path, text)
    await sanctions.reload()
    t.equal(log.at(-1)!.level, 30)
  }
  t.notOk(sanctions.has(address(1)))
})

t.test('each file is compared with itself, and honest files are read', async (t) => {
  const { path, open } = listsOf(t, linesOf(2))
  const second = `${path}.json`
  writeFileSync(second, JSON.stringify(addresses(100)))
  const sanctions = open({ SANCTIONS_FILE: `${path},${second}` })
  writeFileSync(path, '')
  await sanctions.reload()
  t.ok(sanctions.has(address(1)), 'the other file makes up for nothing')
  for (const [what, text] of [
    ['without an end of its last line', linesOf(3).slice(0, -1)],
    ['with a byte order mark', `\ufeff${linesOf(3)}`],
    ['with lines ended as on Windows, and comments', `# x\r\n${linesOf(3).replaceAll('\n', ' # y\r\n')}`],
    ['an array', `\ufeff ${JSON.stringify(addresses(3), null, 2)}\n`],
  ] as const) {
    writeFileSync(path, text)
    t.ok(open().has(address(3)), what)
  }
})

t.test('the longest list is read again while others have their turns', async (t) => {
  const text = JSON.stringify(addresses(100_000))
  const { open, log } = listsOf(t, text)
  const sanctions = open()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  count()
  await sanctions.reload()
  isOver = true
  t.match(log.at(-1), { level: 30, addresses: 100_000 })
  t.ok(turns > 20, `${turns} turns`)
})
