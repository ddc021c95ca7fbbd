/** Transactions by the word of EVM nodes that are behind, of another chain, without a method, or lie. */
import t, { type Test } from 'tap'
import type { Hex } from 'viem'
import type { EvmChain } from '../../../src/chains/definition.ts'
import { findEvmChain } from '../../../src/chains/find.ts'
import { evmDigest } from '../../../src/chains/transaction-digest.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { type BuiltSwap, Deliveries } from '../../../src/http/counts/deliveries.ts'
import type { Inquiries } from '../../../src/relay/submissions/inquiries.ts'
import {
  TransactionReader,
  type TransactionReaderOptions,
} from '../../../src/research/onchain/transactions.ts'
import { createUpstreamContext } from '../../../src/upstream/context.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { handClock } from '../../fixtures/clock.ts'
import { accountBatch, bundle6, type Call, executeBatch, redeem, safeCall } from '../../fixtures/evm-forms.ts'
import { recordingNode } from '../../fixtures/recording-node.ts'

const HASH = `0x${'ab'.repeat(32)}`
const BLOCK_HASH = `0x${'b1'.repeat(32)}`
const SENDER = '0x742d35cc6634c0532925a3b844bc9e7595f5be21'
const CHECKSUMMED = '0x742D35CC6634C0532925A3b844bc9E7595f5bE21'.toLowerCase()
const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const NUMBER = 19_753_087
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** What Base's documentation shows of a transfer. */
const RECEIPT = {
  transactionHash: HASH,
  transactionIndex: '0x0',
  blockHash: BLOCK_HASH,
  blockNumber: '0x12d687f',
  from: SENDER,
  to: '0x1234567890123456789012345678901234567890',
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x5f5e100',
  contractAddress: null,
  logs: [] as object[],
  logsBloom: `0x${'0'.repeat(512)}`,
  status: '0x1',
  type: '0x2',
  l1Fee: '0x2540be400',
  l1GasPrice: '0x3b9aca00',
  l1GasUsed: '0x640',
}
const GAS_WEI = 21_000n * 100_000_000n
const BLOCK = { number: '0x12d687f', hash: BLOCK_HASH, timestamp: '0x67a00000' }
const TRANSACTION = {
  hash: HASH,
  from: SENDER,
  to: RECEIPT.to,
  nonce: '0x7',
  value: '0x0',
  input: '0x',
  chainId: '0x2105',
  blockNumber: null,
}

/** By method: a result, or an error where it has a `code`. A function is given the params. */
type Words = Readonly<Record<string, unknown>>
const UNKNOWN = { code: -32_601, message: 'the method does not exist' }

const quantity = (value: number): string => `0x${value.toString(16)}`

/** What a node says that has the transaction in a block, with five on top of it, of which none is final. */
const honest = (receipt: object = RECEIPT, chain: EvmChain = findEvmChain('base')!): Words => ({
  eth_chainId: quantity(chain.chainId),
  eth_getTransactionReceipt: receipt,
  eth_getTransactionByHash: { ...TRANSACTION, chainId: quantity(chain.chainId) },
  eth_blockNumber: quantity(NUMBER + 5),
  eth_getBlockByNumber: ([tag]: unknown[]) =>
    tag === 'finalized' ? { ...BLOCK, number: quantity(NUMBER - 1) } : BLOCK,
})
const ignorant: Words = {
  eth_chainId: '0x2105',
  eth_getTransactionReceipt: null,
  eth_getTransactionByHash: null,
  eth_blockNumber: quantity(NUMBER + 5),
  eth_getBlockByNumber: null,
}

