/** A wallet's swap on an EVM chain that trusts no gateway: what is signed was verified here, by the user's own words. */
import { verify } from 'swapgate/verify'

/**
 * @param client  of swapgate/client
 * @param order   chain, side, token, amount and from, as the user typed them
 * @param accept  shows the quote, and returns the least base units that the user accepts
 * @param send    signs and sends a call: { to, data, value }, value in wei
 * @throws Error  with the rule that does not hold
 */
export async function swap(client, order, accept, send) {
  const quote = await client.quote(order)
  const minOut = await accept(quote)
  const built = await client.build({ ...order, quote })
  const verdict = await verify({ ...order, amountIn: quote.amountIn, minOut }, built)
  if (!verdict.isVerified) throw new Error(`${verdict.rule}: ${verdict.message}`)
  if (verdict.level === 'stated') throw new Error(`Nobody proves its ${verdict.stated.join(', ')}.`)
  const { to, data, value, approval } = verdict.material
  return send({ to, data, value }, approval)
}
