/**
 * Accounts as a Solana node reports them: several of one slot, mints, nonces, and the kind of any other; and the epoch.
 *
 * Source: solana.com/docs/rpc getMultipleAccounts, getAccountInfo · anza-xyz/agave (the System program owns wallets)
 */
import { Type } from 'typebox'
import { type Mint, readMint } from '../../../chains/solana/mint.ts'
import { NONCE_BYTES, readNonce } from '../../../chains/solana/nonce.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { nullable } from '../../../runtime/resources/shared.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

/** The most accounts of one call. */
export const MAX_ACCOUNTS = 100

/** Null if there is no account. */
const EncodedAccount = nullable(
  Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
)
const Accounts = Type.Object({
  context: Type.Object({ slot: Type.Integer({ minimum: 0 }) }),
  value: Type.Array(EncodedAccount),
})
const askSeveral = checkedRead('getMultipleAccounts', Accounts, 'what the accounts hold')

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
  const { context, value } = await askSeveral(rpc, [addresses, config], call)
  if (value.length !== addresses.length) {
    const message = 'The Solana node answered for other accounts. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  const accounts = value.map(
    (account) => account && { owner: account.owner, data: Buffer.from(account.data[0], 'base64') },
  )
  return { slot: context.slot, accounts }
}

/** Ordinary mints aren't longer. A mint of megabytes is refused without being read. */
const MAX_MINT_BYTES = 16_384

const askAccount = checkedRead('getAccountInfo', Type.Object({ value: EncodedAccount }), 'the account')

/**
 * @returns null if there is no account, or one that is not a mint
 * @throws GatewayError  upstream_*
 */
export async function askMint(
  rpc: Pick<SolanaRpc, 'read'>,
  address: string,
  call: Call,
): Promise<Mint | null> {
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    // One byte more than is read, to detect that an account is longer.
    dataSlice: { offset: 0, length: MAX_MINT_BYTES + 1 },
  }
  const { value } = await askAccount(rpc, [address, config], call)
  if (value === null) return null
  const data = Buffer.from(value.data[0], 'base64')
  return data.length > MAX_MINT_BYTES ? null : readMint(value.owner, data)
}

const EpochInfo = Type.Object({ epoch: Type.Integer({ minimum: 0 }) })
const askEpochInfo = checkedRead('getEpochInfo', EpochInfo, 'the epoch')

/** @throws GatewayError  upstream_* */
export async function askEpoch(rpc: Pick<SolanaRpc, 'read'>, call: Call): Promise<bigint> {
  return BigInt((await askEpochInfo(rpc, [], call)).epoch)
}

export type NonceAccount = ReturnType<typeof readNonce> | 'missing'

/**
 * @param addresses  base58, at most MAX_ACCOUNTS
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

export const ACCOUNT_KINDS = ['wallet', 'program', 'token_account', 'account'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

const AccountInfo = Type.Object({
  value: Type.Union([Type.Object({ owner: Type.String(), executable: Type.Boolean() }), Type.Null()]),
})
const askOwner = checkedRead('getAccountInfo', AccountInfo, 'what stands at the address')

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
  const { value } = await askOwner(solana, [address, config], call.as('research'))
  if (value === null) return null
  const { owner, executable } = value
  if (executable) return 'program'
  if (owner === SYSTEM_PROGRAM) return 'wallet'
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM ? 'token_account' : 'account'
}
