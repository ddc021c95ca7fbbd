/**
 * Wraps a provider so that its material is proved before it is handed out. The
 * rest of the gateway knows only wrapped providers.
 */
import type { Logger } from 'pino'
import { type Access, OPEN_ACCESS } from '../chains/access.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import type { Call } from '../flow/call.ts'
import { timed } from '../flow/timing.ts'
import { requireAllowed } from '../proof/allowed.ts'
import type { Simulate } from '../proof/simulation/simulate.ts'
import { type AskBlockhash, withFreshBlockhash } from '../proof/solana/blockhash.ts'
import { logRefusal } from '../proof/terms/log-refusal.ts'
import { type Material, normalizeAddresses } from '../proof/terms/material.ts'
import type { BuildOrder, Order, OutputOrder } from '../proof/terms/order.ts'
import {
  CONFIRM_MS,
  complete,
  type Proof,
  refuseMaterial,
  type Spent,
  type Verification,
} from '../proof/terms/verification.ts'
import { GatewayError, nullIfUnanswered } from '../runtime/errors.ts'
import type { Level } from '../runtime/levels.ts'
import type { GuardsOf } from '../runtime/resources/build.ts'
import { executedGuards, type Guarded, guarded } from './guards.ts'
import type { Paid, Prioritize } from './priority.ts'
import type { Offer, SwapProvider } from './provider.ts'
import { mostForPriority } from './swap/jupiter-wire.ts'
import { isBelievable } from './swap/worth.ts'

/** Unsigned material, and what was proved of it. */
export interface Proved {
  readonly material: Material
  readonly verification: Verification
  /** Present if the order has a priority. */
  readonly paid?: Paid
  /** Present if it was executed. */
  readonly spent?: Spent
  /** What the transaction enforces, if the order has guards and is of Solana. */
  readonly guards?: GuardsOf
}

export interface ProvedProvider
  extends Omit<SwapProvider, 'build' | 'prove' | 'priority' | 'quote' | 'quoteOutput'> {
  /** Whether it can be asked for a quote of an `OutputOrder`. Absent: it can't. */
  readonly sellsOutputs?: boolean
  quote(order: Order | OutputOrder, call: Call): Promise<Offer>
  /** @throws GatewayError  material_refused, with the rule that does not hold; material_unproved */
  buildProved(order: BuildOrder, offer: Offer, call: Call): Promise<Proved>
}

/** By chain key, in order of preference. */
export type SwapProviders = ReadonlyMap<string, readonly ProvedProvider[]>

/**
 * Holds an offer to what its build will be held to: its minimum is above zero, and
 * not above the expected output.
 * @throws GatewayError  amount_too_small, upstream_unusable
 */
function requireOffer(offer: Offer, provider: string): Offer {
  const { expectedOut, minOut } = offer
  if (minOut > 0n && minOut <= expectedOut) return offer
  if (minOut === 0n && expectedOut > 0n) {
    const message =
      'The amount buys too little for a minimum above zero. Try a larger amount, or less slippage.'
    throw new GatewayError('amount_too_small', message, { provider })
  }
  const message = 'The provider offered nothing, or a minimum above its expected output. Try again later.'
  throw new GatewayError('upstream_unusable', message, { provider, scope: 'provider' })
}

export interface ProveOptions {
  readonly log?: Logger
  readonly simulate: Simulate
  readonly blockhash: AskBlockhash
  /** Sets the compute budget of a Solana transaction. Absent: the provider's stays. */
  readonly prioritize?: Prioritize
  /** The level that a build must reach. */
  readonly minimum: Level
  /** What built material may call. Absent: everything. */
  readonly access?: Access
}

