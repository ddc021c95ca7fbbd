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
import { NOTHING, type Query, type QueryCallOptions } from '../../../data/query.ts'
import { client, newQuery, spare } from '../../../data/service.ts'
import { noOffers, type OfferList, withEnd, withEvent } from './offer-list.ts'

const EVERY_MS = 50_000

type Open = (options: EventsOptions) => AsyncIterable<ServerEvent<QuoteEvent>>

class OfferStream {
  readonly #open: Open
  readonly #providers: readonly string[]
  readonly #onChange: () => void
  readonly #query: Query<null>
  #list: OfferList
  #end = new AbortController()

  constructor(open: Open, providers: readonly string[], onChange: () => void) {
    this.#open = open
    this.#providers = providers
    this.#onChange = onChange
    this.#list = noOffers(providers)
    this.#query = newQuery((options) => this.#ask(options), {
      everyMs: EVERY_MS,
      budgetPauseMs: spare('swap'),
    })
  }

  get state(): WatchedQuery<OfferList> {
    const { at } = this.#list
    const data = at === null ? null : this.#list
    return { ...this.#query.snapshot, data, at, refresh: () => this.#query.refresh() }
  }

  /** @returns leaves the stream */
  start(): () => void {
    const stop = this.#query.subscribe(this.#onChange)
    return () => {
      stop()
      this.#end.abort()
    }
  }

  /** Resolves with the first event; the offers so far stay until then. */
  #ask({ signal, ...options }: QueryCallOptions): Promise<null> {
    this.#end.abort()
    const end = new AbortController()
    this.#end = end
    signal.addEventListener('abort', () => end.abort())
    let list = noOffers(this.#providers)
    const change = (next: OfferList): void => {
      if (end.signal.aborted) return
      this.#list = list = next
      this.#onChange()
    }
    return new Promise((resolve, reject) => {
      let isBegun = false
      // Before its first event, the query reports the loss, and retries.
      const lose = (error: SwapgateError | null): void => {
        if (isBegun) change(withEnd(list, 'The connection was lost.', CLOCK.now()))
        else reject(error ?? new SwapgateError('network', 'The stream broke.'))
        end.abort()
      }
      const onReconnect = (_afterMs: number, error: SwapgateError | null): void => lose(error)
      const follow = async (): Promise<void> => {
        for await (const event of this.#open({ ...options, signal: end.signal, onReconnect })) {
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
        : new OfferStream(
            (options) => client.quoteStream(input!, options),
            providers,
            () => draw((count) => count + 1),
          ),
    [name],
  )
  useEffect(() => stream?.start(), [stream])
  return stream?.state ?? { ...NOTHING, refresh() {} }
}
