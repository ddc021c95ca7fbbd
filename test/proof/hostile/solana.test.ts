/**
 * A provider that was taken over, against the proof of a Solana swap. Real
 * transactions of the sandbox are changed at random, by one to three changes
 * each, and every one is both proved and executed. In Jupiter's place stands a
 * program that keeps all that Jupiter's may keep, so that the oracle is the
 * wallet itself: what executes and leaves it with less than was agreed, or with
 * a permission that it did not have, must have been refused.
 *
 * SWAPGATE_HOSTILE_RUNS is the number of transactions, 600 by default.
 */
import type { Arbitrary } from 'fast-check'
import t from 'tap'
import { jupiterProgram } from '../../../scripts/sbpf/programs.ts'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import type { AccountUse } from '../../../src/chains/solana/message.ts'
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { proveJupiter } from '../../../src/proof/solana/jupiter.ts'
import type { SwapClaim } from '../../../src/proof/solana/swap.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { type Composed, composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { openTransaction } from '../../../src/sandbox/solana/ledger/transaction.ts'
import { startSolanaSandbox } from '../../../src/sandbox/solana/server.ts'
import { Desk, route } from '../../../src/sandbox/swap/jupiter-desk.ts'
import { DESK_ADDRESS, JUPITER } from '../../../src/sandbox/swap/jupiter-program.ts'
import fc from '../../fixtures/fast-check.ts'
import { keypair } from '../../fixtures/transactions.ts'

const RUNS = Number(process.env.SWAPGATE_HOSTILE_RUNS ?? 600)
const FROM = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const SOL = 1_000_000_000n
const HELD = 1_000_000_000n
const QUOTED = 150_000_000n
const SLIPPAGE = 100
const MIN_OUT = (QUOTED * 9_900n) / 10_000n
/** A signature, the most priority that the proof lets through, and the rent of five accounts. */
const FEES = 5_000n + 2_000_000n + 5n * 2_039_280n
const RULES = { maxComputeUnitPrice: 50_000_000n }

const key = (address: string): Uint8Array => decodeBase58(address, 32)!

/** What the changes let out, for the documents. */
export const counts = { tried: 0, refused: 0, letOut: 0, stolen: 0 }

