/** `swapgate-mcp` over its own streams: the protocol's words, and swaps that a hostile gateway cannot hand on. */
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { createClient } from '../../../src/clients/client/index.ts'
import { parseHeaders } from '../../../src/clients/mcp/headers.ts'
import { serve } from '../../../src/clients/mcp/protocol.ts'
import { type Gateway, toolsOf } from '../../../src/clients/mcp/tools.ts'
import { clockOf, runningClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { CROSS_CHAIN, SWAPS } from '../../fixtures/swaps.ts'

interface Message {
  readonly id: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** An agent on the other side. */
function agentOf(t: Test, gateway: Gateway) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const complaints: string[] = []
  serve(toolsOf(gateway), input, output, (why) => complaints.push(why))
  t.teardown(() => input.end())
  const waiting = new Map<unknown, (message: Message) => void>()
  const heard: Message[] = []
  let rest = ''
  output.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const message = JSON.parse(line) as Message
      heard.push(message)
      waiting.get(message.id)?.(message)
    }
  })
  let id = 0
  const say = (line: string): void => void input.write(line)
  const ask = (method: string, params?: object): Promise<Message> => {
    id++
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    say(`${JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) })}\n`)
    return answer
  }
  const call = async (name: string, input: object): Promise<{ isError: boolean; text: string }> => {
    const { result } = await ask('tools/call', { name, arguments: input })
    const [{ text }] = result!.content as [{ text: string }]
    return { isError: result!.isError === true, text }
  }
  return { say, ask, call, heard, complaints }
}

const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'

/** A gateway that nobody asks. */
const SILENT = {} as Gateway

t.test('the protocol: versions, tools, and what is no request', async (t) => {
  const { say, ask, heard, complaints } = agentOf(t, SILENT)
  const initialized = await ask('initialize', { protocolVersion: '2025-03-26', capabilities: {} })
  t.match(initialized.result, {
    protocolVersion: '2025-03-26',
    capabilities: { tools: {} },
    serverInfo: { name: 'swapgate-mcp' },
  })
  t.match(await ask('initialize', { protocolVersion: '1999-01-01' }), {
    result: { protocolVersion: '2025-06-18' },
  })
  t.same((await ask('ping')).result, {})
  const { tools } = (await ask('tools/list')).result as {
    tools: { name: string; inputSchema: { required: string[] } }[]
  }
  t.same(
    tools.map(({ name }) => name),
    [
      'chains',
      'find_tokens',
      'look_up',
      'token',
      'portfolio',
      'quote',
      'build',
      'cross_chain_swap',
      'transaction_status',
      'explain',
      'cross_chain_status',
    ],
  )
  t.same(tools[6]!.inputSchema.required, ['chain', 'side', 'token', 'amount', 'from', 'minOut'])
  t.match(await ask('resources/list'), { error: { code: -32601, message: /only tools/ } })
  t.match(await ask('tools/call', { name: 'steal' }), { error: { code: -32602, message: /no tool steal/ } })
  const before = heard.length
  say(
    '\ufeff{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n{"id":107}\n{"id":108,"method":"ping"}\nnot JSON\n{}\nnull\n[]\n',
  )
  t.same((await ask('ping')).result, {})
  const answers = heard.slice(before, -1).map(({ id, error }) => `${id} ${error?.code}`)
  t.same(
    answers.sort(),
    ['107 -32600', '108 -32600'],
    'neither a notification nor what has no id is answered',
  )
  t.equal(complaints.length, 4, 'not JSON, {}, null and an empty batch')
})

