/** The outcome of a verification, and how answers are read for one. */
import { type BalanceChange, requireAgreed } from '../../proof/simulation/simulation.ts'
import type { BuildOrder } from '../../proof/terms/order.ts'
import { type Proof, refuseMaterial, type Verification, verified } from '../../proof/terms/verification.ts'
import type { ReadOrder } from './order.ts'
import type { Confirmed, Facts, Send, Trust } from './types.ts'

/** The members of an answer, whatever they are. */
export type Answer = Readonly<Record<string, unknown>>

/** @throws GatewayError  if it isn't an object */
export function objectOf(built: unknown): Answer {
  if (typeof built !== 'object' || built === null || Array.isArray(built)) throw refuseMaterial('malformed')
  return built as Answer
}

/** @throws GatewayError  naming the member, if it isn't a text */
export function textOf(answer: Answer, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string') throw refuseMaterial(name)
  return value
}

/**
 * The minimum to prove: the order's, or the answer's, if that is more, so that the shown figure holds.
 * @throws GatewayError  material_refused, rule `minimum`, if it isn't an amount
 */
export function leastOf(minOut: bigint, said: unknown): bigint {
  if (said === undefined || said === null) return minOut
  if (typeof said !== 'string' || !/^\d{1,78}$/.test(said)) throw refuseMaterial('minimum')
  return BigInt(said) > minOut ? BigInt(said) : minOut
}

/** What the order itself says. @param atLeast  base units that were proved */
export const factsOf = (
  { tokenIn, tokenOut, amountIn }: Pick<BuildOrder, 'tokenIn' | 'amountIn'> & SomeToken,
  { sold, bought }: ReadOrder<unknown>['decimals'],
  atLeast: bigint,
  recipient: string,
): Facts => ({
  spends: { token: tokenIn.address, amount: String(amountIn), decimals: sold },
  receives: { token: tokenOut.address, atLeast: String(atLeast), decimals: bought, recipient },
})

type SomeToken = { readonly tokenOut: { readonly address: string } }

/** What the bytes of an answer show, and what is to be signed. */
export interface Proved {
  readonly proof: Proof
  readonly send: Send
}

/**
 * Executes what was proved at the wallet's own node, if it has one, and the bytes don't show everything.
 * @throws GatewayError  material_refused, rule `simulation`
 */
async function executed({ proof, send }: Proved, chain: string, { execute }: Trust): Promise<Verification> {
  const agreed = proof.agreed ?? proof.confirm
  const isAsked = agreed !== undefined && 'transaction' in send
  const execution = isAsked ? ((await execute?.(chain, send.transaction)) ?? null) : null
  if (agreed === undefined || execution === null) return verified(proof, null)
  requireAgreed(execution, agreed)
  return verified(proof, { by: "the wallet's node", at: null, changes: execution.changes.map(toText) })
}

const toText = ({ token, amount }: BalanceChange) => ({ token: token ?? 'native', amount: String(amount) })

/**
 * @param order         facts of the order itself
 * @param statedBefore  what was already unproved before the material was read
 * @param chain         of the wallet
 * @throws GatewayError  material_refused, rule `simulation`
 */
export async function confirmed(
  proved: Proved,
  order: Facts,
  statedBefore: readonly string[],
  chain: string,
  trust: Trust,
): Promise<Confirmed> {
  const { level, checks, stated, simulation: _, ...facts } = await executed(proved, chain, trust)
  const all = [...statedBefore, ...stated]
  const needs = (['decimals', 'execute', 'ton'] as const).filter((source) =>
    NEEDED[source].some((what) => all.includes(what)),
  )
  return {
    isVerified: true,
    level: statedBefore.length > 0 ? 'stated' : level,
    checks: checks.filter((check) => !all.includes(check)),
    stated: all,
    needs,
    facts: { ...facts, ...order },
    send: proved.send,
  }
}

/** What each source of the wallet's would show. */
const NEEDED = {
  decimals: ['decimals'],
  execute: ['outcome'],
  ton: ['router', 'pools', 'jetton_wallet'],
} as const