/** Transactions of one chain, by nodes whose words may be exchanged. */
async function world(
  t: Test,
  words: Words[],
  chain: EvmChain = findEvmChain('base')!,
  deliveries = new Deliveries(),
) {
  const nodes = await Promise.all(
    words.map((_words, i) =>
      recordingNode(t, ({ method, params }) => {
        const said = words[i]![method]
        const word = typeof said === 'function' ? said(params) : said === undefined ? UNKNOWN : said
        const isError = typeof word === 'object' && word !== null && 'code' in word
        return `{"jsonrpc":"2.0","id":$ID,"${isError ? 'error' : 'result'}":${JSON.stringify(word)}}`
      }),
    ),
  )
  const clock = handClock()
  const urls = nodes.map(({ url }) => url)
  const rpc = new EvmRpc({ chainKey: chain.key, urls, context: createUpstreamContext({ clock }) })
  t.teardown(() => rpc.close())
  const transactions = new TransactionReader({
    evm: () => rpc,
    solana: null as unknown as TransactionReaderOptions['solana'],
    inquiries: null as unknown as Inquiries,
    tokens: { find: () => null },
    deliveries,
    clock,
  })
  const id = { chain, hash: HASH, signature: null }
  const scope = (): CancellationScope => new CancellationScope('someone')
  return {
    words,
    clock,
    calls: () => nodes.map(({ calls }) => calls.map(({ method }) => method)),
    status: () => transactions.status(id, scope()),
    receipt: () => transactions.receipt(id, scope()),
  }
}

t.test('the fee is all that was paid, or null if a part of it cannot be known', async (t) => {
  const { l1Fee: _l1Fee, ...plain } = RECEIPT
  const none = { operatorFeeScalar: '0x0', operatorFeeConstant: '0x0' }
  const cases: [title: string, chain: string, receipt: object, amount: bigint | null, l1: bigint | null][] = [
    ['the OP stack', 'base', RECEIPT, GAS_WEI + 10_000_000_000n, 10_000_000_000n],
    [
      'the OP stack without an operator fee',
      'base',
      { ...RECEIPT, ...none },
      GAS_WEI + 10n ** 10n,
      10n ** 10n,
    ],
    ['an operator fee', 'base', { ...RECEIPT, ...none, operatorFeeConstant: '0x1' }, null, 10n ** 10n],
    ['an L1 fee that the node does not tell', 'optimism', plain, null, null],
    ['Scroll', 'scroll', { ...plain, l1Fee: '0x64' }, GAS_WEI + 100n, 100n],
    ['Arbitrum, where gasUsed has it', 'arbitrum', { ...plain, gasUsedForL1: '0x100' }, GAS_WEI, null],
    ['a chain that is no rollup', 'bsc', RECEIPT, GAS_WEI, null],
    [
      'blobs',
      'ethereum',
      { ...plain, blobGasUsed: '0x20000', blobGasPrice: '0x3' },
      GAS_WEI + 393_216n,
      null,
    ],
    ['no price', 'bsc', { ...plain, effectiveGasPrice: null }, null, null],
  ]
  for (const [title, key, receipt, amount, l1] of cases) {
    const chain = findEvmChain(key)!
    const { status } = await world(t, [honest(receipt, chain)], chain)
    const { fee } = await status()
    if (amount === null) t.equal(fee, null, title)
    else {
      t.match(fee, { amount: String(amount), l1: l1 === null ? null : String(l1) }, title)
      t.equal(fee!.paidBy.toLowerCase(), CHECKSUMMED)
    }
  }
})

t.test('if a node is behind, the next one is asked, and its answer is not used', async (t) => {
  const { status, calls } = await world(t, [ignorant, honest()])
  t.match(await status(), {
    status: 'confirmed',
    confirmations: 6,
    block: NUMBER,
    includedAt: 0x67a00000 * 1_000,
  })
  t.ok(calls()[0]!.includes('eth_getTransactionReceipt'))
  const { status: other } = await world(t, [{ ...honest(), eth_blockNumber: quantity(NUMBER - 9) }])
  t.match(await other(), { status: 'confirmed', confirmations: 1 }, 'its head is behind its own receipt')
})

