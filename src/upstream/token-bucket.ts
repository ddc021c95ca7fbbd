/** Credit that grows with time. Kept as the time that it took to earn, ms: whole numbers for every quota that is published. */
export class TokenBucket {
  readonly fullMs: number
  #creditMs: number
  #creditedAt: number

  /** A full one. */
  constructor(fullMs: number, nowMs: number) {
    this.fullMs = fullMs
    this.#creditMs = fullMs
    this.#creditedAt = nowMs
  }

  /** @param rate  of how fast it fills, per ms */
  credit(nowMs: number, rate: number): number {
    this.#creditMs = Math.min(this.fullMs, this.#creditMs + (nowMs - this.#creditedAt) * rate)
    this.#creditedAt = nowMs
    return this.#creditMs
  }

  spend(costMs: number): void {
    this.#creditMs = Math.max(0, this.#creditMs - costMs)
  }

  /** Has no more than this from now on. */
  lowerTo(creditMs: number): void {
    this.#creditMs = Math.min(this.#creditMs, creditMs)
  }

  fill(): void {
    this.#creditMs = this.fullMs
  }
}
