/**
 * DefiLlama's coin prices, for what most portfolios hold: native coins, their wrappers, stablecoins and other
 * majors. A price counts if DefiLlama is confident of it and it is recent: some are written hourly, and late.
 * Each price carries its time. DefiLlama's answers omit unknown coins. Its `decimals` are not used: the
 * chains provide them.
 *
 * Source: §4.4 · api-docs.defillama.com, GET /prices/current/{coins}
 */

import { Type } from 'typebox'
import { nativeAddress } from '../../chains/address.ts'
import { findChain, namesAt } from '../../chains/find.ts'
import { type Fields, fieldsOf } from '../../chains/json/fields.ts'
import { CLOCK } from '../../runtime/clock.ts'
import { answerReader } from '../answer.ts'
import { type AdapterOptions, get } from '../requests.ts'
import * as clean from './clean.ts'
import { AnyObject } from './fields.ts'
import type { MarketProvider, Price, TokenId } from './market.ts'

/** DefiLlama's names of our chains, by chain key. */
const SLUGS = namesAt('defillama')

/** Tokens go into the URL: this many take about four thousand characters. */
const MAX_TOKENS = 50
const MIN_CONFIDENCE = 0.9
/** The oldest of 40 recorded prices was 11,499 s old. */
const MAX_AGE_MS = 4 * 60 * 60_000
/** The most that a price's time may be ahead of our clock. */
const MAX_AHEAD_MS = 60 * 60_000

const readAnswer = answerReader(Type.Object({ coins: AnyObject }))

export function defillama({ upstream, clock = CLOCK }: AdapterOptions): MarketProvider {
  return {
    label: 'defillama',
    chains: new Set(SLUGS.keys()),
    prices: {
      maxTokens: MAX_TOKENS,
      async ask(tokens, options) {
        const coins = tokens.map((token) => ({ ...token, name: coin(token) }))
        // A native coin and its wrapper have the same name, so duplicates are removed.
        const path = `/prices/current/${[...new Set(coins.map(({ name }) => name))].join()}`
        const request = get<Fields>(path, (body) => readAnswer(body)?.value.coins ?? null)
        const answer = await upstream.ask(request, options)
        return coins.flatMap(({ chain, address, name }): Price[] => {
          const known = readPrice(answer[name], clock.date())
          return known === null ? [] : [{ chain, address, ...known, liq: null }]
        })
      },
    },
  }
}

/** DefiLlama's name of a token, in requests and in answers. */
function coin({ chain: key, address }: TokenId): string {
  const chain = findChain(key)!
  const slug = SLUGS.get(key)!
  if (address !== nativeAddress(chain)) return `${slug}:${address}`
  if (chain.family === 'evm') return `${slug}:${chain.wrappedNative}`
  return chain.coingeckoId === null ? `${slug}:${address}` : `coingecko:${chain.coingeckoId}`
}

/** @returns null if the price is missing or not reliable */
function readPrice(value: unknown, askedAt: number): Pick<Price, 'price' | 'priceTs'> | null {
  const fields = fieldsOf(value)
  const price = clean.number(fields.price)
  const at = clean.time(fields.timestamp, 's')
  const confidence = clean.number(fields.confidence)
  if (!price || at === null || confidence === null) return null
  if (confidence < MIN_CONFIDENCE || confidence > 1) return null
  if (askedAt - at > MAX_AGE_MS || at - askedAt > MAX_AHEAD_MS) return null
  return { price, priceTs: Math.min(at, askedAt) }
}
