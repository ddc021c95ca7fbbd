/**
 * What can be proved of a crossing that starts on Solana: one transaction that
 * a validator would parse, unsigned, paid for and signed by `from` alone, whose
 * every top-level instruction is either one that may stand around a swap (see
 * solana.ts) or a bridge's, from the list below. So nothing but the bridge can
 * take more than a small fee, and nothing at all stays behind as a permission.
 *
 * Not provable from the bytes: what the bridge takes, where it sends it and
 * how much arrives. The result says so, and that it is to be simulated.
 *
 * A swap before the bridge is refused: its markets are other programs.
 *
 * Source: §4.7 · docs.li.fi · the programs' own repositories, each at its row
 */
import { encodeBase58 } from '../solana/base58.ts'
import { MAX_CROSSING_TIP_LAMPORTS } from './fees.ts'
import {
  describeEnvelope,
  ENVELOPE_CHECKS,
  OwnAccounts,
  openUnsigned,
  type SolanaFindings,
  SURROUNDING_CHECKS,
  Surroundings,
} from './solana.ts'
import { refuseMaterial } from './verification.ts'

/** Programs that take a wallet's tokens to another chain. */
export const BRIDGE_PROGRAMS: ReadonlyMap<string, string> = new Map([
  // across-protocol/contracts programs/svm-spoke/src/lib.rs, declare_id
  ['DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru', 'across'],
  // allbridge-io/allbridge-core-js-sdk, the program of its transactions
  ['BrdgN2RPzEMWF96ZbnnJaUtQDQx7VRXYaHHbYCBvceWB', 'allbridge'],
  // circlefin/solana-cctp-contracts, TokenMessengerMinterV2
  ['CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe', 'cctp'],
  // debridge-finance/solana-tx-parser-public tests/parseDlnSrc.test.ts
  ['src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4', 'debridge'],
  // mayan-finance/swap-sdk src/addresses.ts: Swift in its two versions, MCTP and Fast MCTP
  ['BLZRi6frs4X4DNLw56V4EXai1b6QVESN1BhHBTYM9VcY', 'mayan'],
  ['mayan34VedncxdK2XobtvWFDXQASUTBXhUVzt2kKgny', 'mayan'],
  ['dkpZqrxHFrhziEMQ931GLtfy11nFkCsfMftH9u6QwBU', 'mayan'],
  ['Gx9rivpS3YR8pBFwMuP6omYqVxunpLvLkNn7ubNyuZZ5', 'mayan'],
])

/** What a crossing on Solana leaves to the provider's word, until a node has executed it. */
const STATED = ['amount', 'recipient', 'destination_chain', 'minimum'] as const

/** As high as a swap's: see jupiter.ts of the providers. */
const MAX_COMPUTE_UNIT_PRICE = 50_000_000n

export interface CrossingSolanaClaim {
  readonly from: string
  /** base58; null for SOL */
  readonly mintIn: string | null
  readonly amountIn: bigint
}

export interface CrossingSolanaFindings extends SolanaFindings {
  readonly needsSimulation: true
}

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, with the rule: size, parse, signers, fee_payer, unsigned,
 *                       program, or one of SURROUNDING_CHECKS
 */
export function proveCrossingSolana(base64: string, claim: CrossingSolanaClaim): CrossingSolanaFindings {
  const wire = openUnsigned(base64, claim.from)
  const own = new OwnAccounts(wire)
  const around = new Surroundings(wire, {
    maxComputeUnitPrice: MAX_COMPUTE_UNIT_PRICE,
    wraps: claim.mintIn === null ? claim.amountIn : 0n,
    mayWrapLess: true,
    tips: MAX_CROSSING_TIP_LAMPORTS,
    wrapped: own.wrappedSol(),
    needed: [own.wrappedSol()],
  })
  const bridges = new Set<string>()
  for (const instruction of wire.instructions()) {
    const program = encodeBase58(wire.key(instruction.programIndex))
    if (around.take(program, instruction)) continue
    const bridge = BRIDGE_PROGRAMS.get(program)
    if (bridge === undefined) throw refuseMaterial('program')
    bridges.add(bridge)
  }
  around.close()
  return {
    checks: [...ENVELOPE_CHECKS, 'program', ...SURROUNDING_CHECKS],
    stated: STATED,
    needsSimulation: true,
    facts: { ...describeEnvelope(wire, around), bridges: [...bridges] },
  }
}
