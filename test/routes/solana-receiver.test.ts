/** Swaps of Solana that pay another wallet, over a gateway as it is started: they land, at a wallet without an account. */
import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { associatedAccount } from '../../src/chains/solana/associated.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts'
import { type SwapOrder, verify } from '../../src/clients/verify/index.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { BuildResult } from '../../src/runtime/resources/build.ts'
import { Check } from '../fixtures/check.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { sandboxConnection } from '../fixtures/nonces.ts'
import { fund, getQuote, postBuild, SOLANA_WALLET, TON_WALLET, USDC } from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const [RECEIVER, THIRD] = [8, 9].map((byte) =>
  Keypair.fromSeed(new Uint8Array(32).fill(byte)).publicKey.toBase58(),
) as [string, string]
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const SCALED = 'ScaLed1111111111111111111111111111111111111'
const RENT = 2_039_280n

type Answer = ReturnType<typeof JSON.parse>
const jsonOf = async (response: Response): Promise<Answer> => response.json()
const judged = (order: object, built: unknown) => verify(order as SwapOrder, built)

async function world(t: Test, environment: Record<string, string> = {}) {
  const clock = movedClock({ ...STILL, after: CLOCK.after })
  const limits = { LIMITS: 'swap=off,rpcRead=off,rpcSend=off' }
  const gateway = await listen(t, { ...limits, ...environment }, { clock })
  await fund(gateway.sandbox!.solanaRpc)
  const connection = sandboxConnection(gateway.sandbox!.solanaRpc)
  const land = async (base64: string): Promise<void> => {
    const signed = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'))
    signed.sign([WALLET])
    const sent = [Buffer.from(signed.serialize()).toString('base64'), { encoding: 'base64' }]
    t.match(await (await call(gateway.url, 'sendTransaction', sent)).json(), { result: String })
    clock.move(30_000)
  }
  const held = async (owner: string, mint: string, program: string): Promise<bigint | null> => {
    const at = new PublicKey(associatedAccount(owner, mint, program))
    const account = await connection.getAccountInfo(at)
    return account?.data.readBigUInt64LE(64) ?? null
  }
  return { url: gateway.url, land, held }
}

const JUPITER = { SOLANA_POOLS: 'off', DFLOW_URL: 'off' }
const POOLS = { JUPITER_URL: 'off', DFLOW_URL: 'off' }
const BUY = { chain: 'solana', side: 'buy', amount: '0.1', from: SOLANA_WALLET, receiver: RECEIVER }

const CASES: readonly [
  provider: string,
  environment: Record<string, string>,
  token: string,
  program?: string,
][] = [
  ['whirlpool', POOLS, USDC.solana],
  ['raydium-cpmm', POOLS, JUP],
  ['jupiter', JUPITER, USDC.solana],
  ['jupiter', JUPITER, SCALED, TOKEN_2022_PROGRAM],
]
for (const [provider, environment, token, program = TOKEN_PROGRAM] of CASES) {
  t.test(`${provider} pays a wallet without an account, and then one with it: ${program}`, async (t) => {
    const { url, land, held } = await world(t, environment)
    const order = { ...BUY, token }
    let before: bigint | null = null
    for (const rents of [1, 0]) {
      t.equal(await held(RECEIVER, token, program), before)
      const quote = await jsonOf(await getQuote(url, order))
      t.match(quote, { provider })
      const body = await jsonOf(await postBuild(url, { ...order, quote }))
      t.ok(Check(BuildResult, body), JSON.stringify(body).slice(0, 300))
      t.match(body, {
        ...{ provider, from: SOLANA_WALLET, costsComplete: true },
        verification: {
          ...{ level: 'proved', recipient: RECEIVER, stated: { length: 0 } },
          simulation: { by: 'simulateTransaction' },
        },
      })
      const paid = body.costs.filter(({ kind, refundable }: Answer) => kind === 'rent' && !refundable)
      t.equal(paid.length, rents, "the rent of the receiver's account")
      if (rents > 0) t.ok(BigInt(paid[0].amount) > RENT / 2n)

      const asked = { ...order, minOut: quote.minOut }
      t.match(await judged(asked, body), {
        ...{ isVerified: true, level: 'proved', stated: { length: 0 } },
        facts: { receives: { recipient: RECEIVER, atLeast: body.minOut } },
      })
      for (const [rule, more] of [
        ['destination_account', { receiver: undefined }],
        ['destination_account', { receiver: THIRD }],
        ['destination_account', { receiver: SOLANA_WALLET }],
        ['guards', { guards: true }],
        ['minimum', { minOut: String(BigInt(body.minOut) + 1n) }],
      ] as const)
        t.match(await judged({ ...asked, ...more }, body), { isVerified: false, rule }, JSON.stringify(more))
      const own = await held(SOLANA_WALLET, token, program)
      await land(body.solanaTransaction)
      const after = await held(RECEIVER, token, program)
      t.ok(after! - (before ?? 0n) >= BigInt(body.minOut))
      t.equal(await held(SOLANA_WALLET, token, program), own, 'the signer gets none')
      before = after
    }
    const quote = await jsonOf(await getQuote(url, { ...order, receiver: SOLANA_WALLET }))
    const mine = await jsonOf(await postBuild(url, { ...order, receiver: SOLANA_WALLET, quote }))
    t.notOk('recipient' in mine.verification, 'the signer is no receiver')
    const asked = { ...order, minOut: quote.minOut }
    t.match(await judged({ ...asked, receiver: SOLANA_WALLET }, mine), { isVerified: true })
    t.match(await judged(asked, mine), { isVerified: false, rule: 'destination_account' }, 'pays the signer')
    await land(mine.solanaTransaction)
    t.equal(await held(RECEIVER, token, program), before)

    if (provider !== 'jupiter') return
    const sold = { ...BUY, side: 'sell', token, against: JUP, amount: '0.5' }
    const traded = await jsonOf(await getQuote(url, sold))
    const body = await jsonOf(await postBuild(url, { ...sold, quote: traded }))
    t.match(body, { provider, verification: { recipient: RECEIVER } }, 'a token for another one')
    const units = { amount: undefined, amountIn: '500000', minOut: traded.minOut }
    t.match(await judged({ ...sold, ...units }, body), { isVerified: true })
    await land(body.solanaTransaction)
    t.ok((await held(RECEIVER, JUP, TOKEN_PROGRAM))! >= BigInt(body.minOut))
  })
}

