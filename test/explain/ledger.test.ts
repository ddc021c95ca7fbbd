/** What effects mean to the owner: strangers, permissions, powers, sums over the whole, and what executing it takes. */
import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import { judgeChanges } from '../../src/explain/changes.ts'
import { explain } from '../../src/explain/explain.ts'
import { Findings } from '../../src/explain/findings.ts'
import * as ledger from '../../src/explain/ledger.ts'
import { summaryOf } from '../../src/explain/summary.ts'

const SOLANA = findChain('solana')!
const [OWNER, FRIEND, STRANGER, ROUTER] = ['owner', 'friend', 'stranger', 'router'] as const
const COIN = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

/** The explanation of one action with these effects. */
function told(
  effects: readonly ledger.Stated[] | null,
  changes: readonly { token: string; amount: string }[] = [],
) {
  const isRouter = (address: string) => address === ROUTER
  const found = new Findings(SOLANA, { owner: OWNER, recent: [FRIEND], isRouter })
  found.act('test', 'does something', {}, effects)
  judgeChanges(found, changes)
  return found.close(null, summaryOf)
}
const codes = (...args: Parameters<typeof told>) =>
  told(...args).risks.map(({ code, severity }) => `${severity} ${code}`)

t.test('value may go to addresses that the wallet knows, and to what gives something for it', async (t) => {
  const to = (who: string | null, more = {}) => [ledger.pays(OWNER, COIN, 5n, who, more)]
  t.same(codes(to(FRIEND)), [])
  t.same(codes(to(OWNER)), [])
  t.same(codes(to(ROUTER, { isKnown: true })), [])
  t.same(codes(to(STRANGER)), ['warning recipient_unknown'])
  t.match(told(to(null)), { verdict: 'unknown', unknown: [{ where: 'recipient' }] })
  t.same(codes([ledger.pays(STRANGER, COIN, 5n, 'another')]), [], 'what is not the owner’s')
  t.same(codes([ledger.pays('multisig', COIN, 5n, STRANGER, { by: OWNER })]), ['warning recipient_unknown'])
  const many = ['a', 'b', 'c'].map((asset) => ledger.pays(OWNER, asset, 5n, STRANGER))
  t.ok(codes(many).includes('danger many_assets'))
  t.same(codes([ledger.opens(OWNER, 5n, STRANGER)]), ['warning recipient_unknown'])
  t.same(codes([ledger.destroys(OWNER, COIN, 5n)]), ['warning burn'])
})

t.test('permissions and powers', async (t) => {
  const may = (who: string, amount: bigint | null) => [ledger.permits(OWNER, COIN, amount, who)]
  t.same(codes(may(ROUTER, 5n)), [])
  t.same(codes(may(ROUTER, null)), ['warning unlimited_approval'])
  t.same(codes(may(STRANGER, 5n)), ['warning approval_to_stranger'])
  t.same(codes(may(STRANGER, null)), ['danger unlimited_approval', 'warning approval_to_stranger'])
  const owns = (who: string | null) => [ledger.hands(OWNER, COIN, who, 'ownership', 'owner_change')]
  t.same(codes(owns(OWNER)), [])
  t.same(codes(owns(FRIEND)), ['danger owner_change'])
  t.same(codes(owns(null)), ['danger owner_change'])
})

t.test('costs and rent are judged by their sums, not each', async (t) => {
  const { costs, theft, rent } = ledger.boundOf(SOLANA)
  const fee = (amount: bigint) => ledger.costs(OWNER, 'native', amount, null)
  t.same(codes([fee(costs)]), [])
  t.same(codes([fee(costs), fee(1n)]), ['warning high_fee'])
  t.same(codes([fee(theft - 1n), fee(1n)]), ['danger high_fee'])
  const moved = ledger.pays(OWNER, 'native', costs / 4n, FRIEND)
  t.same(codes([moved, fee(costs / 2n)]), ['warning high_fee'], 'more than it moves')
  t.same(codes([moved, fee(costs / 5n)]), [])
  const account = ledger.opens(OWNER, rent / 2n, OWNER)
  t.same(codes([account, account]), [])
  t.same(codes([account, account, ledger.opens(OWNER, 2n, OWNER)]), ['warning high_fee'])
})

t.test('an action whose effects are not modelled is not understood, whatever its name', async (t) => {
  t.match(told(null), {
    verdict: 'unknown',
    unknown: [{ why: /not modelled/ }],
    risks: [{ code: 'unknown_call', reason: /not modelled/ }],
  })
  t.match(told([]), { verdict: 'known', effects: { length: 0 }, summary: 'Nothing of your wallet moves.' })
})

