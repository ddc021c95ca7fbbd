import t, { type Test } from 'tap'
import type { AccountState, AccountWatcher } from '../../../src/relay/reads/accounts.ts'
import type { SignatureStatus } from '../../../src/relay/reads/statuses.ts'
import { type SubscriptionRegistry, Subscriptions } from '../../../src/relay/subscriptions/subscriptions.ts'
import { codePoint } from '../../fixtures/code-points.ts'
import fc from '../../fixtures/fast-check.ts'

const S = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
/** An account of more data than is read, whose state is known already. */
const KNOWN = '11111111111111111111111111111112'
const A = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

const status = (
  confirmationStatus: SignatureStatus['confirmationStatus'],
  slot = 7,
  err: unknown = null,
): SignatureStatus => ({ slot, err, confirmationStatus })

/** A connection, what it was notified of, and who watches on its behalf. */
function open(max = 1_000) {
  const watchers = new Set<(status: SignatureStatus) => void>()
  const accounts = new Map<AccountWatcher, string>()
  const listeners = new Set<(slot: number) => void>()
  const told: unknown[] = []
  const refused: unknown[] = []
  const shown: number[] = []
  const charged: (readonly number[])[] = []
  const registry: SubscriptionRegistry = {
    watch: (signature, onStatus, onAsked) => {
      if (signature !== S) throw new Error(signature)
      onAsked(0.25)
      watchers.add(onStatus)
      return () => watchers.delete(onStatus)
    },
    accounts: {
      watch(address, commitment, watcher) {
        accounts.set(watcher, `${address} ${commitment}`)
        watcher.onAsked!(0.5, 70)
        if (address === KNOWN) watcher.onKnown(5, true)
        return () => accounts.delete(watcher)
      },
    },
    slots: {
      listen(onSlot) {
        listeners.add(onSlot)
        return () => listeners.delete(onSlot)
      },
    },
    max,
    lastId: 0,
    open: 0,
  }
  const connect = () =>
    new Subscriptions({
      registry,
      client: 'one',
      notify: (text) => told.push(JSON.parse(text)),
      refuse: (text) => refused.push(JSON.parse(text)),
      charge: (...charge) => charged.push(charge),
      onShown: (slot) => shown.push(slot),
    })
  const subscriptions = connect()
  const answer = (text: string, of = subscriptions): unknown => {
    const reply = of.receive(Buffer.from(text))
    return reply === null ? (refused.pop() ?? null) : JSON.parse(reply)
  }
  const ask = (method: string, params: unknown, of = subscriptions): unknown =>
    answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), of)
  const see = (seen: SignatureStatus): void => {
    for (const watcher of [...watchers]) watcher(seen)
  }
  const watching = { watchers, accounts, listeners }
  return { subscriptions, connect, registry, ...watching, told, refused, shown, charged, answer, ask, see }
}

const notification = (subscription: number, slot: number, value: unknown) => ({
  jsonrpc: '2.0',
  method: 'signatureNotification',
  params: { result: { context: { slot }, value }, subscription },
})

t.test('a subscriber is notified once, at its commitment, and the subscription ends', async (t) => {
  const { subscriptions, watchers, told, shown, ask, see } = open()
  const levels = [{ commitment: 'processed' }, { commitment: 'confirmed' }, { commitment: 'finalized' }, null]
  for (const [i, level] of levels.entries()) {
    t.same(ask('signatureSubscribe', [S, level]), { jsonrpc: '2.0', result: i + 1, id: 1 })
  }
  t.equal(watchers.size, 4)
  see(status('processed'))
  t.same(told.splice(0), [notification(1, 7, { err: null })])
  t.same(shown, [], 'what is processed only may be gone again')
  see(status('processed'))
  see(status('confirmed', 8))
  t.same(told.splice(0), [notification(2, 8, { err: null })], 'in another block, as it came on another fork')
  see(status('finalized', 8))
  t.same(
    told,
    [notification(3, 8, { err: null }), notification(4, 8, { err: null })],
    'finalized is the default',
  )
  t.same(shown, [8, 8, 8])
  t.equal(subscriptions.size + watchers.size, 0)
  t.match(ask('signatureUnsubscribe', [4]), { error: { code: -32_602 } })
})

