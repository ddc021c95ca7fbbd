/** The groups of routes, which are the tags of the OpenAPI document. */
import type { Group } from '../http/route.ts'

export const TOKENS: Group = {
  name: 'Tokens',
  summary: 'The token list, and what is known of one token',
  text: 'Figures and findings are observations, not an audit. Unknown is null.',
}

export const PRICES: Group = {
  name: 'Prices',
  summary: 'Prices as they change, and those of native coins',
  text: 'In dollars. Unknown is null; the outcome of each source that was asked is listed.',
}

export const PORTFOLIOS: Group = {
  name: 'Portfolios',
  summary: 'What public addresses hold',
  text: 'An address in a request proves nothing, and needs no permission.',
}

export const SWAPS: Group = {
  name: 'Swaps',
  summary: 'Quotes, and unsigned transactions for them',
  text: 'The wallet reviews, signs and sends what is built; the gateway holds no keys.',
}

export const SWAP_FORMS: Group = {
  name: 'Swap forms',
  summary: 'Swap forms and baskets of tokens',
  text: 'From what the gateway holds already: only the token list is read upstream, as for /api/tokens.',
}

export const CROSS_CHAIN: Group = {
  name: 'Cross-chain swaps',
  summary: 'Routes between chains, and how far a transfer is',
  text: 'The wallet signs and sends on the source chain; the provider delivers on the other.',
}

export const SOLANA: Group = {
  name: 'Solana',
  summary: 'The relay to Solana, and what became of the transactions that it took',
  text: 'Only valid, signed transactions pass.',
}

export const TRANSACTIONS: Group = {
  name: 'Transactions',
  summary: 'What became of a transaction, what it moved, and what a spender may take',
  text: "The word of the chains' nodes, EVM chains and Solana in one shape.",
}

export const DISCOVERY: Group = {
  name: 'Discovery',
  summary: 'Find tokens by name, by address, or as they are listed',
  text: 'Answers come from the token list; a lookup asks upstream for what the list does not know. There is no authentication.',
}

export const SERVICE: Group = {
  name: 'Service',
  summary: 'What the service says of itself',
  text: 'Its chains, its settings, its health and this document.',
}

export const STATISTICS: Group = {
  name: 'Statistics',
  summary: 'Statistics and state of this instance and its providers',
  text: 'From the counters of one instance since its start, anonymous. No upstream is asked.',
}

export const COMMUNITY: Group = {
  name: 'Community',
  summary: "An operator's own content, read-only",
  text: 'There is no authentication, and nothing is written. Everybody gets the same answers; an address in a request proves nothing.',
}
