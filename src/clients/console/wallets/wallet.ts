/** The wallet interface of a swap: an address, and signatures of what the user has reviewed. */
import type { Chain } from '../../client/index.ts'
import { SwapError } from '../../swap/errors.ts'
import { isDeclined } from '../../swap/provider.ts'
import type { EvmWallet as Batching, SolanaWallet as Signing } from '../../swap/wallets.ts'
import type { EvmCalls, EvmTransaction } from '../../verify/types.ts'

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
  /** Of wallets that may take several calls as one. */
  readonly batch?: Pick<Batching, 'callsStatus'> & {
    /**
     * Signs and sends.
     * @returns the batch's id; null if the wallet takes none on this chain, so that nothing was sent
     * @throws UnsureError  if the wallet does not say whether it was sent
     */
    sendCalls(chain: Chain, calls: EvmCalls): Promise<string | null>
  }
  /** A transaction as the wallet's node has it; null if it does not know it. */
  transaction?(hash: string): Promise<unknown>
}

export type SolanaWallet = WalletIdentity & Signing

export type ConnectedWallet = EvmWallet | SolanaWallet

/** A wallet that can be connected. */
export interface WalletOffer {
  readonly id: string
  readonly name: string
  readonly family: WalletFamily
  /** @param onGone  called when the wallet revokes the account or switches to another */
  connect(onGone: () => void): Promise<ConnectedWallet>
}

/** A wallet's failure, with a message for its user. */
export class WalletError extends Error {}

/** The wallet failed, and may have sent what it was asked to sign. */
export class UnsureError extends WalletError {}

/** The message of a wallet's failure; wallets throw values of any type. */
export function wordsOf(error: unknown): string {
  if (error instanceof WalletError || error instanceof SwapError) return error.message
  if (isDeclined(error)) return 'You declined it in the wallet. Nothing was signed.'
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' && message !== ''
    ? `The wallet says: ${message}`
    : 'The wallet failed and does not say why.'
}

/** EIP-1474 has no code for it, and execution-apis has 3: nodes and wallets differ, and their words are alike. */
const FAILS = /revert|insufficient (?:funds|balance)|exceeds (?:the )?(?:balance|allowance)/i

/** @returns a node's reason for a failing transaction; null if the fault is the node's or the wallet's */
export function failureIn(error: unknown): string | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === 3 || FAILS.test(String(message)) ? String(message) : null
}
