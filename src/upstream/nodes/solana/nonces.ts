/**
 * Nonce accounts, as a node reports them.
 *
 * Source: solana.com/docs/rpc getMultipleAccounts
 */
import { Type } from 'typebox'
import { NONCE_BYTES, readNonce } from '../../../chains/solana/nonce.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

/** The most accounts of one call. */
export const MAX_NONCES = 100

const Accounts = Type.Object({
  context: Type.Object({ slot: Type.Integer({ minimum: 0 }) }),
  value: Type.Array(
    Type.Union([
      Type.Null(),
      Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
    ]),
  ),
})
const askAccounts = checkedRead('getMultipleAccounts', Accounts, 'what the nonce accounts hold')

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
  const dataSlice = { offset: 0, length: NONCE_BYTES + 1 }
  const config = { encoding: 'base64', commitment: 'confirmed', dataSlice }
  const { context, value } = await askAccounts(rpc, [addresses, config], call)
  if (value.length !== addresses.length) {
    const message = 'The Solana node answered for other nonce accounts. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  const accounts = value.map((account) =>
    account === null ? 'missing' : readNonce(account.owner, Buffer.from(account.data[0], 'base64')),
  )
  return { slot: context.slot, accounts }
}
