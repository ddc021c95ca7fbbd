/**
 * The simulated outside world: servers on loopback in place of the real providers and
 * nodes, with their wire formats. A provider's server is added here.
 */

import { startControl } from './control.ts'
import { Dials } from './dials.ts'
import { LifiRegistry, MOVED } from './evm/lifi-registry.ts'
import { evm } from './evm/node.ts'
import type { Listening } from './listen.ts'
import { defillama } from './market/defillama.ts'
import { dexscreener } from './market/dexscreener.ts'
import { geckoterminal } from './market/geckoterminal.ts'
import { goplus } from './market/goplus.ts'
import { logos } from './market/logos.ts'
import { Market } from './market/market.ts'
import { rugcheck } from './market/rugcheck.ts'
import { type ProviderServer, startProviderServer } from './provider-server.ts'
import { type SolanaSandboxOptions, startSolanaSandbox } from './solana/server.ts'
import { sui } from './sui/node.ts'
import { dflow } from './swap/dflow.ts'
import { jupiter } from './swap/jupiter.ts'
import { kyberswap } from './swap/kyberswap.ts'
import { router } from './swap/router.ts'
import { openPools } from './swap/solana-pools.ts'
import { stonfi } from './swap/stonfi.ts'
import { swapcoffee } from './swap/swapcoffee.ts'
import { velora } from './swap/velora.ts'
import { xprov } from './swap/xprov.ts'
import { tonNodes, tonUrls } from './ton/node.ts'
import type { World } from './world.ts'

const PROVIDERS: readonly ((world: World) => ProviderServer)[] = [
  jupiter,
  dflow,
  kyberswap,
  velora,
  router,
  xprov,
  swapcoffee,
  stonfi,
  dexscreener,
  geckoterminal,
  goplus,
  rugcheck,
  defillama,
  logos,
  ({ market, registry }) => evm(market, 'evm', registry),
  tonNodes,
  sui,
]

/** All providers, and the first nodes of EVM chains, Sui and TON. */
export const createProviders = (world: World): readonly ProviderServer[] =>
  PROVIDERS.map((create) => {
    const { name } = create(world)
    const market = world.lifelike ? world.market.offeredBy(name) : world.market
    const provider = create({ ...world, market })
    if (provider.thief === undefined) return provider
    return { ...provider, giving: (give) => create({ ...world, market: market.giving(give) }) }
  })

interface SandboxOptions extends Omit<SolanaSandboxOptions, 'dials'> {
  /** The market's seed: the same seed gives the same prices at the same time. */
  readonly seed?: number
  /** The number of nodes of Solana and of each EVM chain; default 1. */
  readonly nodes?: number
  /**
   * Providers differ in prices, take their time and fail now and then, see market/manners.ts; by default all
   * are equal and immediate.
   */
  readonly lifelike?: boolean
}

export interface Sandbox {
  /** A Solana node's JSON-RPC endpoint; its faucet is `requestAirdrop`. */
  readonly solanaUrl: string
  /** All Solana nodes; their dials are solana, solana-2 and so on. */
  readonly solanaUrls: readonly string[]
  /** The control endpoint: GET, DELETE /faults and PUT /faults/{name}. */
  readonly controlUrl: string
  /** The same dials, for code in the same process. */
  readonly dials: Dials
  /** Base URLs by the dial's name. */
  readonly urls: Readonly<Record<string, string>>
  /** A node of an EVM chain, by its chain key. */
  evmUrl(chainKey: string): string
  /** All nodes of an EVM chain; their dials are evm, evm-2 and so on. */
  evmUrls(chainKey: string): readonly string[]
  /** Two TON nodes, each with its own API. */
  readonly tonUrls: readonly string[]
  /** A Sui GraphQL node. */
  readonly suiUrl: string
  close(): Promise<void>
}

/** @throws Error  if the optional packages are not installed, or the port is taken */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed, lifelike = false, ...solanaOptions } = options
  const { now = () => Date.now(), nodes = 1, pause, onRequest } = options
  const dials = new Dials()
  const solana = await startSolanaSandbox({ ...solanaOptions, dials })
  const market = new Market(seed === undefined ? {} : { seed })
  const registry = new LifiRegistry()
  dials.add('lifi-registry', [MOVED], (dial) => void (registry.moved = dial?.rows ?? 0))
  const world: World = { market, now, solana, registry, lifelike }
  openPools(world)
  const evmNames = Array.from({ length: nodes }, (_, i) => (i === 0 ? 'evm' : `evm-${i + 1}`))
  const providers = [
    ...createProviders(world),
    ...evmNames.slice(1).map((name) => evm(lifelike ? market.offeredBy('evm') : market, name, registry)),
  ]
  const [control, ...servers] = await Promise.all([
    startControl(dials),
    ...providers.map((provider) =>
      startProviderServer(provider, dials, now, {
        ...(pause && { pause }),
        lifelike,
        onRequest: (text, path) => onRequest?.(provider.name, text, path),
      }),
    ),
  ])
  const urls: Record<string, string> = {
    ...solana.urls,
    ...Object.fromEntries(servers.map(({ url }, i) => [providers[i]!.name, url])),
  }
  const parts: readonly Pick<Listening, 'close'>[] = [control!, ...servers, solana]
  return {
    solanaUrl: solana.url,
    solanaUrls: Object.values(solana.urls),
    controlUrl: control!.url,
    dials,
    urls,
    evmUrl: (chainKey) => `${urls.evm}/${chainKey}`,
    evmUrls: (chainKey) => evmNames.map((name) => `${urls[name]}/${chainKey}`),
    tonUrls: tonUrls(urls.ton!),
    suiUrl: `${urls.sui}/graphql`,
    close: async () => {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}
