/**
 * What fifty trading bots ask of one relay, as data: each polls the cluster for
 * slots, blockhashes and fees, and its own wallet and signatures besides. Not a
 * recording of anybody, but what the libraries' loops and bots' settings add up
 * to: slots twice in each, blockhashes once, a wallet now and then, and after a
 * trade every 20 s its status in each slot until the fifth answer confirms it.
 */

export const BOTS = 50
export const TRACE_MS = 20_000

/** One line of a bot's program. */
export interface Poll {
  readonly method: string
  /** Beside what is the bot's own, if anything is. */
  readonly options: Readonly<Record<string, unknown>> | null
  /** What of the bot's own stands before them. */
  readonly own: 'wallet' | 'signature' | null
  readonly everyMs: number
  /** How often, from the first time on; for as long as the trace where absent. */
  readonly times?: number
}

export const TRACE: readonly Poll[] = [
  { method: 'getSlot', options: { commitment: 'processed' }, own: null, everyMs: 200 },
  { method: 'getLatestBlockhash', options: { commitment: 'confirmed' }, own: null, everyMs: 400 },
  { method: 'getRecentPrioritizationFees', options: null, own: null, everyMs: 1_000 },
  { method: 'getBalance', options: { commitment: 'confirmed' }, own: 'wallet', everyMs: 5_000 },
  { method: 'getSignatureStatuses', options: null, own: 'signature', everyMs: 400, times: 5 },
]

/** One request of one bot. */
export interface Event {
  readonly atMs: number
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * All that one bot asks, in order. The bots are out of step with each other.
 * @param own  base58
 */
export function eventsOf(bot: number, own: { wallet: string; signature: string }): Event[] {
  const events = TRACE.flatMap(({ method, options, own: kind, everyMs, times }, line) => {
    const firstMs = ((bot * 7 + line * 3) % BOTS) * ((times === undefined ? everyMs : TRACE_MS / 2) / BOTS)
    const count = times ?? Math.floor(TRACE_MS / everyMs)
    const mine = kind === null ? [] : [kind === 'signature' ? [own.signature] : own.wallet]
    const params = [...mine, ...(options === null ? [] : [options])]
    return Array.from({ length: count }, (_, i) => ({ atMs: firstMs + i * everyMs, method, params }))
  })
  return events.sort((a, b) => a.atMs - b.atMs)
}
