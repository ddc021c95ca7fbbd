/** What a wallet holds on Solana, by the sandbox's virtual machine and by nodes that lie. */

import { Keypair } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { SolanaHoldings } from '../../../src/providers/holdings/solana.ts'
import { scaledMint } from '../../../src/sandbox/solana/ledger/scaled.ts'
import { startSolanaSandbox } from '../../../src/sandbox/solana/server.ts'
import { SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../../fixtures/call.ts'
import { type Behaviour, hostileUpstream, http, rpc, stalls } from '../../fixtures/hostile-upstream.ts'
import { mutationsOf } from '../../fixtures/mutations.ts'
import { failureOf } from '../../fixtures/provider.ts'

const OPTIONS = callOf(600_000)
const OWNER = 'HK4c1xY6bM2JvQ8nTzDfWp9gRsLuEa3iZoXkNwBt5VqC'
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const OTHER_MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const MAX_U64 = 2n ** 64n - 1n

function holdingsAt(t: Test, url: string): SolanaHoldings {
  const node = new SolanaRpc({ readUrls: [url], sendUrls: [url] })
  t.teardown(() => node.close())
  return new SolanaHoldings(node)
}

const randomAddress = (): string => Keypair.generate().publicKey.toBase58()
const bytesOf = (address: string): Uint8Array => decodeBase58(address, 32)!

interface Account {
  readonly mint: string
  readonly owner: string
  readonly amount: bigint
  readonly state?: number
  readonly isNative?: boolean
}

/** As the token programs keep it. */
function accountData({ mint, owner, amount, state = 1, isNative = false }: Account): Buffer {
  const data = Buffer.alloc(165)
  data.set(bytesOf(mint), 0)
  data.set(bytesOf(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = state
  if (isNative) {
    data.writeUInt32LE(1, 109)
    data.writeBigUInt64LE(2_039_280n, 113)
  }
  return data
}

function mintData(decimals: number): Buffer {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(MAX_U64, 36)
  data[44] = decimals
  data[45] = 1
  return data
}

t.test('at the virtual machine', async (t) => {
  const sandbox = await startSolanaSandbox({ now: () => Date.UTC(2026, 10, 21, 12) })
  t.teardown(() => sandbox.close())
  const { vm, slots } = sandbox.bank
  const holdings = holdingsAt(t, sandbox.url)
  const place = (address: string, data: Uint8Array, program = TOKEN_PROGRAM, lamports = 2_039_280n) =>
    vm.place(bytesOf(address), { lamports, data, owner: bytesOf(program) })
  const mint = (decimals: number, program = TOKEN_PROGRAM): string => {
    const address = randomAddress()
    place(address, mintData(decimals), program)
    return address
  }
  const hold = (account: Account, program = TOKEN_PROGRAM): void =>
    place(randomAddress(), accountData(account), program)

  await t.test('all accounts count, by mint, once', async (t) => {
    const owner = randomAddress()
    vm.endow(bytesOf(owner), 2n ** 60n + 1n)
    hold({ mint: WRAPPED_SOL_MINT, owner, amount: 5n, isNative: true })
    hold({ mint: WRAPPED_SOL_MINT, owner, amount: 70n, isNative: true })
    const [usdc, cold, empty, young, single] = [
      mint(6),
      mint(9),
      mint(6),
      mint(2, TOKEN_2022_PROGRAM),
      mint(0),
    ]
    hold({ mint: usdc, owner, amount: 1_500_000n })
    hold({ mint: usdc, owner, amount: MAX_U64 })
    hold({ mint: cold, owner, amount: 3n, state: 2 })
    hold({ mint: empty, owner, amount: 0n })
    hold({ mint: young, owner, amount: 12n }, TOKEN_2022_PROGRAM)
    hold({ mint: single, owner, amount: 1n })
    hold({ mint: usdc, owner: randomAddress(), amount: 9n })
    const scaled = randomAddress()
    place(scaled, scaledMint(mintData(6), 2.5), TOKEN_2022_PROGRAM)
    hold({ mint: scaled, owner, amount: 4_000_001n }, TOKEN_2022_PROGRAM)
    const neutral = randomAddress()
    place(neutral, scaledMint(mintData(6), 1), TOKEN_2022_PROGRAM)
    hold({ mint: neutral, owner, amount: 4_000_001n }, TOKEN_2022_PROGRAM)
    const lost = randomAddress()
    hold({ mint: lost, owner, amount: 8n, state: 2 })

    const answer = await holdings.ask(owner, [], OPTIONS)
    t.same(answer.at, { block: null, slot: slots.slot('confirmed') })
    t.equal(answer.missing, 0)
    const coin = { symbol: 'SOL', name: 'Solana', wrapped: 75n }
    const plain = { symbol: null, name: null, wrapped: null }
    const holding = (address: string, amount: bigint, decimals: number | null, notes: string[] = []) => ({
      token: { chain: 'solana', address, isNative: address === WRAPPED_SOL_MINT },
      amount,
      decimals,
      ...(address === WRAPPED_SOL_MINT ? coin : plain),
      notes,
    })
    const expected = [
      holding(WRAPPED_SOL_MINT, 2n ** 60n + 76n, 9),
      holding(usdc, MAX_U64 + 1_500_000n, 6),
      holding(cold, 3n, 9, ['frozen']),
      holding(young, 12n, 2),
      holding(single, 1n, 0),
      holding(scaled, 4_000_001n, 6, ['scaled']),
      holding(neutral, 4_000_001n, 6),
      holding(lost, 8n, null, ['frozen']),
    ]
    const byAddress = (a: { token: { address: string } }, b: { token: { address: string } }) =>
      a.token.address < b.token.address ? -1 : 1
    t.same([...answer.holdings].sort(byAddress), expected.sort(byAddress))
  })

  await t.test('a wallet without anything has nothing', async (t) => {
    const answer = await holdings.ask(randomAddress(), [], OPTIONS)
    t.match(answer, { holdings: { length: 0 }, missing: 0, at: { slot: Number } })
  })

  await t.test('wrapped SOL alone is SOL too', async (t) => {
    const owner = randomAddress()
    hold({ mint: WRAPPED_SOL_MINT, owner, amount: 5n, isNative: true })
    t.match((await holdings.ask(owner, [], OPTIONS)).holdings, [
      { token: { address: WRAPPED_SOL_MINT, isNative: true }, amount: 5n, wrapped: 5n },
    ])
  })

  await t.test('hundreds of accounts are no trouble', async (t) => {
    const owner = randomAddress()
    const spam = mint(9)
    for (let i = 0; i < 400; i++) hold({ mint: spam, owner, amount: BigInt(i) })
    for (let i = 0; i < 100; i++) hold({ mint: mint(6), owner, amount: 1n })
    const { holdings: held } = await holdings.ask(owner, [], OPTIONS)
    t.equal(held.length, 101)
    t.equal(held.find(({ token }) => token.address === spam)?.amount, (399n * 400n) / 2n)
  })
})

/** A parsed token account, as a node shows it. */
const parsed = (info: Record<string, unknown> = {}) => ({
  pubkey: OTHER_MINT,
  account: {
    data: {
      program: 'spl-token',
      parsed: {
        type: 'account',
        info: {
          mint: MINT,
          owner: OWNER,
          state: 'initialized',
          isNative: false,
          tokenAmount: { amount: '7', decimals: 6, uiAmount: 0.000007, uiAmountString: '0.000007' },
          ...info,
        },
      },
    },
  },
})

const raw = (data: unknown) => ({ pubkey: OTHER_MINT, account: { data } })

/** A node with these results; the list is SPL Token's, Token-2022's is empty unless given. */
function answersWith(results: { balance?: string; list?: string; list2022?: string }): Behaviour {
  const { balance, list, list2022 } = results
  const value = (json: string, slot = 100) => `"result":{"context":{"slot":${slot}},"value":${json}}`
  return (socket, { id, body }) => {
    const member = body.includes('getBalance')
      ? (balance ?? value('1'))
      : body.includes(TOKEN_2022_PROGRAM)
        ? (list2022 ?? value('[]', 98))
        : (list ?? value('[]', 99))
    socket.write(http(200, rpc(id, member)))
  }
}

const listOf = (...items: unknown[]): string =>
  `"result":{"context":{"slot":99},"value":${JSON.stringify(items)}}`

t.test('what is asked, and how old the answer is', async (t) => {
  const node = await hostileUpstream(t, answersWith({}))
  const answer = await holdingsAt(t, node.url).ask(OWNER, [{ address: MINT }], OPTIONS)
  t.same(answer.at, { block: null, slot: 98 }, 'the oldest of the three')
  t.same(
    node.requests.map(({ body }) => JSON.parse(body).params).sort((a, b) => a.length - b.length),
    [
      [OWNER, { commitment: 'confirmed' }],
      [OWNER, { programId: TOKEN_PROGRAM }, { commitment: 'confirmed', encoding: 'jsonParsed' }],
      [OWNER, { programId: TOKEN_2022_PROGRAM }, { commitment: 'confirmed', encoding: 'jsonParsed' }],
    ],
  )
})

t.test('lamports are read from their digits', async (t) => {
  for (const lamports of [2n ** 53n + 1n, MAX_U64]) {
    const balance = `"result":{"context":{"slot":1},"value":${lamports}}`
    const node = await hostileUpstream(t, answersWith({ balance }))
    t.equal((await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)).holdings[0]?.amount, lamports)
  }
  for (const value of [`${MAX_U64 + 1n}`, '-1', '1.5', '1e3', '"5"', 'null', '1e400']) {
    const balance = `"result":{"context":{"slot":1},"value":${value}}`
    const node = await hostileUpstream(t, answersWith({ balance }))
    const answer = await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)
    t.same([answer.holdings, answer.missing], [[], 1], value)
  }
})

t.test('an account that cannot be one is left out and counted; the others stand', async (t) => {
  const amount = (tokenAmount: unknown) => parsed({ tokenAmount })
  const bad: unknown[] = [
    null,
    5,
    {},
    { account: null },
    raw({ parsed: null }),
    raw(['', 'base64']),
    raw([accountData({ mint: MINT, owner: OWNER, amount: 1n }).toString('base64'), 'base58']),
    raw([accountData({ mint: MINT, owner: OWNER, amount: 1n, state: 0 }).toString('base64'), 'base64']),
    raw([accountData({ mint: MINT, owner: MINT, amount: 1n }).toString('base64'), 'base64']),
    parsed({ owner: MINT }),
    parsed({ mint: 'not base58' }),
    parsed({ mint: encodeBase58(new Uint8Array(31).fill(1)) }),
    parsed({ isNative: 'yes' }),
    amount({ amount: 7, decimals: 6 }),
    amount({ amount: '-7', decimals: 6 }),
    amount({ amount: '7.5', decimals: 6 }),
    amount({ amount: `${MAX_U64 + 1n}`, decimals: 6 }),
    amount({ amount: '9'.repeat(21), decimals: 6 }),
    amount({ amount: '7', decimals: -1 }),
    amount({ amount: '7', decimals: 256 }),
    amount({ amount: '7', decimals: '6' }),
  ]
  for (const item of bad) {
    const node = await hostileUpstream(t, answersWith({ list: listOf(item, parsed()) }))
    const answer = await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)
    t.match(answer.holdings, [{ amount: 1n }, { token: { address: MINT }, amount: 7n, decimals: 6 }])
    t.equal(answer.missing, 1, JSON.stringify(item))
  }
})

