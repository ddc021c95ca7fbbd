import { address, createSolanaRpc, isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit'
import { Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import t from 'tap'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { until } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { type Node, SLOT_MS, startNodes } from '../../fixtures/sandbox.ts'
import { associatedAddress, createAssociated, syncNative, TOKEN_PROGRAM } from '../../fixtures/spl.ts'

const SOL = 1_000_000_000
const NOT_FOUND = {
  code: -32002,
  message: 'Transaction simulation failed: Blockhash not found',
  data: { err: 'BlockhashNotFound', logs: [], accounts: null },
}

const submit = (node: Node, bytes: Uint8Array, options: object = {}) =>
  node.call('sendTransaction', [
    Buffer.from(bytes).toString('base64'),
    { encoding: 'base64', preflightCommitment: 'confirmed', ...options },
  ])
const statusAt = async (node: Node, id: string) =>
  (await node.call('getSignatureStatuses', [[id]])).body.result.value[0]

t.test('nodes share one chain, and each has a record of what it received', async (t) => {
  const [a, b, c] = (await startNodes(t, 3)) as [Node, Node, Node]
  t.equal(new Set([a.url, b.url, c.url]).size, 3)
  const wallet = await a.funded()
  const friend = Keypair.generate().publicKey
  const bytes = await b.transfer(wallet, friend, SOL)
  const already = [a, b, c].map(({ received }) => received.length)
  const first = await submit(b, bytes)
  t.type(first.body.result, 'string')
  for (const node of [a, b, c]) {
    t.equal(await node.connection.getBalance(friend, 'processed'), SOL)
    t.match(await statusAt(node, first.body.result), { confirmationStatus: 'processed', err: null })
    t.equal(await node.connection.getGenesisHash(), await a.connection.getGenesisHash())
  }
  t.match(b.received[already[1]!], bytes.toString('base64'))
  t.notOk(a.received.some((text) => text.includes('sendTransaction')))
  t.equal(c.received.length - already[2]!, 3, 'two of them through a client, in its own words')
  c.turn('hang')
  const body = '{"jsonrpc":"2.0", "id":1,"method":"getSlot"}'
  const leaving = new AbortController()
  const unanswered = fetch(c.url, { method: 'POST', body, signal: leaving.signal })
  // Byte for byte, even where no answer came.
  await until(() => c.received.at(-1) === body)
  leaving.abort()
  await t.rejects(unanswered)
})

t.test('nodes accept one transaction each until its landing is confirmed, and it lands once', async (t) => {
  const nodes = await startNodes(t, 3)
  const [node] = nodes as [Node]
  const wallet = await node.funded()
  node.advance(2)
  const friend = Keypair.generate().publicKey
  const bytes = await node.transfer(wallet, friend, SOL)
  const replies = await Promise.all(nodes.map((one) => submit(one, bytes)))
  t.equal(new Set(replies.map(({ body }) => body.result)).size, 1)
  t.type(replies[2]!.body.result, 'string')
  t.equal((await submit(node, bytes)).body.result, replies[0]!.body.result)
  const knowing = await submit(node, bytes, { preflightCommitment: 'processed' })
  t.match(knowing.body.error, { data: { err: 'AlreadyProcessed' } })
  node.advance(1)
  for (const one of nodes)
    t.match((await submit(one, bytes)).body.error, { data: { err: 'AlreadyProcessed' } })
  t.equal(await node.connection.getBalance(friend), SOL)
  const sent = nodes.map(({ received }) => received.filter((text) => text.includes('sendTransaction')))
  t.same(sent[1], sent[2], 'what each received can be compared')
})

t.test('a lagging node shows the chain as it was', async (t) => {
  const [fresh, late] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await fresh.funded(2 * SOL)
  const friend = Keypair.generate().publicKey
  fresh.advance(200)
  late.turn('lag', { slots: 10 })
  const slots = async (commitment: 'processed' | 'confirmed' | 'finalized') =>
    (await fresh.connection.getSlot(commitment)) - (await late.connection.getSlot(commitment))
  for (const commitment of ['processed', 'confirmed', 'finalized'] as const)
    t.equal(await slots(commitment), 10)
  const heights = [await fresh.connection.getBlockHeight(), await late.connection.getBlockHeight()]
  t.equal(heights[0]! - heights[1]!, 10)

  const older = await late.connection.getLatestBlockhash()
  const newer = await fresh.connection.getLatestBlockhash()
  t.equal(newer.lastValidBlockHeight - older.lastValidBlockHeight, 10)
  t.not(newer.blockhash, older.blockhash)
  t.ok((await fresh.connection.isBlockhashValid(older.blockhash)).value)
  t.notOk((await late.connection.isBlockhashValid(newer.blockhash)).value)

  const minContextSlot = await fresh.connection.getSlot()
  const seen = await late.connection.getSlot()
  t.same((await late.call('getBalance', [friend, { commitment: 'confirmed', minContextSlot }])).body.error, {
    code: -32016,
    message: 'Minimum context slot has not been reached',
    data: { contextSlot: seen },
  })

  const bytes = await fresh.transfer(wallet, friend, SOL)
  const refused = (await submit(late, bytes)).body.error
  t.match(refused, NOT_FOUND)
  t.match(
    (await submit(late, bytes, { minContextSlot })).body.error,
    { code: -32016, data: { contextSlot: seen } },
    'the slot is looked at before the transaction',
  )
  const simulated = await late.call('simulateTransaction', [
    bytes.toString('base64'),
    { encoding: 'base64', commitment: 'confirmed' },
  ])
  t.match(simulated.body.result, { context: { slot: seen }, value: { err: 'BlockhashNotFound' } })

  const { result: id } = (await submit(fresh, bytes)).body
  t.equal(await fresh.connection.getBalance(friend, 'processed'), SOL)
  t.equal(await late.connection.getBalance(friend, 'processed'), 0)
  t.equal(await late.connection.getBalance(wallet.publicKey), 2 * SOL)
  const both = await late.connection.getMultipleAccountsInfo([wallet.publicKey, friend])
  t.match(both, [{ lamports: 2 * SOL }, null])
  t.equal(await statusAt(late, id), null)
  late.advance(9)
  t.equal(await statusAt(late, id), null)
  t.equal(await late.connection.getBalance(friend), 0)
  t.match(await statusAt(fresh, id), { confirmations: 9, confirmationStatus: 'confirmed' })
  t.equal(await late.connection.getTransaction(id, { maxSupportedTransactionVersion: 0 }), null)
  t.match((await submit(late, bytes)).body.error, NOT_FOUND, 'nobody has confirmed the blockhash there')
  const again = await submit(late, bytes, { preflightCommitment: 'processed' })
  t.equal(again.body.result, id, 'it knows the blockhash now, and of no landing')
  late.advance(1)
  t.match(await statusAt(late, id), { confirmations: 0, confirmationStatus: 'processed' })
  t.equal(await late.connection.getBalance(friend, 'processed'), SOL)
  const repeated = await submit(late, bytes, { preflightCommitment: 'processed' })
  t.match(repeated.body.error, { code: -32002, data: { err: 'AlreadyProcessed' } })

  const old = await late.transfer(wallet, friend, 1_000)
  const sent = (await submit(late, old)).body.result
  t.match(await statusAt(fresh, sent), { confirmations: 0 }, 'what it sends on lands where the chain is')
  t.equal(await statusAt(late, sent), null)
  late.turn(null)
  t.equal(await slots('processed'), 0)
  t.match(await statusAt(late, sent), { confirmations: 0 })
})

t.test('a node that lags knows token accounts as they were', async (t) => {
  const [fresh, late] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await fresh.funded()
  const owner = wallet.publicKey
  const token = { program: TOKEN_PROGRAM, mint: new PublicKey('So11111111111111111111111111111111111111112') }
  const account = associatedAddress(token, owner)
  const send = async (...instructions: TransactionInstruction[]) =>
    fresh.connection.sendRawTransaction(await fresh.signed(wallet, ...instructions))
  await send(createAssociated(token, owner, owner))
  fresh.advance(5)
  const wrap = SystemProgram.transfer({ fromPubkey: owner, toPubkey: account, lamports: 7 })
  await send(wrap, syncNative(token, owner))
  const owned = async () =>
    (
      await late.connection.getParsedTokenAccountsByOwner(owner, { programId: TOKEN_PROGRAM }, 'processed')
    ).value.map(({ account }) => account.data.parsed.info.tokenAmount.amount)
  t.same(await owned(), ['7'])
  late.turn('lag', { slots: 1 })
  t.same(await owned(), ['0'], 'there was nothing in it')
  fresh.advance(1)
  late.turn('lag', { slots: 7 })
  t.same(await owned(), [], 'it was not there')
})

t.test('a node that is far behind calls itself unhealthy, and refuses what it cannot judge', async (t) => {
  const [fresh, late] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await fresh.funded()
  fresh.advance(400)
  const bytes = await late.transfer(wallet, Keypair.generate().publicKey, SOL)
  const health = async () => (await fetch(`${late.url}/health`)).text()
  late.turn('lag', { slots: 128 })
  t.equal((await late.call('getHealth')).body.result, 'ok')
  t.equal(await health(), 'ok')
  late.turn('lag', { slots: 129 })
  const behind = { code: -32005, message: 'Node is behind by 129 slots', data: { numSlotsBehind: 129 } }
  t.same((await late.call('getHealth')).body.error, behind)
  t.equal(await health(), 'behind')
  t.same((await submit(late, bytes)).body.error, behind)
  bytes[1]! ^= 1
  t.match((await submit(late, bytes)).body.error, { code: -32002, data: { err: 'SignatureFailure' } })
  t.type((await late.call('getSlot')).body.result, 'number', 'reads are answered all the same')

  late.turn('unhealthy')
  const unhealthy = { code: -32005, message: 'Node is unhealthy', data: { numSlotsBehind: null } }
  for (const method of ['getHealth', 'getSlot']) t.same((await late.call(method)).body.error, unhealthy)
  t.same((await submit(late, bytes)).body.error, unhealthy)
})

t.test('a node that stands still falls behind', async (t) => {
  const [fresh, late] = (await startNodes(t, 2)) as [Node, Node]
  const slot = await late.connection.getSlot('processed')
  late.turn('stale')
  for (const passed of [1, 40, 5_000]) {
    late.advance(passed)
    const newest = await fresh.connection.getSlot('processed')
    t.equal(
      await late.connection.getSlot('processed'),
      Math.max(slot, newest - 1_000),
      'the past is kept for 1,000 slots',
    )
  }
  const { blockhash } = await late.connection.getLatestBlockhash()
  t.equal((await late.connection.getLatestBlockhash()).blockhash, blockhash)
  t.notOk((await fresh.connection.isBlockhashValid(blockhash)).value)
  t.ok((await late.connection.isBlockhashValid(blockhash)).value)
})

t.test(
  'whatever the lag and the time that passes, a node knows the hashes of its own 151 slots',
  async (t) => {
    const [fresh, late] = (await startNodes(t, 2)) as [Node, Node]
    const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 })), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(moves, async (moves) => {
        for (const [passed, slots] of moves) {
          fresh.advance(passed)
          late.turn('lag', { slots })
          const { blockhash } = (await fresh.call('getLatestBlockhash', [{ commitment: 'processed' }])).body
            .result.value
          const knows = async () =>
            (await late.call('isBlockhashValid', [blockhash, { commitment: 'processed' }])).body.result.value
          if (await knows()) return false
          fresh.advance(slots)
          if (!(await knows())) return false
          fresh.advance(150)
          if (!(await knows())) return false
          fresh.advance(1)
          if (await knows()) return false
        }
        return true
      }),
      { numRuns: 15 },
    )
  },
)

