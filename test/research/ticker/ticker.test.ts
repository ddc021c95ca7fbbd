/** What listeners are told of a list that the test changes, by a clock in its hands. */
import t from 'tap'
import type { EventStream } from '../../../src/http/reply/events.ts'
import type { ListedToken } from '../../../src/research/list/token-set.ts'
import { Ticks } from '../../../src/research/ticker/shapes.ts'
import { EVERY_MS, Ticker } from '../../../src/research/ticker/ticker.ts'
import type { UnlistedToken } from '../../../src/research/ticker/unlisted-prices.ts'
import { Check } from '../../fixtures/check.ts'
import { type HandClock, handClock } from '../../fixtures/clock.ts'

interface Told {
  readonly name: string
  readonly id: string
  readonly ticks: Ticks
}

interface Listener extends EventStream {
  readonly told: Told[]
  readonly bytes: Buffer[]
}

const listener = (lastEventId: string | null = null, client = 'one'): Listener => {
  const told: Told[] = []
  const bytes: Buffer[] = []
  return {
    client,
    lastEventId,
    told,
    bytes,
    send(event) {
      bytes.push(event)
      const [, name, id, data] = /^event: (\w+)\nid: (.+)\ndata: (.+)\n\n$/.exec(String(event))!
      told.push({ name: name!, id: id!, ticks: JSON.parse(data!) as Ticks })
    },
    whenRoom: (callback) => callback(),
    finish() {},
  }
}

class List {
  readonly rows = new Map<string, ListedToken>()
  reads = 0
  looks = 0
  readonly #clock: HandClock

  constructor(clock: HandClock) {
    this.#clock = clock
  }

  set(address: string, price: number | null, more: Partial<ListedToken> = {}): void {
    this.rows.set(address, {
      chain: 'base',
      address,
      symbol: null,
      name: null,
      decimals: null,
      price,
      priceTs: price === null ? null : this.#clock.date(),
      liq: null,
      vol24: null,
      checkedTs: null,
      isListed: true,
      ...more,
    })
  }

  async ready(): Promise<void> {
    this.reads++
  }

  find(_chain: string, address: string): ListedToken | null {
    this.looks++
    return this.rows.get(address) ?? null
  }
}

function start() {
  const clock = handClock()
  const list = new List(clock)
  const due: [client: string, addresses: string][] = []
  const prices = new Map<string, number>()
  const unlisted = {
    isDue: ({ token }: UnlistedToken) => token.address >= 'w',
    priceOf({ token: { address } }: UnlistedToken) {
      const price = prices.get(address)
      return price === undefined ? null : { price, priceTs: clock.date() }
    },
    async ask(asked: ReadonlyMap<string, readonly UnlistedToken[]>) {
      for (const [client, tokens] of asked)
        due.push([client, tokens.map(({ token }) => token.address).join('')])
    },
  }
  const ticker = new Ticker({ tokens: list, unlisted, clock })
  const listen = (names: string, stream: Listener): (() => void) =>
    ticker.listen(
      [...names].map((address) => ({ chain: 'base', address })),
      stream,
    )
  /** A look at the list, and all that comes of it. */
  const round = async (ms = EVERY_MS): Promise<void> => {
    clock.advance(ms)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }
  return { clock, list, ticker, listen, round, due, prices }
}

const pricesOf = ({ ticks }: Told): Record<string, number | null> =>
  Object.fromEntries(ticks.prices.map(({ address, price }) => [address, price]))

t.test('all prices first, then only what changed', async (t) => {
  const { clock, list, listen, round } = start()
  list.set('a', 1)
  list.set('b', null)
  list.set('d', 4, { isListed: false })
  const one = listener()
  listen('abcd', one)
  t.equal(one.told.length, 1)
  const { name, ticks } = one.told[0]!
  t.equal(name, 'snapshot')
  t.ok(Check(Ticks, ticks))
  const unlisted = { listed: false, price: null, priceTs: null, priceStale: false }
  t.same(ticks, {
    prices: [
      { chain: 'base', address: 'a', listed: true, price: 1, priceTs: clock.date(), priceStale: false },
      { chain: 'base', address: 'b', listed: true, price: null, priceTs: null, priceStale: false },
      { chain: 'base', address: 'c', ...unlisted },
      { chain: 'base', address: 'd', ...unlisted },
    ],
    asOf: clock.date(),
  })
  await round()
  t.equal(one.told.length, 1, 'nothing changed')
  list.set('b', 2)
  list.set('c', 3)
  await round()
  t.equal(one.told.length, 2)
  t.equal(one.told[1]!.name, 'change')
  t.same(pricesOf(one.told[1]!), { b: 2, c: 3 })
  t.equal(one.told[1]!.ticks.asOf, clock.date())
  list.rows.delete('b')
  list.set('d', 4)
  await round()
  t.same(pricesOf(one.told[2]!), { b: null, d: 4 })
})