t.test('an answer about something else is none', async (t) => {
  const other = `0x${'cd'.repeat(32)}`
  const wrong: [title: string, words: Words][] = [
    ['a receipt of another transaction', honest({ ...RECEIPT, transactionHash: other })],
    ['a receipt without a status', honest({ ...RECEIPT, status: undefined })],
    ['a receipt of no block', honest({ ...RECEIPT, blockNumber: null })],
    [
      'a receipt with a block number that nobody counts to',
      honest({ ...RECEIPT, blockNumber: `0x${'f'.repeat(20)}` }),
    ],
    ['a list', honest([] as object)],
    [
      'another block than the one that was asked for',
      { ...honest(), eth_getBlockByNumber: { ...BLOCK, number: '0x1' } },
    ],
    ['another transaction', { ...ignorant, eth_getTransactionByHash: { ...TRANSACTION, hash: other } }],
    [
      "another chain's transaction",
      { ...ignorant, eth_getTransactionByHash: { ...TRANSACTION, chainId: '0x1' } },
    ],
    ['another chain', { ...honest(), eth_chainId: '0x1' }],
  ]
  for (const [title, words] of wrong) {
    const alone = await world(t, [words])
    await t.rejects(alone.status(), { code: 'upstream_unusable' }, title)
    const { status } = await world(t, [words, honest()])
    t.match(await status(), { status: 'confirmed' }, `${title}: the next node`)
  }
  const refusing = await world(t, [{ eth_chainId: '0x2105' }])
  await t.rejects(refusing.status(), { code: 'upstream_failed' }, 'a node without the method knows nothing')
  const { status } = await world(t, [{ eth_chainId: '0x2105' }, ignorant])
  t.match(await status(), { status: 'unknown' })
})

t.test('only a node that knows final blocks makes a transaction final', async (t) => {
  const finalAt = (number: number) => ({
    eth_getBlockByNumber: ([tag]: unknown[]) =>
      tag === 'finalized' ? { ...BLOCK, number: quantity(number) } : BLOCK,
  })
  const without = (word: unknown) => ({
    eth_getBlockByNumber: ([tag]: unknown[]) => (tag === 'finalized' ? word : BLOCK),
  })
  const cases: [title: string, words: Words, status: string, isFinal: boolean][] = [
    ['above', finalAt(NUMBER - 1), 'confirmed', false],
    ['at', finalAt(NUMBER), 'finalized', true],
    ['below', finalAt(NUMBER + 1), 'finalized', true],
    ['no such tag', without({ code: -39_001, message: 'unknown block' }), 'confirmed', false],
    ['no such block', without(null), 'confirmed', false],
  ]
  for (const [title, words, status, isFinal] of cases) {
    const world1 = await world(t, [{ ...honest(), ...words }])
    t.match(await world1.status(), { status, isFinal }, title)
  }
  const reverted = { ...RECEIPT, status: '0x0', revertReason: '0x08c379a0' }
  const { status } = await world(t, [{ ...honest(reverted), ...finalAt(NUMBER) }])
  t.match(await status(), { status: 'failed', isFinal: true, err: { reverted: '0x08c379a0' } })
})

t.test('a receipt of before October 2017 has a root instead of a status', async (t) => {
  const { status: _, ...stateless } = RECEIPT
  const old = { ...stateless, root: `0x${'c3'.repeat(32)}` }
  const log = { address: SENDER, topics: [], data: '0x' }
  const says = async (receipt: object) => {
    const { status } = await world(t, [honest(receipt)])
    return status()
  }
  t.match(await says({ ...old, logs: [log] }), { status: 'confirmed', err: null }, 'what fails logs nothing')
  t.match(await says(old), { status: 'confirmed', err: { untold: true } })
  await t.rejects(says(stateless), { code: 'upstream_unusable' })
})

