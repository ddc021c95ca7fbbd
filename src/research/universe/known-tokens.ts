/**
 * Well-known tokens of each chain, for a gateway that has read no list yet and
 * for one that never will: those on which published lists of at least two
 * publishers agree, address and decimals, the most listed of each chain first. A line of well-known.tsv
 * holds chain key, decimals, address, symbol and name, separated by tabs.
 *
 * Source: the lists of Uniswap, CoW Swap, Balancer, LI.FI, Superchain, Linea, Scroll, Berachain,
 * Monad and Tonkeeper, the address books of Aave and Beefy, Chainlink CCIP's directory, 2026
 */

import type { KnownToken } from '../../providers/tokens/token-source.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { TokenTable } from './table.ts'
import wellKnown from './well-known.tsv'

const LINES = wellKnown.split('\n')

const TABLES = new Map<string, TokenTable>()

/** A chain's well-known tokens, packed on first use. */
export function knownTokens(chain: string): TokenTable {
  return getOrInsert(TABLES, chain, () => {
    const lines = LINES.filter((line) => line.startsWith(`${chain}\t`))
    return new TokenTable(chain, lines.map(readLine))
  })
}

function readLine(line: string): KnownToken {
  const [chain, decimals, address, symbol, name] = line.split('\t')
  return {
    chain: chain!,
    address: address!,
    symbol: symbol!,
    name: name!,
    decimals: Number(decimals),
    isVouched: true,
  }
}