t.test('many warnings hide no danger', async (t) => {
  const found = new Findings(SOLANA, { owner: OWNER, recent: [] })
  for (let i = 0; i < 300; i++) found.risk('recipient_unknown', `stranger ${i}`)
  found.act('test', 'does something', {}, [ledger.permits(OWNER, COIN, null, STRANGER)])
  t.equal(found.close(null, summaryOf).verdict, 'danger')
})

t.test('what executing it takes is what the effects name', async (t) => {
  const lost = (amount: string, token = COIN) => [{ token, amount }]
  const effects = [ledger.pays(OWNER, COIN, 5n, FRIEND), ledger.costs(OWNER, COIN, 1n, null)]
  t.same(codes(effects, lost('-6')), [])
  t.same(codes(effects, lost('7')), [])
  t.same(codes(effects, lost('-7')), ['danger unexplained_outflow'])
  t.same(codes(effects, lost('-1', 'native')), ['danger unexplained_outflow'])
  t.same(codes([ledger.pays(OWNER, COIN, null, FRIEND)], lost('-7')), [])
  const permitted = [ledger.permits(OWNER, COIN, 5n, FRIEND)]
  t.same(codes(permitted, lost('-5')), ['danger unexplained_outflow'], 'a permission takes nothing')
  const hidden = [ledger.pays(OWNER, null, 5n, FRIEND)]
  t.same(codes(hidden, lost('-5')), [])
  t.same(
    codes(hidden, [...lost('-5'), ...lost('-5', 'another')]),
    ['danger unexplained_outflow'],
    'only once',
  )
  const objects = [5n, 7n, null].map((amount) => ledger.pays(OWNER, null, amount, FRIEND))
  const three = [...lost('-90', 'native'), ...lost('-7'), ...lost('-5', 'another')]
  t.same(codes(objects, three), [], 'each by the one that fits')
  t.same(codes(objects, [...three, ...lost('-1', 'more')]), ['danger unexplained_outflow'])
  const wrapped = [ledger.pays(OWNER, 'So11111111111111111111111111111111111111112', 5n, FRIEND)]
  t.same(codes(wrapped, lost('-5', 'native')), [], 'as a node counts wrapped SOL')
  t.same(codes([ledger.opens(OWNER, 5n, OWNER)], lost('-5', 'native')), [], 'rent of an own account')
  const deposit = ledger.pays(OWNER, 'native', 5n, OWNER, { what: ledger.DEPOSIT })
  t.same(codes([deposit], lost('-5', 'native')), [], 'an own stake')
  const gas = [ledger.costs(OWNER, 'native', null, null, { what: 'gas' })]
  t.same(codes(gas, lost('-5000', 'native')), [])
  t.same(
    codes(gas, lost('-5000000000', 'native')),
    ['danger unexplained_outflow'],
    'gas without a bound is no theft of everything',
  )
  const within = [ledger.pays(OWNER, 'native', 5n, OWNER)]
  t.same(codes(within, lost('-5', 'native')), ['danger unexplained_outflow'])
  const transaction = 'AAAA'
  const executed = await explain(
    { chain: 'solana', transaction, owner: COIN },
    { execute: async () => ({ by: 'a node', at: 1, changes: lost('-1') }) },
  )
  t.match(
    executed,
    { verdict: 'danger', risks: [{ code: 'unexplained_outflow' }] },
    "by the wallet's own node",
  )
})

t.test('one sentence says what the wallet loses and gets', async (t) => {
  const { summary, effects } = told([
    ledger.pays(OWNER, COIN, 1_500_000n, FRIEND),
    ledger.receives(OWNER, 'native', 10_000_000n),
    ledger.permits(OWNER, 'made-up', null, ROUTER),
    ledger.costs(OWNER, 'native', 5_000n, null),
    ledger.costs(OWNER, 'native', 5_000n, null),
  ])
  t.equal(
    summary,
    'Your wallet lets router take all made-up, pays 1.5 USDC to friend, gets at least 0.01 SOL and pays 0.00001 SOL in fees.',
  )
  t.match(effects[0], { action: 0, kind: 'pays', holder: OWNER, asset: COIN, amount: '1500000', to: FRIEND })
  t.match(told(null).summary, /and one part was not understood\.$/)
  const paid = ledger.pays(OWNER, 'native', 1_000_000_000n, FRIEND)
  const hidden = ledger.pays(OWNER, 'made-up', null, FRIEND)
  t.equal(
    told([paid, hidden, paid, ledger.pays(OWNER, 'native', 5n, ROUTER), hidden]).summary,
    'Your wallet pays 2 SOL to friend, pays all made-up to friend and pays 0.000000005 SOL to router.',
    'payments of one coin to one address are summed',
  )
})
