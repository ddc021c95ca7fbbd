import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { refuseMaterial } from '../../../src/proof/verification.ts'
import { INVENTORY } from '../../../src/research/content/inventory.ts'
import { OperatorList } from '../../../src/research/list/operator-list.ts'
import { PUBLISHED } from '../../../src/routes/examples/content.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { listen, type TestGateway } from '../../fixtures/gateway.ts'
import { OpenApi } from '../../fixtures/openapi.ts'
import { blocksOf } from '../../fixtures/samples.ts'
import { fund, turn } from '../../fixtures/swaps.ts'

type Json = Record<string, unknown>

interface Shown {
  readonly schema: Json
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

/** By media type, of which each body has one: JSON, but for streams of events. */
type Content = Readonly<Record<string, Shown>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly 'x-stability'?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description: string
    readonly required: boolean
    readonly schema: Json
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Answer {
  readonly $ref?: string
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  readonly content: Content
}

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security: readonly unknown[]
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly headers: Readonly<Record<string, { readonly schema: Json; readonly example: unknown }>>
  }
}

/** An example of the document: what to send, and the 200 that it promises. */
interface Exchange {
  readonly request: Json
  readonly reply: Json
}

const FORM = [
  '/api/v2quote',
  '/api/basket/top',
  '/api/basket/plan',
  '/api/swap-options',
  '/api/desktop/swap-options',
] as const
const ROUTES = ['/api/quote', '/api/build', '/api/xquote', '/api/xstatus'] as const

/** The document, with what several operations answer in the place of the references to it. */
async function read(url: string): Promise<Document> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  for (const [, , { responses }] of operations(document)) {
    for (const [status, { $ref }] of Object.entries(responses)) {
      if ($ref !== undefined) Object.assign(responses, { [status]: shared(document, $ref) })
    }
  }
  return document
}

const shared = ({ components }: Document, reference: string): unknown =>
  components.responses[reference.slice(reference.lastIndexOf('/') + 1)]

function operations({ paths }: Document): [method: string, path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  )
}

const shownIn = (content: Content): Shown => Object.values(content)[0]!

const valuesOf = ({ example, examples = {} }: Shown): [name: string, value: unknown][] => [
  ...(example === undefined ? [] : [['example', example] as [string, unknown]]),
  ...Object.entries(examples).map(([name, { value }]): [string, unknown] => [name, value]),
]

/** The exchanges of one operation, put together by their names. */
function exchanges({ parameters = [], requestBody, responses }: Operation): Map<string, Exchange> {
  const replies = valuesOf(shownIn(responses[200]!.content))
  const bodies = new Map(requestBody === undefined ? [] : valuesOf(shownIn(requestBody.content)))
  return new Map(
    replies.map(([name, reply]) => {
      const given = parameters.flatMap(({ name: parameter, examples = {} }) =>
        examples[name] === undefined ? [] : [[parameter, examples[name].value]],
      )
      const request = (bodies.get(name) ?? Object.fromEntries(given)) as Json
      return [name, { request, reply: reply as Json }]
    }),
  )
}

const queryOf = (values: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** The path with the values of its own parameters, and those of the query. */
function filled(path: string, request: Json): { url: string; rest: Record<string, string> } {
  const values = Object.entries(queryOf(request))
  const isInPath = (name: string): boolean => path.includes(`{${name}}`)
  return {
    url: values.reduce((url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)), path),
    rest: Object.fromEntries(values.filter(([name]) => !isInPath(name))),
  }
}

async function send(url: string, path: string, request: Json): Promise<{ status: number; body: Json }> {
  const response =
    path === '/api/build'
      ? await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
        })
      : await fetch(`${url}${path}?${new URLSearchParams(queryOf(request))}`)
  return { status: response.status, body: (await response.json()) as Json }
}

