/**
 * How a node reads `params`, including the silent behaviour of serde and jsonrpc. The
 * relay is stricter; here the node's own pitfalls must stay.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import { decodeBase58 } from '../../../chains/solana/base58.ts'
import type { Json } from './json.ts'
import { type Commitment, SLOTS_BEHIND } from './slots.ts'

/** A JSON-RPC error: thrown anywhere below the server, answered with HTTP 200. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Json | undefined

  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (message: string, data?: Json): RpcError => new RpcError(-32602, message, data)

export type RpcConfig = Readonly<Record<string, unknown>>

/** An optional object; absent and null are the same. Unknown keys are ignored (P6). */
export function readConfig(value: unknown): RpcConfig {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidParams('Invalid params: the configuration must be an object.')
  }
  return value as RpcConfig
}

/** A commitment that is not flattened into its object: a wrong one is an error (P4, P5). */
export function readCommitment(config: RpcConfig, key: string): Commitment {
  const commitment = config[key] ?? 'finalized'
  if (!isCommitment(commitment)) {
    throw invalidParams(`Invalid params: \`${key}\` must be one of processed, confirmed, finalized.`)
  }
  return commitment
}

export const isCommitment = (value: unknown): value is Commitment =>
  typeof value === 'string' && Object.hasOwn(SLOTS_BEHIND, value)

/** An optional u64; a value that a double cannot hold exactly is refused. */
export function readCount(config: RpcConfig, key: string): number | undefined {
  const value = config[key] ?? undefined
  if (value === undefined) return undefined
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidParams(`Invalid params: \`${key}\` must be an unsigned integer.`)
  }
  return value as number
}

export function readFlag(config: RpcConfig, key: string): boolean | undefined {
  const value = config[key] ?? undefined
  if (value !== undefined && typeof value !== 'boolean') {
    throw invalidParams(`Invalid params: \`${key}\` must be a boolean.`)
  }
  return value
}

/** An optional word from a list. */
export function readWord<Word extends string>(
  value: unknown,
  words: readonly Word[],
  name: string,
): Word | undefined {
  if (value === undefined || value === null) return undefined
  if (!words.includes(value as Word)) {
    throw invalidParams(`Invalid params: \`${name}\` must be one of ${words.join(', ')}.`)
  }
  return value as Word
}

export function readText(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams('Invalid params: invalid type, expected a string.')
  return value
}

export function readList(value: unknown, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams('Invalid params: invalid type, expected a sequence.')
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return value
}

/** @returns the 32 bytes of an address */
export const readAddress = (value: unknown): Uint8Array => readBytes(value, 32)

/** @returns the 64 bytes of a signature */
export const readSignature = (value: unknown): Uint8Array => readBytes(value, 64)

function readBytes(value: unknown, length: number): Uint8Array {
  const bytes = decodeBase58(readText(value), 128)
  if (bytes === null) throw invalidParams('Invalid param: Invalid')
  if (bytes.length !== length) throw invalidParams('Invalid param: WrongSize')
  return bytes
}
