/**
 * What a sandboxed gateway answers about the tokens of its list, and others.
 */

import type { Example } from '../../http/route.ts'
import type { FeedPage } from '../../research/discover/feed.ts'
import type { LookupResult } from '../../research/discover/lookup.ts'
import type { SearchResult } from '../../research/discover/search.ts'

const FEED: FeedPage = {
  items: [
    {
      kind: 'listed',
      at: 1795308769589,
      changePct: null,
      since: null,
      token: {
        chain: 'base',
        address: '0x000000000000000000000000000000007370616d',
        symbol: 'SPAM',
        name: 'SPAM (sandbox)',
        decimals: null,
        price: 1244320,
        priceTs: 1795308769571,
        liq: 11.807604,
        tier: 'thin',
        book: 'boosted',
        gated: false,
        gate: [],
        readsLike: null,
      },
    },
    {
      kind: 'listed',
      at: 1795308769589,
      changePct: null,
      since: null,
      token: {
        chain: 'base',
        address: '0x000000000000000000000000000000686f6E6579',
        symbol: 'HONEY',
        name: 'HONEY (sandbox)',
        decimals: null,
        price: 0.0193730742,
        priceTs: 1795308769571,
        liq: 119535.24,
        tier: 'mid',
        book: 'boosted',
        gated: false,
        gate: [],
        readsLike: null,
      },
    },
  ],
  next: 'KPDc3pxRc7bxUmDdruujNVsxNzk1MzA4NzY5NTg5LCJiYXNlIDB4MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwNjg2ZjZFNjU3OSBsaXN0ZWQiXQ',
}

const FOUND: SearchResult = {
  tokens: [
    {
      chain: 'base',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      price: 0.999993,
      priceTs: 1795308769100,
      liq: 25290700,
      tier: 'deep',
      book: 'majors',
      gated: false,
      gate: [],
      readsLike: null,
    },
  ],
  total: 1,
  updatedAt: 1795308769589,
}

const LISTED: LookupResult = {
  looksLike: [{ family: 'evm', form: 'address', text: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
  candidates: [
    {
      chain: 'base',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      price: 0.999993,
      priceTs: 1795308769100,
      liq: 25290700,
      tier: 'deep',
      book: 'majors',
      gated: false,
      gate: [],
      readsLike: null,
      family: 'evm',
      kind: 'stablecoin',
      listed: true,
      source: 'tokens',
      why: 'major',
    },
  ],
  sources: [],
}

const UNLISTED: LookupResult = {
  looksLike: [{ family: 'evm', form: 'address', text: '0x532f27101965dd16442E59d40670FaF5eBB142E4' }],
  candidates: [
    {
      chain: 'base',
      address: '0x532f27101965dd16442E59d40670FaF5eBB142E4',
      symbol: 'BRETT',
      name: 'Brett',
      decimals: 18,
      price: 0.0176448582,
      priceTs: 1795308769970,
      liq: 122697.84,
      tier: 'mid',
      book: null,
      gated: null,
      gate: [],
      readsLike: null,
      listed: false,
      family: 'evm',
      kind: 'token',
      source: 'dexscreener',
      why: 'market',
    },
  ],
  sources: [{ provider: 'dexscreener', status: 'ok', at: 1795308769971 }],
}

const TRANSACTION: LookupResult = {
  looksLike: [
    {
      family: 'sui',
      form: 'address',
      text: '0xabababababababababababababababababababababababababababababababab',
    },
    {
      family: 'evm',
      form: 'transaction',
      text: '0xabababababababababababababababababababababababababababababababab',
    },
  ],
  candidates: [],
  sources: [],
}

type Examples = Readonly<Record<string, Example>>

export const FEEDS: Examples = { newest: { request: { limit: 2 }, reply: FEED } }

export const SEARCHES: Examples = { usdc: { request: { q: 'usdc', scope: 'base' }, reply: FOUND } }

export const LOOKUPS: Examples = {
  listed: { request: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }, reply: LISTED },
  unlisted: { request: { address: '0x532f27101965dd16442E59d40670FaF5eBB142E4' }, reply: UNLISTED },
  transaction: {
    request: { address: '0xabababababababababababababababababababababababababababababababab' },
    reply: TRANSACTION,
  },
}
