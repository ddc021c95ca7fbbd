/** A token's price as it changes, over the event stream, while somebody looks. */
import { useEffect, useState } from 'preact/hooks'
import { isSwapgateError } from '../../../client/index.ts'
import { client } from '../../data/service.ts'

export interface LivePrice {
  readonly price: number | null
  /** Of the price, ms of the wall clock. */
  readonly at: number | null
  readonly isStale: boolean
}

export interface Live {
  /** Null before the first event. */
  readonly last: LivePrice | null
  /** `lost`: it is opened again by itself; `refused`: it is not. */
  readonly state: 'opening' | 'live' | 'lost' | 'refused'
}

const OPENING: Live = { last: null, state: 'opening' }

/** @param token  as the stream takes it, such as `base:0x...`; a tab that nobody looks at holds no stream */
export function useLivePrice(token: string): Live {
  const [live, set] = useState(OPENING)
  const [isSeen, see] = useState(document.visibilityState !== 'hidden')
  useEffect(() => {
    const look = (): void => see(document.visibilityState !== 'hidden')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => set(OPENING), [token])
  useEffect(() => {
    if (!isSeen) return
    const end = new AbortController()
    const change = (part: Partial<Live>): void => {
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
  change: (part: Partial<Live>) => void,
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
