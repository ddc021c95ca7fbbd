/**
 * The programs at the addresses of Orca's Whirlpools and Raydium's CLMM and CPMM in the sandbox. They take the real
 * instructions, and pay what stands in the last eight bytes of the pool, where solana-pools.ts has written what the
 * pool's rule gives, or fail if that is less than the minimum. They sign for a desk that the gateway names because the
 * pool does: Orca's as the vault of the first mint, Raydium's as the account of its observations.
 *
 * Their code is in programs.json, built from scripts/sbpf.
 *
 * Source: src/proof/solana/pools.ts for the accounts
 */
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  WHIRLPOOL_PROGRAM,
} from '../../chains/solana/programs.ts'
import { deskOf, type Layout } from './jupiter-program.ts'

const [ORCA_DESK, CLMM_DESK, CPMM_DESK] = [
  deskOf(WHIRLPOOL_PROGRAM),
  deskOf(RAYDIUM_CLMM_PROGRAM),
  deskOf(RAYDIUM_CPMM_PROGRAM),
]
export const DESKS = { whirlpool: ORCA_DESK.address, clmm: CLMM_DESK.address, cpmm: CPMM_DESK.address }

/** Where the pointers to the accounts are, below r10: see scripts/sbpf/listing.ts. */
const ACCOUNTS = 0x400
const place = (index: number): string => `[r10-${ACCOUNTS - 8 * index}]`

/** r9: what the pool pays, at least the minimum. */
const paid = (pool: number): string => `ldxdw r1, ${place(pool)}
        ldxdw r0, [r1+80]             ; bytes of data
        add   r1, r0
        ldxdw r9, [r1+80]             ; the last of them
        ldxdw r0, [r6+16]
        jlt   r9, r0, unknown`

const swapped = (one: number, other: number): string => `ldxdw r0, ${place(one)}
        ldxdw r1, ${place(other)}
        stxdw ${place(one)}, r1
        stxdw ${place(other)}, r0`

/** Its desk, vault A, is noted in place of the memo program; then what is sold stands first. */
export const POOL: Layout & { readonly quoted: string } = {
  kind: Buffer.from('2b04ed0b1ac91e62', 'hex'),
  bytes: 43,
  seed: ORCA_DESK.seed,
  amountAt: 8,
  places: [3, 7, 9, 5, 6, 0, 1, 4, 14, 4, 8, 10, 2],
  quoted: `ldxdw r0, ${place(8)}
        stxdw ${place(2)}, r0
        ldxb  r0, [r6+41]
        jeq   r0, 1, sorted           ; A to B
        ${swapped(0, 1)}
        ${swapped(5, 6)}
        ${swapped(7, 9)}
        ${swapped(8, 10)}
sorted: ${paid(4)}`,
}

export const CLMM: Layout & { readonly quoted: string } = {
  kind: Buffer.from('2b04ed0b1ac91e62', 'hex'),
  bytes: 41,
  seed: CLMM_DESK.seed,
  amountAt: 8,
  places: [0, 3, 4, 11, 12, 8, 8, 2, 1, 2, 5, 6, 7],
  quoted: paid(2),
}

export const CPMM: Layout & { readonly quoted: string } = {
  kind: Buffer.from('8fbe5adac41e33de', 'hex'),
  bytes: 24,
  seed: CPMM_DESK.seed,
  amountAt: 8,
  places: [0, 4, 5, 10, 11, 8, 9, 3, 2, 3, 6, 7, 12],
  quoted: paid(3),
}