t.test('a node of another cluster has another genesis, other blockhashes and other accounts', async (t) => {
  const [own, other] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await own.funded()
  const bytes = await own.transfer(wallet, Keypair.generate().publicKey, SOL)
  const genesis = await own.connection.getGenesisHash()
  t.equal(await other.connection.getGenesisHash(), genesis)
  other.turn('wrongCluster')
  const elsewhere = await other.connection.getGenesisHash()
  t.not(elsewhere, genesis)
  t.equal(elsewhere.length > 40, true)
  t.equal(await other.connection.getBalance(wallet.publicKey), 0)
  t.match((await submit(other, bytes)).body.error, NOT_FOUND)
  const { blockhash } = await other.connection.getLatestBlockhash()
  t.notOk((await own.connection.isBlockhashValid(blockhash)).value)
  other.turn(null)
  t.equal(await other.connection.getGenesisHash(), genesis)
  t.type((await submit(other, bytes)).body.result, 'string')
})

t.test('a node that forgets accepts what never lands', async (t) => {
  const [own, forgetful] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await own.funded()
  const friend = Keypair.generate().publicKey
  forgetful.turn('forget')
  const bytes = await forgetful.transfer(wallet, friend, SOL)
  const { result: id } = (await submit(forgetful, bytes)).body
  own.advance(20)
  for (const node of [own, forgetful]) {
    t.equal(await statusAt(node, id), null)
    t.equal(await node.connection.getBalance(friend), 0)
  }
  t.match(
    (await submit(forgetful, await own.transfer(wallet, friend, 100 * SOL))).body.error,
    { code: -32002 },
    'the preflight is its own',
  )
  t.equal((await submit(own, bytes)).body.result, id)
  t.equal(await forgetful.connection.getBalance(friend, 'processed'), SOL)
  t.match(await statusAt(forgetful, id), { err: null })
})