t.test('a price that is not refreshed is said to be stale, once', async (t) => {
  const { list, listen, round } = start()
  list.set('a', 1)
  const one = listener()
  listen('a', one)
  for (let i = 0; i < 30; i++) await round()
  t.equal(one.told.length, 2)
  t.match(one.told[1]!.ticks.prices, [{ price: 1, priceStale: true }])
  list.set('a', 1)
  await round()
  t.match(one.told[2]!.ticks.prices, [{ price: 1, priceStale: false }])
})

t.test('unlisted tokens are requested for the listening clients, in turns', async (t) => {
  const { list, listen, round, due, prices } = start()
  list.set('x', 1)
  list.set('y', null, { isListed: false })
  const streams = ['one', 'two', 'two', 'three'].map((client) => listener(null, client))
  for (const [i, stream] of streams.entries()) listen(i < 3 ? 'axyz' : 'z', stream)
  t.match(streams[3]!.told[0]!.ticks.prices, [{ listed: false, price: null }])
  for (let i = 0; i < 8; i++) await round()
  t.equal(due.length, 8)
  for (const [, addresses] of due) t.equal(addresses, 'z', 'neither listed nor held back')
  const payers = due.map(([client]) => client)
  t.same([...new Set(payers)].sort(), ['one', 'three', 'two'], String(payers))
  prices.set('z', 7)
  await round()
  for (const { told } of streams) {
    t.match(told.at(-1)!.ticks.prices, [{ address: 'z', listed: false, price: 7, priceStale: false }])
  }
  list.set('z', 8)
  await round()
  t.match(streams[3]!.told.at(-1)!.ticks.prices, [{ address: 'z', listed: true, price: 8 }])
  const before = due.length
  await round()
  t.equal(due.length, before, 'nothing is due')
})

t.test('the list is read once for all streams, and not at all without one', async (t) => {
  const { clock, list, ticker, listen, round } = start()
  list.set('a', 1)
  list.set('b', 1)
  t.equal(clock.waiting, 0)
  const streams = Array.from({ length: 100 }, () => listener())
  const leave = streams.map((stream, i) => listen(i % 2 === 0 ? 'ab' : 'ba', stream))
  t.equal(clock.waiting, 1)
  t.same(ticker.size, { sets: 2, tokens: 2, left: 0 })
  const [reads, looks] = [list.reads, list.looks]
  list.set('a', 2)
  await round()
  t.equal(list.reads - reads, 1)
  t.equal(list.looks - looks, 2, 'each token once')
  for (const stream of streams) t.same(pricesOf(stream.told[1]!), { a: 2 })
  for (const at of [0, 1]) {
    const events = new Set(streams.filter((_, i) => i % 2 === at).flatMap(({ bytes }) => bytes))
    t.equal(events.size, 2, 'the same bytes, not their copies, go to all who listen to the same')
  }
  for (const stop of leave) stop()
  t.same(ticker.size, { sets: 0, tokens: 0, left: 2 })
  t.equal(clock.waiting, 0)
})

