/**
 * The common code of the sandbox's own programs: finding their accounts, and moving
 * tokens by calling the token program.
 *
 * Source: the memory layout of accounts in anza-xyz/agave program-runtime/src/serialization.rs ·
 * the C structures of anza-xyz/platform-tools-sdk sol/cpi.h
 */

/** Where on the stack what is kept, counted from r10 downwards. */
const ACCOUNTS = 0x400
export const CALL = 0x200
const METAS = 0x1d0
const DATA = 0x190
const INFOS = 0x180
const SEEDS = 0x90
export const LIST = 0x80
export const HASH = 0x20

/**
 * From the entry of a program to its label `walked`: r7 is how many accounts
 * there are, and r6 points to the length of the data, before the data. A program
 * has a label `unknown`.
 */
export const WALK = `
        mov   r6, r1                  ; r6 walks through the accounts
        ldxdw r7, [r6+0]              ; how many there are
        add   r6, 8
        mov   r8, r10
        add   r8, -${ACCOUNTS}               ; r8 walks through our table of pointers to them
        mov   r9, 0
walk:   jeq   r9, r7, walked
        jgt   r9, 62, unknown         ; the table is full
        ldxb  r0, [r6+0]
        jne   r0, 0xff, again
        stxdw [r8+0], r6
        ldxdw r0, [r6+80]             ; bytes of data
        add   r6, 88
        add   r6, r0
        add   r6, 10247               ; room to grow, and up to the next multiple of eight
        and   r6, -8
        add   r6, 8                   ; rent epoch
        ja    next
again:  lsh   r0, 3                   ; an account that stood before: its number
        mov   r1, r10
        add   r1, -${ACCOUNTS}
        add   r1, r0
        ldxdw r0, [r1+0]
        stxdw [r8+0], r0
        add   r6, 8
next:   add   r8, 8
        add   r9, 1
        ja    walk`

/** @param seed  eight bytes: the seed of the PDA that the program signs for if r9 is 1 */
export const transferListing = (seed: Buffer): string => `
; r1 token program, r2 source, r3 mint, r4 destination, r5 authority, r7 amount, r9 is it the desk's?
transfer:
        add   r1, 8
        stxdw [r10-${CALL}], r1            ; program
        mov   r0, r10
        add   r0, -${METAS}
        stxdw [r10-${CALL - 8}], r0           ; accounts, four of them
        mov   r0, 4
        stxdw [r10-${CALL - 16}], r0
        mov   r0, r10
        add   r0, -${DATA}
        stxdw [r10-${CALL - 24}], r0           ; data, ten bytes of it
        mov   r0, 10
        stxdw [r10-${CALL - 32}], r0
        mov   r0, 12                  ; TransferChecked
        stxb  [r10-${DATA}], r0
        stxdw [r10-${DATA - 1}], r7
        ldxb  r0, [r3+132]            ; the mint's decimals
        stxb  [r10-${DATA - 9}], r0
        ${meta(0, 'r2', 'writable')}
        ${meta(1, 'r3', 'readonly')}
        ${meta(2, 'r4', 'writable')}
        ${meta(3, 'r5', 'signer')}
        ${info(0, 'r2')}
        ${info(1, 'r3')}
        ${info(2, 'r4')}
        ${info(3, 'r5')}
        lddw  r0, 0x${seed.readBigUInt64LE().toString(16)}
        stxdw [r10-${SEEDS - 32}], r0         ; the seed, its place, the list of it
        mov   r0, r10
        add   r0, -${SEEDS - 32}
        stxdw [r10-${SEEDS - 16}], r0
        mov   r0, 8
        stxdw [r10-${SEEDS - 24}], r0
        mov   r0, r10
        add   r0, -${SEEDS - 16}
        stxdw [r10-${SEEDS}], r0
        mov   r0, 1
        stxdw [r10-${SEEDS - 8}], r0
        mov   r1, r10
        add   r1, -${CALL}
        mov   r2, r10
        add   r2, -${INFOS}
        mov   r3, 4
        mov   r4, r10
        add   r4, -${SEEDS}
        mov   r5, r9
        syscall sol_invoke_signed_c
        exit
`

/** The pointer to an account. */
export const account = (register: string, index: number): string =>
  `ldxdw ${register}, [r10-${ACCOUNTS - 8 * index}]`

/** [address of the key u64][writable u8][signer u8], 16 bytes. */
function meta(index: number, register: string, use: 'readonly' | 'writable' | 'signer'): string {
  const at = METAS - 16 * index
  return `mov r0, ${register}
        add   r0, 8
        stxdw [r10-${at}], r0
        mov   r0, ${use === 'writable' ? 1 : use === 'signer' ? 256 : 0}
        stxdw [r10-${at - 8}], r0`
}

/** [key][lamports][bytes of data][data][owner][rent epoch], 8 bytes each, [signer][writable][executable]. */
function info(index: number, register: string): string {
  const at = INFOS - 56 * index
  const pointer = (place: number, offset: number): string => `mov r0, ${register}
        add   r0, ${offset}
        stxdw [r10-${at - place}], r0`
  return `${pointer(0, 8)}
        ${pointer(8, 72)}
        ldxdw r0, [${register}+80]
        stxdw [r10-${at - 16}], r0
        ${pointer(24, 88)}
        ${pointer(32, 40)}
        mov   r0, 0
        stxdw [r10-${at - 40}], r0
        ldxb  r0, [${register}+1]
        stxb  [r10-${at - 48}], r0
        ldxb  r0, [${register}+2]
        stxb  [r10-${at - 49}], r0
        ldxb  r0, [${register}+3]
        stxb  [r10-${at - 50}], r0`
}
