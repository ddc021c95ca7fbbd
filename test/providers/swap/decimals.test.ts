import t from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import { jupiterDecimals, stonfiDecimals } from '../../../src/providers/swap/decimals.ts'
import { tokensAnswer } from '../../../src/sandbox/market/jupiter-tokens.ts'
import { stonfi as sandboxStonfi } from '../../../src/sandbox/swap/stonfi.ts'
import { failureOf, OPTIONS, startProvider } from '../../fixtures/provider.ts'

t.test("Jupiter's token search reports a mint's decimals", async (t) => {
  const { upstream, market } = await startProvider(t, ({ market }) => ({
    name: 'jupiter',
    rateLimited: () => ({ status: 429, body: {} }),
    handle: (request) => ({ status: 200, body: tokensAnswer(market, request) ?? [] }),
  }))
  const solana = findChain('solana')!
  const decimalsOf = jupiterDecimals(upstream)
  for (const token of market.tokens('solana').slice(0, 4)) {
    t.equal(await decimalsOf(solana, token.address, OPTIONS), token.decimals, token.symbol)
  }
  const nowhere = 'Fg6PaFpoGXkYsidMpWTK6W2BeZ7FEfcYkg476zPFsLnS'
  t.equal((await failureOf(decimalsOf(solana, nowhere, OPTIONS))).code, 'unknown_token')
})

t.test("STON.fi's assets report a jetton's decimals", async (t) => {
  const { upstream, market } = await startProvider(t, sandboxStonfi)
  const ton = findChain('ton')!
  const decimalsOf = stonfiDecimals(upstream)
  for (const token of market.tokens('ton').filter(({ isNative }) => !isNative)) {
    t.equal(await decimalsOf(ton, token.address, OPTIONS), token.decimals, token.symbol)
  }
  const failure = await failureOf(
    decimalsOf(ton, 'EQBnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZwAA', OPTIONS),
  )
  t.ok(failure.status >= 400)
})