export function proved(provider: SwapProvider, rules: ProveOptions): ProvedProvider {
  const { log, prioritize } = rules
  const { label, freshMs, chains, reaches, paysOthers, needsGuards = false } = provider

  /**
   * A minimum above all that the market can give is a mistake, or an attack on a program that calculates with
   * it.
   */
  async function prove(...asked: Parameters<SwapProvider['prove']>): Promise<Proof> {
    const proof = await provider.prove(...asked)
    const { minOut } = proof
    if (typeof minOut === 'string' && !isBelievable(BigInt(minOut), asked[1])) throw refuseMaterial('minimum')
    return proof
  }

  /** The budget is set first, so that what is handed out is what was proved. */
  async function prioritized(material: Material, order: BuildOrder, offer: Offer, call: Call) {
    if (material.kind !== 'solana' || prioritize === undefined) return { material, paid: undefined }
    const terms = { from: order.from, most: mostForPriority(order, offer), provider: label }
    const pay = (priority = order.priority, within = call) =>
      prioritize(material.transaction, { ...terms, ...(priority !== undefined && { priority }) }, within)
    const own = order.priority === undefined ? provider.priority : undefined
    // The order did not ask for it: a node that tells no prices is no reason to fail.
    const paying = own && (await pay(own, call.within(CONFIRM_MS)).catch(nullIfUnanswered))
    const { transaction, paid } = paying ?? (await pay())
    const extra = { ...material.extra, prioritizationFeeLamports: Number(paid.lamports) }
    const shown = order.priority === undefined ? undefined : paid
    return { material: { ...material, transaction, extra }, paid: shown }
  }

  return {
    label,
    freshMs,
    chains,
    ...(reaches && { reaches }),
    ...(paysOthers && { paysOthers }),
    ...(provider.quoteOutput && { sellsOutputs: true }),
    needsGuards,
    quote: async (order, call) =>
      requireOffer(
        'amountOut' in order ? await provider.quoteOutput!(order, call) : await provider.quote(order, call),
        label,
      ),
    async buildProved(order, offer, call) {
      const { chain, tokenIn, tokenOut, amountIn, from } = order
      const built = normalizeAddresses(await provider.build(order, offer, call), chain)
      let material = built
      let guarding: Guarded | null = null
      const isGuarded = order.guards === true || needsGuards
      const proveAs = (one: BuildOrder, minimum = rules.minimum) =>
        verify(
          { chain, from, provider: label, material, isDurable: order.nonce !== undefined },
          () => prove(one, offer, material, call),
          { ...rules, minimum },
          call,
        )
      try {
        if (isGuarded && built.kind === 'solana') {
          const { nonce, ...expiring } = order
          const plain = { ...(needsGuards ? expiring : order), guards: false }
          const { verification, spent } = await proveAs(plain, needsGuards ? 'stated' : rules.minimum)
          const { minOut } = verification
          const bought = { ...tokenOut, minOut: typeof minOut === 'string' ? BigInt(minOut) : offer.minOut }
          const terms = { from, sold: tokenIn, amountIn, bought, most: mostForPriority(order, offer) }
          const added = needsGuards ? { isUnasked: order.guards !== true, ...(nonce && { nonce }) } : {}
          guarding = await guarded(built.transaction, { ...terms, ...added, provider: label }, spent)
          material = { ...built, transaction: guarding.transaction }
        }
        const budgeted = await prioritized(material, order, offer, call)
        const { paid } = budgeted
        material = budgeted.material
        const done = await proveAs({ ...order, guards: isGuarded })
        const guards = guarding === null ? null : executedGuards(guarding, done, label)
        return { ...done, ...(paid && { paid }), ...(guards && { guards }) }
      } catch (error) {
        const asked = { chain: chain.key, tokenIn, tokenOut, amountIn: String(amountIn), from }
        if (log !== undefined) logRefusal(log, error, label, asked, material)
        throw error
      }
    },
  }
}

interface Built {
  readonly chain: ChainDefinition
  /** The wallet that signs. */
  readonly from: string
  readonly provider: string
  readonly material: Material
  /** It has the value of a nonce in place of a blockhash. Absent: false. */
  readonly isDurable?: boolean
}

/**
 * Holds material to its proof, executes it where the proof asks for that, and sets its blockhash.
 * @throws GatewayError  material_refused, material_unproved, contract_not_allowed
 */
export async function verify(
  { chain, from, provider, material, isDurable = false }: Built,
  prove: () => Proof | Promise<Proof>,
  { simulate, blockhash, minimum, access = OPEN_ACCESS }: Omit<ProveOptions, 'log' | 'prioritize'>,
  call: Call,
): Promise<Omit<Proved, 'paid'>> {
  let spent: Spent | undefined
  const onSpent = (by: Spent): void => {
    spent = by
  }
  // Asked while the material is proved. What the proof refuses is refused, whether or not a node answers.
  const ready = isDurable ? Promise.resolve(material) : withOwnBlockhash(material, blockhash, call)
  ready.catch(() => {})
  const verification = await timed(call.scope.request?.timing.verify, async () =>
    complete(await prove(), minimum, (agreed, atMostMs) =>
      simulate(chain, material, from, agreed, call.within(atMostMs), onSpent),
    ),
  )
  requireAllowed(material, access, provider)
  return { material: await ready, verification, ...(spent && { spent }) }
}

/** Other families have no blockhash. */
async function withOwnBlockhash(material: Material, ask: AskBlockhash, call: Call): Promise<Material> {
  if (material.kind !== 'solana') return material
  return { ...material, ...(await withFreshBlockhash(material.transaction, ask, call)) }
}
