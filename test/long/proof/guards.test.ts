/**
 * A market that behaves when the gateway simulates a swap, and robs the wallet when it lands: with guards nothing lands
 * that it robs, and every honest swap does.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import t from 'tap'
import { jupiterProgram } from '../../../scripts/sbpf/programs.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { callOf } from '../../fixtures/call.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { MORE, OTHER, orderOf, startGuarded, THIEF, TOKENS, tokenOf } from '../../fixtures/guarded-world.ts'
import { robber, type Theft } from '../../fixtures/robber.ts'

/** Accounts of a route, see sandbox/swap/jupiter-program.ts. */
const WALLET_AT = 0
const SOURCE = 1
const DESTINATION = 2
const PROGRAM_IN = 5
const PROGRAM_OUT = 6
const VAULT = 10
const DESK = 12
const SOL = 1_000_000_000n

const u64 = (value: bigint): number[] => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return [...bytes]
}
const onAccount = (
  program: number,
  account: number,
  more: Theft['accounts'],
  data: Theft['data'],
): Theft => ({
  program,
  accounts: [[account, 'writable'], ...more, [WALLET_AT, 'signer']],
  data,
})

/** What is done with one of the wallet's token accounts. */
const ACCOUNT_THEFTS: Readonly<Record<string, (program: number, account: number) => readonly Theft[]>> = {
  'a delegate': (program, account) => [
    onAccount(program, account, [[DESK, 'readonly']], [4, ...u64(2n ** 64n - 1n)]),
  ],
  'a close authority': (program, account) => [onAccount(program, account, [], [6, 3, 1, { key: DESK }])],
  'another owner': (program, account) => [onAccount(program, account, [], [6, 2, 1, { key: DESK }])],
  'another owner, and the wallet as its delegate': (program, account) => [
    onAccount(program, account, [], [6, 2, 1, { key: DESK }]),
    {
      program,
      accounts: [
        [account, 'writable'],
        [WALLET_AT, 'readonly'],
        [DESK, 'signer'],
      ],
      data: [4, ...u64(2n ** 64n - 1n)],
    },
  ],
}

interface Robbery {
  readonly title: string
  readonly symbols: readonly [string, string]
  readonly program: Buffer
}

const PAIRS: readonly (readonly [string, string])[] = [
  ['USDC', 'BONK'],
  ['SOL', 'USDC'],
  ['USDC', 'SOL'],
  ['USDC', 'SCALED'],
]

const robberies = PAIRS.flatMap((symbols): Robbery[] => {
  const theft = (title: string, thefts: readonly Theft[], pays = ''): Robbery => ({
    title: `${symbols.join(' to ')}: ${title}`,
    symbols,
    program: robber(thefts, pays),
  })
  const [sold, bought] = symbols
  const tokens: (readonly [string, number, number])[] = [
    // Wrapped SOL that is closed at the end is asserted as SOL.
    ...(sold === 'SOL' ? [] : [['the sold account', PROGRAM_IN, SOURCE] as const]),
    ...(bought === 'SOL' ? [] : [['the receiving account', PROGRAM_OUT, DESTINATION] as const]),
    ['another account', PROGRAM_IN, MORE.other],
  ]
  const pays = (lamports: bigint): Theft => ({
    program: MORE.system,
    accounts: [
      [WALLET_AT, 'both'],
      [MORE.thief, 'writable'],
    ],
    data: [2, 0, 0, 0, ...u64(lamports)],
  })
  return [
    theft('pays half', [], 'div r9, 2'),
    theft('pays nothing', [], 'mov r9, 0'),
    // Of SOL, as much as priority may take is not asserted: a tenth of so small an order.
    theft('pays less than the minimum', [], `mov r9, ${bought === 'SOL' ? 880_000 : 989_999}`),
    theft('takes lamports', [pays(SOL)]),
    theft('assigns the wallet', [
      { program: MORE.system, accounts: [[WALLET_AT, 'both']], data: [1, 0, 0, 0, { key: PROGRAM_IN }] },
    ]),
    ...(sold === 'SOL'
      ? []
      : [theft('takes more', [onAccount(PROGRAM_IN, SOURCE, [[VAULT, 'writable']], [3, ...u64(1_000n)])])]),
    theft('drains another account', [
      onAccount(PROGRAM_IN, MORE.other, [[MORE.thiefOther, 'writable']], [3, ...u64(77n)]),
    ]),
    ...tokens.flatMap(([name, program, account]) =>
      Object.entries(ACCOUNT_THEFTS).map(([what, thefts]) =>
        theft(`${what} of ${name}`, thefts(program, account)),
      ),
    ),
  ]
})

const walletOf = (n: number) => {
  const seed = new Uint8Array(32).fill(n % 251).fill(n >> 8, 0, 8)
  return { seed, address: encodeBase58(ed25519.getPublicKey(seed)) }
}

