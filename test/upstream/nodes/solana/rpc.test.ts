import t, { type Test } from 'tap'
import { spliceId } from '../../../../src/chains/json/splice.ts'
import { CancellationScope } from '../../../../src/flow/cancellation.ts'
import type { GatewayError } from '../../../../src/runtime/errors.ts'
import type { CallEnd } from '../../../../src/upstream/call.ts'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { isLong } from '../../../../src/upstream/nodes/json-rpc.ts'
import { type RpcReply, SolanaRpc, type SolanaRpcOptions } from '../../../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../../../fixtures/call.ts'
import { clockOf, handClock, until } from '../../../fixtures/clock.ts'
import {
  answers,
  type Behaviour,
  closedPort,
  drips,
  forgetsIdle,
  type HostileUpstream,
  hostileUpstream,
  resets,
  resetsMidway,
  stalls,
  status,
  truncates,
  writes,
} from '../../../fixtures/hostile-upstream.ts'
import { submissionOf } from '../../../fixtures/submission.ts'

const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const ACCEPTS = answers(`"result":"${SIGNATURE}"`)
const FAKES = answers('"result":"1111111111111111111111111111111111111111111111111111111111111111"')
const REFUSES = answers(
  '"error":{"code":-32002,"message":"Transaction simulation failed","data":{"logs":[]}}',
)
const BEHIND = answers('"error":{"code":-32005,"message":"Node is behind","data":{"numSlotsBehind":42}}')

type Options = Partial<SolanaRpcOptions>

/** A SolanaRpc over these upstreams, first to last, for reads and submissions. */
function rpcOver(t: Test, upstreams: readonly HostileUpstream[], options: Options = {}): SolanaRpc {
  const urls = upstreams.map(({ url }) => url)
  const rpc = new SolanaRpc({ readUrls: urls, sendUrls: urls, ...options })
  t.teardown(() => rpc.close())
  return rpc
}

/** A submission through it. */
function submit(rpc: SolanaRpc, paramsJson: string, signature: string, deadlineMs: number) {
  return rpc.submissions.submit(submissionOf(paramsJson, signature), callOf(deadlineMs))
}

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )
}

/** What is told of calls that failed. */
function recorder() {
  const lines: unknown[] = []
  const onCall = ({ upstream, failure }: CallEnd) => failure !== null && lines.push({ upstream, failure })
  return { lines, context: createUpstreamContext({ onCall }) }
}

/** A clock that stands still, but for upstreams that hang. */
function handTimed() {
  const clock = handClock()
  const ends: CallEnd[] = []
  return {
    clock,
    /** How calls ended. */
    ends,
    context: createUpstreamContext({ clock, onCall: (end) => void ends.push(end) }),
    /** Lets so much time pass before it answers. */
    hangs: (ms: number, behaviour: Behaviour = stalls): Behaviour => {
      return (socket, request) => {
        behaviour(socket, request)
        clock.advance(ms)
      }
    },
  }
}

