import t from 'tap'
import { canonicalAddress } from '../../../src/chains/address.ts'
import { CHAINS } from '../../../src/chains/chains.ts'
import type { KnownToken, TokenSource } from '../../../src/providers/tokens/token-source.ts'
import { knownTokens } from '../../../src/research/universe/known-tokens.ts'
import { TokenTable } from '../../../src/research/universe/table.ts'
import { Universe } from '../../../src/research/universe/universe.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { clockOf, nextTurn } from '../../fixtures/clock.ts'

const WBTC = '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'
const WSTETH = '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0'
const LINK = '0x514910771AF9Ca656af840dff83E8264EcF986CA'
const USDT0 = canonicalAddress('plasma', '0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb')
const log = loggerTo({ write: () => {} }, 'fatal')

const token = (number: number, more: Partial<KnownToken> = {}): KnownToken => ({
  chain: 'base',
  address: canonicalAddress('base', `0x${number.toString(16).padStart(40, '0')}`),
  symbol: `T${number}`,
  name: `Token ${number}`,
  decimals: 18,
  isVouched: false,
  ...more,
})
const many = (count: number, from = 1): KnownToken[] =>
  Array.from({ length: count }, (_, i) => token(from + i))

/** A source whose next answers are given; an error is a failure. */
function source(...answers: (readonly KnownToken[] | GatewayError)[]) {
  const asked: string[] = []
  const provider: TokenSource = {
    label: 'source',
    chains: new Set(['base']),
    everyMs: 1_800_000,
    async ask(chain) {
      asked.push(chain)
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return { asked, provider }
}

function universe(sources: readonly TokenSource[], operator: readonly KnownToken[] = []) {
  const time = { now: 0 }
  const clock = clockOf({ now: () => time.now, after: nextTurn })
  return { time, universe: new Universe({ sources, operatorTokens: () => operator, clock, log }) }
}

t.test('WBTC, wstETH and LINK are known to a gateway that has read no list', async (t) => {
  const { universe: known } = universe([])
  t.match(known.find('ethereum', WBTC), { symbol: 'WBTC', decimals: 8, isVouched: true })
  t.match(known.find('ethereum', WSTETH), { symbol: 'wstETH', decimals: 18 })
  t.match(known.find('ethereum', LINK), { symbol: 'LINK', decimals: 18 })
  t.equal(known.find('base', WBTC), null)
  t.equal(known.find('nowhere', WBTC), null)
  t.same(known.tokens('nowhere'), [])
  for (const chain of ['hyperevm', 'plasma']) {
    t.match(known.find(chain, USDT0), { decimals: 6, isVouched: true }, chain)
  }
})

t.test('the well-known tokens are spelled canonically, each once', async (t) => {
  for (const { key } of CHAINS) {
    const { size } = knownTokens(key)
    t.ok(size >= 20, `${key}: ${size}`)
    const addresses = Array.from({ length: size }, (_, place) => knownTokens(key).at(place).address)
    t.equal(new Set(addresses).size, size, key)
    for (const address of addresses) t.equal(canonicalAddress(key, address), address, key)
  }
})

t.test('the first list that has a token describes it: operator, well-known, source', async (t) => {
  const own = token(1, { symbol: 'OWN', isVouched: true })
  const usdc = knownTokens('base').at(0)
  const listed = source([token(1, { symbol: 'THEIRS' }), { ...usdc, symbol: 'FAKE', decimals: 1 }, token(2)])
  const { universe: known } = universe([listed.provider], [own])
  t.equal(known.find('base', token(2).address), null)
  await known.ready(['base'], 1_000)
  t.equal(known.find('base', own.address)!.symbol, 'OWN')
  t.same(known.find('base', usdc.address), usdc)
  t.same(known.find('base', token(2).address), token(2))
  const addresses = known.tokens('base').map(({ address }) => address)
  t.equal(new Set(addresses).size, addresses.length)
  t.equal(addresses[0], own.address)
  t.equal(addresses.at(-1), token(2).address)
})

t.test('the first that names a logo counts, which need not be the first that has the token', async (t) => {
  const usdc = knownTokens('base').at(0)
  const logo = (name: string): string => `https://${name}.example/logo.png`
  const theirs = [token(1, { logo: logo('theirs') }), { ...usdc, logo: logo('usdc') }, token(2)]
  const { universe: known } = universe([source(theirs).provider], [token(1, { logo: logo('own') })])
  t.equal(known.logoOf('base', usdc.address), null)
  await known.ready(['base'], 1_000)
  t.equal(known.logoOf('base', token(1).address), logo('own'))
  t.equal(known.logoOf('base', usdc.address), logo('usdc'))
  t.equal(known.logoOf('base', token(2).address), null)
  t.equal(known.logoOf('base', token(3).address), null)
  t.equal(known.logoOf('nowhere', usdc.address), null)
})

t.test('a list is read at most every half hour, and kept through failures', async (t) => {
  const failure = new GatewayError('upstream_unavailable', 'It is down.')
  const { provider, asked } = source(many(10), failure, many(20))
  const { universe: known, time } = universe([provider])
  await known.ready(['ethereum'], 1_000)
  t.equal(asked.length, 0, 'of another chain')
  for (let i = 0; i < 3; i++) await known.ready(['base'], 1_000)
  t.equal(asked.length, 1)
  time.now = 1_799_999
  await known.ready(['base'], 1_000)
  t.equal(asked.length, 1)
  time.now = 1_800_001
  await known.ready(['base'], 1_000)
  await settled()
  t.equal(asked.length, 2)
  t.ok(known.find('base', token(10).address), 'kept')
  time.now += 299_999
  await known.ready(['base'], 1_000)
  t.equal(asked.length, 2, 'a failure is not asked again at once')
  time.now += 2
  await known.ready(['base'], 1_000)
  await settled()
  t.equal(asked.length, 3)
  t.ok(known.find('base', token(20).address))
})

t.test('a list that has lost more than half is believed when it says so twice', async (t) => {
  const { provider } = source(many(100), many(10), many(100), many(10), many(10))
  const { universe: known, time } = universe([provider])
  const read = async (): Promise<boolean> => {
    await known.ready(['base'], 1_000)
    await settled()
    time.now += 1_800_001
    return known.find('base', token(100).address) !== null
  }
  const answers: boolean[] = []
  for (let i = 0; i < 5; i++) answers.push(await read())
  t.same(answers, [true, true, true, true, false])
})

t.test('requests before the first list wait for it, within their deadline', async (t) => {
  const hanging: TokenSource = {
    label: 'hanging',
    chains: new Set(['base']),
    everyMs: 1_000,
    ask: () => new Promise(() => {}),
  }
  const { universe: known } = universe([hanging])
  await known.ready(['base'], 20)
  t.ok(known.tokens('base').length > 50)
})

t.test('a table finds each of its tokens, in little memory', async (t) => {
  const tokens = many(3_000).map((one, i) => ({ ...one, isVouched: i % 2 === 0, name: `Tökén ${i} 🦊` }))
  const table = new TokenTable('base', [...tokens, token(1, { symbol: 'AGAIN' })])
  t.equal(table.size, 3_000)
  t.same(
    tokens.filter((one) => JSON.stringify(table.find(one.address)) !== JSON.stringify(one)),
    [],
  )
  t.equal(table.find(token(3_001).address), null)
  t.equal(table.find(''), null)
  t.equal(TokenTable.EMPTY.find(WBTC), null)
  t.ok(table.bytes / table.size < 130, `${table.bytes / table.size} bytes a token`)
})

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
