/**
 * A bounded random walk that needs no history: the same seed, key and step give
 * the same place, at any step, in any order. It is value noise: octaves of
 * hashed points, each interpolated between its neighbours, all in integers.
 *
 *   octave  points every 1, 16, 256, 4096 steps; a step of 3 s makes that 3 s to 3.4 h
 *   weight  slow ones weigh more, so neighbouring steps are close to each other
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
 * @param swingPpm  how far it may go from zero
 * @returns parts per million, from -swingPpm to swingPpm
 */
export function walk(seed: number, key: string, step: number, swingPpm: number): number {
  const origin = hashText(key, seed)
  return OCTAVES.reduce((sum, { steps, perMille }, octave) => {
    const index = Math.floor(step / steps)
    const into = step - index * steps
    const height = point(origin, octave, index) * (steps - into) + point(origin, octave, index + 1) * into
    return sum + Math.trunc((swingPpm * perMille * height) / (steps * SPAN * 1_000))
  }, 0)
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