t.test("a failure is reported in the node's words", async (t) => {
  const { told, ask, see } = open()
  ask('signatureSubscribe', [S, { commitment: 'confirmed' }])
  const err = { InstructionError: [0, { Custom: 6001 }] }
  see(status('finalized', 9, err))
  t.same(told, [notification(1, 9, { err })])
})

t.test('that a node has received it is reported on request, before its commitment', async (t) => {
  const { told, ask, see } = open()
  ask('signatureSubscribe', [S, { commitment: 'confirmed', enableReceivedNotification: true }])
  see(status('processed'))
  see(status('processed'))
  see(status('confirmed'))
  t.same(told.splice(0), [notification(1, 7, 'receivedSignature'), notification(1, 7, { err: null })])
  ask('signatureSubscribe', [S, { commitment: 'confirmed', enableReceivedNotification: true }])
  see(status('finalized'))
  t.same(told, [notification(2, 7, 'receivedSignature'), notification(2, 7, { err: null })])
})

t.test('a cancelled subscription is not watched', async (t) => {
  const { subscriptions, connect, registry, watchers, told, ask, see } = open()
  ask('signatureSubscribe', [S])
  ask('signatureSubscribe', [S])
  const other = connect()
  ask('signatureSubscribe', [S], other)
  t.match(ask('signatureUnsubscribe', [1], other), { error: { code: -32_602 } }, "another connection's")
  t.same(ask('signatureUnsubscribe', [1]), { jsonrpc: '2.0', result: true, id: 1 })
  t.match(ask('signatureUnsubscribe', [1]), {
    error: { code: -32_602, message: 'Invalid subscription id.' },
    id: 1,
  })
  t.equal(registry.open, 2)
  subscriptions.end()
  see(status('finalized'))
  t.same(told, [notification(3, 7, { err: null })])
  t.equal(watchers.size + registry.open, 0)
})

