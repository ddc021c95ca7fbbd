/**
 * What a cross-chain swap from Sui has to match: it burns USDC there by Circle's bridge. Other bridges' bytes
 * do not show the recipient and the output.
 */
import type { XprovChain } from '../../chains/find.ts'
import { associatedAccount } from '../../chains/solana/associated.ts'
import { TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import { usdcOf } from '../../chains/stablecoins.ts'
import { writtenAs } from '../cross-chain/lifi/ids.ts'
import type { CrossChainOrder } from '../terms/order.ts'
import { refuseMaterial } from '../terms/verification.ts'
import type { SuiClaim, SuiCrossChain } from './claim.ts'
import { KNOWN_MAYAN } from './mctp.ts'
import { burnDomain } from './packages.ts'

/** What the proof needs to know of the chain and of prices. */
export type SuiFacts = Pick<SuiCrossChain, 'packages' | 'leastBurnt'> & Pick<SuiClaim, 'upgrades'>

export const TABLE_ALONE: SuiFacts = { packages: KNOWN_MAYAN, leastBurnt: null }

/**
 * @param now  wall clock, ms
 * @throws GatewayError  material_refused, rule `package`: Circle's bridge does not lead there
 */
export function crossingFromSui(order: CrossChainOrder, facts: SuiFacts, now: number): SuiCrossChain {
  const { fromChain, toChain, tokenOut, to } = order
  const [burnt, minted] = [fromChain, toChain].map(usdcOf)
  const burntMetadata = burnt === undefined ? undefined : fromChain.coinMetadata?.[burnt]
  const domain = burnDomain(toChain.key)
  if (burnt === undefined || burntMetadata === undefined || minted === undefined || domain === null) {
    throw refuseMaterial('package')
  }
  const mintRecipient = writtenAs('word', toChain, mintedTo(toChain, to, minted))!
  const isMinted = minted === tokenOut.address
  const bridge = { kind: 'cross-chain', burnt, burntMetadata, domain, mintRecipient, isMinted } as const
  const { packages, leastBurnt } = facts
  return { ...bridge, order, now, packages, leastBurnt }
}

/** Circle mints to an account of tokens on Solana. */
const mintedTo = ({ family }: XprovChain, wallet: string, mint: string): string =>
  family === 'solana' ? associatedAccount(wallet, mint, TOKEN_PROGRAM) : wallet
