/**
 * The tip for a wallet's next transaction: the cheapest that is likely to get it into a block in time, judging by earlier
 * transactions. The gateway alters no transaction, and a signed tip is paid however the transaction lands, so this is the
 * only place to save it.
 *
 *   step   0      1            2            3            4
 *          none   Jito 1,000   Jito 4,000   swqos 5,000  Jito 16,000 ...
 *
 * A late one moves its client to the step above the tip that it carried; one in time moves it an eighth of a step down. So
 * about one in nine is late, and rebroadcasts make up for that. A client that submitted recently gets its own step of the
 * tip ladder, others the median of all: one vote per client.
 */
import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type LandingService, offeringOf, tipAt } from '../../upstream/nodes/solana/landing-services.ts'

/** The highest advised tip, lamports: what the dearest services ask for. */
export const MOST_TIP = 1_000_000n
/** The factor between two steps of a service. */
const FACTOR = 4n
const DOWN = 1 / 8
const MAX_CLIENTS = 1_000
const LATELY_MS = 60_000
/** This many clients are needed for a median that none of them sets alone. */
const LEAST_VOTERS = 3

/** Whose submissions the advice is based on; `none` if there are too few. */
export type TipBasis = 'own' | 'others' | 'none'

interface Rung {
  /** Null if no tip is needed. */
  readonly service: LandingService | null
  readonly lamports: bigint
}

export interface AdvisedTip extends Rung {
  readonly basis: TipBasis
}

interface ClientRung {
  /** Between two steps, the upper one applies. */
  at: number
  notedAt: number
}

export class TipAdvice {
  readonly #rungs: readonly Rung[]
  readonly #clock: Clock
  /** Those that were noted longest ago first. */
  readonly #clients = new Map<Client, ClientRung>()

  /** @param rows  of the operator's services; null for one without known requirements */
  constructor(rows: readonly (LandingService | null)[], clock: Clock) {
    this.#rungs = rungsOf(rows)
    this.#clock = clock
  }

  /**
   * Records a transaction's outcome.
   * @param base64    already parsed
   * @param isInTime  whether a block had it within ten slots
   */
  note(client: Client, base64: string, isInTime: boolean): void {
    if (this.#rungs.length === 1) return
    const carried = this.#carriedBy(base64)
    const known = this.#find(client)
    const at = known?.at ?? carried
    this.#clients.delete(client)
    this.#clients.set(client, { at: this.#next(at, carried, isInTime), notedAt: this.#clock.now() })
    if (this.#clients.size > MAX_CLIENTS) this.#clients.delete(this.#clients.keys().next().value!)
  }

  /** @returns null if no service with known tips is configured */
  advise(client: Client): AdvisedTip | null {
    if (this.#rungs.length === 1) return null
    const own = this.#find(client)
    if (own !== null) return this.#advised(own.at, 'own')
    const since = this.#clock.now() - LATELY_MS
    const others = [...this.#clients.values()].filter(({ notedAt }) => notedAt >= since).map(({ at }) => at)
    if (others.length < LEAST_VOTERS) return this.#advised(1, 'none')
    return this.#advised(others.sort((a, b) => a - b)[others.length >> 1]!, 'others')
  }

  #advised(at: number, basis: TipBasis): AdvisedTip {
    return { ...this.#rungs[Math.ceil(at)]!, basis }
  }

  #find(client: Client): ClientRung | null {
    const known = this.#clients.get(client)
    return known === undefined || this.#clock.now() - known.notedAt > LATELY_MS ? null : known
  }

  #next(at: number, carried: number, isInTime: boolean): number {
    // One with a lower tip was signed earlier, and one with a higher tip shows nothing about this step.
    if (isInTime) return carried > Math.ceil(at) ? at : Math.max(0, at - DOWN)
    return carried < Math.ceil(at) ? at : Math.min(carried + 1, this.#rungs.length - 1)
  }

  /** The highest step that a transaction pays for. */
  #carriedBy(base64: string): number {
    const offering = offeringOf(base64)
    return this.#rungs.findLastIndex(
      ({ service, lamports }) => service === null || tipAt(offering, service) >= lamports,
    )
  }
}

/** From none to the most, of services whose tip accounts are known. */
function rungsOf(rows: readonly (LandingService | null)[]): Rung[] {
  const rungs: Rung[] = []
  for (const service of rows) {
    if (service === null || service.tipAccounts.length === 0) continue
    for (let lamports = service.leastTip; lamports <= MOST_TIP; lamports *= FACTOR) {
      rungs.push({ service, lamports })
    }
  }
  rungs.sort((a, b) => Number(a.lamports - b.lamports))
  return [{ service: null, lamports: 0n }, ...rungs]
}
