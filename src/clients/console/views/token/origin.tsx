/** Where a part of the profile is from. */
import { useChain, useNow } from '../../data/hooks.ts'
import { titleOf } from '../../data/words.ts'
import { age, joined } from '../../format.ts'
import { OnChain, type OnChainProps } from '../../parts/explorer.tsx'
import { Tipped } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'

/** The source and age of a part of the profile, below the part's title. */
export function Origin(from: Provenance) {
  const now = useNow(1_000)
  const { source, at } = from
  return (
    <p class="origin">
      <Tipped {...from}>{joined(', ', titleOf(source), at != null && `${age(now - at)} old`)}</Tipped>
    </p>
  )
}

/** An address or a transaction, shortened, with a link to the explorer. @param of  the chain's key */
export const Linked = ({ of, ...what }: Omit<OnChainProps, 'chain'> & { readonly of: string }) => (
  <OnChain {...what} chain={useChain(of)} />
)
