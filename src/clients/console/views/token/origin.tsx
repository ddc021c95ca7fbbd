/** Where a part of the profile is from. */
import { useNow } from '../../data/hooks.ts'
import { age, shortAddress } from '../../format.ts'
import { Tipped } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'

/** The source and age of a part of the profile, below the part's title. */
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

/** A shortened address. Its tooltip shows the whole address and its source. */
export const Address = ({ address, ...from }: Provenance & { readonly address: string }) => (
  <Tipped {...from} class="mono" notes={[address, ...(from.notes ?? [])]}>
    {shortAddress(address)}
  </Tipped>
)