t.test('a node that drops forwards the others', async (t) => {
  const [own, lossy] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await own.funded()
  lossy.turn('drop', { share: 50 })
  const landed: boolean[] = []
  for (let nth = 1; nth <= 4; nth++) {
    const bytes = await own.transfer(wallet, Keypair.generate().publicKey, SOL + nth)
    const { result: id } = (await submit(lossy, bytes)).body
    await lossy.call('getSlot')
    landed.push((await statusAt(own, id)) !== null)
  }
  t.same(landed, [true, false, true, false])
  t.throws(
    () => lossy.turn('drop', { share: 101 }),
    /^`share` goes with a drop, and must be an integer from 1 to 100/,
  )
})

t.test("a node with the public node's limits: 40 of a method and 100 of all in ten seconds", async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  node.turn('limited')
  const outcomes = async (method: string, times: number) => {
    const replies = await Promise.all(Array.from({ length: times }, () => node.call(method)))
    return replies.filter(({ status }) => status === 200).length
  }
  t.equal(await outcomes('getSlot', 41), 40)
  t.equal(await outcomes('getBlockHeight', 45), 40)
  t.equal(await outcomes('getHealth', 25), 20, 'a hundred in all')
  const refused = await fetch(node.url, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"getVersion"}',
    headers: { 'content-type': 'application/json' },
  })
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '10')
  t.match(await refused.json(), { error: { code: 429, message: /^Too many requests/ } })
  const told = await createSolanaRpc(node.url)
    .getBalance(address('1'.repeat(32)))
    .send()
    .catch((error: unknown) => error)
  t.ok(isSolanaError(told, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) && told.context.statusCode === 429)
  await t.rejects(node.connection.getSlot(), /429/)
  node.advance(10_000 / SLOT_MS - 1)
  t.equal((await node.call('getSlot')).status, 429)
  node.advance(1)
  t.equal((await node.call('getSlot')).status, 200)

  node.turn('429')
  const limited = await fetch(node.url, { method: 'POST', body: '{}' })
  t.match([limited.status, limited.headers.get('retry-after')], [429, '10'])
})

