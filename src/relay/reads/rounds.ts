/** Polling rounds, one a slot, while there is something to poll. */
import type { Clock } from '../../runtime/clock.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'

export interface PollerOptions {
  readonly rpc: Pick<SolanaRpc, 'read' | 'slotMs'>
  readonly clock: Clock
}

export class Rounds {
  readonly #options: PollerOptions
  /** Polls, and returns whether another round is needed. */
  readonly #ask: () => Promise<boolean>
  #callOff: (() => void) | null = null
  /** When the last round began. */
  #roundAt = Number.NEGATIVE_INFINITY
  #isAsking = false
  #isClosed = false

  constructor(options: PollerOptions, ask: () => Promise<boolean>) {
    this.#options = options
    this.#ask = ask
  }

  /** @param isPrompt  at once, if the last round began a slot ago */
  schedule(isPrompt = false): void {
    if (this.#isAsking || this.#isClosed || (this.#callOff !== null && !isPrompt)) return
    this.#callOff?.()
    const { rpc, clock } = this.#options
    const restMs = this.#roundAt + rpc.slotMs - clock.now()
    this.#callOff = clock.after(isPrompt ? Math.max(0, restMs) : rpc.slotMs, () => {
      this.#callOff = null
      void this.#run()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#callOff?.()
  }

  async #run(): Promise<void> {
    this.#isAsking = true
    this.#roundAt = this.#options.clock.now()
    const goesOn = await this.#ask()
    this.#isAsking = false
    if (goesOn) this.schedule()
  }
}
