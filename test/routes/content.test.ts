import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { SAMPLE } from '../../src/sandbox/content.ts'
import { COMMUNITY, contentDir, linesOf } from '../fixtures/community.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { OpenApi } from '../fixtures/openapi.ts'

type Json = Record<string, unknown>

interface Listed {
  readonly items: readonly { readonly id: string }[]
  readonly next?: string | null
}

const PLAYER = '0x1111111111111111111111111111111111111111'
const OTHER = '0x2222222222222222222222222222222222222222'

/** A live gateway whose node nobody asks. */
const live = (t: Test, environment: Record<string, string> = {}): Promise<TestGateway> =>
  listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', ...environment })

const published = (t: Test): Promise<TestGateway> => live(t, { CONTENT_DIR: contentDir(t) })

async function read(url: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(url)
  return { status: response.status, body: (await response.json()) as Json }
}

const list = async (url: string): Promise<Listed> => (await read(url)).body as unknown as Listed
const idsOf = ({ items }: Listed) => items.map(({ id }) => id)

/** A request for a path of the inventory, with these values of its parameters. */
function requestOf(path: string, values: Readonly<Record<string, string>>): string {
  const { operation, ...query } = path === '/api/game/me' ? { wallet: PLAYER, ...values } : values
  const text = new URLSearchParams(query).toString()
  return path.replace('{operation}', operation ?? 'list') + (text === '' ? '' : `?${text}`)
}

t.test('the paths of the group are those of the inventory', async (t) => {
  const { url } = await live(t)
  const paths = (await read(`${url}/openapi.json`)).body.paths as Record<
    string,
    { get?: { tags?: string[] } }
  >
  const ours = Object.keys(paths).filter((path) => paths[path]!.get?.tags?.[0] === 'Community')
  t.same(ours.sort(), Object.keys(COMMUNITY).sort())
})

t.test('without content, lists are empty and single items are not found', async (t) => {
  const { url } = await live(t)
  const document = (await read(`${url}/openapi.json`)).body
  const api = new OpenApi(document)
  const singles = ['/api/social/invites/text', '/api/game/me']
  const fixed = ['/api/reels/inbox/seen', '/api/reels/official/upload-session', '/api/push/status']
  for (const path of Object.keys(COMMUNITY)) {
    const { status, body } = await read(url + requestOf(path, {}))
    if (singles.includes(path))
      t.match({ status, body }, { status: 404, body: { code: 'item_not_found' } }, path)
    else if (fixed.includes(path)) t.equal(status, 200, path)
    else t.match({ status, body }, { status: 200, body: { items: { length: 0 } } }, path)
    t.same(api.response('get', path, status, body), [], path)
    if (!path.includes('{')) continue
    const missing = await read(url + requestOf(path, { operation: 'none-such' }))
    t.match(missing, { status: 404, body: { code: 'item_not_found', scope: 'not_found' } }, path)
  }
})

t.test('the sandbox has something to show at every path that is not about its caller', async (t) => {
  const { url } = await listen(t)
  const anonymous: string[] = []
  for (const path of Object.keys(COMMUNITY)) {
    const { status, body } = await read(url + requestOf(path, {}))
    t.equal(status, 200, path)
    if ('anonymous' in body) anonymous.push(path)
    else if ('items' in body) t.ok((body.items as unknown[]).length > 0, path)
  }
  t.same(anonymous, [
    '/api/reels/appeals',
    '/api/reels/inbox/seen',
    '/api/reels/liked',
    '/api/reels/mine',
    '/api/social/invites/me',
    '/api/game/delegates',
  ])
  t.same((await read(`${url}/api/reels/inbox/seen`)).body, { seen: null, anonymous: true })
  t.same((await read(`${url}/api/reels/mine`)).body, { items: [], anonymous: true })
  t.same((await read(`${url}/api/push/status`)).body, { available: false })
})

