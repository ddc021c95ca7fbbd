/**
 * The programs at the addresses of two bridges in the sandbox. There is no destination
 * chain: deposits stay where they are.
 *
 *   deBridge  takes what is given from the maker's tokens into the order's
 *   Mayan     refuses an order whose account holds less than its least
 *
 * Source: src/proof/svm for the layouts
 */
import { assemble } from '../solana/assemble.ts'
import { account, transferListing, WALK } from '../solana/listing.ts'

export const DEBRIDGE = 'src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4'
export const SWIFT = 'mayan34VedncxdK2XobtvWFDXQASUTBXhUVzt2kKgny'

/** Neither signs for an address of its own. */
const NO_SEED = Buffer.alloc(8)
/** Offset of a token account's amount: account data begins at 88, see listing.ts. */
const AMOUNT_AT = 88 + 64

export const debridgeProgram = (): Buffer =>
  assemble(`
${WALK}
walked: jlt   r7, 12, unknown
        ldxdw r0, [r6+0]
        jlt   r0, 16, unknown
        ldxdw r7, [r6+16]             ; what is given
        ${account('r1', 10)}
        ${account('r2', 5)}
        ${account('r3', 2)}
        ${account('r4', 6)}
        ${account('r5', 0)}
        mov   r9, 0
        call  transfer
        mov   r0, 0
        exit
unknown: mov  r0, 1
        exit
${transferListing(NO_SEED)}`)

export const swiftProgram = (): Buffer =>
  assemble(`
${WALK}
walked: jlt   r7, 10, unknown
        ldxdw r0, [r6+0]
        jlt   r0, 16, unknown
        ldxdw r7, [r6+16]             ; the least
        ${account('r1', 3)}
        ldxdw r0, [r1+80]
        jlt   r0, 165, unknown        ; no token account
        ldxdw r0, [r1+${AMOUNT_AT}]
        jlt   r0, r7, unknown
        mov   r0, 0
        exit
unknown: mov  r0, 1
        exit
`)