/** Whether one of the token accounts has one. */
const hasDelegate = (
  accounts: ReturnType<Awaited<ReturnType<typeof startGuarded>>['land']>['postAccounts'],
) => accounts.some(({ account: { data } }) => data.length >= 165 && data[72] === 1)

t.test('of forty robberies and more none lands with guards', async (t) => {
  const world = await startGuarded(t)
  world.fund(THIEF, SOL, [[OTHER, { amount: 0n }]])
  const landed = { without: 0, with: 0 }
  t.ok(robberies.length >= 40, `${robberies.length}`)
  for (const [i, { title, symbols, program }] of robberies.entries()) {
    const { seed, address } = walletOf(i + 1)
    const sold = tokenOf(symbols[0])
    world.fund(address, 20n * SOL, [
      [OTHER, { amount: 500n }],
      ...(sold.isNative ? [] : [[sold, { amount: 5_000_000_000n }] as const]),
    ])
    const built = async (guards: boolean) => {
      const order = orderOf(address, { symbols, amountIn: 2_000_000_000n, slippageBps: 100, guards })
      const { material } = await world.build(order, callOf())
      if (material.kind !== 'solana') throw new Error('it is of Solana')
      return material.transaction
    }
    const [open, guarded] = [await built(false), await built(true)]
    t.equal(world.land(guarded, seed, jupiterProgram({ greedy: true })).failure, null, `${title}: honest`)
    if (world.land(open, seed, program).failure === null) landed.without++
    else
      t.comment(`without guards: ${title}: ${JSON.stringify(world.land(open, seed, program).logs.slice(-3))}`)
    const { failure, postAccounts } = world.land(guarded, seed, program)
    // A delegate is revoked at the end: nothing is taken, and nobody may.
    const isHarmless = title.includes(': a delegate') && !hasDelegate(postAccounts)
    if (failure !== null || isHarmless) continue
    landed.with++
    t.fail(title)
  }
  t.comment(
    `${robberies.length} robberies; without guards ${landed.without} land, with guards ${landed.with}`,
  )
  t.equal(landed.with, 0)
  t.ok(landed.without >= 40, `${landed.without} land without guards`)
})

t.test('of two hundred honest swaps none is refused', async (t) => {
  const world = await startGuarded(t)
  world.fund(THIEF, SOL, [[OTHER, { amount: 0n }]])
  let landed = 0
  const sizes: number[] = []
  for (let i = 0; i < 200; i++) {
    const random = new Random(SEED, i)
    const { seed, address } = walletOf(i + 1)
    const sold = random.pick(TOKENS)
    const bought = random.pick(TOKENS.filter((one) => one !== sold))
    const amountIn = 1_000_000n + BigInt(random.below(2 ** 31))
    const permitted = () => ({
      ...(random.chance(0.2) && { delegate: THIEF }),
      ...(random.chance(0.2) && { closer: THIEF }),
    })
    const accounts = new Map([
      ...(sold.isNative
        ? []
        : [[sold, { amount: amountIn + BigInt(random.below(1_000)), ...permitted() }] as const]),
      ...(random.chance(0.5) && !bought.isNative
        ? [[bought, { amount: BigInt(random.below(1e6)), ...permitted() }] as const]
        : []),
      ...(random.chance(0.3) ? [[tokenOf('SOL'), { amount: BigInt(random.below(1e9)) }] as const] : []),
    ])
    if (!accounts.has(OTHER)) accounts.set(OTHER, { amount: BigInt(random.below(1e6)), ...permitted() })
    const lamports = (sold.isNative ? amountIn : 0n) + 10_000_000n + BigInt(random.below(1e9))
    world.fund(address, lamports, [...accounts])
    const order = orderOf(address, {
      symbols: [sold.symbol, bought.symbol],
      amountIn,
      slippageBps: 1 + random.below(500),
      guards: true,
      ...(random.chance(0.5) && { priority: random.pick(['none', 'low', 'medium', 'high'] as const) }),
    })
    const expectedOut = 1_000_000n + BigInt(random.below(2 ** 31))
    const { material, guards } = await world.build(order, callOf(), expectedOut)
    if (material.kind !== 'solana') throw new Error('it is of Solana')
    sizes.push(guards?.bytes ?? 0)
    // It pays what was quoted, or no more than the least.
    const program = jupiterProgram({ greedy: random.chance(0.5) })
    const { failure, logs } = world.land(material.transaction, seed, program)
    if (failure === null) landed++
    else t.fail(`${i}: ${sold.symbol} to ${bought.symbol}: ${JSON.stringify(failure)} ${logs.slice(-4)}`)
  }
  t.comment(`guards take ${Math.min(...sizes)} to ${Math.max(...sizes)} bytes`)
  t.equal(landed, 200)
})
