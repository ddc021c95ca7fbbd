/**
 * The sandbox's own programs, in the listings that assemble.ts reads: what stands at Jupiter's and DFlow's
 * addresses, and at those of Orca's and Raydium's pools, as jupiter-program.ts, dflow-program.ts and pool-programs.ts of
 * src/sandbox/swap describe it, and at those of two bridges. There is no destination chain: deposits stay where they are.
 *
 *   deBridge  takes what is given from the maker's tokens into the order's
 *   Mayan     refuses an order whose account holds less than its least
 *
 * Source: src/proof/cross-chain/bridges for the bridges' layouts
 */
import { DFLOW } from '../../src/sandbox/swap/dflow-program.ts'
import { type Layout, ROUTE, SALT } from '../../src/sandbox/swap/jupiter-program.ts'
import { CLMM, CPMM, POOL } from '../../src/sandbox/swap/pool-programs.ts'
import { assemble } from './assemble.ts'
import { account, CALL, HASH, LIST, transferListing, WALK } from './listing.ts'

/** What src/sandbox/swap/programs.json holds: each program's file in base64. */
export const builtPrograms = (): Readonly<Record<string, string>> => {
  const own = { jupiter: jupiterProgram(), debridge: debridgeProgram(), swift: swiftProgram() }
  const pools = { whirlpool: poolProgram(POOL), clmm: poolProgram(CLMM), cpmm: poolProgram(CPMM) }
  const all = { ...own, dflow: dflowProgram(), ...pools }
  return Object.fromEntries(Object.entries(all).map(([name, program]) => [name, program.toString('base64')]))
}

/**
 * @param greedy  has no seal, and gives no more than Jupiter's must: what the slippage leaves of the quote,
 * less the fee. It shows what material is worth at worst.
 * @param pays    changes r9, what it pays
 * @param after   runs after the swap: what a market does with the wallet's signature
 */
export const jupiterProgram = ({ greedy = false, pays = '', after = '' } = {}): Buffer =>
  assemble(listing(ROUTE, greedy ? minimum() : sealed(), pays, after))

/** @param pays  changes r9, what it pays */
export const dflowProgram = ({ pays = '' } = {}): Buffer => poolProgram(DFLOW, pays)

export const poolProgram = (layout: typeof DFLOW, pays = ''): Buffer =>
  assemble(listing(layout, layout.quoted, pays, ''))

const [WALLET, SOURCE, MINT_IN, MINT_OUT] = [0, 1, 3, 4]

/** Errors as Jupiter numbers them. */
const [INVALID_ROUTE_PLAN, SWAP_NOT_SUPPORTED] = [6010, 6016]

function listing(layout: Layout, quoted: string, pays: string, after: string) {
  const { kind, bytes, seed, amountAt, places } = layout
  const at = (register: string, index: number): string => account(register, places[index]!)
  return `
${WALK}
walked: jlt   r7, 13, unknown
        ldxdw r7, [r6+0]              ; r7: bytes of data
        add   r6, 8                   ; r6: the data
        jlt   r7, ${bytes}, unknown
        ldxdw r0, [r6+0]
        lddw  r1, 0x${kind.readBigUInt64LE().toString(16)}
        jne   r0, r1, unknown
        ${quoted}
        ${pays}
        ldxdw r7, [r6+${amountAt}]              ; the amount, from the wallet to the desk
        ${at('r8', 2)}
        ${at('r0', 7)}
        ${at('r1', 9)}
        jeq   r0, r1, paid            ; Jupiter itself: no other destination
        mov   r8, r0
paid:   stxdw [r10-8], r8             ; the destination
        stxdw [r10-16], r9            ; what the desk pays
        ${at('r1', 5)}
        ${at('r2', SOURCE)}
        ${at('r3', MINT_IN)}
        ${at('r4', 10)}
        ${at('r5', WALLET)}
        mov   r9, 0                   ; no seeds: the wallet has signed
        call  transfer
        ldxdw r7, [r10-16]
        ${at('r1', 6)}
        ${at('r2', 11)}
        ${at('r3', MINT_OUT)}
        ldxdw r4, [r10-8]
        ${at('r5', 12)}
        mov   r9, 1                   ; the desk's seed
        call  transfer
        ${after}
        mov   r0, 0
        exit

unknown: mov  r0, ${SWAP_NOT_SUPPORTED}
        exit
spoiled: mov  r0, ${INVALID_ROUTE_PLAN}
        exit

${transferListing(seed)}`
}

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

/** Neither signs for an address of its own. */
const NO_SEED = Buffer.alloc(8)
/** Offset of a token account's amount: account data begins at 88, see listing.ts. */
const AMOUNT_AT = 88 + 64

/** r7: the amount in the data, after that many accounts. */
const begun = (accounts: number): string => `
${WALK}
walked: jlt   r7, ${accounts}, unknown
        ldxdw r0, [r6+0]
        jlt   r0, 16, unknown
        ldxdw r7, [r6+16]`
const ENDED = `mov   r0, 0
        exit
unknown: mov  r0, 1
        exit`

const debridgeProgram = (): Buffer =>
  assemble(`${begun(12)}
        ${account('r1', 10)}
        ${account('r2', 5)}
        ${account('r3', 2)}
        ${account('r4', 6)}
        ${account('r5', 0)}
        mov   r9, 0
        call  transfer
        ${ENDED}
${transferListing(NO_SEED)}`)

const swiftProgram = (): Buffer =>
  assemble(`${begun(10)}
        ${account('r1', 3)}
        ldxdw r0, [r1+80]
        jlt   r0, 165, unknown        ; no token account
        ldxdw r0, [r1+${AMOUNT_AT}]
        jlt   r0, r7, unknown
        ${ENDED}
`)
