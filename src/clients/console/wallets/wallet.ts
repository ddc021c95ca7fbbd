/** The wallet interface of a swap: an address, and signatures of what the user has reviewed. */
import type { Chain } from '../../client/index.ts'
import type { EvmTransaction } from '../../verify/types.ts'

export type WalletFamily = 'evm' | 'solana'

interface WalletIdentity {
  readonly name: string
  readonly address: string
  /** Created by this page, with play money. */
  readonly isThrowAway: boolean
}

export interface SentCall {
  readonly hash: string
  /** It may or may not be on its way. */
  readonly isAnswerLost: boolean
}

export interface EvmWallet extends WalletIdentity {
  readonly family: 'evm'
  /**
   * A token's decimals by the wallet's own node; null if it is not on that chain, or does not say.
   */
  decimals(chain: string, token: string, chainId: number): Promise<number | null>
  /**
   * @param chain  a key
   * @returns why it would fail now, by the wallet's own node; null if it would not, or no node ran it
   */
  failureOf(chain: string, transaction: EvmTransaction): Promise<string | null>
  /**
   * Signs and sends, on the chain that the transaction names.
   * @param onSigned  called with the hash before it is sent, if the wallet provides it
   * @throws UnsureError  if the wallet does not say whether it was sent
   */
  send(chain: Chain, transaction: EvmTransaction, onSigned: (hash: string) => void): Promise<SentCall>
}

export interface SolanaWallet extends WalletIdentity {
  readonly family: 'solana'
  /** @returns the transaction with the wallet's signature; nothing is sent */
  sign(transaction: Uint8Array): Promise<Uint8Array>
}

export type ConnectedWallet = EvmWallet | SolanaWallet

/** A wallet that can be connected. */
export interface WalletOffer {
  readonly id: string
  readonly name: string
  readonly family: WalletFamily
  /** @param onGone  called when the wallet revokes the account or switches to another */
  connect(onGone: () => void): Promise<ConnectedWallet>
}

/** `decimals()` @returns null if it isn't a token's answer */
export function decimalsIn(result: unknown): number | null {
  const decimals = typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result) ? Number(result) : null
  return decimals !== null && decimals <= 36 ? decimals : null
}

export const decimalsCall = (token: string) => ({ to: token, data: '0x313ce567' })

/** A wallet's failure, with a message for its user. */
export class WalletError extends Error {}

/** The wallet failed, and may have sent what it was asked to sign. */
export class UnsureError extends WalletError {}

/** EIP-1193's code for a request that the user declined. */
const DECLINED = 4001

/** The message of a wallet's failure; wallets throw values of any type. */
export function wordsOf(error: unknown): string {
  if (error instanceof WalletError) return error.message
  if (isDeclined(error)) return 'You declined it in the wallet. Nothing was signed.'
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' && message !== ''
    ? `The wallet says: ${message}`
    : 'The wallet failed and does not say why.'
}

function isDeclined(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === DECLINED || /reject|declin|denied/i.test(String(message))
}

/** EIP-1474 has no code for it, and execution-apis has 3: nodes and wallets differ, and their words are alike. */
const FAILS = /revert|insufficient (?:funds|balance)|exceeds (?:the )?(?:balance|allowance)/i

/** @returns a node's reason for a failing transaction; null if the fault is the node's or the wallet's */
export function failureIn(error: unknown): string | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === 3 || FAILS.test(String(message)) ? String(message) : null
}

/**
 * Codes of EIP-1193, EIP-1474 and JSON-RPC for transactions that were not sent: not allowed, not connected,
 * not valid, or refused by the node.
 */
const NOT_SENT: readonly unknown[] = [
  4100, 4200, 4900, 4901, -32700, -32600, -32601, -32602, -32000, -32003, -32004,
]

/** Whether a wallet that was to send may have done so, although it failed. */
export const isUnsure = (error: unknown): boolean =>
  !isDeclined(error) && !NOT_SENT.includes((error as { code?: unknown } | null)?.code)
