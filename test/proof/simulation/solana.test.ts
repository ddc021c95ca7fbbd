/**
 * Transactions of every kind, executed at the sandbox's node: what the wallet
 * has more or less of afterwards, and what must not stay behind.
 */
import t, { type Test } from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { findXprovChain } from '../../../src/chains/find.ts'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { createSimulate } from '../../../src/proof/simulation/simulate.ts'
import { requireAgreed } from '../../../src/proof/simulation/simulation.ts'
import { simulateSolana as simulate } from '../../../src/proof/simulation/solana.ts'
import type { Agreed } from '../../../src/proof/terms/verification.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { type Composed, composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  memo,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../../../src/sandbox/solana/ledger/instructions.ts'
import { type SolanaSandbox, startSolanaSandbox } from '../../../src/sandbox/solana/server.ts'
import { Desk, route } from '../../../src/sandbox/swap/jupiter-desk.ts'
import { OPTIONS } from '../../fixtures/provider.ts'
import { keypair } from '../../fixtures/transactions.ts'

const WALLET = encodeBase58(keypair('wallet').publicKey)
const STRANGER = encodeBase58(keypair('stranger').publicKey)
const SOL = 1_000_000_000n
const FEE = 5_000n
const RENT = 2_039_280n
const HELD = 500_000_000n
const TABLE = encodeBase58(keypair('table').publicKey)
const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111'

const market = new Market()
const usdc = market.tokens('solana').find(({ symbol }) => symbol === 'USDC')!
const key = (address: string): Uint8Array => decodeBase58(address, 32)!

async function start(t: Test) {
  const node = await startSolanaSandbox({ now: () => Date.UTC(2026, 10, 21, 12) })
  t.teardown(() => node.close())
  Desk.at(node.bank, market.tokens('solana'))
  node.bank.vm.endow(key(WALLET), 10n * SOL)
  node.bank.vm.endow(key(STRANGER), SOL)
  hold(node, WALLET, HELD)
  hold(node, STRANGER, 0n)
  return { node, ask: askOf(node) }
}

function askOf({ url }: SolanaSandbox) {
  return async (method: string, params: readonly unknown[]): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
      result: unknown
    }
    return JSON.stringify(answer.result ?? null)
  }
}

