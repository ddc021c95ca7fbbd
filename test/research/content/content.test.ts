import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError } from '../../../src/config/config.ts'
import { Content } from '../../../src/research/content/content.ts'
import { MAX_FILE_BYTES, MAX_ITEMS, readCollections } from '../../../src/research/content/files.ts'
import {
  COLLECTIONS,
  type CollectionName,
  type ContentItem,
  INVENTORY,
  inputOf,
} from '../../../src/research/content/inventory.ts'
import { MAX_CURSOR_LENGTH } from '../../../src/runtime/cursor.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { SAMPLE } from '../../../src/sandbox/content.ts'
import { Check } from '../../fixtures/check.ts'
import { contentDir, linesOf } from '../../fixtures/community.ts'

const SILENT = loggerTo({ write: () => {} }, 'silent')
const NEWS = { id: 'one', at: '2026-11-21T12:00:00Z', title: 'One', text: 'It is there.' }
const WALLET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const idsOf = (content: Content, name: CollectionName) => content.collection(name).map(({ item }) => item.id)

/** The items of a folder, in their listed order. */
function itemsOf(folder: string): Readonly<Record<CollectionName, readonly ContentItem[]>> {
  const pieces = readCollections(folder)
  for (;;) {
    const { done, value } = pieces.next()
    if (!done) continue
    const items = Object.entries(value).map(([name, kept]) => [name, kept.map(({ item }) => item)])
    return Object.fromEntries(items)
  }
}

/** What the start says of this folder. */
function faultsOf(t: Test, folder: string): readonly string[] {
  try {
    itemsOf(folder)
  } catch (error) {
    t.ok(error instanceof ConfigError)
    return (error as Error).message.split('\n').map((line) => line.trim())
  }
  t.fail('the folder is good')
  return []
}

t.test('the sample has something of everything, and passes as content does', async (t) => {
  const read = itemsOf(contentDir(t))
  const sample = new Content(null, SAMPLE, SILENT)
  for (const [name, schema] of Object.entries(COLLECTIONS)) {
    const items = read[name as CollectionName]
    const kept = sample.collection(name as CollectionName).map(({ item }) => item)
    t.same(items, kept, name)
    t.ok(items.length > 0, name)
    t.ok(
      items.every((item) => Check(schema, item)),
      name,
    )
  }
})

t.test("the newest or the best comes first, all else in the file's order", async (t) => {
  const at = (id: string, time: string) => ({ ...NEWS, id, at: time })
  const folder = contentDir(t, {
    announcements: [
      at('old', '2026-01-01T00:00:00Z'),
      at('b', '2026-03-01T00:00:00Z'),
      at('a', '2026-03-01T00:00:00Z'),
      at('new', '2026-03-01T00:00:01Z'),
    ],
    'game-leaderboard': [9, 10, 8].map((score) => ({
      id: `by-${score}`,
      board: 'main',
      window: 'all',
      name: 'Ada',
      score,
    })),
    'social-providers': ['z', 'a', 'm'].map((id) => ({ id, name: id, url: 'https://example.com' })),
  })
  const content = new Content(folder, {}, SILENT)
  t.same(idsOf(content, 'announcements'), ['new', 'a', 'b', 'old'])
  t.same(idsOf(content, 'game-leaderboard'), ['by-10', 'by-9', 'by-8'])
  t.same(idsOf(content, 'social-providers'), ['z', 'a', 'm'])
  t.same(idsOf(content, 'reels'), [], 'no file is no item')
})

t.test('blank lines, Windows line ends and files of other kinds are accepted', async (t) => {
  const folder = contentDir(t, { announcements: `\r\n${JSON.stringify(NEWS)}\r\n   \n` })
  writeFileSync(join(folder, 'README.md'), 'How we publish.')
  t.same(itemsOf(folder).announcements, [NEWS])
  t.same(itemsOf(contentDir(t, { announcements: JSON.stringify(NEWS) })).announcements, [NEWS])
  t.same(itemsOf(contentDir(t, { announcements: '' })).announcements, [])
})

t.test('an address is kept in its canonical spelling', async (t) => {
  const player = { id: 'ada', wallet: WALLET.toLowerCase(), name: 'Ada', score: 1 }
  t.same(itemsOf(contentDir(t, { 'game-players': [player] }))['game-players'], [
    { ...player, wallet: WALLET },
  ])
})

