/**
 * Providers of EVM wallets: what their failures mean, and calls as one batch.
 *
 * Source: EIP-1193 · EIP-1474 · EIP-5792
 */
import type { EvmSend, EvmTransaction, Hex } from '../verify/types.ts'

export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** A batch that a wallet took. */
export interface BatchStatus {
  readonly isPending: boolean
  /** Of the transactions that it is in, in order; none if it will be in no block. */
  readonly hashes: readonly Hex[]
  /** `part`: some of the calls. A transaction that carries calls may succeed although they failed. */
  readonly failed?: 'all' | 'part' | undefined
}

/** EIP-1193's code for a request that the user declined. */
const DECLINED = 4001
/** Codes of wallets that do not take calls as one batch: not this kind, not on this chain, too many, or not atomically. */
const NO_BATCH: readonly unknown[] = [5700, 5710, 5740, 5750, 5760, 4200, -32601, -32004]
/** Codes for transactions that were not sent: not allowed, not connected, not valid, or refused by the node. */
const NOT_SENT: readonly unknown[] = [
  4100, 4200, 4900, 4901, -32700, -32600, -32601, -32602, -32000, -32003, -32004,
]

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** A node's words may deny or reject, too, after it has the transaction. */
const BY_USER =
  /\buser (?:has )?(?:reject|denied|declin|disapprov|cancel)|\b(?:rejected|denied|declined|cancell?ed) by (?:the )?user/i
/** Of nodes that have it already, perhaps in a block. */
const MAY_BE_THERE = /already ?(?:known|imported|in)|known transaction|nonce (?:is )?too low/i
/** WalletConnect's own `formatJsonRpcError` gives a decline the code of any failure. */
const ANY_FAILURE = -32000

export const wordsOf = (error: unknown): string => {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : String(error)
}

export function isDeclined(error: unknown): boolean {
  const code = codeOf(error)
  if (code === DECLINED) return true
  return (code === ANY_FAILURE || !NOT_SENT.includes(code)) && BY_USER.test(wordsOf(error))
}

/** Codes of wallets that will not say more of a batch: unknown, not allowed, or no such method. */
const NO_STATUS: readonly unknown[] = [5730, 4100, 4200, -32601]
export const hasNoStatus = (error: unknown): boolean => NO_STATUS.includes(codeOf(error))

/** Whether the wallet takes no batch after all, or its user keeps the account as it is: nothing was sent. */
export const isNoBatch = (error: unknown): boolean => NO_BATCH.includes(codeOf(error))

/** Whether what was to send may have done so, although it failed. */
export const isUnsure = (error: unknown): boolean =>
  !isDeclined(error) && (!NOT_SENT.includes(codeOf(error)) || MAY_BE_THERE.test(wordsOf(error)))

/** Whether the wallet takes several calls as one on a chain, or offers its user to upgrade the account for that. */
export async function takesBatch(provider: Provider, from: string, chainId: Hex): Promise<boolean> {
  try {
    const asked = { method: 'wallet_getCapabilities', params: [from, [chainId]] }
    const chains = (await provider.request(asked)) as Record<string, { atomic?: { status?: unknown } }>
    // What every chain has is not said again for each.
    const on = (id: Hex) => Object.entries(chains).find(([key]) => BigInt(key) === BigInt(id))?.[1]
    const { atomic } = { ...on('0x0'), ...on(chainId) }
    return atomic?.status === 'supported' || atomic?.status === 'ready'
  } catch {
    return false
  }
}

/** `decimals()` @returns null if it isn't a token's answer */
export function decimalsIn(result: unknown): number | null {
  const decimals = typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result) ? Number(result) : null
  return decimals !== null && decimals <= 36 ? decimals : null
}

export const decimalsCall = (token: string): { to: string; data: string } => ({
  to: token,
  data: '0x313ce567',
})

/** The transactions that are left of a swap. @param allowance  base units; null if it is not known */
export function missingOf(
  { approval, transactions }: EvmSend,
  allowance: string | null,
): readonly EvmTransaction[] {
  if (approval === null || allowance === null) return transactions
  if (BigInt(allowance) >= BigInt(approval.amount)) return transactions.slice(-1)
  // Zero need not be set to zero.
  return allowance === '0' ? transactions.slice(-2) : transactions
}
