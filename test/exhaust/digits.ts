/**
 * The number of a case in a mixed radix: a family takes one digit for each choice that it makes, so the number alone
 * says what the case is, and a range of numbers can be given to any process.
 */
export class Digits {
  /** What no digit was taken of yet: 0 once a case has made all of its choices. */
  rest = 0

  /** @param n  from 0, below 2^31 */
  open(n: number): void {
    this.rest = n
  }

  /** @returns a number below `radix` */
  take(radix: number): number {
    const rest = (this.rest / radix) | 0
    const digit = this.rest - rest * radix
    this.rest = rest
    return digit
  }

  /** @returns one of the values */
  of(values: readonly number[]): number {
    return values[this.take(values.length)]!
  }
}
