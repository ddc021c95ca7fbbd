import type { DedustAsset } from './dedust.ts'

/**
 * What two nodes agree on. Addresses are canonical.
 * @returns null if they disagree, or fewer than two can say
 */
export interface TonWitness {
  /** @param isSold  the wallet must confirm its jetton as well: the master may belong to an attacker */
  walletOf(master: string, owner: string, isSold: boolean): Promise<string | null>
  /** The hash of the code that a contract runs now: 64 hex digits. */
  codeOf(account: string): Promise<string | null>
  /** The two assets of a DeDust pool, in its order. */
  assetsOf(pool: string): Promise<readonly [DedustAsset, DedustAsset] | null>
  /** The jetton wallet from which alone a DeDust vault takes payments. */
  vaultWalletOf(vault: string): Promise<string | null>
}