t.test('a client that reconnects gets what changed since, and no more', async (t) => {
  const { clock, list, listen, round } = start()
  for (const name of 'abc') list.set(name, 1)
  const one = listener()
  const leave = listen('abc', one)
  list.set('a', 2)
  await round()
  leave()
  const last = one.told.at(-1)!.id
  const at = (stream: Listener): Record<string, unknown>[] =>
    stream.told.map((told) => ({ name: told.name, ...pricesOf(told) }))
  const back = (id: string | null, names = 'abc'): Listener => {
    const stream = listener(id)
    listen(names, stream)()
    return stream
  }
  t.same(at(back(last)), [], 'nothing')
  t.same(at(back(one.told[0]!.id)), [{ name: 'change', a: 2 }], 'since the first event')
  clock.advance(30_000)
  list.set('b', 3)
  const again = back(last)
  t.same(at(again), [{ name: 'change', b: 3 }], 'also what changed while nobody listened')
  t.same(at(back(again.told[0]!.id)), [])
  t.same(at(back(last)), [{ name: 'change', b: 3 }])

  const whole = { name: 'snapshot', a: 2, b: 3, c: 1 }
  const [epoch, number, mark] = last.split('.')
  for (const id of [
    'nonsense',
    '',
    `other.${number}.${mark}`,
    `${epoch}.999999.${mark}`,
    `${epoch}.-1.${mark}`,
    `${epoch}.1e3.${mark}`,
    `${epoch}.${number}.AAAAAAAA`,
    `${last}\n`,
    `${last} `,
    'x'.repeat(10_000),
  ]) {
    t.same(at(back(id)), [whole], id.slice(0, 40))
  }
  t.same(at(back(last, 'ab')), [{ name: 'snapshot', a: 2, b: 3 }], 'the id was for other tokens')
  const { listen: elsewhere } = start()
  const stream = listener(last)
  elsewhere('abc', stream)
  t.equal(stream.told[0]!.name, 'snapshot', 'another process knows nothing of it')
})

t.test('a set that grows by a new token gets a snapshot of it', async (t) => {
  const { list, listen, round } = start()
  list.set('a', 1)
  const one = listener()
  listen('a', one)
  await round()
  list.set('b', 1)
  const two = listener()
  listen('ab', two)
  list.set('a', 2)
  await round()
  t.same(one.told.map(pricesOf), [{ a: 1 }, { a: 2 }])
  t.same(two.told.map(pricesOf), [{ a: 1, b: 1 }, { a: 2 }])
})

t.test('a client that connects during a round gets everything once', async (t) => {
  const { clock, list, listen } = start()
  list.set('a', 1)
  const early = Array.from({ length: 200 }, () => listener())
  for (const stream of early) listen('a', stream)
  list.set('a', 2)
  clock.advance(EVERY_MS)
  const late = listener()
  listen('a', late)
  for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate)
  t.ok(early.every(({ told }) => told.length === 2))
  t.same(late.told.map(pricesOf), [{ a: 2 }])
})

t.test('however many tokens there are, others have their turns between them', async (t) => {
  const { clock, list, ticker } = start()
  const streams = Array.from({ length: 1_024 }, () => listener())
  for (const [i, stream] of streams.entries()) {
    const tokens = Array.from({ length: 50 }, (_, j) => ({ chain: 'base', address: `a${i} ${j}` }))
    ticker.listen(tokens, stream)
  }
  t.equal(ticker.size.tokens, 51_200)
  list.set('a1023 49', 1)
  const before = list.looks
  clock.advance(EVERY_MS)
  t.ok(list.looks - before < 51_200 / 2, 'not all of them at once')
  while (streams[1_023]!.told.length === 1) await new Promise(setImmediate)
  t.equal(list.looks - before, 51_200)
  t.equal(streams.filter(({ told }) => told.length > 1).length, 1)
})

t.test('whatever happens, events put together are the list', async (t) => {
  const { list, listen, round } = start()
  const names = 'abcdefgh'
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  interface Client {
    names: string
    known: Record<string, number | null>
    id: string | null
    stream: Listener
    leave: (() => void) | null
  }
  const clients: Client[] = ['ab', 'abc', 'fgh', 'abcdefgh', 'ba', 'h'].map((names) => ({
    names,
    known: {},
    id: null,
    stream: listener(),
    leave: null,
  }))
  const apply = (client: Client): void => {
    for (const told of client.stream.told.splice(0)) {
      if (told.name === 'snapshot') client.known = {}
      Object.assign(client.known, pricesOf(told))
      client.id = told.id
    }
  }
  for (let step = 0; step < 2_000; step++) {
    const client = clients[random(clients.length)]!
    const name = names[random(names.length)]!
    const what = random(6)
    if (what < 2) list.set(name, random(100))
    else if (what === 2) list.rows.delete(name)
    else if (what === 3) await round()
    else if (client.leave === null) {
      client.stream = listener(client.id)
      client.leave = listen(client.names, client.stream)
    } else {
      apply(client)
      client.leave()
      client.leave = null
    }
  }
  await round()
  for (const client of clients) {
    if (client.leave === null) {
      client.stream = listener(client.id)
      client.leave = listen(client.names, client.stream)
    }
    apply(client)
    const now = [...client.names].map((name) => [name, list.rows.get(name)?.price ?? null])
    t.same(client.known, Object.fromEntries(now), client.names)
  }
})
