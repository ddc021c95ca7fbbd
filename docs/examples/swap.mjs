/**
 * The part of a swap that all families of chains share: a quote, and the
 * unsigned material that the gateway builds for it. The wallet's part differs:
 * see swap-evm.mjs, swap-solana.mjs, swap-sui.mjs and swap-ton.mjs.
 */

/** An error reply of the gateway: `code` is stable, and the message can be shown to users. */
export class Refused extends Error {
  constructor(status, { error, ...fields }) {
    super(error)
    Object.assign(this, { status }, fields)
  }
}

async function ask(url, options) {
  const response = await fetch(url, options)
  const body = await response.json()
  if (!response.ok) throw new Refused(response.status, body)
  return body
}

/**
 * @param order  chain, side (`buy` spends the native coin, `sell` the token), token, amount in whole coins
 *               or tokens as a string, `from`, the wallet, and slippageBps where the user chose one
 */
export const getQuote = (gateway, order) => ask(`${gateway}/api/quote?${new URLSearchParams(order)}`)

/** @param quote  the whole quote, unchanged */
export const buildSwap = (gateway, order, quote) =>
  ask(`${gateway}/api/build`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...order, quote }),
  })

/** With the slippage that fits, where the user chose none. */
export async function withSlippage(gateway, order) {
  if (order.slippageBps !== undefined) return order
  const { suggestedSlippageBps } = await getQuote(gateway, order)
  return { ...order, slippageBps: suggestedSlippageBps }
}

/**
 * Shows the quote to the user, and builds it if they agree.
 * @returns null if the user declined
 */
export async function prepareSwap(gateway, wanted, agree) {
  const order = await withSlippage(gateway, wanted)
  const quote = await getQuote(gateway, order)
  if (!(await agree(quote))) return null
  try {
    return await buildSwap(gateway, order, quote)
  } catch (error) {
    // The market fell below what the user agreed to: ask again with a new quote.
    if (error.code === 'quote_moved') return prepareSwap(gateway, wanted, agree)
    throw error
  }
}
