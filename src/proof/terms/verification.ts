/**
 * The verification of unsigned material: what was proved before it was handed out.
 * It travels with the material, so that a wallet can show it.
 */

import type { Family } from '../../chains/definition.ts'
import type { Tables } from '../../chains/solana/decompile.ts'
import { GatewayError, nullIfUnanswered } from '../../runtime/errors.ts'
import { isAtLeast, type Level } from '../../runtime/levels.ts'
import type { Verification as Resource } from '../../runtime/resources/verification.ts'
import losses from './losses.json' with { type: 'json' }

/** The result of a prover. JSON values only; amounts are decimal strings. */
export interface Proof {
  /** The rules that held, by the names that a refusal has as its `rule`. */
  readonly checks: readonly string[]
  /** What only the provider states, unproved: `recipient`, `minimum`, `decimals`. */
  readonly stated?: readonly string[]
  /** The outcome that the bytes do not show: the material must be executed, with this outcome. */
  readonly agreed?: Agreed
  /**
   * The outcome that the bytes prove, although not all calls in them are read. The material is executed if
   * possible, and refused if the outcome differs; otherwise the bytes are proof enough.
   */
  readonly confirm?: Agreed
  readonly [fact: string]: unknown
}

/** Proved by the bytes alone; `confirm` is what executing it has to show as well. */
export type Confirmed = Proof & { readonly confirm: Agreed }

/** What a wallet agreed to. Amounts are in base units; a null token is the native coin. */
export interface Agreed {
  readonly spends: { readonly token: string | null; readonly atMost: bigint }
  /** Null if this wallet receives nothing on this chain, as in a cross-chain swap. */
  readonly receives: { readonly token: string | null; readonly atLeast: bigint } | null
  /** On Solana: another wallet that receives, and its token account. */
  readonly pays?: { readonly owner: string; readonly account: string; readonly atLeast: bigint }
  /** Native coin beyond the spent amount and the network's fee: rent, a bridge's messaging fee. */
  readonly atMostNativeFees: bigint
  /**
   * The most that the network may take for executing it, in the native coin. An outcome is judged by what was
   * taken, which a simulation reports: an unused budget covers no loss.
   */
  readonly atMostGas: bigint
}

/** Handed out with the material, for the wallet to show: the common fields, and the prover's facts. */
export type Verification = Resource & { readonly [fact: string]: unknown }

/** Where material was executed, and with which outcome, in JSON values; the native coin is `native`. */
export type Simulated = NonNullable<Resource['simulation']>

/** What executing material takes in addition to the swapped amount, in base units of the native coin. */
export interface Spent {
  /**
   * Units of gas of the transaction, and of the approvals before it; null on other families, and if not
   * reported.
   */
  readonly units: bigint | null
  readonly approvalUnits: bigint | null
  /** The network's fee; null if it isn't reported, and on EVM chains. */
  readonly gas: bigint | null
  /**
   * Rent of each account that it opened: that of the wallet's own accounts comes back when they are closed.
   */
  readonly rents: readonly { readonly amount: bigint; readonly isOwn: boolean }[]
  /**
   * The change of the wallet's native balance: what its own accounts hold, rent included, belongs to the
   * wallet.
   */
  readonly native: bigint
  /** What guards are made of, on Solana. */
  readonly seen?: SeenSolana
}

/** A token account of the wallet's that a Solana transaction may write to. */
export interface SeenAccount {
  readonly address: string
  /** The token program that it belongs to. */
  readonly program: string
  readonly mint: string
  /** Zero for one that is opened. */
  readonly before: bigint
  readonly after: bigint
  /** Whether it has one already. */
  readonly hasDelegate: boolean
  readonly hasCloseAuthority: boolean
}

/** What an execution showed of a Solana transaction, and of the wallet. */
export interface SeenSolana {
  /** What the wallet itself holds afterwards. */
  readonly lamports: bigint
  /** Those that are there and not frozen afterwards. */
  readonly accounts: readonly SeenAccount[]
  readonly tables: Tables
  /** Compute units; null if the node does not say. */
  readonly units: number | null
  /** The decimals of mints of Token-2022, in their order. @throws GatewayError  upstream_* */
  decimalsOf(mints: readonly string[]): Promise<readonly number[]>
}

/**
 * What executing material showed. Null if no node can execute it against the present state; `exposed` if it
 * fails now but reaches more of the wallet's holdings than the order concerns: it may not fail later.
 */
export type Executed = Simulated | 'exposed' | null

/**
 * How long a build waits for an execution that its bytes do not need, ms. It runs in parallel with other
 * waits, so a node that answers in time costs nothing.
 */
export const CONFIRM_MS = 2_000

/** The level that a swap's material reaches on chains of a family: Sui's bytes do not show the outcome. */
export const REACHED: Readonly<Record<Family, Level>> = {
  evm: 'proved',
  solana: 'proved',
  sui: 'simulated',
  ton: 'proved',
}

/**
 * Statements that could cost the whole amount if they are false: the recipient, the token received, its
 * decimals, the minimum, and what a swap before a bridge leaves for the bridge. No simulation makes up for
 * one of them: it shows the outcome at that time, and an attacker's pool may have changed when the wallet
 * signs. Also contracts on TON that no node was asked about: see ../ton/ton.ts.
 */
const LOSSES: ReadonlySet<string> = new Set(losses)

/**
 * The verification that a proof amounts to.
 * @param executed  the simulation that the proof requires; null if it requires none, or no node could run it
 */
export function verified(proof: Proof, executed: Executed): Verification {
  const { agreed, confirm: _, stated = [], checks, ...facts } = proof
  const simulation = executed === 'exposed' ? null : executed
  const isExecuted = simulation !== null || (agreed === undefined && executed !== 'exposed')
  const isStated = !isExecuted || stated.some((what) => LOSSES.has(what))
  const level: Level = isStated ? 'stated' : agreed === undefined ? 'proved' : 'simulated'
  // The facts come first, so that none of them overwrites a field below.
  return {
    ...facts,
    level,
    checks: [...checks, ...(simulation === null ? [] : ['simulation'])],
    stated: [...stated, ...(isExecuted ? [] : ['outcome'])],
    simulation,
  }
}

/**
 * Completes a proof by executing the material if the proof requires it.
 * @param minimum  the level that the verification must reach
 * @param run      executes the material, within a time that is Infinity if it has to be executed
 * @throws GatewayError  material_refused, material_unproved, and upstream_* for what has to be executed
 */
export async function complete(proof: Proof, minimum: Level, run: Run): Promise<Verification> {
  const verification = verified(proof, await executed(proof, run))
  requireLevel(verification, minimum)
  return verification
}

type Run = (agreed: Agreed, atMostMs: number) => Promise<Executed>

async function executed({ agreed, confirm }: Proof, run: Run): Promise<Executed> {
  if (agreed !== undefined) return run(agreed, Number.POSITIVE_INFINITY)
  if (confirm === undefined) return null
  // The bytes have proved the outcome, so a node that does not answer changes nothing.
  return run(confirm, CONFIRM_MS).catch(nullIfUnanswered)
}

/**
 * @throws GatewayError  material_unproved, naming what is missing and what to configure, if the level is
 * below the minimum
 */
export function requireLevel({ level, stated }: Verification, minimum: Level): void {
  if (isAtLeast(level, minimum)) return
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

/** @param rule  the rule that the material breaks; stable, snake_case */
export function refuseMaterial(rule: string): GatewayError {
  const message =
    'The provider built something else than what was asked for, so it is not handed out. Ask for a new quote.'
  return new GatewayError('material_refused', message, { rule })
}