t.test('the sandbox starts the requested number of nodes, with a dial for each', async (t) => {
  const received: string[] = []
  const sandbox = await startSandbox({
    nodes: 3,
    now: () => Date.UTC(2026, 10, 20, 12),
    onRequest: (name) => received.push(name),
  })
  t.teardown(() => sandbox.close())
  t.equal(sandbox.solanaUrls.length, 3)
  t.equal(sandbox.solanaUrls[0], sandbox.solanaUrl)
  t.equal(sandbox.evmUrls('base').length, 3)
  t.equal(sandbox.evmUrls('base')[0], sandbox.evmUrl('base'))
  const put = async (name: string, dial: object) => {
    const init = { method: 'PUT', body: JSON.stringify(dial) }
    const response = await fetch(`${sandbox.controlUrl}/faults/${name}`, init)
    return { status: response.status, body: await response.json() }
  }
  t.same(await put('solana-2', { fault: 'lag' }), { status: 200, body: { fault: 'lag', slots: 50 } })
  t.same(await put('evm-3', { fault: 'lag', blocks: 7 }), { status: 200, body: { fault: 'lag', blocks: 7 } })
  const ask = async (url: string, method: string) => {
    const init = {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
      headers: { 'content-type': 'application/json' },
    }
    const { result } = (await (await fetch(url, init)).json()) as { result: number }
    return Number(result)
  }
  const slots = await Promise.all(sandbox.solanaUrls.map((url) => ask(url, 'getSlot')))
  t.same(
    slots.map((slot) => slots[0]! - slot),
    [0, 50, 0],
  )
  const blocks = await Promise.all(sandbox.evmUrls('base').map((url) => ask(url, 'eth_blockNumber')))
  t.same(
    blocks.map((block) => blocks[0]! - block),
    [0, 0, 7],
  )
  t.same(received.sort(), ['evm', 'evm-2', 'evm-3', 'solana', 'solana-2', 'solana-3'])

  const general = 'latency, 429, 500, hang, garbage, stale, reset, 401, 403, 404'
  const refusals: [name: string, dial: object, error: string | RegExp][] = [
    [
      'solana-2',
      { fault: 'steal' },
      `\`fault\` must be null or one of ${general}, lag, limited, wrongCluster, nodeError, unhealthy, forget, drop. That is for jupiter, dflow, kyberswap, velora, router, xprov, swapcoffee.`,
    ],
    [
      'evm-2',
      { fault: 'forget' },
      `\`fault\` must be null or one of ${general}, lag, limited, wrongCluster, nodeError. That is for solana, solana-2, solana-3.`,
    ],
    [
      'sui',
      { fault: 'lag' },
      `\`fault\` must be null or one of ${general}, nodeError. That is for solana, solana-2, solana-3, evm, evm-2, evm-3.`,
    ],
    ['sui', { fault: 'fire' }, `\`fault\` must be null or one of ${general}, nodeError.`],
    [
      'solana-4',
      { fault: 'lag' },
      /^The name must be one of solana-pace, solana-consensus, solana-demand, solana-prices, solana, solana-2, solana-3, lifi-registry, jupiter, /,
    ],
    [
      'solana',
      { fault: 'lag', slots: 1_001 },
      '`slots` goes with a lag, and must be an integer from 1 to 1000.',
    ],
    ['evm', { fault: 'lag', blocks: 0 }, '`blocks` goes with a lag, and must be an integer from 1 to 43200.'],
    ['solana', { fault: 'limited', slots: 3 }, /^`slots` goes with a lag/],
  ]
  for (const [name, dial, error] of refusals) {
    t.match(await put(name, dial), { status: 400, body: { error } }, JSON.stringify(dial))
  }
})