t.test('every fault is reported by its file and line, and no value is repeated', async (t) => {
  const without = { id: 'two', at: NEWS.at, text: 'sEcReT' }
  const bad = [
    NEWS,
    '{"id":',
    [],
    without,
    { ...NEWS, id: 'three', more: 'sEcReT' },
    { ...NEWS, id: 'four', at: '2026-13-01T00:00:00Z' },
    { ...NEWS, id: 'five', url: 'javascript:sEcReT()' },
    NEWS,
    { ...NEWS, id: 'a/b' },
  ]
  const text = bad.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const folder = contentDir(t, {
    announcements: text,
    reels: [{ id: 'feed', at: NEWS.at, title: 'A', video: 'https://example.com/a.mp4' }],
    arcade: [{ id: 'list', title: 'A', text: 'B', url: 'https://example.com' }],
    'game-players': [{ id: 'ada', wallet: 'sEcReT', name: 'Ada', score: 1 }],
    announcement: '',
    zebras: '',
  })
  const faults = faultsOf(t, folder)
  const told: [start: string, rest: RegExp][] = [
    ['announcement.jsonl: ', /you probably mean announcements\.jsonl/],
    ['zebras.jsonl: ', /they are announcements, reels/],
    ['announcements.jsonl:2: ', /one JSON object in UTF-8/],
    ['announcements.jsonl:3: ', /`item` must be an object/],
    ['announcements.jsonl:4: ', /`item\.title` is required and must be a string of 1 to 100 characters/],
    ['announcements.jsonl:5: ', /`item\.more` is not accepted/],
    ['announcements.jsonl:6: ', /`item\.at` must be a time in UTC such as/],
    ['announcements.jsonl:7: ', /`item\.url` must be an https link/],
    ['announcements.jsonl:8: ', /`item\.id` is already used in line 1/],
    ['announcements.jsonl:9: ', /`item\.id` must be a name of 1 to 64 letters/],
    ['reels.jsonl:1: ', /`item\.id` is reserved for another path of this collection/],
    ['game-players.jsonl:1: ', /`item\.wallet` must be an address on a chain of/],
    ['arcade.jsonl:1: ', /`item\.id` is reserved for another path/],
  ]
  t.equal(faults.length, told.length)
  t.match(faults[0], /^CONTENT_DIR: /)
  for (const [start, rest] of told) {
    const fault = faults.find((line) => line.replace('CONTENT_DIR: ', '').startsWith(start))
    t.match(fault, rest, start)
  }
  t.notMatch(faults.join(), /secret/i)
})

t.test('anything beyond a bound is refused, and the bound named', async (t) => {
  const many = Array.from({ length: MAX_ITEMS }, (_, i) => ({ ...NEWS, id: `n${i}` }))
  t.equal(itemsOf(contentDir(t, { announcements: many })).announcements.length, MAX_ITEMS)
  const more = contentDir(t, { announcements: [...many, NEWS] })
  t.same(faultsOf(t, more), ['CONTENT_DIR: announcements.jsonl:1001: A collection holds at most 1000 items.'])
  const longer = contentDir(t, { announcements: linesOf([NEWS]) + ' '.repeat(MAX_FILE_BYTES) })
  t.same(faultsOf(t, longer), ['CONTENT_DIR: announcements.jsonl: The file must be at most 1048576 bytes.'])
  const faults = faultsOf(t, contentDir(t, { announcements: 'x\n'.repeat(30) }))
  t.equal(faults.length, 21)
  t.equal(faults.at(-1), 'and 10 more')
  const deep = faultsOf(t, contentDir(t, { announcements: '['.repeat(100_000) }))
  t.match(deep, [/announcements\.jsonl:1: The line must be one JSON object/])
})

t.test('a folder that is none is said to be, and so is a file that is none', async (t) => {
  const nowhere = join(t.testdir(), 'nowhere')
  t.same(faultsOf(t, nowhere), [`CONTENT_DIR: ${nowhere}: The folder cannot be read (ENOENT).`])
  const folder = contentDir(t, {})
  mkdirSync(join(folder, 'reels.jsonl'))
  t.same(faultsOf(t, folder), ['CONTENT_DIR: reels.jsonl: It must be a regular file.'])
})

t.test('at a reload, bad content leaves all of it as it was, and the log says which line', async (t) => {
  const log: Record<string, unknown>[] = []
  const folder = contentDir(t, { announcements: [NEWS], reels: [] })
  const content = new Content(
    folder,
    SAMPLE,
    loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info'),
  )
  const first = content.edition
  t.same(idsOf(content, 'announcements'), ['one'], 'the sample gives way')
  const write = (name: string, items: readonly unknown[]) =>
    writeFileSync(join(folder, `${name}.jsonl`), linesOf(items))

  write('announcements', [NEWS, { ...NEWS, id: 'two' }])
  write('reels', [{ id: 'bad' }])
  await content.reload()
  t.same(idsOf(content, 'announcements'), ['one'], 'of the good file too')
  t.equal(content.edition, first)
  t.match(log, [{ level: 50, why: /CONTENT_DIR: reels\.jsonl:1: `item\.at` is required/ }])

  write('reels', [])
  await content.reload()
  t.same(idsOf(content, 'announcements'), ['one', 'two'])
  t.not(content.edition, first)
  t.match(log[1], { level: 30, items: 2, msg: "the operator's content was read" })

  const sample = new Content(null, SAMPLE, SILENT)
  await sample.reload()
  t.same(idsOf(sample, 'game-avatars'), ['fox'], 'where there is no folder, nothing is read')
})

t.test('a full folder is read again while others have their turns', async (t) => {
  const many = Array.from({ length: MAX_ITEMS }, (_, i) => ({ ...NEWS, id: `n${i}`, text: 'x'.repeat(800) }))
  const content = new Content(contentDir(t, { announcements: many, social: many }), {}, SILENT)
  const first = content.edition
  let turns = 0
  const count = (): void => {
    if (content.edition !== first) return
    turns++
    setImmediate(count)
  }
  count()
  await Promise.all([content.reload(), content.reload()])
  t.not(content.edition, first)
  t.equal(content.collection('social').length, MAX_ITEMS)
  t.ok(turns > 3, `${turns} turns`)
})

t.test('a cursor may be as long as the longest that is given out', (t) => {
  const { cursor } = INVENTORY.map((entry) => inputOf(entry).properties).find(({ cursor }) => cursor)!
  t.ok(Check(cursor!, 'a'.repeat(MAX_CURSOR_LENGTH)))
  t.notOk(Check(cursor!, 'a'.repeat(MAX_CURSOR_LENGTH + 1)))
  t.end()
})
