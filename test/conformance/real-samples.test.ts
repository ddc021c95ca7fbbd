/** Every real sample that there is, against the proof of its family: the table of docs/attacks.md. */
import t from 'tap'
import { FAMILIES, PROVERS, ruleOf, SAMPLE_FILES, type Sample } from '../fixtures/real-samples.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

const missing = SAMPLE_FILES.map(skipWithout).find((why) => why !== false) ?? false

t.test('each real sample passes, or is refused for its reason', { skip: missing }, async (t) => {
  const samples = SAMPLE_FILES.flatMap((file) => readVectorLines<Sample>(file))
  const seen = new Map(Object.keys(FAMILIES).map((family) => [family, [] as (string | null)[]]))
  for (const sample of samples) {
    const prove = PROVERS[sample.family]!
    seen.get(sample.family)!.push(await ruleOf(() => prove(sample as never)))
  }
  for (const [family, { name, samples }] of Object.entries(FAMILIES)) {
    const rules = samples.map((outcome) => outcome?.rule ?? null)
    t.strictSame(seen.get(family), rules, name)
  }
})
