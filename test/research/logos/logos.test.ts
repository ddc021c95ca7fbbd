import t from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { Logos } from '../../../src/research/logos/logos.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { handClock, until } from '../../fixtures/clock.ts'
import { PNG as PICTURE } from '../../fixtures/png.ts'

const HOUR_MS = 3_600_000
const url = (i: number): string => `https://logos.example/${i}.png`

/** Logos whose files a test answers. */
function start() {
  const clock = handClock()
  const asked: { url: string; client: string; answer(file: Buffer | GatewayError): void }[] = []
  const logos = new Logos({
    clock,
    namedFor: (chain, address) => (chain === 'base' ? url(Number(address)) : null),
    files: {
      get: ({ url, call: { scope } }) =>
        new Promise((resolve, reject) => {
          const answer = (file: Buffer | GatewayError): void =>
            file instanceof GatewayError ? reject(file) : resolve(file)
          asked.push({ url, client: scope.client, answer })
          scope.watch({ cancel: () => reject(new GatewayError('upstream_unavailable', 'given up')) })
        }),
    },
  })
  const get = (i: number, client = 'a', scope = new CancellationScope(client)) => {
    const answer = logos.get(url(i), scope)
    answer.catch(() => {})
    return answer
  }
  const getAt = (url: string, client: string) => {
    const answer = logos.get(url, new CancellationScope(client))
    answer.catch(() => {})
    return answer
  }
  return { clock, logos, asked, get, getAt }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

t.test('only what a list names has a URL', async (t) => {
  const { logos } = start()
  t.equal(logos.urlOf('base', '7'), url(7))
  t.throws(() => logos.urlOf('ethereum', '7'), { code: 'logo_not_found', status: 404 })
})

t.test('identical requests share a fetch, and the result is kept for a day', async (t) => {
  const { clock, logos, asked, get } = start()
  const [first, second] = [get(1), get(1, 'b')]
  await turns()
  t.equal(asked.length, 1)
  t.ok(logos.isCached(url(1), 'c'))
  asked[0]!.answer(PICTURE)
  t.equal(await first, await second)
  t.match((await first).medium, { contentType: 'image/png', cacheControl: 'public, max-age=86400' })
  clock.advance(24 * HOUR_MS - 1)
  t.equal(await get(1, 'c'), await first)
  t.ok(logos.isCached(url(1), 'c'))
  t.match(logos.cache, { asked: 1, coalesced: 1, cached: 1, entries: 1 })
  clock.advance(2)
  t.notOk(logos.isCached(url(1), 'c'))
})

t.test(
  'what fails is not asked again at once: a host for minutes, what is no picture for an hour',
  async (t) => {
    const { clock, asked, get } = start()
    const unreachable = get(1)
    await turns()
    asked[0]!.answer(new GatewayError('upstream_unavailable', 'no host'))
    await t.rejects(unreachable, { code: 'upstream_unavailable' })
    await t.rejects(get(1, 'b'), { code: 'upstream_unavailable' })
    t.equal(asked.length, 1)
    clock.advance(HOUR_MS / 12 + 1)
    get(1)
    await turns()
    t.equal(asked.length, 2)
    asked[1]!.answer(Buffer.from('<svg/>'))
    await t.rejects(get(1), { code: 'upstream_unusable', status: 502, scope: 'provider' })
    clock.advance(HOUR_MS - 1)
    await t.rejects(get(1), { code: 'upstream_unusable' })
    t.equal(asked.length, 2)
    clock.advance(2)
    get(1)
    await turns()
    t.equal(asked.length, 3)
  },
)

t.test('one client has four fetches at once, and a second one is not kept waiting by it', async (t) => {
  const { clock, asked, get } = start()
  const many = Array.from({ length: 80 }, (_, i) => get(i))
  await turns()
  t.equal(asked.length, 4)
  const other = get(100, 'b')
  await turns()
  t.equal(asked.at(-1)!.client, 'b')
  asked.at(-1)!.answer(PICTURE)
  t.ok(await other)
  await t.rejects(many.at(-1)!, { code: 'overloaded' }, 'more than wait in its queue are refused at once')
  asked[0]!.answer(PICTURE)
  t.ok(await many[0])
  await until(() => asked.length === 6)
  clock.advance(5_000)
  await t.rejects(many[20]!, { code: 'overloaded' }, 'and so are those that wait too long')
  const shared = get(20, 'b')
  await turns()
  asked.at(-1)!.answer(PICTURE)
  t.ok(await shared, 'which is not kept from others')
})

t.test('eight fetches at once are all of one host, and slow hosts keep no other waiting', async (t) => {
  const { asked, get, getAt } = start()
  for (const client of ['a', 'b', 'c']) for (let i = 0; i < 4; i++) get(client.charCodeAt(0) * 10 + i, client)
  await turns()
  t.equal(asked.length, 8)
  const other = getAt('https://fast.example/1.png', 'd')
  await turns()
  t.equal(asked.length, 9)
  asked.at(-1)!.answer(PICTURE)
  t.ok(await other)
  asked[0]!.answer(PICTURE)
  await until(() => asked.length === 10)
  t.match(asked.at(-1)!.url, 'https://logos.example/', 'who waits gets the place that came free')
})

t.test("a fetch without waiting clients is cancelled, which is not its host's failure", async (t) => {
  const { asked, logos, get } = start()
  const scope = new CancellationScope('a')
  const left = get(1, 'a', scope)
  await turns()
  scope.cancel()
  await t.rejects(left, GatewayError)
  t.notOk(logos.isCached(url(1), 'a'))
  get(1)
  await turns()
  t.equal(asked.length, 2)
})
