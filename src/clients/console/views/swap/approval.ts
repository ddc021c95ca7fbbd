/** The approval that a contract needs before it can take a token: of exactly the amount. Source: EIP-20 */
import type { BuildResult } from '../../../client/index.ts'
import type { Call } from '../../wallets/wallet.ts'

export interface Approval {
  readonly token: string
  readonly spender: string
  /** Base units. */
  readonly amount: string
  /** Such tokens refuse to change an allowance that is not zero. */
  readonly reset: boolean
}

/** Null where none is needed. */
export function approvalOf({ approval }: BuildResult): Approval | null {
  if (approval === null || approval === undefined) return null
  const { token, spender, amount, reset } = approval as unknown as Approval
  return { token, spender, amount, reset: reset === true }
}

/** `approve(address,uint256)` */
export function approveCall(token: string, spender: string, amount: bigint): Call {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0')
  return { to: token, data: `0x095ea7b3${word(BigInt(spender))}${word(amount)}`, valueWei: 0n }
}
