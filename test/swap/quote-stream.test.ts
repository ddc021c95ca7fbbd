/** A stream of offers: its events in their order, with the clock and the providers' answers in the test's hands. */
import t from 'tap'
import type { Static } from 'typebox'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import type { EventStream } from '../../src/http/reply/events.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import type { Quote } from '../../src/runtime/resources/quote.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { AGAIN_MS, BETTER_BPS, LASTS_MS, type QuoteEvent, streamQuotes } from '../../src/swap/quote-stream.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { handClock } from '../fixtures/clock.ts'
import { uninformed } from '../fixtures/uninformed.ts'

const REQUEST = parseRequest({
  chain: 'base',
  side: 'buy',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '1',
  slippageBps: 300,
} as never)

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

/** A provider that answers when it is told to. */
function telling(label: string) {
  const calls: { answer(out: bigint | Error): void; isCancelled: boolean }[] = []
  const provider: ProvedProvider = {
    label,
    freshMs: 10_000,
    chains: new Set(['base']),
    quote: (_order, { scope }) =>
      new Promise((resolve, reject) => {
        const call = {
          isCancelled: false,
          answer(out: bigint | Error): void {
            if (out instanceof Error) reject(out)
            else resolve(offer(out))
          },
        }
        calls.push(call)
        scope!.watch({
          cancel() {
            call.isCancelled = true
            reject(new GatewayError('upstream_unavailable', 'The call was given up.'))
          },
        })
      }),
    buildProved: () => Promise.reject(new Error('not built here')),
  }
  return { provider, calls, answer: (out: bigint | Error) => calls.at(-1)!.answer(out) }
}

const offer = (out: bigint): Offer => ({
  expectedOut: out,
  minOut: out - 1n,
  priceImpactPct: null,
  details: {},
  raw: '{}',
})

/** What a client got, and one that reads nothing until it is told to. */
function reader() {
  const told: string[] = []
  const sent: Quote[] = []
  let waiting: (() => void) | null = null
  const state = { isFull: false, isOver: false }
  const note = (event: Buffer): void => {
    const [, name, data] = /^event: (\w+)\n(?:id: end\n)?data: (.*)\n\n$/.exec(String(event))!
    const { quote, end } = JSON.parse(data!) as QuoteEventData
    if (quote !== null) sent.push(quote)
    told.push(
      quote === null
        ? `${name} ${end!.reason} ${end!.code}`
        : `${name} ${quote.provider} ${quote.expectedOut}`,
    )
  }
  const stream: EventStream = {
    client: 'one',
    lastEventId: null,
    send: note,
    whenRoom(callback) {
      if (state.isFull) waiting = callback
      else callback()
    },
    finish(event) {
      if (!state.isFull) note(event)
      state.isOver = true
    },
  }
  return {
    told,
    sent,
    stream,
    state,
    read(): void {
      state.isFull = false
      waiting?.()
    },
  }
}

type QuoteEventData = Static<typeof QuoteEvent>

function start(labels: readonly string[] = ['a', 'b'], fairOut: bigint | null = null) {
  const clock = handClock()
  const providers = labels.map((label) => telling(label))
  const quotes = new Quotes({
    providers: new Map([['base', providers.map(({ provider }) => provider)]]),
    decimals: {
      addTo: async (_chain: unknown, token: object) => ({ ...token, decimals: 6 }),
    } as unknown as Decimals,
    sealer: new Sealer('secret'),
    ...uninformed(clock),
    ...(fairOut !== null && {
      fairOf: async () => ({ out: fairOut, floor: fairOut / 2n, sources: ['x', 'y'] }) as never,
    }),
  })
  const scope = new CancellationScope()
  const client = reader()
  const faults: unknown[] = []
  const opened = streamQuotes({
    quotes,
    request: REQUEST,
    scope,
    clock,
    onFault: (error) => faults.push(error),
  })
  opened.catch(() => {})
  const listen = async () => (await opened).begin(client.stream)
  return { clock, providers, quotes, scope, opened, faults, listen, ...client }
}

