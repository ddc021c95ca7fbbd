/**
 * Well-known tokens of each chain, for a gateway that has read no list yet and
 * for one that never will: those on which published lists of at least two
 * publishers agree, address and decimals, the most listed first. A line is
 *
 *   decimals address symbol name
 *
 * Source: the lists of Uniswap, CoW Swap, Balancer, LI.FI, Superchain, Linea, Scroll, Berachain,
 * Monad and Tonkeeper, the address books of Aave and Beefy, Chainlink CCIP's directory, 2026
 */

import type { KnownToken } from '../../providers/tokens/token-source.ts'
import { arbitrum } from './known/arbitrum.ts'
import { avalanche } from './known/avalanche.ts'
import { base } from './known/base.ts'
import { berachain } from './known/berachain.ts'
import { bsc } from './known/bsc.ts'
import { ethereum } from './known/ethereum.ts'
import { gnosis } from './known/gnosis.ts'
import { hyperevm } from './known/hyperevm.ts'
import { linea } from './known/linea.ts'
import { mantle } from './known/mantle.ts'
import { monad } from './known/monad.ts'
import { optimism } from './known/optimism.ts'
import { plasma } from './known/plasma.ts'
import { polygon } from './known/polygon.ts'
import { scroll } from './known/scroll.ts'
import { solana } from './known/solana.ts'
import { sonic } from './known/sonic.ts'
import { sui } from './known/sui.ts'
import { ton } from './known/ton.ts'
import { unichain } from './known/unichain.ts'
import { TokenTable } from './table.ts'

const TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ethereum,
    bsc,
    base,
    arbitrum,
    optimism,
    polygon,
    avalanche,
    linea,
    mantle,
    sonic,
    unichain,
    berachain,
    hyperevm,
    monad,
    plasma,
    scroll,
    gnosis,
    solana,
    sui,
    ton,
  }),
)

const TABLES = new Map<string, TokenTable>()

/** A chain's well-known tokens, packed when they are first asked for. */
export function knownTokens(chain: string): TokenTable {
  let table = TABLES.get(chain)
  if (table === undefined) {
    const lines = (TEXTS.get(chain) ?? '').split('\n').filter((line) => line !== '')
    const tokens = lines.map((line) => readLine(chain, line))
    TABLES.set(chain, (table = new TokenTable(chain, tokens)))
  }
  return table
}

function readLine(chain: string, line: string): KnownToken {
  const [decimals, address, symbol, ...name] = line.split(' ')
  return {
    chain,
    address: address!,
    symbol: symbol!,
    name: name.join(' '),
    decimals: Number(decimals),
    isVouched: true,
  }
}
