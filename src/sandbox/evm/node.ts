/**
 * A node of every EVM chain, at /{chain key}: Ethereum JSON-RPC over HTTP, as far as a gateway reads and a
 * wallet sends. There is no virtual machine behind it: transactions run in a ledger, which knows approvals
 * and swaps.
 *
 * Source: ethereum/execution-apis · JSON-RPC 2.0 · ethereum/go-ethereum rpc, internal/ethapi
 */

import type { EvmChain } from '../../chains/definition.ts'
import { EVM_CHAINS } from '../../chains/find.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { quantity } from '../../chains/json/quantity.ts'
import { type FaultKind, NODE_ERROR } from '../dials.ts'
import type { Market } from '../market/market.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import { EvmContracts } from './contracts.ts'
import { EvmHistory } from './history.ts'
import type { LedgerCall, LedgerOutcome } from './ledger.ts'
import { LifiRegistry } from './lifi-registry.ts'
import { Revert } from './revert.ts'
import { BLOCK_MS, blockAt, termsOf } from './state.ts'

/** A placeholder: callers only check that there is code. */
const CODE = '0x60806040'

/** The gas used by any call. */
const GAS_USED = '0x30d40'
const ESTIMATE = 250_000n
/** The address of the optional logs for transfers of the native coin. */
const NATIVE_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

interface EvmNode {
  readonly key: string
  readonly chain: EvmChain
  readonly chainId: number
  readonly contracts: EvmContracts
  readonly history: EvmHistory
}

