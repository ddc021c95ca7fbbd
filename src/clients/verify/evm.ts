/** What proves swaps on EVM chains. */
import type { EvmChain } from '../../chains/definition.ts'
import {
  knownRouter,
  kyberswapRules,
  uniswapV2Rules,
  uniswapV3Rules,
  veloraRules,
} from '../../proof/evm/rules.ts'
import { MAX_VELORA_FEE_BPS } from '../../proof/terms/fees.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'

export { proveEvm } from '../../proof/evm/evm.ts'

/**
 * @param provider  the name in the answer: a false one only means that other rules fail
 * @param to        the contract that is called
 * @throws GatewayError  rule `provider`, or `to` for a router that nothing here reads
 */
export function rulesAt(chain: EvmChain, provider: string, to: string) {
  switch (provider) {
    case 'kyberswap':
      return { rules: kyberswapRules, feeBps: 0 }
    case 'velora':
      return { rules: veloraRules, feeBps: MAX_VELORA_FEE_BPS }
    case 'uniswap-v2': {
      const routers = chain.v2Routers.map(({ address }) => address)
      return { rules: uniswapV2Rules(routers, chain.wrappedNative), feeBps: 0 }
    }
    case 'uniswap-v3':
    case 'pancakeswap-v3': {
      const routers = [chain.v3[provider]?.router ?? []].flat()
      return { rules: uniswapV3Rules(routers, chain.wrappedNative), feeBps: 0 }
    }
    case 'router': {
      const known = knownRouter(chain, to)
      if (known === null) throw refuseMaterial('to')
      return known
    }
    default:
      throw refuseMaterial('provider')
  }
}
