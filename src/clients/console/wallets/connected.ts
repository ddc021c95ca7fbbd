/** The wallets that this page found, and those that it is connected to: one of each family, kept between views. */
import { useEffect, useState } from 'preact/hooks'
import type { Health } from '../../client/index.ts'
import { watchProviders } from './eip1193.ts'
import type { Family, Offer, Wallet } from './wallet.ts'
import { watchStandardWallets } from './wallet-standard.ts'

const connected = new Map<Family, Wallet>()
const offers = new Map<string, Offer>()
const listeners = new Set<() => void>()
let isWatching = false

const tell = (): void => {
  for (const listener of listeners) listener()
}

export interface Wallets {
  readonly wallet: Wallet | null
  readonly offers: readonly Offer[]
  /** @throws unknown  whatever the wallet throws */
  connect(offer: Offer): Promise<void>
  disconnect(): void
}

/** @param health  of the service: tells whether it is a sandbox; null while that is not known */
export function useWallets(family: Family | null, health: Health | null): Wallets {
  const [, draw] = useState(0)
  useEffect(() => {
    const redraw = (): void => draw((count) => count + 1)
    listeners.add(redraw)
    return () => void listeners.delete(redraw)
  }, [])
  const sandbox = health?.sandbox
  useEffect(() => {
    if (health === null || isWatching) return
    isWatching = true
    if (sandbox !== undefined) for (const offer of throwAways(sandbox)) offers.set(offer.id, offer)
    const found = (offer: Offer): void => {
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

/** Each is made at most once: what it holds stays at hand until the page is left. */
function throwAways({ solanaRpc, evmRpc }: NonNullable<Health['sandbox']>): readonly Offer[] {
  const offer = (family: Family, make: () => Promise<Wallet>): Offer => {
    let made: Promise<Wallet> | null = null
    return {
      id: `throw-away ${family}`,
      name: 'Throw-away wallet',
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
