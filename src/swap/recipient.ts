/** Refuses a recipient that cannot spend what arrives: a token's contract, a mint, a program or a token account. */

import type { ChainDefinition } from '../chains/definition.ts'
import type { Call } from '../flow/call.ts'
import type { CrossChainOrder, Token } from '../proof/terms/order.ts'
import { invalidParameter, nullIfRefused } from '../runtime/errors.ts'
import { accountKind } from '../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { Decimals } from './decimals.ts'

export interface RecipientSources {
  readonly decimals: Pick<Decimals, 'addTo'>
  /** Absent: Solana addresses aren't looked up. */
  readonly accounts?: Pick<SolanaRpc, 'read'> | undefined
}

type Recipient = Pick<CrossChainOrder, 'from' | 'to' | 'tokenOut'> & {
  readonly toChain: ChainDefinition
  readonly tokenIn: Pick<Token, 'address' | 'isNative'>
}

/**
 * A recipient that signs is fine: it can spend. An unknown one is not refused.
 * @param field  its name in the request
 * @throws GatewayError
 */
export async function requireWallet(
  { toChain, from, to, tokenIn, tokenOut }: Recipient,
  { decimals, accounts }: RecipientSources,
  call: Call,
  field = 'to',
): Promise<void> {
  if (to === from) return
  const isSwapped = [tokenIn, tokenOut].some(
    ({ address, isNative }) => !isNative && (address === to || address.startsWith(`${to}::`)),
  )
  const what = isSwapped ? 'a token' : await kindOf()
  if (what === null) return
  const message = `\`${field}\` must be a wallet's address on ${toChain.name}. This is ${what}: what is sent there is lost.`
  throw invalidParameter(field, message)

  async function kindOf(): Promise<string | null> {
    // One node knows what isn't a mint: then no further source learns of the address.
    const kind =
      toChain.family === 'solana' && accounts !== undefined
        ? await accountKind(accounts, to, call).then((kind) => kind ?? 'none', nullIfRefused)
        : null
    if (kind === 'program') return 'a program'
    if (toChain.family === 'sui' || (kind !== null && kind !== 'token_account')) return null
    const token = { address: to, isNative: false }
    const isToken = await decimals.addTo(toChain, token, call).then(() => true, nullIfRefused)
    return isToken ? 'a token' : kind === null ? null : 'a token account'
  }
}
