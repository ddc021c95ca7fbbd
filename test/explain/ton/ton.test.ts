/** TON: what each class of message is explained as, and a first sample of the draws of test/long. */
import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import type { ExplainRequest } from '../../../src/explain/types.ts'
import { jettonWallet } from '../../../src/proof/ton/jetton-wallet.ts'
import { ROUTER } from '../../../src/sandbox/ton/addresses.ts'
import { cell, coins, uint } from '../../../src/sandbox/ton/cells.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { boc, CLASSES, HONEST, REVOKES, type Step, TonDraw, USDT } from '../../fixtures/explain/ton-draw.ts'

/** @param at  which of the draws */
function told(step: (draw: TonDraw) => Step, at = 0) {
  const draw = new TonDraw(new Random(1, at))
  const asked = { chain: 'ton', owner: draw.owner, recent: draw.recent, ...draw.asked([step(draw)]) }
  return explain(asked as ExplainRequest).then((explanation) => ({ draw, ...explanation }))
}
const grave = ({ risks }: Awaited<ReturnType<typeof told>>) =>
  risks.filter(({ severity }) => severity !== 'info').map(({ code }) => code)

t.test('no harmful class counts as known, and honest material does', async (t) => {
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
  t.equal(
    jettons.actions[0]!.words,
    `sends 2.5 USDT to ${jettons.draw.friend}, with 0.1 GRAM for gas, the rest of which comes back`,
  )
  t.match(jettons.effects, [
    { kind: 'pays', amount: '2500000' },
    { kind: 'cost', amount: '50000000' },
  ])
})

t.test('an unknown contract is paid the coins that come with an operation', async (t) => {
  const nft = await told((d) => ({ outs: [{ to: d.thief, value: 9n, body: d.nftTransfer(d.owner) }] }))
  t.same(grave(nft), ['recipient_unknown', 'unknown_call'])
  t.match(nft.effects, [{ asset: nft.draw.thief }, { kind: 'pays', amount: '9', to: nft.draw.thief }])
  t.match(nft.unknown, [{ why: /whether .* is an NFT/ }])
  t.equal(
    nft.actions[0]!.words,
    `asks ${nft.draw.thief} to give itself, an NFT, to your wallet, with 0.000000009 GRAM to it`,
  )
  const named = await told((d) => ({
    outs: [{ to: d.nft, value: 2n * 10n ** 8n, body: d.nftTransfer(d.friend, d.owner, 10n ** 8n) }],
  }))
  const { nft: contract, friend } = named.draw
  t.equal(
    named.actions[0]!.words,
    `asks ${contract} to give itself, an NFT, to ${friend}, with 0.1 GRAM to ${friend} and 0.1 GRAM for gas, the rest of which it may send back`,
  )
  const kept = [{ asset: contract }, { to: friend }, { kind: 'cost' }, { kind: 'pays', to: contract }]
  t.match(named.effects, kept, 'it may be no NFT')
})

t.test('notifications of recipients are bounded in total, not each', async (t) => {
  const notices = (count: number) =>
    told((d) => ({
      outs: Array.from({ length: count }, () => ({
        to: d.usdt,
        value: 20_000_000n,
        body: d.jettons(d.thief, { amount: 0n, forwardTon: 5_000_000n }),
      })),
    }))
  t.same(grave(await notices(2)), [])
  const many = await notices(4)
  t.same(grave(many), ['recipient_unknown'])
  t.match(many.summary, new RegExp(`pays 0\\.01 GRAM to ${many.draw.thief}`))
})

/** A body that a wallet of version 3 or 4 signs, of any number. @param more  what follows the head */
function signed(more: string, messages: readonly Parameters<TonDraw['message']>[0][], signature = '') {
  const draw = new TonDraw(new Random(1, 0))
  const cells = messages.map((message) => draw.message(message))
  const transaction = boc(cell(signature + uint(12n, 32) + uint(7n, 64) + more, ...cells))
  return explain({ chain: 'ton', owner: draw.owner, transaction })
}

t.test('bodies of versions 3 and 4 are read of any wallet of the key, signed or not', async (t) => {
  const { friend } = new TonDraw(new Random(1, 0))
  const messages = [1n, 2n].map((value) => ({ to: friend, value: value * 10n ** 9n }))
  for (const operation of ['', uint(0n, 8)]) {
    for (const signature of ['', uint(5n, 512)]) {
      const { actions, unknown } = await signed(operation + uint(3n, 8) + uint(1n, 8), messages, signature)
      t.match(actions, [{ words: `sends 1 GRAM to ${friend}` }, { words: `sends 2 GRAM to ${friend}` }])
      t.same(unknown, [])
    }
  }
})

t.test('what versions 3 and 4 read differently has no words', async (t) => {
  const { friend, thief } = new TonDraw(new Random(1, 0))
  const removal = uint(3n, 8) + uint(0n, 8) + uint(5n, 256) + coins(10n ** 8n) + uint(1n, 64)
  const message = { to: thief, value: 10n ** 9n }
  for (const [bits, messages] of [
    [removal, [message]],
    [uint(3n, 8) + uint(3n, 9), [message]],
    [uint(1n, 8) + uint(0n, 8) + coins(5n), [message, message]],
    [uint(0n, 8) + uint(3n, 8) + uint(0n, 1), [{ to: friend, value: 1n }]],
  ] as const) {
    const { actions, risks, unknown } = await signed(bits, messages)
    t.same(actions, [])
    t.match(unknown, [{ where: 'transaction' }])
    t.match(risks, [{ code: 'unknown_call', reason: /^transaction: its cells hold something else/ }])
  }
})

t.test('a plugin gets the coins that are sent to it', async (t) => {
  const removed = await told((d) => REVOKES[1]!(d))
  const { to, amount } = removed.actions[0]!
  t.match(removed.effects, [{ kind: 'pays', holder: removed.draw.owner, asset: 'native', to, amount }])
  t.equal(removed.verdict, 'known')
  const plugins = CLASSES['plugins of version 4']!
  const [created, installed, , removedForMore] = await Promise.all(plugins.map((step) => told(step)))
  for (const { effects, actions } of [created!, installed!]) {
    t.match(effects, [{ kind: 'control' }, { kind: 'pays', to: actions[0]!.to, amount: actions[0]!.amount }])
    t.match(actions[0]!.words, /installs the plugin .*, and sends it [\d.]+ GRAM$/)
  }
  t.same(grave(removedForMore!), ['recipient_unknown'])
})

t.test('a swap that pays a referrer says so', async (t) => {
  const terms = { minOut: 5_000_000n, referral: new TonDraw(new Random(2, 0)).thief, referralBps: 30n }
  const asks = jettonWallet(USDT, ROUTER)!
  const paid = await told((d) => ({ outs: [d.stonSellsTon(d.swapTerms(asks, terms))] }))
  t.match(paid.actions[0]!.words, `for at least 5 USDT at STON.fi, after 0.3 % for ${terms.referral}, with `)
  t.equal(paid.actions[0]!.kind, 'swap')
})
