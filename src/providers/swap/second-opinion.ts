/** The common part of providers whose quotes only serve to check the other providers'. */
import { parseToken } from '../../chains/address.ts'
import { minOut } from '../../chains/amount.ts'
import type { Order } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Offer, SwapProvider } from '../provider.ts'

/** @param name  the provider's name as people write it */
export function secondOpinion(name: string): Pick<SwapProvider, 'canBuild' | 'freshMs' | 'build' | 'prove'> {
  return {
    canBuild: false,
    freshMs: 0,
    build() {
      throw new TypeError(`${name} is asked for quotes only.`)
    },
    prove() {
      throw refuseMaterial('kind')
    },
  }
}

/** The swap that the provider says it priced: its spellings of the tokens, and base units. */
interface Answered {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly expectedOut: bigint
}

/** @throws GatewayError  upstream_unusable if it answered another order, amount_too_small */
export function offered(
  { chain, tokenIn, tokenOut, amountIn, slippageBps }: Order,
  answered: Answered,
  provider: string,
): Pick<Offer, 'expectedOut' | 'minOut'> {
  const isForOrder =
    parseToken(chain, answered.tokenIn)?.address === tokenIn.address &&
    parseToken(chain, answered.tokenOut)?.address === tokenOut.address &&
    answered.amountIn === amountIn
  if (!isForOrder) {
    const message = 'The provider quoted another swap than the one it was asked for. Try again later.'
    throw new GatewayError('upstream_unusable', message, { provider, scope: 'provider' })
  }
  const { expectedOut } = answered
  if (expectedOut === 0n) {
    const message = 'The amount buys less than one base unit. Try a larger one.'
    throw new GatewayError('amount_too_small', message, { provider })
  }
  return { expectedOut, minOut: minOut(expectedOut, slippageBps) }
}
