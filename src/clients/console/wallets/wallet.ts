/** What a swap needs of a wallet: an address, and a signature of what the user has seen. */
import type { Chain } from '../../client/index.ts'

export type Family = 'evm' | 'solana'

interface Common {
  readonly name: string
  readonly address: string
  /** Made by this page, for play money. */
  readonly isThrowAway: boolean
}

/** A call of a contract. */
export interface Call {
  readonly to: string
  /** 0x hex */
  readonly data: string
  readonly valueWei: bigint
}

export interface EvmWallet extends Common {
  readonly family: 'evm'
  /** Signs and sends. @returns the transaction's hash */
  send(chain: Chain, call: Call): Promise<string>
}

export interface SolanaWallet extends Common {
  readonly family: 'solana'
  /** @returns the transaction with the wallet's signature; nothing is sent */
  sign(transaction: Uint8Array): Promise<Uint8Array>
}

export type Wallet = EvmWallet | SolanaWallet

/** A wallet that can be connected. */
export interface Offer {
  readonly id: string
  readonly name: string
  readonly family: Family
  /** @param onGone  called when the wallet takes the account back, or shows another one */
  connect(onGone: () => void): Promise<Wallet>
}

/** What a wallet could not do, in words for its user. */
export class WalletError extends Error {}

/** EIP-1193's code, and the words of other wallets, for what the user did not want. */
const DECLINED = 4001

/** A wallet's own failure in words; wallets throw what they like. */
export function wordsOf(error: unknown): string {
  if (error instanceof WalletError) return error.message
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code === DECLINED || /reject|declin|denied/i.test(String(message))) {
    return 'It was declined in the wallet. Nothing was signed.'
  }
  return typeof message === 'string' && message !== ''
    ? `The wallet says: ${message}`
    : 'The wallet failed, and does not say why.'
}
