/** The file of a trade: judged again to the same verdict, and each part held against the others. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { addr, Transaction } from 'micro-eth-signer'
import t from 'tap'
import { judgeTrade, type Send, type Trade, tradeFile, verify } from '../../../src/clients/verify/index.ts'
import { type Built, builtHonestly } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import { attacksOn } from '../../fixtures/mitm.ts'
import { USDC } from '../../fixtures/swaps.ts'

const SEED = Number(process.env.LANE_SEED ?? 1)
const STRANGER = '0xbad0bad0bad0bad0bad0bad0bad0bad0bad0bad0'
const all = await builtHonestly()
const named = (title: string): Built => all.find(({ route }) => route.title === title)!

const EVM = owned(named('kyberswap, USDC for ETH'))
const SOLANA = named('jupiter, SOL for USDC')
/** Of the fixtures' wallet on Solana. */
const SOLANA_KEY = new Uint8Array(32).fill(7)

/** The same build for a wallet whose key is here. */
function owned({ route, order, answer }: Built): Built & { readonly key: string } {
  const { address, privateKey } = addr.random()
  const [from, to] = [order.from.slice(2), address.slice(2)]
  const replaced = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(from, to).replaceAll(from.toLowerCase(), to.toLowerCase()))
  return { route, order: replaced(order), answer: replaced(answer), key: privateKey }
}

async function sendOf<Family extends Send['family']>({ order, answer }: Built, family: Family) {
  const verdict = await verify(order, answer, { now: () => INSTANT })
  if (!verdict.isVerified || verdict.send.family !== family) throw new Error('it is verified')
  return verdict.send as Send & { readonly family: Family }
}

/** As a wallet signs it, with nonce and gas of its own. */
async function signEvm(change: object = {}, key = EVM.key): Promise<{ raw: string; hash: string }> {
  const { transactions } = await sendOf(EVM, 'evm')
  const { to, data, value, chainId } = transactions.at(-1)!
  const gas = { nonce: 3n, gasLimit: 250_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
  const call = { to, data, value: BigInt(value), chainId: BigInt(chainId), ...gas, ...change }
  const signed = Transaction.prepare({ type: 'eip1559', ...call }).signBy(key)
  return { raw: signed.toHex(), hash: signed.hash }
}

async function signSolana(change: (message: Buffer) => void = () => {}, key = SOLANA_KEY) {
  const { transaction } = await sendOf(SOLANA, 'solana')
  const bytes = Buffer.from(transaction, 'base64')
  const message = bytes.subarray(65)
  change(message)
  const signature = ed25519.sign(message, key)
  bytes.set(signature, 1)
  return { raw: bytes.toString('base64'), signature: base58.encode(signature) }
}

const receiptOf = ({ order, answer }: Built, id: object, more: object = {}) => {
  const { chain, from } = order as { chain: string; from: string }
  const [sold, bought] = chain === 'solana' ? ['1500000000', answer.minOut] : ['250000000', answer.minOut]
  const { token, against = native(chain), side } = order as { token: string; against?: string; side: string }
  const [paid, got] = side === 'buy' ? [against, token] : [token, against]
  const movement = (address: string, amount: unknown) => ({
    ...{ token: address, isNative: address === native(chain), amount },
  })
  return {
    ...{ chain, from, hash: null, signature: null, ...id, status: 'finalized', includedAt: INSTANT + 5_000 },
    ...{ paid: [movement(paid, sold)], got: [movement(got, bought)], missing: [], ...more },
  }
}

const native = (chain: string): string =>
  chain === 'solana'
    ? 'So11111111111111111111111111111111111111112'
    : '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const quoteOf = ({ order, answer }: Built, amountIn: string) => {
  const { chain, side, from } = order as { chain: string; side: string; from: string }
  return { chain, side, from, amountIn, minOut: answer.minOut, expectedOut: answer.expectedOut }
}

/** A whole one, in order. */
async function evmTrade(): Promise<Trade> {
  const { raw, hash } = await signEvm()
  return {
    order: EVM.order,
    quote: { at: INSTANT - 1_000, source: 'GET /api/quote', body: quoteOf(EVM, '250000000') },
    built: { at: INSTANT, source: 'POST /api/build', body: EVM.answer },
    signed: { at: INSTANT + 1_000, source: 'a wallet', body: raw },
    receipt: { at: INSTANT + 9_000, source: 'GET /api/receipt', body: receiptOf(EVM, { hash }) },
  }
}

async function solanaTrade(): Promise<Trade> {
  const { signature } = await signSolana()
  return {
    order: SOLANA.order,
    quote: { at: INSTANT - 1_000, source: 'GET /api/quote', body: quoteOf(SOLANA, '1500000000') },
    built: { at: INSTANT, source: 'POST /api/build', body: SOLANA.answer },
    signed: { at: INSTANT + 1_000, source: 'a wallet', body: signature },
    receipt: { at: INSTANT + 9_000, source: 'GET /api/receipt', body: receiptOf(SOLANA, { signature }) },
  }
}

