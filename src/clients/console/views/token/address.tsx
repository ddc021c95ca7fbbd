/** A shortened address. Its tooltip shows the whole address and its source. */
import { shortAddress } from '../../format.ts'
import { Tipped } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'

export const Address = ({ address, ...from }: Provenance & { readonly address: string }) => (
  <Tipped {...from} class="mono" notes={[address, ...(from.notes ?? [])]}>
    {shortAddress(address)}
  </Tipped>
)
