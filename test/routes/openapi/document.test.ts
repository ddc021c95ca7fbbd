import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { SCHEMAS } from '../../../src/relay/methods/methods.ts'
import { INVENTORY } from '../../../src/research/content/inventory.ts'
import { OperatorList } from '../../../src/research/list/operator-list.ts'
import content from '../../../src/routes/examples/content.json' with { type: 'json' }
import { asComponent } from '../../../src/routes/openapi/schemas.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { METHOD_NAMES, type MethodName } from '../../../src/runtime/resources/solrpc.ts'
import {
  type Document,
  type DocumentedResponse,
  exchanges,
  exchangesAt,
  filled,
  type Json,
  operations,
  readDocument,
  shownIn,
  valuesOf,
} from '../../fixtures/document.ts'
import {
  crossChainStatus,
  errors,
  holdExamples,
  portfolio,
  proved,
  research,
  swapForm,
  swaps,
} from '../../fixtures/examples.ts'
import { listen } from '../../fixtures/gateway.ts'
import { OpenApi } from '../../fixtures/openapi.ts'
import { blocksOf, differences } from '../../fixtures/samples.ts'

type Portfolio = { readonly chains: readonly { readonly chain: string }[] }

const ROUTES = ['/api/quote', '/api/build', '/api/xquote', '/api/xstatus'] as const

/** The document of a gateway that nobody asks anything else. Nobody may change it. */
const documented = (async (): Promise<Document> => {
  const live = { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', LIMITS: 'swap=off' }
  return readDocument((await listen(t, live)).url)
})()

/** The schema, as JSON, with references that name the document, which is compiled once. */
const referring = (schema: Json): string =>
  JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')

t.test('tells a client generator everything that it needs', async (t) => {
  const document = await documented
  t.equal(document.openapi, '3.1.0')
  t.same(document.security, [], 'nobody is authenticated')
  const all = operations(document)
  t.equal(new Set(all.map(([, , { operationId }]) => operationId)).size, all.length)
  const ajv = new Ajv2020({
    validateFormats: false,
    keywords: ['components', 'x-stability', 'x-variants'],
    code: { optimize: false },
  })
  ajv.addSchema({ $id: 'document', components: document.components })
  // Most operations have the same errors.
  const compiled = new Set<string>()
  const compiles = (schema: Json): boolean => {
    const text = referring(schema)
    if (!compiled.has(text)) ajv.compile(JSON.parse(text) as Json)
    compiled.add(text)
    return true
  }
  for (const [method, path, { operationId, summary, description, ...rest }] of all) {
    const { parameters = [], requestBody, responses } = rest
    t.match(operationId, /^(get|list|find|lookUp|stream|quote|rank|build|plan|call)[A-Z][A-Za-z0-9]+$/)
    t.match(summary, /^[A-Z].*[^.]$/, path)
    t.match(description, /\S/, path)
    t.notMatch(description, /Infinity|undefined/, path)
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
      // What has no body has no content.
      if (status === '204') t.equal(content, undefined)
      else t.ok(compiles(shownIn(content).schema), `${path} ${status}`)
    }
  }
})

t.test('says of each method of the relay what its params are, by the schema that checks them', async (t) => {
  const { paths } = await documented
  const { examples } = shownIn(paths['/api/solrpc']!.post!.requestBody!.content)
  const calls = Object.entries(examples as Readonly<Record<string, { value: Json; 'x-params': Json }>>)
  t.same(calls.map(([name]) => name).sort(), [...METHOD_NAMES].sort())
  const ajv = new Ajv2020({ strict: false })
  for (const [name, { value, 'x-params': params }] of calls) {
    t.same({ type: 'array', ...params }, asComponent(SCHEMAS[name as MethodName], new Map()), name)
    const isTaken = ajv.compile(params)
    t.ok(isTaken(value.params), `${name}: ${ajv.errorsText(isTaken.errors)}`)
    t.notOk(isTaken([{}, {}, {}, {}]), name)
  }
})

