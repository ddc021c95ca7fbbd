/** The file of a trade: judged again to the same verdict, and each part held against the others. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { addr, Transaction } from 'micro-eth-signer'
import t from 'tap'
import { judgeTrade, type Send, type Trade, tradeFile, verify } from '../../../src/clients/verify/index.ts'
import { type Built, builtHonestly } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import fc, { SEED } from '../../fixtures/fast-check.ts'
import { attacksOn } from '../../fixtures/mitm.ts'
import { USDC } from '../../fixtures/swaps.ts'

const RUNS = Number(process.env.RUNS ?? 500)
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

/** With a digest that is right. */
function forged(content: object): string {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return `${JSON.stringify({ ...content, digest }, null, 2)}\n`
}

const NOTHING = { broken: { length: 0 }, notBound: { length: 0 } }

const judged = async (trade: Trade) => judgeTrade(await tradeFile(trade))

t.test('a whole trade holds, except for what only its chain can show', async (t) => {
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
      [
        'signed data with more',
        await signed({ data: `${EVM.answer.data}00` }),
        'signed_data',
        /^it has other data: /,
      ],
      ['a signed value', await signed({ value: 1n }), 'signed_value', /^it sends 1 wei in place of 0/],
      ['signed for another chain', await signed({ chainId: 1n }), 'signed_chain', 'it is for the chain 1'],
      ['signed by another', await signed({}, addr.random().privateKey), 'signed_from', /^it is signed by 0x/],
      ['no transaction', noted(evm, 'signed', { body: '0x1234' }), 'signed_form', /no signed transaction/],
      [
        'another message',
        noted(solana, 'signed', { body: otherSolana.raw }),
        'signed_missing',
        /lacks an instruction as it was built/,
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
  'a forged file cannot make its verdict hold, and the verdict says what was built instead',
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
    t.match(await judgeTrade(forged(better)), { isIntact: true, isRepeated: false })
    for (const text of ['', '{}', 'null', '[]', '{"format":"swapgate-trade/1"}', ' '.repeat(2_000_000)]) {
      const nothing = {
        isIntact: false,
        isRepeated: false,
        verdict: null,
        broken: [],
        notBound: [],
        changes: [],
      }
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

const codeOf = ({
  isIntact,
  isRepeated,
  broken,
  notBound,
}: Awaited<ReturnType<typeof judgeTrade>>): number =>
  !isIntact || !isRepeated || broken.length > 0 ? 1 : notBound.length > 0 ? 2 : 0

type Path = readonly string[]

/** All members of a value, each by its path. */
const pathsIn = (value: unknown, path: Path = []): readonly Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) => [[...path, name], ...pathsIn(one, [...path, name])])

function replaced(value: unknown, [name, ...path]: Path, by: unknown): unknown {
  if (name === undefined) return by
  const [first, copy] = [(value as Record<string, unknown>)[name], structuredClone(value)]
  const one = replaced(first, path, by)
  if (one === REMOVED) delete (copy as Record<string, unknown>)[name]
  else (copy as Record<string, unknown>)[name] = one
  return copy
}

const REMOVED = Symbol('removed')
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
const STRANGE: readonly unknown[] = [
  ...[
    REMOVED,
    null,
    true,
    0,
    -1,
    1,
    1e21,
    2 ** 53,
    '',
    '0',
    '1',
    '-1',
    '0x',
    '0x1',
    'x',
    '\u001b[2J',
    '\u202e',
  ],
  ...[
    '9'.repeat(400),
    'constructor',
    '__proto__',
    [],
    {},
    [[]],
    [null],
    nested(300),
    { toString: 1, valueOf: 1 },
  ],
  ...[JSON.parse('{"__proto__":{"from":1}}'), { length: 5 }, STRANGER, '8453', 'solana', INSTANT + 9e9],
]

/** What may change without a word: notes of who said it, the gateway's own figures, and what is said twice. */
const isNoMatter = (trade: Trade, path: Path, by: unknown): boolean => {
  const [part, name, ...rest] = path
  const family = 'chain' in trade.order ? trade.order.chain : trade.order.fromChain
  const isAbsent = by === null || by === REMOVED
  if (path.length === 1) return part !== 'built' && by === REMOVED
  if (path.join('.') === 'quote.body.minOut') return /^\d{1,4}$/.test(String(by))
  if (part === 'quote' && name === 'body')
    return (isAbsent && rest[0] === 'from') || (rest[0] === 'chain' && by === '8453')
  if (path.join('.') === 'order.expectedOut') return isAbsent || /^[1-9]\d*$/.test(String(by))
  // An order that asks for less holds all the more.
  if (path.join('.') === 'order.minOut')
    return /^[1-9]\d*$/.test(String(by)) && BigInt(by as string) < BigInt(trade.order.minOut)
  if (part === 'order')
    return (
      isAbsent && ['against', 'to', 'fromToken', 'toToken', 'amount', 'amountIn', 'worth'].includes(name!)
    )
  if (name === 'source') return typeof by === 'string'
  // The other parts hold it to minutes; of one alone nothing says when it was.
  if (name === 'at') {
    const isNear = typeof by === 'number' && Math.abs(by - INSTANT) < 600_000
    return isNear || (by === INSTANT + 9e9 && trade.signed === undefined && trade.quote === undefined)
  }
  if (part !== 'built' || name !== 'body') return false
  const [member, ...inner] = rest
  const isValue = path.at(-1) === 'value' && by === '0'
  const isHeld: Readonly<Record<string, readonly (string | undefined)[]>> = {
    estimate: [undefined, 'fromAmount', 'toAmountMin', 'approvalAddress', 'approvalReset'],
    fromToken: [undefined, 'address'],
    toToken: [undefined, 'address'],
  }
  if (member === 'fromChain' || member === 'toChain') return by === '8453'
  if (member === 'provider') return family !== 'base' || 'fromChain' in trade.order
  // Of what is known against a token, the answer is held to which token that is.
  if (member === 'risks' && inner.length > 1 && inner[1] !== 'token') return true
  const held = isHeld[member!]
  return isAbsent || isValue || FIGURES.includes(member!) || (held !== undefined && !held.includes(inner[0]))
}
const FIGURES =
  'id kind expectedOut atomicRequired costs costsComplete verification lastValidBlockHeight prioritizationFeeLamports fairOut unpriced sources tool transactionId'.split(
    ' ',
  )

/** Files of each family in which everything holds, or all but what only an execution shows. */
async function honest(): Promise<readonly Trade[]> {
  const bare = ({ order, answer }: Built): Trade => ({
    order,
    built: { at: INSTANT, source: 'a gateway', body: answer },
  })
  const [evm, solana] = [await evmTrade(), await solanaTrade()]
  const signed = ({ order, built, signed }: Trade): Trade => ({ order, built, signed: signed! })
  const titles = [
    'velora, ETH for USDC',
    'xprov, USDC from Solana',
    'xprov, ETH to Sui',
    'xprov, SUI for USDC',
    'swapcoffee, TON for USDC',
  ]
  const { side, token } = EVM.order as { side: string; token: string }
  const asked = {
    chain: 'base',
    side,
    token,
    from: EVM.order.from,
    amountIn: '250000000',
    minOut: EVM.order.minOut,
  }
  const quoted = { ...bare(EVM), quote: { at: INSTANT, source: 'a gateway', body: asked } }
  return [quoted, signed(evm), signed(solana), ...titles.map((title) => bare(named(title)))]
}

t.test('a member that is changed to anything is refused or named, in plain words', async (t) => {
  const trades = [...(await honest()), await evmTrade(), await solanaTrade()]
  const before = await Promise.all(trades.map(async (trade) => codeOf(await judged(trade))))
  t.same(before, [0, 0, 0, 0, 2, 0, 2, 2, 2, 2])
  const silent: string[] = []
  await fc.assert(
    fc.asyncProperty(
      fc.nat(trades.length - 1),
      fc.nat(),
      fc.constantFrom(...STRANGE),
      async (nth, at, by) => {
        const trade = trades[nth]!
        const paths = pathsIn(trade)
        const path = paths[at % paths.length]!
        const changed = replaced(trade, path, by) as Trade
        if (JSON.stringify(changed) === JSON.stringify(trade)) return
        const text = await tradeFile(changed).catch(() => forged({ format: 'swapgate-trade/1', ...changed }))
        const judgement = await judgeTrade(text)
        const shown = JSON.stringify([judgement.broken, judgement.notBound])
        if (/[^ -~…]|\bat .*:\d+:\d+|TypeError|is not a function|undefined/.test(shown))
          silent.push(`${path}: ${shown}`)
        if (codeOf(judgement) === 0 && !isNoMatter(trade, path, by))
          silent.push(`${trade.built.source} ${path.join('.')} = ${JSON.stringify(by)?.slice(0, 60)}`)
      },
    ),
    { numRuns: RUNS, seed: SEED },
  )
  t.same([...new Set(silent)], [])
})

t.test('each rule that does not hold is listed, and sums are of all lines', async (t) => {
  const [evm, solana] = [await evmTrade(), await solanaTrade()]
  const rulesOf = async (trade: Trade) => (await judged(trade)).broken.map(({ rule }) => rule)
  const received = (trade: Trade, change: object): Trade => ({
    ...trade,
    receipt: { ...trade.receipt!, body: { ...(trade.receipt!.body as object), ...change } },
  })
  const half = { token: USDC.base, amount: '125000000' }
  t.same(await rulesOf(received(evm, { paid: [half, half] })), [])
  const inOtherCase = { ...half, token: USDC.base.toLowerCase() }
  t.same(await rulesOf(received(evm, { paid: [half, inOtherCase, { ...half, amount: '1' }] })), [
    'receipt_paid',
  ])
  const wrong = { chain: 'ethereum', from: STRANGER, paid: [half, half, half], got: [], status: 'landed' }
  t.same(await rulesOf(received(evm, { ...wrong, hash: `0x${'1'.repeat(64)}`, includedAt: 1 })), [
    ...[
      'receipt_chain',
      'receipt_transaction',
      'receipt_from',
      'receipt_status',
      'receipt_moved',
      'time_block',
    ],
  ])
  const { raw } = await signEvm({ to: STRANGER, value: 1n, chainId: 1n }, addr.random().privateKey)
  t.same(await rulesOf({ ...evm, signed: { ...evm.signed!, body: raw } }), [
    ...['signed_chain', 'signed_from', 'signed_to', 'signed_value', 'receipt_transaction'],
  ])
  const built = { ...evm.built, body: { ...EVM.answer, to: STRANGER } }
  t.same(await rulesOf(received({ ...evm, built }, { chain: 'solana' })), ['to', 'receipt_chain'])
  // What calls itself the native coin is not spared.
  const least = String(BigInt(SOLANA.answer.minOut as string) - 1n)
  const got = [{ token: USDC.solana, isNative: true, amount: least }]
  t.same(await rulesOf(received(solana, { got })), ['receipt_got'])
  t.same(await rulesOf(received(evm, { got: [], missing: ['native'] })), [], 'nodes did not tell')
  t.same(await rulesOf(received(evm, { got: [], missing: ['tokens'] })), ['receipt_got'])
})

t.test('a receipt of a failed or pending transaction moves nothing', async (t) => {
  for (const trade of [await evmTrade(), await solanaTrade()]) {
    const whole = trade.receipt!.body as Record<string, unknown>
    const received = async (change: object) =>
      judged({ ...trade, receipt: { ...trade.receipt!, body: { ...whole, ...change } } })
    const dear = await received({ fee: { amount: '5000000000000000000' }, isFinal: false })
    t.match(
      dear.notBound,
      [{}, { part: 'receipt', why: /its .*fee.*isFinal/ }],
      'what nothing shows is named',
    )
    const none = { paid: [], got: [] }
    const failed = await received({ ...none, status: 'failed' })
    t.match(failed, {
      broken: { length: 0 },
      notBound: [{}, { part: 'receipt', why: /it failed: nothing was swapped/ }],
    })
    const pending = { ...{ status: 'pending', from: null, includedAt: null }, paid: null, got: null }
    t.match(await received(pending), { broken: { length: 0 }, notBound: [{}, { why: /in no block/ }] })
    for (const status of ['failed', 'pending', 'unknown'])
      t.match((await received({ status })).broken, [{ rule: 'receipt_moved', found: /USDC|of/ }])
    t.match((await received({ ...none, status: 'failed', from: STRANGER })).broken, [
      { rule: 'receipt_from' },
    ])
  }
})

t.test('what ends is signed before it ends, and what waits long is named', async (t) => {
  const signedAt = ({ order, built, signed }: Trade, ms: number) =>
    judged({ order, built, signed: { ...signed!, at: built.at + ms } })
  const [evm, solana] = [await evmTrade(), await solanaTrade()]
  t.match(await signedAt(solana, 200_000), NOTHING)
  t.match((await signedAt(solana, 400_000)).broken, [{ rule: 'time_signed', expected: /^by \d+/ }])
  t.match(await signedAt(evm, 400_000), NOTHING, 'its chain would take it at any time')
  t.match(await signedAt(evm, 365 * 86_400_000), {
    broken: { length: 0 },
    notBound: [{ part: 'signed', why: /hour after built/ }],
  })
  const { order: onTon, answer } = named('swapcoffee, TON for USDC')
  const { validUntil } = answer.tonMessage as { validUntil: number }
  const late = async (ms: number) => {
    const signed = { at: validUntil * 1_000 + ms, source: 'a wallet', body: 'a message' }
    return judged({ order: onTon, built: { at: INSTANT, source: 'a gateway', body: answer }, signed })
  }
  t.same((await late(0)).broken, [])
  t.match((await late(200_000)).broken, [{ rule: 'time_signed' }])
  const { order, built } = evm
  for (const at of [0, -1, 1.5, INSTANT / 1_000, 1e15])
    t.match((await judged({ order, built: { ...built, at } })).broken, [{ rule: 'time_built' }], String(at))
})

t.test('gas is what was built, with room, or it is named, or it is a theft', async (t) => {
  const { order, built } = await evmTrade()
  const withFee = async (maxFeePerGas: bigint, body: unknown = built.body) => {
    const { raw } = await signEvm({ maxFeePerGas })
    return judged({
      order,
      built: { ...built, body },
      signed: { at: INSTANT, source: 'a wallet', body: raw },
    })
  }
  t.match(await withFee(4_000_000_000n), NOTHING)
  const named = {
    broken: { length: 0 },
    notBound: [{ part: 'signed', why: /gas of up to 25000000000000000? wei/ }],
  }
  t.match(await withFee(10_000_000_000n), named)
  const { costs: _, ...bare } = EVM.answer
  t.match(await withFee(10_000_000_000n, bare), named)
  t.match((await withFee(9n * 10n ** 12n)).broken, [
    { rule: 'signed_gas', found: /^it pays up to 225\d+ wei for gas, not less than \d+$/ },
  ])
})

t.test('a build in place of another provider is as good as any', async (t) => {
  const { order, built } = await evmTrade()
  const elsewhere = { ...EVM.answer, insteadOf: { provider: 'kyberswap', code: 'quote_moved' } }
  const judgement = await judged({ order, built: { ...built, body: elsewhere } })
  t.match(judgement, { isIntact: true, broken: { length: 0 }, notBound: { length: 0 } })
})

t.test('a part that nothing is checked against is named', async (t) => {
  const trade = await evmTrade()
  const { order, built } = trade
  const bare = { order, built }
  const crossing = named('xprov, ETH to Sui')
  const expectedOut = `1${(crossing.order as { expectedOut: string }).expectedOut}`
  for (const [strange, part, why] of [
    [{ ...bare, settled: true }, 'file', /settled/],
    [{ ...bare, order: { ...order, bonus: '1' } }, 'order', /bonus/],
    [{ ...bare, order: { ...order, toChain: 'solana', to: STRANGER } }, 'order', /toChain, to/],
    [{ ...bare, built: { ...built, note: 'x' } }, 'built', /note/],
    [
      { order: { ...crossing.order, worth: '9'.repeat(18) }, built: { ...built, body: crossing.answer } },
      'order',
      /worth/,
    ],
    [
      { order: { ...crossing.order, expectedOut }, built: { ...built, body: crossing.answer } },
      'order',
      /expectedOut/,
    ],
    [{ ...bare, built: { ...built, body: { ...EVM.answer, bonus: 1 } } }, 'built', /bonus/],
    [
      { order: SOLANA.order, built: { ...built, body: { ...SOLANA.answer, to: STRANGER } } },
      'built',
      /has to$/,
    ],
  ] as const) {
    t.match(await judged(strange as Trade), { broken: { length: 0 }, notBound: [{ part, why }] })
  }
  for (const part of [
    null,
    [],
    'x',
    { at: INSTANT, body: 1 },
    { at: '1', source: '', body: 1 },
    { at: 1, source: '' },
  ]) {
    const { broken } = await judged({ ...bare, quote: part } as unknown as Trade)
    t.match(broken, [{ part: 'quote', rule: 'part', expected: 'a time, a source and a body' }])
  }
})

t.test('a quote is of its tokens, where it names them, and of its chain in any spelling', async (t) => {
  const { order, built } = await evmTrade()
  const { chain, side, from, minOut } = quoteOf(EVM, '250000000')
  const risks = [USDC.base, native('base')].map((token) => ({ chain, token, flags: [] }))
  const quote = { chain, side, from, minOut, amountIn: '250000000', risks }
  const quoted = (body: object, given = order) =>
    judged({ order: given, quote: { at: INSTANT, source: 'a gateway', body }, built })
  t.match(await quoted(quote), {
    broken: { length: 0 },
    notBound: [{ part: 'quote', why: 'nobody proves its risks' }],
  })
  t.match((await quoted({ ...quote, risks: [...risks].reverse() })).broken, [
    { rule: 'quote_sold' },
    { rule: 'quote_bought' },
  ])
  const { risks: _, ...bare } = quote
  t.match(await quoted({ ...bare, token: USDC.base }), NOTHING, "in the order's words")
  t.match(await quoted(bare), { notBound: [{ part: 'quote', why: /does not name its tokens/ }] })
  const { broken } = await quoted({ ...bare, token: STRANGER })
  t.match(broken, [{ rule: 'quote_sold', found: /bad0/i }])
  for (const chain of [8453, '8453', 'base'])
    t.match(await quoted({ ...quote, chain }), { broken: { length: 0 } })
  for (const chain of [1, '1', 'BASE', '08453', null, {}, ['base'], 8453.5])
    t.match((await quoted({ ...quote, chain })).broken, [{ rule: 'quote_chain', expected: 'base' }])
  const crossing = named('xprov, ETH to Sui')
  const body = crossing.answer as Record<string, unknown>
  for (const fromChain of [8453, '8453', 'base']) {
    const given = { ...crossing.order, fromChain } as Trade['order']
    t.match(await judged({ order: given, built: { at: INSTANT, source: 'a gateway', body } }), NOTHING)
    const receipt = {
      at: INSTANT + 1,
      source: 'a node',
      body: { chain: 'base', from: crossing.order.from, status: 'pending' },
    }
    const { broken } = await judged({
      order: given,
      built: { at: INSTANT, source: 'a gateway', body },
      receipt,
    })
    t.same(broken, [])
  }
  for (const fromChain of [1e21, null, {}, ['base'], '08453', 'toString']) {
    const given = { ...crossing.order, fromChain } as unknown as Trade['order']
    t.match((await judged({ order: given, built: { at: INSTANT, source: '', body } })).broken, [
      { part: 'built', rule: 'unsupported_chain' },
    ])
  }
  for (const [member, value, rule] of [
    ['to', STRANGER, 'built_recipient'],
    ['from', STRANGER, 'built_from'],
    ['toChain', 8453, 'built_destination'],
    ['fromChain', 1, 'built_chain'],
    ['toToken', { address: STRANGER }, 'built_bought'],
    ['estimate', { ...(body.estimate as object), fromAmount: '1' }, 'built_amount'],
  ] as const) {
    const lying = { at: INSTANT, source: '', body: { ...body, [member]: value } }
    t.match((await judged({ order: crossing.order, built: lying })).broken, [{ part: 'built', rule }])
  }
})

t.test(
  "the program's exit code has the verdict, and a file's text cannot control the terminal",
  async (t) => {
    const folder = t.testdir()
    const program = fileURLToPath(new URL('../../../src/clients/verify/cli.ts', import.meta.url))
    const judge = async (content: string, ...flags: readonly string[]) => {
      const path = join(folder, 'trade.json')
      writeFileSync(path, content)
      return promisify(execFile)(process.execPath, [...process.execArgv, program, ...flags, path])
        .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
        .catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }))
    }
    const { order, built, signed } = await evmTrade()
    t.match(await judge(await tradeFile({ order, built, signed: signed! })), { code: 0, stderr: '' })
    const evil = '\u001b]0;owned\u0007\u009b2J\u202e\n'
    const trade = {
      order,
      built,
      [evil]: 1,
      signed: { ...signed!, body: evil },
      receipt: { at: INSTANT, source: '', body: { chain: evil } },
    }
    const text = await tradeFile(trade)
    for (const flags of [[], ['--json']]) {
      const { code, stdout, stderr } = await judge(text, ...flags)
      t.equal(code, 1)
      t.match(stdout, /signed/)
      t.notOk(/[^\n -~…]/.test(stdout + stderr), stdout)
    }
  },
)