t.test('the pace of slots is a dial, which is turned while the chain runs', async (t) => {
  let now = 1_000_000
  const sandbox = await startSandbox({ now: () => now, nodes: 2 })
  t.teardown(() => sandbox.close())
  const ask = async (url: string, method = 'getSlot', params: unknown[] = [{ commitment: 'processed' }]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return ((await response.json()) as { result: number }).result
  }
  const [url, late] = sandbox.solanaUrls as [string, string]
  let slot = await ask(url)
  const run = async (ms: number) => {
    now += ms
    const before = slot
    slot = await ask(url)
    return slot - before
  }
  t.equal(await run(1_000), 5, 'a slot takes 200 ms')
  for (const [ms, slots] of [
    [400, 10],
    [100, 40],
    [200, 20],
  ] as const) {
    sandbox.dials.set('solana-pace', 'pace', { ms })
    t.equal(await run(0), 0, 'nothing jumps')
    t.equal(await run(4_000), slots)
  }
  sandbox.dials.set('solana-pace', null)
  now += 100
  sandbox.dials.set('solana-pace', 'pace', { ms: 100 })
  t.equal(await run(200), 2, 'a slot that was cut short is as long as it was')
  for (const slots of [1, 7, 30, 60, 100, 1_000]) {
    sandbox.dials.set('solana-2', 'lag', { slots })
    t.equal((await ask(url)) - (await ask(late)), slots, 'a node lags by slots, whatever they took')
  }
  await fetch(`${sandbox.controlUrl}/faults`, { method: 'DELETE' })
  t.equal(await run(1_000), 5)
  t.throws(() => sandbox.dials.set('solana-pace', 'pace', { ms: 49 }), /from 50 to 1000/)
  t.throws(() => sandbox.dials.set('solana', 'pace'), /That is for solana-pace/)
})

