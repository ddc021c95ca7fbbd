/**
 * Well-known tokens of each chain, for a gateway that has read no list yet and
 * for one that never will: those on which published lists of at least two
 * publishers agree, address and decimals, the most listed first. Each chain has a
 * file in known/, whose lines hold decimals, address, symbol and name, separated by tabs.
 *
 * Source: the lists of Uniswap, CoW Swap, Balancer, LI.FI, Superchain, Linea, Scroll, Berachain,
 * Monad and Tonkeeper, the address books of Aave and Beefy, Chainlink CCIP's directory, 2026
 */

import type { KnownToken } from '../../providers/tokens/token-source.ts'
import * as texts from './known/index.ts'
import { TokenTable } from './table.ts'

const TEXTS: ReadonlyMap<string, string> = new Map(Object.entries(texts))

const TABLES = new Map<string, TokenTable>()

/** A chain's well-known tokens, packed on first use. */
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
  const [decimals, address, symbol, name] = line.split('\t')
  return {
    chain,
    address: address!,
    symbol: symbol!,
    name: name!,
    decimals: Number(decimals),
    isVouched: true,
  }
}
