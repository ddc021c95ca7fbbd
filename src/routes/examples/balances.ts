/** Balances of a sandboxed gateway. Source: §4.10 */
import type { Example } from '../../http/route.ts'

export const BALANCES = {
  both: {
    request: {
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      sol: 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
      chains: 'scroll',
    },
    reply: {
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      sol: 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
      chains: [
        {
          chain: 'solana',
          status: 'complete',
          block: null,
          slot: 447552151,
          native: {
            address: 'So11111111111111111111111111111111111111112',
            decimals: 9,
            symbol: 'SOL',
            name: 'Solana',
            amount: '0',
            wrapped: '0',
          },
          tokens: [],
          problems: [],
          asOf: 1795360833350,
        },
        {
          chain: 'scroll',
          status: 'complete',
          block: 897680416,
          slot: null,
          native: {
            address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
            decimals: 18,
            symbol: 'ETH',
            name: 'Scroll',
            amount: '10000000000000000000',
            wrapped: null,
          },
          tokens: [
            {
              address: '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4',
              amount: '1000000000',
              decimals: 6,
              symbol: 'USDC',
              name: 'USD Coin',
              listed: true,
              notes: [],
            },
            {
              address: '0x5300000000000000000000000000000000000004',
              amount: '1000000000000000000000',
              decimals: 18,
              symbol: 'WETH',
              name: 'Wrapped ETH',
              listed: true,
              notes: [],
            },
          ],
          problems: [],
          asOf: 1795360833346,
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, Example>>