/** A refusal as JSON-RPC writes it. */
class EvmRpcError extends Error {
  readonly code: number
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

type EvmMethod = (
  node: EvmNode,
  params: readonly unknown[],
  market: Market,
  now: number,
) => Promise<unknown> | unknown

const METHODS: Readonly<Record<string, EvmMethod>> = {
  eth_chainId: ({ chainId }) => quantity(BigInt(chainId)),
  net_version: ({ chainId }) => String(chainId),
  eth_blockNumber: (_node, _params, _market, now) => quantity(blockAt(now)),
  eth_gasPrice: ({ history }) => quantity(history.gasPrice),
  eth_maxPriorityFeePerGas: ({ history }) => quantity(history.gasPrice - history.gasPrice / 2n),
  eth_feeHistory({ history }, [count, tag, percentiles = []], _market, now) {
    if (!Array.isArray(percentiles)) throw new EvmRpcError(-32602, 'invalid argument: percentiles are a list')
    try {
      return history.fees(readQuantity(count), tag, percentiles, now)
    } catch (error) {
      throw error instanceof RangeError ? new EvmRpcError(-32602, error.message) : error
    }
  },
  eth_estimateGas: () => quantity(ESTIMATE),
  eth_getBalance: ({ history }, [address, tag], _market, now) =>
    quantity(history.balance(readAddress(address), tag, now)),
  eth_getTransactionCount: ({ history }, [address, tag], _market, now) =>
    quantity(history.nonce(readAddress(address), tag, now)),
  eth_getBlockByNumber: ({ history }, [tag, isFull], _market, now) =>
    history.block(tag, isFull === true, now),
  eth_getTransactionByHash: ({ history }, [hash], _market, now) => history.transaction(readHash(hash), now),
  eth_getTransactionReceipt: ({ history }, [hash], _market, now) => history.receipt(readHash(hash), now),
  async eth_sendRawTransaction({ history, chain }, [raw], market, now) {
    readBytes(raw)
    const { broadcast, Refused } = await import('./broadcast.ts')
    try {
      return broadcast(raw as string, history, { chain, market, now })
    } catch (error) {
      throw error instanceof Refused ? new EvmRpcError(-32000, error.message) : error
    }
  },
  eth_getCode: async ({ contracts }, [address]) =>
    (await contracts.hasCode(readAddress(address))) ? CODE : '0x',
  async eth_call({ contracts }, [transaction], market, now) {
    const { to, data, input } = (transaction ?? {}) as Readonly<Record<string, unknown>>
    try {
      return await contracts.call(readAddress(to), readBytes(input ?? data ?? '0x'), market.at(now))
    } catch (error) {
      if (!(error instanceof Revert)) throw error
      // A node reports a revert reason as error 3 with its bytes; without one it has only a message.
      if (error.data === '0x') throw new EvmRpcError(-32000, error.message)
      throw new EvmRpcError(3, error.message, error.data)
    }
  },
  async eth_simulateV1({ key }, [payload], market, now) {
    const { blockStateCalls, traceTransfers } = (payload ?? {}) as Fields
    const blocks: unknown = blockStateCalls
    if (!Array.isArray(blocks) || blocks.length !== 1) {
      throw new EvmRpcError(-32602, 'invalid argument: the sandbox simulates one block')
    }
    const { calls, stateOverrides } = (blocks[0] ?? {}) as Fields
    if (!Array.isArray(calls)) throw new EvmRpcError(-32602, 'invalid argument: calls is a list')
    const { Ledger } = await import('./ledger.ts')
    const ledger = new Ledger(
      key,
      market,
      nativeOf(stateOverrides, (holder) => termsOf(market).native(key, holder)),
    )
    const block = quantity(blockAt(now) + 1n)
    const ran = calls.map((call) =>
      simulated(ledger.run(readCall(call), now), block, traceTransfers === true),
    )
    // An addition to a real node's answer: nothing was executed here.
    return [{ number: block, calls: ran, simulatedBy: "the sandbox's ledger" }]
  },
}

/** A wallet's native balance after a simulation's overrides. */
function nativeOf(overrides: unknown, atFirst: (holder: string) => bigint): (holder: string) => bigint {
  const balances = new Map(
    Object.entries((overrides ?? {}) as Fields).flatMap(([holder, state]) => {
      const { balance } = (state ?? {}) as Fields
      return balance === undefined ? [] : [[readAddress(holder), readQuantity(balance)] as const]
    }),
  )
  return (holder) => balances.get(holder) ?? atFirst(holder)
}

function readCall(call: unknown): LedgerCall {
  const { from, to, input, data, value = '0x0' } = (call ?? {}) as Fields
  const bytes = Buffer.from(readBytes(input ?? data ?? '0x')).toString('hex')
  return { from: readAddress(from), to: readAddress(to), data: `0x${bytes}`, value: readQuantity(value) }
}

function simulated(outcome: LedgerOutcome, blockNumber: string, isTraced: boolean): object {
  if (outcome === null) {
    const error = { code: 3, message: 'execution reverted' }
    return { returnData: '0x', logs: [], gasUsed: GAS_USED, status: '0x0', error }
  }
  const logs = outcome.logs
    .filter(({ address }) => isTraced || address !== NATIVE_LOGS)
    .map((log, i) => ({ ...log, blockNumber, logIndex: quantity(BigInt(i)), removed: false }))
  return { returnData: outcome.returnData, logs, gasUsed: GAS_USED, status: '0x1' }
}

/** A day. */
const MAX_LAG_BLOCKS = 86_400_000 / BLOCK_MS
const FAULTS: readonly FaultKind[] = [
  { fault: 'lag', amounts: { blocks: { min: 1, max: MAX_LAG_BLOCKS, usual: 1_800 } } },
  { fault: 'limited' },
  { fault: 'wrongCluster' },
  NODE_ERROR,
]

export function evm(market: Market, name = 'evm', registry = new LifiRegistry()): ProviderServer {
  const nodes = new Map(
    EVM_CHAINS.map((chain) => {
      const { key, chainId } = chain
      const history = historyOf(market, chain)
      return [
        `/${key}`,
        { key, chain, chainId, history, contracts: new EvmContracts(key, market, history, registry) },
      ]
    }),
  )
  const paths = [...nodes.keys()]
  /** The node of another chain, which answers everything for that chain. */
  const strangerTo = (path: string) => nodes.get(paths[(paths.indexOf(path) + 1) % paths.length]!)!
  return {
    name,
    faults: FAULTS,
    behind: (blocks, now) => now - blocks * BLOCK_MS,
    rateLimited: () => ({ status: 429, body: failure(null, new EvmRpcError(-32005, 'Too Many Requests')) }),
    async handle({ method, path, body, now, fault }: ProviderRequest): Promise<ProviderReply> {
      const own = nodes.get(path)
      if (own === undefined) return { status: 404, body: { error: 'No such chain.' } }
      const node = fault === 'wrongCluster' ? strangerTo(path) : own
      if (method !== 'POST') return { status: 405, body: { error: 'POST only.' }, headers: { allow: 'POST' } }
      if (body === undefined)
        return { status: 200, body: failure(null, new EvmRpcError(-32700, 'parse error')) }
      const answerOne = (request: unknown) => answer(node, request, market, now)
      if (!Array.isArray(body)) return { status: 200, body: await answerOne(body) }
      if (body.length === 0)
        return { status: 200, body: failure(null, new EvmRpcError(-32600, 'empty batch')) }
      return { status: 200, body: await Promise.all(body.map(answerOne)) }
    },
  }
}

/** One for all nodes of a chain. */
const HISTORIES = new WeakMap<Market, Map<string, EvmHistory>>()

function historyOf(market: Market, chain: EvmChain): EvmHistory {
  const histories = HISTORIES.get(market) ?? new Map<string, EvmHistory>()
  HISTORIES.set(market, histories)
  const history = histories.get(chain.key) ?? new EvmHistory(chain, termsOf(market))
  histories.set(chain.key, history)
  return history
}

async function answer(node: EvmNode, request: unknown, market: Market, now: number): Promise<object> {
  const { jsonrpc, id, method, params } = (request ?? {}) as Readonly<Record<string, unknown>>
  try {
    if (jsonrpc !== '2.0' || typeof method !== 'string') throw new EvmRpcError(-32600, 'invalid request')
    const run = Object.hasOwn(METHODS, method) ? METHODS[method]! : null
    if (run === null) throw new EvmRpcError(-32601, `the method ${method} does not exist/is not available`)
    if (params !== undefined && !Array.isArray(params)) throw new EvmRpcError(-32602, 'non-array args')
    return { jsonrpc: '2.0', id, result: await run(node, params ?? [], market, now) }
  } catch (error) {
    if (!(error instanceof EvmRpcError)) throw error
    return failure(id ?? null, error)
  }
}

function failure(id: unknown, { code, message, data }: EvmRpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, data } }
}

function readAddress(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw new EvmRpcError(-32602, 'invalid argument: an address is 0x and 40 hex digits')
  }
  return value.toLowerCase()
}

function readHash(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) {
    throw new EvmRpcError(-32602, 'invalid argument: a hash is 0x and 64 hex digits')
  }
  return value.toLowerCase()
}

function readQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
    throw new EvmRpcError(-32602, 'invalid argument: a quantity is 0x and hex digits')
  }
  return BigInt(value)
}

function readBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new EvmRpcError(-32602, 'invalid argument: bytes are 0x and pairs of hex digits')
  }
  return Buffer.from(value.slice(2), 'hex')
}
