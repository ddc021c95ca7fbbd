/** TON: what each class of message is explained as, and a first sample of the draws of test/long. */
import t from 'tap'
import { explain } from '../../../src/proof/explain/explain.ts'
import type { ExplainRequest } from '../../../src/proof/explain/types.ts'
import { cell, uint } from '../../../src/sandbox/swap/ton-cells.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { boc, CLASSES, HONEST, REVOKES, type Step, TonDraw } from '../../fixtures/explain/ton-draw.ts'

/** @param at  which of the draws */
function told(step: (draw: TonDraw) => Step, at = 0) {
  const draw = new TonDraw(new Random(1, at))
  const asked = { chain: 'ton', owner: draw.owner, recent: draw.recent, ...draw.asked([step(draw)]) }
  return explain(asked as ExplainRequest).then((explanation) => ({ draw, ...explanation }))
}
const grave = ({ risks }: Awaited<ReturnType<typeof told>>) =>
  risks.filter(({ severity }) => severity !== 'info').map(({ code }) => code)

t.test('no class that harms is known, and what is honest is known', async (t) => {
  for (const [title, steps] of Object.entries(CLASSES))
    for (const [i, step] of steps.entries()) t.not((await told(step, i)).verdict, 'known', `${title} ${i}`)
  for (const [i, step] of [...HONEST, ...REVOKES].entries())
    t.equal((await told(step, i)).verdict, 'known', `honest ${i}`)
})

t.test('amounts are in the chain’s coin and in what the jetton is', async (t) => {
  const sent = await told((d) => ({ outs: [{ to: d.friend, value: 1_500_000_000n }] }))
  t.equal(sent.actions[0]!.words, `sends 1.5 GRAM to ${sent.draw.friend}`)
  t.match(sent.effects, [{ kind: 'pays', holder: sent.draw.owner, asset: 'native', amount: '1500000000' }])
  const jettons = await told((d) => ({
    outs: [{ to: d.usdt, value: 10n ** 8n, body: d.jettons(d.friend, { amount: 2_500_000n }) }],
  }))
  t.equal(jettons.actions[0]!.words, `sends 2.5 USDT to ${jettons.draw.friend}`)
  t.match(jettons.effects, [
    { kind: 'pays', amount: '2500000' },
    { kind: 'cost', amount: '50000000' },
  ])
})

t.test('a contract that nobody looked at is paid what comes with an operation', async (t) => {
  const nft = await told((d) => ({ outs: [{ to: d.thief, value: 9n, body: d.nftTransfer(d.owner) }] }))
  t.same(grave(nft), ['recipient_unknown', 'unknown_call'])
  t.match(nft.effects, [{ asset: nft.draw.thief }, { kind: 'pays', amount: '9', to: nft.draw.thief }])
  t.match(nft.unknown, [{ why: /whether .* is an NFT/ }])
})

t.test('a body of version 3 is no removal of a plugin', async (t) => {
  const draw = new TonDraw(new Random(1, 0))
  const message = cell(`0110000${uint(0n, 4)}`)
  const transaction = boc(cell(uint(698_983_191n, 32) + uint(7n, 64) + uint(3n, 8), message))
  const { actions, unknown } = await explain({ chain: 'ton', owner: draw.owner, transaction })
  t.same(actions, [])
  t.match(unknown, [{ where: 'message 1' }])
})

t.test('removing a plugin costs what is sent to it', async (t) => {
  const removed = await told((d) => REVOKES[1]!(d))
  t.match(removed.effects, [{ kind: 'cost', holder: removed.draw.owner, asset: 'native' }])
  t.equal(removed.verdict, 'known')
})
