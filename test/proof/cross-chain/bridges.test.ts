/**
 * A cross-chain swap that landed on Solana mainnet in slot 449137703, signature
 * 2VhEGwgr8foH7m3Xo4yciuMYvPDvcYjvGRyj4mNbQfjkKoLj7DmgA9FfWWi2HzhSW1mLHNNKExXpNcUnC8TgLcFA:
 * 1,000 USDT to Ethereum by Mayan Swift, as Mayan's clients build it, each
 * instruction wrapped into one of the proxy's and most accounts looked up. Here
 * without its signature and its referrer's half percent, which nobody asked for.
 */
import t from 'tap'
import { findXprovChain } from '../../../src/chains/find.ts'
import { decodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { proveCrossChainSolana } from '../../../src/proof/cross-chain/solana.ts'
import type { CrossChainOrder } from '../../../src/proof/terms/order.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import { type Added, payment, type Rewrite, rewritten, tokenAccount } from '../../fixtures/solana-forms.ts'

const FROM = 'AVuw5YptnLN5KJM2L52CbGYu4nzjiDYrCF1XZ4E9oTun'
const DATA =
  '204c290c27a284db00ca9a3b00000000000000000000000000000000000000000000000000616bdf249a81e1ba568962747eb2f66846981fae02000000000000000000000000008f3470a7388c05ee4e7af3d01d8c722b0ff5237478f0d7d2010000000000000000000000e11b060000000000b664000000000000a77db16a00000000455cf4e1de57f835b788a7cca3ea9b8f4aff9c067352f03499be92939b2b5d923200028290be2e3210bd780ebb0f9380e00276d49dabe63af6e247539526bb84169b3d'
const REFERRER_BPS_AT = 163
const NOW = 1_790_015_767_000

const key = (address: string): Uint8Array => decodeBase58(address, 32)!

function sample({ referrerBps = 0, table = 'Ff3yi1meWQQ19VPZMzGg6H8JQQeRudiV7QtVtyzJyoht' } = {}): string {
  const order = Buffer.from(DATA, 'hex')
  order[REFERRER_BPS_AT] = referrerBps
  const instruction = (accounts: number[], data: Uint8Array, length = Uint8Array.of(data.length)) =>
    Buffer.concat([Uint8Array.of(4, accounts.length, ...accounts), length, data])
  const message = Buffer.concat([
    Uint8Array.of(0x80, 1, 0, 1, 5),
    key(FROM),
    key('4oPVgxeVgGa8C9DzwvQ1ZpnKqAVwMLwFqTYN7aFckyyD'),
    key('3tdTU1syjzeAhKdt9BK56UtHtkYL5gXK2YFFRxY5WpdN'),
    key('DLTkDjVETEZ37LGUfyPkaU32Uqxwy13KWCvDhXDC1rFn'),
    key('D8C8iW6zmoKg5TRr8nQ7h14TMWqQX8FiBdj2ju5MF3wa'),
    key('j3srcrYoJtyvXkwsh22gdAdHuDUCmZfHg3hMNu727Wb'),
    Uint8Array.of(4),
    instruction([5], Buffer.from('033075000000000000', 'hex')),
    instruction([6, 0, 1, 2, 7, 8, 9, 10], Uint8Array.of(1)),
    instruction([9, 3, 1, 0], Buffer.from('0300ca9a3b00000000', 'hex')),
    instruction([11, 0, 0, 2, 1, 3, 11, 7, 12, 9, 8], order, Uint8Array.of(0xc6, 1)),
    Uint8Array.of(1),
    key(table),
    Uint8Array.of(0, 8, 51, 6, 36, 41, 5, 39, 129, 32),
  ])
  return unsigned(message).toString('base64')
}

/** What it buys is no token of the chain table's: without its decimals, the minimum is the provider's word. */
const ORDER: CrossChainOrder = {
  fromChain: findXprovChain('solana')!,
  toChain: findXprovChain('ethereum')!,
  tokenIn: { address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', isNative: false, decimals: 6 },
  tokenOut: { address: '0x8F3470A7388c05eE4e7AF3d01D8C722b0FF52374', isNative: false },
  amountIn: 1_000_000_000n,
  from: FROM,
  to: '0x616BDf249a81e1Ba568962747Eb2f66846981Fae',
  slippage: null,
  preference: null,
}

const prove = (base64: string, order = ORDER, minimum = 1n) =>
  proveCrossChainSolana(base64, { order, minimum, now: NOW })
const ruleOf = (attempt: () => unknown): string | undefined => {
  try {
    attempt()
    return undefined
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

t.test('a real cross-chain swap is proved', async (t) => {
  const { stated, checks, agreed, bridges } = prove(sample())
  t.same(stated, ['minimum'])
  t.same(bridges, ['mayan'])
  for (const check of ['recipient', 'amount', 'received_token', 'deposit', 'refund', 'fees'])
    t.ok(checks.includes(check), check)
  t.match(agreed, { spends: { token: ORDER.tokenIn.address, atMost: ORDER.amountIn }, receives: null })
  t.ok(agreed!.atMostNativeFees > 2_194_480n, 'what it cost in lamports')
})

t.test('guards are those of the wallet and of what it sells from, after the bridge', async (t) => {
  const sold = tokenAccount(FROM, ORDER.tokenIn.address)
  const amount = [3, 1, 0, 0, 0, 0, 0, 0, 0]
  const accounts = [sold, sold, FROM].map((one) => ({ key: one, isWritable: one === sold }))
  const tokens: Added = { program: TOKEN_PROGRAM, accounts, data: Uint8Array.from(amount) }
  const lamports = payment(FROM, FROM, 1n)
  const guarded = (rewrite: Rewrite) => {
    const signed = rewritten(sample(), new Uint8Array(32).fill(7), rewrite)
    const base64 = Buffer.from(signed, 'base64').fill(0, 1, 65).toString('base64')
    return prove(base64, { ...ORDER, guards: true })
  }
  for (const rewrite of [
    {},
    { after: [lamports] },
    { after: [tokens] },
    { before: [tokens, lamports] },
    { before: [tokens], after: [lamports] },
  ])
    t.equal(
      ruleOf(() => guarded(rewrite)),
      'guards',
    )
  t.ok(guarded({ after: [tokens, lamports] }).checks.includes('guards'))
})

t.test('with the decimals of what it buys, its minimum is proved too', async (t) => {
  // Carried with eight decimals.
  const carried = Buffer.from(DATA, 'hex').readBigUInt64LE(91)
  for (const decimals of [6, 8, 18]) {
    const order = { ...ORDER, decimalsOut: decimals }
    const unit = 10n ** BigInt(Math.max(0, decimals - 8))
    const proof = prove(sample(), order, carried * unit + unit - 1n)
    t.same(proof.stated, [], `${decimals}`)
    t.ok(proof.checks.includes('minimum'))
    t.equal(proof.minimum, String(carried * unit))
    t.equal(
      ruleOf(() => prove(sample(), order, carried * unit + unit)),
      'minimum',
    )
  }
  t.same(
    prove(sample(), { ...ORDER, decimalsOut: 36 }, 10n ** 28n).stated,
    ['minimum'],
    'a minimum of which the fewer decimals drop all is none',
  )
})

t.test('and no other order by it', async (t) => {
  const others: readonly [string, Partial<CrossChainOrder>][] = [
    ['recipient', { to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }],
    ['destination_chain', { toChain: findXprovChain('base')! }],
    ['amount', { amountIn: 999_999_999n }],
    ['amount', { amountIn: 1_100_000_000n }],
    [
      'received_token',
      { tokenOut: { ...ORDER.tokenOut, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' } },
    ],
    [
      'sent_token',
      { tokenIn: { ...ORDER.tokenIn, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' } },
    ],
    ['fee_payer', { from: '4oPVgxeVgGa8C9DzwvQ1ZpnKqAVwMLwFqTYN7aFckyyD' }],
  ]
  for (const [rule, change] of others)
    t.equal(
      ruleOf(() => prove(sample(), { ...ORDER, ...change })),
      rule,
      rule,
    )
})

t.test('what an unknown lookup table holds is not guessed', async (t) => {
  t.equal(
    ruleOf(() => prove(sample({ table: FROM }))),
    'program',
  )
})

t.test("a referrer's part lowers the minimum", async (t) => {
  const toUsdt = { ...ORDER.tokenOut, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
  const given = prove(sample({ referrerBps: 50 }))
  t.same(given.stated, ['minimum'], 'and is within the bound')
  const recipient = '5fmLrs2GuhfDP1B51ziV5Kd1xtAr9rw1jf3aQ4ihZ2gy'
  const fee = { bps: 50, recipient, whose: null }
  t.same(given.fees, [{ ...fee, amount: '5000000', token: ORDER.tokenIn.address }], 'of what is sold')
  const carried = Buffer.from(DATA, 'hex').readBigUInt64LE(91)
  const counted = prove(sample({ referrerBps: 50 }), { ...ORDER, decimalsOut: 8 })
  t.same(counted.fees, [{ ...fee, amount: `${carried / 200n}`, token: ORDER.tokenOut.address }])
  t.same(prove(sample()).fees, [])
  t.equal(
    ruleOf(() => prove(sample({ referrerBps: 50 }), { ...ORDER, tokenOut: toUsdt })),
    'received_token',
  )
  t.equal(
    ruleOf(() => prove(sample({ referrerBps: 101 }))),
    'fees',
  )
})
