/**
 * Providers whose material is proved before anybody gets to see it: the only
 * kind that the rest of the gateway knows.
 */
import type { Logger } from 'pino'
import type { BuildOrder, CallOptions, Material, Offer, SwapProvider } from '../providers/provider.ts'
import { logRefusal, type Verification } from './verification.ts'

/** Unsigned material, and what was proved of it. */
export interface Proved {
  readonly material: Material
  readonly verification: Verification
}

export interface ProvedProvider extends Omit<SwapProvider, 'build' | 'prove'> {
  /** @throws GatewayError  material_refused, with the rule that does not hold */
  buildProved(order: BuildOrder, offer: Offer, options: CallOptions): Promise<Proved>
}

/** By chain key, in order of preference. */
export type SwapProviders = ReadonlyMap<string, readonly ProvedProvider[]>

export function proved(provider: SwapProvider, log?: Logger): ProvedProvider {
  const { label, canBuild, freshMs, chains } = provider
  return {
    label,
    canBuild,
    freshMs,
    chains,
    quote: (order, options) => provider.quote(order, options),
    async buildProved(order, offer, options) {
      const material = await provider.build(order, offer, options)
      try {
        return { material, verification: await provider.prove(order, offer, material) }
      } catch (error) {
        const { chain, tokenIn, tokenOut, amountIn, from } = order
        const asked = { chain: chain.key, tokenIn, tokenOut, amountIn: String(amountIn), from }
        if (log !== undefined) logRefusal(log, error, label, asked, material)
        throw error
      }
    },
  }
}
