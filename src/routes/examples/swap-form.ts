/**
 * What a sandboxed gateway tells a swap form.
 *
 * Source: §4.10 (no contract)
 */
import type { Example } from '../../http/route.ts'

export const TOPS = {
  solana: {
    request: {
      chain: 'solana',
      n: 2,
      minLiq: 100000,
    },
    reply: {
      chain: 'solana',
      tokens: [
        {
          address: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R',
          symbol: 'RAY',
          name: 'Raydium',
          decimals: null,
          price: 1.196094242,
          priceTs: 1795308556765,
          ageMs: 142,
          liq: 8057928,
          vol24: 6845310.04,
          checkedTs: null,
        },
        {
          address: 'Dust111111111111111111111111111111111111111',
          symbol: 'DUST',
          name: 'No fractions (sandbox)',
          decimals: null,
          price: 3033.732,
          priceTs: 1795308556765,
          ageMs: 142,
          liq: 7909760,
          vol24: 3701557.69,
          checkedTs: null,
        },
      ],
      excluded: {
        majors: 3,
        gated: 1,
        unknown: 1,
        thin: 2,
      },
      asOf: 1795308556907,
    },
  },
} satisfies Readonly<Record<string, Example>>

export const PLANS = {
  solana: {
    request: {
      chain: 'solana',
      from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
      usd: '100',
      limit: 3,
      minClipUsd: '25',
      only: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R,JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN,DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
      slippageBps: 100,
    },
    reply: {
      chain: 'solana',
      from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
      usd: '100',
      minClipUsd: '25',
      amountIn: '713036437',
      native: {
        symbol: 'SOL',
        decimals: 9,
        price: 140.2452872,
        priceTs: 1795308556639,
      },
      clips: [
        {
          token: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R',
          symbol: 'RAY',
          usd: '50.639708',
          amountIn: '361079570',
          liq: 8057928,
          liqBps: 1,
          warnings: ['No source has checked this token for risks.'],
          quote: {
            url: '/api/quote?chain=solana&side=buy&token=4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R&amount=0.36107957&slippageBps=100&from=GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
            path: '/api/quote',
            query: {
              chain: 'solana',
              side: 'buy',
              token: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R',
              amount: '0.36107957',
              slippageBps: 100,
              from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
            },
          },
        },
        {
          token: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
          symbol: 'JUP',
          usd: '49.360292',
          amountIn: '351956867',
          liq: 7854344,
          liqBps: 1,
          warnings: ['No source has checked this token for risks.'],
          quote: {
            url: '/api/quote?chain=solana&side=buy&token=JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN&amount=0.351956867&slippageBps=100&from=GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
            path: '/api/quote',
            query: {
              chain: 'solana',
              side: 'buy',
              token: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
              amount: '0.351956867',
              slippageBps: 100,
              from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
            },
          },
        },
      ],
      left: [
        {
          token: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
          reason: 'clip',
        },
      ],
      asOf: 1795308556931,
    },
  },
} satisfies Readonly<Record<string, Example>>

