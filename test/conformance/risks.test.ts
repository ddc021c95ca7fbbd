/** Recorded answers of the sources of security: what their fields say, and what the gate makes of it. */

import t from 'tap'
import { dexscreener } from '../../src/providers/market/dexscreener/dexscreener.ts'
import { goplus } from '../../src/providers/market/goplus/goplus.ts'
import type { MarketProvider, Part, RiskFlags, TokenId } from '../../src/providers/market/market.ts'
import { rugcheck } from '../../src/providers/market/rugcheck/rugcheck.ts'
import { findRisks, type RiskSubject } from '../../src/research/list/risk.ts'
import { clockOf } from '../fixtures/clock.ts'
import { answering } from '../fixtures/mutations.ts'
import { NOW, OPTIONS } from '../fixtures/provider.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FLUXBOT = { chain: 'solana', address: 'FLUXBmPhT3Fd1EDVFdg46YREqHBeNypn1h4EbnTzWERX' }
const PYUSD = { chain: 'solana', address: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo' }
const CURVE = { chain: 'solana', address: '268oC616gC8tBRD5iGn4xfBqgfxZhjHCjaTNys5Qpump' }
const PEPE = { chain: 'ethereum', address: '0x6982508145454Ce325dDbE47a25d4ec3d2311933' }
const WETH = { chain: 'ethereum', address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2' }
const ADAPTERS = { gp: goplus, rc: rugcheck }
const skip = skipWithout('recorded/gp_fluxb.json')

/** What the adapter makes of a recorded answer, part by part. */
function recorded(name: string, token: TokenId) {
  const adapt = ADAPTERS[name.slice(0, 2) as keyof typeof ADAPTERS]
  const upstream = answering(JSON.stringify(readVectors(`recorded/${name}.json`)))
  const { parts }: MarketProvider = adapt({ upstream, clock: clockOf({ date: () => NOW }) })
  return async <P extends Part>(part: P) => (await parts![part]!.ask(token, OPTIONS))!
}

const flagsOf = async (name: string, token: TokenId): Promise<RiskFlags> =>
  (await recorded(name, token)('security')).flags

t.test("FluxBot's 300 bps are found by both sources", { skip }, async (t) => {
  t.match(await flagsOf('gp_fluxb', FLUXBOT), {
    sellTaxPct: 3,
    taxModifiable: false,
    freezable: false,
    mintable: false,
    permanentDelegate: false,
    transferHook: false,
    bornFrozen: false,
    nonTransferable: false,
  })
  const { flags, facts } = await recorded('rc_fluxb', FLUXBOT)('security')
  t.match(flags, {
    sellTaxPct: 3,
    taxModifiable: false,
    permanentDelegate: false,
    transferHook: false,
    paused: false,
  })
  t.match(facts, { transferFeePct: 3 })
})

t.test('PYUSD is shown with its powers, and not held back for them', { skip }, async (t) => {
  const gp = await flagsOf('gp_pyusd', PYUSD)
  const rc = await flagsOf('rc_pyusd', PYUSD)
  const powers = { freezable: true, mintable: true, permanentDelegate: true, taxModifiable: true }
  t.match(gp, { ...powers, transferHook: false, sellTaxPct: 0, bornFrozen: false, maliciousCreator: false })
  t.match(rc, { ...powers, transferHook: false, sellTaxPct: 0, bornFrozen: false })
  const row = await recorded('rc_pyusd', PYUSD)('row')
  t.match(row, { liq: null, holders: null }, 'what was not looked at is unknown')
  const { pools, lockedPct, burnedPct } = await recorded('gp_pyusd', PYUSD)('lp')
  t.same([lockedPct, burnedPct], [null, null])
  const [{ liquidityUsd }] = pools as readonly [{ readonly liquidityUsd: number }]
  const { holders } = await recorded('gp_pyusd', PYUSD)('row')
  const subject: RiskSubject = { fdv: 733_436_489, liq: liquidityUsd, holders }
  t.same(
    findRisks(subject, [
      ['goplus', gp],
      ['rugcheck', rc],
    ]),
    [],
  )
})

t.test("PEPE's owner is gone, and so are its powers", { skip }, async (t) => {
  const flags = await flagsOf('gp_pepe', PEPE)
  t.match(flags, {
    freezable: false,
    mintable: false,
    hiddenOwner: false,
    balancesModifiable: false,
    selfDestructs: false,
    taxPerAddress: false,
    maliciousCreator: false,
    buyTaxPct: 0,
    sellTaxPct: 0,
  })
  t.same(findRisks({ fdv: null, liq: null, holders: null }, [['goplus', flags]]), [])
  t.match(await flagsOf('gp_weth', WETH), { freezable: false, mintable: false, sellTaxPct: 0 })
})

t.test(
  'a token on its curve has no powers behind it, and holders that nobody counted',
  { skip },
  async (t) => {
    const tell = recorded('rc_curve', CURVE)
    t.match((await tell('security')).flags, {
      freezable: false,
      mintable: false,
      permanentDelegate: false,
      nonTransferable: false,
      sellTaxPct: null,
      blacklisted: false,
    })
    t.match(await tell('row'), { liq: 2_733.174_719_956_513, holders: null })
  },
)

t.test("RugCheck's report of a launch: its creator, its insiders and who vouches", { skip }, async (t) => {
  const curve = recorded('rc_curve', CURVE)
  const row = await curve('row')
  t.match(row, { launchpad: 'Pump.Fun', creatorPct: 0 })
  t.notOk('topTenPct' in row || 'image' in row, 'of ten holders that are not listed nothing is told')
  const { facts, verified } = await curve('security')
  t.same(facts.insiders, {
    detected: 8,
    networks: [{ type: 'transfer', size: 4, activeAccounts: 4, supplyPct: 3.5689 }],
  })
  t.equal(verified, undefined)
  t.equal((await recorded('rc_pyusd', PYUSD)('security')).verified, true)
  t.equal((await recorded('gp_pyusd', PYUSD)('security')).verified, true)
  t.equal((await recorded('gp_fluxb', FLUXBOT)('security')).verified, undefined)
  t.equal((await recorded('gp_weth', WETH)('security')).verified, true)
  t.match(await recorded('gp_pepe', PEPE)('row'), { creatorPct: 0, holders: 593_593 })
  for (const [name, token] of [
    ['rc_curve', CURVE],
    ['rc_fluxb', FLUXBOT],
  ] as const) {
    t.equal((await recorded(name, token)('about')).image, null, 'at a host that anybody can have')
  }
})

t.test("DexScreener's figures of the past hours are shown, and only those", { skip }, async (t) => {
  const wsol = { chain: 'solana', address: 'So11111111111111111111111111111111111111112' }
  const upstream = answering(JSON.stringify(readVectors('recorded/ds_multi.json')))
  const row = (await dexscreener({ upstream }).parts!.row!.ask(wsol, OPTIONS))!
  t.same(row.changes, {
    m5: { pricePct: -0.5, buys: 529, sells: 245 },
    h1: { pricePct: -1.11, buys: null, sells: null },
    h6: { pricePct: -2.17, buys: null, sells: null },
    h24: { pricePct: -4.27, buys: 46_401, sells: 48_890 },
  })
  t.match(row, { firstPoolAt: 1_688_106_058_000, image: /^https:\/\/cdn\.dexscreener\.com\/cms\/images\// })
})

t.test('a market cap that counts other chains is not a false price here', { skip }, async (t) => {
  // WBTC on Base, as DexScreener has it: a small pool, few tokens, and the market cap of all chains together.
  const wbtc = { chain: 'base', address: '0x0555E30da8f98308EdB960aa94C0Db47230d2B9c' }
  const pair = {
    chainId: 'base',
    dexId: 'uniswap',
    pairAddress: '0x1111111111111111111111111111111111111111',
    baseToken: { address: wbtc.address, name: 'Wrapped BTC', symbol: 'WBTC' },
    quoteToken: {
      address: '0x4200000000000000000000000000000000000006',
      name: 'Wrapped Ether',
      symbol: 'WETH',
    },
    priceUsd: '91240',
    volume: { h24: 250 },
    liquidity: { usd: 700 },
    fdv: 61_000,
    marketCap: 10_900_000_000,
  }
  const row = (await dexscreener({ upstream: answering(JSON.stringify([pair])) }).parts!.row!.ask(
    wbtc,
    OPTIONS,
  ))!
  t.match(row, { mcap: 10_900_000_000, fdv: 61_000, liq: 700 })
  t.same(findRisks({ fdv: row.fdv!, liq: row.liq, holders: null }, []), [])
  t.match(findRisks({ fdv: row.mcap, liq: row.liq, holders: null }, []), [{ rule: 'false_price' }])
})
