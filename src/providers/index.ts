/**
 * The providers that a configuration asks for: the one place where a provider
 * is added. Each is listed with the proof that its material must pass.
 *
 * Source: design.md "Providers" · facts/route-providers.md sections 1 and 8
 */
import { EVM_CONTRACTS } from '../chains/evm.ts'
import { findChain, findXprovChain } from '../chains/family.ts'
import { type Config, type KeyedProvider, PROVIDER_URLS, type ProviderName } from '../config.ts'
import { GatewayError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { evmRules, proveEvm } from '../proof/evm.ts'
import { type Prove, type ProvedProvider, proved, type SwapProviders } from '../proof/proved.ts'
import { proveSolana } from '../proof/solana.ts'
import { proveSui } from '../proof/sui.ts'
import { proveTon } from '../proof/ton.ts'
import { refuseMaterial } from '../proof/verification.ts'
import type { DecimalsSource } from '../quotes/tokens.ts'
import type { Chain } from '../resources.ts'
import { EvmRpc } from './evm-rpc.ts'
import type { Quota } from './governor.ts'
import type { SwapProvider } from './provider.ts'
import type { UpstreamState } from './solana-rpc.ts'
import { aftermath } from './swap/aftermath.ts'
import { type JupiterProvider, jupiter, jupiterHeaders } from './swap/jupiter.ts'
import { kyberswap, kyberswapHeaders } from './swap/kyberswap.ts'
import { stonfi } from './swap/stonfi.ts'
import { swapcoffee, swapcoffeeDecimals } from './swap/swapcoffee.ts'
import { uniswapV2 } from './swap/uniswap-v2.ts'
import { velora } from './swap/velora.ts'
import { XPROV_QUOTAS, Xprov } from './swap/xprov.ts'
import { xprovSui } from './swap/xprov-sui.ts'
import { Upstream } from './upstream.ts'

/** What we call ourselves where a provider asks who is calling. */
const INTEGRATOR = 'swapgate'
/** A route with every pool of a large swap is some hundred KiB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** LI.FI locks out for two hours. */
const MAX_PAUSE_MS = 7_200_000

/** What the public hosts grant without a key; null where it is not published. */
const QUOTAS: Readonly<Record<Exclude<ProviderName, 'xprov'>, Quota | null>> = {
  jupiter: { calls: 30, windowMs: 60_000 },
  kyberswap: { calls: 30, windowMs: 10_000 },
  velora: null,
  swapcoffee: { calls: 10, windowMs: 10_000 },
  stonfi: null,
  aftermath: { calls: 1_000, windowMs: 10_000 },
}

/** What a key raises it to, where that is published. */
const KEYED_QUOTAS: Readonly<Partial<Record<ProviderName, Quota>>> = {
  jupiter: { calls: 60, windowMs: 60_000 },
}

export interface ProviderOptions {
  readonly config: Config
  readonly log: Logger
  /** Base URLs in the place of the public ones; a URL that the operator chose stands. */
  readonly sandboxUrls: Readonly<Record<string, string>> | null
  /** RPC URLs of an EVM chain in the place of the public ones. */
  readonly sandboxEvmUrl: ((chainKey: string) => string) | null
  /** See SolanaRules. */
  readonly settlementAccounts: readonly string[]
}

export interface Providers {
  readonly swaps: SwapProviders
  /** Null where it is switched off. */
  readonly xprov: Xprov | null
  evm(chain: Chain): EvmRpc
  readonly decimals: Readonly<Record<'sui' | 'ton', DecimalsSource>>
  state(): UpstreamState[]
  close(): Promise<void>
}

export function createProviders(options: ProviderOptions): Providers {
  const { config, log, sandboxUrls, sandboxEvmUrl, settlementAccounts } = options
  const upstreams: Upstream[] = []
  const nodes = new Map<string, EvmRpc>()

  /** The provider's base URL, null where it is switched off. */
  const urlOf = (name: ProviderName): string | null => {
    const url = config.providerUrls[name]
    return url === PROVIDER_URLS[name] ? (sandboxUrls?.[name] ?? url) : url
  }
  const keyOf = (name: ProviderName): string | null => config.providerKeys[name as KeyedProvider] ?? null

  /** @param quota  applies to the public host alone: another host has other limits */
  const connect = (
    name: ProviderName,
    quota: Quota | null,
    headers: Record<string, string> = {},
  ): Upstream | null => {
    const url = urlOf(name)
    if (url === null) return null
    const upstream = new Upstream({
      label: name,
      url,
      headers,
      publicHosts: [new URL(PROVIDER_URLS[name]).host],
      maxBytes: MAX_ANSWER_BYTES,
      scope: 'provider',
      quota: url === PROVIDER_URLS[name] ? quota : null,
      maxPauseMs: MAX_PAUSE_MS,
    })
    upstreams.push(upstream)
    return upstream
  }
  const quotaOf = (name: Exclude<ProviderName, 'xprov'>): Quota | null =>
    (keyOf(name) === null ? undefined : KEYED_QUOTAS[name]) ?? QUOTAS[name]

  const evm = (chain: Chain): EvmRpc => {
    let node = nodes.get(chain.key)
    if (node === undefined) {
      const urls =
        config.rpcUrls[chain.key] ?? (sandboxEvmUrl === null ? (chain.rpc ?? []) : [sandboxEvmUrl(chain.key)])
      nodes.set(chain.key, (node = new EvmRpc({ chainKey: chain.key, urls, log })))
    }
    return node
  }

  const list: ProvedProvider[] = []
  const add = (provider: SwapProvider, prove: Prove): void => {
    list.push(proved(provider, prove))
  }

  const jupiterUpstream = connect('jupiter', quotaOf('jupiter'), jupiterHeaders(keyOf('jupiter')))
  if (jupiterUpstream !== null) {
    const { jupiterApi: api, maxComputeUnitPrice } = config
    const provider = jupiter({ upstream: jupiterUpstream, api, maxComputeUnitPrice, settlementAccounts })
    add(provider, solanaProof(provider))
  }
  const kyberswapUpstream = connect('kyberswap', quotaOf('kyberswap'), kyberswapHeaders(INTEGRATOR))
  if (kyberswapUpstream !== null)
    add(kyberswap({ upstream: kyberswapUpstream, clientId: INTEGRATOR }), evmProof('kyberswap'))
  const veloraUpstream = connect('velora', quotaOf('velora'))
  if (veloraUpstream !== null)
    add(velora({ upstream: veloraUpstream, partner: INTEGRATOR }), evmProof('velora'))
  if (config.uniswapV2) add(uniswapV2({ chains: v2Chains(evm) }), evmProof('uniswap-v2'))

  const xprov = connectXprov(connect, keyOf('xprov'))
  if (xprov !== null)
    add(xprovSui(xprov), (order, _offer, material) => {
      if (material.kind !== 'sui') throw refuseMaterial('kind')
      return proveSui(material.transaction, order.from)
    })
  const aftermathUpstream = connect('aftermath', quotaOf('aftermath'))
  if (aftermathUpstream !== null) add(aftermath({ upstream: aftermathUpstream }), unproved)

  const key = keyOf('swapcoffee')
  const coffeeUpstream = connect(
    'swapcoffee',
    quotaOf('swapcoffee'),
    key === null ? {} : { 'x-api-key': key },
  )
  if (coffeeUpstream !== null)
    add(swapcoffee({ upstream: coffeeUpstream }), (order, _offer, material) => {
      if (material.kind !== 'ton') throw refuseMaterial('kind')
      return proveTon(material.message, order)
    })
  const stonfiUpstream = connect('stonfi', quotaOf('stonfi'))
  if (stonfiUpstream !== null) add(stonfi({ upstream: stonfiUpstream }), unproved)

  return {
    swaps: byChain(list),
    xprov,
    evm,
    decimals: {
      sui:
        xprov === null ? noSource : (address, call) => xprov.decimals(findXprovChain('sui')!, address, call),
      ton: coffeeUpstream === null ? noSource : swapcoffeeDecimals(coffeeUpstream, findChain('ton')!),
    },
    state: () => upstreams.map(({ label, breaker }) => ({ name: label, ...breaker.state })),
    async close() {
      await Promise.all([...upstreams, ...nodes.values()].map((one) => one.close()))
    },
  }
}

type Connect = (name: ProviderName, quota: Quota | null, headers?: Record<string, string>) => Upstream | null

function connectXprov(connect: Connect, key: string | null): Xprov | null {
  const quotas = key === null ? XPROV_QUOTAS.keyless : XPROV_QUOTAS.keyed
  const headers: Record<string, string> = key === null ? {} : { 'x-lifi-api-key': key }
  const quotes = connect('xprov', quotas.quotes, headers)
  const rest = connect('xprov', quotas.rest, headers)
  return quotes === null || rest === null ? null : new Xprov({ quotes, rest, integrator: INTEGRATOR })
}

function v2Chains(evm: (chain: Chain) => EvmRpc): Parameters<typeof uniswapV2>[0]['chains'] {
  return new Map(
    [...EVM_CONTRACTS].flatMap(([key, { wrappedNative, v2Routers }]) => {
      const router = v2Routers[0]?.address
      const chain = findChain(key)
      if (router === undefined || chain === null) return []
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
