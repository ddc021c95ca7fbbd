/** How built material was verified, weakest first: the provider's claim, executing it, or its bytes alone. */
export const LEVELS = ['stated', 'simulated', 'proved'] as const
export type Level = (typeof LEVELS)[number]

export const isAtLeast = (level: Level, minimum: Level): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(minimum)
