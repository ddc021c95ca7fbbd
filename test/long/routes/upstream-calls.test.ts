import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { EVM_CHAINS } from '../../../src/chains/find.ts'
import { readDocument } from '../../fixtures/document.ts'
import { EVM_WALLET } from '../../fixtures/swaps.ts'
import {
  type Calls,
  type CountingWorld,
  countingWorld,
  MEASURED_PATHS,
  measureCalls,
} from '../../fixtures/upstream-calls.ts'

/** What docs/limits.md shows. `CALLS_RECORD=1 npm test -- test/long/routes/upstream-calls.test.ts` records it anew. */
const RECORDED = new URL('../../../scripts/docs/calls.json', import.meta.url)

const sorted = (calls: Calls): Calls =>
  Object.fromEntries(Object.entries(calls).sort(([a], [b]) => (a < b ? -1 : 1)))
const sum = (...all: readonly Calls[]): number =>
  all.flatMap((calls) => Object.values(calls)).reduce((total, count) => total + count, 0)

t.test('the upstream calls of an uncached request are those in the documents', async (t) => {
  const world = await countingWorld(t)
  const { rows, build, first, refused } = await measureCalls(world)
  t.same(refused, [], 'all are answered')
  const measured = {
    rows: rows.map(({ calls, ...row }) => ({ ...row, calls: sorted(calls) })),
    build: sorted(build),
    first: sorted(first),
  }
  if (process.env.CALLS_RECORD) writeFileSync(RECORDED, `${JSON.stringify(measured, null, 2)}\n`)
  t.same(measured, JSON.parse(readFileSync(RECORDED, 'utf8')))

  const of = (path: string, request: string): Calls =>
    rows.find((row) => row.path === path && row.request.startsWith(request))!.calls
  const [portfolio, balances] = ['/api/portfolio', '/api/balances'].map((path) => of(path, 'an EVM wallet'))
  const own = ({ lists = 0, ...calls }: Calls) => sum(calls)
  t.ok(own(portfolio!) <= 25, 'half of the 51 calls that a portfolio took')
  t.ok(own(balances!) <= 18, 'half of the 37 calls that balances took')
  t.ok(sum(of('/api/prices/stream', '50 tokens')) <= 13, 'half of the 27 calls that a stream took')
  t.equal(sum(first), sum(build, portfolio!), 'a first request waits for the lists, and for nothing else')
  t.equal(sum(of('', 'every other operation')), 0)

  const { paths } = await readDocument((await world.start()).url)
  t.same(
    Object.keys(paths).filter((path) => !MEASURED_PATHS.includes(path)),
    [],
    'every operation is measured',
  )
})

/** Nodes of all chains that refuse JSON-RPC arrays, in one of the ways in which nodes do. */
async function refusingArrays(t: Test, { sandbox }: CountingWorld, status: number, refusal: string) {
  const asked = { arrays: 0, calls: 0 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    response.setHeader('content-type', 'application/json')
    if (body.startsWith('[')) {
      asked.arrays++
      return response.writeHead(status).end(refusal)
    }
    asked.calls++
    const url = sandbox.evmUrl(request.url!.slice(1))
    response.end(await (await fetch(url, { method: 'POST', body })).text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const urls = EVM_CHAINS.map(({ key }) => [`RPC_URLS_${key.toUpperCase()}`, `${base}/${key}`])
  return { asked, environment: Object.fromEntries(urls) as Record<string, string> }
}

interface Balances {
  readonly chains: readonly { readonly chain: string; readonly status: string; readonly tokens: unknown[] }[]
}

const REFUSALS: readonly (readonly [name: string, status: number, body: string])[] = [
  ['with one error', 200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'],
  ['with a status of HTTP', 400, 'Bad Request'],
]

t.test('nodes that refuse JSON-RPC arrays are asked without them, and for the same', async (t) => {
  const world = await countingWorld(t)
  const read = async (url: string): Promise<Balances> =>
    (await (await fetch(`${url}/api/balances?address=${EVM_WALLET}`)).json()) as Balances
  const taking = await world.start()
  const expected = await read(taking.url)
  t.equal(expected.chains.length, EVM_CHAINS.length)
  t.ok(expected.chains.every(({ status }) => status === 'complete'))
  t.ok(expected.chains.some(({ tokens }) => tokens.length > 0))
  for (const [name, status, body] of REFUSALS) {
    await t.test(name, async (t) => {
      const { asked, environment } = await refusingArrays(t, world, status, body)
      const { url } = await world.start(environment)
      t.same(await read(url), expected, 'the same is answered')
      t.equal(asked.arrays, EVM_CHAINS.length, 'a chain is asked once whether it takes arrays')
      t.ok(asked.calls <= 40, `${asked.calls} calls`)
      t.same(await read(url), expected)
      t.equal(asked.arrays, EVM_CHAINS.length, 'and not again')
    })
  }
})
