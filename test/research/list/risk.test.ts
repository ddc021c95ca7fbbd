import t from 'tap'
import { ONCHAIN, type RiskFlags, UNKNOWN_FLAGS } from '../../../src/providers/market/market.ts'
import { findRisks, type RiskSubject, risksOf } from '../../../src/research/list/risk.ts'
import fc from '../../fixtures/fast-check.ts'

const UNKNOWN = UNKNOWN_FLAGS
const CLEAN: RiskFlags = {
  honeypot: false,
  blacklisted: false,
  cannotSell: false,
  cannotBuy: false,
  freezable: false,
  mintable: false,
  nonTransferable: false,
  sellTaxPct: 0,
  buyTaxPct: 0,
  taxModifiable: false,
  taxPerAddress: false,
  hiddenOwner: false,
  balancesModifiable: false,
  selfDestructs: false,
  maliciousCreator: false,
  permanentDelegate: false,
  transferHook: false,
  bornFrozen: false,
  paused: false,
}
const DEEP: RiskSubject = { fdv: 50_000_000, liq: 2_000_000, holders: 9_000 }
const NOTHING: RiskSubject = { fdv: null, liq: null, holders: null }

const rulesOf = (flags: Partial<RiskFlags>, subject = DEEP): string[] =>
  findRisks(subject, [['s', { ...CLEAN, ...flags }]]).map(({ rule }) => rule)

t.test('each finding that matters holds a token back, and says why', async (t) => {
  const cases: [flags: Partial<RiskFlags>, rules: string[]][] = [
    [{}, []],
    [{ honeypot: true }, ['honeypot']],
    [{ blacklisted: true }, ['blacklisted']],
    [{ cannotSell: true }, ['cannot_sell']],
    [{ cannotBuy: true }, ['cannot_buy']],
    [{ nonTransferable: true }, ['non_transferable']],
    [{ sellTaxPct: 49.9 }, []],
    [{ sellTaxPct: 50 }, ['sell_tax']],
    [{ sellTaxPct: 100, honeypot: true }, ['honeypot', 'sell_tax']],
    [{ buyTaxPct: 49.9 }, []],
    [{ buyTaxPct: 50 }, ['buy_tax']],
    [{ hiddenOwner: true }, ['hidden_owner']],
    [{ balancesModifiable: true }, ['balances_modifiable']],
    [{ selfDestructs: true }, ['self_destruct']],
    [{ taxPerAddress: true }, ['tax_per_address']],
    [{ maliciousCreator: true }, ['malicious_creator']],
    [{ bornFrozen: true }, ['born_frozen']],
    [{ paused: true }, ['paused']],
    [{ mintable: true }, []],
    [{ taxModifiable: true }, []],
    [{ permanentDelegate: true, freezable: true, mintable: true }, []],
    [{ transferHook: true }, []],
    [{ sellTaxPct: 3 }, []],
    [{ freezable: true }, []],
  ]
  for (const [flags, rules] of cases) t.same(rulesOf(flags), rules, JSON.stringify(flags))
  const [finding] = findRisks(DEEP, [['goplus', { ...CLEAN, honeypot: true }]])
  t.match(finding, { rule: 'honeypot', source: 'goplus', reason: /^It is .*\.$/ })
})

t.test('what can be frozen needs deep pools, and many holders where they are counted', async (t) => {
  const cases: [liq: number | null, holders: number | null, isHeldBack: boolean][] = [
    [250_000, 500, false],
    [250_000, null, false],
    [249_999, 500, true],
    [250_000, 499, true],
    [null, 10_000, true],
    [null, null, true],
  ]
  for (const [liq, holders, isHeldBack] of cases) {
    const rules = rulesOf({ freezable: true }, { fdv: null, liq, holders })
    t.same(rules, isHeldBack ? ['freezable_without_history'] : [], `${liq} ${holders}`)
    const powers = { permanentDelegate: true, transferHook: true }
    t.same(
      rulesOf(powers, { fdv: null, liq, holders }),
      isHeldBack ? ['delegate_without_history', 'hook_without_history'] : [],
      `${liq} ${holders}`,
    )
  }
})

