/** The source and age of a part of the profile, below the part's title. */
import { useNow } from '../../data/hooks.ts'
import { age } from '../../format.ts'
import { Tipped } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'

export function Origin(from: Provenance) {
  const now = useNow(1_000)
  const { source, at } = from
  return (
    <p class="origin">
      <Tipped {...from}>
        {at === null || at === undefined ? source : `${source}, ${age(now - at)} old`}
      </Tipped>
    </p>
  )
}
