/** `swapgate-truth`, as a process of its own. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { TruthRow } from '../../../src/http/counts/truth.ts'
import { recordingNode } from '../../fixtures/recording-node.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const HASH = `0x${'ab'.repeat(32)}`
const BLOCK_HASH = `0x${'b1'.repeat(32)}`
const SENDER = '0x742d35cc6634c0532925a3b844bc9e7595f5be21'
const ROUTER = '0x1234567890123456789012345678901234567890'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

const WORDS: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x2105',
  eth_blockNumber: '0x12d6890',
  eth_getBlockByNumber: { number: '0x12d687f', hash: BLOCK_HASH, timestamp: '0x67a00000' },
  eth_getTransactionByHash: {
    ...{
      hash: HASH,
      from: SENDER,
      to: ROUTER,
      nonce: '0x7',
      value: '0x5',
      input: '0x1234',
      chainId: '0x2105',
    },
  },
  eth_getTransactionReceipt: {
    ...{ transactionHash: HASH, blockHash: BLOCK_HASH, blockNumber: '0x12d687f', from: SENDER, to: ROUTER },
    ...{ status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1', l1Fee: '0x1' },
    logs: [
      {
        ...{ address: USDC.toLowerCase(), topics: [TRANSFER, topic(ROUTER), topic(SENDER)] },
        data: `0x${(9_970).toString(16).padStart(64, '0')}`,
      },
    ],
  },
}

const ROW: TruthRow = {
  ...{ at: 0x67a00000 * 1_000, chain: 'base', provider: 'a', size: 'small', token: USDC, isNative: false },
  ...{ stated: '10000', minimum: '9900', simulated: null, simulatedAt: null, got: '9970' },
  ...{ otherNativeOut: null, gasStated: null, gasUsed: '21000', hash: HASH, signature: null },
  ...{ block: 0x12d687f, slot: null },
}

async function world(t: Test) {
  const { url } = await recordingNode(t, ({ method }) => {
    const word = WORDS[method]
    const answer =
      word === undefined ? '"error":{"code":-32601,"message":"none"}' : `"result":${JSON.stringify(word)}`
    return `{"jsonrpc":"2.0","id":$ID,${answer}}`
  })
  const folder = t.testdir()
  const program = join(ROOT, 'src/research/onchain/truth.ts')
  const truth = (...args: readonly string[]) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const node = [`--import=${join(ROOT, 'scripts/ts-loader.mjs')}`, program]
      execFile(process.execPath, [...node, ...args], (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      )
    })
  const file = (name: string, ...rows: readonly unknown[]): string => {
    const path = join(folder, name)
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return path
  }
  return { truth, file, rpc: ['--rpc', `base=${url}`] }
}

t.test('rows that a node confirms, and rows that it does not', async (t) => {
  const { truth, file, rpc } = await world(t)
  const same = file('same', ROW)
  t.match(await truth(same, same, ...rpc), { code: 0, out: '1 as the node says, 0 differ, 0 not read\n' })
  const { code, out } = await truth(file('forged', { ...ROW, got: '9999', gasUsed: '1' }), ...rpc)
  t.equal(code, 1)
  t.same(out.split('\n').slice(0, 3), [
    `base ${HASH}: got is 9970, not 9999`,
    `base ${HASH}: gasUsed is 21000, not 1`,
    '0 as the node says, 1 differ, 0 not read',
  ])
  const rows = [ROW, { ...ROW, chain: 'polygon' }, { ...ROW, hash: `0x${'cd'.repeat(32)}` }]
  t.match(await truth(file('rest', ...rows), ...rpc), { code: 2, out: /^1 as .*, 0 differ, 2 not read/ })
})

t.test('what it cannot read', async (t) => {
  const { truth, file, rpc } = await world(t)
  t.match(await truth(), { code: 2, out: /^Usage: / })
  t.match(await truth(file('other', { at: 1 }), ...rpc), { code: 1, err: /not a row of the export/ })
  t.match(await truth('/nowhere', ...rpc), { code: 1, err: /ENOENT/ })
  t.match(await truth(file('same', ROW), '--rpc', 'base'), { code: 1, err: /URL/ })
})
