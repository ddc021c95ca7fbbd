/** An address, a token, or a transaction: shortened, with the whole in its title, and a link to the chain's explorer. */
import type { Chain } from '../../client/index.ts'
import { explorerUrl } from '../data/explorer.ts'
import { shortAddress } from '../format.ts'

interface OnChainProps {
  /** Null: no link, such as of a chain whose explorer is not known yet. */
  readonly chain: Chain | null
  readonly kind?: Parameters<typeof explorerUrl>[1]
  readonly id: string
}

export function OnChain({ chain, kind = 'address', id }: OnChainProps) {
  const text = shortAddress(id)
  return chain === null ? (
    <code title={id}>{text}</code>
  ) : (
    <a class="mono" href={explorerUrl(chain, kind, id)} title={id} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}