t.test('a malformed call is refused as JSON-RPC says', async (t) => {
  const { watchers, answer } = open()
  const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"signatureSubscribe","params":["${S}"]}`
  const cases: [text: string, code: number, id: unknown][] = [
    ['', -32_700, null],
    ['{', -32_700, null],
    ['nonsense', -32_700, null],
    [`${call('1')} 2`, -32_700, null],
    ['['.repeat(2_000) + ']'.repeat(2_000), -32_700, null],
    ['[]', -32_600, null],
    [`[${call('1')}]`, -32_600, null],
    ['7', -32_600, null],
    ['null', -32_600, null],
    ['{}', -32_600, null],
    ['{"jsonrpc":"1.0","id":1,"method":"signatureSubscribe"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":1}', -32_600, null],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32_600, null],
    [call('{}'), -32_600, null],
    [call('true'), -32_600, null],
    ['{"jsonrpc":"2.0","id":1,"method":"logsSubscribe","params":["all"]}', -32_601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"logsUnsubscribe","params":[1]}', -32_601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot"}', -32_601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32_601, 1],
    ['{"jsonrpc":"2.0","id":"x","method":"signatureSubscribe"}', -32_602, 'x'],
    ['{"jsonrpc":"2.0","id":null,"method":"signatureSubscribe"}', -32_602, null],
  ]
  for (const [text, code, id] of cases) t.match(answer(text), { jsonrpc: '2.0', error: { code }, id }, text)
  t.equal(answer('{"jsonrpc":"2.0","method":"ping"}'), null, 'a notification has no answer')
  t.equal(answer(`{"jsonrpc":"2.0","method":"signatureSubscribe","params":["${S}"]}`), null)
  t.equal(watchers.size, 0)
})

t.test('no message is too strange for an answer', async () => {
  const { answer } = open()
  const methods = fc.constantFrom(
    'signatureSubscribe',
    'signatureUnsubscribe',
    'accountSubscribe',
    'slotUnsubscribe',
    'toString',
  )
  const call = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.jsonValue(),
    method: methods,
    params: fc.jsonValue(),
  })
  const message = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.json(),
    call.map((value) => JSON.stringify(value)),
    fc.tuple(fc.json(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  )
  fc.assert(
    fc.property(message, (text) => {
      const told = answer(text) as { error?: { code: number }; jsonrpc: string } | null
      return told === null || (told.jsonrpc === '2.0' && typeof told.error?.code === 'number')
    }),
    { numRuns: 2_000 },
  )
})

t.test('params are refused by name', async (t) => {
  const { watchers, ask } = open()
  const cases: [method: string, params: unknown, message: string][] = [
    ['signatureSubscribe', [], 'Invalid params: `params` must be an array of 1 to 2 items.'],
    ['signatureSubscribe', { signature: S }, 'Invalid params: `params` must be an array of 1 to 2 items.'],
    ['signatureSubscribe', [A], 'Invalid params: `params[0]` must be a base58 signature of 64 bytes.'],
    ['signatureSubscribe', [7], 'Invalid params: `params[0]` must be a base58 signature of 64 bytes.'],
    ['signatureSubscribe', [S, 'confirmed'], 'Invalid params: `params[1]` must be an object.'],
    [
      'signatureSubscribe',
      [S, { commitment: 'confirmd' }],
      'Invalid params: `params[1].commitment` must be one of processed, confirmed, finalized.',
    ],
    [
      'signatureSubscribe',
      [S, { enableReceivedNotification: 1 }],
      'Invalid params: `params[1].enableReceivedNotification` must be true or false.',
    ],
    ['signatureUnsubscribe', [], 'Invalid params: `params` must be an array of 1 item.'],
    [
      'signatureUnsubscribe',
      ['1'],
      'Invalid params: `params[0]` must be an integer from 0 to 9007199254740991.',
    ],
    ['signatureUnsubscribe', [1], 'Invalid subscription id.'],
    ['accountUnsubscribe', [1], 'Invalid subscription id.'],
    ['slotUnsubscribe', [1], 'Invalid subscription id.'],
    ['slotSubscribe', [{}], 'Invalid params: `params` must be an array of 0 items.'],
    ['accountSubscribe', [S], 'Invalid params: `params[0]` must be a base58 address of 32 bytes.'],
    [
      'accountSubscribe',
      [A, { encoding: 'jsonParsed' }],
      'Invalid params: `params[1].encoding` must be one of base64, base58, binary.',
    ],
    [
      'accountSubscribe',
      [A, { dataSlice: { offset: -1, length: 1 } }],
      'Invalid params: `params[1].dataSlice.offset` must be an integer from 0 to 9007199254740991.',
    ],
  ]
  for (const [method, params, message] of cases) {
    t.match(ask(method, params), { error: { code: -32_602, message }, id: 1 }, message)
  }
  t.equal(watchers.size, 0)
})

t.test('an id comes back as it was spelled', async (t) => {
  const { subscriptions } = open()
  for (const id of ['18446744073709551615', '1e2', '"\\u0061"', '-0', '"é"', '1.50']) {
    const text = `{"jsonrpc":"2.0", "id" : ${id} ,"method":"x"}`
    const answer: string = subscriptions.receive(Buffer.from(text))!
    t.ok(answer.endsWith(`,"id":${id}}`), answer)
  }
})

t.test(
  'a connection has at most 32 subscriptions, and all of them no more than there is room for',
  async (t) => {
    const full = (ask: (method: string, params: unknown) => unknown, count: number, t: Test) => {
      for (let i = 0; i < count; i++) t.match(ask('signatureSubscribe', [S]), { result: i + 1 })
    }
    const one = open()
    full(one.ask, 32, t)
    const refused = {
      error: {
        code: -32_603,
        message: 'Subscription refused: the limit of 32 on one connection is reached.',
      },
    }
    t.match(one.ask('signatureSubscribe', [S]), refused)
    one.ask('signatureUnsubscribe', [9])
    t.match(one.ask('signatureSubscribe', [S]), { result: 33 }, 'there is room again')
    t.match(one.ask('signatureSubscribe', [S]), refused)
    t.match(one.ask('signatureSubscribe', [S], one.connect()), { result: 34 })

    const few = open(3)
    full(few.ask, 3, t)
    const message = 'Subscription refused: the limit of 3 on this service is reached.'
    t.match(few.ask('signatureSubscribe', [S], few.connect()), { error: { code: -32_603, message } })
  },
)

const STATE: AccountState = {
  lamports: '18446744073709551615',
  owner: A,
  executable: false,
  rentEpoch: '18446744073709551614',
  space: '3',
  data: Buffer.from([1, 2, 3]),
  isCut: false,
}

t.test(
  "a subscription is answered once the account's state is known, and each change is reported",
  async (t) => {
    const { subscriptions, accounts, told, shown, ask } = open()
    t.equal(ask('accountSubscribe', [A, { encoding: 'base64', commitment: 'confirmed' }]), null)
    t.equal(ask('accountSubscribe', [A, { encoding: 'base64', commitment: 'processed' }]), null)
    t.same([...accounts.values()], [`${A} confirmed`, `${A} processed`])
    t.equal(subscriptions.size, 2, 'it counts from now on')
    const [confirmed, processed] = [...accounts.keys()]
    t.same([told.length, shown.length], [0, 0])
    confirmed!.onKnown(7, false)
    processed!.onKnown(8, false)
    t.same(told.splice(0), [
      { jsonrpc: '2.0', result: 1, id: 1 },
      { jsonrpc: '2.0', result: 2, id: 1 },
    ])
    t.same(shown, [7], 'its reads show no older state from now on, but for what may be gone again')
    confirmed!.onChange(9, STATE)
    confirmed!.onChange(10, null)
    const value = { data: ['AQID', 'base64'], executable: false, lamports: Number, owner: A, space: 3 }
    t.match(told, [
      {
        method: 'accountNotification',
        params: { result: { context: { slot: 9 }, value }, subscription: 1 },
      },
      { params: { result: { context: { slot: 10 }, value: null }, subscription: 1 } },
    ])
    t.same(shown, [7, 9, 10])
    t.match(ask('slotUnsubscribe', [1]), { error: { code: -32_602 } }, 'it is of another kind')
    t.match(ask('accountUnsubscribe', [1]), { result: true })
    subscriptions.end()
    t.equal(accounts.size, 0)
  },
)

t.test('an account longer than what is read needs a slice', async (t) => {
  const { subscriptions, registry, accounts, told, ask } = open()
  const error = { code: -32_603, message: /more than 10,240 bytes of data.*dataSlice/ }
  t.match(ask('accountSubscribe', [KNOWN]), { error, id: 1 })
  t.match(ask('accountSubscribe', [KNOWN, { dataSlice: { offset: 1, length: 10_240 } }]), { error })
  t.equal(subscriptions.size + registry.open + accounts.size, 0)
  ask('accountSubscribe', [KNOWN, { dataSlice: { offset: 1, length: 10_239 } }])
  t.match(told, [{ result: 3 }])
  t.equal(accounts.size, 1)
})

t.test('a connection hears of slots once, however often it subscribes', async (t) => {
  const { subscriptions, listeners, told, shown, ask } = open()
  t.match(ask('slotSubscribe', []), { result: 1 })
  t.match(ask('slotSubscribe', null), { result: 1 })
  t.equal(listeners.size, 1)
  for (const onSlot of listeners) onSlot(90)
  t.same(told, [
    {
      jsonrpc: '2.0',
      method: 'slotNotification',
      params: { result: { parent: 89, root: 59, slot: 90 }, subscription: 1 },
    },
  ])
  t.same(shown, [])
  t.match(ask('slotUnsubscribe', [1]), { result: true })
  t.equal(subscriptions.size + listeners.size, 0)
  t.match(ask('slotSubscribe', []), { result: 2 })
  subscriptions.end()
  t.equal(listeners.size, 0)
})

t.test('its client pays for the calls that are made for it', async (t) => {
  const { ask, charged } = open()
  ask('signatureSubscribe', [S])
  ask('accountSubscribe', [A])
  t.same(charged, [
    [0.25, 0],
    [0.5, 70],
  ])
})

t.test('a shed message is refused under its own id, and has no effect', async (t) => {
  const { subscriptions, watchers, refused, told } = open()
  const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"signatureSubscribe","params":["${S}"]}`
  for (const id of ['9007199254740993', '"a\\u0062"', 'null']) subscriptions.shed(Buffer.from(call(id)))
  t.match(refused, [{ id: 9007199254740992 }, { id: 'ab' }, { id: null }])
  for (const one of refused) {
    t.match(one, { error: { code: -32603, data: { code: 'overloaded', retryAfterMs: 2_000 } } })
  }
  for (const text of ['', '[]', '{', '{"jsonrpc":"2.0","method":"ping"}']) {
    subscriptions.shed(Buffer.from(text))
  }
  t.equal(refused.length, 3, 'what has no id gets no answer')
  t.equal(watchers.size, 0)
  t.same(told, [])
})
