/**
 * Reads transactions, receipts and blocks of EVM nodes: the parts that are used, checked to match the
 * request.
 *
 * Source: ethereum/execution-apis (eth_getTransactionByHash, eth_getTransactionReceipt, eth_getBlockByNumber)
 * · EIP-20 (its events) · EIP-4844 · ethereum-optimism/specs, "L1 data fee", "Operator fee" · Scroll's
 * documentation, "Transaction Fees on Scroll"
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { EvmChain } from '../../chains/definition.ts'
import { checksummed } from '../../chains/evm-address.ts'
import * as clean from '../../providers/market/clean.ts'
import { nullable } from '../../runtime/resources/shared.ts'
import { checkOf } from '../../runtime/validate.ts'
import { BalanceChanges } from './balance-changes.ts'

const Quantity = Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })
const Word = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Hex = Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' })
/** Some nodes leave the member out, others write null. */
const Perhaps = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

const Log = Type.Object({ address: Address, topics: Type.Array(Word, { maxItems: 4 }), data: Hex })
const Receipt = Type.Object({
  transactionHash: Word,
  blockHash: Word,
  blockNumber: Quantity,
  from: Address,
  to: Perhaps(Address),
  status: Perhaps(Quantity),
  /** In its place before October 2017: the state after it, which does not show whether it failed. */
  root: Perhaps(Word),
  gasUsed: Quantity,
  effectiveGasPrice: Perhaps(Quantity),
  blobGasUsed: Perhaps(Quantity),
  blobGasPrice: Perhaps(Quantity),
  l1Fee: Perhaps(Quantity),
  operatorFeeScalar: Perhaps(Quantity),
  operatorFeeConstant: Perhaps(Quantity),
  revertReason: Perhaps(Type.String()),
  logs: Type.Array(Log),
})
const Transaction = Type.Object({
  hash: Word,
  from: Address,
  nonce: Quantity,
  to: Perhaps(Address),
  value: Quantity,
  input: Hex,
  chainId: Perhaps(Quantity),
})
const Block = Type.Object({ number: Quantity, hash: Word, timestamp: Quantity })

export type EvmReceipt = NonNullable<ReturnType<typeof readReceipt>>
export type SentEvmTransaction = NonNullable<ReturnType<typeof readEvmTransaction>>
export type EvmBlock = NonNullable<ReturnType<typeof readBlock>>

/** keccak256 of Transfer(address,address,uint256), and of Approval(address,address,uint256). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** The hex length of 32 bytes, 0x included. */
const WORD_LENGTH = 66
/** Longer than any real revert reason. */
const MAX_REASON_LENGTH = 512
const MAX_BLOCK = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * @param holder  whose changes are read. Absent: the sender's
 * @returns null if the value is not a receipt, or is one of another transaction
 */
export function readReceipt(value: unknown, hash: string, chain: EvmChain, holder?: string) {
  if (!isReceipt(value) || !isSame(value.transactionHash, hash)) return null
  const block = blockOf(value.blockNumber)
  const status = optional(value.status)
  if (block === null || (status === null ? !value.root : status > 1n)) return null
  const hasL1Fee = chain.hasL1Fee === true
  const l1Fee = hasL1Fee ? optional(value.l1Fee) : null
  return {
    block,
    blockHash: value.blockHash.toLowerCase(),
    /** In EIP-55's mixed case, as `to` is. */
    from: addressOf(value.from),
    /** Null if it created a contract. */
    to: value.to ? addressOf(value.to) : null,
    /** Null if it is unknown: a failed transaction logs nothing. */
    isFailed: status === null ? (value.logs.length > 0 ? false : null) : status === 0n,
    /** In the node's own words, on one line; null if it gives none. */
    reason: clean.text(value.revertReason, MAX_REASON_LENGTH),
    /** Wei; null if a part of it is unknown. */
    fee: feeOf(value, hasL1Fee, l1Fee),
    /** Units of gas, decimal. */
    gasUsed: String(BigInt(value.gasUsed)),
    /** The part of the fee for data on the layer below, wei; null if there is none. */
    l1Fee,
    /** The token balance changes of the sender, or of the account that was asked for. */
    changes: changesOf(value.logs, holder ?? value.from),
    /** Null if the transaction is not an approval. */
    approval: approvalOf(value),
  }
}

