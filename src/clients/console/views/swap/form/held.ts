/** What the connected wallet holds on a chain. */
import { useEffect } from 'preact/hooks'
import type { Balances } from '../../../../client/index.ts'
import { useAnswer } from '../../../data/hooks.ts'
import { spare } from '../../../data/service.ts'
import type { ConnectedWallet } from '../../../wallets/wallet.ts'
import type { SwapCoin } from '../order.ts'

const EVERY_MS = 20_000

export interface Held {
  /** Null while it is not known, or without a wallet. */
  readonly chain: Balances['chains'][number] | null
  /** When it was answered, ms of the wall clock. */
  readonly at: number | null
}

/** @param changed  reloads when it changes to anything but null */
export function useHeld(wallet: ConnectedWallet | null, chain: string, changed: unknown = null): Held {
  const input =
    wallet === null
      ? null
      : wallet.family === 'solana'
        ? { sol: wallet.address }
        : { address: wallet.address, chains: chain }
  const query = useAnswer('balances', input, { everyMs: EVERY_MS, budgetPauseMs: spare('portfolio') })
  useEffect(() => {
    if (changed !== null) query.refresh()
  }, [changed])
  return { chain: query.data?.chains.find((one) => one.chain === chain) ?? null, at: query.at }
}

/** A wallet's balance of a coin, in base units: zero if a complete answer lacks the token, null if it is not known. */
export function heldOf(chain: Held['chain'], coin: SwapCoin, isNative: boolean) {
  const found = isNative
    ? chain?.native
    : chain?.tokens.find(({ address }) => address.toLowerCase() === coin.address.toLowerCase())
  const isNone = chain !== null && !isNative && found === undefined && chain.status === 'complete'
  return {
    base: isNone ? '0' : (found?.amount ?? null),
    decimals: found?.decimals ?? coin.decimals ?? (isNone ? 0 : null),
  }
}
