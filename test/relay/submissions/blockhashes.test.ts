import t from 'tap'
import { durableNonceOf } from '../../../src/chains/solana/nonce.ts'
import type { Verifier } from '../../../src/chains/solana/signatures/verifier.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { LoopShare } from '../../../src/flow/loop-share.ts'
import { Blockhashes } from '../../../src/relay/submissions/blockhashes.ts'
import { isBlockhashNotFound, withExpired } from '../../../src/relay/submissions/expired.ts'
import { SignatureChecker } from '../../../src/relay/submissions/signatures.ts'
import type { RpcReply } from '../../../src/upstream/nodes/solana/rpc.ts'
import { clockOf, handClock } from '../../fixtures/clock.ts'
import { serialize, transfer } from '../../fixtures/transactions.ts'

/** How long a slot takes in these tests. */
const rpc = { slotMs: 200 }
const CONFIRMED = '[{"commitment":"confirmed"}]'
const answer = (value: unknown): RpcReply => ({ result: Buffer.from(JSON.stringify(value)) }) as RpcReply
const latest = (blockhash: string, lastValidBlockHeight: number): RpcReply =>
  answer({ context: { slot: 1 }, value: { blockhash, lastValidBlockHeight } })

t.test('a blockhash that passed is valid until the cluster may have left it behind', async (t) => {
  const clock = handClock()
  const blockhashes = new Blockhashes({ rpc, clock })
  t.equal(blockhashes.verdict('a'), 'unknown')
  blockhashes.learn('getLatestBlockhash', CONFIRMED, latest('a', 1_150))
  t.equal(blockhashes.lastValidHeight('a'), 1_150)
  t.equal(blockhashes.verdict('a'), 'valid')
  clock.advance(150 * 200)
  t.equal(blockhashes.verdict('a'), 'valid', 'about a block a slot')
  clock.advance(200)
  t.equal(blockhashes.verdict('a'), 'unclear')
  blockhashes.learn('getBlockHeight', CONFIRMED, answer(1_140))
  t.equal(blockhashes.verdict('a'), 'valid', 'the cluster was slower than it may be')
  blockhashes.learn('getBlockHeight', '[{"commitment":"processed"}]', answer(1_151))
  t.equal(blockhashes.verdict('a'), 'unclear', 'what is only processed may be undone')
  blockhashes.learn('getBlockHeight', '[]', answer(1_150))
  t.equal(blockhashes.verdict('a'), 'unclear', 'it can land in the last valid block')
  blockhashes.learn('getBlockHeight', CONFIRMED, answer(1_151))
  t.equal(blockhashes.verdict('a'), 'expired')
})

t.test('it expires a slot after its last block; unknown or expired ones count as fresh', async (t) => {
  const clock = handClock()
  const blockhashes = new Blockhashes({ rpc, clock })
  const leftMs = (blockhash: string): number => blockhashes.expiresAt(blockhash) - clock.now()
  t.equal(leftMs('a'), 150 * 200)
  blockhashes.learn('getLatestBlockhash', CONFIRMED, latest('a', 1_150))
  t.equal(leftMs('a'), 151 * 200)
  clock.advance(100 * 200)
  t.equal(leftMs('a'), 51 * 200)
  t.ok(blockhashes.expiresAt('a') < blockhashes.expiresAt('b'), 'it goes before one that nothing is known of')
  clock.advance(50 * 200)
  t.equal(leftMs('a'), 200)
  clock.advance(200)
  t.equal(leftMs('a'), 150 * 200, 'nothing is lost if it waits')
})

t.test('submissions that wait for their check go in the order in which they expire', async (t) => {
  let turn = (): void => {}
  const share = new LoopShare({ nextTurn: (run) => (turn = run), clock: clockOf({ now: () => 0 }) })
  const checked: Uint8Array[] = []
  const verifier = { verify: (signature: Uint8Array) => checked.push(signature) > 0 } as unknown as Verifier
  const checker = new SignatureChecker(verifier, { share, clock: clockOf({ now: () => 0 }) })
  share.spend(1)
  const submit = (fill: number, dueAt?: number): Promise<unknown> => {
    const wire = new WireTransaction()
    wire.parse(serialize(transfer({ blockhash: new Uint8Array(32).fill(fill) })))
    return checker.findBad([wire], dueAt === undefined ? undefined : () => dueAt).then(() => fill)
  }
  const order: unknown[] = []
  for (const one of [submit(1), submit(2, 900), submit(3, 100)]) void one.then((fill) => order.push(fill))
  for (let i = 0; i < 3; i++) {
    turn()
    await new Promise(setImmediate)
  }
  t.same(order, [3, 2, 1])
})

t.test('a node that lags does not turn the time back', async (t) => {
  const blockhashes = new Blockhashes({ rpc, clock: handClock() })
  blockhashes.learn('getLatestBlockhash', '[]', latest('a', 1_150))
  blockhashes.learn('getBlockHeight', '[]', answer(1_151))
  blockhashes.learn('getBlockHeight', '[]', answer(900))
  blockhashes.learn('getLatestBlockhash', '[]', latest('b', 1_100))
  t.equal(blockhashes.verdict('a'), 'expired')
  t.equal(blockhashes.verdict('b'), 'expired')
})

