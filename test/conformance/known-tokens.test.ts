/** The well-known tokens of the code's own data, against lists that others publish, read and compared. */
import t from 'tap'
import { parseToken } from '../../src/chains/address.ts'
import { CHAINS } from '../../src/chains/chains.ts'
import { findChain } from '../../src/chains/find.ts'
import { MAJORS } from '../../src/chains/majors.ts'
import { knownTokens } from '../../src/research/universe/known-tokens.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const KNOWN = 'tokens/known.json'
type Agreed = Readonly<
  Record<string, readonly { readonly address: string; readonly symbol: string; readonly decimals: number }[]>
>

t.test(
  'each stands in two published lists, with the same decimals',
  { skip: skipWithout(KNOWN) },
  async (t) => {
    const agreed = readVectors<Agreed>(KNOWN)
    let total = 0
    for (const { key } of CHAINS) {
      const table = knownTokens(key)
      const byAddress = new Map(
        agreed[key]!.map((token) => [parseToken(findChain(key)!, token.address)!.address, token]),
      )
      for (let place = 0; place < table.size; place++) {
        const { address, symbol, decimals } = table.at(place)
        t.match(byAddress.get(address), { symbol, decimals }, `${key} ${symbol}`)
      }
      t.ok(table.size >= agreed[key]!.length - 1, key)
      total += table.size
    }
    t.ok(total >= 1_400, `${total}`)
  },
)

t.test("the stablecoins of the chains' files stand there too", { skip: skipWithout(KNOWN) }, async (t) => {
  for (const key of ['plasma', 'berachain', 'hyperevm']) {
    for (const { address, decimals, kind } of MAJORS.get(key)!) {
      if (kind === 'stablecoin') t.match(knownTokens(key).find(address), { decimals }, `${key} ${address}`)
    }
  }
})
