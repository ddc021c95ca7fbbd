/** Every operation of the API before all who judge it: the document, Prism, the client, the specification's inventory. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { OPERATIONS } from '../../../../src/clients/client/generated/operations.ts'
import type { OperationRow } from '../../../../src/clients/client/transport.ts'
import { operations } from '../../../fixtures/document.ts'
import { OpenApi } from '../../../fixtures/openapi.ts'
import { type Call, type Exchange, walk } from '../../../fixtures/walk.ts'
import { loadPrism } from './prism.ts'

const ROWS = Object.values<OperationRow>(OPERATIONS)
const STREAMS = ROWS.flatMap(({ path, isStream }) => (isStream ? [path] : []))

const walked = walk(t)

/** What is wrong with some exchanges, each after its request. One list, as two thousand assertions take seconds. */
async function findings<One extends Exchange>(
  exchanges: readonly One[],
  judge: (one: One) => readonly unknown[] | Promise<readonly unknown[]>,
): Promise<unknown[]> {
  const all: unknown[] = []
  for (const one of exchanges) {
    const found = await judge(one)
    if (found.length > 0) all.push([one.method, one.target, one.status, ...found])
  }
  return all
}

/** Exchanges that nobody may let pass: an answer with a wrong member, a bad request that is answered, a strange path. */
function spoiled(calls: readonly Exchange[]) {
  const chains = calls.find(({ path }) => path === '/api/chains')!
  const quote = calls.find(({ path }) => path === '/api/quote')!
  const [first, ...others] = (chains.body as { chains: object[] }).chains
  return {
    answer: { ...chains, body: { chains: [{ ...first, name: 7 }, ...others] } },
    request: { ...quote, target: quote.target.replace('side=buy', 'side=both') },
    path: { ...chains, path: '/api/nowhere', target: '/api/nowhere' },
  }
}

t.test('every operation is a method of the client, and each is asked', async (t) => {
  const { document, calls } = await walked
  const described = operations(document).map(([method, path]) => `${method} ${path}`)
  const made = ROWS.map(({ method = 'GET', path }) => `${method.toLowerCase()} ${path}`)
  // Of a logo the client tells the URL, and an export is a file: it asks for neither.
  const unasked = ['get /api/logo/{chain}/{address}', 'get /api/bake-off/export']
  t.same([...made, 'post /api/solrpc', ...unasked].sort(), described.sort())
  t.same(
    [...new Set(calls.map(({ method, path }) => `${method} ${path}`))].sort(),
    described.filter((operation) => !unasked.includes(operation)),
  )
})

t.test('valid requests are answered, and invalid ones refused', async (t) => {
  const { calls, refusals } = await walked
  const isAnswered = ({ path, status, headers }: Exchange) => {
    const type = STREAMS.includes(path) ? 'text/event-stream' : 'application/json'
    const isExpected = status === 200 && headers['content-type']!.startsWith(type)
    return isExpected ? [] : [headers['content-type']]
  }
  t.same(await findings(calls, isAnswered), [])
  t.same([...new Set(refusals.map(({ status }) => status))].sort(), [400, 404, 429])
})

t.test('requests and answers match the document', async (t) => {
  const { document, calls, refusals, malformed } = await walked
  const api = new OpenApi(document)
  const judge = ({ method, path, status, body }: Exchange) => api.response(method, path, status, body)
  const judgeRequest = ({ method, target, sent }: Exchange) => {
    const [path, search] = target.split('?')
    return api.request(method, path!, { query: new URLSearchParams(search), body: sent.body })
  }
  t.same(await findings([...calls, ...refusals, ...malformed], judge), [])
  t.same(await findings(calls, judgeRequest), [])
  const { answer, request, path } = spoiled(calls)
  t.same(judge(answer), ['body/chains/0/name must be string'])
  t.equal(judgeRequest(request).length, 1)
  t.equal(judge(path).length, 1)
})

t.test('Prism finds nothing else in it', async (t) => {
  const { document, calls, refusals } = await walked
  const judge = await loadPrism(document)
  t.same(await findings(calls, judge), [])
  // That the requests are bad is known; the answers are looked at.
  t.same(await findings(refusals, (refusal) => judge(refusal, { isRequestGood: false })), [])
  for (const [name, wrong] of Object.entries(spoiled(calls))) t.equal((await judge(wrong)).length, 1, name)
})

t.test('what follows from HTTP itself is listed for every operation, and answered by it', async (t) => {
  const { document, malformed } = await walked
  for (const [method, path, { responses }] of operations(document)) {
    const answered = malformed.filter((one) => one.path === path && one.method === method)
    t.same(
      answered.map(({ status }) => status),
      method === 'post' ? [400, 414, 413, 415] : [400, 414],
      path,
    )
    const listed = method === 'post' ? ['413', '415'] : []
    t.same(
      ['200', '400', '503', 'default', ...listed].filter((status) => !(status in responses)),
      [],
      path,
    )
  }
})

t.test('each client method returns the answer, and its details', async (t) => {
  const { url, calls } = await walked
  const numbered = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)))
  const judge = ({ operation, target, headers, body, result, noted }: Call) => {
    const given = operation === 'rpc' ? (body as { result: unknown }).result : body
    const requestId = headers['x-request-id']
    const told = { operation, url: url + target, status: 200, requestId, error: null }
    const isTold = isDeepStrictEqual({ ...noted, ...told }, noted)
    const isGiven = isDeepStrictEqual(numbered(result), given)
    return [...(isTold ? [] : [noted]), ...(isGiven ? [] : [result])]
  }
  t.same(await findings(calls, judge), [])
  const [first] = calls
  t.equal(judge({ ...first!, result: {} }).length, 1)
  t.equal(judge({ ...first!, headers: {} }).length, 1)
})

t.test('the document has the parameters of the inventory', async (t) => {
  const { document, rows } = await walked
  for (const [path, row] of Object.entries(rows)) {
    const operation = document.paths[path]?.get
    t.ok(operation, `${path} is described`)
    if (operation === undefined) continue
    if (path !== '/api/tokens') t.equal(operation['x-stability'], 'unverified', path)
    const names = [...row.parameters, ...(row.own ?? [])].sort()
    t.same((operation.parameters ?? []).map(({ name }) => name).sort(), names, path)
    t.same(Object.keys(row.bad).sort(), names, `${path}: bad values of every parameter`)
  }
})

t.test('each wrong value is refused by the name of its parameter', async (t) => {
  const { rows, refusals } = await walked
  const judge = ({ status, body, parameter }: (typeof refusals)[number]) => {
    const { field, error } = body as { field?: string; error: string }
    const isNamed = status === 400 && field === parameter && error.includes(`\`${parameter}\``)
    return isNamed ? [] : [parameter, field, error]
  }
  const wrong = refusals.filter(({ parameter }) => parameter !== null)
  t.same(await findings(wrong, judge), [])
  const sent = Object.values(rows).flatMap(({ bad }) => Object.values(bad).flat())
  t.ok(wrong.length > sent.length)
})
