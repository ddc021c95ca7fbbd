/**
 * Everything that leaves a wallet in addition to the swapped amount, one entry per kind: from the bytes of
 * the material, from executing it at a node, and from the node's prices. It is for display, and bounds
 * nothing.
 *
 * Source: solana.com/docs/core/fees, docs/core/accounts · ethereum/execution-apis
 */
import type { ChainDefinition } from '../chains/definition.ts'
import { computeBudgetOf, MAX_COMPUTE_UNITS, priorityLamports } from '../chains/solana/compute-budget.ts'
import { WireTransaction } from '../chains/solana/wire.ts'
import { callsOf } from '../proof/evm/approval.ts'
import type { SolanaRates } from '../proof/terms/fees.ts'
import type { Material } from '../proof/terms/material.ts'
import type { Spent } from '../proof/terms/verification.ts'
import type { Cost, Costs } from '../runtime/resources/build.ts'
import { tipsIn } from '../upstream/nodes/solana/landing-services.ts'
import type { ChainFees } from './fair.ts'
import { LEAST_UNITS, SAMPLE_BYTES } from './gas.ts'

/** Units of one approval if it was not executed: those of a token behind a proxy. */
const APPROVAL_UNITS = 60_000n
/** Lamports. */
const USUAL_PER_SIGNATURE = 5_000n
/** The bytes of a transaction apart from its calldata: signature, nonce, addresses, amounts. */
const ENVELOPE_BYTES = 110

export interface CostTerms {
  readonly chain: ChainDefinition
  readonly material: Material
  /** Base units of the native coin that are swapped: zero if a token is. */
  readonly nativeIn: bigint
  /** Whether the native coin comes out on this chain: then its change includes the gain. */
  readonly isNativeOut: boolean
  /** Null if nothing was executed. */
  readonly spent: Spent | null
  /** Null if the node does not report them, and on other families. */
  readonly fees: ChainFees | null
  /** Solana's current charges. Absent: the usual ones. */
  readonly solana?: SolanaRates
  /** Units of gas that the provider states. */
  readonly statedUnits: bigint | null
  /** Units of gas of the call that guards the outcome. */
  readonly guardUnits?: bigint
}

export function costsOf(terms: CostTerms): Costs {
  const { chain, material } = terms
  const entries: Cost[] = []
  const add: Add = (kind, amount, source, refundable = false) => {
    const nodes = PRICED.has(kind) && terms.fees !== null && { nodes: [...terms.fees.nodes] }
    if (amount > 0n)
      entries.push({ kind, amount: String(amount), currency: chain.native, refundable, source, ...nodes })
  }
  const costsComplete = COUNTED[material.kind](terms, add)
  return { costs: entries, costsComplete }
}

/** The kinds whose amount follows from the nodes' gas prices, on EVM chains. */
const PRICED: ReadonlySet<Cost['kind']> = new Set(['network_fee', 'approval_fee', 'guard_fee', 'l1_fee'])

type Add = (kind: Cost['kind'], amount: bigint, source: Cost['source'], refundable?: boolean) => void
/** @returns whether the entries are complete */
type Count = (terms: CostTerms, add: Add) => boolean

const COUNTED: Readonly<Record<Material['kind'], Count>> = { evm, solana, sui, ton }

function evm({ material, nativeIn, spent, fees, statedUnits, guardUnits = 0n }: CostTerms, add: Add) {
  if (material.kind !== 'evm') return false
  add('messaging_fee', BigInt(material.value) - nativeIn, 'material')
  if (fees === null) return false
  const { calls } = callsOf(material)
  const approvals = BigInt(calls.length - 1)
  const { units: executed = null, approvalUnits = null } = spent ?? {}
  const least = statedUnits === null || statedUnits > LEAST_UNITS ? statedUnits : LEAST_UNITS
  const units = executed ?? least
  add('network_fee', (units ?? 0n) * fees.price, executed === null ? 'provider' : 'simulation')
  add(
    'approval_fee',
    (approvalUnits ?? approvals * APPROVAL_UNITS) * fees.price,
    approvalUnits === null ? 'estimate' : 'simulation',
  )
  add('guard_fee', guardUnits * fees.price, 'estimate')
  const bytes = calls.reduce((sum, { data }) => sum + data.length / 2 - 1 + ENVELOPE_BYTES, 0)
  add('l1_fee', (fees.dataFee * BigInt(bytes)) / BigInt(SAMPLE_BYTES), 'node')
  return units !== null
}

function solana({ material, nativeIn, isNativeOut, spent, solana }: CostTerms, add: Add): boolean {
  if (material.kind !== 'solana') return false
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(material.transaction, 'base64')) !== null) return false
  const signatures = BigInt(wire.requiredSignatures) * (solana?.perSignature ?? USUAL_PER_SIGNATURE)
  add('network_fee', signatures, 'material')
  const budget = computeBudgetOf(wire)
  // A node's figure is at most what the bytes can cost.
  const stated = spent?.gas ?? null
  const most = budget && signatures + priorityLamports(budget.price, budget.limit ?? MAX_COMPUTE_UNITS)
  const gas = most !== null && stated !== null && stated > most ? most : stated
  // If the bytes leave the limit to the runtime, only the node knows what is paid.
  const isReported = budget !== null && (budget.limit !== null || budget.price === 0n)
  const priority = isReported
    ? priorityLamports(budget.price, budget.limit ?? 0)
    : gas === null
      ? null
      : gas - signatures
  add('priority_fee', priority ?? 0n, isReported ? 'material' : 'simulation')
  const tips = tipsIn(wire)
  add('tip', tips, 'material')
  if (spent === null) return false
  for (const { amount, isOwn } of spent.rents) add('rent', amount, 'simulation', isOwn)
  if (!isNativeOut) {
    const foreign = spent.rents.reduce((sum, { amount, isOwn }) => (isOwn ? sum : sum + amount), 0n)
    const known = nativeIn + (gas ?? signatures + (priority ?? 0n)) + tips + foreign
    add('other_fee', -spent.native - known, 'simulation')
  }
  return priority !== null
}

function sui({ spent }: CostTerms, add: Add): boolean {
  add('network_fee', spent?.gas ?? 0n, 'simulation')
  return spent !== null && spent.gas !== null
}

/** Unused gas money comes back; what the wallet's own contract takes isn't known. */
function ton({ material, nativeIn }: CostTerms, add: Add): boolean {
  if (material.kind === 'ton')
    add('attached_gas', BigInt(material.message.value) - nativeIn, 'material', true)
  return false
}
