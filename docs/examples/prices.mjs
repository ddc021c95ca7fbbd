/**
 * Live prices of a few tokens in a page. EventSource reconnects by itself after
 * an outage of the network or the gateway, and gets the changes that it missed.
 */

/**
 * @param tokens     up to 50 of `chain:address`, such as `solana:native`
 * @param onPrices   called with all prices by `chain:address`, whenever one has changed
 * @param onRefused  called if the gateway refuses the stream; EventSource does not expose the reason
 * @returns a function that closes the stream
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
