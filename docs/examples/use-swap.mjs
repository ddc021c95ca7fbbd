/** Two React hooks: a quote that stays fresh while an order is shown, and a swap that survives a reload. */
import { executeSwap, resumeSwap } from '@swapgate/client/swap'
import { useCallback, useEffect, useState } from 'react'

const AFTER_KEY_MS = 300
const FRESH_MS = 15_000

/**
 * @param client  of @swapgate/client; the same object at each render
 * @param order   chain, side, token and amount as the user typed them, or null while the form is incomplete
 * @returns       the newest quote and the last error; both null until there is one
 */
export function useQuote(client, order) {
  const [state, setState] = useState({ quote: null, error: null })
  const key = JSON.stringify(order)
  useEffect(() => {
    setState({ quote: null, error: null })
    const wanted = JSON.parse(key)
    if (wanted === null) return
    const left = new AbortController()
    const ask = () =>
      client.quote(wanted, { signal: left.signal }).then(
        (quote) => setState({ quote, error: null }),
        (error) => !left.signal.aborted && setState({ quote: null, error }),
      )
    // The next key press makes another order: only the last one is asked for.
    const first = setTimeout(ask, AFTER_KEY_MS)
    const again = setInterval(ask, FRESH_MS)
    return () => {
      clearTimeout(first)
      clearInterval(again)
      left.abort()
    }
  }, [client, key])
  return state
}

/**
 * @param client  of @swapgate/client
 * @param wallet  viemWallet(...), adapterWallet(...) or another one, memoized; null while none is connected
 * @param keep    { store: localStorage, id }: the id of the swap of this form, memoized and kept by your app
 * @returns       `state`, with the `step` that the swap is at and the `error` of one that failed or was declined, and
 *                `swap(order, minOut)`
 */
export function useSwap(client, wallet, keep) {
  const [state, setState] = useState({ step: 'idle' })

  const run = useCallback(
    async (start) => {
      try {
        const result = await start({ keep, onProgress: ({ step }) => setState({ step }) })
        setState(result === null ? { step: 'idle' } : { step: 'done', ...result })
      } catch (error) {
        setState({ step: error.code === 'declined' ? 'idle' : 'failed', error })
      }
    },
    [keep],
  )

  // What was under way before a reload goes on, and nothing is signed for it.
  useEffect(() => {
    if (wallet !== null) run((options) => resumeSwap(client, wallet, options))
  }, [client, wallet, run])

  /** @param minOut  of the quote that the user saw: a build that guarantees less is not signed */
  const swap = useCallback(
    (order, minOut) => {
      const agree = (quote) => BigInt(quote.minOut) >= BigInt(minOut)
      return run((options) => executeSwap(client, order, wallet, { ...options, agree }))
    },
    [client, wallet, run],
  )
  return { state, swap }
}
