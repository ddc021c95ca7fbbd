/**
 * In the place of `async-hook-domain`, by which tap learns in which test an error was thrown that nobody caught: it
 * follows every promise, at a cost. A lane runs one test after the other, so
 * the one that runs is the one (lane.mjs).
 */
export class Domain {
  constructor(onerror) {
    this.onerror = onerror
  }

  destroy() {}
}