t.test('asks as JSON-RPC 2.0 demands and answers the reply byte for byte', async (t) => {
  const result = '{"value": {"lamports":12345678901234567890,"rentEpoch":18446744073709551615,"ui":1.10}}'
  const cases: [body: string, result: string | null, error: string | null][] = [
    [`{"jsonrpc":"2.0","result":${result},"id":ID}`, result, null],
    [`\n{ "id" : ID, "result":null ,"jsonrpc":"2.0","x":{"id":0}}\r\n`, 'null', null],
    [
      '{"jsonrpc":"2.0","error":{"code":-32602,"message":"no","data":{"a":1.0}},"id":ID}',
      null,
      '{"code":-32602,"message":"no","data":{"a":1.0}}',
    ],
    ['{"jsonrpc":"2.0","error":null,"\\u0069d":ID}', null, 'null'],
    ['{"jsonrpc":"2.0","error":{"code":"x"},"id":ID}', null, '{"code":"x"}'],
    ['{"jsonrpc":"2.0","error":{"message":"x"},"id":ID}', null, '{"message":"x"}'],
  ]
  const node = await hostileUpstream(t)
  const rpc = rpcOver(t, [node])
  for (const [at, [body, result, error]] of cases.entries()) {
    node.behaviour = status(200, body)
    const scope = new CancellationScope('client')
    const reply = await rpc.reads.read(
      { method: 'getAccountInfo', paramsJson: '["x",{"encoding":"base64"}]', minSlot: 0 },
      callOf(60_000, scope),
    )
    if (isLong(reply)) throw new Error('a long reply')
    const id = String(at + 1)
    t.equal(
      node.requests.at(-1)!.body,
      `{"jsonrpc":"2.0","id":${id},"method":"getAccountInfo","params":["x",{"encoding":"base64"}]}`,
    )
    t.equal(reply.body.toString(), body.replace('ID', id))
    t.equal(reply.result?.toString() ?? null, result)
    t.equal(reply.error?.toString() ?? null, error)
    t.equal(spliceId(reply.body, reply.id, Buffer.from('"mine"')).toString(), body.replace('ID', '"mine"'))
  }
})

t.test('refuses what is not one response to its request', async (t) => {
  const bodies = [
    '',
    'null',
    '1',
    '<html><body>502 Bad Gateway</body></html>',
    '[{"jsonrpc":"2.0","result":1,"id":ID}]',
    '{"jsonrpc":"2.0","result":1,"id":ID}{}',
    '{"jsonrpc":"2.0","result":1,"id":ID',
    '{"jsonrpc":"2.0","result":1}',
    '{"jsonrpc":"2.0","result":1,"id":null}',
    '{"jsonrpc":"2.0","result":1,"id":"ID"}',
    '{"jsonrpc":"2.0","result":1,"id":ID.0}',
    '{"jsonrpc":"2.0","result":1,"id":ID0}',
    '{"jsonrpc":"2.0","result":1,"id":99999}',
    '{"jsonrpc":"1.0","result":1,"id":ID}',
    '{"jsonrpc":2.0,"result":1,"id":ID}',
    '{"result":1,"id":ID}',
    '{"jsonrpc":"2.0","id":ID}',
    '{"jsonrpc":"2.0","result":1,"error":{"code":1},"id":ID}',
    '{"jsonrpc":"2.0","result":null,"error":null,"id":ID}',
    '{"jsonrpc":"2.0","result":1,"result":2,"id":ID}',
    '{"jsonrpc":"2.0","result":1,"id":7,"\\u0069d":ID}',
    '{"jsonrpc":"2.0","result":"\x01","id":ID}',
    '\ufeff{"jsonrpc":"2.0","result":1,"id":ID}',
  ]
  for (const body of bodies) {
    const node = await hostileUpstream(t, status(200, body))
    const rpc = rpcOver(t, [node])
    t.match(
      await failureOf(rpc.read('getSlot', '[]', callOf(60_000))),
      { code: 'upstream_unusable', status: 502, scope: 'rpc' },
      body,
    )
    t.equal(rpc.state()[0]!.failures, 1)
    node.behaviour = answers()
    t.ok(await rpc.read('getSlot', '[]', callOf(60_000)))
  }
})

