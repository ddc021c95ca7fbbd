/**
 * Proves a cross-chain swap that starts on Solana, as far as possible: one unsigned transaction that a
 * validator would parse, with `from` as its only signer and fee payer. Each top-level instruction is one that
 * may surround a swap (see ../solana/solana.ts), a tip to a service that lands transactions, a payment into
 * the bridge's account, or a call of a bridge from the list below. So only the bridge can take more than a
 * small fee, and no permission remains.
 *
 * The instruction of a bridge that is read is proved to the last byte: recipient, chain, token, amount,
 * minimum, refunds and fees. For other bridges only the provider states these.
 *
 * Either way the transaction has to be executed at a node: only that shows which token leaves, and how much
 * of it and of SOL.
 *
 * A swap before the bridge is refused: its markets are other programs.
 *
 * Source: §4.7 · docs.li.fi · the programs' own repositories, each at its row
 */

import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import { TIP_ACCOUNTS } from '../../upstream/nodes/solana/landing-services.ts'
import {
  describeEnvelope,
  ENVELOPE_CHECKS,
  OwnAccounts,
  openUnsigned,
  SURROUNDING_CHECKS,
  Surroundings,
} from '../solana/solana.ts'
import {
  accountRent,
  BPS,
  bridgeLamports,
  LIFI_FEE_BPS,
  MAX_CROSS_CHAIN_TIP_LAMPORTS,
  MAX_CROSS_CHAIN_UNIT_PRICE,
  SOLANA_CEILING,
  within,
} from '../terms/fees.ts'
import type { CrossChainOrder } from '../terms/order.ts'
import { type Agreed, type Proof, refuseMaterial } from '../terms/verification.ts'
import { type SolanaCall, solanaCallsOf } from './bridges/call.ts'
import { debridgeTerms } from './bridges/debridge.ts'
import { Deposited } from './bridges/deposit.ts'
import { swiftV1Terms, swiftV2Terms } from './bridges/mayan.ts'
import type { ReadBridge, SolanaCrossChain, SolanaTerms } from './bridges/terms.ts'
import { bindingOf, minimumFacts } from './lifi/terms.ts'
import readChecks from './read-checks.json' with { type: 'json' }

interface Bridge {
  readonly name: string
  /** Null if its instruction is not read. */
  readonly read: ReadBridge | null
}

/**
 * Programs that take a wallet's tokens to another chain. Circle's needs a
 * second signer for each message, so that its provider would have to sign
 * first: that is refused with the signatures.
 */
export const BRIDGE_PROGRAMS: ReadonlyMap<string, Bridge> = new Map([
  // across-protocol/contracts programs/svm-spoke/src/lib.rs, declare_id
  ['DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru', { name: 'across', read: null }],
  // allbridge-io/allbridge-core-js-sdk, the program of its transactions
  ['BrdgN2RPzEMWF96ZbnnJaUtQDQx7VRXYaHHbYCBvceWB', { name: 'allbridge', read: null }],
  // circlefin/solana-cctp-contracts, TokenMessengerMinterV2
  ['CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe', { name: 'cctp', read: null }],
  // debridge-finance/solana-tx-parser-public tests/parseDlnSrc.test.ts
  ['src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4', { name: 'debridge', read: debridgeTerms }],
  // mayan-finance/swap-sdk src/addresses.ts: Swift in its two versions, MCTP and Fast MCTP
  ['BLZRi6frs4X4DNLw56V4EXai1b6QVESN1BhHBTYM9VcY', { name: 'mayan', read: swiftV1Terms }],
  ['mayan34VedncxdK2XobtvWFDXQASUTBXhUVzt2kKgny', { name: 'mayan', read: swiftV2Terms }],
  ['dkpZqrxHFrhziEMQ931GLtfy11nFkCsfMftH9u6QwBU', { name: 'mayan', read: null }],
  ['Gx9rivpS3YR8pBFwMuP6omYqVxunpLvLkNn7ubNyuZZ5', { name: 'mayan', read: null }],
])

/** What only the provider states if the bridge's instruction is not read. */
const STATED = ['amount', 'recipient', 'destination_chain', 'minimum'] as const

interface CrossChainSolanaClaim extends Omit<SolanaCrossChain, 'mint'> {
  /** The provider's minimum, in base units of the output. */
  readonly minimum: bigint
}

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, with the rule: size, parse, signers, fee_payer, unsigned,
 *                       guards, program, bridge, one of SURROUNDING_CHECKS, or of the bridge's: those of
 *                       read-checks.json, minimum, received_token, refund, deposit, deadline, taker, sender
 */
