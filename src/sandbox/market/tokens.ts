/**
 * What the sandbox's market lists: real tokens at their real addresses, with
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

/** A token's defect; each research provider reports it in its own way. */
type Trait = 'honeypot' | 'taxed' | 'spam' | 'quote-only' | 'freezable' | 'scaled' | 'young'

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
}

/** Its amounts are shown multiplied (Token-2022, scaled UI amount): the Solana node has the mint. */
export const SCALED_MINT = 'ScaLed1111111111111111111111111111111111111'

export interface Listing {
  readonly token: MarketToken
  /** The asset whose price it follows: a key of PRICES. */
  readonly asset: string
  /** Dollars on each side of its pool against the native coin, 0 for none. */
  readonly depthUsd: number
  /** Likewise against the chain's USDC. */
  readonly usdcDepthUsd: number
  /** It is the native coin as a token, one for one, and trades in the native coin's pools. */
  readonly isWrapper: boolean
}

/** Dollars are bigints of 10^-18. */
export const USD_DECIMALS = 18

/** The dollar price that an asset moves around, and how far it swings. */
export const PRICES: Readonly<Record<string, { readonly usd: bigint; readonly swingPpm: number }>> = {
  ...prices(300, { USDC: '1', USDT: '0.9998', USDT0: '0.9998', DAI: '1.0001', XDAI: '1.0001' }),
  ...prices(300, { HONEY: '0.9995', USDH: '0.9999' }),
  ...prices(40_000, {
    ETH: '2956.1',
    BTC: '91240',
    BNB: '884.2',
    SOL: '138.4',
    AVAX: '14.25',
    POL: '0.1432',
  }),
  ...prices(60_000, { SUI: '1.624', TON: '1.551', MNT: '1.034', S: '0.1012', BERA: '1.118', HYPE: '32.7' }),
  ...prices(80_000, { MON: '0.0284', XPL: '0.2031', LINK: '13.1', UNI: '6.21', ARB: '0.2114', OP: '0.3307' }),
  ...prices(80_000, {
    CAKE: '2.38',
    AERO: '0.684',
    GNO: '127.5',
    JUP: '0.2531',
    JTO: '0.4127',
    RAY: '1.162',
  }),
  ...prices(150_000, { PEPE: '0.00000462', SHIB: '0.00000871', BONK: '0.00000984', WIF: '0.3745' }),
  ...prices(150_000, { DEGEN: '0.00142', BRETT: '0.0173', CETUS: '0.0357', DEEP: '0.0491', WAL: '0.1622' }),
  ...prices(150_000, { STON: '0.4815', NOT: '0.000613', DOGS: '0.0000527', PYTH: '0.0762', GMX: '8.34' }),
  ...prices(250_000, { GHOST: '0.0041', THIN: '0.0217', DUST: '3000' }),
  ...prices(250_000, { HONEY: '0.0213', TAXED: '0.0077', SPAM: '1250000', QUOTED: '1.07', FROZEN: '0.031' }),
  ...prices(250_000, { SCALED: '0.84', FROG: '0.00091', TURNED: '0.0032' }),
}

const DEEP = 25_000_000
const MAJOR = 4_000_000
const LONG_TAIL = 60_000
const TINY = 250
const HARDLY_ANY = 6
const NO_POOL = 0

interface ListingRow {
  /** The address in its canonical spelling. */
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly depthUsd: number
  /** The symbol, unless told otherwise. */
  readonly asset?: string
  readonly usdcDepthUsd?: number
  readonly trait?: Trait
}

const usdc = (address: string, decimals = 6, depthUsd = DEEP): ListingRow => ({
  address,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals,
  depthUsd,
})

const usdt = (address: string, decimals = 6): ListingRow => ({
  address,
  symbol: 'USDT',
  name: 'Tether USD',
  decimals,
  depthUsd: MAJOR,
  usdcDepthUsd: DEEP,
})

const bitcoin = (address: string, symbol: string, name: string, decimals = 8): ListingRow => ({
  address,
  symbol,
  name,
  decimals,
  depthUsd: MAJOR,
  asset: 'BTC',
  usdcDepthUsd: MAJOR,
})

const row = (
  address: string,
  symbol: string,
  name: string,
  decimals: number,
  depthUsd: number,
): ListingRow => ({
  address,
  symbol,
  name,
  decimals,
  depthUsd,
})

const strange = (
  address: string,
  symbol: string,
  decimals: number,
  depthUsd: number,
  trait: Trait,
): ListingRow => ({
  ...row(address, symbol, `${symbol} (sandbox)`, decimals, depthUsd),
  trait,
})