/** Names and types without the values: an array's are those of its members, each once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((member) => JSON.stringify(shapeOf(member))))].sort()
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  const members = Object.entries(value).map(([name, member]) => {
    // The provider's own answer, as JSON text.
    return [name, name === 'raw' ? shapeOf(JSON.parse(String(member))) : shapeOf(member)] as const
  })
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const proved = (reply: Json) => reply.verification as { checks: string[]; bytes?: number }

const lifted = (t: Test): Promise<TestGateway> => listen(t, { LIMITS: 'swap=off' })

/** The document of a gateway that nobody asks anything else. */
const documentOf = async (t: Test): Promise<Document> =>
  read((await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', LIMITS: 'swap=off' })).url)

t.test('tells a generator of clients all that it asks for', async (t) => {
  const document = await documentOf(t)
  t.equal(document.openapi, '3.1.0')
  t.same(document.security, [], 'nobody is authenticated')
  const all = operations(document)
  t.equal(new Set(all.map(([, , { operationId }]) => operationId)).size, all.length)
  const ajv = new Ajv2020({ validateFormats: false, keywords: ['components'] })
  const compiles = (schema: Json) => ajv.compile({ ...schema, components: document.components }) !== null
  for (const [method, path, { operationId, summary, description, ...rest }] of all) {
    const { parameters = [], requestBody, responses } = rest
    t.match(operationId, /^(get|post)[A-Za-z][A-Za-z0-9]+$/)
    t.match(summary, /^[A-Z].*[^.]$/, path)
    t.notMatch(description ?? '', /Infinity|undefined/, path)
    t.equal(requestBody !== undefined, method === 'post', path)
    for (const { name, in: place, description: meaning, schema } of parameters) {
      t.ok(meaning, `${path} ${name}`)
      t.equal(place, path.includes(`{${name}}`) ? 'path' : 'query')
      t.ok(compiles(schema), `${path} ${name}`)
    }
    if (requestBody !== undefined) t.ok(compiles(shownIn(requestBody.content).schema), path)
    t.ok('200' in responses, path)
    for (const [status, { description: meaning, headers, content }] of Object.entries(responses)) {
      t.ok(meaning, `${path} ${status}`)
      for (const name of ['X-Request-Id', 'Server-Timing']) t.ok(name in headers, `${path} ${status} ${name}`)
      for (const [name, { $ref }] of Object.entries(headers)) {
        t.equal($ref, `#/components/headers/${name}`)
        t.ok(name in document.components.headers, name)
      }
      t.ok(compiles(shownIn(content).schema), `${path} ${status}`)
    }
  }
})

t.test('marks the routes whose contracts are ours alone', async (t) => {
  const { paths } = await documentOf(t)
  for (const path of ['/api/health', '/api/config', '/api/rebroadcast', '/api/transaction-status']) {
    t.equal(paths[path]!.get!['x-stability'], 'unverified', path)
  }
  t.notOk('x-stability' in paths['/api/quote']!.get!)
})

t.test('a parameter that has a default may be left out', async (t) => {
  const { paths } = await documentOf(t)
  const required = (path: string) =>
    paths[path]!.get!.parameters!.filter((parameter) => parameter.required).map(({ name }) => name)
  t.same(required('/api/quote'), ['chain', 'side', 'token', 'amount'])
  t.same(required('/api/xquote'), ['fromChain', 'toChain', 'amount', 'from'])
  t.same(required('/api/xstatus'), ['txHash'])
})

t.test('every example is valid by the schema beside it', async (t) => {
  const document = await documentOf(t)
  const api = new OpenApi(document as unknown as Json)
  const looked = new Set<Answer>()
  for (const [method, path, operation] of operations(document)) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      // What several operations answer is looked at once.
      if (looked.has(answer)) continue
      looked.add(answer)
      const { content } = answer
      t.ok(valuesOf(shownIn(content)).length > 0, `${path} ${status} has an example`)
      for (const [name, value] of valuesOf(shownIn(content))) {
        t.same(api.response(method, path, Number(status), value), [], `${path} ${status} ${name}`)
      }
    }
    for (const [name, value] of valuesOf(
      operation.requestBody ? shownIn(operation.requestBody.content) : { schema: {} },
    )) {
      t.same(api.request(method, path, { body: value }), [], `${path} body ${name}`)
    }
    if (method !== 'get') continue
    for (const [name, { request }] of exchanges(operation)) {
      if (Object.keys(request).length === 0) continue
      const { url, rest } = filled(path, request)
      t.same(api.request(method, url, { query: rest }), [], `${path} query ${name}`)
    }
  }
  const ajv = new Ajv2020()
  for (const [name, { schema, example }] of Object.entries(document.components.headers)) {
    t.ok(ajv.validate(schema, example), name)
  }
  for (const path of ROUTES) {
    const { get, post } = document.paths[path]!
    const { responses } = (get ?? post)!
    t.ok(exchanges((get ?? post)!).size >= 2, path)
    for (const status of [400, 502])
      t.equal(valuesOf(shownIn(responses[status]!.content)).length, 1, `${path} ${status}`)
  }
})

