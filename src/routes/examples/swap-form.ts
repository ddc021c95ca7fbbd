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
          warnings: ['No source has told of the risks of this token.'],
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
          warnings: ['No source has told of the risks of this token.'],
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
