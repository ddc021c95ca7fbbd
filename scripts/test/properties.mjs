/**
 * What `fast-check` is for the files of a lane: what a property is tried with follows from the seed alone, so that a
 * run that holds, holds again, and what survives it, too; and of the samples that a property names, a lane may be told
 * to try a share.
 */
import fc from 'fast-check'

export * from 'fast-check'

/** A property that names no more is tried with all. */
const LEAST = 50
const USUAL = 100
const { LANE_SEED = '1', LANE_SAMPLES = '1' } = process.env
const share = Number(LANE_SAMPLES)

fc.configureGlobal({ seed: Number(LANE_SEED) })

const ofShare = ({ numRuns = USUAL, ...parameters } = {}) => ({
  ...parameters,
  numRuns: Math.max(Math.min(numRuns, LEAST), Math.ceil(numRuns * share)),
})

export default {
  ...fc,
  assert: (property, parameters) => fc.assert(property, ofShare(parameters)),
}
