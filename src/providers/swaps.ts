/**
 * The swap providers that a configuration asks for: the one place where one is
 * added. Each is listed with the proof that its material must pass.
 */

import type { ChainDefinition } from '../chains/definition.ts'
import { EVM_CHAINS, findChain, findXprovChain } from '../chains/find.ts'
import type { Config } from '../config/config.ts'
import { GatewayError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { EvmRpc } from '../nodes/evm-rpc.ts'
import { evmRules, proveEvm } from '../proof/evm.ts'
import { type Prove, type ProvedProvider, proved, type SwapProviders } from '../proof/proved.ts'
import { proveSolana } from '../proof/solana.ts'
import { proveSui } from '../proof/sui.ts'
import { proveTon } from '../proof/ton.ts'
import { refuseMaterial } from '../proof/verification.ts'
import type { DecimalsSource } from '../quotes/decimals.ts'
import type { Connections } from './connect.ts'
import { INTEGRATOR } from './directory.ts'
import type { SwapProvider } from './provider.ts'
import { aftermath } from './swap/aftermath.ts'
import { type JupiterProvider, jupiter } from './swap/jupiter.ts'
import { kyberswap } from './swap/kyberswap.ts'
import { stonfi } from './swap/stonfi.ts'
import { swapcoffee, swapcoffeeDecimals } from './swap/swapcoffee.ts'
import { uniswapV2 } from './swap/uniswap-v2.ts'
import { velora } from './swap/velora.ts'
import { Xprov } from './swap/xprov.ts'
import { xprovSui } from './swap/xprov-sui.ts'

export interface SwapsOptions {
  readonly config: Config
  readonly log: Logger
  readonly connections: Connections
  /** See SolanaRules. */
  readonly settlementAccounts: readonly string[]
  readonly evm: (chain: ChainDefinition) => EvmRpc
}

export interface Swaps {
  readonly swaps: SwapProviders
  /** Null where it is switched off. */
  readonly xprov: Xprov | null
  readonly decimals: Readonly<Record<'sui' | 'ton', DecimalsSource>>
}

export function createSwaps({ config, log, connections, settlementAccounts, evm }: SwapsOptions): Swaps {
  const list: ProvedProvider[] = []
  const add = (provider: SwapProvider, prove: Prove): void => {
    list.push(proved(provider, prove, log))
  }

  const jupiterUpstream = connections.open('jupiter')
  if (jupiterUpstream !== null) {
    const { jupiterApi: api, maxComputeUnitPrice } = config
    const provider = jupiter({ upstream: jupiterUpstream, api, maxComputeUnitPrice, settlementAccounts })
    add(provider, solanaProof(provider))
  }
  const kyberswapUpstream = connections.open('kyberswap')
  if (kyberswapUpstream !== null)
    add(kyberswap({ upstream: kyberswapUpstream, clientId: INTEGRATOR }), evmProof('kyberswap'))
  const veloraUpstream = connections.open('velora')
  if (veloraUpstream !== null)
    add(velora({ upstream: veloraUpstream, partner: INTEGRATOR }), evmProof('velora'))
  if (config.uniswapV2) add(uniswapV2({ chains: v2Chains(evm) }), evmProof('uniswap-v2'))

  const xprov = connectXprov(connections)
  if (xprov !== null)
    add(xprovSui(xprov), (order, _offer, material) => {
      if (material.kind !== 'sui') throw refuseMaterial('kind')
      return proveSui(material.transaction, order.from)
    })
  const aftermathUpstream = connections.open('aftermath')
  if (aftermathUpstream !== null) add(aftermath({ upstream: aftermathUpstream }), unproved)

  const coffeeUpstream = connections.open('swapcoffee')
  if (coffeeUpstream !== null)
    add(swapcoffee({ upstream: coffeeUpstream }), (order, _offer, material) => {
      if (material.kind !== 'ton') throw refuseMaterial('kind')
      return proveTon(material.message, order)
    })
  const stonfiUpstream = connections.open('stonfi')
  if (stonfiUpstream !== null) add(stonfi({ upstream: stonfiUpstream }), unproved)

  return {
    swaps: byChain(list),
    xprov,
    decimals: {
      sui:
        xprov === null ? noSource : (address, call) => xprov.decimals(findXprovChain('sui')!, address, call),
      ton: coffeeUpstream === null ? noSource : swapcoffeeDecimals(coffeeUpstream, findChain('ton')!),
    },
  }
}

function connectXprov(connections: Connections): Xprov | null {
  const quotes = connections.open('xprov', 'quote')
  const rest = connections.open('xprov')
  return quotes === null || rest === null ? null : new Xprov({ quotes, rest, integrator: INTEGRATOR })
}

function v2Chains(evm: (chain: ChainDefinition) => EvmRpc): Parameters<typeof uniswapV2>[0]['chains'] {
  return new Map(
    EVM_CHAINS.flatMap((chain) => {
      const { key, wrappedNative, v2Routers } = chain
      const router = v2Routers[0]?.address
      if (router === undefined) return []
      // The node is connected at the first question.
      const rpc = { call: (...call: Parameters<EvmRpc['call']>) => evm(chain).call(...call) }
      return [[key, { rpc, router, wrappedNative }] as const]
    }),
  )
}

function solanaProof({ rules }: JupiterProvider): Prove {
  return ({ from, tokenIn, amountIn }, _offer, material) => {
    if (material.kind !== 'solana') throw refuseMaterial('kind')
    const spends = { mint: tokenIn.isNative ? null : tokenIn.address, amount: amountIn }
    return proveSolana(material.transaction, { from, spends }, rules)
  }
}

function evmProof(label: string): Prove {
  return (order, { minOut }, material) =>
    proveEvm(material, { order, minOut, now: Date.now() }, evmRules(label, order.chain.key))
}

/** Of a second opinion, which is never built from. */
const unproved: Prove = () => {
  throw refuseMaterial('kind')
}

const noSource: DecimalsSource = () => {
  const message = 'The provider that knows the tokens of this chain is switched off.'
  return Promise.reject(new GatewayError('unsupported_chain', message, { field: 'chain' }))
}

function byChain(list: readonly ProvedProvider[]): SwapProviders {
  const chains = new Map<string, ProvedProvider[]>()
  for (const provider of list) {
    for (const key of provider.chains) chains.set(key, [...(chains.get(key) ?? []), provider])
  }
  return chains
}
