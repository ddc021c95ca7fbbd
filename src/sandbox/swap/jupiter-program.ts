/**
 * The program at Jupiter's address in the sandbox. It takes
 * Jupiter's `route_v2` and trades with the desk in place of the markets: the
 * amount goes from the wallet to the desk's vault, the quoted amount from the
 * desk's other vault to the wallet, in one instruction or not at all.
 *
 *   accounts   0 wallet · 1 source · 2 destination · 3, 4 mints · 5, 6 token programs ·
 *              7 another destination, or Jupiter itself for none · 8 event authority · 9 Jupiter ·
 *              10 vault that receives · 11 vault that pays · 12 the desk, which this program signs for
 *   data       [kind 8][in u64][quoted u64][slippage u16][fee u16][positive u16]
 *              [1 u32][Symmetry u8][seal 16][10,000 u16][0][1]
 *
 * The seal is a hash over the wallet, the amounts and the mints, so that a
 * quote which was edited buys nothing. The plan is one of Jupiter's: a step
 * over Symmetry has sixteen bytes of its own.
 *
 * Its code is in programs.json, built from scripts/sbpf.
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { isOnCurve } from '../../chains/solana/program-address.ts'

export const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
export const EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf'

const ROUTE_V2 = Buffer.from('bb64facc31c4af14', 'hex')
/** Jupiter's number for a kind of market whose steps have two u64 of their own. */
const SYMMETRY = 29
const SEAL_BYTES = 16
export const SALT = Buffer.from('sealdesk')

const { seed, address } = deskOf(JUPITER)
/** The owner of all vaults, a program-derived address. */
export const DESK_ADDRESS = address

/** Where the data and the accounts of a swap stand: scripts/sbpf/programs.ts makes a program of it. */
export interface Layout {
  /** Eight bytes: what the data begins with. */
  readonly kind: Buffer
  /** The least that the data has. */
  readonly bytes: number
  /** What the program signs for its desk with. */
  readonly seed: Buffer
  readonly amountAt: number
  /** By the accounts above, the places of another program's. */
  readonly places: readonly number[]
}

export const ROUTE: Layout = {
  kind: ROUTE_V2,
  bytes: 34,
  seed,
  amountAt: 8,
  places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
}

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

function key(address: string): Uint8Array {
  return decodeBase58(address, 32)!
}

/** The desk that a program signs for: the seed is the first that needs no bump. */
export function deskOf(program: string): { readonly seed: Buffer; readonly address: string } {
  for (let i = 0; ; i++) {
    const seed = Buffer.from(`desk${i.toString().padStart(4, '0')}`)
    const address = sha256(Buffer.concat([seed, key(program), Buffer.from('ProgramDerivedAddress')]))
    if (!isOnCurve(address)) return { seed, address: encodeBase58(address) }
  }
}
