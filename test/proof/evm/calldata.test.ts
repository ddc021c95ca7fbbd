import t from 'tap'
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { CalldataReader } from '../../../src/proof/evm/calldata.ts'
import fc from '../../fixtures/fast-check.ts'

const SIGNATURES = [
  'function transfer(address to, uint256 amount)',
  'function pay((address to, uint256 amount, bytes note)[] parts, address[] path, bytes32 id)',
  'function only(bytes data)',
] as const

interface Part {
  readonly to: string
  readonly amount: bigint
  readonly note: Uint8Array
}

const reader = new CalldataReader<{
  transfer: { to: string; amount: bigint }
  pay: { parts: readonly Part[]; path: readonly string[]; id: Uint8Array }
  only: Uint8Array
}>(SIGNATURES)

const TO = `0x${'1a'.repeat(20)}`
const TRANSFER = reader.write('transfer', { to: TO, amount: 7n })

t.test('knows a function by its selector', async (t) => {
  t.same(
    reader.selectors,
    SIGNATURES.map((signature) => toFunctionSelector(signature)),
  )
  t.same(reader.read(TRANSFER), { name: 'transfer', args: { to: TO, amount: 7n } })
  t.equal(reader.read(`0xdeadbeef${TRANSFER.slice(10)}`), null)
})

t.test('writes what viem writes, and reads it back', async (t) => {
  const abi = parseAbi(SIGNATURES)
  const hexBytes = (maxLength: number) => fc.uint8Array({ maxLength })
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex)
  const part = fc.record({ to: address, amount: fc.bigInt(0n, 2n ** 256n - 1n), note: hexBytes(70) })
  const id = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const call = fc.record({
    parts: fc.array(part, { maxLength: 4 }),
    path: fc.array(address, { maxLength: 4 }),
    id,
  })
  fc.assert(
    fc.property(call, ({ parts, path, id }) => {
      const data = reader.write('pay', { parts, path, id })
      const peers = parts.map((one) => ({ ...one, note: hex(one.note) }))
      const theirs = encodeFunctionData({ abi, functionName: 'pay', args: [peers, path, hex(id)] })
      const read = reader.read(data)
      return data === theirs && read?.name === 'pay' && read.args.parts.length === parts.length
    }),
    { numRuns: 300 },
  )
  t.pass('300 calls')
})

t.test('has no second spelling for any call', async (t) => {
  const words = TRANSFER.slice(10)
  const bytes = reader.write('only', Uint8Array.of(1, 2, 3))
  const cases: readonly [what: string, data: string][] = [
    ['upper case', TRANSFER.toUpperCase().replace('0X', '0x')],
    ['one digit in upper case', TRANSFER.replace('1a1a', '1A1a')],
    ['bytes behind the last word', `${TRANSFER}00`],
    ['a word behind the last', `${TRANSFER}${'00'.repeat(32)}`],
    ['a word missing', TRANSFER.slice(0, -64)],
    ['half a byte', TRANSFER.slice(0, -1)],
    ['an address with upper bits', `${TRANSFER.slice(0, 10)}01${words.slice(2)}`],
    ['no hex', `${TRANSFER.slice(0, -1)}g`],
    ['a blank', `${TRANSFER} `],
    ['the selector alone', TRANSFER.slice(0, 10)],
    ['nothing', ''],
    ['padding that is not zero', `${bytes.slice(0, -1)}1`],
    ['an offset past a gap', bytes.replace(`${'0'.repeat(62)}20`, `${'0'.repeat(62)}40`) + '00'.repeat(32)],
    ['an offset into the head', bytes.replace(`${'0'.repeat(62)}20`, '0'.repeat(64))],
    ['a length beyond the end', bytes.replace(`${'0'.repeat(63)}3`, `${'0'.repeat(60)}ffff`)],
    ['more than is read', `${bytes}${'00'.repeat(70_000)}`],
  ]
  for (const [what, data] of cases) t.equal(reader.read(data), null, what)
})

t.test('the longest calldata that is read has just under 40 KiB', async (t) => {
  // The selector, the offset and the length stand before the words.
  const calldataOf = (words: number) => reader.write('only', new Uint8Array(words * 32))
  const longest = calldataOf(1_277)
  t.equal(longest.length, 81_866)
  t.equal(reader.read(longest)?.name, 'only')
  t.equal(reader.read(calldataOf(1_278)), null, 'canonical, and a word too long')
})