t.test(
  'a JSON-RPC error that comes with a 4xx of its own is an answer; anything else there is not',
  async (t) => {
    const error = '{"jsonrpc":"2.0","error":{"code":-32602,"message":"no"},"id":ID}'
    const cases: [code: number, body: string, expected: object | null][] = [
      [400, error, null],
      [404, error, null],
      [
        400,
        '{"jsonrpc":"2.0","result":1,"id":ID}',
        { code: 'upstream_status', status: 400, fields: { upstreamStatus: 400 } },
      ],
      [400, error.replace('ID', '77'), { code: 'upstream_status', status: 400 }],
      [400, '<html>', { code: 'upstream_status', status: 400 }],
      [413, 'too large', { code: 'upstream_status', status: 413 }],
      [403, error, { code: 'upstream_refused', status: 502 }],
      [429, error, { code: 'upstream_rate_limited', status: 502 }],
      [500, error, { code: 'upstream_failed', status: 502 }],
      [302, error, { code: 'upstream_unusable', status: 502 }],
    ]
    for (const [code, body, expected] of cases) {
      const rpc = rpcOver(t, [await hostileUpstream(t, status(code, body))])
      const answer = rpc.read('getSlot', '[]', callOf(60_000))
      if (expected === null) t.equal((await answer).error?.toString(), '{"code":-32602,"message":"no"}')
      else t.match(await failureOf(answer), expected)
    }
  },
)

t.test('a read moves on to the next upstream if one does not answer it', async (t) => {
  const { hangs, context } = handTimed()
  const faults: [title: string, behaviour: Behaviour][] = [
    ['reset', resets],
    ['reset midway', resetsMidway],
    ['truncated', truncates],
    ['stalled', hangs(150)],
    ['dripping', hangs(150, drips)],
    ['not HTTP', writes('hello\r\n\r\n')],
    ['not JSON', status(200, '<html>')],
    ['429', status(429)],
    ['500', status(500)],
    ['401', status(401)],
    ['413', status(413)],
    ['a redirect', status(302)],
    ['a broken connection', forgetsIdle(resets)],
    ...[-32005, -32014, -32016, -32019].map((code): [string, Behaviour] => [
      `error ${code}`,
      answers(`"error":{"code":${code},"message":"later"}`),
    ]),
  ]
  for (const [title, behaviour] of faults) {
    const [first, second] = [await hostileUpstream(t, behaviour), await hostileUpstream(t)]
    const reply = await rpcOver(t, [first, second], { context }).read('getSlot', '[]', callOf(300))
    t.equal(reply.result?.toString(), '1', title)
    t.equal(second.requests.length, 1, title)
  }

  const well = await hostileUpstream(t)
  const readUrls = [`http://127.0.0.1:${await closedPort()}`, well.url]
  const rpc = new SolanaRpc({ readUrls, sendUrls: readUrls })
  t.teardown(() => rpc.close())
  t.equal((await rpc.read('getSlot', '[]', callOf(60_000))).result?.toString(), '1', 'a closed port')

  const [refusing, untouched] = [await hostileUpstream(t, REFUSES), await hostileUpstream(t)]
  t.match(await rpcOver(t, [refusing, untouched]).read('getSlot', '[]', callOf(60_000)), { result: null })
  t.equal(untouched.requests.length, 0, 'an error about the request is the answer')
})

t.test('when no upstream answers, the most preferred one is quoted', async (t) => {
  const { hangs, context } = handTimed()
  const cases: [behaviours: readonly Behaviour[], expected: object][] = [
    [[status(500), status(429)], { code: 'upstream_failed', fields: { provider: 'solana-1' } }],
    [[status(429), status(500)], { code: 'upstream_rate_limited', fields: { provider: 'solana-1' } }],
    [[hangs(100), resets], { code: 'upstream_timeout' }],
    [[status(404), hangs(200)], { code: 'upstream_status', status: 404 }],
  ]
  for (const [behaviours, expected] of cases) {
    const nodes = await Promise.all(behaviours.map((behaviour) => hostileUpstream(t, behaviour)))
    t.match(await failureOf(rpcOver(t, nodes, { context }).read('getSlot', '[]', callOf(200))), expected)
  }

  // An error of a node about itself is still an answer, with its data.
  for (const behaviours of [
    [BEHIND, hangs(200)],
    [resets, BEHIND],
    [BEHIND, answers('"error":{"code":-32016}')],
  ]) {
    const nodes = await Promise.all(behaviours.map((behaviour) => hostileUpstream(t, behaviour)))
    const reply = await rpcOver(t, nodes, { context }).read('getSlot', '[]', callOf(200))
    t.equal(
      reply.error?.toString(),
      '{"code":-32005,"message":"Node is behind","data":{"numSlotsBehind":42}}',
    )
  }
})