t.test('a batch is answered in the revision that has batches, and in no other', async (t) => {
  const { say, ask, heard, complaints } = agentOf(t, SILENT)
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const initialize = { ...ping('c'), method: 'initialize', params: { protocolVersion: '2024-11-05' } }
  const batch = `${JSON.stringify([ping('a'), { jsonrpc: '2.0', method: 'notifications/x' }, ping('b'), initialize])}\n`
  await ask('initialize', { protocolVersion: '2025-03-26' })
  say(batch)
  await ask('ping')
  await ask('ping')
  t.match(heard.find(Array.isArray), [
    { id: 'a', result: {} },
    { id: 'b', result: {} },
    { id: 'c', error: { code: -32600, message: /must not be in a batch/ } },
  ])
  say('[{"jsonrpc":"2.0","method":"notifications/x"}]\n')
  await ask('ping')
  t.equal(heard.length, 5, 'notifications alone are not answered')
  t.same(complaints, [])
  for (const protocolVersion of ['2025-06-18', '2024-11-05']) {
    await ask('initialize', { protocolVersion })
    const before = heard.length
    say(batch)
    await ask('ping')
    t.equal(heard.length, before + 1, protocolVersion)
  }
  t.equal(complaints.length, 2)
})

t.test('headers come from the environment, one a line', async (t) => {
  t.same(parseHeaders(''), {})
  t.same(parseHeaders('Authorization: Bearer a:b=\r\n\n x-api-key:k \n'), {
    Authorization: 'Bearer a:b=',
    'x-api-key': 'k',
  })
  for (const text of [
    'secret',
    'a b: secret',
    ': secret',
    'x: 1\nsecr\u00e9t: x',
    'x: secr\u00e9t',
    'x: \u0000secret',
  ]) {
    t.throws(
      () => parseHeaders(text),
      { name: 'TypeError', message: /^Line [12] of SWAPGATE_HEADERS(?!.*secr)/ },
      text,
    )
  }
})

t.test('what an agent asks wrongly is told to it', async (t) => {
  const { call } = agentOf(t, SILENT)
  for (const [name, input, message] of [
    ['quote', {}, '`chain` is required, as a text.'],
    ['quote', { ...SWAPS.base, amount: 1.5 }, '`amount` is required, as a text.'],
    ['quote', { ...SWAPS.base, key: 'secret' }, 'There is no input `key`.'],
    ['quote', { ...SWAPS.base, slippageBps: 300 }, '`slippageBps` must be a text.'],
    ['build', SWAPS.base, '`minOut` is required, as a text.'],
  ] as const) {
    t.same(await call(name, input), { isError: true, text: message })
  }
})

t.test('a swap from the question to what a wallet signs', async (t) => {
  // The agent's time of day is the machine's; but no quote ages before it is built, however busy that is.
  const clock = clockOf({ now: () => 0, date: () => Date.now() })
  const { url } = await listen(t, {}, { clock })
  const { call } = agentOf(t, createClient({ baseUrl: url }))
  t.match(await call('chains', {}), { text: /"key":"base"/ })
  t.match(await call('find_tokens', { q: 'usdc' }), { isError: false, text: /USDC/ })
  t.match(await call('token', { chain: 'base', address: 'nonsense' }), {
    isError: true,
    text: /^invalid_parameter: /,
  })
  const { from, ...order } = SWAPS.base
  const quote = JSON.parse((await call('quote', { ...order, slippageBps: '100' })).text)
  t.equal(quote.slippageBps, 100)
  const built = await call('build', { ...order, from, slippageBps: '100', minOut: quote.minOut })
  t.match(JSON.parse(built.text), {
    verified: 'proved',
    facts: { receives: { atLeast: quote.minOut, recipient: from } },
    send: {
      ...{ family: 'evm', chainId: 8453, approval: null },
      transactions: [{ value: '0x14d1120d7b160000', chainId: '0x2105' }],
    },
  })
  const more = String(BigInt(quote.minOut) * 2n)
  t.match(await call('build', { ...order, from, minOut: more }), {
    isError: true,
    text: /^Not verified, do not sign: /,
  })
  t.match(await call('explain', { chain: 'solana', transaction: 'AAAA' }), { text: /"verdict":\s*"unknown"/ })
  t.match(await call('explain', { chain: 'base', typedData: '{' }), { isError: true })
  const shown = JSON.parse((await call('cross_chain_swap', CROSS_CHAIN)).text)
  t.match(shown, { estimate: Object, minOut: /^[1-9]\d+$/ })
  // Each call is a race of its own, and the next may end a little lower.
  const accepted = String((BigInt(shown.minOut) * 99n) / 100n)
  const crossing = await call('cross_chain_swap', { ...CROSS_CHAIN, minOut: accepted })
  t.equal(crossing.isError, false, crossing.text)
  t.match(JSON.parse(crossing.text), { verified: 'proved', send: { family: 'evm' } })
  const unlisted = { chain: 'base', side: 'sell', token: AERO, amount: '300', from }
  const { minOut } = JSON.parse((await call('quote', unlisted)).text)
  const asked = { ...unlisted, minOut: String((BigInt(minOut) * 99n) / 100n) }
  t.match(await call('build', asked), {
    isError: true,
    text: /do not sign: decimals\. Only the gateway says its decimals\. Give `decimals`/,
  })
  const said = await call('build', { ...asked, decimals: JSON.stringify({ [AERO.toLowerCase()]: 18 }) })
  t.match(JSON.parse(said.text), { verified: 'proved', facts: { spends: { decimals: 18 } } })
  t.match(await call('build', { ...asked, decimals: `{"${AERO}":6}` }), { isError: true, text: /amountIn/ })
  const { text: sui } = await call('quote', SWAPS.sui)
  t.match(await call('build', { ...SWAPS.sui, minOut: JSON.parse(sui).minOut }), {
    isError: true,
    text: /do not sign: outcome\. Only the gateway says its outcome\. A wallet with nodes/,
  })
})

