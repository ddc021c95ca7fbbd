/**
 * The tokens of each chain that everybody expects to find: the wrapped native
 * coin and the stablecoins. The native coin itself is in the chain table.
 *
 * Source: the issuers' own lists of contracts (circle.com/multi-chain-usdc,
 * tether.to/supported-protocols) · chains/evm.ts for the wrappers
 */
import { nativeAddress } from './address.ts'
import { CHAINS } from './chains.ts'
import { EVM_CONTRACTS } from './evm.ts'

export interface Major {
  /** Canonical, see address.ts. */
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly kind: 'native' | 'wrapped' | 'stablecoin'
}

type Stablecoin = readonly [symbol: 'USDC' | 'USDT' | 'DAI', address: string, decimals: number]

const NAMES = { USDC: 'USD Coin', USDT: 'Tether USD', DAI: 'Dai Stablecoin' } as const

const STABLECOINS: Readonly<Record<string, readonly Stablecoin[]>> = {
  ethereum: [
    ['USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6],
    ['USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6],
    ['DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18],
  ],
  bsc: [
    ['USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    ['USDT', '0x55d398326f99059fF775485246999027B3197955', 18],
  ],
  base: [['USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6]],
  arbitrum: [
    ['USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6],
    ['USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6],
  ],
  optimism: [
    ['USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6],
    ['USDT', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 6],
  ],
  polygon: [
    ['USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6],
    ['USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6],
  ],
  avalanche: [
    ['USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 6],
    ['USDT', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 6],
  ],
  linea: [['USDC', '0x176211869cA2b568f2A7D4EE941E073a821EE1ff', 6]],
  mantle: [['USDC', '0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9', 6]],
  sonic: [['USDC', '0x29219dd400f2Bf60E5a23d13Be72B486D4038894', 6]],
  unichain: [['USDC', '0x078D782b760474a361dDA0AF3839290b0EF57AD6', 6]],
  hyperevm: [['USDC', '0xb88339CB7199b77E23DB6E890353E22632Ba630f', 6]],
  monad: [['USDC', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 6]],
  scroll: [['USDC', '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4', 6]],
  gnosis: [['USDC', '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83', 6]],
  solana: [
    ['USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6],
    ['USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 6],
  ],
  sui: [
    ['USDC', '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC', 6],
    ['USDT', '0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN', 6],
  ],
  ton: [['USDT', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', 6]],
}

/** By chain key; the native coin first. */
export const MAJORS: ReadonlyMap<string, readonly Major[]> = new Map(
  CHAINS.map((chain) => {
    const { key, native, name, decimals } = chain
    const wrapper = EVM_CONTRACTS.get(key)?.wrappedNative
    return [
      key,
      [
        { address: nativeAddress(chain), symbol: native, name, decimals, kind: 'native' },
        ...(wrapper === undefined
          ? []
          : [
              {
                address: wrapper,
                symbol: `W${native}`,
                name: `Wrapped ${native}`,
                decimals,
                kind: 'wrapped' as const,
              },
            ]),
        ...(STABLECOINS[key] ?? []).map(([symbol, address, decimals]) => ({
          address,
          symbol,
          name: NAMES[symbol],
          decimals,
          kind: 'stablecoin' as const,
        })),
      ],
    ] as const
  }),
)

/** @param address  canonical. @returns null for a token that the chain table does not list */
export function findMajor(chainKey: string, address: string): Major | null {
  return MAJORS.get(chainKey)?.find((major) => major.address === address) ?? null
}

/** The wrapped native coin's address for a chain's native one, where markets quote the wrapper; null where they are the same. */
export function wrapperOf(chainKey: string): string | null {
  return EVM_CONTRACTS.get(chainKey)?.wrappedNative ?? null
}
