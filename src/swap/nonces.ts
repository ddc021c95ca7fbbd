/**
 * The wallet's own nonce account, for signers that take longer than a blockhash lives: read before a build, and
 * advanced to cancel what was signed with it.
 */
import { parseAddress } from '../chains/address.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { decodeKey } from '../chains/solana/base58.ts'
import { compileTransaction } from '../chains/solana/message.ts'
import { advanceNonce, type Nonce } from '../chains/solana/nonce.ts'
import type { Call } from '../flow/call.ts'
import { proveCancel } from '../proof/solana/cancel.ts'
import type { Material } from '../proof/terms/material.ts'
import type { BuildOrder } from '../proof/terms/order.ts'
import type { Prioritize } from '../providers/priority.ts'
import { type Proved, type ProveOptions, verify } from '../providers/proved.ts'
import { MAX_JUPITER_PRIORITY_LAMPORTS } from '../providers/swap/jupiter-wire.ts'
import { type GatewayError, invalidParameter } from '../runtime/errors.ts'
import { askNonces } from '../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import texts from './texts.json' with { type: 'json' }

/** Who builds a cancellation. */
export const GATEWAY = 'swapgate'

/**
 * @returns the account's address; null for a build with a blockhash
 * @throws 400  invalid_parameter
 */
export function parseNonce(
  { nonce, cancel = false }: { readonly nonce?: string; readonly cancel?: boolean },
  chain: ChainDefinition,
  from: string,
): string | null {
  if (nonce === undefined) {
    if (cancel) throw invalidParameter('cancel', '`cancel` needs `nonce`, the account to advance.')
    return null
  }
  if (chain.family !== 'solana') throw refuse(`is for Solana. Leave it out for ${chain.key}`)
  const account = parseAddress(chain, nonce)
  if (account === null || account === from)
    throw refuse(`must be the address of a nonce account, other than \`from\``)
  return account
}

const FAULTS = texts.nonces

/**
 * The nonce that the account holds.
 * @throws GatewayError  400 invalid_parameter, if the wallet can't use the account; upstream_*
 */
export async function readNonce(solana: Pick<SolanaRpc, 'read'>, account: string, from: string, call: Call) {
  const { accounts } = await askNonces(solana, [account], call.as('build'))
  const state = accounts[0]!
  if (typeof state === 'string') throw refuse(FAULTS[state])
  if (state.authority !== from) throw refuse(`is a nonce account of ${state.authority}, not of \`from\``)
  return { account, value: state.value }
}

const refuse = (words: string): GatewayError => invalidParameter('nonce', `\`nonce\` ${words}.`)

/** What a cancellation is proved and priced with. */
export interface CancelRules extends Omit<ProveOptions, 'log'> {
  readonly prioritize: Prioritize
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice: bigint
}

/**
 * The transaction that advances the nonce and does nothing else. It competes with what it cancels: without a
 * priority of the request it pays the medium one.
 * @throws GatewayError  material_refused, upstream_*
 */
export async function cancelling(
  { chain, from, nonce, priority = 'medium', solana }: CancelOrder,
  { prioritize, maxComputeUnitPrice, ...rules }: CancelRules,
  call: Call,
): Promise<Proved> {
  const parts = { payer: from, instructions: [advanceNonce(nonce.account, from)], tables: {} }
  const bytes = compileTransaction({ ...parts, pinned: new Set(), blockhash: decodeKey(nonce.value) })!
  const terms = { from, priority, most: MAX_JUPITER_PRIORITY_LAMPORTS, provider: GATEWAY }
  const { transaction, paid } = await prioritize(bytes.toString('base64'), terms, call)
  const material: Material = { kind: 'solana', transaction, lastValidBlockHeight: null, extra: {} }
  const claim = { from, nonce, ...(solana && { solana }) }
  const prove = () => proveCancel(transaction, claim, { maxComputeUnitPrice })
  return {
    ...(await verify({ chain, from, provider: GATEWAY, material, isDurable: true }, prove, rules, call)),
    paid,
  }
}

type CancelOrder = Pick<BuildOrder, 'chain' | 'from' | 'priority' | 'solana'> & { readonly nonce: Nonce }
