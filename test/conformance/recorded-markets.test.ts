/**
 * Answers that market providers gave, recorded, through the adapters: what
 * DexScreener and Jupiter said of WSOL, WETH, USDC and BONK.
 *
 * Source: ../shared/vectors/recorded, whose README says where they are from
 */
import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { nativeAddress } from '../../src/chains/address.ts'
import { findChain } from '../../src/chains/find.ts'
import { dexscreener } from '../../src/providers/market/dexscreener/dexscreener.ts'
import { jupiterTokens } from '../../src/providers/market/jupiter/tokens.ts'
import { clockOf } from '../fixtures/clock.ts'
import { answering } from '../fixtures/mutations.ts'
import { NOW, OPTIONS, on } from '../fixtures/provider.ts'

const FOLDER = new URL('../../../shared/vectors/recorded/', import.meta.url)
const WSOL = 'So11111111111111111111111111111111111111112'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

function recorded(t: Test, name: string): string | null {
  const file = new URL(name, FOLDER)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  t.comment(`${name} is not here`)
  return null
}

const asked = (text: string) =>
  dexscreener({ upstream: answering(text), clock: clockOf({ date: () => NOW }) })

t.test('a call for many brings one pair of each, and the row says so', async (t) => {
  const text = recorded(t, 'ds_multi.json')
  if (text === null) return
  const rows = await asked(text).rows!.ask('solana', [WSOL, USDC, BONK], OPTIONS)
  t.match(rows, [
    { address: WSOL, symbol: 'SOL', price: 108.73, liq: 23_072_881.58, vol24: 74_731_566.31, liqOf: 'pool' },
    { address: USDC, symbol: 'USDC', price: 1.00018, liq: 1_565_611.28, liqOf: 'pool' },
  ])
  t.equal(rows.length, 2)
})

t.test('all nine pairs of WSOL hold three times as much as the one that was picked', async (t) => {
  const text = recorded(t, 'ds_wsol_pairs.json')
  if (text === null) return
  const row = await asked(text).parts!.row!.ask({ chain: 'solana', address: WSOL }, OPTIONS)
  t.match(row, { price: 108.73, priceTs: NOW })
  t.equal(Math.round(row!.liq! / 100_000), 769, '76.9 million')
})

t.test('one pair of WETH, and of the native coin that is known by it', async (t) => {
  const text = recorded(t, 'ds_weth.json')
  if (text === null) return
  const ETH = nativeAddress(findChain('ethereum')!)
  t.match(await asked(text).rows!.ask('ethereum', [WETH, ETH], OPTIONS), [
    { address: WETH, symbol: 'WETH', price: 2597.38, liq: 6_087_052.18, vol24: 50_780_336.01 },
    { address: ETH, symbol: 'ETH', price: 2597.38 },
  ])
})

t.test('BONK, whose pool holds less of the other token than of itself', async (t) => {
  const text = recorded(t, 'ds_bonk.json')
  if (text === null) return
  t.match(await asked(text).rows!.ask('solana', [BONK], OPTIONS), [
    { price: 0.000002977, mcap: 261_972_375, liq: 285_255.32, vol24: 938_836.38, liqOf: 'pool' },
  ])
})

t.test("Jupiter's prices, from its search", async (t) => {
  const text = recorded(t, 'jp_price.json')
  if (text === null) return
  const told = JSON.parse(text) as Record<string, object>
  const found = JSON.stringify(Object.entries(told).map(([id, price]) => ({ id, ...price })))
  const { prices } = jupiterTokens({ upstream: answering(found), clock: clockOf({ date: () => NOW }) })
  const asked = await prices!.ask(on('solana', [WSOL, BONK, USDC]), OPTIONS)
  t.match(asked, [
    { address: BONK, price: 0.000002980660175420679, priceTs: NOW, liq: 1366135.9113007244 },
    { address: WSOL, price: 108.24244619891185, priceTs: NOW, liq: 888695946.2432884 },
  ])
  t.equal(asked.length, 2)
})
