import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError } from '../../../src/config/config.ts'
import { OperatorList } from '../../../src/research/list/operator-list.ts'
import { loggerTo } from '../../../src/runtime/log.ts'

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

const load = (path: string) => new OperatorList([path], loggerTo({ write: () => {} }, 'info')).tokens

function write(t: Test, content: unknown): string {
  const path = join(t.testdir(), 'tokens.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

t.test('reads tokens of any chain, in canonical spelling and clean', async (t) => {
  const tokens = [
    { chain: 'base', address: USDC, symbol: 'A\u202eB', name: ' My \u0007 token ' },
    { chain: 'solana', address: JUP },
    { chain: 'base', address: 'native', symbol: '🦊' },
  ]
  t.same(load(write(t, { tokens })), [
    { chain: 'base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'AB', name: 'My token' },
    { chain: 'solana', address: JUP, symbol: null, name: null },
    { chain: 'base', address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', symbol: '🦊', name: null },
  ])
  t.same(load(write(t, { tokens: [] })), [])
  const many = Array.from({ length: 1_000 }, (_, i) => ({
    chain: 'base',
    address: `0x${(i + 1).toString(16).padStart(40, '0')}`,
  }))
  t.equal(load(write(t, { tokens: many })).length, 1_000)
  t.throws(() => load(write(t, { tokens: [...many, many[0]] })), /at most 1000 tokens/)
})

t.test('a fault is named by its place, and its value never repeated', async (t) => {
  const good = { chain: 'base', address: USDC }
  const cases: [content: unknown, message: RegExp][] = [
    ['', /must be one JSON document/],
    ['{"tokens":[', /must be one JSON document/],
    ['[]', /`file` must be an object/],
    ['{}', /`file\.tokens` is required and must be an array/],
    [{ tokens: {} }, /`file\.tokens` must be an array of at most 1000 tokens/],
    [{ tokens: [], secret: 1 }, /`file\.secret` is not accepted; the accepted properties are tokens/],
    [{ tokens: [good, null] }, /`file\.tokens\[1\]` must be an object/],
    [{ tokens: [{ address: USDC }] }, /`file\.tokens\[0\]\.chain` is required and must be a chain key/],
    [{ tokens: [{ ...good, chain: 'sEcReT' }] }, /`file\.tokens\[0\]\.chain` must be a chain key/],
    [{ tokens: [{ ...good, chain: 8453 }] }, /`file\.tokens\[0\]\.chain` must be a chain key/],
    [
      { tokens: [{ ...good, address: 'sEcReT' }] },
      /`file\.tokens\[0\]\.address` must be a token address on Base/,
    ],
    [{ tokens: [{ ...good, address: JUP }] }, /`file\.tokens\[0\]\.address` must be a token address on Base/],
    [
      { tokens: [{ ...good, symbol: 1 }] },
      /`file\.tokens\[0\]\.symbol` must be a string of 1 to 32 characters/,
    ],
    [{ tokens: [{ ...good, name: 'sEcReT'.repeat(11) }] }, /`file\.tokens\[0\]\.name` must be a string/],
    [{ tokens: [{ ...good, decimals: 6 }] }, /`file\.tokens\[0\]\.decimals` is not accepted/],
    [
      { tokens: [good, { ...good, address: USDC.toUpperCase().replace('0X', '0x') }] },
      /`file\.tokens\[1\]` is the same token as `file\.tokens\[0\]`/,
    ],
  ]
  for (const [content, message] of cases) {
    const path = write(t, content)
    const error = failure(() => load(path))
    t.ok(error instanceof ConfigError, String(message))
    t.match(error.message, message)
    t.match(error.message, /^TOKENS_FILE: /)
    t.notMatch(error.message, 'sEcReT')
    t.notMatch(error.message, USDC)
  }
  const none = join(t.testdir(), 'none.json')
  const message = `TOKENS_FILE: ${none}: The file cannot be read (ENOENT).`
  t.match(
    failure(() => load(none)),
    { name: 'ConfigError', message },
  )
})

t.test('a file that turned bad leaves the tokens as they were, and the log says why', async (t) => {
  const log: Record<string, unknown>[] = []
  const logger = loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info')
  const path = write(t, { tokens: [{ chain: 'base', address: USDC }] })
  const list = new OperatorList([path], logger)
  const first = list.tokens
  t.equal(first.length, 1)

  writeFileSync(path, '{"tokens":[{}]}')
  await list.reload()
  t.equal(list.tokens, first)
  t.match(log.at(-1), { level: 50, why: /`file\.tokens\[0\]\.chain` is required/ })

  writeFileSync(path, JSON.stringify({ tokens: [{ chain: 'solana', address: JUP }] }))
  await list.reload()
  t.match(list.tokens, [{ chain: 'solana' }])
  t.match(log.at(-1), { level: 30, tokens: 1 })

  const none = new OperatorList([], logger)
  await none.reload()
  t.same(none.tokens, [])
  t.equal(log.length, 2)
  t.throws(() => new OperatorList([join(t.testdir(), 'none.json')], logger), { name: 'ConfigError' })
})

t.test('Token Lists are read as they are found, several files together', async (t) => {
  const log: Record<string, unknown>[] = []
  const logger = loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info')
  const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
  const row = (chainId: number, address: string, more: object = {}) => ({
    chainId,
    address,
    symbol: 'T',
    name: 'Token',
    decimals: 6,
    ...more,
  })
  const head = {
    name: 'A list',
    timestamp: '2026-11-01T00:00:00Z',
    version: { major: 1, minor: 0, patch: 0 },
  }
  const list = {
    ...head,
    tokens: [
      row(8453, AERO, { symbol: 'AERO', decimals: 18, logoURI: 'https://example.org/a.png', extensions: {} }),
      row(8453, USDC, { symbol: 'LATE' }),
      row(501000101, JUP),
      row(101, 'jtojtomepa8beP8AuQc6eXt5FriJwfFMwQx2v2f9mCL'),
      row(1000000001, '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'),
      row(1151111081099710, 'HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3'),
      ...[
        row(424242, AERO),
        row(8453, AERO.replace('940', '941')),
        row(8453, JUP),
        row(1, AERO, { symbol: '' }),
      ],
      ...[row(1, AERO, { decimals: 255 }), row(1, AERO, { decimals: '6' }), null, row(8453, AERO)],
      row(8453, '0x0000000000000000000000000000000000000000'),
    ],
  }
  const folder = t.testdir({
    'own.json': JSON.stringify({ tokens: [{ chain: 'base', address: USDC, symbol: 'OWN' }] }),
    'list.json': JSON.stringify(list),
    'bare.json': JSON.stringify({ tokens: [row(10, AERO)] }),
    'large.json': JSON.stringify({
      ...head,
      tokens: Array.from({ length: 2_000 }, (_, i) => row(56, `0x${(i + 1).toString(16).padStart(40, '0')}`)),
    }),
    'none.json': JSON.stringify({ ...head, tokens: [row(424242, AERO)] }),
    'many.json': JSON.stringify({ ...head, tokens: Array.from({ length: 10_001 }, () => null) }),
    'bad.json': '{"tokens":[{}]}',
  })
  const read = (...names: string[]) =>
    new OperatorList(
      names.map((name) => join(folder, name)),
      logger,
    )
  const both = read('list.json', 'own.json', 'bare.json')
  t.match(log.at(-1), { level: 30, tokens: 7, known: 7, skipped: 8 })
  t.same(
    both.tokens.map(({ chain, symbol }) => `${chain} ${symbol}`),
    ['base OWN', 'base AERO', 'solana T', 'solana T', 'solana T', 'solana T', 'optimism T'],
  )
  t.same(both.known[0], {
    chain: 'base',
    address: AERO,
    symbol: 'AERO',
    name: 'Token',
    decimals: 18,
    isVouched: true,
    logo: 'https://example.org/a.png',
  })
  const large = read('large.json')
  t.equal(large.tokens.length, 1_000, 'rows')
  t.equal(large.known.length, 2_000)
  t.equal(large.known, large.known)

  const wrong: [names: string[], message: RegExp][] = [
    [['none.json'], /^TOKENS_FILE: .*none\.json: `file\.tokens` has no token of a chain/],
    [['many.json'], /^TOKENS_FILE: .*many\.json: `file\.tokens` must be an array of at most 10000 tokens/],
    [['own.json', 'bad.json'], /^TOKENS_FILE: .*bad\.json: `file\.tokens\[0\]\.chain` is required/],
    [['own.json', 'missing.json'], /^TOKENS_FILE: .*missing\.json: The file cannot be read \(ENOENT\)/],
  ]
  for (const [names, message] of wrong) t.match(failure(() => read(...names)).message, message)
})

function failure(call: () => unknown): Error {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not fail')
}
