/**
 * Transactions of the cross-chain provider that start on Solana, as its API
 * hands them out, and the programs that execute them:
 *
 *   to a chain that Wormhole counts   Mayan Swift: paid into the order's account
 *   to any other                      deBridge
 *   where neither goes                one memo
 *
 * Source: src/proof/cross-chain/bridges, for the layouts and their origins
 */
import { sha256 } from '@noble/hashes/sha2.js'
import type { XprovChain } from '../../chains/find.ts'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { programAddress } from '../../chains/solana/program-address.ts'
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import { debridgeId } from '../../proof/cross-chain/bridges/debridge.ts'
import { WORMHOLE_IDS } from '../../proof/cross-chain/lifi/ids.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { Bank } from '../solana/ledger/bank.ts'
import { type Composed, composeMessage, unsigned } from '../solana/ledger/compose.ts'
import {
  createTokenAccount,
  memo,
  readonly,
  setComputeUnitLimit,
  setComputeUnitPrice,
  signer,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
  u32,
  u64,
  writable,
} from '../solana/ledger/instructions.ts'
import { metadataOf } from '../sui/compose.ts'
import { Desk, mintOf, programOf } from './jupiter-desk.ts'
import { DESK_ADDRESS } from './jupiter-program.ts'
import programs from './programs.json' with { type: 'json' }
import type { CrossChainOrder } from './xprov-desk.ts'

export const DEBRIDGE = 'src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4'
export const SWIFT = 'mayan34VedncxdK2XobtvWFDXQASUTBXhUVzt2kKgny'

const COMPUTE_UNITS = 200_000
const COMPUTE_UNIT_PRICE = 10_000
const DEBRIDGE_STATE = 'HJEPgYkbqjetrphNHG2W33SjG9mB4PrXorW358MzfggY'
const SOLVER = '555ce236c0220695b68341bc48c68d52210cc35b'
const FEE_MANAGER = '5VtQHnhs2pfVEr68qQsbTRwKh4JV5GTu9mBHgHFxpHeQ'
const SWIFT_DECIMALS = 8
const ORDER_SECONDS = 3_600

/** Swift's first version is still there. */
const FIRST_SWIFT = 'BLZRi6frs4X4DNLw56V4EXai1b6QVESN1BhHBTYM9VcY'

/** Places the bridges' programs, and the tokens that they move, in the node. */
export function openBridges(bank: Bank, tokens: readonly MarketToken[]): void {
  Desk.at(bank, tokens)
  const [debridge, swift] = [programs.debridge, programs.swift].map((file) => Buffer.from(file, 'base64'))
  bank.vm.addProgram(key(DEBRIDGE), debridge!)
  bank.vm.addProgram(key(SWIFT), swift!)
  bank.vm.addProgram(key(FIRST_SWIFT), swift!)
}

/**
 * @param transactionId  0x and 64 hex digits
 * @returns base64, to be paid for by `from` and not signed yet
 */
export function solanaTransaction(
  ask: CrossChainOrder,
  transactionId: string,
  minOut: bigint,
  now: number,
  blockhash: string,
): string {
  const bridge = bridgeOf(ask, transactionId, minOut, now)
  const limits = [setComputeUnitLimit(COMPUTE_UNITS), setComputeUnitPrice(COMPUTE_UNIT_PRICE)]
  const instructions = bridge === null ? [memo(transactionId)] : [...limits, ...bridge]
  return unsigned(composeMessage(ask.from, instructions, blockhash)).toString('base64')
}

export function bridgeOf(
  ask: CrossChainOrder,
  transactionId: string,
  minOut: bigint,
  now: number,
): Composed[] | null {
  const { toChain } = ask
  const wormholeId = WORMHOLE_IDS.get(toChain.key) ?? null
  if (wormholeId !== null) return swift(ask, wormholeId, transactionId, minOut, now)
  const id = debridgeId(toChain.key)
  return id === null ? null : debridge(ask, id, transactionId, minOut)
}