const NOTHING = { broken: { length: 0 }, notBound: { length: 0 } }

const judged = async (trade: Trade) => judgeTrade(await tradeFile(trade))

t.test('a whole trade holds, but for what only its chain can tell', async (t) => {
  for (const trade of [await evmTrade(), await solanaTrade()]) {
    const { isIntact, isRepeated, verdict, broken, notBound } = await judged(trade)
    t.match(
      { isIntact, isRepeated, verdict },
      { isIntact: true, isRepeated: true, verdict: { isVerified: true } },
    )
    t.same(broken, [])
    t.same(
      notBound.map(({ part }) => part),
      ['quote', 'receipt'],
    )
    const { order, built, signed } = trade
    t.match(await judged({ order, built, signed: signed! }), NOTHING)
    t.match(await judged({ order, built }), NOTHING)
  }
})

t.test(
  'what was signed is bound by its bytes or its signature, and a blockhash may be a fresh one',
  async (t) => {
    const trade = await solanaTrade()
    const at = INSTANT + 1_000
    const sign = async (body: string) => {
      const { receipt: _, quote: __, ...rest } = trade
      return judged({ ...rest, signed: { at, source: 'a wallet', body } })
    }
    t.match(await sign((await signSolana()).raw), NOTHING)
    const blockhashAt = (message: Buffer) => 4 + 1 + 32 * message[4]! - (message[0]! < 0x80 ? 1 : 0)
    const restamped = await signSolana(
      (message) => void message.fill(9, blockhashAt(message), blockhashAt(message) + 32),
    )
    t.match(await sign(restamped.raw), NOTHING)
    t.match(await sign(restamped.signature), { broken: { length: 0 }, notBound: [{ part: 'signed' }] })
    const evm = await evmTrade()
    const { hash } = evm.receipt!.body as { hash: string }
    const byHash = { ...evm, signed: { at, source: 'a wallet', body: hash } }
    t.match(await judged(byHash), {
      broken: { length: 0 },
      notBound: [{}, { part: 'signed', why: /hash/ }, {}],
    })
  },
)

t.test(
  'a part that is not of this trade is refused, with what was expected and what was found',
  async (t) => {
    const [evm, solana] = [await evmTrade(), await solanaTrade()]
    type Part = 'quote' | 'built' | 'signed' | 'receipt'
    const noted = (trade: Trade, part: Part, change: object): Trade => ({
      ...trade,
      [part]: { ...trade[part], ...change },
    })
    const body = (trade: Trade, part: Part, change: object) =>
      noted(trade, part, { body: { ...(trade[part]!.body as object), ...change } })
    const signed = async (change: object, key?: string) =>
      noted(evm, 'signed', { body: (await signEvm(change, key)).raw })
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(1_500_000_000n)
    const otherSolana = await signSolana((message) => void message.writeUInt8(1, message.indexOf(amount)))
    const ways: readonly (readonly [what: string, trade: Trade, rule: string, found: RegExp | string])[] = [
      ['a quote of another amount', body(evm, 'quote', { amountIn: '1' }), 'quote_amount', '1'],
      ['a quote of another chain', body(evm, 'quote', { chain: 'ethereum' }), 'quote_chain', 'ethereum'],
      ['a quote of the other side', body(evm, 'quote', { side: 'buy' }), 'quote_side', 'buy'],
      ['a quote of another wallet', body(evm, 'quote', { from: STRANGER }), 'quote_from', STRANGER],
      [
        'a quote that promised more',
        body(evm, 'quote', { minOut: '99000000000000000000' }),
        'quote_minimum',
        /^99/,
      ],
      ['no quote', noted(evm, 'quote', { body: null }), 'quote_chain', 'nothing'],
      ['a signed call of another contract', await signed({ to: STRANGER }), 'signed_to', /bad0/i],
      ['signed data with more', await signed({ data: `${EVM.answer.data}00` }), 'signed_data', /^0x/],
      ['a signed value', await signed({ value: 1n }), 'signed_value', '0x1'],
      ['signed for another chain', await signed({ chainId: 1n }), 'signed_chain', '0x1'],
      ['signed by another', await signed({}, addr.random().privateKey), 'signed_from', /^0x/],
      ['no transaction', noted(evm, 'signed', { body: '0x1234' }), 'signed', '0x1234'],
      [
        'another message',
        noted(solana, 'signed', { body: otherSolana.raw }),
        'signed_message',
        /^[0-9a-f]+…$/,
      ],
      [
        "another key's signature",
        noted(solana, 'signed', { body: (await signSolana(undefined, new Uint8Array(32).fill(8))).raw }),
        'signed_from',
        /does not verify/,
      ],
      [
        'a receipt of another transaction',
        body(evm, 'receipt', { hash: `0x${'1'.repeat(64)}` }),
        'receipt_transaction',
        /^0x1{64}$/,
      ],
      [
        'a receipt of another chain',
        body(evm, 'receipt', { chain: 'ethereum' }),
        'receipt_chain',
        'ethereum',
      ],
      ['a receipt of another sender', body(evm, 'receipt', { from: STRANGER }), 'receipt_from', STRANGER],
      [
        'more was paid',
        body(evm, 'receipt', { paid: [{ token: USDC.base, amount: '250000001' }] }),
        'receipt_paid',
        '250000001',
      ],
      [
        'another token was paid',
        body(evm, 'receipt', { paid: [{ token: STRANGER, amount: '1' }] }),
        'receipt_paid',
        '1',
      ],
      [
        'less arrived',
        body(evm, 'receipt', { got: [{ token: native('base'), isNative: true, amount: '1' }] }),
        'receipt_got',
        '1',
      ],
      ['nothing arrived', body(evm, 'receipt', { got: [] }), 'receipt_got', 'nothing'],
      [
        'more was paid, on Solana',
        body(solana, 'receipt', {
          paid: [{ token: native('solana'), isNative: true, amount: '1600000000' }],
        }),
        'receipt_paid',
        '1600000000',
      ],
      [
        'built before it was quoted',
        noted(evm, 'quote', { at: INSTANT + 600_000 }),
        'time_built',
        String(INSTANT),
      ],
      ['signed before it was built', noted(evm, 'signed', { at: INSTANT - 600_000 }), 'time_signed', /./],
      [
        'a receipt before the signature',
        noted(evm, 'receipt', { at: INSTANT - 600_000 }),
        'time_receipt',
        /./,
      ],
      ['no time', noted(evm, 'signed', { at: 1e300 }), 'time_signed', '1e+300'],
      [
        'in a block before it was signed',
        body(evm, 'receipt', { includedAt: INSTANT - 600_000 }),
        'time_block',
        /./,
      ],
      [
        'in a block after the receipt',
        body(evm, 'receipt', { includedAt: INSTANT + 600_000 }),
        'time_block',
        /./,
      ],
    ]
    for (const [what, trade, rule, found] of ways) {
      const { isIntact, broken } = await judged(trade)
      t.ok(isIntact, what)
      const one = broken.find((each) => each.rule === rule)
      t.match(one, { expected: /./, found }, what)
    }
  },
)

