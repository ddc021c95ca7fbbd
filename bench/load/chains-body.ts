import { CHAINS } from '../../src/chains/chains.ts'
import { describeChains } from '../../src/routes/service/chains.ts'

/**
 * The provider that builds swaps where none is switched off. Replies are compared, so a wrong
 * one here stops the bench.
 */
const BUILDERS = { solana: 'jupiter', sui: 'xprov', ton: 'swapcoffee' } as const
const SWAPS = new Map(
  CHAINS.map(({ key, family, listedAs: { kyberswap, velora } }) => {
    const evm = kyberswap ? 'kyberswap' : velora ? 'velora' : 'uniswap-v3'
    return [key, [{ label: family === 'evm' ? evm : BUILDERS[family] }]]
  }),
)

/** The reply to `GET /api/chains`, the gateway's own, written down once for its peers. */
export const CHAINS_BODY = Buffer.from(JSON.stringify({ chains: describeChains(SWAPS) }))

/** What `bare` answers, handed to it as its environment: it must not load what the reply is made of. */
export const BARE_ENVIRONMENT = { CHAINS_BODY: CHAINS_BODY.toString() }