export function proveCrossChainSolana(base64: string, { order, minimum, now }: CrossChainSolanaClaim): Proof {
  const { from, tokenIn, amountIn } = order
  const mint = tokenIn.isNative ? WRAPPED_SOL_MINT : tokenIn.address
  const wire = openUnsigned(base64, from)
  const own = new OwnAccounts(wire)
  const worth = mint === WRAPPED_SOL_MINT ? amountIn : (order.worth ?? null)
  const around = new Surroundings(wire, {
    maxComputeUnitPrice: MAX_CROSS_CHAIN_UNIT_PRICE,
    worth,
    wraps: tokenIn.isNative ? amountIn : 0n,
    mayWrapLess: true,
    tips: { to: TIP_ACCOUNTS, most: within(MAX_CROSS_CHAIN_TIP_LAMPORTS, worth) },
    wrapped: [own.wrappedSol()],
    needed: [own.wrappedSol()],
  })
  const calls = solanaCallsOf(wire)
  const bridge = findBridge(calls)
  const terms = bridge?.read?.(bridge.call, { order, mint, now }) ?? null
  const deposited = terms?.deposit ? new Deposited(terms.deposit, mint) : null
  for (const call of calls) {
    if (call === bridge?.call || deposited?.take(call)) {
      around.guards.swaps()
      continue
    }
    if (call.program === null || !around.take(call.program, call.instruction)) throw refuseMaterial('program')
  }
  around.close()
  // Nothing arrives on this chain: the guards are there if the wallet and the account that it sells from are.
  const sold = tokenIn.isNative ? [] : [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
  const isHeld =
    sold.length === 0 || sold.some((program) => around.guards.holds(wire, own.associated(mint, program), 0n))
  if (order.guards === true && (around.guards.lamports === 0n || !isHeld)) throw refuseMaterial('guards')
  const binding = terms === null ? null : provedOf(terms, deposited, minimum, amountIn)
  return {
    checks: [
      ...ENVELOPE_CHECKS,
      'program',
      ...SURROUNDING_CHECKS,
      ...(order.guards === true ? ['guards'] : []),
      ...(binding?.checks ?? []),
    ],
    stated: binding?.stated ?? STATED,
    agreed: agreedOf(order, mint, around, deposited),
    ...describeEnvelope(wire, around),
    bridges: bridge === null ? [] : [bridge.name],
    ...minimumFacts(terms),
    fees: terms?.fees ?? [],
    tipLamports: around.tips.toString(),
  }
}

/** @throws GatewayError  rule `bridge`, for more than one */
function findBridge(calls: readonly SolanaCall[]): (Bridge & { readonly call: SolanaCall }) | null {
  const found = calls.flatMap((call) => {
    const bridge = BRIDGE_PROGRAMS.get(call.program ?? '')
    return bridge === undefined ? [] : [{ ...bridge, call }]
  })
  if (found.length > 1) throw refuseMaterial('bridge')
  return found[0] ?? null
}

/**
 * Checks the bridge's terms against the order: it takes the input less the provider's fee, and promises the
 * minimum. `readChecks` are those of every bridge whose instruction is read.
 */
function provedOf(terms: SolanaTerms, deposited: Deposited | null, minimum: bigint, amountIn: bigint) {
  const amount = terms.takes ?? deposited?.amount ?? 0n
  if (amount > amountIn || (amountIn - amount) * BPS > amountIn * LIFI_FEE_BPS) throw refuseMaterial('amount')
  if ((terms.deposit?.atLeast ?? 0n) > amount) throw refuseMaterial('amount')
  const least = terms.minimum === null ? null : (terms.minimum * (BPS - (terms.keptBps ?? 0n))) / BPS
  const { checks, stated } = bindingOf({ ...terms, minimum: least }, minimum)
  return { checks: [...readChecks, ...terms.checks, ...checks], stated }
}

function agreedOf(
  { amountIn, solana = SOLANA_CEILING }: CrossChainOrder,
  mint: string,
  around: Surroundings,
  deposited: Deposited | null,
): Agreed {
  // The wallet's own wrapped SOL needs no permission to be opened.
  const opened = BigInt(around.opened + (deposited?.opened ?? 0) + 1)
  return {
    // Wrapped lamports are lamports.
    spends: { token: mint === WRAPPED_SOL_MINT ? null : mint, atMost: amountIn },
    receives: null,
    atMostNativeFees: around.tips + opened * accountRent(solana) + bridgeLamports(solana),
    atMostGas: solana.perSignature + around.priorityLamports,
  }
}
