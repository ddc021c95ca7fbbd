import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import { withComputeBudget } from '../../src/chains/solana/compute-budget.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import type { Material } from '../../src/proof/terms/material.ts'
import type { Spent } from '../../src/proof/terms/verification.ts'
import { composeMessage, unsigned } from '../../src/sandbox/solana/ledger/compose.ts'
import { memo, transferLamports } from '../../src/sandbox/solana/ledger/instructions.ts'
import { costsOf } from '../../src/swap/costs.ts'
import { LANDING_SERVICES } from '../../src/upstream/nodes/solana/landing-services.ts'
import { SOLANA_WALLET } from '../fixtures/swaps.ts'

const GWEI = 10n ** 9n
const COIN = 10n ** 18n
const JITO = '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5'
const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const NOTHING: Spent = { units: null, approvalUnits: null, gas: null, rents: [], native: 0n }

const told = ({ costs }: ReturnType<typeof costsOf>) =>
  costs.map(({ kind, amount, source, refundable }) => [kind, amount, source, refundable])

function onEvm(changes: Partial<Parameters<typeof costsOf>[0]> & { readonly isSale?: boolean } = {}) {
  const { isSale = false, ...terms } = changes
  const approval = isSale ? { token: TOKEN, spender: TOKEN, amount: '7' } : null
  const material: Material = {
    kind: 'evm',
    to: TOKEN,
    data: `0x${'00'.repeat(100)}`,
    value: String(isSale ? 0n : COIN),
    approval,
  }
  return costsOf({
    chain: findChain('base')!,
    material,
    nativeIn: isSale ? 0n : COIN,
    isNativeOut: isSale,
    spent: null,
    fees: { nodes: ['base-1'], price: GWEI, dataFee: 1_024n },
    statedUnits: 200_000n,
    ...terms,
  })
}

t.test('on EVM chains: units by execution, else by the provider, and the data', async (t) => {
  const stated = onEvm()
  t.same(told(stated), [
    ['network_fee', String(200_000n * GWEI), 'provider', false],
    ['l1_fee', '210', 'node', false],
  ])
  t.equal(stated.costsComplete, true)
  t.equal(stated.costs[0]!.currency, 'ETH')
  t.same(stated.costs[0]!.nodes, ['base-1'], 'whose price it is')
  t.same(told(onEvm({ spent: { ...NOTHING, units: 150_000n, approvalUnits: 0n } }))[0], [
    'network_fee',
    String(150_000n * GWEI),
    'simulation',
    false,
  ])
  t.same(
    told(onEvm({ isSale: true })).slice(0, 2),
    [
      ['network_fee', String(200_000n * GWEI), 'provider', false],
      ['approval_fee', String(60_000n * GWEI), 'estimate', false],
    ],
    'an approval is a transaction of its own',
  )
  const executed = { ...NOTHING, units: 150_000n, approvalUnits: 46_000n }
  t.same(told(onEvm({ isSale: true, spent: executed }))[1], [
    'approval_fee',
    String(46_000n * GWEI),
    'simulation',
    false,
  ])
  t.equal(told(onEvm({ statedUnits: 1n }))[0]![1], String(80_000n * GWEI), 'too little is not believed')
  t.same(told(onEvm({ nativeIn: COIN - 5n }))[0], ['messaging_fee', '5', 'material', false])
})

t.test('the unknown is not zero', async (t) => {
  t.same(onEvm({ fees: null }), { costs: [], costsComplete: false })
  t.match(onEvm({ statedUnits: null }), { costs: [{ kind: 'l1_fee' }], costsComplete: false })
  const ton: Material = {
    kind: 'ton',
    message: { to: '', value: '1300', payload: '', stateInit: null, validUntil: 0, from: '' },
  }
  const terms = { nativeIn: 1_000n, isNativeOut: false, spent: null, fees: null, statedUnits: null }
  t.match(costsOf({ ...terms, chain: findChain('ton')!, material: ton }), {
    costs: [{ kind: 'attached_gas', amount: '300', currency: 'GRAM', refundable: true }],
    costsComplete: false,
  })
  const sui: Material = { kind: 'sui', transaction: '' }
  t.same(costsOf({ ...terms, chain: findChain('sui')!, material: sui }), { costs: [], costsComplete: false })
  const ran = costsOf({ ...terms, chain: findChain('sui')!, material: sui, spent: { ...NOTHING, gas: 7n } })
  t.match(ran, { costs: [{ kind: 'network_fee', amount: '7', source: 'simulation' }], costsComplete: true })
})