t.test('a transaction is explained here, whatever the gateway says of it', async (t) => {
  const { call } = agentOf(t, { ...SILENT, explain: async () => ({ verdict: 'known' }) } as Gateway)
  const to = SWAPS.base.token
  const data = `0x095ea7b3${'bad0'.repeat(10).padStart(64, '0')}${'f'.repeat(64)}`
  const asked = { chain: 'base', owner: SWAPS.base.from, call: JSON.stringify({ to, data }) }
  t.match(await call('explain', asked), { isError: false, text: /"verdict":"danger"/ })
})

t.test('an agent says what a transaction of Solana pays to be first', async (t) => {
  const asked: unknown[] = []
  const { call } = agentOf(t, {
    ...SILENT,
    quote: async (input: object) => {
      t.notOk('priority' in input, 'a quote takes none')
      return { amountIn: '1' }
    },
    build: async ({ priority }: { priority?: unknown }) => {
      asked.push(priority)
      throw new Error('built enough')
    },
  } as unknown as Gateway)
  for (const priority of ['high', '12000', '1.5', undefined]) {
    const input = { ...SWAPS.solana, minOut: '1', ...(priority && { priority }) }
    t.match(await call('build', input), { isError: true, text: 'built enough' })
  }
  t.same(asked, ['high', 12_000, '1.5', undefined], 'what is neither is for the gateway to refuse')
})

t.test('a gateway that was taken over hands nothing on', async (t) => {
  const { url } = await listen(t, {}, { clock: runningClock() })
  const honest = createClient({ baseUrl: url })
  const stranger = 'bad0'.repeat(10)
  const robbing = {
    ...honest,
    build: async (input: Parameters<Gateway['build']>[0]) => {
      const built = await honest.build(input)
      return { ...built, data: built.data!.replaceAll(built.from.slice(2).toLowerCase(), stranger) }
    },
    quote: async (input: Parameters<Gateway['quote']>[0]) => honest.quote(input),
  } as Gateway
  const { call } = agentOf(t, robbing)
  const { minOut } = JSON.parse((await call('quote', SWAPS.base)).text)
  const { isError, text } = await call('build', { ...SWAPS.base, minOut })
  t.ok(isError)
  t.match(text, /^Not verified, do not sign: recipient\./)
  t.notMatch(text, stranger)
})