t.test('a block that the node has taken back does not count, and what was seen is remembered', async (t) => {
  const orphaned = { ...honest(), eth_getBlockByNumber: { ...BLOCK, hash: `0x${'b2'.repeat(32)}` } }
  const { words, clock, status, receipt } = await world(t, [honest()])
  t.match(await status(), { status: 'confirmed', droppedFrom: null })
  words[0] = orphaned
  clock.advance(1_001)
  t.match(await status(), { status: 'pending', droppedFrom: NUMBER, fee: null, confirmations: null })
  t.match(await receipt(), { status: 'pending', paid: null })
  words[0] = { ...ignorant, eth_blockNumber: quantity(NUMBER - 1) }
  clock.advance(1_001)
  t.match(await status(), { status: 'pending', droppedFrom: null }, 'a node that has not come so far')
  words[0] = { ...ignorant, eth_getTransactionByHash: TRANSACTION }
  clock.advance(1_001)
  t.match(await status(), { status: 'pending', droppedFrom: NUMBER }, 'it waits again')
  words[0] = { ...ignorant, eth_getTransactionCount: '0x8' }
  clock.advance(1_001)
  t.match(await status(), { status: 'unknown', droppedFrom: NUMBER, replaced: true, isFinal: true })
})

t.test('a used nonce proves nothing while the transaction itself may be the cause', async (t) => {
  const { words, clock, status } = await world(t, [{ ...ignorant, eth_getTransactionByHash: TRANSACTION }])
  t.match(await status(), { status: 'pending' })
  let asked = 0
  words[0] = {
    ...honest(),
    eth_getTransactionByHash: null,
    eth_getTransactionReceipt: () => (asked++ === 0 ? null : RECEIPT),
    eth_getTransactionCount: '0x8',
  }
  clock.advance(1_001)
  t.match(await status(), { status: 'unknown', replaced: null }, 'it got a receipt in between')
  clock.advance(1_001)
  t.match(await status(), { status: 'confirmed' })
  words[0] = { ...ignorant, eth_getTransactionCount: '0x7' }
  clock.advance(1_001)
  t.match(await status(), { status: 'unknown', replaced: null, isFinal: false })
})

t.test('equal requests share the answer: for a second, or for ten minutes if it is final', async (t) => {
  const { words, clock, calls, status, receipt } = await world(t, [honest()])
  const count = (method: string): number => calls()[0]!.filter((one) => one === method).length
  await Promise.all([status(), status(), receipt()])
  t.equal(count('eth_getTransactionReceipt'), 1)
  t.equal(count('eth_chainId'), 1)
  clock.advance(1_001)
  words[0] = { ...honest(), eth_getBlockByNumber: BLOCK }
  t.match(await status(), { status: 'finalized' })
  t.equal(count('eth_getTransactionReceipt'), 2)
  clock.advance(599_000)
  t.match(await status(), { status: 'finalized' })
  await receipt()
  await receipt()
  t.equal(count('eth_getTransactionReceipt'), 2)
  t.equal(count('eth_getTransactionByHash'), 2, 'once for each receipt that was made')
  clock.advance(2_000)
  await status()
  t.equal(count('eth_getTransactionReceipt'), 3)
})

t.test('an unknown hash costs two questions of each node, and a minute long no more than that', async (t) => {
  const { clock, calls, status } = await world(t, [ignorant, ignorant])
  const questions = ['eth_chainId', 'eth_getTransactionReceipt', 'eth_getTransactionByHash']
  await status()
  t.same(calls(), [questions, questions])
  clock.advance(1_001)
  await status()
  t.same(calls()[0], [...questions, ...questions.slice(1)])
})

