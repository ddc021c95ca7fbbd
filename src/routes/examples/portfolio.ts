/**
 * A portfolio of a sandboxed gateway, as the OpenAPI document shows it.
 *
 * Source: §4.4
 */
import type { Example } from '../../http/route.ts'

export const PORTFOLIOS = {
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
          slot: 447552149,
          at: '2026-11-21T04:01:08.064Z',
          usd: 277.672196,
          tokenCount: 1,
          unpriced: 0,
          holdings: [
            {
              address: 'So11111111111111111111111111111111111111112',
              symbol: 'SOL',
              name: 'Solana',
              isNative: true,
              listed: true,
              amount: '2000000000',
              decimals: 9,
              amountHuman: 2,
              wrapped: '0',
              price: 138.8360984,
              priceTs: 1795233667977,
              valueUsd: 277.672196,
              notes: [],
            },
          ],
          hidden: { count: 0, unpriced: 0, usd: 0 },
          problems: [],
        },
        {
          chain: 'scroll',
          status: 'complete',
          block: 897616834,
          at: '2026-11-21T04:01:08.099Z',
          usd: 2967579.649549,
          tokenCount: 3,
          unpriced: 0,
          holdings: [
            {
              address: '0x5300000000000000000000000000000000000004',
              symbol: 'WETH',
              name: 'Wrapped ETH',
              isNative: false,
              listed: true,
              amount: '1000000000000000000000',
              decimals: 18,
              amountHuman: 1000,
              price: 2937.2075649,
              priceTs: 1795233667973,
              valueUsd: 2937207.5649,
              notes: [],
            },
            {
              address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
              symbol: 'ETH',
              name: 'Scroll',
              isNative: true,
              listed: true,
              amount: '10000000000000000000',
              decimals: 18,
              amountHuman: 10,
              price: 2937.2075649,
              priceTs: 1795233667973,
              valueUsd: 29372.075649,
              notes: [],
            },
            {
              address: '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4',
              symbol: 'USDC',
              name: 'USD Coin',
              isNative: false,
              listed: true,
              amount: '1000000000',
              decimals: 6,
              amountHuman: 1000,
              price: 1.000009,
              priceTs: 1795233667973,
              valueUsd: 1000.009,
              notes: [],
            },
          ],
          hidden: { count: 0, unpriced: 0, usd: 0 },
          problems: [],
        },
      ],
      totalUsd: 2967857.321745,
      tokenCount: 4,
      unpriced: 0,
      at: '2026-11-21T04:01:08.100Z',
    },
  },
} as const satisfies Readonly<Record<string, Example>>

export const PORTFOLIO_ERRORS = {
  400: {
    error: 'Give `address`, `sol` or both: whose holdings to read.',
    scope: 'validation',
    code: 'invalid_parameter',
    field: 'address',
  },
  502: {
    error: 'None of the chains could be read. Try again later.',
    scope: 'rpc',
    code: 'upstream_unavailable',
  },
} as const
