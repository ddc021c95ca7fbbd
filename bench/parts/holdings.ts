/**
 * The cost of reading a wallet on an EVM chain, by the number of tokens looked for, on a
 * real EVM (anvil) without a network in between; and the memory that the universe takes.
 */

import { CHAINS } from '../../src/chains/chains.ts'
import { findEvmChain } from '../../src/chains/find.ts'
import { EvmHoldings } from '../../src/providers/holdings/evm.ts'
import type { KnownToken } from '../../src/providers/tokens/token-source.ts'
import { Universe } from '../../src/research/universe/universe.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import { EvmRpc } from '../../src/upstream/nodes/evm/rpc.ts'
import { account, startAnvil } from '../../test/fixtures/anvil.ts'
import { callOf } from '../../test/fixtures/call.ts'
import { deployMulticall3 } from '../../test/fixtures/multicall3.ts'
import { heldMiB } from '../figures/measure.ts'
import { type BenchReport, show, spread, type Table } from '../figures/report.ts'

const COUNTS = [100, 500, 1_000, 2_000]
const ROUNDS = 5
const KIB = 1_024
const MIB = KIB * KIB
const BASE = findEvmChain('base')!
/**
 * PUSH1 4, CALLDATALOAD, PUSH0, MSTORE, PUSH1 32, PUSH0, KECCAK256, SLOAD, PUSH0, MSTORE,
 * PUSH1 32, PUSH0, RETURN: it returns the word that a mapping holds for its argument.
 */
const TOKEN = '0x6004355f5260205f20545f5260205ff3'

export async function benchHoldings(): Promise<BenchReport> {
  return { tables: [await readings(), await memory()], claims: [] }
}

async function readings(): Promise<Table> {
  const endings: (() => void)[] = []
  const scope = { teardown: (end: () => void) => void endings.push(end) }
  const { url, client } = await startAnvil(scope as unknown as Parameters<typeof startAnvil>[0], BASE.chainId)
  await deployMulticall3(client)
  const addresses = Array.from({ length: Math.max(...COUNTS) }, (_, i) => addressOf(i + 0x10_000))
  for (const address of addresses) await client.setCode({ address, bytecode: TOKEN })
  const nodes = new EvmRpc({ chainKey: BASE.key, urls: [url] })
  let calls = 0
  let sent = 0
  let received = 0
  const call: EvmRpc['call'] = async (to, data, ...rest) => {
    const hex = await nodes.call(to, data, ...rest)
    calls++
    sent += data.length
    received += hex?.length ?? 0
    return hex
  }
  const holdings = new EvmHoldings({ chain: BASE, rpc: { call } })
  const rows: string[][] = []
  for (const count of COUNTS) {
    const tokens = addresses.slice(0, count).map((address) => ({ address }))
    const times: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      ;[calls, sent, received] = [0, 0, 0]
      const begun = performance.now()
      const { missing } = await holdings.ask(account(1).address, tokens, callOf(60_000))
      if (missing !== 0) throw new Error('Some tokens were not read.')
      if (round > 0) times.push(performance.now() - begun)
    }
    const bytes = [sent, received].map((n) => (n / KIB).toFixed(0))
    rows.push([count.toLocaleString('en'), String(calls), show(spread(times), 1), ...bytes])
  }
  await nodes.close()
  for (const end of endings) end()
  return {
    title: "A wallet's tokens on one EVM chain",
    text: `A wallet without tokens, ${ROUNDS} rounds on anvil on the same machine. A public node adds its own latency to each call, and the calls are sequential.`,
    columns: ['tokens', 'calls', 'ms', 'KiB sent', 'KiB received'],
    rows,
  }
}

async function memory(): Promise<Table> {
  const rows: string[][] = []
  for (const count of [0, 2_000, 5_000]) {
    const before = await heldMiB()
    const universe = new Universe({
      sources: [
        {
          label: 'bench',
          chains: new Set(CHAINS.map(({ key }) => key)),
          everyMs: Infinity,
          ask: async (chain) => Array.from({ length: count }, (_, i) => tokenOf(chain, i)),
        },
      ],
      operatorTokens: () => [],
      clock: CLOCK,
      log: loggerTo({ write: () => {} }, 'fatal'),
    })
    await universe.ready(
      CHAINS.map(({ key }) => key),
      60_000,
    )
    const found = universe.find('base', addressOf(count - 1))
    if ((found === null) !== (count === 0)) throw new Error('The last token is missing.')
    const grown = (await heldMiB()) - before
    rows.push([count.toLocaleString('en'), (universe.bytes / MIB).toFixed(1), grown.toFixed(1)])
  }
  return {
    title: `The universe in memory, ${CHAINS.length} chains`,
    text: 'Tables of its tokens, the well-known ones included; heap and buffers after garbage collection.',
    columns: ['listed tokens per chain', 'MiB of tables', 'MiB grown by'],
    rows,
  }
}

const addressOf = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, '0')}`

const tokenOf = (chain: string, i: number): KnownToken => ({
  chain,
  address: addressOf(i),
  symbol: `TOK${i}`,
  name: `A token called ${i}`,
  decimals: 18,
  isVouched: i % 2 === 0,
})
