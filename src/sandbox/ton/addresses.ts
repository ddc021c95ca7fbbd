/**
 * Contract addresses of the sandbox's TON: routers and jetton wallets. The router is
 * one of STON.fi's own: the proofs know no others.
 */
import { createHash } from 'node:crypto'
import { canonicalAddress } from '../../chains/address.ts'
import { jettonWallet } from '../../proof/ton/jetton-wallet.ts'

/** A router of STON.fi's second version. */
export const ROUTER = 'EQDQ6j53q21HuZtw6oclm7z4LU2cG6S2OKvpSSMH548d7kJT'
/** Its wallet of wrapped TON. */
export const ROUTER_PTON = 'EQDTx6o7gmGo8cuJt_3EHEgO1RmGnLtGTzgTOsG5pAYs0uYd'
/** The library that has the code of STON.fi's routers of constant-product pools: 64 hex digits. */
export const ROUTER_LIBRARY = '848d1da9f94d125219685290a670a23573a3ff671dfe3c04b7aa8832c6a4f5cc'

/** A jetton that trades at DeDust: all others do at STON.fi. */
export const DOGS = 'EQCvxJy4eG8hyHBFsZ7eePxrRsUQSFE_jpptRAYBmcG_DOGS'

/** A contract address determined by the words. */
export function contractAddress(...words: readonly string[]): string {
  const id = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return canonicalAddress('ton', `0:${id}`)
}

/**
 * The owner's wallet of a jetton: as on the chain if its code is known, else one that exists only in the
 * sandbox.
 */
export function walletAddress(master: string, owner: string): string {
  return jettonWallet(master, owner) ?? contractAddress('wallet', master, owner)
}