t.test('a hung upstream uses up its share of the time and no more', async (t) => {
  const { clock, hangs, context, ends } = handTimed()
  const nodes = [
    await hostileUpstream(t, hangs(300)),
    await hostileUpstream(t, hangs(300)),
    await hostileUpstream(t),
  ]
  const rpc = rpcOver(t, nodes, { context })
  t.ok(await rpc.read('getSlot', '[]', callOf(900, null, 'build', clock)))
  const timeout = { failure: 'upstream_timeout', ms: 300 }
  t.match(ends, [timeout, timeout, { failure: null, ms: 0 }], 'two shares of three')

  for (const node of nodes) node.behaviour = hangs(50)
  t.match(await failureOf(rpc.read('getSlot', '[]', callOf(150, null, 'build', clock))), {
    code: 'upstream_timeout',
  })
  t.match(
    ends.slice(3),
    nodes.map(() => ({ failure: 'upstream_timeout', ms: 50 })),
  )
})

t.test('skips upstreams that cool down, and says until when if all do', async (t) => {
  const clock = { now: 0 }
  const nodes = [
    await hostileUpstream(t, status(429, '', ['retry-after: 20'])),
    await hostileUpstream(t, status(429, '', ['retry-after: 9'])),
  ]
  const rpc = rpcOver(t, nodes, {
    context: createUpstreamContext({ clock: clockOf({ now: () => clock.now }) }),
  })
  t.match(rpc.state(), [
    { name: 'solana-1', state: 'untried', lastSuccessAgoMs: null, failures: 0 },
    { name: 'solana-2', state: 'untried' },
  ])
  const first = await failureOf(rpc.read('getSlot', '[]', callOf(60_000)))
  t.match(first, { code: 'upstream_rate_limited', fields: { retryAfterMs: 20_000 } })
  t.match(rpc.state(), [{ state: 'degraded' }, { state: 'degraded' }], 'one method is limited')
  t.match(await failureOf(rpc.read('getSlot', '[]', callOf(60_000))), {
    code: 'upstream_unavailable',
    status: 502,
    fields: { retryAfterMs: 9_000 },
  })
  const count = () => nodes.map(({ requests }) => requests.length)
  t.same(count(), [1, 1])
  nodes[1]!.behaviour = ACCEPTS
  t.ok(await rpc.read('getBlockHeight', '[]', callOf(60_000)), 'another method is asked as before')
  t.ok(await submit(rpc, '["x"]', SIGNATURE, 60_000), 'and transactions are sent')
  t.same(count(), [3, 3])

  clock.now += 9_000
  t.ok(await rpc.read('getSlot', '[]', callOf(60_000)))
  t.match(rpc.state()[1], { state: 'ok', submissions: 'ok', lastSuccessAgoMs: 0 })
})

t.test('a client that leaves stops a read at the upstream that has it', async (t) => {
  const [hung, other] = [await hostileUpstream(t, stalls), await hostileUpstream(t)]
  const { lines, context } = recorder()
  const scope = new CancellationScope()
  const read = failureOf(rpcOver(t, [hung, other], { context }).read('getSlot', '[]', callOf(60_000, scope)))
  while (hung.requests.length === 0) await new Promise(setImmediate)
  scope.cancel()
  t.match(await read, { name: 'GatewayError' })
  t.equal(other.requests.length, 0)
  t.same(lines, [{ upstream: 'solana-1', failure: 'given_up' }])
})

