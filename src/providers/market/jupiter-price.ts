/**
 * Jupiter's price API, version 3. It leaves out a mint that it has no reliable
 * price for. It tells no time, so a price is of when it was asked.
 *
 * Source: §4.4 · developers.jup.ag, Price API V3
 */

import type { Clock } from '../../clock.ts'
import { answerReader } from '../answer.ts'
import { cleanNumber } from './clean.ts'
import { AnyObject, type Fields, fieldsOf } from './fields.ts'
import { type Asking, get } from './get.ts'
import type { Price, PriceSource } from './market.ts'

const MAX_TOKENS = 50

const readPrices = answerReader(AnyObject)

export function jupiterPrices(upstream: Asking, clock: Clock): PriceSource {
  return {
    maxTokens: MAX_TOKENS,
    async ask(tokens, options) {
      const priceTs = clock.date()
      const ids = tokens.map(({ address }) => address).join()
      const path = `/price/v3?${new URLSearchParams({ ids })}`
      const prices = await upstream.ask(
        get<Fields>(path, (body) => readPrices(body)?.value ?? null),
        options,
      )
      return tokens.flatMap(({ chain, address }): Price[] => {
        const { usdPrice, liquidity } = fieldsOf(prices[address])
        const price = cleanNumber(usdPrice)
        const liq = cleanNumber(liquidity)
        // Without a depth there is no telling what the price is worth.
        return !price || liq === null ? [] : [{ chain, address, price, priceTs, liq }]
      })
    },
  }
}