t.test(
  'whoever writes a file anew cannot make its verdict hold, and what was built instead is said',
  async (t) => {
    const built = { at: INSTANT, source: 'POST /api/build' }
    for (const { name, answer } of attacksOn([named('kyberswap, USDC for ETH')], new Random(SEED, 4), 20)) {
      const { order } = named('kyberswap, USDC for ETH')
      const judgement = await judged({ order, built: { ...built, body: answer } })
      t.match(judgement, { isIntact: true, isRepeated: true, verdict: { isVerified: false } }, name)
      t.match(judgement.broken, [{ part: 'built', rule: /./, expected: /./, found: /./ }], name)
    }
    const { order, answer } = named('kyberswap, USDC for ETH')
    const text = await tradeFile({ order, built: { ...built, body: answer } })
    const { digest: _, ...content } = JSON.parse(text)
    const better = { ...content, verdict: { ...content.verdict, level: 'simulated' } }
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256').update(JSON.stringify(better)).digest('hex')
    const forged = `${JSON.stringify({ ...better, digest }, null, 2)}\n`
    t.match(await judgeTrade(forged), { isIntact: true, isRepeated: false })
    for (const text of ['', '{}', 'null', '[]', '{"format":"swapgate-trade/1"}', ' '.repeat(2_000_000)]) {
      const nothing = { isIntact: false, isRepeated: false, verdict: null, broken: [], notBound: [] }
      t.same(await judgeTrade(text), nothing)
    }
  },
)

t.test('what rests on a word is listed, and any bit that is flipped is found', async (t) => {
  for (const [title, stated] of [
    ['xprov, SUI for USDC', /outcome/],
    ['swapcoffee, TON for USDC', /router/],
  ] as const) {
    const { order, answer } = named(title)
    const trade = { order, built: { at: INSTANT, source: 'a gateway', body: answer } }
    t.match(
      await judged(trade),
      { verdict: { level: 'stated' }, notBound: [{ part: 'built', why: stated }] },
      title,
    )
  }
  const text = await tradeFile(await evmTrade())
  const random = new Random(SEED, 3)
  for (let i = 0; i < 300; i++) {
    const bytes = Buffer.from(text)
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    t.match(await judgeTrade(bytes.toString()), { isIntact: false, verdict: null })
  }
})
