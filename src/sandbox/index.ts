/**
 * The simulated outside world: everything that the gateway would otherwise ask
 * of real providers, on loopback, speaking their wire formats. A provider's
 * server is added here.
 */

import { startControl } from './control.ts'
import { evm } from './evm/node.ts'
import type { Listening } from './listen.ts'
import { defillama } from './market/defillama.ts'
import { dexscreener } from './market/dexscreener.ts'
import { geckoterminal } from './market/geckoterminal.ts'
import { goplus } from './market/goplus.ts'
import { Market } from './market/market.ts'
import { rugcheck } from './market/rugcheck.ts'
import { Dials, type ProviderServer, startProviderServer } from './provider-server.ts'
import { type SolanaSandboxOptions, startSolanaSandbox } from './solana/server.ts'
import { sui } from './sui/node.ts'
import { aftermath } from './swap/aftermath.ts'
import { jupiter } from './swap/jupiter.ts'
import { kyberswap } from './swap/kyberswap.ts'
import { stonfi } from './swap/stonfi.ts'
import { swapcoffee } from './swap/swapcoffee.ts'
import { TON_NODES, tonNodes } from './swap/ton-node.ts'
import { velora } from './swap/velora.ts'
import { xprov } from './swap/xprov.ts'
import type { World } from './world.ts'

const PROVIDERS: readonly ((world: World) => ProviderServer)[] = [
  jupiter,
  kyberswap,
  velora,
  xprov,
  swapcoffee,
  stonfi,
  aftermath,
  dexscreener,
  geckoterminal,
  goplus,
  rugcheck,
  defillama,
  ({ market }) => evm(market),
  tonNodes,
  sui,
]

export interface SandboxOptions extends SolanaSandboxOptions {
  /** The market's seed: the same one has the same prices at the same time. */
  readonly seed?: number
}

export interface Sandbox {
  /** A Solana node's JSON-RPC endpoint; its faucet is `requestAirdrop`. */
  readonly solanaUrl: string
  /** Where the providers' faults are set: GET, DELETE /faults and PUT /faults/{provider}. */
  readonly controlUrl: string
  /** Base URLs, by the provider's name. */
  readonly urls: Readonly<Record<string, string>>
  /** A node of an EVM chain, by its chain key. */
  evmUrl(chainKey: string): string
  /** Two nodes of TON, each with an interface of its own. */
  readonly tonUrls: readonly string[]
  /** A GraphQL node of Sui. */
  readonly suiUrl: string
  close(): Promise<void>
}

/** @throws Error  when the optional packages are not installed, or the port is taken */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed, ...solanaOptions } = options
  const now = options.now ?? Date.now
  const solana = await startSolanaSandbox(solanaOptions)
  const market = new Market(seed === undefined ? {} : { seed })
  const world: World = { market, now, solana }
  const dials = new Dials()
  const providers = PROVIDERS.map((provider) => provider(world))
  const names = providers.map((provider) => provider.name)
  const thieves = providers.flatMap(({ name, thief }) => (thief === undefined ? [] : [name]))
  const [control, ...servers] = await Promise.all([
    startControl(dials, names, thieves),
    ...providers.map((provider) => startProviderServer(provider, dials, now)),
  ])
  const urls: Record<string, string> = Object.fromEntries(servers.map(({ url }, i) => [names[i]!, url]))
  const parts: readonly Pick<Listening, 'close'>[] = [control!, ...servers, solana]
  return {
    solanaUrl: solana.url,
    controlUrl: control!.url,
    urls,
    evmUrl: (chainKey) => `${urls.evm}/${chainKey}`,
    tonUrls: TON_NODES.map((path) => `${urls.ton}${path}`),
    suiUrl: `${urls.sui}/graphql`,
    close: async () => {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}