t.test('a transaction goes to all upstreams at once, and the first acceptance answers', async (t) => {
  const release: (() => void)[] = []
  const slow: Behaviour = (socket, request) => {
    release.push(() => ACCEPTS(socket, request))
  }
  const nodes = [
    await hostileUpstream(t, slow),
    await hostileUpstream(t, REFUSES),
    await hostileUpstream(t, ACCEPTS),
  ]
  const rpc = rpcOver(t, nodes)
  const reply = await submit(rpc, '["AQ==",{"encoding":"base64"}]', SIGNATURE, 60_000)
  t.equal(reply.result?.toString(), `"${SIGNATURE}"`)
  const [body] = nodes[2]!.requests.map(({ body }) => body)
  t.equal(body, '{"jsonrpc":"2.0","id":1,"method":"sendTransaction","params":["AQ==",{"encoding":"base64"}]}')
  while (release.length === 0) await new Promise(setImmediate)
  t.ok(
    nodes.every(({ requests }) => requests.length === 1 && requests[0]!.body === body),
    'the same to each, once',
  )

  // The slow one is read to its end and keeps its connection.
  release[0]!()
  while (rpc.state()[0]!.submissions === 'untried') await new Promise(setImmediate)
  t.match(rpc.state(), [{ submissions: 'ok' }, { submissions: 'ok' }, { submissions: 'ok' }])
  t.same(
    nodes.map(({ open }) => open),
    [1, 1, 1],
  )
})

t.test('without an acceptance, order of preference decides', async (t) => {
  const { hangs, context } = handTimed()
  const refusal = { result: null, error: Buffer }
  const other = answers('"error":{"code":-32005}')
  const cases: [behaviours: readonly Behaviour[], expected: object][] = [
    [[REFUSES], refusal],
    [[resets, REFUSES], refusal],
    [[FAKES, REFUSES], refusal],
    [[FAKES], { code: 'signature_mismatch', status: 502, fields: { provider: 'solana-1' } }],
    [[status(500), FAKES], { code: 'signature_mismatch', fields: { provider: 'solana-2' } }],
    [[answers('"result":null'), resets], { code: 'signature_mismatch' }],
    [[answers(`"result":["${SIGNATURE}"]`), resets], { code: 'signature_mismatch' }],
    [[status(429), status(500)], { code: 'upstream_rate_limited', fields: { provider: 'solana-1' } }],
    [[hangs(150), status(403)], { code: 'upstream_timeout' }],
    [[status(200, '[]'), resets], { code: 'upstream_unusable' }],
  ]
  for (const [behaviours, expected] of cases) {
    const nodes = await Promise.all(behaviours.map((behaviour) => hostileUpstream(t, behaviour)))
    const settled = submit(rpcOver(t, nodes, { context }), '["x"]', SIGNATURE, 150)
    if (expected === refusal) t.match(await settled, { result: null, error: Buffer })
    else t.match(await failureOf(settled), expected)
  }
  for (const [behaviours, code] of [
    [[REFUSES, other], -32002],
    [[other, REFUSES], -32002],
  ] as const) {
    const nodes = await Promise.all(behaviours.map((behaviour) => hostileUpstream(t, behaviour)))
    const { error } = await submit(rpcOver(t, nodes), '["x"]', SIGNATURE, 60_000)
    t.equal(JSON.parse(error!.toString()).code, code)
  }
})

t.test('after a refusal, a hung upstream costs a short grace, in which it may still accept', async (t) => {
  const { clock, context, ends } = handTimed()
  let accept = (): void => {}
  const late: Behaviour = (socket, request) => {
    accept = () => ACCEPTS(socket, request)
  }
  const nodes = [await hostileUpstream(t, late), await hostileUpstream(t, REFUSES)]
  const rpc = rpcOver(t, nodes, { graceMs: 50, context })
  /** Sends it to both, of which one refuses it, and lets all but 1 ms of the grace pass. */
  const send = async () => {
    const [asked, ended] = [nodes[0]!.requests.length, ends.length]
    const outcome: { reply?: RpcReply } = {}
    const done = submit(rpc, '["x"]', SIGNATURE, 60_000).then((reply) => {
      outcome.reply = reply
      return reply
    })
    await until(() => nodes[0]!.requests.length > asked && ends.length > ended)
    clock.advance(49)
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    t.equal(outcome.reply, undefined, 'the grace is not over')
    return { done }
  }
  const refused = await send()
  clock.advance(1)
  t.match(await refused.done, { result: null })

  const accepted = await send()
  accept()
  t.equal((await accepted.done).error, null)
})

