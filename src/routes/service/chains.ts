import { type Access, OPEN_ACCESS } from '../../chains/access.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { get } from '../../http/route.ts'
import type { SwapProvider } from '../../providers/provider.ts'
import { type Chain, Chains } from '../../runtime/resources/chain.ts'
import { described } from '../groups.ts'

/** Providers by chain key, in order of preference. */
export type ServedBy = ReadonlyMap<string, readonly Pick<SwapProvider, 'label'>[]>

/** GET /api/chains (§4.3): the list of chains, as bytes that were written once. */
export const chains = (swaps: ServedBy, access: Access) => {
  const list = describeChains(swaps, access)
  const body = Buffer.from(JSON.stringify({ chains: list }))
  return get({
    path: '/api/chains',
    description: described('listChains', Chains, { example: { chains: [list[0]] } }),
    handle: () => body,
  })
}

/** The chains as clients see them: `aggregator` is the first provider that builds swaps there, null without one. */
export function describeChains(swaps: ServedBy, access = OPEN_ACCESS): readonly Chain[] {
  return access.chains.map((chain) => describe(chain, swaps.get(chain.key)?.[0]?.label ?? null))
}

function describe(chain: ChainDefinition, aggregator: string | null): Chain {
  const { key, family, chainId, name, native, decimals, rpc, explorer, xprovChainId } = chain
  return {
    key,
    evm: family === 'evm',
    sui: family === 'sui',
    ton: family === 'ton',
    chainId,
    chainIdHex: chainId === null ? null : `0x${chainId.toString(16)}`,
    name,
    native,
    decimals,
    rpc: [...rpc],
    explorer,
    aggregator,
    xprovChainId,
  }
}
