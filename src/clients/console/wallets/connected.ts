/** The wallets found and connected, at most one connected per chain family. The state outlives the views. */
import { useEffect } from 'preact/hooks'
import type { Health } from '../../client/index.ts'
import { Kept, useKept } from '../data/kept.ts'
import { watchProviders } from './eip1193.ts'
import type { ConnectedWallet, WalletFamily, WalletOffer } from './wallet.ts'
import { watchStandardWallets } from './wallet-standard.ts'

const connected = new Map<WalletFamily, ConnectedWallet>()
const offers = new Map<string, WalletOffer>()
/** Counts what happens to them. */
const changes = new Kept(0)
let isWatching = false

const tell = (): void => changes.set(changes.value + 1)

export interface WalletConnections {
  readonly wallet: ConnectedWallet | null
  readonly offers: readonly WalletOffer[]
  /** @throws unknown  whatever the wallet throws */
  connect(offer: WalletOffer): Promise<void>
  disconnect(): void
}

/** @param health  the service's health, which says whether it is a sandbox; null until it is known */
export function useWallets(family: WalletFamily | null, health: Health | null): WalletConnections {
  useKept(changes)
  const sandbox = health?.sandbox
  useEffect(() => {
    if (health === null || isWatching) return
    isWatching = true
    if (sandbox !== undefined) for (const offer of throwAways(sandbox)) offers.set(offer.id, offer)
    const found = (offer: WalletOffer): void => {
      offers.set(offer.id, offer)
      tell()
    }
    watchProviders(sandbox?.evmRpc ?? null, found)
    watchStandardWallets(found)
    tell()
  }, [health === null])
  return {
    wallet: family === null ? null : (connected.get(family) ?? null),
    offers: [...offers.values()].filter((offer) => offer.family === family),
    async connect(offer) {
      const wallet = await offer.connect(() => {
        if (connected.get(offer.family) === wallet) connected.delete(offer.family)
        tell()
      })
      connected.set(offer.family, wallet)
      tell()
    },
    disconnect() {
      if (family !== null) connected.delete(family)
      tell()
    },
  }
}

/** The throw-away wallets. Each is created at most once, so its funds stay available until the page is left. */
function throwAways({ solanaRpc, evmRpc }: NonNullable<Health['sandbox']>): readonly WalletOffer[] {
  const offer = (family: WalletFamily, make: () => Promise<ConnectedWallet>): WalletOffer => {
    let made: Promise<ConnectedWallet> | null = null
    return {
      id: `throw-away ${family}`,
      name: 'Sandbox wallet',
      family,
      connect() {
        made ??= make()
        made.catch(() => (made = null))
        return made
      },
    }
  }
  return [
    offer('solana', async () => (await import('./throw-away-solana.ts')).makeSolanaWallet(solanaRpc)),
    offer('evm', async () => (await import('./throw-away-evm.ts')).makeEvmWallet(evmRpc)),
  ]
}
