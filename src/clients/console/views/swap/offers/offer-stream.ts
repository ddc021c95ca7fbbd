/**
 * Follows the offers of one order. While the page is visible it is opened again before its minute ends, unless half of
 * the budget is spent: each time spends a swap.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  type EventsOptions,
  isSwapgateError,
  type QuoteEvent,
  type QuoteInput,
  type ServerEvent,
  SwapgateError,
} from '../../../../client/index.ts'
import { CLOCK } from '../../../clock.ts'
import type { WatchedQuery } from '../../../data/hooks.ts'
import { NOTHING, type QueryCallOptions } from '../../../data/query.ts'
import { client, newQuery, spare } from '../../../data/service.ts'
import { noOffers, type OfferList, withEnd, withEvent } from './offer-list.ts'

const EVERY_MS = 50_000

type Open = (options: EventsOptions) => AsyncIterable<ServerEvent<QuoteEvent>>

function offerStream(open: Open, providers: readonly string[], onChange: () => void) {
  let shown = noOffers(providers)
  let end = new AbortController()
  /** Resolves with the first event; the offers so far stay until then. */
  const ask = ({ signal, ...options }: QueryCallOptions): Promise<null> => {
    end.abort()
    const own = (end = new AbortController())
    signal.addEventListener('abort', () => own.abort())
    let list = noOffers(providers)
    const change = (next: OfferList): void => {
      if (own.signal.aborted) return
      shown = list = next
      onChange()
    }
    return new Promise((resolve, reject) => {
      let isBegun = false
      // Before its first event, the query reports the loss, and retries.
      const lose = (error: SwapgateError | null): void => {
        if (isBegun) change(withEnd(list, 'The connection was lost.', CLOCK.now()))
        else reject(error ?? new SwapgateError('network', 'The stream broke.'))
        own.abort()
      }
      const onReconnect = (_afterMs: number, error: SwapgateError | null): void => lose(error)
      const follow = async (): Promise<void> => {
        for await (const event of open({ ...options, signal: own.signal, onReconnect })) {
          change(withEvent(list, event, CLOCK.now()))
          isBegun = true
          resolve(null)
        }
        // Nobody waits any longer.
        resolve(null)
      }
      follow().catch((error: unknown) => {
        if (!isSwapgateError(error)) throw error
        lose(error)
      })
    })
  }
  const query = newQuery(ask, { everyMs: EVERY_MS, budgetPauseMs: spare('swap') })
  return {
    get state(): WatchedQuery<OfferList> {
      const { at } = shown
      return { ...query.snapshot, data: at === null ? null : shown, at, refresh: () => query.refresh() }
    },
    /** @returns leaves the stream */
    start() {
      const stop = query.subscribe(onChange)
      return () => {
        stop()
        end.abort()
      }
    },
  }
}

/**
 * The offers for an order, while the component shows them.
 * @param name  identifies the order; null: there is none to request
 */
export function useOffers(
  name: string | null,
  input: QuoteInput | null,
  providers: readonly string[],
): WatchedQuery<OfferList> {
  const [, draw] = useState(0)
  const stream = useMemo(
    () =>
      name === null
        ? null
        : offerStream(
            (options) => client.quoteStream(input!, options),
            providers,
            () => draw((count) => count + 1),
          ),
    [name],
  )
  useEffect(() => stream?.start(), [stream])
  return stream?.state ?? { ...NOTHING, refresh() {} }
}
