/**
 * Multicall3, and Arbitrum's ArbSys: that chain's EVM sees Ethereum's block number, so its own has to be read
 * from ArbSys.
 *
 * Source: mds1/multicall3 src/Multicall3.sol · OffchainLabs/nitro-contracts src/precompiles/ArbSys.sol
 */
import { MULTICALL3 } from '../../chains/contracts.ts'
import { findChain } from '../../chains/find.ts'
import type { Prices } from '../market/prices.ts'
import type * as abiModule from './abi.ts'
import { Revert } from './revert.ts'
import { BLOCK_MS, blockAt } from './state.ts'

/** The first four bytes of the hash of a function's signature. */
const SELECTORS = {
  aggregate3: '82ad56cb',
  getBlockNumber: '42cbb15c',
  getCurrentBlockTimestamp: '0f28c97d',
  getChainId: '3408e470',
  getEthBalance: '4d2301cc',
  arbBlockNumber: 'a3b1b31d',
} as const

const ARB_SYS = '0x0000000000000000000000000000000000000064'
const ARBITRUM = 'arbitrum'
const ADDRESS_BYTES = 20
/** Ethereum's blocks take as long as this many of ours. */
const PARENT_BLOCKS = 6n

type Abi = typeof abiModule

/** Another contract's answer. @throws Revert */
type Inner = (to: string, call: Uint8Array) => Promise<string>

/** @param address  in lower case */
export function isMulticall(address: string): boolean {
  return address === MULTICALL3.toLowerCase()
}

/** @param address  in lower case */
export function isArbSys(chain: string, address: string): boolean {
  return chain === ARBITRUM && address === ARB_SYS
}

/** @throws Revert */
export async function callMulticall(
  abi: Abi,
  chain: string,
  call: Uint8Array,
  prices: Prices,
  inner: Inner,
  balanceOf: (wallet: string) => bigint,
): Promise<string> {
  switch (selectorOf(call)) {
    case SELECTORS.aggregate3:
      return aggregate(abi, call, inner)
    case SELECTORS.getBlockNumber: {
      const block = blockAt(prices.at)
      return abi.encodeUint(chain === ARBITRUM ? block / PARENT_BLOCKS : block)
    }
    case SELECTORS.getCurrentBlockTimestamp:
      return abi.encodeUint((blockAt(prices.at) * BigInt(BLOCK_MS)) / 1_000n)
    case SELECTORS.getChainId:
      return abi.encodeUint(BigInt(findChain(chain)!.chainId!))
    case SELECTORS.getEthBalance:
      return abi.encodeUint(balanceOf(`0x${Buffer.from(call.subarray(-ADDRESS_BYTES)).toString('hex')}`))
    default:
      throw Revert.nameless()
  }
}

/** @throws Revert */
export function callArbSys(abi: Abi, call: Uint8Array, prices: Prices): string {
  if (selectorOf(call) === SELECTORS.arbBlockNumber) return abi.encodeUint(blockAt(prices.at))
  throw Revert.nameless()
}

/** Runs the inner calls as the contract does: a failure of one that may not fail reverts all of them. */
async function aggregate(abi: Abi, call: Uint8Array, inner: Inner): Promise<string> {
  const results: { success: boolean; returnData: Uint8Array }[] = []
  for (const { target, allowFailure, callData } of readCalls(abi, call)) {
    try {
      results.push({ success: true, returnData: bytes(await inner(target, callData)) })
    } catch (error) {
      if (!(error instanceof Revert)) throw error
      if (!allowFailure) {
        const reason = 'Multicall3: call failed'
        throw new Revert(reason, abi.encodeError(reason))
      }
      results.push({ success: false, returnData: bytes(error.data) })
    }
  }
  return abi.encodeResults(results)
}

function readCalls(abi: Abi, call: Uint8Array): ReturnType<Abi['decodeAggregate3']> {
  try {
    return abi.decodeAggregate3(call)
  } catch {
    throw Revert.nameless()
  }
}

const selectorOf = (call: Uint8Array): string => Buffer.from(call.subarray(0, 4)).toString('hex')

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