t.test('a submission is never sent twice to one upstream', async (t) => {
  const node = await hostileUpstream(t, forgetsIdle(ACCEPTS))
  const rpc = rpcOver(t, [node])
  t.ok(await submit(rpc, '["x"]', SIGNATURE, 60_000))
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.match(await failureOf(submit(rpc, '["x"]', SIGNATURE, 60_000)), { code: 'upstream_unavailable' })
  t.equal(node.requests.length, 2)
})

t.test(
  'an answer that gives the upstream away is not passed on, and nothing is logged but the label',
  async (t) => {
    const node = await hostileUpstream(t)
    const { lines, context } = recorder()
    const url = `${node.url.replace('//', '//user:s3cr3t-pass@')}/v2/s3cr3t-path?api-key=s3cr3t-query`
    const rpc = new SolanaRpc({ readUrls: [url], sendUrls: [url], context })
    t.teardown(() => rpc.close())
    const texts = ['s3cr3t-pass', 'S3CR3T-PATH', 'no key s3cr3t-query', '127.0.0.1 is down']
    for (const text of texts) {
      node.behaviour = answers(`"error":{"code":-32603,"message":"${text}"}`)
      const calls = [rpc.read('getSlot', '[]', callOf(60_000)), submit(rpc, '["x"]', SIGNATURE, 60_000)]
      for (const error of await Promise.all(calls.map(failureOf))) {
        t.match(error, { code: 'upstream_failed', status: 502, fields: { provider: 'solana-1' } })
        t.notMatch(`${error.message}${JSON.stringify(error.fields)}`, text)
      }
    }
    node.behaviour = answers('"result":["https://127.0.0.1/v2/s3cr3t-path"]')
    t.match(
      await failureOf(rpc.read('getSlot', '[]', callOf(60_000))),
      { code: 'upstream_failed' },
      'nor is a result',
    )
    node.behaviour = answers('"error":{"code":-32603,"message":"user v2"}')
    t.ok((await rpc.read('getSlot', '[]', callOf(60_000))).error)
    node.behaviour = FAKES
    await failureOf(submit(rpc, '["x"]', SIGNATURE, 60_000))
    const line = (failure: string) => ({ upstream: 'solana-1', failure })
    t.same(lines, [
      ...texts.flatMap(() => [line('upstream_failed'), line('upstream_failed')]),
      line('upstream_failed'),
      line('upstream_failed'),
      line('signature_mismatch'),
    ])
  },
)

t.test('one URL is one upstream, and the warm-up reaches each', async (t) => {
  const [a, b] = [await hostileUpstream(t), await hostileUpstream(t, status(500))]
  const readUrls = [a.url, `${a.url}/`]
  const rpc = new SolanaRpc({ readUrls, sendUrls: [b.url, a.url] })
  t.teardown(() => rpc.close())
  await rpc.warmUp()
  t.match(rpc.state(), [
    { name: 'solana-1', state: 'ok', submissions: 'ok', failures: 0 },
    { name: 'solana-2', state: 'degraded', failures: 1, lastError: { code: 'upstream_failed', status: 500 } },
  ])
  t.equal(rpc.state().length, 2)
  t.same([a.requests.length, b.requests.length], [2, 1], 'what is read and what is sent go apart')
  t.equal(JSON.parse(a.requests[0]!.body).method, 'getSlot')
  await new Promise((resolve) => setTimeout(resolve, 5))
  await rpc.read('getSlot', '[]', callOf(60_000))
  t.equal(a.accepted, 2, 'over the connection that is warm')
})
