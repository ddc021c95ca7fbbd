/**
 * The program that stands at Jupiter's address in the sandbox. It takes
 * Jupiter's `route_v2` and trades with the desk in place of the markets: the
 * amount goes from the wallet to the desk's vault, what was quoted from the
 * desk's other vault to the wallet, in one instruction or not at all.
 *
 *   accounts   0 wallet · 1 source · 2 destination · 3, 4 mints · 5, 6 token programs ·
 *              7 another destination, or Jupiter itself for none · 8 event authority · 9 Jupiter ·
 *              10 vault for what is paid · 11 vault that pays · 12 the desk, which this program signs for
 *   data       [kind 8][in u64][quoted u64][slippage u16][fee u16][positive u16]
 *              [1 u32][Symmetry u8][seal 16][10,000 u16][0][1]
 *
 * The seal is a hash over the wallet, the amounts and the mints, so that a
 * quote which was edited buys nothing. The plan is one of Jupiter's: a step
 * over Symmetry has sixteen bytes of its own.
 *
 * A program that is told to be `greedy` has no seal, and gives no more than
 * Jupiter's must: what the slippage leaves of the quote, less the fee. It shows
 * what material is worth at worst.
 *
 * Source: the memory layout of accounts in anza-xyz/agave program-runtime/src/serialization.rs ·
 * the C structures of anza-xyz/platform-tools-sdk sol/cpi.h
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { isOnCurve } from '../../chains/solana/program-address.ts'
import { assemble } from '../solana/assemble.ts'
import { account, CALL, HASH, LIST, transferListing, WALK } from '../solana/listing.ts'

export const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
export const EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf'

const ROUTE_V2 = Buffer.from('bb64facc31c4af14', 'hex')
/** Jupiter's number for a kind of market whose steps have two u64 of their own. */
const SYMMETRY = 29
const SEAL_BYTES = 16
const SALT = Buffer.from('sealdesk')

/** The seed of the desk's address: the first that needs no bump. */
const SEED = deskSeed()
/** The owner of all vaults, a program-derived address. */
export const DESK_ADDRESS = encodeBase58(addressOf(SEED))

interface RouteTerms {
  /** base58 */
  readonly wallet: string
  readonly mintIn: string
  readonly mintOut: string
  readonly amountIn: bigint
  readonly quotedOut: bigint
  readonly slippageBps: number
  readonly feeBps: number
}

/** The data of a route that the desk takes. */
export function routeData(terms: RouteTerms): Buffer {
  const amounts = Buffer.alloc(16)
  amounts.writeBigUInt64LE(terms.amountIn)
  amounts.writeBigUInt64LE(terms.quotedOut, 8)
  const bps = Buffer.alloc(6)
  bps.writeUInt16LE(terms.slippageBps)
  bps.writeUInt16LE(terms.feeBps, 2)
  const [wallet, mintIn, mintOut] = [terms.wallet, terms.mintIn, terms.mintOut].map(key)
  const seal = sha256(Buffer.concat([SALT, wallet!, amounts, mintIn!, mintOut!])).subarray(0, SEAL_BYTES)
  const plan = Buffer.concat([Uint8Array.of(1, 0, 0, 0, SYMMETRY), seal, Uint8Array.of(0x10, 0x27, 0, 1)])
  return Buffer.concat([ROUTE_V2, amounts, bps, plan])
}

export function jupiterProgram({ greedy = false } = {}): Buffer {
  return assemble(listing(greedy))
}

const WALLET = 0
const SOURCE = 1
const MINT_IN = 3
const MINT_OUT = 4

/** Errors as Jupiter numbers them. */
const INVALID_ROUTE_PLAN = 6010
const SWAP_NOT_SUPPORTED = 6016

const listing = (greedy: boolean): string => `
${WALK}
walked: jlt   r7, 13, unknown
        ldxdw r7, [r6+0]              ; r7: bytes of data
        add   r6, 8                   ; r6: the data
        jlt   r7, 34, unknown
        ldxdw r0, [r6+0]
        lddw  r1, 0x${ROUTE_V2.readBigUInt64LE().toString(16)}
        jne   r0, r1, unknown
        ${greedy ? minimum() : sealed()}
        ldxdw r7, [r6+8]              ; the amount, from the wallet to the desk
        ${account('r8', 2)}
        ${account('r0', 7)}
        ${account('r1', 9)}
        jeq   r0, r1, paid            ; Jupiter itself: no other destination
        mov   r8, r0
paid:   stxdw [r10-8], r8             ; the destination
        stxdw [r10-16], r9            ; what the desk pays
        ${account('r1', 5)}
        ${account('r2', SOURCE)}
        ${account('r3', MINT_IN)}
        ${account('r4', 10)}
        ${account('r5', WALLET)}
        mov   r9, 0                   ; no seeds: the wallet has signed
        call  transfer
        ldxdw r7, [r10-16]
        ${account('r1', 6)}
        ${account('r2', 11)}
        ${account('r3', MINT_OUT)}
        ldxdw r4, [r10-8]
        ${account('r5', 12)}
        mov   r9, 1                   ; the desk's seed
        call  transfer
        mov   r0, 0
        exit

unknown: mov  r0, ${SWAP_NOT_SUPPORTED}
        exit
spoiled: mov  r0, ${INVALID_ROUTE_PLAN}
        exit

${transferListing(SEED)}`

/** r9: what was quoted, if the seal in the plan is right. */
function sealed(): string {
  const part = (index: number, pointer: string, bytes: number): string => `${pointer}
        stxdw [r10-${LIST - 16 * index}], r0
        mov   r0, ${bytes}
        stxdw [r10-${LIST - 16 * index - 8}], r0`
  const keyOf = (index: number): string => `${account('r0', index)}
        add   r0, 8`
  return `jlt   r7, 51, unknown
        lddw  r0, 0x${SALT.readBigUInt64LE().toString(16)}
        stxdw [r10-${CALL}], r0
        ${part(0, `mov r0, r10\n        add r0, -${CALL}`, 8)}
        ${part(1, keyOf(WALLET), 32)}
        ${part(2, 'mov r0, r6\n        add r0, 8', 16)}
        ${part(3, keyOf(MINT_IN), 32)}
        ${part(4, keyOf(MINT_OUT), 32)}
        mov   r1, r10
        add   r1, -${LIST}
        mov   r2, 5
        mov   r3, r10
        add   r3, -${HASH}
        syscall sol_sha256
        ldxdw r0, [r10-${HASH}]
        ldxdw r1, [r6+35]
        jne   r0, r1, spoiled
        ldxdw r0, [r10-${HASH - 8}]
        ldxdw r1, [r6+43]
        jne   r0, r1, spoiled
        ldxdw r9, [r6+16]`
}

/** r9: quoted x (10,000 - fee) / 10,000 x (10,000 - slippage) / 10,000. */
function minimum(): string {
  const less = (offset: number): string => `mov r0, 10000
        ldxh  r1, [r6+${offset}]
        mul   r1, -1
        add   r0, r1
        mul   r9, r0
        div   r9, 10000`
  return `ldxdw r9, [r6+16]
        ${less(26)}
        ${less(24)}`
}

function key(address: string): Uint8Array {
  return decodeBase58(address, 32)!
}

function addressOf(seed: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([seed, key(JUPITER), Buffer.from('ProgramDerivedAddress')]))
}

function deskSeed(): Buffer {
  for (let i = 0; ; i++) {
    const seed = Buffer.from(`desk${i.toString().padStart(4, '0')}`)
    if (!isOnCurve(addressOf(seed))) return seed
  }
}