t.test('of a log, only transfers of ERC-20 tokens count', async (t) => {
  const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
  const amount = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
  const other = word(RECEIPT.to)
  const sender = word(SENDER)
  const log = (topics: string[], data: string, address = TOKEN) => ({ address, topics, data })
  const logs = [
    log([TRANSFER, sender, other], amount(70n)),
    log([TRANSFER, other, sender], amount(20n)),
    log([TRANSFER, sender, sender], amount(5n)),
    log([TRANSFER, other, other], amount(1_000n)),
    log([TRANSFER, other, sender, amount(9n)], '0x'),
    log([TRANSFER, other, sender], '0x'),
    log([TRANSFER, other, sender], `${amount(1n)}00`),
    log([TRANSFER, other], amount(1n)),
    log([], '0x'),
    log([`0x${'11'.repeat(32)}`, other, sender], amount(1n)),
    log([TRANSFER, other, sender], amount(2n ** 256n - 1n), '0xdac17f958d2ee523a2206206994597c13d831ec7'),
  ]
  const { receipt } = await world(t, [honest({ ...RECEIPT, logs })])
  const { paid, got } = await receipt()
  t.same(
    paid!.map(({ token, amount, listed }) => [token.toLowerCase(), amount, listed]),
    [[TOKEN, '50', false]],
  )
  t.same(
    got!.map(({ token, amount }) => [token, amount]),
    [['0xdAC17F958D2ee523a2206206994597C13D831ec7', String(2n ** 256n - 1n)]],
  )
})

t.test(
  'a transaction that moves thousands of tokens holds nobody up, and says that not all are told',
  async (t) => {
    const [word, from] = [(text: string) => `0x${text.padStart(64, '0')}`, SENDER.slice(2)]
    const log = (i: number, amount: bigint, [one, other] = ['aa', from]) => ({
      address: `0x${(i + 1).toString(16).padStart(40, '0')}`,
      topics: [TRANSFER, word(one!), word(other!)],
      data: word(amount.toString(16)),
    })
    const many = (count: number) => Array.from({ length: count }, (_, i) => log(i, 2n ** 256n - 1n))
    const { words, receipt, clock } = await world(t, [honest({ ...RECEIPT, logs: many(256) })])
    t.match(await receipt(), { got: { length: 256 }, missing: { length: 0 } })
    const none = many(500).map((_, i) => log(1_000 + i, 5n, [from, from]))
    words[0] = honest({ ...RECEIPT, logs: [...none, ...many(1_500), log(0, 3n), log(1_499, 3n)] })
    clock.advance(60_000)
    const answer = await receipt()
    t.same(answer.missing, ['tokens'])
    t.equal(answer.got?.length, 256, 'what was sent to oneself is no movement')
    t.equal(answer.got?.[0]?.amount, String(2n ** 256n + 2n), 'sums do not wrap around')
    t.ok(JSON.stringify(answer).length < 65_536)
  },
)