t.test('marks the routes whose contracts are ours alone', async (t) => {
  const { paths } = await documented
  for (const path of ['/api/health', '/api/config', '/api/rebroadcast', '/api/transaction-status']) {
    t.equal(paths[path]!.get!['x-stability'], 'unverified', path)
  }
  t.notOk('x-stability' in paths['/api/quote']!.get!)
})

t.test('marks what it adds to the resources of the specification', async (t) => {
  const { components, paths } = await documented
  const marked = (properties: Json) =>
    Object.entries(properties).flatMap(([name, schema]) => ((schema as Json)['x-stability'] ? [name] : []))
  const added = (name: string) => marked(components.schemas[name]!.properties as Json)
  t.same(added('Quote'), [
    'against',
    'maxIn',
    'holds',
    'rankedBy',
    'gasUsd',
    'costBoundBps',
    'netOut',
    'netOutUsd',
    'netIn',
    'deliveryLossBps',
    'fairOut',
    'unpriced',
    'sources',
    'suggestedSlippageBps',
    'slippageReasons',
    'risks',
  ])
  t.same(added('BuildRequest'), [
    'amountOut',
    'receiver',
    'against',
    'priority',
    'nonce',
    'cancel',
    'guards',
    'headroomBytes',
  ])
  t.same(added('CrossChainQuote'), [
    'fairOut',
    'unpriced',
    'sources',
    'calls',
    'atomicRequired',
    'priority',
    'guards',
    'headroomBytes',
    'costs',
    'costsComplete',
    'risks',
  ])
  t.same(added('BuildResult'), [
    'insteadOf',
    'calls',
    'atomicRequired',
    'nonce',
    'priority',
    'guards',
    'headroomBytes',
    'costs',
    'costsComplete',
  ])
  const parameters = (path: string) =>
    paths[path]!.get!.parameters!.filter(({ schema }) => schema['x-stability']).map(({ name }) => name)
  t.same(parameters('/api/quote'), ['amountOut', 'against', 'receiver', 'verification'])
  t.same(parameters('/api/xquote'), ['priority', 'guards'])
})

t.test('a parameter that has a default may be left out', async (t) => {
  const { paths } = await documented
  const required = (path: string) =>
    paths[path]!.get!.parameters!.filter((parameter) => parameter.required).map(({ name }) => name)
  // In place of `amount` there may be `amountOut`.
  t.same(required('/api/quote'), ['chain', 'side', 'token'])
  t.same(required('/api/xquote'), ['fromChain', 'toChain', 'amount', 'from'])
  t.same(required('/api/xstatus'), ['txHash'])
})

t.test('whatever is a comma list may come element by element', async (t) => {
  const { url } = await listen(t)
  const { paths } = await documented
  const lists: string[] = []
  for (const [path, { get }] of Object.entries(paths)) {
    for (const parameter of get?.parameters ?? []) {
      if (!/comma list|comma-separated/.test(JSON.stringify(parameter))) continue
      lists.push(parameter.name)
      const response = await fetch(`${url}${path}?${parameter.name}[]=?&${parameter.name}[]=?`)
      t.notMatch(await response.text(), /is not a parameter here|given more than once/, path)
    }
  }
  t.same(lists.sort(), ['accounts', 'chains', 'chains', 'only', 'tokens'])
  const asked = 'address=0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045&chains[]=base&chains[]=bsc'
  const portfolio = (await (await fetch(`${url}/api/portfolio?${asked}`)).json()) as Portfolio
  t.same(portfolio.chains.map(({ chain }) => chain).sort(), ['base', 'bsc'])
})

