/** A shortened address. Its tooltip shows the whole address and its source. */
import { shortAddress } from '../../format.ts'
import type { Provenance } from '../../parts/provenance.ts'
import { tipOf } from '../../parts/tip.tsx'

export function Address({ address, ...from }: Provenance & { readonly address: string }) {
  const { source, at, notes = [] } = from
  return (
    <button type="button" class="figure mono" {...tipOf({ source, at, notes: [address, ...notes] })}>
      {shortAddress(address)}
    </button>
  )
}
