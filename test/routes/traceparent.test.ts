/** What of a caller's trace comes out of the gateway: at upstreams, and in the log. */
import t, { type Test } from 'tap'
import { listen } from '../fixtures/gateway.ts'
import {
  answers,
  type HostileUpstream,
  hostileUpstream,
  http,
  rpc,
  status,
} from '../fixtures/hostile-upstream.ts'
import { rawBytes } from '../fixtures/raw.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const VALID = `00-${TRACE}-${PARENT}-01`
const OUT = /^00-0af7651916cd43dd8448eb211c80319c-([\da-f]{16})-01$/

async function gatewayOver(t: Test, node: HostileUpstream, environment: Record<string, string> = {}) {
  const gateway = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url, ...environment })
  /** Head lines of the request, as they are. */
  const ask = (method: string, lines: readonly string[] = []): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    const head = ['POST /api/solrpc HTTP/1.1', 'Host: here', 'Connection: close', ...lines]
    const length = `Content-Length: ${body.length}`
    return rawBytes(gateway.url, `${[...head, length].join('\r\n')}\r\n\r\n${body}`)
  }
  return { ...gateway, ask }
}

/** Lines of the head that are about traces, of the calls of a method. */
const tracesOf = (node: HostileUpstream, method: string): string[][] =>
  node.requests
    .filter(({ body }) => body.includes(method))
    .map(({ head }) => head.split('\r\n').filter((line) => /^(?:trace|baggage)/i.test(line)))

t.test("an upstream gets a request's trace if it names one, and nothing else of it", async (t) => {
  const node = await hostileUpstream(t, answers('"result":7'))
  const { ask, log } = await gatewayOver(t, node, { SOLANA_READ_CACHE: 'off' })
  const cases: [title: string, lines: string[], isPassedOn: boolean][] = [
    ['valid', [`traceparent: ${VALID}`], true],
    ['in any case of its name', [`TraceParent: ${VALID}`], true],
    ['with a state', [`traceparent: ${VALID}`, 'tracestate: a=secret', 'baggage: b=secret'], true],
    ['of a later version', [`traceparent: cc-${TRACE}-${PARENT}-01-secret`], true],
    ['absent', [], false],
    ['a state alone', ['tracestate: a=secret'], false],
    ['upper case', [`traceparent: ${VALID.toUpperCase()}`], false],
    ['no trace id', [`traceparent: 00-${'0'.repeat(32)}-${PARENT}-01`], false],
    ['no parent id', [`traceparent: 00-${TRACE}-${'0'.repeat(16)}-01`], false],
    ['too long', [`traceparent: ${VALID}-secret`], false],
    ['twice', [`traceparent: ${VALID}`, `traceparent: ${VALID}`], false],
    ['of version ff', [`traceparent: ff-${TRACE}-${PARENT}-01`], false],
  ]
  for (const [title, lines, isPassedOn] of cases) {
    const before = tracesOf(node, 'getBlockHeight').length
    t.match(await ask('getBlockHeight', [...lines, `x-request-id: ${title.replaceAll(' ', '-')}`]), / 200 OK/)
    const [sent, ...others] = tracesOf(node, 'getBlockHeight').slice(before)
    t.equal(others.length, 0, title)
    t.equal(sent!.length, isPassedOn ? 1 : 0, title)
    if (isPassedOn) {
      const [name, value] = sent![0]!.split(': ')
      t.equal(name, 'traceparent', title)
      t.match(value, OUT, title)
      t.not(OUT.exec(value!)![1], PARENT, 'the call has an id of its own')
    }
    const line = log.find(({ id }) => id === title.replaceAll(' ', '-'))
    t.equal(line!.trace, isPassedOn ? TRACE : undefined, title)
  }
  const sent = tracesOf(node, 'getBlockHeight').flat()
  t.equal(new Set(sent).size, sent.length, 'each call has another id')
  t.notMatch(node.requests.map(({ head }) => head).join(''), 'secret')
})

t.test('a shared call has the trace of the request that began it', async (t) => {
  const waiting: (() => void)[] = []
  const node = await hostileUpstream(t, answers('"result":7'))
  const { url, ask } = await gatewayOver(t, node)
  await ask('getSlot')
  node.behaviour = (socket, { id }) => void waiting.push(() => socket.write(http(200, rpc(id, '"result":7'))))
  const other = 'f'.repeat(32)
  const first = ask('getBlockHeight', [`traceparent: ${VALID}`])
  while (waiting.length === 0) await new Promise(setImmediate)
  const second = ask('getBlockHeight', [`traceparent: 00-${other}-${PARENT}-01`])
  for (let i = 0; i < 2; i++) await (await fetch(`${url}/api/chains`)).arrayBuffer()
  waiting[0]!()
  t.match(await first, / 200 OK/)
  t.match(await second, /desc=coalesced/)
  const sent = tracesOf(node, 'getBlockHeight').flat()
  t.equal(sent.length, 1)
  t.match(sent[0], TRACE)
})

t.test('the lines of failed calls have it too', async (t) => {
  const node = await hostileUpstream(t, status(503))
  const { ask, log } = await gatewayOver(t, node)
  const known = log.length
  t.match(await ask('getBlockHeight', [`traceparent: ${VALID}`, 'x-request-id: mine']), / 502 /)
  const lines = log.slice(known).filter(({ id }) => id === 'mine')
  t.match(lines, [
    { msg: 'upstream call failed', trace: TRACE },
    { msg: 'request', trace: TRACE, code: 'upstream_failed' },
  ])
  t.match(await ask('getBlockHeight', ['x-request-id: other']), / 502 /)
  t.notOk(log.filter(({ id }) => id === 'other').some((line) => 'trace' in line))
})

t.test('PASS_TRACEPARENT=off keeps it in the log', async (t) => {
  const node = await hostileUpstream(t, answers('"result":7'))
  const { ask, log } = await gatewayOver(t, node, { PASS_TRACEPARENT: 'off' })
  t.match(await ask('getBlockHeight', [`traceparent: ${VALID}`, 'x-request-id: mine']), / 200 OK/)
  t.same(tracesOf(node, 'getBlockHeight'), [[]])
  t.match(
    log.find(({ id }) => id === 'mine'),
    { trace: TRACE },
  )
})
