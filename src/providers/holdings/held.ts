/**
 * How much of one token a wallet holds, for material that only an execution proves: without the sold tokens
 * nothing can be executed. One node's answer is enough, because a false one can only get an order refused.
 */
import { Type } from 'typebox'
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { memberText } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import type { Call } from '../../flow/call.ts'
import type { Token } from '../../proof/terms/order.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { SuiRpc } from '../../upstream/nodes/sui/rpc.ts'
import { answerReader } from '../answer.ts'
import { readTokenAccount } from './token-account.ts'

/** @returns base units; null on a chain where it isn't needed, or if no node reports it. Throws upstream_* */
export type HeldOf = (
  chain: ChainDefinition,
  token: Pick<Token, 'address' | 'isNative'>,
  owner: string,
  call: Call,
) => Promise<bigint | null>

const CONFIRMED = { commitment: 'confirmed' } as const
/** A wallet has one account of a mint, or a few. */
const MAX_BYTES = 256 * 1024
const readAccounts = answerReader(Type.Object({ value: Type.Array(Type.Unknown()) }))

interface HeldOptions {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly sui: Pick<SuiRpc, 'balance'>
}

export const createHeldOf =
  ({ solana, sui }: HeldOptions): HeldOf =>
  async (chain, token, owner, call) => {
    if (chain.family === 'sui') {
      return sui.balance(owner, token.isNative ? nativeAddress(chain) : token.address, call)
    }
    if (chain.family !== 'solana') return null
    return token.isNative ? lamportsOf(solana, owner, call) : tokensOf(solana, owner, token.address, call)
  }

async function lamportsOf(solana: HeldOptions['solana'], owner: string, call: Call): Promise<bigint | null> {
  const params = JSON.stringify([owner, CONFIRMED])
  const { result } = await solana.read('getBalance', params, call)
  // Lamports go up to 2^64 and JSON.parse would round them, so the digits are read from the text.
  const digits = result === null || parsedOrNone(result) === null ? null : memberText(result, ['value'])
  return digits !== null && /^\d{1,20}$/.test(digits) ? BigInt(digits) : null
}

async function tokensOf(solana: HeldOptions['solana'], owner: string, mint: string, call: Call) {
  const params = JSON.stringify([owner, { mint }, { ...CONFIRMED, encoding: 'jsonParsed' }])
  const { result } = await solana.read('getTokenAccountsByOwner', params, call)
  if (result === null || result.length > MAX_BYTES) return null
  const accounts = readAccounts(result)?.value.value.map(readTokenAccount)
  if (accounts === undefined) return null
  // Frozen tokens cannot be sold.
  const own = accounts.filter((one) => one?.mint === mint && one.owner === owner && !one.isFrozen)
  return own.reduce((sum, account) => sum + account!.amount, 0n)
}
