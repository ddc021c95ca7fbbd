/**
 * The bare provider calls that swapgate's time is compared with: the requests that its
 * own adapters make for an order, captured instead of sent.
 */

import { findEvmChain } from '../../src/chains/find.ts'
import { headersFor } from '../../src/config/providers.ts'
import type { Call } from '../../src/flow/call.ts'
import type { BuildOrder } from '../../src/proof/terms/order.ts'
import type { Offer, SwapProvider } from '../../src/providers/provider.ts'
import { jupiter } from '../../src/providers/swap/jupiter.ts'
import { kyberswap } from '../../src/providers/swap/kyberswap.ts'
import { router } from '../../src/providers/swap/router/router.ts'
import { uniswap } from '../../src/providers/swap/uniswap.ts'
import { UNISWAP_V2 } from '../../src/providers/swap/uniswap-v2.ts'
import { V3_VERSIONS } from '../../src/providers/swap/uniswap-v3.ts'
import { velora } from '../../src/providers/swap/velora.ts'
import { RpcCall } from '../../src/upstream/nodes/json-rpc.ts'
import type { UpstreamRequest } from '../../src/upstream/request.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'
import { callOf } from '../../test/fixtures/call.ts'
import type { Question } from '../load/pace.ts'
import { UPSTREAM_HEADERS } from './upstream.ts'

export const EVM_CHAIN = 'base'
const OPTIONS: Call = callOf(600_000, null, 'quote')

const CHAIN = findEvmChain(EVM_CHAIN)!

function contracts(upstream: Pick<Upstream, 'label' | 'ask'>) {
  const call = (to: string, data: string) => {
    const params = JSON.stringify([{ to, data }, 'latest'])
    return upstream.ask<never>(
      new RpcCall('solana', { id: 1, method: 'eth_call', paramsJson: params }) as never,
      OPTIONS,
    )
  }
  return { rpc: { call }, wrappedNative: CHAIN.wrappedNative }
}

type Adapter = (upstream: Pick<Upstream, 'label' | 'ask'>) => SwapProvider

const ADAPTERS = {
  kyberswap: (upstream) => kyberswap({ upstream }),
  velora: (upstream) => velora({ upstream }),
  router: (upstream) => router({ upstream, chain: CHAIN, contracts: [] }),
  // The adapter needs no other member of an upstream before its first answer.
  jupiter: (upstream) => jupiter({ upstream: upstream as Upstream }),
  'uniswap-v2': (upstream) =>
    uniswap(UNISWAP_V2, {
      chains: new Map([[EVM_CHAIN, { ...contracts(upstream), router: CHAIN.v2Routers[0]!.address }]]),
    }),
  'uniswap-v3'(upstream) {
    const stablecoins = CHAIN.stablecoins.map(({ address }) => address)
    const chain = { ...contracts(upstream), ...CHAIN.v3['uniswap-v3']!, stablecoins }
    return uniswap(V3_VERSIONS[0]!, { chains: new Map([[EVM_CHAIN, chain]]) })
  },
} satisfies Readonly<Record<string, Adapter>>

export type ProviderName = keyof typeof ADAPTERS

/** @param url  the provider's base URL */
export function bareQuote(name: ProviderName, url: string, order: BuildOrder): Promise<Question> {
  return firstRequest(name, url, (provider) => provider.quote(order, OPTIONS))
}

/** @param url  the provider's base URL @param raw  the provider's own offer for this order, unchanged */
export function bareBuild(
  name: ProviderName,
  url: string,
  order: BuildOrder,
  raw: string,
): Promise<Question> {
  const offer: Offer = { expectedOut: 0n, minOut: 0n, priceImpactPct: null, details: {}, raw }
  return firstRequest(name, url, (provider) => provider.build(order, offer, OPTIONS))
}

/** Captures the first request that an adapter makes; it never gets an answer. */
function firstRequest(
  name: ProviderName,
  url: string,
  start: (provider: SwapProvider) => unknown,
): Promise<Question> {
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const headers = name === 'kyberswap' ? Object.entries(headersFor(name, null)).flat() : []
  return new Promise((resolve) => {
    const ask = ({ path, body }: UpstreamRequest<unknown>): Promise<never> => {
      resolve({
        origin,
        path: base + path,
        body: body === null ? null : String(body),
        headers: [...UPSTREAM_HEADERS, ...headers],
        isAnswer: () => true,
      })
      return new Promise(() => {})
    }
    start(ADAPTERS[name]({ label: name, ask }))
  })
}
