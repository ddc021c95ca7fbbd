/**
 * Bounded random walks that need no history: the same seed, key and step give
 * the same place, at any step, in any order. They are value noise: octaves of
 * hashed points, each interpolated between its neighbours.
 *
 *   walk    stays near zero, in integers
 *           points every 1, 16, 256, 4096 steps; a step of 3 s makes that 3 s to 3.4 h
 *           slow ones weigh more, so neighbouring steps are close to each other
 *   drift   wanders as prices do
 *           points every 3 s, 24 s, 3 min, 26 min, 3.4 h, 27 h, 9 d, 73 d
 *           each as high as the square root of its interval
 *   chance  a number for a key and a place, as if drawn
 */

const OCTAVES = [
  { steps: 1, perMille: 20 },
  { steps: 16, perMille: 80 },
  { steps: 256, perMille: 300 },
  { steps: 4_096, perMille: 600 },
] as const
/** A point is a whole number from -SPAN to SPAN. */
const SPAN = 1_000

/**
 * @param swing  how far it may go from zero
 * @returns a whole number from -swing to swing
 */
export function walk(seed: number, key: string, step: number, swing: number): number {
  const origin = hashText(key, seed)
  return OCTAVES.reduce((sum, { steps, perMille }, octave) => {
    const index = Math.floor(step / steps)
    const into = step - index * steps
    const height = point(origin, octave, index) * (steps - into) + point(origin, octave, index + 1) * into
    return sum + Math.trunc((swing * perMille * height) / (steps * SPAN * 1_000))
  }, 0)
}

/** Steps between the points of an octave of the drift, eight times those of the one before. */
const DRIFT_STEPS = Array.from({ length: 8 }, (_, octave) => 8 ** octave)
/** The octave of about a day, which is as high as 1. */
const DAY_OCTAVE = 5
/** The standard deviation of a day's change if the octaves weigh by the square roots of their intervals. */
const DAY_DEVIATION = 0.649
/** The step in which the drift is zero apart from its octaves within a day: 21 November 2026. */
const ANCHOR_STEP = Date.UTC(2026, 10, 21) / 3_000

/**
 * A drift whose standard deviation of changes in a day is 1.
 * @param slowest  the last of its octaves: without those of many days it stays within about 3
 */
export function drift(seed: number, key: string, step: number, slowest = DRIFT_STEPS.length - 1): number {
  const origin = originOf(key, seed)
  let sum = 0
  for (let octave = 0; octave <= slowest; octave++) {
    const height = driftAt(origin, octave, step)
    // The base prices are those of the anchor's day.
    const above = octave > DAY_OCTAVE ? driftAt(origin, octave, ANCHOR_STEP) : 0
    sum += (height - above) * Math.sqrt(8 ** (octave - DAY_OCTAVE))
  }
  return sum / DAY_DEVIATION
}

function driftAt(origin: number, octave: number, step: number): number {
  const steps = DRIFT_STEPS[octave]!
  const index = Math.floor(step / steps)
  const into = step / steps - index
  return (point(origin, octave, index) * (1 - into) + point(origin, octave, index + 1) * into) / SPAN
}

/** As if drawn: from 0 to below 1, constant for a key and a place. */
export function chance(key: string, place: number, which = 0): number {
  return mix(mix(originOf(key, 0), place), which) / 2 ** 32
}

/** Two numbers from 0 to below 1 as one of a normal distribution with deviation 1. */
export function gaussian(a: number, b: number): number {
  return Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b)
}

/** The hash of each text; there are as many texts as the market has tokens and pools. */
const ORIGINS = new Map<string, number>()

function originOf(text: string, seed: number): number {
  const key = `${seed} ${text}`
  let origin = ORIGINS.get(key)
  if (origin === undefined) ORIGINS.set(key, (origin = hashText(text, seed)))
  return origin
}

function point(origin: number, octave: number, index: number): number {
  return (mix(mix(origin, octave), index) % (2 * SPAN + 1)) - SPAN
}

/** FNV-1a's idea, with a better mixer. */
function hashText(text: string, seed: number): number {
  let hash = mix(0x811c9dc5, seed)
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i))
  return hash
}

/** MurmurHash3's finalizer: every bit of the input reaches every bit of the output. */
function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