/** The market's prices stand still for so long. */
const STEP_MS = 3_000

/** Puts the sandbox's clock to the beginning of the next step of its prices. */
function toNextStep(t: Test): void {
  const { now } = Date
  const skewMs = STEP_MS - (now() % STEP_MS)
  Date.now = () => now() + skewMs
  t.teardown(() => {
    Date.now = now
  })
}

t.test('the examples are what the service answers to them', async (t) => {
  const gateway = await lifted(t)
  const { url } = gateway
  const { paths } = await read(url)
  const [quotes, builds, crossChainSwaps] = [
    paths['/api/quote']!.get!,
    paths['/api/build']!.post!,
    paths['/api/xquote']!.get!,
  ].map(exchanges) as [Map<string, Exchange>, Map<string, Exchange>, Map<string, Exchange>]
  t.same([...quotes.keys()], [...builds.keys()])
  // So that a node simulates its swap without complaint.
  await fund(gateway.sandbox!.solanaRpc, String(quotes.get('solana')!.request.from))
  for (const [name, { request, reply }] of quotes) {
    // Where a step of the prices falls between the providers of one quote, another of them wins.
    toNextStep(t)
    const quote = await send(url, '/api/quote', request)
    t.equal(quote.status, 200, name)
    t.same(shapeOf(quote.body), shapeOf(reply), name)

    const example = builds.get(name)!
    t.same(example.request, { ...request, quote: reply }, 'it is built from the quote of the same name')
    const built = await send(url, '/api/build', { ...example.request, quote: quote.body })
    t.equal(built.status, 200, name)
    t.same(shapeOf(built.body), shapeOf(example.reply), name)
    t.same(proved(built.body).checks, proved(example.reply).checks, name)
    t.same([example.reply.expectedOut, example.reply.minOut], [reply.expectedOut, reply.minOut])
  }
  await fund(gateway.sandbox!.solanaRpc, String(crossChainSwaps.get('solana')!.request.from))
  for (const [name, { request, reply }] of crossChainSwaps) {
    const crossChain = await send(url, '/api/xquote', request)
    t.equal(crossChain.status, 200, name)
    t.same(shapeOf(crossChain.body), shapeOf(reply), name)
    t.same(proved(crossChain.body).checks, proved(reply).checks, name)
  }
  for (const { reply } of [...builds.values(), ...crossChainSwaps.values()]) {
    const material = reply.solanaTransaction ?? reply.suiTransaction ?? null
    if (material === null) continue
    t.equal(Buffer.from(String(material), 'base64').length, proved(reply).bytes, 'nothing is cut off')
  }
})

t.test('what is shown of research is what the service answers', async (t) => {
  let now = 0
  const { url } = await listen(t, {}, { clock: clockOf({ now: () => now }) })
  const { paths } = await read(url)
  const shown = (path: string): Json => exchanges(paths[path]!.get!).get('example')!.reply
  const answer = async (path: string): Promise<Json> => (await (await fetch(`${url}${path}`)).json()) as Json

  const discovered = ['lookup', 'tokens'].map((operation) => `/api/discover/${operation}`)
  for (const path of ['/api/native-price', '/api/native-history', ...discovered]) {
    for (const [name, { request, reply }] of exchanges(paths[path]!.get!)) {
      const told = await answer(`${path}?${new URLSearchParams(queryOf(request))}`)
      t.same(shapeOf(told), shapeOf(reply), `${path} ${name}`)
    }
  }

  const balances = exchanges(paths['/api/balances']!.get!).get('both')!
  const held = await answer(`/api/balances?${new URLSearchParams(queryOf(balances.request))}`)
  t.same(shapeOf(held), shapeOf(balances.reply), 'balances')
  t.same(
    Object.keys(await answer('/api/health')).sort(),
    [...Object.keys(shown('/api/health')), 'sandbox'].sort(),
  )

  // What happens differs; how it is told does not.
  const namesIn = ({ items }: Json) => [
    ...new Set((items as Json[]).map((item) => `${Object.keys(item)} ${Object.keys(item.token as Json)}`)),
  ]
  t.same(
    namesIn(await answer('/api/discover/feed?limit=2')),
    namesIn([...exchanges(paths['/api/discover/feed']!.get!).values()][0]!.reply),
  )

  const profile = shown('/api/token/{chain}/{address}')
  const { chain, token } = profile
  t.same(shapeOf(await answer(`/api/token/${chain}/${token}`)), shapeOf(profile))

  const list = shown('/api/tokens')
  const rowsOf = ({ tokens }: Json) => tokens as Json[]
  const addresses = new Set(rowsOf(list).map(({ address }) => address))
  let told: Json
  do {
    // What a rebuild finds out of a token's risks is in the next edition.
    now += 10_000
    told = await answer('/api/tokens?all=true&scope=base')
  } while (!rowsOf(told).some(({ gate, symbol }) => gate !== undefined && symbol === 'HONEY'))
  const tokens = rowsOf(told).filter(({ address }) => addresses.has(address))
  t.same(shapeOf({ ...told, tokens }), shapeOf(list))
})

