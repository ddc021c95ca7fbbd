import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError } from '../../src/config/config.ts'
import { loadOperatorTokens, OperatorList } from '../../src/list/operator-list.ts'
import { loggerTo } from '../../src/log.ts'

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

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
  t.same(loadOperatorTokens(write(t, { tokens })), [
    { chain: 'base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'AB', name: 'My token' },
    { chain: 'solana', address: JUP, symbol: null, name: null },
    { chain: 'base', address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', symbol: '🦊', name: null },
  ])
  t.same(loadOperatorTokens(write(t, { tokens: [] })), [])
  const many = Array.from({ length: 1_000 }, (_, i) => ({
    chain: 'base',
    address: `0x${(i + 1).toString(16).padStart(40, '0')}`,
  }))
  t.equal(loadOperatorTokens(write(t, { tokens: many })).length, 1_000)
  t.throws(() => loadOperatorTokens(write(t, { tokens: [...many, many[0]] })), /at most 1000 tokens/)
})

t.test('what is wrong is named by its place, and never repeated', async (t) => {
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
    const error = failure(() => loadOperatorTokens(path))
    t.ok(error instanceof ConfigError, String(message))
    t.match(error.message, message)
    t.match(error.message, /^TOKENS_FILE: /)
    t.notMatch(error.message, 'sEcReT')
    t.notMatch(error.message, USDC)
  }
  const missing = failure(() => loadOperatorTokens(join(t.testdir(), 'none.json')))
  t.match(missing, { name: 'ConfigError', message: 'TOKENS_FILE: The file cannot be read (ENOENT).' })
})

t.test('a file that turned bad leaves the tokens as they were, and the log says why', async (t) => {
  const log: Record<string, unknown>[] = []
  const logger = loggerTo({ write: (line) => void log.push(JSON.parse(line)) }, 'info')
  const path = write(t, { tokens: [{ chain: 'base', address: USDC }] })
  const list = new OperatorList(path, logger)
  const first = list.tokens
  t.equal(first.length, 1)

  writeFileSync(path, '{"tokens":[{}]}')
  list.reload()
  t.equal(list.tokens, first)
  t.match(log.at(-1), { level: 50, why: /`file\.tokens\[0\]\.chain` is required/ })

  writeFileSync(path, JSON.stringify({ tokens: [{ chain: 'solana', address: JUP }] }))
  list.reload()
  t.match(list.tokens, [{ chain: 'solana' }])
  t.match(log.at(-1), { level: 30, tokens: 1 })

  const none = new OperatorList(null, logger)
  none.reload()
  t.same(none.tokens, [])
  t.equal(log.length, 2)
  t.throws(() => new OperatorList(join(t.testdir(), 'none.json'), logger), { name: 'ConfigError' })
})

function failure(call: () => unknown): Error {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not fail')
}
