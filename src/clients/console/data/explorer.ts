/** Links to a chain's block explorer. */
import type { Chain } from '../../client/index.ts'

type Kind = 'address' | 'token' | 'tx'

const familyOf = ({ key, evm }: Chain): keyof typeof PATHS =>
  evm ? 'evm' : key === 'sui' || key === 'ton' ? key : 'solana'

/** By Etherscan, Solscan, SuiVision and Tonviewer. */
const PATHS = {
  evm: { address: '/address/', token: '/token/', tx: '/tx/' },
  solana: { address: '/account/', token: '/token/', tx: '/tx/' },
  sui: { address: '/account/', token: '/coin/', tx: '/txblock/' },
  ton: { address: '/', token: '/', tx: '/transaction/' },
} as const

export const explorerUrl = (chain: Chain, kind: Kind, id: string): string =>
  `${chain.explorer}${PATHS[familyOf(chain)][kind]}${id}`