/** A token account with something in it, and maybe a delegate. */
function hold(
  { bank }: SolanaSandbox,
  owner: string,
  amount: bigint,
  delegate: [string, bigint] | null = null,
) {
  const data = Buffer.alloc(165)
  data.set(key(usdc.address), 0)
  data.set(key(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  if (delegate !== null) {
    data.writeUInt32LE(1, 72)
    data.set(key(delegate[0]), 76)
    data.writeBigUInt64LE(delegate[1], 121)
  }
  const address = key(tokenAddress(owner, usdc.address))
  bank.vm.place(address, { lamports: RENT, data, owner: key(TOKEN_PROGRAM) })
}

function transaction({ bank }: SolanaSandbox, ...instructions: Composed[]): string {
  const { blockhash } = bank.slots.latestBlockhash('confirmed')
  return unsigned(composeMessage(WALLET, instructions, blockhash)).toString('base64')
}

/** An instruction of the token program for the wallet's USDC. */
const onTokens = (data: Uint8Array, ...others: string[]): Composed => ({
  program: TOKEN_PROGRAM,
  accounts: [
    { address: tokenAddress(WALLET, usdc.address), isSigner: false, isWritable: true },
    ...others.map((address) => ({ address, isSigner: false, isWritable: true })),
    { address: WALLET, isSigner: true, isWritable: true },
  ],
  data,
})

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

const approve = (amount: bigint): Composed =>
  onTokens(Buffer.concat([Uint8Array.of(4), u64(amount)]), STRANGER)
const revoke = onTokens(Uint8Array.of(5))
/** @param kind  2 the owner, 3 who may close it */
const setAuthority = (kind: number): Composed => onTokens(Uint8Array.of(6, kind, 1, ...key(STRANGER)))

/** @returns null if it fails */
async function simulateSolana(...call: Parameters<typeof simulate>) {
  const simulation = await simulate(...call)
  return 'failed' in simulation ? null : simulation
}

const ruleOf = (error: unknown): string | undefined => (error as GatewayError).fields.rule

t.test('what leaves the wallet is reported, token by token', async (t) => {
  const { node, ask } = await start(t)
  const wrapped = tokenAddress(WALLET, WRAPPED_SOL_MINT)
  const wrap = [
    createTokenAccount(WALLET, WALLET, WRAPPED_SOL_MINT),
    transferLamports(WALLET, wrapped, SOL),
    syncNative(wrapped),
  ]
  const swap = {
    wallet: WALLET,
    tokenIn: { ...usdc, isNative: false },
    tokenOut: { ...market.native('solana'), address: nativeAddress(findXprovChain('solana')!) },
    amountIn: 100_000_000n,
    amountOut: SOL,
    slippageBps: 50,
  }
  const cases: readonly (readonly [string, bigint, bigint, ...Composed[]])[] = [
    ['nothing', 0n, 0n, memo('hello')],
    ['lamports', -SOL, 0n, transferLamports(WALLET, STRANGER, SOL)],
    ['tokens', 0n, -7n, transferTokens(WALLET, STRANGER, usdc.address, 7n, 6)],
    ['tokens to a new account', -RENT, -7n, createTokenAccount(WALLET, NEW, usdc.address), toNew(7n)],
    ['SOL that is wrapped stays', 0n, 0n, ...wrap],
    ['and comes back', 0n, 0n, ...wrap, closeTokenAccount(wrapped, WALLET)],
    ['wrapped SOL that leaves', -SOL - RENT, 0n, ...wrap, closeTokenAccountTo(wrapped, STRANGER)],
    ['a permission that was given back', 0n, 0n, approve(HELD), revoke],
    [
      'a swap',
      SOL,
      -100_000_000n,
      createTokenAccount(WALLET, WALLET, WRAPPED_SOL_MINT),
      route(swap),
      closeTokenAccount(wrapped, WALLET),
    ],
    [
      'an empty account closed in favour of a stranger',
      -RENT,
      -HELD,
      transferTokens(WALLET, STRANGER, usdc.address, HELD, 6),
      closeTokenAccountTo(tokenAddress(WALLET, usdc.address), STRANGER),
    ],
  ]
  for (const [what, lamports, tokens, ...instructions] of cases) {
    const simulation = await simulateSolana(transaction(node, ...instructions), WALLET, ask)
    const expected = [
      { token: null, amount: lamports - FEE },
      ...(tokens === 0n ? [] : [{ token: usdc.address, amount: tokens }]),
    ]
    t.equal(simulation?.by, 'simulateTransaction', what)
    t.equal(simulation?.at, node.bank.slots.slot('confirmed'))
    t.same(new Set(simulation?.changes), new Set(expected), what)
    t.same(simulation?.spent?.rents, RENTS[what] ?? [], `${what}: rent`)
  }
})

const RENTS: Readonly<Record<string, readonly { readonly amount: bigint; readonly isOwn: boolean }[]>> = {
  'tokens to a new account': [{ amount: RENT, isOwn: false }],
  'SOL that is wrapped stays': [{ amount: RENT, isOwn: true }],
}

const NEW = encodeBase58(keypair('new').publicKey)
const toNew = (amount: bigint): Composed => transferTokens(WALLET, NEW, usdc.address, amount, 6)
const closeTokenAccountTo = (account: string, to: string): Composed => ({
  ...closeTokenAccount(account, WALLET),
  accounts: [
    { address: account, isSigner: false, isWritable: true },
    { address: to, isSigner: false, isWritable: true },
    { address: WALLET, isSigner: true, isWritable: false },
  ],
})

t.test('what another wallet is to get has to arrive in its own account', async (t) => {
  const { node, ask } = await start(t)
  const pays = (owner: string, atLeast = 7n) => ({
    ...{ owner, atLeast },
    account: tokenAddress(owner, usdc.address),
  })
  const simulated = (agreed: ReturnType<typeof pays>, ...instructions: Composed[]) =>
    simulate(transaction(node, ...instructions), WALLET, ask, agreed)
  const opened = createTokenAccount(WALLET, NEW, usdc.address)
  const toStranger = (amount: bigint) => transferTokens(WALLET, STRANGER, usdc.address, amount, 6)
  t.match(await simulated(pays(NEW), opened, toNew(7n)), {
    spent: { rents: [{ amount: RENT, isOwn: false }] },
  })
  t.match(await simulated(pays(STRANGER), toStranger(7n)), {
    spent: { rents: { length: 0 } },
  })
  const refusal = { code: 'material_refused', fields: { rule: 'simulation' } }
  await t.rejects(simulated(pays(NEW), opened, toNew(6n)), refusal, 'less arrives')
  await t.rejects(simulated(pays(NEW), opened), refusal, 'nothing arrives')
  await t.rejects(simulated(pays(NEW), toStranger(7n)), refusal, 'a third gets it')
  hold(node, STRANGER, 100n)
  await t.rejects(simulated(pays(STRANGER), toStranger(6n)), refusal, 'what was there does not count')
  const theirs = { ...pays(STRANGER), owner: NEW }
  await t.rejects(simulated(theirs, toStranger(7n)), refusal, 'an account that was handed over')
})

t.test('no permission stays behind', async (t) => {
  const { node, ask } = await start(t)
  const assign: Composed = {
    program: '11111111111111111111111111111111',
    accounts: [{ address: WALLET, isSigner: true, isWritable: true }],
    data: Uint8Array.of(1, 0, 0, 0, ...key(TOKEN_PROGRAM)),
  }
  const cases: readonly (readonly [string, ...Composed[]])[] = [
    ['an approval', approve(1n)],
    ['another owner', setAuthority(2)],
    ['somebody who may close it', setAuthority(3)],
    ['a wallet that is a program’s', assign],
  ]
  for (const [what, ...instructions] of cases) {
    const failure = await simulateSolana(transaction(node, ...instructions), WALLET, ask).catch(ruleOf)
    t.equal(failure, 'permission', what)
  }
  const freezing: typeof ask = async (method, params) => {
    const text = await ask(method, params)
    if (method !== 'simulateTransaction') return text
    const result = JSON.parse(text)
    for (const account of result.value.accounts) {
      const data = Buffer.from(account?.data[0] ?? '', 'base64')
      if (data.length === 165) account.data[0] = data.fill(2, 108, 109).toString('base64')
    }
    return JSON.stringify(result)
  }
  const frozen = simulateSolana(transaction(node, revoke), WALLET, freezing)
  t.equal(await frozen.catch(ruleOf), 'permission', 'an account that is frozen, and so has no guard')
  hold(node, WALLET, HELD, [STRANGER, 10n])
  t.ok(await simulateSolana(transaction(node, memo('x')), WALLET, ask), 'one that was there before')
  t.ok(await simulateSolana(transaction(node, approve(5n)), WALLET, ask), 'and takes less now')
  t.ok(await simulateSolana(transaction(node, revoke), WALLET, ask), 'or nothing')
  const more = simulateSolana(transaction(node, approve(11n)), WALLET, ask)
  t.equal(await more.catch(ruleOf), 'permission', 'but not more')
})

t.test('what fails against the present state has no outcome', async (t) => {
  const { node, ask } = await start(t)
  const tooMuch = transaction(node, transferLamports(WALLET, STRANGER, 11n * SOL))
  t.equal(await simulateSolana(tooMuch, WALLET, ask), null)
  const unfunded = unsigned(
    composeMessage(NEW, [memo('x')], node.bank.slots.latestBlockhash('confirmed').blockhash),
  )
  t.equal(await simulateSolana(unfunded.toString('base64'), NEW, ask), null)
  const parse = simulateSolana('AA==', WALLET, ask)
  t.equal(await parse.catch(ruleOf), 'parse')
})

t.test('accounts that come from a lookup table are looked at', async (t) => {
  const { node, ask } = await start(t)
  const mine = tokenAddress(WALLET, usdc.address)
  const table = Buffer.alloc(56 + 64)
  table.writeUInt32LE(1, 0)
  table.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4)
  table.set(key(mine), 56)
  table.set(key(tokenAddress(STRANGER, usdc.address)), 88)
  node.bank.vm.place(key(TABLE), { lamports: SOL, data: table, owner: key(TABLE_PROGRAM) })
  const looked = lookedUp(node, 7n)
  const simulation = await simulateSolana(looked, WALLET, ask)
  t.same(
    new Set(simulation?.changes),
    new Set([
      { token: null, amount: -FEE },
      { token: usdc.address, amount: -7n },
    ]),
  )
})

t.test('a lookup table that is not there, or lacks an entry, is refused before it can be made', async (t) => {
  const { node, ask } = await start(t)
  const looked = lookedUp(node, 7n)
  const ruleWith = async (data: Buffer, owner = TABLE_PROGRAM) => {
    node.bank.vm.place(key(TABLE), { lamports: SOL, data, owner: key(owner) })
    return simulateSolana(looked, WALLET, ask).catch(ruleOf)
  }
  t.equal(await simulateSolana(looked, WALLET, ask).catch(ruleOf), 'lookup_table', 'none')
  t.equal(await ruleWith(Buffer.alloc(56 + 32)), 'lookup_table', 'one entry of two')
  t.equal(await ruleWith(Buffer.alloc(56 + 63)), 'lookup_table', 'one and a part')
  t.equal(await ruleWith(Buffer.alloc(56 + 64), TOKEN_PROGRAM), 'lookup_table', 'something else')
})

t.test('a failed transaction is reported with what it could have reached', async (t) => {
  const { node, ask } = await start(t)
  const tooMuch = transferLamports(WALLET, STRANGER, 11n * SOL)
  const touching = { ...memo('x'), accounts: [use(tokenAddress(WALLET, usdc.address))] }
  const reaching = transaction(node, tooMuch, transferTokens(WALLET, STRANGER, usdc.address, 1n, 6))
  t.same(await simulate(reaching, WALLET, ask), { failed: true, reaches: [usdc.address] })
  t.same(await simulate(transaction(node, tooMuch), WALLET, ask), { failed: true, reaches: [] })
  const read = transaction(node, tooMuch, touching)
  t.same(await simulate(read, WALLET, ask), { failed: true, reaches: [] }, 'what is only read is safe')
  hold(node, WALLET, 0n)
  t.same(await simulate(reaching, WALLET, ask), { failed: true, reaches: [] }, 'and what is empty')
})

t.test('a build learns whether that is more than its order', async (t) => {
  const { node, ask } = await start(t)
  const solana = {
    read: async (method: string, params: string) =>
      ({ result: Buffer.from(await ask(method, JSON.parse(params))) }) as never,
  }
  const run = createSimulate({ solana, evm: null as never, sui: null as never })
  const failing = transaction(
    node,
    transferLamports(WALLET, STRANGER, 11n * SOL),
    transferTokens(WALLET, STRANGER, usdc.address, 1n, 6),
  )
  const executed = (spends: string | null, receives: string | null) => {
    const material = { kind: 'solana', transaction: failing, lastValidBlockHeight: null, extra: {} } as const
    const agreed: Agreed = {
      spends: { token: spends, atMost: 1n },
      receives: { token: receives, atLeast: 1n },
      atMostNativeFees: 0n,
      atMostGas: FEE,
    }
    return run(findXprovChain('solana')!, material, WALLET, agreed, OPTIONS)
  }
  t.equal(await executed(null, 'another mint'), 'exposed')
  t.equal(await executed(usdc.address, null), null)
  t.equal(await executed(null, usdc.address), null)
})

const use = (address: string) => ({ address, isSigner: false, isWritable: false })

/** Transfer [source, destination, owner], the first two from the table. */
function lookedUp({ bank }: SolanaSandbox, amount: bigint): string {
  const message = Buffer.concat([
    Uint8Array.of(0x80, 1, 0, 1, 2),
    key(WALLET),
    key(TOKEN_PROGRAM),
    key(bank.slots.latestBlockhash('confirmed').blockhash),
    Uint8Array.of(1, 1, 3, 2, 3, 0, 9, 3),
    u64(amount),
    Uint8Array.of(1),
    key(TABLE),
    Uint8Array.of(2, 0, 1, 0),
  ])
  return unsigned(message).toString('base64')
}

t.test('a node that answers something else is not believed', async (t) => {
  const { node, ask } = await start(t)
  const base64 = transaction(node, transferLamports(WALLET, STRANGER, SOL))
  const answers: readonly ((method: string, text: string) => string)[] = [
    () => 'null',
    (method, text) =>
      method === 'getMultipleAccounts' ? text.replace(/"value":\[/, '"value":[null,') : text,
    (method, text) =>
      method === 'simulateTransaction' ? text.replace(/"accounts":\[/, '"accounts":[null,') : text,
    (_, text) => text.replace(/"lamports":\d+/g, '"lamports":"1"'),
    (_, text) => text.replace(/"lamports":\d+/g, '"lamports":90071992547409930'),
  ]
  for (const change of answers) {
    const hostile = async (method: string, params: readonly unknown[]) =>
      change(method, await ask(method, params))
    const failure = await simulateSolana(base64, WALLET, hostile).catch(({ code }) => code)
    t.equal(failure, 'upstream_unusable', change.toString())
  }
})

t.test('an outcome is judged by what was agreed', async (t) => {
  const { node, ask } = await start(t)
  const pay = async (tokens: bigint, lamports: bigint) => {
    const instructions = [
      transferTokens(WALLET, STRANGER, usdc.address, tokens, 6),
      transferLamports(WALLET, STRANGER, lamports),
    ]
    const simulation = (await simulateSolana(transaction(node, ...instructions), WALLET, ask))!
    const spends = { token: usdc.address, atMost: 100n }
    requireAgreed(simulation, { spends, receives: null, atMostNativeFees: 1_000n, atMostGas: FEE })
    return simulation
  }
  t.ok(await pay(100n, 1_000n))
  t.equal(await pay(101n, 1_000n).catch(ruleOf), 'simulation')
  t.equal(await pay(100n, 1_001n).catch(ruleOf), 'simulation')
})
