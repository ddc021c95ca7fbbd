/** The decimals of a token by another source than the quote. */
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../../chains/solana/programs.ts'
import { isSwapgateError } from '../../../client/index.ts'
import { client } from '../../data/service.ts'
import type { ConnectedWallet } from '../../wallets/wallet.ts'
import type { SwapCoin } from './order.ts'

/** Of a mint's account. Source: spl-token, state.rs */
const DECIMALS_AT = 44

interface Asked {
  readonly order: { readonly chain: string }
  readonly wallet: ConnectedWallet
  readonly other: SwapCoin
  readonly token: SwapCoin
}

/**
 * By the wallet's own node, or a node of Solana; else by the token list.
 * @param chainId  of an EVM chain
 */
export async function decimalsBy(
  { order, wallet, other, token }: Asked,
  chain: string,
  address: string,
  chainId: number | null,
): Promise<number | null> {
  const isOwn = wallet.family === 'evm' && chain === order.chain && chainId !== null
  const told = isOwn ? await wallet.decimals(chain, address, chainId) : null
  const listed = [other, token].find((coin) => coin.address.toLowerCase() === address.toLowerCase())
  return told ?? (chain === 'solana' ? await mintDecimals(address) : null) ?? listed?.decimals ?? null
}

interface Account {
  readonly owner: string
  /** base64 */
  readonly data: readonly [string, string]
}

async function mintDecimals(mint: string): Promise<number | null> {
  try {
    const params = [mint, { encoding: 'base64', commitment: 'confirmed' }]
    const { value } = await client.rpc<{ value: Account | null }>('getAccountInfo', params)
    const isMint = value !== null && [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].includes(value.owner)
    return isMint ? atob(value.data[0]).charCodeAt(DECIMALS_AT) : null
  } catch (error) {
    if (isSwapgateError(error)) return null
    throw error
  }
}
