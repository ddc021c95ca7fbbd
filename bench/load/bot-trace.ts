/**
 * The requests of fifty trading bots to one relay, as data: each polls the cluster for
 * slots, blockhashes and fees, and its own wallet and signatures. The trace is not a
 * recording; it follows the polling loops of the libraries and the settings of bots:
 * getSlot twice a slot, getLatestBlockhash once a slot, the wallet now and then, and
 * after a trade every 20 s its status once a slot until the fifth answer confirms it.
 */

export const BOTS = 50
export const TRACE_MS = 20_000

/** One polling loop of a bot. */
interface Poll {
  readonly method: string
  /** The last of the params; null for none. */
  readonly options: Readonly<Record<string, unknown>> | null
  /** The first of the params, which differs from bot to bot; null for none. */
  readonly own: 'wallet' | 'signature' | null
  readonly everyMs: number
  /** Number of requests; where absent, the loop runs to the end of the trace. */
  readonly times?: number
}

const TRACE: readonly Poll[] = [
  { method: 'getSlot', options: { commitment: 'processed' }, own: null, everyMs: 200 },
  { method: 'getLatestBlockhash', options: { commitment: 'confirmed' }, own: null, everyMs: 400 },
  { method: 'getRecentPrioritizationFees', options: null, own: null, everyMs: 1_000 },
  { method: 'getBalance', options: { commitment: 'confirmed' }, own: 'wallet', everyMs: 5_000 },
  { method: 'getSignatureStatuses', options: null, own: 'signature', everyMs: 400, times: 5 },
]

/** One request of one bot. */
export interface BotRequest {
  readonly atMs: number
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * All requests of one bot, in order. The bots are out of step with each other.
 * @param own  the bot's wallet and signature, in base58
 */
export function requestsOf(bot: number, own: { wallet: string; signature: string }): BotRequest[] {
  const requests = TRACE.flatMap(({ method, options, own: kind, everyMs, times }, line) => {
    const firstMs = ((bot * 7 + line * 3) % BOTS) * ((times === undefined ? everyMs : TRACE_MS / 2) / BOTS)
    const count = times ?? Math.floor(TRACE_MS / everyMs)
    const mine = kind === null ? [] : [kind === 'signature' ? [own.signature] : own.wallet]
    const params = [...mine, ...(options === null ? [] : [options])]
    return Array.from({ length: count }, (_, i) => ({ atMs: firstMs + i * everyMs, method, params }))
  })
  return requests.sort((a, b) => a.atMs - b.atMs)
}
