/** Polling rounds, one a slot, while there is something to poll. */
import type { Clock } from '../../runtime/clock.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'

export class Rounds {
  readonly #rpc: Pick<SolanaRpc, 'slotMs'>
  readonly #clock: Clock
  /** Polls, and returns whether another round is needed. */
  readonly #ask: () => Promise<boolean>
  #callOff: (() => void) | null = null
  /** When the last round began. */
  #roundAt = Number.NEGATIVE_INFINITY
  #isAsking = false
  #isClosed = false

  constructor(rpc: Pick<SolanaRpc, 'slotMs'>, clock: Clock, ask: () => Promise<boolean>) {
    this.#rpc = rpc
    this.#clock = clock
    this.#ask = ask
  }

  /** @param isPrompt  at once, if the last round began a slot ago */
  schedule(isPrompt = false): void {
    if (this.#isAsking || this.#isClosed || (this.#callOff !== null && !isPrompt)) return
    this.#callOff?.()
    const { slotMs } = this.#rpc
    const restMs = this.#roundAt + slotMs - this.#clock.now()
    this.#callOff = this.#clock.after(isPrompt ? Math.max(0, restMs) : slotMs, () => {
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
    this.#roundAt = this.#clock.now()
    const goesOn = await this.#ask()
    this.#isAsking = false
    if (goesOn) this.schedule()
  }
}
