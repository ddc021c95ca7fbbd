/** Reads mints and the epoch from a Solana node. */
import { Type } from 'typebox'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { type Mint, readMint } from '../../../chains/solana/mint.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { nullable } from '../../../runtime/resources/shared.ts'
import { compile, type Validator } from '../../../runtime/validate.ts'
import type { SolanaRpc } from './rpc.ts'

/** Ordinary mints aren't longer. A mint of megabytes is refused without being read. */
const MAX_MINT_BYTES = 16_384

const AccountInfo = Type.Object({
  value: nullable(
    Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
  ),
})
let accountInfo: Validator<typeof AccountInfo> | null = null

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
  const params = JSON.stringify([address, config])
  const { result } = await rpc.read('getAccountInfo', params, call)
  const info = result === null ? null : parsedOrNone(result)
  accountInfo ??= compile(AccountInfo)
  if (!accountInfo.Check(info)) {
    const message = 'The Solana node did not answer the account. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  if (info.value === null) return null
  const data = Buffer.from(info.value.data[0], 'base64')
  return data.length > MAX_MINT_BYTES ? null : readMint(info.value.owner, data)
}

const EpochInfo = Type.Object({ epoch: Type.Integer({ minimum: 0 }) })
let epochInfo: Validator<typeof EpochInfo> | null = null

/** @throws GatewayError  upstream_* */
export async function askEpoch(rpc: Pick<SolanaRpc, 'read'>, call: Call): Promise<bigint> {
  const { result } = await rpc.read('getEpochInfo', '[]', call)
  const info = result === null ? null : parsedOrNone(result)
  epochInfo ??= compile(EpochInfo)
  if (epochInfo.Check(info)) return BigInt(info.epoch)
  const message = 'The Solana node did not answer the epoch. Try again later.'
  throw new GatewayError('upstream_unusable', message)
}
