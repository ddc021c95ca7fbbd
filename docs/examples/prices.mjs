/**
 * Prices of a few tokens in a page, as they change. EventSource connects again by
 * itself after the network or the gateway was away, and is told what it missed.
 */

/**
 * @param tokens     up to 50 of `chain:address`, such as `solana:native`
 * @param onPrices   called with all of them by `chain:address`, whenever one has changed
 * @param onRefused  called where the gateway refuses the stream; its answer says why, and EventSource does not show it
 * @returns stops it
 */
export function watchPrices(gateway, tokens, onPrices, onRefused) {
  const prices = new Map()
  const query = new URLSearchParams({ tokens: tokens.join() })
  const source = new EventSource(`${gateway}/api/prices/stream?${query}`)
  const apply = ({ data }) => {
    for (const tick of JSON.parse(data).prices) prices.set(`${tick.chain}:${tick.address}`, tick)
    onPrices(prices)
  }
  source.addEventListener('snapshot', apply)
  source.addEventListener('change', apply)
  source.addEventListener('error', () => {
    if (source.readyState === source.CLOSED) onRefused()
  })
  return () => source.close()
}
