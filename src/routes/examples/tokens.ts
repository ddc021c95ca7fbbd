/**
 * A sandboxed gateway's answer to `?all=true&scope=base`, the rows cut to a
 * stablecoin and a honeypot.
 *
 * Source: §4.1, §4.10
 */
import type { TokenList } from '../../resources.ts'

export const LIST: TokenList = {
  tokens: [
    {
      chain: 'base',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      price: 1.000011,
      priceTs: 1795234028691,
      priceStale: false,
      mcap: 900009900,
      liq: 25024600,
      vol24: 31707839.49,
      holders: null,
      security: null,
      book: 'majors',
      metaTs: null,
    },
    {
      chain: 'base',
      address: '0x000000000000000000000000000000686f6E6579',
      symbol: 'HONEY',
      name: 'HONEY (sandbox)',
      price: 0.0207522918,
      priceTs: 1795234028691,
      priceStale: false,
      mcap: 3741258,
      liq: 122222.04,
      vol24: 136092.75,
      holders: null,
      security: {
        goplus: {
          at: 1795233995393,
          honeypot: true,
          blacklisted: null,
          cannotSell: true,
          cannotBuy: false,
          freezable: false,
          mintable: false,
          nonTransferable: null,
          sellTaxPct: 0,
        },
      },
      book: 'boosted',
      metaTs: 1795233995393,
      gate: [
        {
          rule: 'honeypot',
          source: 'goplus',
          reason: 'It is a honeypot: it can be bought, but not sold.',
        },
        { rule: 'cannot_sell', source: 'goplus', reason: 'Its holders cannot sell all of it.' },
      ],
    },
  ],
  books: [
    {
      book: 'operator',
      title: "The operator's own tokens",
      source: 'TOKENS_FILE',
      count: 0,
      updatedAt: 1795233990275,
      ageMs: 38471,
    },
    {
      book: 'majors',
      title: 'Native coins, wrapped native coins and stablecoins',
      source: 'curated',
      count: 64,
      updatedAt: 1795233990275,
      ageMs: 38471,
    },
    {
      book: 'boosted',
      title: 'Tokens that somebody pays to promote',
      source: 'dexscreener top boosts, dexscreener latest boosts, dexscreener latest profiles',
      count: 6,
      updatedAt: 1795233995378,
      ageMs: 33368,
    },
    {
      book: 'trending',
      title: 'Trending tokens',
      source: 'jupiter trending tokens, geckoterminal trending pools',
      count: 23,
      updatedAt: 1795234028744,
      ageMs: 2,
    },
    {
      book: 'new',
      title: 'Tokens of new pools',
      source: 'jupiter recent tokens, geckoterminal new pools',
      count: 1,
      updatedAt: 1795234028739,
      ageMs: 7,
    },
  ],
  gated: 1,
  updatedAt: 1795234028746,
}
