/**
 * Several accounts of one slot, as a node reports them.
 *
 * Source: solana.com/docs/rpc getMultipleAccounts
 */
import { Type } from 'typebox'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { nullable } from '../../../runtime/resources/shared.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

/** The most accounts of one call. */
export const MAX_ACCOUNTS = 100

/** Null if there is no account. */
export const EncodedAccount = nullable(
  Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
)
const Accounts = Type.Object({
  context: Type.Object({ slot: Type.Integer({ minimum: 0 }) }),
  value: Type.Array(EncodedAccount),
})
const ask = checkedRead('getMultipleAccounts', Accounts, 'what the accounts hold')

export interface HeldAccount {
  /** The program that owns it, base58. */
  readonly owner: string
  readonly data: Buffer
}

/**
 * @param addresses  base58, at most MAX_ACCOUNTS
 * @param maxBytes   how much of each account is read; absent: all of it
 * @returns each account in its order, and the slot of the node's answer
 * @throws GatewayError  upstream_*
 */
export async function askAccounts(
  rpc: Pick<SolanaRpc, 'read'>,
  addresses: readonly string[],
  call: Call,
  maxBytes?: number,
): Promise<{ readonly slot: number; readonly accounts: readonly (HeldAccount | null)[] }> {
  const dataSlice = maxBytes === undefined ? {} : { dataSlice: { offset: 0, length: maxBytes } }
  const config = { encoding: 'base64', commitment: 'confirmed', ...dataSlice }
  const { context, value } = await ask(rpc, [addresses, config], call)
  if (value.length !== addresses.length) {
    const message = 'The Solana node answered for other accounts. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  const accounts = value.map(
    (account) => account && { owner: account.owner, data: Buffer.from(account.data[0], 'base64') },
  )
  return { slot: context.slot, accounts }
}
