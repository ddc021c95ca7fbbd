/**
 * What was proved of a piece of unsigned material before it was handed out.
 * It travels with the material, so that a wallet can show it.
 */

import type { Logger } from 'pino'
import type { Family } from '../chains/definition.ts'
import { GatewayError } from '../runtime/errors.ts'
import { LEVELS, type Level, type Verification as Resource } from '../runtime/resources.ts'

/** What a prover found. JSON values only; amounts are decimal strings. */
export interface Proof {
  /** The rules that held, by the names that a refusal's `rule` would have had. */
  readonly checks: readonly string[]
  /** What is the provider's word even so: `recipient`, `minimum`. */
  readonly stated?: readonly string[]
  /** What the bytes do not tell: it has to be executed, and to come out like this. */
  readonly agreed?: Agreed
  /**
   * What the bytes tell, and executing them would show as well, although calls
   * in them are not read. It is executed where it can be, and refused where it
   * comes out otherwise; where it cannot be, the bytes have proved it.
   */
  readonly confirm?: Agreed
  readonly [fact: string]: unknown
}

/** What a wallet agreed to. Amounts in base units; the native coin is null. */
export interface Agreed {
  readonly spends: { readonly token: string | null; readonly atMost: bigint }
  /** Null where nothing arrives in this wallet on this chain, as in a cross-chain swap. */
  readonly receives: { readonly token: string | null; readonly atLeast: bigint } | null
  /** Of the native coin on top of what is spent: network fees, rent, a bridge's messaging fee. */
  readonly atMostNativeFees: bigint
}

/** What is handed out with the material, for the wallet to show; the prover's facts beside the common fields. */
export type Verification = Resource & { readonly [fact: string]: unknown }

/** Where and with what outcome material was executed, in JSON values; the native coin is `native`. */
export type Simulated = NonNullable<Resource['simulation']>

/** What a swap's material reaches on a chain of the family: Sui's bytes do not tell the outcome. */
export const REACHED: Readonly<Record<Family, Level>> = {
  evm: 'proved',
  solana: 'proved',
  sui: 'simulated',
  ton: 'proved',
}

/**
 * Words of the provider's that could cost all of it: who receives, what is
 * received, and what swaps before a bridge leave to cross. The minimum is one
 * too, where nothing but the provider's word says how much arrives.
 */
const LOSSES: ReadonlySet<string> = new Set(['recipient', 'received_token', 'source_minimum'])

/**
 * What a proof comes to.
 * @param simulation  of what it asks for; null where it asks for none, or none could be had
 */
export function verified(
  { agreed, confirm: _, stated = [], checks, ...facts }: Proof,
  simulation: Simulated | null,
): Verification {
  const isExecuted = agreed === undefined || simulation !== null
  // What arrives on this chain was seen to be enough; what arrives on another is not seen at all.
  const isMinimumSeen = simulation !== null && agreed != null && agreed.receives !== null
  const isLoss = (what: string) => LOSSES.has(what) || (what === 'minimum' && !isMinimumSeen)
  const isStated = !isExecuted || stated.some(isLoss)
  const level: Level = isStated ? 'stated' : agreed === undefined ? 'proved' : 'simulated'
  // The facts first: none of them can stand in the place of what was found here.
  return {
    ...facts,
    level,
    checks: [...checks, ...(simulation === null ? [] : ['simulation'])],
    stated: [...stated, ...(isExecuted ? [] : ['outcome'])],
    simulation,
  }
}

/**
 * A proof, completed by executing what its bytes do not tell, or what is to be confirmed.
 * @param run  executes the material; null where nobody can
 * @throws GatewayError  material_refused, material_unproved, and upstream_* for what has to be executed
 */
export async function complete(
  proof: Proof,
  minimum: Level,
  run: (agreed: Agreed) => Promise<Simulated | null>,
): Promise<Verification> {
  const verification = verified(proof, await executed(proof, run))
  requireLevel(verification, minimum)
  return verification
}

async function executed(
  { agreed, confirm }: Proof,
  run: (agreed: Agreed) => Promise<Simulated | null>,
): Promise<Simulated | null> {
  if (agreed !== undefined) return run(agreed)
  if (confirm === undefined) return null
  try {
    return await run(confirm)
  } catch (error) {
    // A node that does not answer takes nothing from what the bytes have proved.
    const isUpstream = error instanceof GatewayError && error.code.startsWith('upstream_')
    if (!isUpstream) throw error
    return null
  }
}

/** @throws GatewayError  material_unproved, naming what is missing and what to configure, where the level is below the minimum */
export function requireLevel({ level, stated }: Verification, minimum: Level): void {
  if (LEVELS.indexOf(level) >= LEVELS.indexOf(minimum)) return
  const missing = stated.length === 0 ? 'the outcome of executing it' : `its ${stated.join(' and ')}`
  const remedy =
    stated.length === 0 || stated.includes('outcome')
      ? 'It takes a node of the chain that can simulate, and a wallet that holds what it sells'
      : 'Ask again, or for another token'
  const message =
    `What the provider built could not be proved: ${missing} would be its word alone. ` +
    `${remedy}; the operator may also lower MIN_VERIFICATION.`
  throw new GatewayError('material_unproved', message, { rule: stated[0] ?? 'outcome' })
}

/** @param rule  stable, snake_case: which promise the material breaks */
export function refuseMaterial(rule: string): GatewayError {
  const message =
    'The provider built something else than what was asked for, so it is not handed out. Ask for a new quote.'
  return new GatewayError('material_refused', message, { rule })
}

/**
 * Leaves refused material in the log: the caller learns no more than the rule,
 * and whoever runs the service wants to see what the provider built.
 * @param asked  what was ordered; JSON values only
 */
export function logRefusal(
  log: Logger,
  error: unknown,
  provider: string,
  asked: object,
  material: unknown,
): void {
  if (!(error instanceof GatewayError) || error.code !== 'material_refused') return
  log.warn({ provider, rule: error.fields.rule, asked, material }, 'material refused')
}
