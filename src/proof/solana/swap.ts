/**
 * What the proofs of all swaps on Solana share: the order, the walk over the instructions around the swap, and what a
 * proof says of it. The swap's own program is checked per provider: see jupiter.ts, dflow.ts and pools.ts.
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import type { Instruction } from '../../chains/solana/wire.ts'
import { accountRent, routeRent, SOLANA_CEILING, type SolanaRates } from '../terms/fees.ts'
import { type Agreed, refuseMaterial } from '../terms/verification.ts'
import {
  afterNonce,
  describeEnvelope,
  describeNonce,
  ENVELOPE_CHECKS,
  type NonceClaim,
  openUnsigned,
  SURROUNDING_CHECKS,
  type SurroundingRules,
  Surroundings,
} from './solana.ts'

/** The order that the transaction has to fulfil. */
export interface SwapClaim {
  readonly from: string
  /** base58; null for SOL */
  readonly mintIn: string | null
  readonly mintOut: string | null
  readonly amountIn: bigint
  /** The wallet that gets the output, base58. Absent: `from`. It can't be paid in SOL itself. */
  readonly receiver?: string | undefined
  /** The agreed minimum that reaches it, in base units. */
  readonly minOut: bigint
  /** The input in lamports, if neither side is SOL and price sources know; it bounds fees. */
  readonly worth?: bigint | null
  /** Solana's current charges. Absent: their ceiling. */
  readonly solana?: SolanaRates | undefined
  /** Absent: the transaction has a blockhash. */
  readonly nonce?: NonceClaim | undefined
  /** Jupiter's fee that the quote states, in bps; none if absent. */
  readonly feeBps?: number
  /** Guards have to show that the minimum arrived: see guards.ts. */
  readonly guards?: boolean
}

export interface SwapRules {
  /** Micro-lamports per compute unit. */
  readonly maxComputeUnitPrice: bigint
}

/** The rules of a swap's proof, in the order in which they are checked. @param own  those of its program */
export const checksOf = (own: readonly string[]): readonly string[] => [
  ...ENVELOPE_CHECKS,
  ...own,
  ...SURROUNDING_CHECKS,
  'unwrap',
]

type Opened = ReturnType<typeof openSwap>

/**
 * @returns the transaction, and its instructions without the advance of the order's nonce
 * @throws GatewayError  material_refused, rule `nonce`, or of ENVELOPE_CHECKS
 */
export function openSwap(base64: string, { from, nonce }: SwapClaim) {
  const wire = openUnsigned(base64, from)
  return { wire, instructions: nonce === undefined ? wire.instructions() : afterNonce(wire, nonce) }
}

/** The wallet's accounts in a swap. */
interface Used extends Pick<SurroundingRules, 'wrapped' | 'needed'> {
  /** Where the output may go, if it is not SOL: one account, if another wallet gets it. */
  readonly destinations: readonly Uint8Array[]
  /** Whether a market may take SOL as it is. */
  readonly mayWrapLess?: boolean
}

/**
 * Checks the instructions around the swap.
 * @param takes  reads an instruction of the swap's own program, and calls `swaps` at the swap; false for another's
 * @returns the facts and checks of the proof, and what an execution may show
 * @throws GatewayError  material_refused, rule `program`, `unwrap` or `guards`, or of SURROUNDING_CHECKS
 */
export function proveAround(
  { wire, instructions }: Opened,
  claim: SwapClaim,
  { maxComputeUnitPrice }: SwapRules,
  { wrapped, needed, destinations, mayWrapLess = false }: Used,
  takes: (program: string, one: Instruction, around: Surroundings) => boolean,
) {
  const { mintIn, mintOut, amountIn, minOut, nonce, solana, receiver, guards = false } = claim
  const worth = worthOf(claim)
  const account = destinations[0]!
  const around = new Surroundings(wire, {
    maxComputeUnitPrice,
    wraps: mintIn === null ? amountIn : 0n,
    mayWrapLess,
    worth,
    wrapped,
    needed,
    pays: receiver ? account : undefined,
    rates: solana,
  })
  for (const one of instructions) {
    const program = encodeBase58(wire.key(one.programIndex))
    if (!takes(program, one, around) && !around.take(program, one)) throw refuseMaterial('program')
  }
  around.close()
  if (mintOut === null && (receiver || !around.isUnwrapped)) throw refuseMaterial('unwrap')
  const isHeld =
    mintOut === null
      ? around.guards.lamports >= minOut
      : destinations.some((account) => around.guards.holds(wire, account, minOut))
  // The wallet cannot sign for what another's account holds.
  if (guards && (receiver || !isHeld)) throw refuseMaterial('guards')
  return {
    checks: [...(nonce === undefined ? [] : ['nonce']), ...(guards ? ['guards'] : [])],
    agreed: agreedOf(claim, worth, around, account),
    facts: {
      ...describeEnvelope(wire, around),
      ...(receiver && { recipient: receiver }),
      ...(nonce !== undefined && describeNonce(wire, nonce)),
    },
  }
}

function agreedOf(
  { mintIn, mintOut, amountIn, minOut, receiver: owner, solana = SOLANA_CEILING }: SwapClaim,
  worth: bigint | null,
  around: Surroundings,
  destination: Uint8Array,
): Agreed {
  // Wrapped lamports are lamports.
  const tokenOf = (mint: string | null) => (mint === WRAPPED_SOL_MINT ? null : mint)
  return {
    spends: { token: tokenOf(mintIn), atMost: amountIn },
    receives: owner ? null : { token: tokenOf(mintOut), atLeast: minOut },
    ...(owner && { pays: { owner, account: encodeBase58(destination), atLeast: minOut } }),
    atMostNativeFees: routeRent(worth, solana) + (owner ? accountRent(solana) : 0n),
    atMostGas: solana.perSignature + around.priorityLamports,
  }
}

/** The order's side in SOL, or its value, in lamports; null if unknown. */
function worthOf({ mintIn, mintOut, amountIn, minOut, worth = null }: SwapClaim): bigint | null {
  const isSol = (mint: string | null) => mint === null || mint === WRAPPED_SOL_MINT
  return isSol(mintIn) ? amountIn : isSol(mintOut) ? minOut : worth
}
