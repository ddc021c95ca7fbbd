/** All of a swap as one file, which `swapgate-verify` judges again. */
import { askedOf } from './attempt.ts'
import type { Attempt } from './types.ts'

export async function tradeOf(attempt: Attempt): Promise<string> {
  const { quote, crossing, built, builtAt, steps, receipt, wallet, exchange } = attempt
  const { tradeFile } = await import('#verify')
  const sent = steps.at(-1)
  return tradeFile({
    order: askedOf(attempt),
    ...(crossing === null && {
      quote: { at: quote.route.asOf, source: `GET /api/quote/stream, ${quote.provider}`, body: quote },
    }),
    built: { at: builtAt!, source: exchange?.url ?? '/api/build', body: crossing?.answer ?? built },
    ...(sent?.id && { signed: { at: sent.at, source: wallet.name, body: sent.id } }),
    ...(receipt !== null && {
      receipt: { at: receipt.asOf, source: "GET /api/receipt, from the chain's nodes", body: receipt },
    }),
  })
}

export function download(trade: string, id: string | undefined): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([trade], { type: 'application/json' }))
  link.download = `trade-${id?.slice(0, 12) ?? 'unsent'}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