t.test('every example is valid by its schema', async (t) => {
  const document = await documented
  const api = new OpenApi(document)
  const looked = new Set<DocumentedResponse>()
  for (const [method, path, operation] of operations(document)) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      // What several operations answer is looked at once.
      if (status === '204' || looked.has(answer)) continue
      looked.add(answer)
      const { content } = answer
      // JSON has no pictures to show.
      if ('image/png' in content) continue
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

t.test('the examples are what the service answers to them', async (t) => {
  const replays = await holdExamples(t, swaps)
  const document = await documented
  const quotes = exchangesAt(document, '/api/quote')
  const builds = exchangesAt(document, '/api/build')
  const crossChainSwaps = exchangesAt(document, '/api/xquote')
  t.equal(replays.length, quotes.size + builds.size + crossChainSwaps.size)
  t.same([...quotes.keys()], [...builds.keys()])
  for (const [name, { request, reply }] of quotes) {
    const example = builds.get(name)!
    t.same(example.request, { ...request, quote: reply }, 'it is built from the quote of the same name')
    t.same([example.reply.expectedOut, example.reply.minOut], [reply.expectedOut, reply.minOut])
  }
  for (const { reply } of [...builds.values(), ...crossChainSwaps.values()]) {
    const material = reply.solanaTransaction ?? reply.suiTransaction ?? null
    if (material === null) continue
    t.equal(Buffer.from(String(material), 'base64').length, proved(reply).bytes, 'nothing is cut off')
  }
})

t.test("the examples of research are the service's answers", async (t) => {
  await holdExamples(t, research)
  const { url } = await listen(t)
  const example = exchangesAt(await readDocument(url), '/api/health').get('example')!.reply
  const health = (await (await fetch(`${url}/api/health`)).json()) as Json
  t.same(Object.keys(health).sort(), [...Object.keys(example), 'sandbox'].sort())
})

t.test("the examples of a portfolio are the service's answers", async (t) => {
  t.equal((await holdExamples(t, portfolio)).length, 1)
})

t.test("the examples of the community are an operator's answers with that content", async (t) => {
  const files = Object.entries(content.published).map(([name, items]) => [
    `${name}.jsonl`,
    items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  ])
  const { url } = await listen(t, { CONTENT_DIR: t.testdir(Object.fromEntries(files)) })
  const document = await readDocument(url)
  for (const { path } of INVENTORY) {
    const { request, reply } = exchangesAt(document, path).get('published')!
    const asked = filled(path, request)
    const response = await fetch(`${url}${asked.url}?${new URLSearchParams(asked.rest)}`)
    t.same(await response.json(), reply, path)
  }
})

t.test("the examples of the swap form are the service's answers", async (t) => {
  const replays = await holdExamples(t, swapForm)
  t.equal(new Set(replays.map(({ path }) => path)).size, 5)
})

t.test('the status of a cross-chain swap is shown as it goes', async (t) => {
  const replays = await holdExamples(t, crossChainStatus)
  const document = await documented
  const crossChain = exchangesAt(document, '/api/xquote').get('evm')!
  const shown = exchangesAt(document, '/api/xstatus')
  t.same([...shown.keys()], ['unknown', 'pending', 'done'])
  t.equal(replays.length, 1 + shown.size)
  for (const { request } of shown.values()) {
    t.equal(request.txHash, crossChain.reply.transactionId, 'it is the cross-chain swap that xquote shows')
  }
})

t.test('the errors are what the service answers, word for word', async (t) => {
  await holdExamples(t, errors)
})

t.test('the documents show the same replies, shortened', async (t) => {
  const document = await documented
  const told = (page: string): Json[] =>
    blocksOf(`docs/${page}.md`)
      .filter(({ language }) => language === 'json')
      .map(({ text }) => JSON.parse(text) as Json)
  const shown = (path: string, name: string): Json => exchangesAt(document, path).get(name)!.reply
  const [list, tokensFile, profile, ...others] = told('research')
  const path = `${t.testdir({ 'tokens.json': JSON.stringify(tokensFile) })}/tokens.json`
  t.same(new OperatorList([path], loggerTo({ write: () => {} }, 'info')).tokens.length, 2)
  t.same(others, [])
  const swaps = told('swaps')
  const crossChain = told('cross-chain')
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
    [crossChain.shift(), shown('/api/xquote', 'evm')],
    [crossChain.shift(), shown('/api/xstatus', 'done')],
    [list, shown('/api/tokens', 'example')],
    [profile, shown('/api/token/{chain}/{address}', 'example')],
    // The first is what the faucet answers.
    [told('portfolio')[1], shown('/api/portfolio', 'both')],
  ]
  t.same([...swaps, ...crossChain], [], 'and no others')
  for (const [short, whole] of pairs) {
    t.same(Object.keys(short!), Object.keys(whole))
    t.same(differences(short, whole), [], JSON.stringify(short).slice(0, 80))
  }
})
