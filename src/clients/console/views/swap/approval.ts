/** The token approval that a contract needs before a swap, for exactly the amount. Source: EIP-20 */
import type { BuildResult } from '../../../client/index.ts'
import type { ContractCall } from '../../wallets/wallet.ts'

interface TokenApproval {
  readonly token: string
  readonly spender: string
  /** Base units. */
  readonly amount: string
  /** Whether the token rejects changing a non-zero allowance, so that it must be reset first. */
  readonly reset: boolean
}

/** Null if no approval is needed. */
export function approvalOf({ approval }: BuildResult): TokenApproval | null {
  if (approval === null || approval === undefined) return null
  const { token, spender, amount, reset } = approval as unknown as TokenApproval
  return { token, spender, amount, reset: reset === true }
}

/** `approve(address,uint256)` */
export function approveCall(token: string, spender: string, amount: bigint): ContractCall {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0')
  return { to: token, data: `0x095ea7b3${word(BigInt(spender))}${word(amount)}`, valueWei: 0n }
}
