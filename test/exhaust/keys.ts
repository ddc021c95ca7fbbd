/** The keys of all cases. The first are those of signers, so that a case can be signed. */
import { type Keypair, keypair } from '../fixtures/transactions.ts'

/** No transaction has more. */
const MOST_SIGNERS = 12
const FIRST_TABLE = 128

export const SIGNERS: readonly Keypair[] = Array.from({ length: MOST_SIGNERS }, (_, i) =>
  keypair(`exhaust ${i}`),
)

/** What is no signer's differs in its first byte. */
const OTHERS = Array.from({ length: 256 }, (_, i) => new Uint8Array(32).fill(0xa5).fill(i, 0, 1))

/** Below 128. */
export const keyOf = (i: number): Uint8Array => SIGNERS[i]?.publicKey ?? OTHERS[i]!
/** Below 127. */
export const tableOf = (i: number): Uint8Array => OTHERS[FIRST_TABLE + i]!
export const BLOCKHASH = OTHERS[255]!