t.test('an account whose mint the node cannot read is read from its bytes', async (t) => {
  const data = accountData({ mint: OTHER_MINT, owner: OWNER, amount: MAX_U64 }).toString('base64')
  const node = await hostileUpstream(t, answersWith({ list: listOf(raw([data, 'base64'])) }))
  const holdings = holdingsAt(t, node.url)
  t.match((await holdings.ask(OWNER, [], OPTIONS)).holdings[1], {
    token: { address: OTHER_MINT },
    amount: MAX_U64,
    decimals: null,
  })
  const known = parsed({ mint: OTHER_MINT, tokenAmount: { amount: '1', decimals: 3 } })
  node.behaviour = answersWith({ list: listOf(raw([data, 'base64'])), list2022: listOf(known) })
  t.match((await holdings.ask(OWNER, [], OPTIONS)).holdings[1], { amount: MAX_U64 + 1n, decimals: 3 })
})

t.test('what is odd about a token is noted', async (t) => {
  const shown = (uiAmountString: string, decimals = 6) =>
    parsed({ tokenAmount: { amount: '7000000', decimals, uiAmountString } })
  const cases: [item: unknown, notes: string[], decimals: number | null][] = [
    [shown('7'), [], 6],
    [shown('7.000000'), [], 6],
    [shown('7.1'), ['scaled'], 6],
    [shown('0'), ['scaled'], 6],
    [shown('NaN'), ['scaled'], 6],
    [shown('7', 37), ['scaled'], null],
    [parsed({ state: 'frozen' }), ['frozen'], 6],
  ]
  for (const [item, notes, decimals] of cases) {
    const node = await hostileUpstream(t, answersWith({ list: listOf(item) }))
    const { holdings } = await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)
    t.same([holdings[1]?.notes, holdings[1]?.decimals], [notes, decimals], JSON.stringify(item))
  }
})