t.test('a worth of millions over empty pools is a false price', async (t) => {
  const cases: [fdv: number | null, liq: number | null, isFalse: boolean][] = [
    [1_000_000, 999, true],
    [1_000_000, 0, true],
    [1_000_000, 1_000, false],
    [999_999, 999, false],
    [null, 0, false],
    [1e12, null, false],
  ]
  for (const [fdv, liq, isFalse] of cases) {
    const findings = findRisks({ fdv, liq, holders: null }, [])
    t.same(
      findings.map(({ rule, source }) => [rule, source]),
      isFalse ? [['false_price', null]] : [],
      `${fdv} ${liq}`,
    )
  }
})

t.test("unknown flags gate nothing, and no source clears another's findings", async (t) => {
  t.same(findRisks(NOTHING, [['a', UNKNOWN]]), [])
  t.same(findRisks(NOTHING, []), [])
  const flag = fc.constantFrom(true, false, null)
  const tax = fc.option(fc.integer({ min: 0, max: 100 }))
  const flags = fc.record({
    honeypot: flag,
    blacklisted: flag,
    cannotSell: flag,
    cannotBuy: flag,
    freezable: flag,
    mintable: flag,
    nonTransferable: flag,
    sellTaxPct: tax,
    buyTaxPct: tax,
    taxModifiable: flag,
    taxPerAddress: flag,
    hiddenOwner: flag,
    balancesModifiable: flag,
    selfDestructs: flag,
    maliciousCreator: flag,
    permanentDelegate: flag,
    transferHook: flag,
    bornFrozen: flag,
    paused: flag,
  })
  fc.assert(
    fc.property(flags, flags, (a, b) => {
      const alone = findRisks(DEEP, [['a', a]])
      const both = findRisks(DEEP, [
        ['a', a],
        ['b', b],
      ])
      const ofA = both.filter(({ source }) => source === 'a')
      return JSON.stringify(ofA) === JSON.stringify(alone)
    }),
  )
})

t.test("a token's own account overrides the sources, and only in what it shows", async (t) => {
  const own: RiskFlags = { ...UNKNOWN_FLAGS, sellTaxPct: 60, bornFrozen: false, freezable: true }
  const said: RiskFlags = { ...CLEAN, bornFrozen: true, hiddenOwner: true }
  const found = findRisks(DEEP, [
    ['a', said],
    [ONCHAIN, own],
  ])
  t.same(
    found.map(({ rule, source }) => [rule, source]),
    [
      ['hidden_owner', 'a'],
      ['sell_tax', ONCHAIN],
    ],
  )
})

t.test('what is known against a token names the source and the time, grave flags first', (t) => {
  const token = { chain: 'base', address: '0x1', symbol: 'BAD', name: 'Bad', isChosen: false }
  const subject = { fdv: null, liq: 1_000_000, holders: 10_000 }
  const security = [
    ['one', { at: 5, flags: { ...UNKNOWN_FLAGS, mintable: true, sellTaxPct: 12 } }],
    ['two', { at: 7, flags: { ...UNKNOWN_FLAGS, honeypot: true, freezable: true, sellTaxPct: 3 } }],
  ] as const
  const { checked, checkedBy, flags } = risksOf({ ...token, subject, security })
  t.equal(checked, 'sources')
  t.same(checkedBy, [
    { source: 'one', at: 5 },
    { source: 'two', at: 7 },
  ])
  t.same(
    flags.map(({ flag, isGrave, source, at }) => [flag, isGrave, source, at]),
    [
      ['honeypot', true, 'two', 7],
      ['high_sell_tax', true, 'one', 5],
      ['mintable', false, 'one', 5],
      ['low_sell_tax', false, 'two', 7],
      ['freezable', false, 'two', 7],
    ],
  )
  const nobody = risksOf({ ...token, subject, security: [] })
  t.match(nobody, { checked: 'nobody', flags: { length: 0 } })
  const chosen = risksOf({ ...token, isChosen: true, subject, security })
  t.match(chosen, { checked: 'chosen', flags: { length: 0 } })
  const imitation = risksOf({ ...token, symbol: 'UЅDC', subject, security: [] })
  t.match(imitation, { checked: 'nobody', flags: [{ flag: 'name_suspicious', isGrave: true, source: null }] })
  t.end()
})
