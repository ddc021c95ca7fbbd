/**
 * The guard of a batch on EVM chains: its last call, which fails unless the wallet holds enough of what it bought. For
 * a token that is a check of Uniswap's Universal Router, a contract that nobody can change and that needs no approval:
 *
 *   execute(bytes commands, bytes[] inputs), with the one command BALANCE_CHECK_ERC20 and (owner, token, least)
 *
 * For the native coin the wallet pays the least to itself.
 *
 * Source: Uniswap/universal-router contracts/base/Dispatcher.sol, contracts/libraries/Commands.sol, and
 * deploy-addresses/<network>.json, `UniversalRouterV2_1_1`, as of 2026-08
 */
import { quantity } from '../../chains/json/quantity.ts'
import type { Token } from '../terms/order.ts'
import type { BatchedCall } from './approval.ts'
import routers from './universal-routers.json' with { type: 'json' }

/** By chain key. */
const ROUTERS: ReadonlyMap<string, string> = new Map(Object.entries(routers))

export const hasGuards = (chainKey: string): boolean => ROUTERS.has(chainKey)

export interface Guarded {
  readonly chainKey: string
  readonly from: string
  readonly bought: Pick<Token, 'address' | 'isNative'>
}

const EXECUTE = '0x24856bc3'
const BALANCE_CHECK_ERC20 = '0e'.padEnd(64, '0')

const word = (hex: string): string => hex.toLowerCase().padStart(64, '0')
const number = (value: bigint | number): string => word(value.toString(16))

/**
 * @param least  base units that the wallet has to hold
 * @returns null on a chain without the router
 */
export function guardCall({ chainKey, from, bought }: Guarded, least: bigint): BatchedCall | null {
  const router = ROUTERS.get(chainKey)
  if (router === undefined) return null
  if (bought.isNative) return { to: from, data: '0x', value: quantity(least) }
  // Offsets of commands and inputs; one command; one input, its offset and length.
  const head = [number(64), number(128), number(1), BALANCE_CHECK_ERC20, number(1), number(32), number(96)]
  const input = [word(from.slice(2)), word(bought.address.slice(2)), number(least)]
  return { to: router, data: EXECUTE + [...head, ...input].join(''), value: '0x0' }
}

/** @returns the base units that a call demands; null if it is no guard of this wallet and token */
export function leastIn(guarded: Guarded, call: Readonly<Record<keyof BatchedCall, unknown>>): bigint | null {
  const texts = [call.to, call.data, call.value].map((one) => String(one).toLowerCase())
  const hex = guarded.bought.isNative ? texts[2]! : `0x${texts[1]!.slice(-64)}`
  if (!/^0x[0-9a-f]{1,64}$/.test(hex)) return null
  const least = BigInt(hex)
  const same = guardCall(guarded, least)
  const isSame = same !== null && texts.join() === [same.to.toLowerCase(), same.data, same.value].join()
  return isSame ? least : null
}
