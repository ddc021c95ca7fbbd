/** An address, a token, or a transaction: shortened, with the whole in its title, and a link to the chain's explorer. */
import type { Chain } from '../../client/index.ts'
import { shortAddress } from '../format.ts'

type Kind = 'address' | 'token' | 'tx'

interface OnChainProps {
  /** Null: no link, such as of a chain whose explorer is not known yet. */
  readonly chain: Chain | null
  readonly kind?: Kind
  readonly id: string
}

export function OnChain({ chain, kind = 'address', id }: OnChainProps) {
  const text = shortAddress(id)
  return chain === null ? (
    <code title={id}>{text}</code>
  ) : (
    <a class="mono" href={urlOf(chain, kind, id)} title={id} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}

const familyOf = ({ key, evm }: Chain): keyof typeof PATHS =>
  evm ? 'evm' : key === 'sui' || key === 'ton' ? key : 'solana'

/** By Etherscan, Solscan, SuiVision and Tonviewer. */
const PATHS = {
  evm: { address: '/address/', token: '/token/', tx: '/tx/' },
  solana: { address: '/account/', token: '/token/', tx: '/tx/' },
  sui: { address: '/account/', token: '/coin/', tx: '/txblock/' },
  ton: { address: '/', token: '/', tx: '/transaction/' },
} as const

const urlOf = (chain: Chain, kind: Kind, id: string): string =>
  `${chain.explorer}${PATHS[familyOf(chain)][kind]}${id}`
