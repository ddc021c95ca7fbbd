/** An address, a token, or a transaction: shortened, with the whole in its title, and a link to the chain's explorer. */
import type { Chain } from '../../client/index.ts'
import paths from '../data/explorers.json' with { type: 'json' }
import { shortAddress } from '../format.ts'

type Kind = keyof (typeof paths)['evm']

export interface OnChainProps {
  /** Null: no link, such as of a chain whose explorer is not known yet. */
  readonly chain: Chain | null
  readonly kind?: Kind
  readonly id: string
  /** In the place of the shortened id, such as the whole, which isn't mistaken for a similar one. */
  readonly text?: string
  /** For screen readers, where the text says too little. */
  readonly label?: string
}

export function OnChain({ chain, kind = 'address', id, text = shortAddress(id), label }: OnChainProps) {
  return chain === null ? (
    <code title={id}>{text}</code>
  ) : (
    <a
      class="mono"
      href={urlOf(chain, kind, id)}
      title={id}
      aria-label={label}
      target="_blank"
      rel="noreferrer"
    >
      {text}
    </a>
  )
}

const familyOf = ({ key, evm }: Chain): keyof typeof paths =>
  evm ? 'evm' : key === 'sui' || key === 'ton' ? key : 'solana'

/** By Etherscan, Solscan, SuiVision and Tonviewer. */
const urlOf = (chain: Chain, kind: Kind, id: string): string =>
  `${chain.explorer}${paths[familyOf(chain)][kind]}${id}`
