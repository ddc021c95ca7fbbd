/** Reads mints and the epoch from a Solana node. */
import { Type } from 'typebox'
import { type Mint, readMint } from '../../../chains/solana/mint.ts'
import type { Call } from '../../../flow/call.ts'
import { EncodedAccount } from './accounts.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

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