t.test('material that costs more than agreed never gets out', async (t) => {
  const solana = await startSolanaSandbox({ now: () => Date.UTC(2026, 10, 20, 12) })
  t.teardown(() => solana.close())
  const { bank } = solana
  const market = new Market()
  const tokens = market.tokens('solana')
  const native = market.native('solana')
  const [usdc, bonk, jup] = ['USDC', 'BONK', 'JUP'].map(
    (name) => tokens.find(({ symbol }) => symbol === name)!,
  )
  const USDC = usdc!.address
  const BONK = bonk!.address
  Desk.at(bank, tokens)
  bank.vm.addProgram(key(JUPITER), jupiterProgram({ greedy: true }))

  /** A token account with something in it. */
  const hold = (owner: string, mint: string, amount: bigint): void => {
    const data = Buffer.alloc(165)
    data.set(key(mint), 0)
    data.set(key(owner), 32)
    data.writeBigUInt64LE(amount, 64)
    data[108] = 1
    const lamports = bank.vm.rentExemption(165)
    bank.vm.place(key(tokenAddress(owner, mint)), { lamports, data, owner: key(TOKEN_PROGRAM) })
  }
  bank.vm.endow(key(FROM), 10n * SOL)
  bank.vm.endow(key(STRANGER), SOL)
  for (const mint of [USDC, BONK]) {
    hold(FROM, mint, HELD)
    hold(STRANGER, mint, HELD)
  }
  const wrappedOf = (owner: string) => tokenAddress(owner, WRAPPED_SOL_MINT)

  const swapOf = (tokenIn: typeof native, tokenOut: typeof native, amountIn: bigint): Composed[] => {
    const trade = { wallet: FROM, tokenIn, tokenOut, amountIn, amountOut: QUOTED, slippageBps: SLIPPAGE }
    const wrapped = wrappedOf(FROM)
    return [
      setComputeUnitLimit(200_000),
      setComputeUnitPrice(10_000),
      createTokenAccount(FROM, FROM, tokenOut.isNative ? WRAPPED_SOL_MINT : tokenOut.address),
      ...(tokenIn.isNative
        ? [
            createTokenAccount(FROM, FROM, WRAPPED_SOL_MINT),
            transferLamports(FROM, wrapped, amountIn),
            syncNative(wrapped),
          ]
        : []),
      route(trade),
      ...(tokenIn.isNative || tokenOut.isNative ? [closeTokenAccount(wrapped, FROM)] : []),
    ]
  }
  const claimOf = (mintIn: string | null, mintOut: string | null, amountIn: bigint): SwapClaim => ({
    from: FROM,
    mintIn,
    mintOut,
    amountIn,
    minOut: MIN_OUT,
  })
  const honest: readonly (readonly [SwapClaim, Composed[]])[] = [
    [claimOf(null, USDC, SOL), swapOf(native, usdc!, SOL)],
    [claimOf(USDC, null, 1_000_000n), swapOf(usdc!, native, 1_000_000n)],
    [claimOf(USDC, jup!.address, 1_000_000n), swapOf(usdc!, jup!, 1_000_000n)],
  ]

  const use = (address: string, isWritable = true): AccountUse => ({
    address,
    isSigner: address === FROM,
    isWritable,
  })
  const token = (program: string, data: readonly number[], ...accounts: string[]): Composed => ({
    program,
    accounts: accounts.map((address) => use(address)),
    data: Uint8Array.from(data),
  })
  const u64 = (value: bigint): number[] => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(value)
    return [...bytes]
  }
  const mine = tokenAddress(FROM, USDC)
  const [wallet, thief] = [FROM, STRANGER]
  /** What a thief would add. */
  const thefts: readonly (readonly [string, Composed])[] = [
    ['lamports to a stranger', transferLamports(wallet, thief, 3_000_000_000n)],
    ['a few lamports to a stranger', transferLamports(wallet, thief, 20_000_000n)],
    ["lamports into a stranger's wrapped account", transferLamports(wallet, wrappedOf(thief), SOL)],
    ['more wrapped than ordered', transferLamports(wallet, wrappedOf(wallet), 2n * SOL)],
    ['the other token to a stranger', transferTokens(wallet, thief, BONK, HELD, bonk!.decimals)],
    ['more of the token to a stranger', transferTokens(wallet, thief, USDC, 100_000n, 6)],
    [
      'the older transfer',
      token(TOKEN_PROGRAM, [3, ...u64(HELD)], tokenAddress(wallet, BONK), tokenAddress(thief, BONK), wallet),
    ],
    ['a delegate', token(TOKEN_PROGRAM, [4, ...u64(HELD)], mine, thief, wallet)],
    ['a delegate, checked', token(TOKEN_PROGRAM, [13, ...u64(HELD), 6], mine, USDC, thief, wallet)],
    ['another owner', token(TOKEN_PROGRAM, [6, 2, 1, ...key(thief)], mine, wallet)],
    ['an authority that may close', token(TOKEN_PROGRAM, [6, 3, 1, ...key(thief)], mine, wallet)],
    ['burnt', token(TOKEN_PROGRAM, [8, ...u64(HELD)], mine, USDC, wallet)],
    ['closed in favour of a stranger', token(TOKEN_PROGRAM, [9], wrappedOf(wallet), thief, wallet)],
    ['an account for a stranger', createTokenAccount(wallet, thief, jup!.address)],
    ['a nested account', { ...createTokenAccount(wallet, wallet, BONK), data: Uint8Array.of(2) }],
    ['the wallet given to a program', token(SYSTEM_PROGRAM, [1, 0, 0, 0, ...key(thief)], wallet)],
    [
      'an account with lamports',
      token(SYSTEM_PROGRAM, [0, 0, 0, 0, ...u64(SOL), ...u64(0n), ...key(thief)], wallet, thief),
    ],
    ['a dear unit', setComputeUnitPrice(4_000_000_000)],
    [
      'a second swap',
      route({ wallet, tokenIn: bonk!, tokenOut: jup!, amountIn: HELD, amountOut: 1n, slippageBps: 0 }),
    ],
    [
      'the same token under the newer program',
      token(TOKEN_2022_PROGRAM, [3, ...u64(1n)], mine, tokenAddress(thief, USDC), wallet),
    ],
    ['a memo', memo('hello')],
  ]
  const places = [
    ...[FROM, STRANGER, DESK_ADDRESS, USDC, BONK, WRAPPED_SOL_MINT, JUPITER],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM],
    ...[FROM, STRANGER, DESK_ADDRESS].flatMap((owner) =>
      [USDC, BONK, jup!.address, WRAPPED_SOL_MINT].map((mint) => tokenAddress(owner, mint)),
    ),
  ]

  type Change = (instructions: readonly Composed[]) => readonly Composed[]
  const edit =
    (at: number, change: (one: Composed) => Composed): Change =>
    (list) => {
      const index = at % list.length
      return list.with(index, change(list[index]!))
    }
  const change: Arbitrary<Change> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.nat(50), fc.nat(60), fc.nat(255)).map(([at, byte, value]) =>
        edit(at, (one) => {
          const data = Buffer.from(one.data)
          if (data.length > 0) data[byte % data.length] = value
          return { ...one, data }
        }),
      ),
    },
    // The bytes of the swap that say something.
    {
      weight: 4,
      arbitrary: fc.tuple(fc.integer({ min: 8, max: 30 }), fc.nat(255)).map(
        ([byte, value]) =>
          (list: readonly Composed[]) =>
            list.map((one) => {
              if (one.program !== JUPITER) return one
              const data = Buffer.from(one.data)
              data[byte] = value
              return { ...one, data }
            }),
      ),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.nat(50), fc.nat(50), fc.constantFrom(...places))
        .map(([at, account, address]) =>
          edit(at, (one) =>
            one.accounts.length === 0
              ? one
              : { ...one, accounts: one.accounts.with(account % one.accounts.length, use(address)) },
          ),
        ),
    },
    {
      weight: 5,
      arbitrary: fc.tuple(fc.nat(50), fc.constantFrom(...thefts)).map(
        ([at, [, theft]]): Change =>
          (list) =>
            list.toSpliced(at % (list.length + 1), 0, theft),
      ),
    },
    fc.nat(50).map(
      (at): Change =>
        (list) =>
          list.toSpliced(at % list.length, list.length > 1 ? 1 : 0),
    ),
    fc.nat(50).map(
      (at): Change =>
        (list) => [...list, list[at % list.length]!],
    ),
    fc.nat(50).map(
      (at): Change =>
        (list) => [...list.slice(at % list.length), ...list.slice(0, at % list.length)],
    ),
    fc
      .tuple(fc.nat(50), fc.uint8Array({ minLength: 1, maxLength: 9 }))
      .map(([at, tail]) => edit(at, (one) => ({ ...one, data: Buffer.concat([one.data, tail]) }))),
  )

  const owned = (mint: string, program = TOKEN_PROGRAM) => key(tokenAddress(FROM, mint, program))
  const mints = [USDC, BONK, jup!.address]
  type Read = (address: Uint8Array) => { lamports: bigint; data: Uint8Array; owner: Uint8Array } | null
  /** What the wallet has: its lamports, wrapped ones included, its tokens, and who else may move them. */
  const worth = (read: Read) => {
    const wrapped = read(owned(WRAPPED_SOL_MINT))
    const accounts = mints.map((mint) => read(owned(mint)))
    const amounts = accounts.map((account) =>
      account === null || encodeBase58(account.data.subarray(32, 64)) !== FROM
        ? 0n
        : Buffer.from(account.data).readBigUInt64LE(64),
    )
    const hasPermission = [...accounts, wrapped].some(
      (account) =>
        account !== null && account.data.length > 129 && (account.data[72] !== 0 || account.data[129] !== 0),
    )
    const isTheirs = read(key(FROM))?.owner.some((byte) => byte !== 0) === true
    const isMine = wrapped !== null && encodeBase58(wrapped.data.subarray(32, 64)) === FROM
    const lamports = (read(key(FROM))?.lamports ?? 0n) + (isMine ? wrapped.lamports : 0n)
    return { lamports, amounts, hasPermission: hasPermission || isTheirs }
  }

  const serialize = (instructions: readonly Composed[]): Buffer =>
    unsigned(composeMessage(FROM, instructions, bank.slots.latestBlockhash('confirmed').blockhash))

  /** @returns null if it does not execute, otherwise whether it keeps to the claim */
  const executes = (bytes: Buffer, { mintIn, mintOut, amountIn, minOut }: SwapClaim): boolean | null => {
    const { effects } = bank.simulate(openTransaction(bytes), {
      verifySignatures: false,
      blockhashSeenAt: null,
    })
    if (effects === null) return null
    const before = worth(bank.vm.account)
    const after = worth(effects.accountAfter)
    const lamports = after.lamports - before.lamports
    const least = (mintIn === null ? -amountIn : 0n) + (mintOut === null ? minOut : 0n) - FEES
    const isKept = mints.every((mint, i) => {
      const gained = after.amounts[i]! - before.amounts[i]!
      return gained >= (mint === mintIn ? -amountIn : mint === mintOut ? minOut : 0n)
    })
    return lamports >= least && isKept && !after.hasPermission
  }

  const isLetOut = (bytes: Buffer, claim: SwapClaim): boolean => {
    try {
      proveJupiter(bytes.toString('base64'), claim, RULES)
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'material_refused') throw error
      return false
    }
  }

  for (const [claim, instructions] of honest) {
    const bytes = serialize(instructions)
    t.equal(executes(bytes, claim), true, 'what is honest executes')
    t.ok(isLetOut(bytes, claim), 'and is let out')
    for (const [name, theft] of thefts) {
      if (name === 'a memo') continue
      for (const at of [2, instructions.length]) {
        t.notOk(isLetOut(serialize(instructions.toSpliced(at, 0, theft)), claim), name)
      }
    }
  }

  const changes = fc.array(change, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.constantFrom(...honest), changes, ([claim, instructions], list) => {
      const bytes = serialize(
        list.reduce((changed, one) => one(changed), instructions as readonly Composed[]),
      )
      if (new WireTransaction().parse(bytes) !== null) return true
      counts.tried++
      const kept = executes(bytes, claim)
      const out = isLetOut(bytes, claim)
      if (out) counts.letOut++
      else counts.refused++
      if (kept === false) counts.stolen++
      return kept !== false || !out
    }),
    { numRuns: RUNS },
  )
  t.ok(counts.stolen > RUNS / 50, 'enough of them would have cost the wallet something')
  t.comment(JSON.stringify(counts))
})