const FROG = {
  symbol: '🐸',
  name: '🐸🚀 Frog 👨‍👩‍👧 ❤️',
  asset: 'FROG',
  depthUsd: LONG_TAIL,
  trait: 'young',
} as const
const TURNED = {
  symbol: 'SAFE\u202eNIOC',
  name: 'Turned\u0007\u0000 \u202eevitaN\u202c\u2066 Coin\n(sandbox)',
  asset: 'TURNED',
  depthUsd: LONG_TAIL,
  trait: 'young',
} as const

/** The tokens other than the native coin and its wrapper. */
const ROWS: Readonly<Record<string, readonly ListingRow[]>> = {
  ethereum: [
    usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    bitcoin('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 'WBTC', 'Wrapped BTC'),
    row('0x6B175474E89094C44Da98b954EedeAC495271d0F', 'DAI', 'Dai Stablecoin', 18, MAJOR),
    row('0x514910771AF9Ca656af840dff83E8264EcF986CA', 'LINK', 'ChainLink Token', 18, MAJOR),
    row('0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'UNI', 'Uniswap', 18, MAJOR),
    row('0x6982508145454Ce325dDbE47a25d4ec3d2311933', 'PEPE', 'Pepe', 18, LONG_TAIL),
    row('0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE', 'SHIB', 'SHIBA INU', 18, LONG_TAIL),
  ],
  base: [
    usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    bitcoin('0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 'cbBTC', 'Coinbase Wrapped BTC'),
    row('0x940181a94A35A4569E4529A3CDfB74e38FD98631', 'AERO', 'Aerodrome', 18, MAJOR),
    row('0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', 'DEGEN', 'Degen', 18, LONG_TAIL),
    row('0x532f27101965dd16442E59d40670FaF5eBB142E4', 'BRETT', 'Brett', 18, LONG_TAIL),
    row('0x0000000000000000000000000000000067686F73', 'GHOST', 'No pool (sandbox)', 18, NO_POOL),
    row('0x000000000000000000000000000000007468696e', 'THIN', 'Tiny pool (sandbox)', 18, TINY),
    row('0x0000000000000000000000000000000064757374', 'DUST', 'No fractions (sandbox)', 0, MAJOR),
    strange('0x000000000000000000000000000000686f6E6579', 'HONEY', 18, LONG_TAIL, 'honeypot'),
    strange('0x0000000000000000000000000000007461786564', 'TAXED', 18, LONG_TAIL, 'taxed'),
    strange('0x000000000000000000000000000000007370616d', 'SPAM', 18, HARDLY_ANY, 'spam'),
    strange('0x000000000000000000000000000071756f746564', 'QUOTED', 18, LONG_TAIL, 'quote-only'),
    { ...TURNED, address: '0x00000000000000000000000000007475726E6564', decimals: 18 },
  ],
  bsc: [
    usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    usdt('0x55d398326f99059fF775485246999027B3197955', 18),
    bitcoin('0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c', 'BTCB', 'BTCB Token', 18),
    row('0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82', 'CAKE', 'PancakeSwap Token', 18, MAJOR),
  ],
  arbitrum: [
    usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    usdt('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
    row('0x912CE59144191C1204E64559FE8253a0e49E6548', 'ARB', 'Arbitrum', 18, MAJOR),
    row('0xfc5A1A6EB076a2C7aD06eD22C90d7E710E35ad0a', 'GMX', 'GMX', 18, LONG_TAIL),
  ],
  optimism: [
    usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
    row('0x4200000000000000000000000000000000000042', 'OP', 'Optimism', 18, MAJOR),
  ],
  polygon: [
    usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
    {
      ...row('0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 'WETH', 'Wrapped Ether', 18, MAJOR),
      asset: 'ETH',
    },
  ],
  avalanche: [
    usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    usdt('0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  ],
  linea: [usdc('0x176211869cA2b568f2A7D4EE941E073a821EE1ff')],
  mantle: [usdc('0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9')],
  sonic: [usdc('0x29219dd400f2Bf60E5a23d13Be72B486D4038894')],
  unichain: [usdc('0x078D782b760474a361dDA0AF3839290b0EF57AD6')],
  hyperevm: [
    usdc('0xb88339CB7199b77E23DB6E890353E22632Ba630f'),
    row('0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb', 'USDT0', 'USDT0', 6, MAJOR),
    row('0x111111a1a0667d36bD57c0A9f569b98057111111', 'USDH', 'USDH', 6, MAJOR),
  ],
  plasma: [row('0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb', 'USDT0', 'USDT0', 6, MAJOR)],
  berachain: [
    row('0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 'USDT0', 'USDT0', 6, MAJOR),
    row('0xFCBD14DC51f0A4d49d5E53C2E0950e0bC26d0Dce', 'HONEY', 'Honey', 18, MAJOR),
  ],
  monad: [usdc('0x754704Bc059F8C67012fEd69BC8A327a5aafb603')],
  scroll: [usdc('0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4')],
  gnosis: [
    usdc('0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83'),
    row('0x9C58BAcC331c9aa871AFD802DB6379a98e80CEdb', 'GNO', 'Gnosis Token', 18, MAJOR),
  ],
  solana: [
    usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    usdt('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
    row('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', 'JUP', 'Jupiter', 6, MAJOR),
    row('jtojtomepa8beP8AuQc6eXt5FriJwfFMwQx2v2f9mCL', 'JTO', 'JITO', 9, MAJOR),
    row('4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R', 'RAY', 'Raydium', 6, MAJOR),
    row('HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3', 'PYTH', 'Pyth Network', 6, LONG_TAIL),
    row('DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', 'BONK', 'Bonk', 5, LONG_TAIL),
    row('EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm', 'WIF', 'dogwifhat', 6, LONG_TAIL),
    row('Ghost11111111111111111111111111111111111111', 'GHOST', 'No pool (sandbox)', 6, NO_POOL),
    row('Thin111111111111111111111111111111111111111', 'THIN', 'Tiny pool (sandbox)', 6, TINY),
    row('Dust111111111111111111111111111111111111111', 'DUST', 'No fractions (sandbox)', 0, MAJOR),
    strange('Spam111111111111111111111111111111111111111', 'SPAM', 9, HARDLY_ANY, 'spam'),
    strange('Frozen1111111111111111111111111111111111111', 'FROZEN', 6, LONG_TAIL, 'freezable'),
    strange(SCALED_MINT, 'SCALED', 6, LONG_TAIL, 'scaled'),
    { ...FROG, address: 'Frog111111111111111111111111111111111111111', decimals: 6 },
  ],
  sui: [
    usdc('0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC', 6, MAJOR),
    usdt('0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN'),
    row(
      '0x06864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS',
      'CETUS',
      'Cetus Token',
      9,
      LONG_TAIL,
    ),
    row(
      '0xdeeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP',
      'DEEP',
      'DeepBook Token',
      6,
      LONG_TAIL,
    ),
    row(`0x${'67686f7374'.padStart(64, '0')}::ghost::GHOST`, 'GHOST', 'No pool (sandbox)', 9, NO_POOL),
    row(`0x${'7468696e'.padStart(64, '0')}::thin::THIN`, 'THIN', 'Tiny pool (sandbox)', 9, TINY),
  ],
  ton: [
    usdt('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
    usdc('EQC61IQRl0_la95t27xhIpjxZt32vl1QQVF2UgTNuvD18W-4', 6, MAJOR),
    row('EQA2kCVNwVsil2EM2mB0SkXytxCqQjS4mttjDpnXmwG9T6bO', 'STON', 'STON', 9, LONG_TAIL),
    row('EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT', 'NOT', 'Notcoin', 9, LONG_TAIL),
    row('EQCvxJy4eG8hyHBFsZ7eePxrRsUQSFE_jpptRAYBmcG_DOGS', 'DOGS', 'Dogs', 9, LONG_TAIL),
    row('EQBnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZzpB', 'GHOST', 'No pool (sandbox)', 9, NO_POOL),
    row('EQB0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dBZw', 'THIN', 'Tiny pool (sandbox)', 9, TINY),
  ],
}

/** Chain by chain: the native coin, its wrapper where it is a token of its own, then the others. */
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
    },
    asset: chain.native,
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
  const { address, symbol, name, decimals, depthUsd, trait = null } = entry
  return {
    token: { chain, address, symbol, name, decimals, isNative: false, trait },
    asset: entry.asset ?? symbol,
    depthUsd,
    usdcDepthUsd: entry.usdcDepthUsd ?? NO_POOL,
    isWrapper: false,
  }
}

function prices(swingPpm: number, usdByAsset: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(usdByAsset).map(([asset, usd]) => [
      asset,
      { usd: parseAmount(usd, USD_DECIMALS, 'evm'), swingPpm },
    ]),
  )
}