function debridge(ask: CrossChainOrder, chainId: bigint, transactionId: string, minOut: bigint): Composed[] {
  const { from, to, toChain, tokenIn, tokenOut, amountIn } = ask
  const [mint, program] = [mintOf(tokenIn), programOf(tokenIn)]
  const token = tokenOut.isNative ? Buffer.alloc(20) : account(toChain, tokenOut.address)
  const receiver = account(toChain, to)
  const data = Buffer.concat([
    Buffer.from('828362be28ce4432', 'hex'),
    u64(amountIn),
    u256(chainId),
    vec(token),
    u256(minOut),
    vec(receiver),
    NONE,
    key(from),
    NONE,
    vec(receiver),
    SOME,
    vec(Buffer.from(SOLVER, 'hex')),
    NONE,
    NONE,
    u64(BigInt(transactionId) & 0xffff_ffff_ffff_ffffn),
    vec(Buffer.alloc(0)),
  ])
  const seed = sha256(data)
  const order: Composed = {
    program: DEBRIDGE,
    accounts: [
      signer(from),
      readonly(DEBRIDGE_STATE),
      readonly(mint),
      writable(derived(DEBRIDGE, 'GIVE_ORDER_STATE', seed)),
      readonly(derived(DEBRIDGE, 'AUTHORIZED_SENDER', u256(chainId))),
      writable(tokenAddress(from, mint, program)),
      // The order's own, on the real chain.
      writable(tokenAddress(DESK_ADDRESS, mint, program)),
      writable(derived(DEBRIDGE, 'NONCE', key(from))),
      writable(derived(DEBRIDGE, 'FEE_LEDGER_WALLET', key(mint))),
      readonly(SYSTEM_PROGRAM),
      readonly(program),
      readonly(ASSOCIATED_TOKEN_PROGRAM),
    ],
    data,
  }
  const wrapped = tokenAddress(from, WRAPPED_SOL_MINT)
  const wrap = [
    createTokenAccount(from, from, WRAPPED_SOL_MINT),
    transferLamports(from, wrapped, amountIn),
    syncNative(wrapped),
  ]
  return [...(tokenIn.isNative ? wrap : []), order]
}

function swift(
  ask: CrossChainOrder,
  chainId: bigint,
  transactionId: string,
  minOut: bigint,
  now: number,
): Composed[] {
  const { from, to, toChain, tokenIn, tokenOut, amountIn } = ask
  const [mint, program] = [mintOf(tokenIn), programOf(tokenIn)]
  const rounding = 10n ** BigInt(Math.max(0, tokenOut.decimals - SWIFT_DECIMALS))
  const data = Buffer.concat([
    Buffer.from('204c290c27a284db', 'hex'),
    u64(amountIn),
    Uint8Array.of(tokenIn.isNative ? 1 : 0),
    u64(0n),
    word(account(toChain, to)),
    u16(Number(chainId)),
    token(toChain, tokenOut),
    u64(minOut / rounding),
    u64(0n),
    u64(0n),
    u64(0n),
    u64(BigInt(Math.floor(now / 1_000) + ORDER_SECONDS)),
    Buffer.alloc(32),
    Uint8Array.of(0, 0, 2),
    Buffer.from(transactionId.slice(2), 'hex'),
  ])
  const state = derived(SWIFT, 'STATE_SOURCE', sha256(data))
  const tokens = tokenAddress(state, mint, program)
  const pay = tokenIn.isNative
    ? [transferLamports(from, tokens, amountIn), syncNative(tokens)]
    : [transferTokens(from, state, mint, amountIn, tokenIn.decimals, program)]
  const order: Composed = {
    program: SWIFT,
    accounts: [
      readonly(from),
      signer(from),
      writable(state),
      writable(tokens),
      writable(tokenAddress(from, mint, program)),
      readonly(SWIFT),
      readonly(mint),
      readonly(FEE_MANAGER),
      readonly(program),
      readonly(SYSTEM_PROGRAM),
    ],
    data,
  }
  return [createTokenAccount(from, state, mint, program), ...pay, order]
}

const key = (address: string): Uint8Array => decodeBase58(address, 32)!

const derived = (program: string, name: string, seed: Uint8Array): string =>
  encodeBase58(programAddress(key(program), Buffer.from(name), seed))

const account = (chain: XprovChain, address: string): Uint8Array =>
  chain.family === 'solana' ? key(address) : Buffer.from(address.slice(2), 'hex')

/** On Sui a coin is named by the object that describes it. */
function token(chain: XprovChain, { isNative, address }: MarketToken): Buffer {
  if (chain.family === 'sui') return Buffer.from(metadataOf(address).slice(2), 'hex')
  return isNative ? Buffer.alloc(32) : word(account(chain, address))
}

const NONE = Uint8Array.of(0)
const SOME = Uint8Array.of(1)

const word = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.alloc(32 - bytes.length), bytes])

const u256 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

const vec = (bytes: Uint8Array): Buffer => Buffer.concat([u32(bytes.length), bytes])

function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}