function onSolana(
  spent: Spent | null,
  budget = { price: 0n, limit: null as number | null },
  isNativeOut = false,
  tipped = JITO,
) {
  const message = composeMessage(
    SOLANA_WALLET,
    [memo('swap'), transferLamports(SOLANA_WALLET, tipped, 1_000n)],
    '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn',
  )
  const wire = new WireTransaction()
  wire.parse(unsigned(message))
  const transaction = withComputeBudget(wire, budget).toString('base64')
  return costsOf({
    chain: findChain('solana')!,
    material: { kind: 'solana', transaction, lastValidBlockHeight: null, extra: {} },
    nativeIn: 250_000_000n,
    isNativeOut,
    spent,
    fees: null,
    statedUnits: null,
  })
}

t.test('a transfer to an account that only begins like a tip account is not a tip', async (t) => {
  for (const { name, tipAccounts } of LANDING_SERVICES) {
    for (const account of tipAccounts) {
      t.match(onSolana(NOTHING, undefined, true, account).costs.at(-1), { kind: 'tip', amount: '1000' }, name)
      const other = account.slice(0, -1) + (account.endsWith('2') ? '3' : '2')
      const { costs } = onSolana({ ...NOTHING, gas: 5_000n, native: -250_006_000n }, undefined, false, other)
      t.match(costs.at(-1), { kind: 'other_fee', amount: '1000' }, `${name}: not ${other}`)
    }
  }
})

t.test('on Solana: signatures, priority and tips by the bytes, rent by execution', async (t) => {
  const rents = [
    { amount: 2_039_280n, isOwn: true },
    { amount: 1_900_000n, isOwn: false },
  ]
  const native = -(250_000_000n + 1_900_000n + 5_000n + 1_500n + 1_000n + 77n)
  const whole = onSolana({ ...NOTHING, gas: 6_500n, rents, native }, { price: 10_000n, limit: 150_000 })
  t.same(told(whole), [
    ['network_fee', '5000', 'material', false],
    ['priority_fee', '1500', 'material', false],
    ['tip', '1000', 'material', false],
    ['rent', '2039280', 'simulation', true],
    ['rent', '1900000', 'simulation', false],
    ['other_fee', '77', 'simulation', false],
  ])
  t.equal(whole.costsComplete, true)
  t.notOk(
    told(onSolana({ ...NOTHING, gas: 6_500n, native: 5n }, undefined, true)).some(
      ([kind]) => kind === 'other_fee',
    ),
    'what comes out in SOL hides what is lost of it',
  )
  t.match(onSolana(null), { costs: [{ kind: 'network_fee' }, { kind: 'tip' }], costsComplete: false })
  const open = { price: 10_000n, limit: null }
  t.match(onSolana({ ...NOTHING, gas: 8_000n, native: -250_014_000n }, open), {
    costs: [
      {},
      { kind: 'priority_fee', amount: '3000', source: 'simulation' },
      {},
      { kind: 'other_fee', amount: '5000' },
    ],
    costsComplete: true,
  })
  t.match(
    told(onSolana({ ...NOTHING, gas: 9_000_000n, native: -259_001_000n }, open)).map(([, amount]) => amount),
    ['5000', '14000', '1000', '8981000'],
    'a node cannot call a loss its fee',
  )
  t.equal(onSolana(NOTHING, open).costsComplete, false, 'an older node does not tell the fee')
})
