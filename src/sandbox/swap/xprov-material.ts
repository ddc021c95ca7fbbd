/**
 * Unsigned transactions in the forms that the cross-chain provider hands out,
 * real to the last byte, for the families whose chains are no EVM ones. They move
 * nothing but a trace: the sandbox has no second chain to arrive on.
 *
 * Source: docs.li.fi · src/proof/sui.ts for the layout of Sui's
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { composeMessage, unsigned } from '../solana/compose.ts'
import { memo } from '../solana/instructions.ts'

const GAS_BUDGET = 20_000_000n
const GAS_PRICE = 750n

/** One memo, which `from` pays for and has not signed yet, in base64. */
export function solanaTransaction(from: string, blockhash: string, text: string): string {
  return unsigned(composeMessage(from, [memo(text)], blockhash)).toString('base64')
}

/** A TransactionData that splits a coin, swaps the part and sends what comes out to `to`, in base64. */
export function suiTransaction(from: string, to: string, amountIn: bigint, minOut: bigint): string {
  const seed = `${from} ${to} ${amountIn}`
  return Buffer.concat([
    Buffer.from([0, 0]), // V1, ProgrammableTransaction
    list([pure(u64(amountIn)), pure(u64(minOut)), pure(address(to)), sharedObject(digest(`pool ${seed}`))]),
    list([
      Buffer.from([2, 0, 1, 1, 0, 0]), // SplitCoins(GasCoin, [Input 0])
      Buffer.concat([
        Buffer.from([0]), // MoveCall
        digest('package'),
        string('router'),
        string('swap'),
        list([]),
        // NestedResult 0 0, Input 1, Input 3
        list([Buffer.from([3, 0, 0, 0, 0]), Buffer.from([1, 1, 0]), Buffer.from([1, 3, 0])]),
      ]),
      Buffer.from([1, 1, 2, 1, 0, 1, 2, 0]), // TransferObjects([Result 1], Input 2)
    ]),
    address(from),
    list([objectRef(digest(`gas ${from}`))]),
    address(from),
    u64(GAS_PRICE),
    u64(GAS_BUDGET),
    Buffer.from([0]), // no expiration
  ]).toString('base64')
}

/** A list of fewer than 128 items. */
const list = (items: readonly Uint8Array[]): Buffer => Buffer.concat([Buffer.from([items.length]), ...items])

const bytes = (content: Uint8Array): Buffer => Buffer.concat([Buffer.from([content.length]), content])

const string = (text: string): Buffer => bytes(Buffer.from(text))

const pure = (content: Uint8Array): Buffer => Buffer.concat([Buffer.from([0]), bytes(content)])

const address = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

const digest = (seed: string): Uint8Array => sha256(Buffer.from(seed))

const sharedObject = (id: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([1, 1]), id, u64(1n), Buffer.from([1])])

const objectRef = (id: Uint8Array): Buffer => Buffer.concat([id, u64(1n), bytes(digest('version 1'))])

function u64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer
}
