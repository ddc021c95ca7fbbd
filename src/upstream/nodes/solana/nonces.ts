/** Nonce accounts, as a node reports them. */
import { NONCE_BYTES, readNonce } from '../../../chains/solana/nonce.ts'
import type { Call } from '../../../flow/call.ts'
import { askAccounts, MAX_ACCOUNTS } from './accounts.ts'
import type { SolanaRpc } from './rpc.ts'

/** The most accounts of one call. */
export const MAX_NONCES = MAX_ACCOUNTS

export type NonceAccount = ReturnType<typeof readNonce> | 'missing'

/**
 * @param addresses  base58, at most MAX_NONCES
 * @returns each account in its order, and the slot of the node's answer
 * @throws GatewayError  upstream_*
 */
export async function askNonces(
  rpc: Pick<SolanaRpc, 'read'>,
  addresses: readonly string[],
  call: Call,
): Promise<{ readonly slot: number; readonly accounts: readonly NonceAccount[] }> {
  // One byte more than a nonce account has, so that a longer one is not taken for one.
  const { slot, accounts } = await askAccounts(rpc, addresses, call, NONCE_BYTES + 1)
  return {
    slot,
    accounts: accounts.map((one) => (one === null ? 'missing' : readNonce(one.owner, one.data))),
  }
}
