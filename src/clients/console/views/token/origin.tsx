/** The source and age of a part of the profile, below the part's title. */
import { useNow } from '../../data/hooks.ts'
import { age } from '../../format.ts'
import type { Provenance } from '../../parts/provenance.ts'
import { tipOf } from '../../parts/tip.tsx'

export function Origin(from: Provenance) {
  const now = useNow(1_000)
  const { source, at } = from
  return (
    <p class="origin">
      <button type="button" class="figure" {...tipOf(from)}>
        {at === null || at === undefined ? source : `${source}, ${age(now - at)} old`}
      </button>
    </p>
  )
}