t.test('wrapped SOL is never a second holding, whatever the node says of it', async (t) => {
  const odd = parsed({ mint: WRAPPED_SOL_MINT, isNative: false })
  const native = parsed({ mint: OTHER_MINT, isNative: true })
  const node = await hostileUpstream(t, answersWith({ list: listOf(odd, native) }))
  const { holdings } = await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)
  t.match(holdings, [{ token: { address: WRAPPED_SOL_MINT }, amount: 15n, wrapped: 14n, decimals: 9 }])
  t.equal(holdings.length, 1)
})

t.test('of a spammed wallet ten thousand accounts are read, and the rest is counted', async (t) => {
  const small = raw([accountData({ mint: MINT, owner: OWNER, amount: 1n }).toString('base64'), 'base64'])
  const items = new Array<unknown>(10_002).fill(small)
  const node = await hostileUpstream(t, answersWith({ list: listOf(...items) }))
  const answer = await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS)
  t.match(answer, { missing: 2 })
  t.equal(answer.holdings[1]?.amount, 10_000n)
  const endless = `"result":{"context":{"slot":1},"value":["${'x'.repeat(9_000_000)}"]}`
  node.behaviour = answersWith({ list: endless })
  t.match(await holdingsAt(t, node.url).ask(OWNER, [], OPTIONS), { missing: 1, holdings: [{ amount: 1n }] })
})