t.test('each offer as it comes, then the best, and a late one where it is better', async (t) => {
  const { clock, providers, listen, told, sent } = start(['a', 'b', 'c'])
  const [a, b, c] = providers as [
    ReturnType<typeof telling>,
    ReturnType<typeof telling>,
    ReturnType<typeof telling>,
  ]
  await turns()
  b.answer(1_000_000n)
  const leave = await listen()
  t.same(told, ['offer b 1000000'], 'before the others have answered')
  a.answer(1_000_100n)
  await turns()
  t.same(told.slice(1), ['offer a 1000100'])
  clock.advance(1_500)
  await turns()
  t.same(told.slice(2), ['best a 1000100'])
  c.answer(2_000_000n)
  await turns()
  t.same(told.slice(3), ['offer c 2000000', 'best c 2000000'])
  t.same(sent[2]!.route.alternatives, [
    {
      provider: 'b',
      outcome: 'offered',
      expectedOut: '1000000',
      minOut: '999999',
      gasUsd: null,
      netOut: null,
      behindBps: 0,
    },
    { provider: 'c', outcome: 'late' },
  ])
  t.ok(sent.every(({ route }) => (route as { seal?: unknown }).seal))
  leave()
  t.equal(clock.waiting, 0, 'no timer stays')
})

t.test('a new offer is sent in the turn of its answer', async (t) => {
  const { providers, listen, told } = start()
  await turns()
  providers[0]!.answer(5n)
  const leave = await listen()
  providers[1]!.answer(6n)
  for (let i = 0; i < 20 && told.length < 2; i++) await Promise.resolve()
  t.equal(told[1], 'offer b 6', 'no timer, and no turn of the loop, is between')
  leave()
})

t.test('a newer offer is sent if it is better by more than the bound', async (t) => {
  const { clock, providers, listen, told } = start(['a'])
  await turns()
  providers[0]!.answer(1_000_000n)
  const leave = await listen()
  await turns()
  const again = async (out: bigint | GatewayError): Promise<void> => {
    clock.advance(AGAIN_MS)
    await turns()
    providers[0]!.answer(out)
    await turns()
  }
  // Of the better offer, a hundredth of a percent is one bps; they are rounded towards zero.
  const better = (bps: number): bigint => (1_000_000n * 10_000n) / (10_000n - BigInt(bps)) + 1n
  await again(better(BETTER_BPS))
  t.equal(told.length, 2)
  await again(900_000n)
  t.equal(told.length, 2, 'one that is worse is no news')
  await again(new GatewayError('no_route', 'No route.'))
  t.equal(told.length, 2, 'nor is that there is none now')
  await again(better(BETTER_BPS + 1))
  t.equal(told[2], `best a ${better(BETTER_BPS + 1)}`)
  t.equal(providers[0]!.calls.length, 5)
  leave()
})

t.test('it ends after its time, and says so', async (t) => {
  const { clock, providers, listen, told, state, scope } = start(['a'])
  await turns()
  providers[0]!.answer(1_000_000n)
  const leave = await listen()
  for (let ms = 0; ms < LASTS_MS; ms += AGAIN_MS) {
    await turns()
    t.notOk(state.isOver)
    clock.advance(AGAIN_MS)
    await turns()
    providers[0]!.answer(1_000_000n)
  }
  t.same(told.slice(2), ['end time null'])
  t.ok(state.isOver)
  leave()
  t.ok(scope.isCancelled)
  await turns()
  t.equal(clock.waiting, 0)
})

t.test('a client that leaves ends the calls and the timers, before and after the first offer', async (t) => {
  const early = start()
  await turns()
  early.scope.cancel()
  await t.rejects(early.opened, GatewayError)
  await turns()
  t.ok(early.providers.every(({ calls }) => calls[0]!.isCancelled))
  t.equal(early.clock.waiting, 0)

  const { clock, providers, listen, told } = start()
  await turns()
  providers[0]!.answer(5n)
  const leave = await listen()
  leave()
  await turns()
  t.ok(providers[1]!.calls[0]!.isCancelled)
  t.equal(clock.waiting, 0)
  t.equal(told.length, 1)
})

t.test(
  'a client that reads slowly gets one event at a time, and one that does not read holds nothing up',
  async (t) => {
    const { clock, providers, listen, told, state, read } = start()
    await turns()
    state.isFull = true
    providers[0]!.answer(5n)
    const leave = await listen()
    providers[1]!.answer(6n)
    await turns()
    t.same(told, [])
    read()
    t.same(told, ['offer a 5', 'offer b 6', 'best b 6'])
    state.isFull = true
    clock.advance(LASTS_MS)
    t.ok(state.isOver)
    leave()
  },
)