t.test('only what nodes report as the height of a confirmed block says that one has expired', async (t) => {
  const clock = handClock()
  const blockhashes = new Blockhashes({ rpc, clock })
  blockhashes.learn('getLatestBlockhash', CONFIRMED, latest('a', 1_150))
  t.equal(blockhashes.confirmedAgeMs, Infinity)
  // If blockhashes lived for 400 blocks, this would be of height 1,100.
  blockhashes.learn('getLatestBlockhash', CONFIRMED, latest('b', 1_500))
  t.equal(blockhashes.verdict('a'), 'unclear')
  const epoch = { absoluteSlot: 5_000, blockHeight: 1_151, epoch: 1 }
  blockhashes.learn('getEpochInfo', '[{"commitment":"processed"}]', answer(epoch))
  t.equal(blockhashes.verdict('a'), 'unclear')
  blockhashes.learn('getEpochInfo', CONFIRMED, answer(epoch))
  t.equal(blockhashes.verdict('a'), 'expired')
  clock.advance(70)
  t.equal(blockhashes.confirmedAgeMs, 70)
})

t.test('a thousand are remembered, and nonsense is not', async (t) => {
  const blockhashes = new Blockhashes({ rpc, clock: handClock() })
  for (let i = 0; i < 1_500; i++) blockhashes.learn('getLatestBlockhash', '[]', latest(`h${i}`, 1_000 + i))
  t.equal(blockhashes.size, 1_000)
  t.equal(blockhashes.verdict('h499'), 'unknown')
  t.not(blockhashes.verdict('h500'), 'unknown')
  const nonsense = [
    null,
    5,
    'x',
    [],
    { value: null },
    { value: { blockhash: 5 } },
    { value: { blockhash: 'z' } },
  ]
  for (const value of nonsense) blockhashes.learn('getLatestBlockhash', '[]', answer(value))
  for (const value of [null, '5', -1, 1.5, 1e300]) blockhashes.learn('getBlockHeight', '[]', answer(value))
  blockhashes.learn('getSlot', '[]', answer(1e9))
  blockhashes.learn('getBlockHeight', '[]', { result: null } as RpcReply)
  blockhashes.learn('getBlockHeight', '[]', { result: Buffer.from(`5${' '.repeat(2_000)}`) } as RpcReply)
  t.equal(blockhashes.size, 1_000)
  t.equal(blockhashes.verdict('h1499'), 'valid')
})

t.test('only a preflight that did not find the blockhash is one', async (t) => {
  const is = (text: string) => isBlockhashNotFound(Buffer.from(text))
  t.ok(is('{"code":-32002,"message":"m","data":{"err":"BlockhashNotFound","logs":[]}}'))
  t.ok(is(' { "data" : { "logs":[], "err" : "BlockhashNotFound" } , "code" : -32002 } '))
  for (const other of [
    '{"code":-32002,"message":"Blockhash not found"}',
    '{"code":-32002,"data":null}',
    '{"code":-32002,"data":{"err":"AlreadyProcessed"}}',
    '{"code":-32002,"data":{"err":{"x":"BlockhashNotFound"}}}',
    '{"code":-32003,"data":{"err":"BlockhashNotFound"}}',
    '{"data":{"err":"BlockhashNotFound"}}',
    `{"code":-32002,"data":{"err":"BlockhashNotFound","logs":["${'x'.repeat(9_000)}"]}}`,
    'null',
    '"BlockhashNotFound"',
  ]) {
    t.notOk(is(other), other.slice(0, 80))
  }
})

t.test('`expired` is added to the data, and every other byte stays', async (t) => {
  const error = '{ "code":-32002,"data":{"err":"BlockhashNotFound","n":18446744073709551615} ,"message":"m"}'
  const marked = error.replace('615}', '615,"expired":true}')
  const bodies = [
    [`{"jsonrpc":"2.0","error":`, `,"id":7}`],
    [`{"id" : 7, "jsonrpc":"2.0","error":`, `}`],
  ] as const
  for (const [before, behind] of bodies) {
    const body = Buffer.from(before + error + behind)
    const start = body.toString().indexOf(behind === '}' ? '7' : '7}')
    const cutStart = body.toString().indexOf('"id"')
    const reply: RpcReply = {
      body,
      result: null,
      error: body.subarray(before.length, before.length + error.length),
      id: { start, end: start + 1, cutStart, cutEnd: start + 2 },
    }
    const told = withExpired(reply)
    t.equal(told.body.toString(), before + marked + behind)
    t.equal(told.error!.toString(), marked)
    t.equal(told.body.toString('utf8', told.id.start, told.id.end), '7')
    t.equal(told.body.toString('utf8', told.id.cutStart, told.id.cutStart + 4), '"id"')
    t.equal(body.toString(), before + error + behind, 'the reply itself is as it was')
  }
})

t.test('a transaction that begins by advancing a nonce has a durable one', async (t) => {
  const wire = new WireTransaction()
  const parse = (bytes: Uint8Array) => {
    t.equal(wire.parse(bytes), null)
    return wire
  }
  const plain = serialize(transfer())
  t.equal(durableNonceOf(parse(plain)), null)
  // A transfer's data begins with the instruction's number, a u32: 2.
  const data = parse(plain).instructions()[0]!.data
  const advancing = Uint8Array.from(plain)
  advancing[data.byteOffset - plain.byteOffset] = 4
  t.match(durableNonceOf(parse(advancing)), { account: String, value: String })
})
