/** Sui: what each class of transaction is explained as, and a first sample of the draws of test/long. */
import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import * as ptb from '../../../src/sandbox/sui/compose.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { CLASSES, HONEST, type Step, SuiDraw } from '../../fixtures/explain/sui-draw.ts'
import { SUI } from '../../fixtures/explain/sui-judge.ts'

/** @param at  which of the draws */
function told(step: Step, at = 0) {
  const draw = new SuiDraw(new Random(1, at))
  step(draw)
  const { transaction } = draw.compose()
  const asked = { chain: 'sui', transaction, owner: draw.owner, recent: [draw.friend] }
  return explain(asked).then((explanation) => ({ draw, ...explanation }))
}
const codes = ({ risks }: Awaited<ReturnType<typeof told>>) => risks.map(({ code }) => code)

t.test('each harmful class has a risk, and honest material has none', async (t) => {
  for (const [title, steps] of Object.entries(CLASSES)) {
    for (const [i, step] of steps.entries()) {
      const { verdict } = await told(step, i)
      const isHarmless = title === 'upgrades' && i === 1
      if (!isHarmless) t.not(verdict, 'known', `${title} ${i}`)
    }
  }
  for (const [i, step] of HONEST.entries()) {
    const explained = await told(step, i)
    t.same(codes(explained), explained.unknown.length > 0 ? ['unknown_call'] : [], `honest ${i}`)
  }
})

t.test('amounts are in SUI, and effects name the loser, the asset and the recipient', async (t) => {
  const sent = await told((d) => {
    const coin = d.run(ptb.split(ptb.GAS, [d.number(1_500_000_000n)]))
    d.run(ptb.transfer([coin], d.to(d.friend)))
  })
  const { owner, friend } = sent.draw
  t.equal(sent.verdict, 'known')
  t.match(sent.actions, [{ kind: 'transfer', words: `sends 1.5 SUI to ${friend}`, amount: '1500000000' }])
  t.match(sent.effects, [
    { kind: 'cost', holder: owner, asset: 'native', amount: '20000000', what: 'gas' },
    { kind: 'pays', holder: owner, asset: 'native', amount: '1500000000', to: friend },
  ])
})

t.test('a merged coin counts with the coin that it is merged into', async (t) => {
  const { effects } = await told((d) => {
    const coin = d.run(ptb.split(ptb.GAS, [d.number(5n)]))
    d.run(ptb.merge(coin, [d.run(ptb.split(d.own(SUI), [d.number(1_000n)]))]))
    d.run(ptb.transfer([coin], d.to(d.friend)))
  })
  t.match(effects.at(-1), { kind: 'pays', amount: '1005' })
})

t.test('a swap says what it gives and what has to arrive', async (t) => {
  const swap = await told((d) => {
    const coin = d.run(ptb.split(ptb.GAS, [d.number(2_000_000_000n)]))
    d.run(ptb.transfer([d.swap(SUI, d.random.pick([SUI]), coin, { least: 7_000_000_000n })], d.to(d.owner)))
  })
  t.equal(swap.actions[0]!.words, 'swaps 2 SUI for at least 7 SUI at a router of Cetus')
  t.match(swap.effects, [
    {},
    { kind: 'pays', amount: '2000000000' },
    { kind: 'receives', amount: '7000000000' },
  ])
  t.equal(swap.verdict, 'known')
})

t.test('a sponsor gets what is merged into the coin that pays for gas', async (t) => {
  const joined = await told((d) => {
    d.gasOwner = d.thief
    d.run(ptb.merge(ptb.GAS, [d.own(SUI)]))
  })
  t.same(codes(joined), ['fee_payer', 'recipient_unknown'])
  t.match(joined.effects.at(-1), { kind: 'pays', holder: joined.draw.owner, to: joined.draw.thief })
})

t.test(
  'a call that is not known is named with what it gets, and with what it may do without any',
  async (t) => {
    const given = await told((d) =>
      d.foreign(d.run(ptb.split(ptb.GAS, [d.number(5_000_000_000n)])), d.own('nft')),
    )
    t.match(given.actions, [
      { words: /^calls 0x\w+::\w+::\w+, and hands it 5 SUI, an object of a type that is not shown$/ },
    ])
    t.match(given.effects, [{}, { kind: 'pays', amount: '5000000000' }, { kind: 'pays', asset: null }])
    const none = await told((d) => d.foreign(d.shared('pool'), d.amount()))
    t.match(none.actions, [{ words: /^calls [\w:]+$/ }])
    t.match(none.risks, [{ code: 'unknown_call', reason: /may do anything in the wallet's name that other/ }])
  },
)

t.test('what a call returns far behind may be given away as well', async (t) => {
  const sent = await told((d) => d.run(ptb.transfer([d.foreignNth(d.shared('pool'))], d.to(d.thief))))
  t.match(sent.actions, [{}, { kind: 'transfer', to: sent.draw.thief }])
  t.same(codes(sent), ['unknown_call', 'recipient_unknown'])
})

t.test('words say what the bytes do not show', async (t) => {
  const object = await told((d) => d.run(ptb.transfer([d.own('nft')], d.to(d.friend))))
  const { friend, thief } = object.draw
  t.equal(object.verdict, 'known')
  t.equal(object.actions[0]!.words, `sends an object of a type that is not shown to ${friend}`)
  const gas = await told((d) => d.run(ptb.transfer([ptb.GAS], d.to(d.thief))))
  t.equal(gas.actions[0]!.words, `sends all SUI that pays for gas to ${thief}`)
  const coin = await told((d) => d.call('coin::send_funds', [SUI], d.own(SUI), d.to(d.thief)))
  t.equal(coin.actions[0]!.words, `sends an amount of SUI that is not shown to ${thief}`)
  const gained = await told((d) => {
    const sold = d.run(ptb.split(ptb.GAS, [d.number(5n)]))
    d.run(ptb.transfer([d.swap(SUI, SUI, sold, { least: 7_000_000_000n })], d.to(d.friend)))
  })
  t.equal(gained.actions.at(-1)!.words, `sends at least 7 SUI to ${friend}`)
})

t.test('clearing away an empty coin moves nothing', async (t) => {
  const { verdict, summary } = await told((d) =>
    d.call('coin::destroy_zero', [SUI], d.call('coin::zero', [SUI])),
  )
  t.equal(verdict, 'known')
  t.equal(summary, 'Your wallet pays at most 0.02 SUI in fees.')
})

t.test("a swap's output beyond its minimum goes to nobody unnamed", async (t) => {
  const sent = await told(CLASSES['what a swap gives beyond its minimum']![0]!)
  t.same(codes(sent), ['recipient_unknown'])
  t.match(sent.effects.at(-1), { kind: 'pays', asset: 'native', amount: null, to: sent.draw.thief })
})

t.test('what another call may have taken from is of no amount that is known', async (t) => {
  const { actions } = await told((d) => {
    const coin = d.run(ptb.split(ptb.GAS, [d.number(5n)]))
    d.foreign(coin)
    d.run(ptb.transfer([coin], d.to(d.owner)))
  })
  t.equal(actions.at(-1)!.words, 'sends an amount of SUI that is not shown to your wallet')
})