t.test('a fault in an event that was waiting for room ends the stream, too', async (t) => {
  const { providers, quotes, faults, listen, told, state, read } = start()
  await turns()
  state.isFull = true
  providers[0]!.answer(5n)
  const leave = await listen()
  const bug = new TypeError('a bug')
  quotes.quoteOf = () => {
    throw bug
  }
  read()
  t.same(faults, [bug])
  t.same(told, ['end failed internal_error'])
  leave()
})

t.test('identical requests share the race, and late ones get the earlier offers', async (t) => {
  const { clock, providers, quotes, listen, told } = start(['a', 'b', 'c'])
  const join = async () => {
    const joining = reader()
    const scope = new CancellationScope()
    const opened = await streamQuotes({
      quotes,
      request: REQUEST,
      scope,
      clock,
      onFault: (error) => t.fail(String(error)),
    })
    return { ...joining, leave: opened.begin(joining.stream) }
  }
  await turns()
  providers[0]!.answer(1_000_000n)
  const leave = await listen()
  const second = await join()
  t.same(second.told, ['offer a 1000000'], 'at once, while the others are awaited')
  providers[1]!.answer(1_000_100n)
  await turns()
  clock.advance(1_500)
  await turns()
  const decided = ['offer a 1000000', 'offer b 1000100', 'best b 1000100']
  t.same(told, decided)
  t.same(second.told, decided)
  const third = await join()
  t.same(third.told, decided, 'behind the decision')
  providers[2]!.answer(1_010_000n)
  await turns()
  t.same(told, [...decided, 'offer c 1010000', 'best c 1010000'])
  t.same(third.told, told)
  const last = await join()
  t.same(last.told, [...decided.slice(0, 2), 'offer c 1010000', 'best c 1010000'], 'with what came late')
  t.equal(last.sent[3]!.route.alternatives.length, 2)
  t.equal(providers[0]!.calls.length, 1)
  for (const one of [second, third, last]) one.leave()
  leave()
})

t.test("a client that joins another request's race gets the earlier offers", async (t) => {
  const { clock, providers, quotes, scope, opened, told, stream } = start(['a', 'b'])
  const quote = quotes.quote(REQUEST, null)
  await turns()
  providers[0]!.answer(5n)
  await turns()
  scope.cancel()
  await opened.catch(() => {})
  const late = await streamQuotes({
    quotes,
    request: REQUEST,
    scope: new CancellationScope(),
    clock,
    onFault: () => {},
  })
  const leave = late.begin(stream)
  t.same(told, ['offer a 5'])
  providers[1]!.answer(6n)
  t.equal((await quote).provider, 'b')
  await turns()
  t.same(told, ['offer a 5', 'offer b 6', 'best b 6'])
  leave()
})

t.test("without an offer it is a quote's error; offers below the floor are not sent", async (t) => {
  const none = start(['a'])
  await turns()
  none.providers[0]!.answer(new GatewayError('no_route', 'No route.'))
  await t.rejects(none.opened, { code: 'no_route' })

  const low = start(['a'], 1_000_000n)
  await turns()
  low.providers[0]!.answer(10n)
  await t.rejects(low.opened, { code: 'price_out_of_line' })
  low.scope.cancel()
  t.equal(low.clock.waiting, 0)
})

t.test("the gateway's own fault ends it, and is logged, but not sent to the client", async (t) => {
  const { clock, providers, listen, told, faults } = start(['a'])
  await turns()
  providers[0]!.answer(1_000_000n)
  const leave = await listen()
  await turns()
  clock.advance(AGAIN_MS)
  await turns()
  const bug = new TypeError('a bug')
  providers[0]!.answer(bug)
  await turns()
  t.same(faults, [bug])
  t.same(told.slice(2), ['end failed internal_error'])
  leave()
  t.equal(clock.waiting, 0)

  const early = start(['a'])
  await turns()
  early.providers[0]!.answer(bug)
  await t.rejects(early.opened, bug)
  t.same(early.faults, [], 'before it has begun the request is answered with it')
  early.scope.cancel()

  const refused = start(['a', 'b'])
  await turns()
  refused.providers[0]!.answer(1_000_000n)
  const leaveToo = await refused.listen()
  refused.providers[1]!.answer(new GatewayError('no_route', 'No route.'))
  await turns()
  t.same(refused.faults, [], "a refusal is none of the gateway's faults")
  leaveToo()
})
