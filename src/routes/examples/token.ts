/**
 * A sandboxed gateway's answer about its honeypot, the lists cut after a few
 * entries, and its refusals.
 */
import type { TokenProfile } from '../../resources.ts'

export const HONEYPOT: TokenProfile = {
  chain: 'base',
  token: '0x000000000000000000000000000000686f6E6579',
  updatedAt: 1795233122724,
  row: {
    chain: 'base',
    address: '0x000000000000000000000000000000686f6E6579',
    symbol: 'HONEY',
    name: 'HONEY (sandbox)',
    price: 0.02161311,
    priceTs: 1795233122730,
    priceStale: false,
    mcap: 3896448,
    liq: 121266.6,
    vol24: 135028.88,
    holders: 87,
    security: {
      goplus: {
        at: 1795233122724,
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
    lp: {
      goplus: {
        at: 1795233122724,
        holderCount: 2,
        lockedPct: 60,
        burnedPct: 60,
        pools: [
          {
            address: '0x2bb77a398379e61789f5f2163bafa30cab058741',
            venue: 'aerodrome',
            liquidityUsd: 121266.6,
            burnPercent: null,
          },
        ],
      },
    },
    metaTs: 1795233122724,
    profileTs: 1795233122723,
  },
  profile: {
    description: "HONEY (sandbox) is a token of the sandbox's market.",
    image: 'https://cdn.dexscreener.com/cms/images/0x000000000000000000000000000000686f6E6579',
    links: [
      { type: 'website', url: 'https://sandbox484f4e45.example/' },
      { type: 'twitter', url: 'https://x.com/sandbox484f4e45' },
      { type: 'telegram', url: 'https://t.me/sandbox484f4e45' },
    ],
    createdAt: 1795213065009,
    mintAuthority: null,
    freezeAuthority: null,
    sources: ['dexscreener', 'geckoterminal'],
  },
  holders: [
    {
      address: '0x778D53bD75475e57352635AB837947F3E8c3E6DC',
      percent: 41.92,
      balance: '75574084.50704225352112676',
      tags: [],
    },
    {
      address: '0x1128dCa90Bad395087e1095a7584d5626FE58BC4',
      percent: 20.96,
      balance: '37787042.25352112676056338',
      tags: [],
    },
  ],
  early: [
    {
      kind: 'pool',
      address: '0x2bb77a398379e61789f5f2163BAfa30cab058741',
      venue: 'aerodrome',
      at: 1795213065000,
      source: 'geckoterminal',
    },
    { kind: 'creator', address: '0xF999b992D2208d3C711B9dDF6B394AA08a4c799D', source: 'geckoterminal' },
    {
      kind: 'buyer',
      address: '0x0d2eE6b77d92736f07D4945204DF9c1F24526763',
      at: 1795213142067,
      tx: '0xc02383bda8b5737144ab668131fe9a3ad56e83c7278fcb1c2833639b40095156',
      amount: '12210.131017438894560',
      source: 'geckoterminal',
    },
  ],
  candles: [
    {
      ts: 1795212900000,
      open: 0.0206877102,
      high: 0.0218013168,
      low: 0.0206877102,
      close: 0.0218013168,
      volume: 1391.7331947586154,
    },
    {
      ts: 1795213800000,
      open: 0.0218013168,
      high: 0.0218013168,
      low: 0.020112312,
      close: 0.0206027658,
      volume: 932.2883122824711,
    },
  ],
  trades: [
    {
      ts: 1795232694429,
      kind: 'buy',
      tx: '0x1f5012a8b660559f67b2f867b1dba4f2276e460aaf898d5c54e267722db053d2',
      trader: '0x1485Afa6748eD84c2a3D19C3F85C4Dc27fb7033E',
      amount: '43516.170338914860622',
      priceUsd: 0.0216383931,
      volumeUsd: 941.62,
    },
    {
      ts: 1795232378180,
      kind: 'buy',
      tx: '0x27d325d89fd041e122ed284b13b5d797981a4f1c0da8703c49de14d2feb54911',
      trader: '0x9a6293eA92eAC4cF3bD2676AE0Bbf8f93A3b8333',
      amount: '28650.769110764216748',
      priceUsd: 0.0211132203,
      volumeUsd: 604.91,
    },
  ],
  security: {
    goplus: {
      at: 1795233122724,
      facts: {
        is_open_source: '1',
        is_proxy: '0',
        is_mintable: '0',
        owner_address: '0x0000000000000000000000000000000000000000',
        is_honeypot: '1',
        cannot_buy: '0',
        cannot_sell_all: '1',
        buy_tax: '0',
        sell_tax: '0',
        transfer_pausable: '0',
        is_blacklisted: '0',
        is_in_dex: '1',
      },
      flags: {
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
  },
  origins: {
    row: { source: 'dexscreener', at: 1795233122720, stale: false },
    holders: { source: 'goplus', at: 1795233122724, stale: false },
    candles: { source: 'geckoterminal', at: 1795233122724, stale: false },
    trades: { source: 'geckoterminal', at: 1795233122724, stale: false },
  },
  sources: [
    {
      provider: 'dexscreener',
      status: 'ok',
      at: 1795233122720,
      parts: ['row', 'about', 'early'],
      failed: [],
    },
    {
      provider: 'geckoterminal',
      status: 'ok',
      at: 1795233122723,
      parts: ['row', 'about', 'candles', 'trades', 'early'],
      failed: [],
    },
    {
      provider: 'goplus',
      status: 'ok',
      at: 1795233122724,
      parts: ['security', 'holders', 'early', 'lp', 'row'],
      failed: [],
    },
  ],
}

export const TOKEN_ERRORS = {
  400: {
    error: '`address` must be the address of a token on Base, or native.',
    scope: 'validation',
    code: 'invalid_parameter',
    field: 'address',
  },
  404: {
    error: 'No source that answered knows this token; check the chain and the address.',
    scope: 'not_found',
    code: 'token_not_found',
  },
  502: {
    error: 'None of the sources of token profiles answered. Try again later.',
    scope: 'provider',
    code: 'upstream_unavailable',
    retryAfterMs: 1000,
  },
}