t.test('an operation is the whole list, one item, or nothing', async (t) => {
  const { url } = await published(t)
  t.same(idsOf(await list(`${url}/api/reels/list`)), ['week-46', 'read-a-quote', 'first-swap'])
  t.same((await read(`${url}/api/reels/first-swap`)).body, SAMPLE.reels![0])
  t.match(await read(`${url}/api/reels/none-such`), { status: 404, body: { code: 'item_not_found' } })
  t.match(await read(`${url}/api/arcade/first-swap`), { status: 404 }, 'of another collection')
  t.match(
    (await read(`${url}/api/reels/feed`)).body,
    { next: null },
    'a path of its own comes before an item',
  )
  t.match((await read(`${url}/api/reels/%66eed`)).status, 404, 'in one spelling')
  for (const path of ['/api/reels', '/api/reels/', '/api/reels/moderation', '/api/reels/first-swap/video']) {
    t.match(await read(url + path), { status: 404, body: { code: 'not_found' } }, path)
  }
})

t.test('a page continues where the last one ended, whatever changed in between', async (t) => {
  const folder = contentDir(t)
  const gateway = await live(t, { CONTENT_DIR: folder })
  const feed = `${gateway.url}/api/reels/feed`
  const first = await list(`${feed}?limit=1`)
  t.same(idsOf(first), ['week-46'])
  const newer = { ...SAMPLE.reels![0]!, id: 'newer', at: '2026-11-20T00:00:00Z' }
  // The item that the cursor is of goes, and a newer one comes.
  const reels = [newer, ...SAMPLE.reels!.filter(({ id }) => id !== 'week-46')]
  writeFileSync(join(folder, 'reels.jsonl'), linesOf(reels))
  await gateway.reload()
  t.same(idsOf(await list(feed)), ['newer', 'read-a-quote', 'first-swap'])
  const second = await list(`${feed}?limit=1&cursor=${first.next}`)
  t.same(idsOf(second), ['read-a-quote'])
  const third = await list(`${feed}?limit=1&cursor=${second.next}`)
  t.same(idsOf(third), ['first-swap'])
  t.equal(third.next, null)
})

t.test('a cursor is refused at another path, under another filter, and when it was edited', async (t) => {
  const { url } = await published(t)
  const { next } = await list(`${url}/api/reels/feed?limit=1&tab=learn`)
  t.same(idsOf(await list(`${url}/api/reels/feed?tab=learn&cursor=${next}`)), ['first-swap'])
  const last = next!.at(-1) === 'A' ? 'B' : 'A'
  const refused: [request: string, field: string][] = [
    [`/api/reels/feed?cursor=${next}`, 'cursor'],
    [`/api/reels/feed?tab=news&cursor=${next}`, 'cursor'],
    [`/api/reels/feed?tab=learn&cursor=${next!.slice(0, -1)}${last}`, 'cursor'],
    [`/api/reels/inbox?before=${next}`, 'before'],
    [`/api/reels/moderation/avatars?before=${next}`, 'before'],
  ]
  for (const [request, field] of refused) {
    t.match(await read(url + request), { status: 400, body: { code: 'invalid_parameter', field } }, request)
  }
})

t.test("instances with the same QUOTE_SECRET take each other's cursors", async (t) => {
  const environment = { CONTENT_DIR: contentDir(t), QUOTE_SECRET: 'x'.repeat(32) }
  const [one, other] = [await live(t, environment), await live(t, environment)]
  const { next } = await list(`${one.url}/api/reels/feed?limit=2`)
  t.same(idsOf(await list(`${other.url}/api/reels/feed?cursor=${next}`)), ['first-swap'])
  const stranger = await live(t, { CONTENT_DIR: environment.CONTENT_DIR })
  t.equal((await read(`${stranger.url}/api/reels/feed?cursor=${next}`)).status, 400)
})

