/** A token's live price from the event stream, while the tab is visible. */
import { useEffect, useState } from 'preact/hooks'
import { isSwapgateError } from '../../../client/index.ts'
import { attention, client } from '../../data/service.ts'

interface LivePrice {
  readonly price: number | null
  /** When the price was current, ms of the wall clock. */
  readonly at: number | null
  readonly isStale: boolean
}

interface LivePriceState {
  /** Null before the first event. */
  readonly last: LivePrice | null
  /** `lost`: the stream reconnects automatically; `refused`: it does not. */
  readonly state: 'opening' | 'live' | 'lost' | 'refused'
}

const OPENING: LivePriceState = { last: null, state: 'opening' }

/** @param token  as the stream takes it, such as `base:0x...`. A hidden tab keeps no stream open. */
export function useLivePrice(token: string): LivePriceState {
  const [live, set] = useState(OPENING)
  const [isSeen, see] = useState(attention.isAwake)
  useEffect(() => attention.watch(() => see(attention.isAwake())), [])
  useEffect(() => set(OPENING), [token])
  useEffect(() => {
    if (!isSeen) return
    const end = new AbortController()
    const change = (part: Partial<LivePriceState>): void => {
      if (!end.signal.aborted) set((before) => ({ ...before, ...part }))
    }
    void follow(token, end.signal, change)
    return () => end.abort()
  }, [token, isSeen])
  return live
}

async function follow(
  token: string,
  signal: AbortSignal,
  change: (part: Partial<LivePriceState>) => void,
): Promise<void> {
  try {
    const onReconnect = (): void => change({ state: 'lost' })
    for await (const { data } of client.prices({ tokens: token }, { signal, onReconnect })) {
      const [row] = data.prices ?? []
      change({ state: 'live' })
      if (row !== undefined) {
        change({ last: { price: row.price, at: row.priceTs, isStale: row.priceStale } })
      }
    }
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    change({ state: 'refused' })
  }
}