t.test('a swap that was built here says what was offered for it, and counts once', async (t) => {
  const topic = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
  const log = {
    address: TOKEN,
    topics: [TRANSFER, topic(RECEIPT.to), topic(SENDER)],
    data: `0x${9_970n.toString(16).padStart(64, '0')}`,
  }
  const built = { chainId: 8453, from: SENDER, to: RECEIPT.to, data: '0x1234', value: 5n }
  const swap: BuiltSwap = {
    row: {
      ...{ chain: 'base', provider: 'a', size: null, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
      ...{ isNative: false, stated: '10000', minimum: '9900', simulated: null, simulatedAt: null },
      ...{ otherNativeOut: null, gasStated: null },
    },
    ...{ isMajor: true, costs: [], edits: null },
  }
  /** @param sent  what is on chain @param offered  what was built */
  const told = async (sent: object, offered: Partial<BuiltSwap['row']> = {}, receipt: object = {}) => {
    const clock = handClock()
    const deliveries = new Deliveries(clock)
    deliveries.built(evmDigest(built), { ...swap, row: { ...swap.row, ...offered } }, 'someone')
    const words: Words = {
      ...honest({ ...RECEIPT, logs: [log], ...receipt }),
      eth_getTransactionByHash: { ...TRANSACTION, input: '0x1234', value: '0x5', ...sent },
      eth_getBlockByNumber: { ...BLOCK, timestamp: quantity(Math.floor(clock.date() / 1_000)) },
    }
    const { receipt: ask } = await world(t, [words], undefined, deliveries)
    const { swap: answer } = await ask()
    await ask()
    return { answer, counted: deliveries.truth.of('base', 'a'), lines: deliveries.truth.lines() }
  }
  const { answer, counted, lines } = await told({})
  t.match(answer, {
    provider: 'a',
    quoted: '10000',
    minimum: '9900',
    got: '9970',
    shortBps: 30,
    costs: { length: 0 },
  })
  t.match(counted, { swaps: 1, medianBps: 30 })
  t.match(JSON.parse(lines), { got: '9970', gasUsed: '21000', hash: HASH, block: NUMBER, slot: null })
  t.notMatch(lines.toLowerCase(), SENDER, 'a row names no wallet')
  t.same(answer!.changedByWallet, [])
  for (const change of [{ input: '0x123456' }, { value: '0x6' }, { to: SENDER }, { from: RECEIPT.to }]) {
    const { answer, counted } = await told(change)
    t.same([answer, counted], [undefined, null], JSON.stringify(change))
  }
  t.match(await told({}, {}, { status: '0x0' }), { answer: undefined, counted: null }, 'it failed')
  const asked = {
    ...{ wallet: SENDER as Hex, key: '', chainId: 8453 },
    calls: [{ to: RECEIPT.to as Hex, data: '0x1234' as Hex, value: 5n }],
  }
  const wrappers: readonly (readonly [call: Call, kind: string, from: string])[] = [
    [accountBatch(asked), 'batch', SENDER],
    [redeem(asked), 'delegation', SENDER],
    [safeCall(asked), 'safe', RECEIPT.to],
    [bundle6(asked), 'user_operation', RECEIPT.to],
  ]
  for (const [{ to, data }, kind, from] of wrappers) {
    const wrapped = await told({ from, to, input: data, value: '0x0' }, {}, { from, to })
    t.match(wrapped.answer, { got: '9970', shortBps: 30 }, kind)
    t.ok(wrapped.answer!.changedByWallet.includes(kind as 'batch'), kind)
    t.equal(wrapped.counted, null, `${kind}: any contract may be given its calldata`)
  }
  // A wrapper may succeed although the swap in it did not run, or move more than the swap.
  const idle = await told(
    { to: SENDER, input: accountBatch(asked).data, value: '0x0' },
    {},
    { to: SENDER, logs: [] },
  )
  t.match(idle, { answer: undefined, counted: null }, 'what gives less than its minimum did not run')
  const [swapCall] = asked.calls
  const more = { ...asked, calls: [swapCall!, { to: TOKEN as Hex, data: '0xa9059cbb' as Hex, value: 0n }] }
  const both = await told({ to: SENDER, input: accountBatch(more).data, value: '0x0' }, {}, { to: SENDER })
  t.match(both, { answer: undefined, counted: null }, 'what moves more was not built here')
  const native = await told(
    { from: RECEIPT.to, to: SENDER, input: safeCall(asked).data, value: '0x0' },
    { isNative: true },
    { from: RECEIPT.to },
  )
  t.match(
    native,
    { answer: undefined, counted: null },
    'nodes do not tell what a contract got of the native coin',
  )
  const other = { ...asked, wallet: `0x${'cc'.repeat(20)}` as Hex }
  const ofOther = executeBatch({ ...other, calls: [redeem(other)] })
  const { to, data: input } = bundle6(asked, executeBatch(asked), '0x', ofOther)
  const bundled = await told({ from: RECEIPT.to, to, input, value: '0x0' }, {}, { from: RECEIPT.to, to })
  t.same(bundled.answer?.changedByWallet, ['user_operation'], 'not what another account wraps')
  const unread = await told({}, { isNative: true })
  t.match(unread, { answer: { got: null, shortBps: null }, counted: null }, 'no node has the balances')
})