t.test('what is shown of the community is what an operator with that content answers', async (t) => {
  const files = Object.entries(PUBLISHED).map(([name, items]) => [
    `${name}.jsonl`,
    items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  ])
  const { url } = await listen(t, { CONTENT_DIR: t.testdir(Object.fromEntries(files)) })
  const { paths } = await read(url)
  for (const { path } of INVENTORY) {
    const { request, reply } = exchanges(paths[path]!.get!).get('published')!
    const asked = filled(path, request)
    const response = await fetch(`${url}${asked.url}?${new URLSearchParams(asked.rest)}`)
    t.same(await response.json(), reply, path)
  }
})

t.test('what is shown of the swap form is what the service answers', async (t) => {
  const { url } = await lifted(t)
  const { paths } = await read(url)
  // The list's prices, which are known once it was read.
  await (await fetch(`${url}/api/tokens`)).arrayBuffer()
  // Whether a token's risks were told of by now is a matter of moments.
  const settled = (reply: Json): unknown =>
    JSON.parse(JSON.stringify(reply, (name, value) => (/^(checkedTs|warnings)$/.test(name) ? 0 : value)))
  for (const path of FORM) {
    const shown = exchanges(paths[path]!.get!)
    t.ok(shown.size > 0, path)
    for (const [name, { request, reply }] of shown) {
      const { status, body } = await send(url, path, request)
      t.equal(status, 200, `${path} ${name}`)
      t.same(shapeOf(settled(body)), shapeOf(settled(reply)), `${path} ${name}`)
    }
  }
})

t.test('the status of a cross-chain swap is shown as it goes', async (t) => {
  let now = Date.UTC(2026, 10, 20, 12)
  const sandbox = await startSandbox({ now: () => now })
  t.teardown(() => sandbox.close())
  const { url } = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    RPC_URLS_BASE: sandbox.evmUrl('base'),
    XPROV_URL: sandbox.urls.xprov!,
  })
  const { paths } = await read(url)
  const crossChain = exchanges(paths['/api/xquote']!.get!).get('evm')!
  const shown = exchanges(paths['/api/xstatus']!.get!)
  t.same([...shown.keys()], ['unknown', 'pending', 'done'])
  const { transactionId } = (await send(url, '/api/xquote', crossChain.request)).body
  for (const [name, { request, reply }] of shown) {
    t.equal(request.txHash, crossChain.reply.transactionId, 'it is the cross-chain swap that xquote shows')
    const { status, body } = await send(url, '/api/xstatus', { ...request, txHash: transactionId })
    t.equal(status, 200, name)
    t.same(shapeOf(body), shapeOf(reply), name)
    t.same([body.status, body.substatus], [reply.status, reply.substatus], name)
    now += 8_000
  }
})