t.test('the chain migrates to Alpenglow, and confirms nothing meanwhile', async (t) => {
  const [node, late] = (await startNodes(t, 2)) as [Node, Node]
  const wallet = await node.funded()
  const friend = Keypair.generate().publicKey
  node.advance(40)
  const slots = async ({ call }: Node = node) => {
    const levels = ['processed', 'confirmed', 'finalized']
    return Promise.all(
      levels.map(async (commitment) => (await call('getSlot', [{ commitment }])).body.result),
    )
  }
  const cert = async () => (await node.call('getAgGenesisCert')).body.result
  const landed = (await submit(node, await node.transfer(wallet, friend, SOL))).body.result
  const [genesis] = (await slots()) as [number]
  t.same(await slots(), [genesis, genesis - 1, genesis - 32])
  t.equal(await cert(), null)

  node.migrate(20)
  node.advance(10)
  t.same(await slots(), [genesis + 10, genesis - 1, genesis - 32], 'what was confirmed stays')
  t.match(await statusAt(node, landed), { confirmationStatus: 'processed', confirmations: 10 })
  t.equal(await cert(), null)
  const { blockhash: deleted } = await node.connection.getLatestBlockhash('processed')
  const inWindow = await node.transfer(wallet, friend, 2 * SOL)
  const lost = (await submit(node, inWindow)).body.result
  t.type(lost, 'string', 'it is accepted')
  node.advance(5)
  t.equal(await statusAt(node, lost), null, 'and no block holds it')
  t.match((await node.call('requestAirdrop', [friend.toBase58(), 1])).body.error, { code: -32603 })
  t.equal(
    (await node.call('isBlockhashValid', [deleted, { commitment: 'processed' }])).body.result.value,
    true,
  )

  node.advance(6)
  t.same(await slots(), [genesis + 1, genesis, genesis], 'the numbers come again')
  t.match(await statusAt(node, landed), { confirmationStatus: 'finalized', confirmations: null })
  t.equal(
    (await node.call('isBlockhashValid', [deleted, { commitment: 'processed' }])).body.result.value,
    false,
  )
  t.same((await submit(node, inWindow)).body.result, lost, 'who sends it again has it land')
  t.match(await statusAt(node, lost), { slot: genesis + 1, confirmationStatus: 'processed' })
  node.advance(1)
  t.match(await statusAt(node, lost), { confirmationStatus: 'finalized' }, 'which nothing precedes')
  t.match(await cert(), {
    block: { slot: genesis, blockId: { length: 32 } },
    signature: { signature: { length: 192 } },
  })
  node.setPace(100)
  node.advance(10)
  const [processed] = (await slots()) as [number]
  t.same(await slots(), [processed, processed - 2, processed - 2], 'some 150 ms')
  late.turn('lag', { slots: 5 })
  t.same(await slots(late), [processed - 5, processed - 7, processed - 7])

  node.turn(null)
  t.equal((await node.call('getHealth')).body.result, 'ok')
})

t.test('a migration may be of no slots, and a sandbox goes back', async (t) => {
  let now = 1_000_000
  const sandbox = await startSandbox({ now: () => now })
  t.teardown(() => sandbox.close())
  const slot = async (commitment: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params: [{ commitment }] })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(sandbox.solanaUrl, { method: 'POST', headers, body })
    return ((await response.json()) as { result: number }).result
  }
  const behind = async (commitment: string) => (await slot('processed')) - (await slot(commitment))
  t.same([await behind('confirmed'), await behind('finalized')], [1, 32])
  sandbox.dials.set('solana-consensus', 'alpenglow', { slots: 0 })
  now += 200
  t.same([await behind('confirmed'), await behind('finalized')], [1, 1])
  const finalized = await slot('finalized')
  sandbox.dials.clear()
  now += 200
  t.same([await slot('confirmed'), await slot('finalized')], [finalized + 1, finalized], 'nothing is undone')
  now += 40 * 200
  t.same([await behind('confirmed'), await behind('finalized')], [1, 32])
})