t.test('what cannot be is refused plainly', async (t) => {
  const { url } = await world(t)
  const order = { ...BUY, token: USDC.solana }
  const cases: [title: string, query: Record<string, string>, error: RegExp][] = [
    ['SOL itself', { ...order, side: 'sell' }, /gets a token, not SOL. Give `against`/],
    ['no address', { ...order, receiver: 'somebody' }, /wallet address of Solana/],
    [
      'on TON',
      { ...order, chain: 'ton', token: USDC.ton, from: TON_WALLET, receiver: TON_WALLET },
      /for EVM chains and Solana/,
    ],
  ]
  for (const [title, query, error] of cases) {
    const response = await getQuote(url, query)
    t.equal(response.status, 400, title)
    t.match(await jsonOf(response), { code: 'invalid_parameter', field: 'receiver', error }, title)
  }
  t.equal(
    (await getQuote(url, { ...order, side: 'sell', receiver: SOLANA_WALLET })).status,
    200,
    'its own SOL',
  )
  const quote = await jsonOf(await getQuote(url, order))
  const build = async (more: object) => jsonOf(await postBuild(url, { ...order, quote, ...more }))
  t.match(await build({ guards: true }), { code: 'invalid_parameter', field: 'guards' })
  const desk = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
  for (const [what, receiver] of [
    ['a token', USDC.solana],
    ['a token', JUP],
    ['a program', desk],
  ] as const)
    t.match(
      await build({ receiver }),
      { field: 'receiver', error: new RegExp(`This is ${what}: `) },
      receiver,
    )
  const ranked = await jsonOf(
    await fetch(`${url}/api/v2quote?${new URLSearchParams({ ...BUY, token: USDC.solana })}`),
  )
  const told = ranked.quotes.map(({ provider }: Answer) => provider)
  t.ok(told.includes('jupiter'))
  t.notOk(told.includes('dflow'), 'its bytes show no recipient')
})

t.test('a token account is no receiver', async (t) => {
  const { url, land } = await world(t, POOLS)
  const own = { ...BUY, token: USDC.solana, receiver: SOLANA_WALLET }
  const quote = await jsonOf(await getQuote(url, own))
  const mine = await jsonOf(await postBuild(url, { ...own, quote }))
  await land(mine.solanaTransaction)
  const receiver = associatedAccount(SOLANA_WALLET, USDC.solana, TOKEN_PROGRAM)
  const again = await jsonOf(await getQuote(url, { ...own, receiver }))
  t.match(await jsonOf(await postBuild(url, { ...own, receiver, quote: again })), {
    ...{ code: 'invalid_parameter', field: 'receiver' },
    error: /This is a token account: what is sent there is lost/,
  })
})

t.test('the receiver is held to the addresses that the operator refuses', async (t) => {
  const directory = t.testdir({ 'refused.txt': `${RECEIVER}\n` })
  const { url } = await world(t, { SANCTIONS_FILE: `${directory}/refused.txt` })
  const order = { ...BUY, token: USDC.solana }
  const refused = { code: 'address_refused', field: 'receiver' }
  t.match(await jsonOf(await getQuote(url, order)), refused)
  const quote = await jsonOf(await getQuote(url, { ...order, receiver: SOLANA_WALLET }))
  t.match(await jsonOf(await postBuild(url, { ...order, quote })), refused)
})
