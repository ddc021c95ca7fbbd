/**
 * Parses the parameters that name a transaction or an allowance.
 *
 * Source: §4.10
 */
import { type Static, Type } from 'typebox'
import { parseAddress, parseToken } from '../../chains/address.ts'
import type { ChainDefinition, EvmChain } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { string } from '../../runtime/resources/shared.ts'
import texts from '../texts.json' with { type: 'json' }

const { onchain: text } = texts

/** A transaction by its hash on EVM chains, by its signature on Solana. */
export type TransactionId =
  | { readonly chain: EvmChain; readonly hash: string; readonly signature: null }
  | { readonly chain: ChainDefinition; readonly hash: null; readonly signature: string }

/** Which transaction, on EVM chains or on Solana. */
export const TransactionQuery = Type.Object({
  chain: string('chain key: `solana`, or of an EVM chain', { maxLength: 64 }),
  hash: Type.Optional(string("the transaction's hash, on EVM chains", { maxLength: 128 })),
  signature: Type.Optional(string("the transaction's first signature, on Solana", { maxLength: 128 })),
})

const HASH = /^0x[0-9a-fA-F]{64}$/

/** @throws 400  unsupported_chain, invalid_parameter */
export function parseTransactionId({
  chain: key,
  hash,
  signature,
}: Static<typeof TransactionQuery>): TransactionId {
  const chain = findChain(key)
  if (chain?.family === 'solana') {
    if (hash !== undefined) throw invalidParameter('hash', text.solanaHash)
    if (signature !== undefined && isBase58Of(signature, 64)) return { chain, hash: null, signature }
    throw invalidParameter('signature', text.badSignature)
  }
  if (chain?.family !== 'evm') throw unsupported(text.badChain)
  if (signature !== undefined) throw invalidParameter('signature', text.evmSignature)
  return { chain, hash: parseHash(hash), signature: null }
}

const Address = (description: string) => Type.Optional(string(description, { maxLength: 128 }))

export const AllowanceQuery = Type.Object({
  chain: string('key of an EVM chain', { maxLength: 64 }),
  token: Address('address of an ERC-20 token'),
  owner: Address('the owner, who granted it'),
  spender: Address("the spender: `spender` of a build's `approval`"),
  hash: Type.Optional(
    string('hash of an approval transaction, instead of `token`, `owner` and `spender`', { maxLength: 128 }),
  ),
})

/** Addresses are canonical. */
export interface AllowanceId {
  readonly chain: EvmChain
  readonly token: string
  readonly owner: string
  readonly spender: string
}

/** An allowance, or the transaction that sets one. @throws 400  unsupported_chain, invalid_parameter */
export function parseAllowance({
  chain: key,
  hash,
  ...query
}: Static<typeof AllowanceQuery>): AllowanceId | TransactionId {
  const chain = findChain(key)
  if (chain?.family !== 'evm') throw unsupported(text.noAllowances)
  if (hash !== undefined) {
    const extra = (['token', 'owner', 'spender'] as const).find((field) => query[field] !== undefined)
    if (extra === undefined) return { chain, hash: parseHash(hash), signature: null }
    throw invalidParameter(
      extra,
      `Leave \`${extra}\` out, or \`hash\`: the transaction says which allowance it sets.`,
    )
  }
  const token = query.token === undefined ? null : parseToken(chain, query.token)
  if (token === null) throw invalidParameter('token', text.badToken)
  if (token.isNative) throw invalidParameter('token', text.nativeToken)
  const wallet = (field: 'owner' | 'spender'): string => {
    const address = query[field] === undefined ? null : parseAddress(chain, query[field])
    if (address !== null) return address
    throw invalidParameter(
      field,
      `\`${field}\` must be an EVM address: 0x and 40 hex digits, in one case or with EIP-55's checksum.`,
    )
  }
  return { chain, token: token.address, owner: wallet('owner'), spender: wallet('spender') }
}

function parseHash(hash: string | undefined): string {
  if (hash !== undefined && HASH.test(hash)) return hash.toLowerCase()
  throw invalidParameter('hash', text.badHash)
}

const unsupported = (message: string): GatewayError =>
  new GatewayError('unsupported_chain', message, { field: 'chain' })
