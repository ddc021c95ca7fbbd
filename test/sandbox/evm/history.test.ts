/** What is sent to an EVM chain of the sandbox, as a wallet's library sees it. */
import t, { type Test } from 'tap'
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  multicall3Abi,
  parseEther,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'

const WALLET = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 3,
})
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SPENDER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const SEEDED = '0x52908400098527886E0F7030069857D2E4169EE7'
const BLOCK_MS = 2_000
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`

async function start(t: Test) {
  const clock = { now: Date.UTC(2026, 10, 20, 12) }
  const sandbox = await startSandbox({ now: () => clock.now, nodes: 2 })
  t.teardown(() => sandbox.close())
  const [url = '', other = ''] = sandbox.evmUrls('base')
  const options = { account: WALLET, chain: base }
  return {
    clock,
    wallet: createWalletClient({ ...options, transport: http(url, { retryCount: 0 }) }),
    client: createPublicClient({ chain: base, transport: http(url, { retryCount: 0 }) }),
    other: createPublicClient({ chain: base, transport: http(other, { retryCount: 0 }) }),
    nextBlock: () => void (clock.now += BLOCK_MS),
  }
}

t.test('a transaction is in the next block, on all nodes, and what it did stays', async (t) => {
  const { wallet, client, other, nextBlock } = await start(t)
  const read = { address: USDC, abi: erc20Abi, functionName: 'allowance' } as const
  const allowance = () => client.readContract({ ...read, args: [WALLET.address, SPENDER] })
  t.equal(await allowance(), 0n)
  const approve = { address: USDC, abi: erc20Abi, functionName: 'approve', args: [SPENDER, 250n] } as const
  const sent = await wallet.writeContract(approve)
  t.match(await client.getTransaction({ hash: sent }), { hash: sent, blockNumber: null, nonce: 0 })
  await t.rejects(client.getTransactionReceipt({ hash: sent }), /could not be found/)
  t.equal(await client.getTransactionCount({ address: WALLET.address }), 0)
  t.equal(await client.getTransactionCount({ address: WALLET.address, blockTag: 'pending' }), 1)
  nextBlock()
  const receipt = await other.getTransactionReceipt({ hash: sent })
  t.match(receipt, { status: 'success', from: WALLET.address.toLowerCase(), transactionHash: sent })
  t.match(receipt.logs, [{ address: USDC.toLowerCase(), transactionHash: sent, logIndex: 0 }])
  t.type((receipt as unknown as { l1Fee: bigint }).l1Fee, 'bigint', 'as rollups of the OP stack have it')
  const block = await client.getBlock({ blockNumber: receipt.blockNumber })
  t.same([block.hash, block.transactions], [receipt.blockHash, [sent]])
  t.equal(await allowance(), 250n)
  t.equal(await client.getTransactionCount({ address: WALLET.address }), 1)
})

t.test('a plain transfer, with its fee, changes balances from its block on', async (t) => {
  const { wallet, client, nextBlock } = await start(t)
  const before = await client.getBalance({ address: WALLET.address })
  const sent = await wallet.sendTransaction({ to: SPENDER, value: parseEther('1') })
  nextBlock()
  const { gasUsed, effectiveGasPrice, blockNumber, ...receipt } = await client.getTransactionReceipt({
    hash: sent,
  })
  const fee = gasUsed * effectiveGasPrice + (receipt as unknown as { l1Fee: bigint }).l1Fee
  t.equal(await client.getBalance({ address: WALLET.address }), before - parseEther('1') - fee)
  t.equal(await client.getBalance({ address: WALLET.address, blockNumber: blockNumber - 1n }), before)
  t.equal(await client.getBalance({ address: SPENDER }), before + parseEther('1'))
  const read = { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance' } as const
  t.equal(await client.readContract({ ...read, args: [SPENDER] }), before + parseEther('1'))
})

t.test('a call that the ledger does not know reverts, and what no node would take is refused', async (t) => {
  const { wallet, client, nextBlock } = await start(t)
  const sent = await wallet.sendTransaction({ to: SPENDER, data: '0x12345678' })
  nextBlock()
  t.match(await client.getTransactionReceipt({ hash: sent }), { status: 'reverted', logs: { length: 0 } })
  const gas = { gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const sign = (more: object) =>
    WALLET.signTransaction({ chainId: 8_453, type: 'eip1559', to: SPENDER, nonce: 1, ...gas, ...more })
  const cases: [raw: Hex, words: RegExp][] = [
    [await sign({ nonce: 0 }), /nonce too low/],
    [await sign({ nonce: 2 }), /later nonces/],
    [await sign({ value: parseEther('11') }), /insufficient funds/],
    [await sign({ chainId: 1 }), /invalid sender/],
    [await sign({ to: undefined, data: '0x00' }), /makes no contracts/],
    ['0x02c0', /does not decode/],
  ]
  for (const [serializedTransaction, words] of cases) {
    await t.rejects(client.sendRawTransaction({ serializedTransaction }), words)
  }
})

t.test('four are there from the start: an approval, a swap, a revert, and one that waits', async (t) => {
  const { client, clock } = await start(t)
  const head = await client.getBlock({ blockTag: 'latest' })
  const final = await client.getBlock({ blockTag: 'finalized' })
  t.equal(head.number - final.number, 32n)
  t.equal(Number(head.timestamp) * 1_000, clock.now)
  for (const [digit, status] of [
    ['1', 'success'],
    ['2', 'success'],
    ['3', 'reverted'],
  ] as const) {
    const receipt = await client.getTransactionReceipt({ hash: hash(digit) })
    t.equal(receipt.status, status)
    t.ok(receipt.blockNumber < final.number)
  }
  t.match(await client.getTransaction({ hash: hash('4') }), { blockNumber: null, nonce: 3 })
  t.equal(await client.getBalance({ address: SEEDED }), parseEther('10'), 'which they have led to')
  await t.rejects(client.getBlock({ blockNumber: head.number + 1n }), /could not be found/)
})

t.test('what wallet libraries read around a transaction', async (t) => {
  const { wallet, client, nextBlock } = await start(t)
  const { request } = await client.simulateContract({
    account: WALLET,
    address: USDC,
    abi: erc20Abi,
    functionName: 'approve',
    args: [SPENDER, 5n],
  })
  const hash = await wallet.writeContract(request)
  nextBlock()
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 10 })
  t.equal(receipt.status, 'success')
  const { transactions } = await client.getBlock({
    blockNumber: receipt.blockNumber,
    includeTransactions: true,
  })
  t.equal(transactions[0]!.hash, hash)
  const sent = await client.getTransaction({ hash })
  t.match(sent, {
    type: 'eip1559',
    chainId: base.id,
    accessList: { length: 0 },
    r: /^0x\w{2,}/,
    s: /^0x\w{2,}/,
  })
  t.ok(sent.yParity === 0 || sent.yParity === 1)
  const fees = await client.getFeeHistory({ blockCount: 3, rewardPercentiles: [25, 75] })
  t.same(fees.baseFeePerGas, [500_000_000n, 500_000_000n, 500_000_000n, 500_000_000n])
  t.same(fees.reward, Array(3).fill([500_000_000n, 500_000_000n]))
  t.equal(fees.oldestBlock, (await client.getBlockNumber({ cacheTime: 0 })) - 2n)
  t.notOk((await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })).reward?.length)
  for (const blockCount of [0, 1_025]) {
    await t.rejects(client.getFeeHistory({ blockCount, rewardPercentiles: [] }), /blockCount is 1 to 1024/)
  }
  const wrong = client.request({ method: 'eth_feeHistory', params: ['0x1', 'latest', {}] as never })
  await t.rejects(wrong, /percentiles are a list/)
})

t.test('a transaction of the first type has the v of its chain', async (t) => {
  const { wallet, client, nextBlock } = await start(t)
  const hash = await wallet.sendTransaction({
    to: SPENDER,
    value: 1n,
    type: 'legacy',
    gasPrice: 1_000_000_000n,
  })
  nextBlock()
  const { v, type } = await client.getTransaction({ hash })
  t.equal(type, 'legacy')
  t.ok([BigInt(base.id) * 2n + 35n, BigInt(base.id) * 2n + 36n].includes(v))
})
