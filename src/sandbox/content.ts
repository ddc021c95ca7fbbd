/**
 * The sample content of the sandbox's operator (published.json), with something for each community path.
 * Its people and links are fictitious.
 */
import type { SampleContent } from '../research/content/inventory.ts'
import sample from './published.json' with { type: 'json' }

export const SAMPLE: SampleContent = sample as SampleContent
