/** A token bucket. Its tokens are the time that it took to earn them, ms: whole numbers for every published quota. */
export class TokenBucket {
  readonly fullMs: number
  #creditMs: number
  #creditedAt: number

  /** A full bucket. */
  constructor(fullMs: number, nowMs: number) {
    this.fullMs = fullMs
    this.#creditMs = fullMs
    this.#creditedAt = nowMs
  }

  /** Fills it up to now. @param rate  ms of credit per ms @returns what it holds, ms */
  credit(nowMs: number, rate: number): number {
    this.#creditMs = Math.min(this.fullMs, this.#creditMs + (nowMs - this.#creditedAt) * rate)
    this.#creditedAt = nowMs
    return this.#creditMs
  }

  spend(costMs: number): void {
    this.#creditMs = Math.max(0, this.#creditMs - costMs)
  }

  /** Lowers what it holds to this, if it holds more. */
  lowerTo(creditMs: number): void {
    this.#creditMs = Math.min(this.#creditMs, creditMs)
  }

  fill(): void {
    this.#creditMs = this.fullMs
  }
}
