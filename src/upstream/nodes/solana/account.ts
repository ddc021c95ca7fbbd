/**
 * The kind of account at a Solana address that is not a mint, as a node reports it.
 *
 * Source: solana.com/docs/rpc getAccountInfo · anza-xyz/agave (the System program owns wallets)
 */
import { Type } from 'typebox'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import type { Call } from '../../../flow/call.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

export const ACCOUNT_KINDS = ['wallet', 'program', 'token_account', 'account'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

const AccountInfo = Type.Object({
  value: Type.Union([Type.Object({ owner: Type.String(), executable: Type.Boolean() }), Type.Null()]),
})
const askAccount = checkedRead('getAccountInfo', AccountInfo, 'what stands at the address')

/**
 * @param address  canonical
 * @returns null if there is no account: the address was never funded
 * @throws GatewayError  502 upstream_*
 */
export async function accountKind(
  solana: Pick<SolanaRpc, 'read'>,
  address: string,
  call: Call,
): Promise<AccountKind | null> {
  const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 } }
  const { value } = await askAccount(solana, [address, config], call.as('research'))
  if (value === null) return null
  const { owner, executable } = value
  if (executable) return 'program'
  if (owner === SYSTEM_PROGRAM) return 'wallet'
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM ? 'token_account' : 'account'
}