t.test('the errors are what the service answers, word for word', async (t) => {
  const gateway = await lifted(t)
  const { url } = gateway
  const { paths } = await read(url)
  const first = (path: string): Exchange => {
    const { get, post } = paths[path]!
    return [...exchanges((get ?? post)!).values()][0]!
  }
  const shown = (path: string, status: number): unknown => {
    const { get, post } = paths[path]!
    return shownIn((get ?? post)!.responses[status]!.content).example
  }
  const [quote, build, crossChain] = ['/api/quote', '/api/build', '/api/xquote'].map(first) as [
    Exchange,
    Exchange,
    Exchange,
  ]
  const { to: _, ...withoutRecipient } = crossChain.request
  const refused: [path: string, request: Json][] = [
    ['/api/quote', { ...quote.request, side: 'buy', amount: '0.000000000000000001' }],
    ['/api/build', { ...build.request, amount: '251' }],
    ['/api/xquote', withoutRecipient],
    ['/api/xstatus', { txHash: 'nonsense' }],
  ]
  for (const [path, request] of refused) {
    t.same(await send(url, path, request), { status: 400, body: shown(path, 400) }, path)
  }
  await turn(gateway, 'jupiter', '500')
  const { request } = exchanges(paths['/api/quote']!.get!).get('solana')!
  t.same(await send(url, '/api/quote', request), { status: 502, body: shown('/api/quote', 502) })
  await turn(gateway, 'xprov', 'garbage')
  t.same(await send(url, '/api/xstatus', first('/api/xstatus').request), {
    status: 502,
    body: shown('/api/xstatus', 502),
  })
  // No dial makes the sandbox's providers cheat; test/proof has what they would be caught at.
  for (const [path, rule] of [
    ['/api/build', 'fee_payer'],
    ['/api/xquote', 'recipient'],
  ] as const) {
    const { message, scope, code, fields } = refuseMaterial(rule)
    t.same(shown(path, 502), { error: message, scope, code, ...fields }, path)
  }
})

t.test('the documents show the same replies, shortened', async (t) => {
  const { paths } = await documentOf(t)
  const told = (page: string): Json[] =>
    blocksOf(`docs/${page}.md`)
      .filter(({ language }) => language === 'json')
      .map(({ text }) => JSON.parse(text) as Json)
  const shown = (path: string, name: string): Json => {
    const { get, post } = paths[path]!
    return exchanges((get ?? post)!).get(name)!.reply
  }
  const [list, tokensFile, profile, ...others] = told('research')
  const path = `${t.testdir({ 'tokens.json': JSON.stringify(tokensFile) })}/tokens.json`
  t.same(new OperatorList([path], loggerTo({ write: () => {} }, 'info')).tokens.length, 2)
  t.same(others, [])
  const swaps = told('swaps')
  const pairs: [told: Json | undefined, shown: Json][] = [
    [swaps.shift(), shown('/api/quote', 'evm')],
    ...['evm', 'solana', 'sui', 'ton'].map((name): [Json | undefined, Json] => [
      swaps.shift(),
      shown('/api/build', name),
    ]),
    [swaps.shift(), shown('/api/transaction-status', 'swap')],
    [swaps.shift(), shown('/api/receipt', 'swap')],
    [swaps.shift(), shown('/api/allowance', 'read on chain')],
    [swaps.shift(), shown('/api/allowance', 'by an approval')],
    [swaps.shift(), shown('/api/xquote', 'evm')],
    [swaps.shift(), shown('/api/xstatus', 'done')],
    [list, shown('/api/tokens', 'example')],
    [profile, shown('/api/token/{chain}/{address}', 'example')],
    // The first is what the faucet answers.
    [told('portfolio')[1], shown('/api/portfolio', 'both')],
  ]
  t.equal(swaps.length, 4, 'the rest is about providers that fail, or rob')
  for (const [short, whole] of pairs) {
    t.same(Object.keys(short!), Object.keys(whole))
    t.ok(shortens(short, whole), JSON.stringify(short).slice(0, 80))
  }
})

/** Whether a value says the same as another, but for texts and lists cut at `...` and members left out. */
function shortens(short: unknown, whole: unknown): boolean {
  if (typeof short === 'string' && short.endsWith('...')) return String(whole).startsWith(short.slice(0, -3))
  if (typeof short !== 'object' || short === null) return short === whole
  if (typeof whole !== 'object' || whole === null) return false
  if (Array.isArray(short) && short.at(-1) === '...') {
    return shortens(short.slice(0, -1), (whole as unknown[]).slice(0, short.length - 1))
  }
  if (Array.isArray(short) && short.length !== (whole as unknown[]).length) return false
  return Object.entries(short).every(([name, member]) => shortens(member, (whole as Json)[name]))
}