/** Transfers of NFTs are not counted: they have an id as a third topic instead of an amount. */
function changesOf(logs: readonly Static<typeof Log>[], holder: string): BalanceChanges {
  const sums = new Map<string, bigint>()
  const own = wordOf(holder)
  for (const { address, topics, data } of logs) {
    if (topics[0] !== TRANSFER || topics.length !== 3 || data.length !== WORD_LENGTH) continue
    const [from, to] = [topics[1]!.toLowerCase(), topics[2]!.toLowerCase()]
    if (from === to || (from !== own && to !== own)) continue
    const token = address.toLowerCase()
    const amount = BigInt(data)
    sums.set(token, (sums.get(token) ?? 0n) + (to === own ? amount : -amount))
  }
  const changes = new BalanceChanges()
  for (const [token, amount] of sums) {
    // Checksums are expensive: none for tokens that would be left out.
    if (changes.isCut) break
    if (amount !== 0n) changes.add(checksummed(token), amount)
  }
  return changes
}

/**
 * The approval that a token logged for its caller, in base units: routers and permits leave Approval logs too, and
 * only one of the called token about its caller counts.
 */
function approvalOf({ from, to, logs }: Static<typeof Receipt>) {
  const found = logs.findLast(
    ({ address, topics: [event, owner, ...rest], data }) =>
      event === APPROVAL &&
      address.toLowerCase() === to?.toLowerCase() &&
      owner?.toLowerCase() === wordOf(from) &&
      rest.length === 1 &&
      data.length === WORD_LENGTH,
  )
  if (found === undefined) return null
  return { spender: addressOf(`0x${found.topics[2]!.slice(-40)}`), amount: BigInt(found.data) }
}

/** Gas, blobs, and data on the layer below. Null with an operator fee, whose formula depends on the fork. */
function feeOf(receipt: Static<typeof Receipt>, hasL1Fee: boolean, l1Fee: bigint | null): bigint | null {
  const price = optional(receipt.effectiveGasPrice)
  const { operatorFeeScalar, operatorFeeConstant } = receipt
  const hasOperatorFee = optional(operatorFeeScalar) || optional(operatorFeeConstant)
  if (price === null || hasOperatorFee || (hasL1Fee && l1Fee === null)) return null
  const blobs = (optional(receipt.blobGasUsed) ?? 0n) * (optional(receipt.blobGasPrice) ?? 0n)
  return BigInt(receipt.gasUsed) * price + blobs + (l1Fee ?? 0n)
}

/** @returns null if the value is not this transaction, or is for another chain */
export function readEvmTransaction(value: unknown, hash: string, { chainId }: EvmChain) {
  if (!isTransaction(value) || !isSame(value.hash, hash)) return null
  const stated = optional(value.chainId)
  if (stated !== null && stated !== BigInt(chainId)) return null
  return {
    from: addressOf(value.from),
    /** Null if it created a contract. */
    to: value.to ? addressOf(value.to) : null,
    nonce: BigInt(value.nonce),
    value: BigInt(value.value),
    /** 0x hex. */
    data: value.input.toLowerCase(),
  }
}

/** @param number  the block's number, if it was requested by number */
export function readBlock(value: unknown, number: number | null = null) {
  if (!isBlock(value)) return null
  const own = blockOf(value.number)
  const seconds = BigInt(value.timestamp)
  if (own === null || (number !== null && own !== number) || seconds * 1_000n > MAX_BLOCK) return null
  return {
    number: own,
    hash: value.hash.toLowerCase(),
    /** Ms epoch. */
    at: Number(seconds) * 1_000,
  }
}

/** @returns null if the value is not a quantity */
export function readQuantity(value: unknown): { readonly value: bigint } | null {
  return isQuantity(value) ? { value: BigInt(value) } : null
}

const isReceipt = checkOf(Receipt)
const isTransaction = checkOf(Transaction)
const isBlock = checkOf(Block)
const isQuantity = checkOf(Quantity)

const isSame = (hash: string, expected: string): boolean => hash.toLowerCase() === expected

const optional = (quantity: string | null | undefined): bigint | null => (quantity ? BigInt(quantity) : null)

/** An address as a topic, in lower case. */
const wordOf = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

const addressOf = (text: string): string => checksummed(text.toLowerCase())

function blockOf(quantity: string): number | null {
  const block = BigInt(quantity)
  return block > MAX_BLOCK ? null : Number(block)
}
