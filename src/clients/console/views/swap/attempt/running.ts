/**
 * What a reload needs of a sent swap: its public id, its chain, the last block that it can be in, and the
 * order. The tab keeps it until the swap is over, and keeps no key and no transaction.
 */
import type { CrossChainQuote } from '../../../../client/index.ts'
import type { Attempt } from './types.ts'

const KEY = 'swapgate.running'

/** The final step is sent, or about to be: its id is known. */
const isSent = ({ phase, steps }: Attempt): boolean =>
  phase === 'running' && steps.at(-1)!.title === 'Swap' && steps.at(-1)!.id !== null

/** Keeps a swap that runs, and forgets one that is over. Without storage a reload forgets it, as before. */
export function keepRunning(attempt: Attempt | null): void {
  try {
    if (attempt === null || !isSent(attempt)) sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, JSON.stringify(partOf(attempt)))
  } catch {
    // The browser stores nothing for this page, or this is invalid.
  }
}

/**
 * @returns the swap that was running when the page was left; null if there is none, or none that this version
 * stored
 */
export function readRunning(): Attempt | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Attempt | null
    return kept !== null && isSent(kept) ? kept : null
  } catch {
    return null
  }
}

function partOf(attempt: Attempt): object {
  const { built, quote, crossing, wallet, steps } = attempt
  const { family, name, address, isThrowAway } = wallet
  const { minOut = quote.minOut, expectedOut = quote.expectedOut } = built ?? {}
  return {
    ...attempt,
    wallet: { family, name, address, isThrowAway },
    built: null,
    // The receipt is compared with what the review showed. Members that only a build needs are left out.
    quote: { ...quote, minOut, expectedOut, route: { ...quote.route, raw: '', seal: '', alternatives: [] } },
    crossing: crossing && { input: crossing.input, exchange: null, answer: answerOf(crossing.answer) },
    verdict: null,
    exchange: null,
    steps: steps.map((step) => ({ ...step, state: step.title === 'Swap' ? 'checking' : step.state })),
  }
}

const answerOf = ({ provider, tool, transactionId }: CrossChainQuote) => ({ provider, tool, transactionId })