t.test('whatever a member of an answer holds, the rest of the wallet stands', async (t) => {
  const node = await hostileUpstream(t)
  const holdings = holdingsAt(t, node.url)
  const odd: string[] = []
  for (const [name, item] of mutationsOf(parsed())) {
    node.behaviour = answersWith({
      list: `"result":{"context":{"slot":99},"value":[${item}]}`,
      list2022: listOf(parsed()),
    })
    const answer = await holdings.ask(OWNER, [], OPTIONS)
    const tokens = answer.holdings.filter(({ token }) => token.address === MINT)
    const amount = tokens[0]?.amount ?? 0n
    const isWhole = tokens.length === 1 && amount === 14n && answer.missing === 0
    const isWithout = tokens.length === 1 && amount === 7n && answer.missing <= 1
    if (!isWhole && !isWithout) odd.push(`${name}: ${amount}, ${answer.missing} missing`)
  }
  t.same(odd, [])
})

t.test('a part that fails is missing; when all fail, that is the answer', async (t) => {
  const refusal = '"error":{"code":-32010,"message":"excluded from account secondary indexes"}'
  const node = await hostileUpstream(t, answersWith({ list: refusal }))
  const holdings = holdingsAt(t, node.url)
  t.match(await holdings.ask(OWNER, [], OPTIONS), {
    missing: 1,
    isCoinMissing: false,
    holdings: [{ amount: 1n }],
    at: { slot: 98 },
  })
  node.behaviour = answersWith({ balance: refusal, list: listOf(parsed()) })
  t.match(await holdings.ask(OWNER, [], OPTIONS), {
    missing: 1,
    isCoinMissing: true,
    holdings: [{ amount: 7n }],
  })
  node.behaviour = answersWith({ balance: refusal, list: refusal, list2022: refusal })
  t.match(await failureOf(holdings.ask(OWNER, [], OPTIONS)), {
    name: 'GatewayError',
    code: 'upstream_failed',
  })
  for (const result of [
    'null',
    '5',
    '{}',
    '{"context":{},"value":[]}',
    '{"context":{"slot":-1},"value":[]}',
  ]) {
    const member = `"result":${result}`
    node.behaviour = answersWith({ balance: member, list: member, list2022: member })
    t.match(await failureOf(holdings.ask(OWNER, [], OPTIONS)), { code: 'upstream_unusable' }, result)
  }
})

t.test('time that runs out is a timeout, and a caller that goes away ends all three', async (t) => {
  const node = await hostileUpstream(t, stalls)
  const holdings = holdingsAt(t, node.url)
  t.match(await failureOf(holdings.ask(OWNER, [], callOf(60))), {
    code: 'upstream_timeout',
  })
  const scope = new CancellationScope()
  const failure = failureOf(holdings.ask(OWNER, [], callOf(60_000, scope)))
  setImmediate(() => scope.cancel())
  t.match(await failure, { code: 'upstream_unavailable' })
  t.match(await failureOf(holdings.ask(OWNER, [], callOf(60_000, scope))), {
    code: 'upstream_unavailable',
  })
})
