import { once } from 'node:events'
import { Keypair } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { handClock, settle } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { type Node, SLOT_MS, startNodes } from '../fixtures/sandbox.ts'

const FRIEND = Keypair.generate().publicKey
const STEP_MS = 100
type Answer = ReturnType<typeof JSON.parse>

/** A gateway before two nodes; its time and theirs pass together, in steps. */
async function world(t: Test, environment: Record<string, string> = {}) {
  const nodes = (await startNodes(t, 2)) as [Node, Node]
  const [node] = nodes
  const wallet = await node.funded()
  node.advance(40)
  const clock = handClock()
  const urls = nodes.map(({ url }) => url).join()
  const { url } = await listen(
    t,
    {
      MODE: 'live',
      SOLANA_RPC_URLS: urls,
      SOLANA_SEND_URLS: node.url,
      LIMITS: 'rpcRead=off,rpcSend=off,rpcBatch=off',
      ...environment,
    },
    { clock },
  )
  let slotMs = SLOT_MS
  const rpc = async (method: string, params: unknown[]): Promise<Answer> =>
    (await call(url, method, params)).json()
  return {
    nodes,
    url,
    wallet,
    rpc,
    setPace: (ms: number) => {
      slotMs = ms
      node.setPace(ms)
    },
    /** @param onStep  called after each step */
    pass: async (ms: number, onStep = async (): Promise<void> => {}) => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        node.advance(STEP_MS / slotMs)
        clock.advance(STEP_MS)
        await settle()
        await onStep()
      }
    },
    send: async (bytes: Buffer): Promise<Answer> =>
      rpc('sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }]),
  }
}

/** How often a node was sent a transaction. */
const sendsOf = ({ received }: Node, bytes: Buffer): number =>
  received.filter((body) => body.includes(bytes.toString('base64'))).length

t.test('rebroadcasts follow the pace of slots, also when it changes', async (t) => {
  const { nodes, wallet, pass, send, setPace } = await world(t, { SOLANA_MAX_RETRIES: '100' })
  const [node, other] = nodes
  node.turn('forget')
  for (const [slotMs, isStill] of [
    [200, false],
    [100, false],
    [400, false],
    [400, true],
  ] as const) {
    setPace(slotMs)
    if (isStill) other.turn('stale')
    const bytes = await node.transfer(wallet, FRIEND, 1_000_000 + slotMs + Number(isStill))
    t.match(await send(bytes), { result: String })
    // A new pace is measured within eight seconds.
    await pass(slotMs === SLOT_MS || isStill ? 1_000 : 8_500)
    const before = sendsOf(node, bytes)
    await pass(4_000)
    const sends = sendsOf(node, bytes) - before
    const expected = 4_000 / (5 * slotMs)
    t.ok(Math.abs(sends - expected) <= 1, `${slotMs} ms: ${sends} sends in 4 s`)
  }
})

/** A client that waits for a signature at each commitment, and what it was told. */
async function waiting(t: Test, url: string, signature: string) {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`)
  t.teardown(() => ws.terminate())
  const told: string[] = []
  const commitments = ['processed', 'confirmed', 'finalized']
  ws.on('message', (data) => {
    const { id, params } = JSON.parse(String(data))
    if (id === undefined) told.push(JSON.stringify(params.result.value))
  })
  await once(ws, 'open')
  for (const [id, commitment] of commitments.entries()) {
    ws.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'signatureSubscribe',
        params: [signature, { commitment }],
      }),
    )
  }
  return told
}

t.test('a migration to Alpenglow ends no wait, and no status is wrong meanwhile', async (t) => {
  const { nodes, url, wallet, rpc, pass, send } = await world(t)
  const [node] = nodes
  const words = ['processed', 'confirmed', 'finalized']
  const seen = new Map<string, string[]>()
  const shown = new Map<string, string[]>()
  const note = (all: Map<string, string[]>, signature: string, word: string) => {
    const words = all.get(signature)!
    if (words.at(-1) !== word) words.push(word)
  }
  const look = async () => {
    const signatures = [...seen.keys()]
    const { result } = await rpc('getSignatureStatuses', [signatures])
    for (const [at, signature] of signatures.entries()) {
      note(seen, signature, result.value[at]?.confirmationStatus ?? 'none')
      const target = `${url}/api/transaction-status?chain=solana&signature=${signature}`
      note(shown, signature, ((await (await fetch(target)).json()) as Answer).status)
    }
  }
  const submit = async (lamports: number) => {
    const bytes = await node.transfer(wallet, FRIEND, lamports)
    const { result } = await send(bytes)
    t.type(result, 'string')
    seen.set(result, [])
    shown.set(result, [])
    return { signature: result as string, told: await waiting(t, url, result) }
  }

  const before = await submit(1_000_000)
  await pass(400, look)
  node.migrate(15)
  await pass(1_000, look)
  const during = await submit(2_000_000)
  await pass(1_500, look)
  t.same(during.told, [], 'nothing lands while the cluster migrates')
  t.same(shown.get(during.signature), ['pending'], 'and it has not expired')
  await pass(2_500, look)
  const after = await submit(3_000_000)
  await pass(1_500, look)

  for (const { told } of [before, during, after]) t.equal(told.length, 3, 'a client that waits hears of it')
  for (const { told } of [before, during, after]) t.same([...new Set(told)], ['{"err":null}'])
  for (const [signature, all] of seen) {
    const levels = all.filter((word) => word !== 'none').map((word) => words.indexOf(word))
    t.same(levels, [...levels].sort(), `no status goes back: ${all}`)
    t.equal(all.at(-1), 'finalized')
    const ranks = shown.get(signature)!.map((word) => ['pending', 'confirmed', 'finalized'].indexOf(word))
    t.same(ranks, [...ranks].sort(), `${shown.get(signature)}`)
    t.equal(ranks.at(-1), 2)
  }
  const read = await rpc('getBalance', [FRIEND.toBase58(), { commitment: 'confirmed' }])
  t.equal(read.result.value, 6_000_000, 'reads show what was seen')
  const receipt = await fetch(`${url}/api/fast-trade-proof?digest=${during.signature}`)
  t.match(await receipt.json(), { landed: { slot: Number } }, 'it was sent again after the migration')
})

t.test('while the confirmed height does not move, nothing counts as expired', async (t) => {
  const { nodes, wallet, rpc, pass, send } = await world(t)
  const [node] = nodes
  await rpc('getLatestBlockhash', [{ commitment: 'processed' }])
  const { blockhash, lastValidBlockHeight } = (await rpc('getLatestBlockhash', [{ commitment: 'confirmed' }]))
    .result.value
  node.migrate(400)
  node.advance(200)
  await pass(300)
  const bytes = await node.transfer(wallet, FRIEND, 1_000_000, blockhash)
  const height = (await rpc('getBlockHeight', [{ commitment: 'processed' }])).result
  t.ok(height > lastValidBlockHeight, 'but only processed')
  const refused = await send(bytes)
  t.match(refused, { error: { data: { err: 'BlockhashNotFound' } } })
  t.notOk('expired' in refused.error.data)
  node.advance(200)
  await pass(300)
  node.advance(200)
  await pass(300)
  const expired = await send(bytes)
  t.equal(expired.error.data.expired, true, 'it is, once blocks are confirmed again')
})
