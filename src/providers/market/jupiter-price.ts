/**
 * Jupiter's price API, version 3. It leaves out a mint that it has no reliable
 * price for. It tells no time, so a price is of when it was asked.
 *
 * Source: §4.4 · developers.jup.ag, Price API V3
 */
import { answerReader } from '../swap/answer.ts'
import type { Upstream } from '../upstream.ts'
import { cleanNumber } from './clean.ts'
import { AnyObject, type Fields, fieldsOf } from './fields.ts'
import type { Price, PriceSource } from './market.ts'

const MAX_TOKENS = 50

const readPrices = answerReader(AnyObject)

/** @param now  wall clock, ms */
export function jupiterPrices(upstream: Pick<Upstream, 'exchange'>, now: () => number): PriceSource {
  return {
    maxTokens: MAX_TOKENS,
    async ask(chain, addresses, { deadlineMs, priority, cancel }) {
      const priceTs = now()
      const prices = await upstream.exchange<Fields>(
        {
          method: 'GET',
          path: `/price/v3?${new URLSearchParams({ ids: addresses.join() })}`,
          body: null,
          priority,
          resend: true,
          read: (status, body) => (status === 200 ? (readPrices(body)?.value ?? null) : null),
        },
        deadlineMs,
        cancel,
      )
      return addresses.flatMap((address): Price[] => {
        const { usdPrice, liquidity } = fieldsOf(prices[address])
        const price = cleanNumber(usdPrice)
        const liq = cleanNumber(liquidity)
        // Without a depth there is no telling what the price is worth.
        return !price || liq === null ? [] : [{ chain, address, price, priceTs, liq }]
      })
    },
  }
}