t.test('parameters filter by what the items say', async (t) => {
  const { url } = await published(t)
  const cases: [request: string, ids: string[]][] = [
    ['/api/reels/feed?tab=news', ['week-46']],
    ['/api/reels/feed?limit=2', ['week-46', 'read-a-quote']],
    ['/api/reels/people?q=EXPLAINS', ['ada']],
    ['/api/reels/people?q=a', ['ada', 'grace']],
    ['/api/reels/people?q=.', []],
    ['/api/reels/moderation/appeals', ['case-1']],
    ['/api/reels/moderation/audit?reelId=first-swap', ['case-2']],
    ['/api/reels/moderation/audit?reelId=week-46', []],
    ['/api/reels/moderation/avatars?key=fox', ['case-3']],
    ['/api/reels/moderation/avatars?key=owl', []],
    ['/api/game/leaderboard', ['main-all-1', 'main-all-2']],
    ['/api/game/leaderboard?limit=1', ['main-all-1']],
    ['/api/game/leaderboard?window=week', ['main-week-1']],
    ['/api/game/leaderboard?board=other', []],
    ['/api/game/achievements', ['first-build', 'explorer']],
    [`/api/game/achievements?wallet=${PLAYER}`, ['explorer']],
    [`/api/game/achievements?wallet=${OTHER}`, []],
    ['/api/social/providers?code=abc&state=xyz', ['forum']],
  ]
  for (const [request, ids] of cases) t.same(idsOf(await list(url + request)), ids, request)
  t.match((await read(`${url}/api/game/me?wallet=${PLAYER}`)).body, { id: 'ada' })
  t.match(await read(`${url}/api/game/me?wallet=${OTHER}`), { status: 404, body: { code: 'item_not_found' } })
  t.match(await read(`${url}/api/game/me`), { status: 400, body: { field: 'wallet' } })
})

t.test('lists are compressed, and known again by their tags until the content changes', async (t) => {
  const folder = contentDir(t)
  const gateway = await live(t, { CONTENT_DIR: folder })
  const path = `${gateway.url}/api/announcements`
  const first = await fetch(path, { headers: { 'accept-encoding': 'br' } })
  t.equal(first.headers.get('content-encoding'), 'br')
  t.equal(((await first.json()) as Listed).items.length, 2)
  const again = { headers: { 'accept-encoding': 'br', 'if-none-match': first.headers.get('etag')! } }
  t.equal((await fetch(path, again)).status, 304)
  writeFileSync(join(folder, 'announcements.jsonl'), '')
  await gateway.reload()
  const changed = await fetch(path, again)
  t.equal(changed.status, 200)
  t.same(await changed.json(), { items: [] })
})

t.test('what a sign-in would bring is not logged', async (t) => {
  const { url, log } = await published(t)
  await read(`${url}/api/social/providers?code=sEcReT&state=sEcReT`)
  t.match(log.at(-1), { route: '/api/social/providers', status: 200 })
  t.notMatch(JSON.stringify(log), /sEcReT/)
})

t.test('bad content ends the start', async (t) => {
  const folder = contentDir(t, { reels: '{}' })
  await t.rejects(live(t, { CONTENT_DIR: folder }), {
    name: 'ConfigError',
    message: /^CONTENT_DIR: reels\.jsonl:1: `item\.id` is required/,
  })
})

t.test('what the specification withholds (§4.11) is not served', async (t) => {
  const { url } = await published(t)
  for (const path of [
    '/api/admin',
    '/api/wallet',
    '/api/arcade-lab',
    '/api/rpc',
    '/api/qr',
    '/api/v2build',
    '/api/xplan',
  ]) {
    for (const method of ['GET', 'POST']) {
      for (const rest of ['', '/list', '?wallet=x']) {
        const response = await fetch(url + path + rest, { method })
        t.equal(response.status, 404, `${method} ${path}${rest}`)
        t.match(await response.json(), { code: 'not_found' })
      }
    }
  }
})
