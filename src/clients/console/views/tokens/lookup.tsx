/** An address that no row has: its profile, looked up in place, or the chains that it may be of. */

import type { TokenRow } from '../../../client/index.ts'
import { useAnswer, useChainNames } from '../../data/hooks.ts'
import { textOf } from '../../data/words.ts'
import { hrefOf } from '../../location.ts'
import { Empty } from '../../parts/panel.tsx'
import { TokenName } from '../../parts/token-name.tsx'
import { chainsOfAddress } from './rows.ts'

interface LookupProps {
  readonly text: string
  readonly chain: string | null
  readonly rows: readonly TokenRow[]
}

export function Lookup({ text, chain, rows }: LookupProps) {
  const nameOf = useChainNames()
  const address = text.trim()
  const chains = chainsOfAddress(address, chain, rows)
  if (chains.length === 0) return null
  const [only] = chains
  return chains.length === 1 ? (
    <Found chain={only!} address={address} />
  ) : (
    <p class="lookup row">
      Not on this list. Look it up on{' '}
      {chains.map((one) => (
        <a key={one} class="chip" href={hrefOf('token', [one, address])}>
          {nameOf(one)}
        </a>
      ))}
    </p>
  )
}

function Found({ chain, address }: { readonly chain: string; readonly address: string }) {
  const { data, error } = useAnswer('token', { chain, address })
  if (error !== null) return <Empty>{textOf(error)}</Empty>
  if (data === null) return <Empty>Looking it up…</Empty>
  const { row, token } = data
  return (
    <p class="lookup row">
      Not on this list, so not checked:
      <a href={hrefOf('token', [chain, token])}>
        <TokenName symbol={null} name={null} {...row} chain={chain} address={token} />
      </a>
      <a class="chip" href={hrefOf('swap', [], { chain, token })}>
        Swap it
      </a>
    </p>
  )
}
