/** The wallet interface of a swap: an address, and signatures of what the user has reviewed. */
import type { Chain } from '../../client/index.ts'

export type WalletFamily = 'evm' | 'solana'

interface WalletIdentity {
  readonly name: string
  readonly address: string
  /** Created by this page, with play money. */
  readonly isThrowAway: boolean
}

/** A contract call. */
export interface ContractCall {
  readonly to: string
  /** 0x-prefixed hex */
  readonly data: string
  readonly valueWei: bigint
}

export interface EvmWallet extends WalletIdentity {
  readonly family: 'evm'
  /** Signs and sends. @returns the transaction's hash */
  send(chain: Chain, call: ContractCall): Promise<string>
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

/** A wallet's failure, with a message for its user. */
export class WalletError extends Error {}

/** EIP-1193's code for a request that the user declined. */
const DECLINED = 4001

/** The message of a wallet's failure; wallets throw values of any type. */
export function wordsOf(error: unknown): string {
  if (error instanceof WalletError) return error.message
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code === DECLINED || /reject|declin|denied/i.test(String(message))) {
    return 'You declined it in the wallet. Nothing was signed.'
  }
  return typeof message === 'string' && message !== ''
    ? `The wallet says: ${message}`
    : 'The wallet failed and does not say why.'
}
