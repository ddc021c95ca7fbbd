/**
 * The kind of account at a Solana address that is not a mint, as a node reports it.
 *
 * Source: solana.com/docs/rpc getAccountInfo · anza-xyz/agave (the System program owns wallets)
 */
import { Type } from 'typebox'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { compile, type Validator } from '../../../runtime/validate.ts'
import type { SolanaRpc } from './rpc.ts'

export const ACCOUNT_KINDS = ['wallet', 'program', 'token_account', 'account'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

const AccountInfo = Type.Object({
  value: Type.Union([Type.Object({ owner: Type.String(), executable: Type.Boolean() }), Type.Null()]),
})
let validator: Validator<typeof AccountInfo> | null = null

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
  const params = JSON.stringify([address, config])
  const reply = await solana.read('getAccountInfo', params, call.as('research'))
  const info = reply.result === null ? null : parsedOrNone(reply.result)
  validator ??= compile(AccountInfo)
  if (!validator.Check(info)) {
    const message = 'The Solana node did not answer what stands at the address. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  if (info.value === null) return null
  const { owner, executable } = info.value
  if (executable) return 'program'
  if (owner === SYSTEM_PROGRAM) return 'wallet'
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM ? 'token_account' : 'account'
}