/** Of three chains; there are more. */
export const OPTIONS = {
  sides: ['buy', 'sell'],
  slippageBps: {
    min: 1,
    max: 5000,
    default: 300,
    presets: [50, 100, 300],
    why: 'How far the price may move before the swap fails. A smaller value fails more often; a larger one leaves more for a front-runner to take.',
  },
  amounts: {
    shareBps: {
      presets: [2500, 5000, 10000],
      why: "Shares of the wallet's balance. Of a native coin, keep some for the network fee.",
    },
    usd: {
      presets: [25, 100, 500],
      why: 'Dollars, to be converted to the coin that is spent; /api/native-price has the price of a native coin.',
    },
  },
  minVerification: 'simulated',
  chains: [
    {
      key: 'base',
      name: 'Base',
      chainId: 8453,
      native: 'ETH',
      decimals: 18,
      swaps: true,
      state: 'untried',
      verification: 'proved',
      providers: [
        {
          label: 'kyberswap',
          canBuild: true,
          state: 'untried',
          freshMs: 10000,
        },
        {
          label: 'velora',
          canBuild: true,
          state: 'untried',
          freshMs: 10000,
        },
        {
          label: 'uniswap-v2',
          canBuild: true,
          state: 'untried',
          freshMs: 10000,
        },
      ],
      majors: [
        {
          address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
          symbol: 'ETH',
          name: 'Base',
          decimals: 18,
          kind: 'native',
        },
        {
          address: '0x4200000000000000000000000000000000000006',
          symbol: 'WETH',
          name: 'Wrapped ETH',
          decimals: 18,
          kind: 'wrapped',
        },
        {
          symbol: 'USDC',
          name: 'USD Coin',
          address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          decimals: 6,
          kind: 'stablecoin',
        },
      ],
    },
    {
      key: 'scroll',
      name: 'Scroll',
      chainId: 534352,
      native: 'ETH',
      decimals: 18,
      swaps: false,
      state: null,
      verification: null,
      providers: [],
      majors: [
        {
          address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
          symbol: 'ETH',
          name: 'Scroll',
          decimals: 18,
          kind: 'native',
        },
        {
          address: '0x5300000000000000000000000000000000000004',
          symbol: 'WETH',
          name: 'Wrapped ETH',
          decimals: 18,
          kind: 'wrapped',
        },
        {
          symbol: 'USDC',
          name: 'USD Coin',
          address: '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4',
          decimals: 6,
          kind: 'stablecoin',
        },
      ],
    },
    {
      key: 'solana',
      name: 'Solana',
      chainId: null,
      native: 'SOL',
      decimals: 9,
      swaps: true,
      state: 'untried',
      verification: 'proved',
      providers: [
        {
          label: 'jupiter',
          canBuild: true,
          state: 'untried',
          freshMs: 30000,
        },
      ],
      majors: [
        {
          address: 'So11111111111111111111111111111111111111112',
          symbol: 'SOL',
          name: 'Solana',
          decimals: 9,
          kind: 'native',
        },
        {
          symbol: 'USDC',
          name: 'USD Coin',
          address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
          decimals: 6,
          kind: 'stablecoin',
        },
        {
          symbol: 'USDT',
          name: 'Tether USD',
          address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
          decimals: 6,
          kind: 'stablecoin',
        },
      ],
    },
  ],
  crossChain: {
    provider: 'xprov',
    state: 'untried',
    from: [
      'ethereum',
      'bsc',
      'base',
      'arbitrum',
      'optimism',
      'polygon',
      'avalanche',
      'linea',
      'mantle',
      'sonic',
      'unichain',
      'berachain',
      'hyperevm',
      'monad',
      'plasma',
      'scroll',
      'gnosis',
      'solana',
      'sui',
    ],
    to: [
      'ethereum',
      'bsc',
      'base',
      'arbitrum',
      'optimism',
      'polygon',
      'avalanche',
      'linea',
      'mantle',
      'sonic',
      'unichain',
      'berachain',
      'hyperevm',
      'monad',
      'plasma',
      'scroll',
      'gnosis',
      'solana',
      'sui',
    ],
    orders: ['FASTEST', 'CHEAPEST'],
  },
  fees: {
    gatewayBps: 0,
    why: "The gateway charges nothing and has providers add nothing for it. Quotes are net of the providers' own fees; network fees come on top.",
  },
  asOf: 1795310181577,
}

export const DESKTOP_OPTIONS = {
  ...OPTIONS,
  slippageBps: { ...OPTIONS.slippageBps, presets: [10, 50, 100, 300, 500] },
  amounts: {
    shareBps: { ...OPTIONS.amounts.shareBps, presets: [1000, 2500, 5000, 7500, 10000] },
    usd: { ...OPTIONS.amounts.usd, presets: [10, 50, 100, 250, 1000] },
  },
}
