/**
 * A gateway whose providers are all hostile at once, over real sockets: the
 * research endpoints go on, lose nothing that they had, and show nothing of
 * what came.
 */
import t from 'tap'
import { TokenProfile } from '../../../src/runtime/resources/token-profile.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { Check } from '../../fixtures/check.ts'
import {
  type Behaviour,
  compresses,
  floods,
  type HostileUpstream,
  hostileUpstream,
  status,
} from '../../fixtures/hostile-upstream.ts'
import { idleClock } from '../../fixtures/idle-clock.ts'
import {
  BONK,
  BRETT,
  type Change,
  deep,
  entryOf,
  forwards,
  KEYS,
  LATER,
  MARKETS,
  PRIVATE,
  spoiled,
  startWorld,
} from '../../fixtures/research.ts'
import { EVM_WALLET, SOLANA_WALLET } from '../../fixtures/swaps.ts'

t.test('hostile sources spoil nothing, and nothing of theirs is shown', async (t) => {
  const clock = idleClock()
  const sandbox = await startSandbox({ now: clock.date })
  t.teardown(() => sandbox.close())
  const fronts = new Map<string, HostileUpstream>()
  for (const name of [...MARKETS, 'evm']) fronts.set(name, await hostileUpstream(t))
  const urls = MARKETS.map((name): [string, string] => [`${name.toUpperCase()}_URL`, fronts.get(name)!.url])
  const environment = {
    MODE: 'live',
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    RPC_URLS_BASE: fronts.get('evm')!.url,
    ...Object.fromEntries(urls),
  }
  const world = await startWorld(t, environment, clock)
  const values = { address: EVM_WALLET, chains: 'base', sol: SOLANA_WALLET }
  const urlOf = (name: string): string => (name === 'evm' ? sandbox.evmUrl('base') : sandbox.urls[name]!)
  const set = (names: Iterable<string>, behaviourOf: (name: string) => Behaviour) => {
    for (const name of names) fronts.get(name)!.behaviour = behaviourOf(name)
  }
  const ask = async (path: string) => {
    const response = await clock.meanwhile(fetch(world.url + path))
    const text = await response.text()
    if (PRIVATE.test(text)) t.fail(`${path}: ${text.slice(0, 300)}`)
    return { status: response.status, body: JSON.parse(text) }
  }

  const isWhole = (body: TokenProfile): boolean => body.sources.every(({ status }) => status === 'ok')
  /** A source that was hostile is asked once before it is trusted again, and a busy machine may let it be late. */
  const whole = async (path: string) => {
    let profile = await ask(`/api/token/${path}`)
    for (let i = 0; i < MAX_ASKS && !isWhole(profile.body); i++) {
      world.age(LATER)
      profile = await ask(`/api/token/${path}`)
    }
    return profile
  }

  const always = (behaviour: Behaviour) => () => behaviour
  const wrong = (offset: number) => (name: string) => forwards(urlOf(name), spoil(offset))
  const cases: [title: string, behaviourOf: (name: string) => Behaviour][] = [
    ['10 MB', always(floods)],
    ['compressed', always(compresses)],
    ['elsewhere', always(status(302, '', [`location: ${sandbox.urls.dexscreener}/`]))],
    ['an error that tells too much', always(status(500, JSON.stringify({ at: 'http://secret', ...KEYS })))],
    ['a refusal that tells too much', always(status(400, JSON.stringify({ error: 'secret', ...KEYS })))],
    [
      'a limit of an unknown kind',
      always(status(200, '{"code":4029,"error":{"code":-32005},"status":"secret"}')),
    ],
    ['nothing', always(status(200, ''))],
    ['null', always(status(200, 'null'))],
    ['deep nesting', always(status(200, deep(200_000)))],
    ['other values in all members', wrong(0)],
    ['others again', wrong(3)],
    ['and others', wrong(6)],
  ]
  for (const [title, hostile] of cases) {
    // Good for a while, so that there is something to lose.
    set(fronts.keys(), (name) => forwards(urlOf(name)))
    world.age(LATER)
    await world.rebuilt()
    const before = await world.rebuilt()
    const profiles = await Promise.all([BRETT, BONK].map(whole))
    for (const profile of profiles) {
      t.equal(profile.status, 200, `${title}: good before`)
      t.ok(isWhole(profile.body), `${title}: all of it`)
    }

    set(MARKETS, hostile)
    world.age(LATER)
    const during = await world.rebuilt()
    t.same(spoiled(before, during), [], title)
    for (const [i, path] of [BRETT, BONK].entries()) {
      const { status, body } = await ask(`/api/token/${path}`)
      t.equal(status, 200, `${title}: what was known stands`)
      t.ok(Check(TokenProfile, body), title)
      const told = [profiles[i]!.body.row.price, null, ...READABLE]
      t.ok(told.includes(body.row.price), `${title}: a price of ${body.row.price}`)
    }
    const { chains } = await world.portfolio(values)
    t.match(chains, [{ chain: 'solana' }, { chain: 'base', unpriced: Number }], title)
    t.ok(
      chains.every(({ status }) => status !== 'failed'),
      `${title}: the nodes are well`,
    )

    set(['evm'], hostile)
    world.age(LATER)
    const blind = await world.portfolio(values)
    t.match(
      entryOf(blind, 'base'),
      { status: 'failed', holdings: { length: 0 }, problems: [{ part: 'holdings' }] },
      title,
    )
    t.equal(entryOf(blind, 'solana').status === 'failed', false, title)
  }
  const lines = world.log.filter(({ msg }) => !/^listening$|^QUOTE_SECRET is random/.test(String(msg)))
  t.notMatch(JSON.stringify(lines), PRIVATE)
  t.same(
    lines.filter(({ level }) => Number(level) >= 50),
    [],
    'no fault of our own',
  )
})

/** Until all sources have recovered. */
const MAX_ASKS = 10
/** What some members may well be. */
const READABLE = [7]
const WRONG = [
  '1e400',
  '-1',
  '"odd"',
  '"-1"',
  '[[],{},null]',
  'null',
  'true',
  '"1e400"',
  ...READABLE.map(String),
]
/** Deep enough that no recursion comes to its end, and not so many that the answer is too long. */
const DEEP = deep(6_000)
const MAX_DEEP = 100

/** Puts another value into the place of every text and number of an answer, each in turn. */
function spoil(offset: number): Change {
  return (text) => {
    let count = offset
    const write = (value: unknown): string => {
      if (Array.isArray(value)) return `[${value.map(write).join()}]`
      if (typeof value === 'object' && value !== null) {
        return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)}}`
      }
      const at = count++ % (WRONG.length + 1)
      return WRONG[at] ?? (count < MAX_DEEP * WRONG.length ? DEEP : 'null')
    }
    return write(JSON.parse(text))
  }
}
