/**
 * What the sandbox's market lists (listed.json): real tokens at their real addresses, with
 * prices and depths that are made up, and tokens for the cases that go wrong:
 *
 *   GHOST   has no pool
 *   THIN    its pool is empty after a few hundred dollars
 *   DUST    has no fraction digits and costs three thousand dollars apiece
 *   HONEY   can be bought and not sold
 *   TAXED   keeps 99 % of what is sold
 *   SPAM    claims a price of a million dollars, in a pool of a few
 *   QUOTED  is only ever the quote side of a pair
 *   FROZEN  can be frozen by its maker, is hours old and was never traded
 *   SCALED  a Token-2022 mint whose amounts are shown multiplied
 *   🐸      has emoji in its name
 *   TURNED  has a right-to-left override and control characters in its name
 *
 * Source: lifinance/data-types · KyberNetwork/kyberswap-skills
 */

import { nativeAddress } from '../../chains/address.ts'
import { parseAmount } from '../../chains/amount.ts'
import { CHAINS } from '../../chains/chains.ts'
import { findEvmChain } from '../../chains/find.ts'
import recorded from './listed.json' with { type: 'json' }

/** A token's defect; each research provider reports it in its own way. */
type Trait = 'honeypot' | 'taxed' | 'spam' | 'quote-only' | 'freezable' | 'scaled' | 'young'

/** How a token trades: how its price moves, and how much of it is traded and held. */
export type Kind = 'stable' | 'coin' | 'large' | 'tail' | 'meme' | 'new' | 'odd'

export interface MarketToken {
  /** Chain key. */
  readonly chain: string
  /** The address in its canonical spelling, see chains/address.ts; the native coin has one too. */
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly isNative: boolean
  readonly trait: Trait | null
  /** The asset whose price it follows: a key of PRICES. */
  readonly asset: string
}

/** Its amounts are shown multiplied (Token-2022, scaled UI amount): the Solana node has the mint. */
export const SCALED_MINT = 'ScaLed1111111111111111111111111111111111111'

export interface Listing {
  readonly token: MarketToken
  /** Dollars on each side of its pool against the native coin, 0 for none. */
  readonly depthUsd: number
  /** Likewise against the chain's USDC. */
  readonly usdcDepthUsd: number
  /** It is the native coin as a token, one for one, and trades in the native coin's pools. */
  readonly isWrapper: boolean
}

/** Dollars are bigints of 10^-18. */
export const USD_DECIMALS = 18

interface AssetPrice {
  /** On 21 November 2026. */
  readonly usd: bigint
  readonly kind: Kind
  /** The standard deviation of its changes in a day. */
  readonly dailyBps: number
}

export const PRICES: Readonly<Record<string, AssetPrice>> = Object.fromEntries(
  Object.entries(recorded.prices).map(([asset, { usd, kind, dailyBps }]) => [
    asset,
    { usd: parseAmount(usd, USD_DECIMALS, 'evm'), kind: kind as Kind, dailyBps },
  ]),
)

/** It represents a case that goes wrong: the lists of sites that rank tokens do not show it. */
export const isCase = ({ asset }: MarketToken): boolean => PRICES[asset]!.kind === 'odd'

const NO_POOL = 0

interface ListingRow {
  /** The address in its canonical spelling. */
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly depthUsd: number
  /** Absent: the symbol. */
  readonly asset?: string
  readonly usdcDepthUsd?: number
  readonly trait?: Trait
}

/** The tokens other than the native coin and its wrapper, by chain key. */
const ROWS = recorded.listings as Readonly<Record<string, readonly ListingRow[]>>

/** Chain by chain: the native coin, its wrapper if it is a separate token, then the others. */
export const LISTINGS: readonly Listing[] = CHAINS.flatMap((chain) => {
  const coin = (address: string, isNative: boolean): Listing => ({
    token: {
      chain: chain.key,
      address,
      symbol: isNative ? chain.native : `W${chain.native}`,
      name: isNative ? `${chain.name} coin` : `Wrapped ${chain.native}`,
      decimals: chain.decimals,
      isNative,
      trait: null,
      asset: chain.native,
    },
    depthUsd: NO_POOL,
    usdcDepthUsd: NO_POOL,
    isWrapper: !isNative,
  })
  const wrapped = findEvmChain(chain.key)?.wrappedNative
  return [
    coin(nativeAddress(chain), true),
    ...(wrapped === undefined ? [] : [coin(wrapped, false)]),
    ...(ROWS[chain.key] ?? []).map((entry) => listing(chain.key, entry)),
  ]
})

function listing(chain: string, entry: ListingRow): Listing {
  const { address, symbol, name, decimals, depthUsd, trait = null, asset = symbol } = entry
  return {
    token: { chain, address, symbol, name, decimals, isNative: false, trait, asset },
    depthUsd,
    usdcDepthUsd: entry.usdcDepthUsd ?? NO_POOL,
    isWrapper: false,
  }
}
