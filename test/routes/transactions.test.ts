/** What became of real transactions of a real EVM, as the gateway tells it. */
import t, { type Test } from 'tap'
import { createWalletClient, erc20Abi, type Hex, http, maxUint256, publicActions } from 'viem'
import { base } from 'viem/chains'
import { TruthRow } from '../../src/http/counts/truth.ts'
import { Allowance, TransactionReceipt, TransactionStatus } from '../../src/research/onchain/shapes.ts'
import { BLOCK_MS } from '../../src/sandbox/evm/state.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../fixtures/anvil.ts'
import { Check } from '../fixtures/check.ts'
import { handClock, INSTANT } from '../fixtures/clock.ts'
import { holdExamples, onchain } from '../fixtures/examples.ts'
import { listen } from '../fixtures/gateway.ts'
import { deployMulticall3 } from '../fixtures/multicall3.ts'
import { getQuote, postBuild, USDC } from '../fixtures/swaps.ts'

const CORE = '@uniswap/v2-core/build'
const PERIPHERY = '@uniswap/v2-periphery/build'
const ETHER = 10n ** 18n
const SUPPLY = 1_000_000n * ETHER
const FAR = 2n ** 40n
const WALLET = account(1)
const STRANGE = `0x${'5a'.repeat(32)}`
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
/** Blocks after which anvil calls one final. */
const TO_FINAL = 70

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of several shapes
type Body = any

/** Anvil as BNB Chain, of which receipts have no L1 fee, with Uniswap's pools. */
async function start(t: Test) {
  const { url: node, client } = await startAnvil(t, 56)
  await deployMulticall3(client)
  const owner = account(0).address
  const factory = await deploy(client, artifact(`${CORE}/UniswapV2Factory`), [owner])
  const weth = await deploy(client, artifact(`${PERIPHERY}/WETH9`), [])
  const router = await deploy(client, artifact(`${PERIPHERY}/UniswapV2Router02`), [
    factory.address,
    weth.address,
  ])
  const token = await deploy(client, artifact(`${CORE}/ERC20`), [SUPPLY])
  await token.write('approve', [router.address, SUPPLY])
  await router.write('addLiquidityETH', [token.address, 30_000n * ETHER, 0n, 0n, owner, FAR], 10n * ETHER)
  await token.write('transfer', [WALLET.address, 1_000n * ETHER])

  const clock = handClock()
  const { url } = await listen(
    t,
    { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', RPC_URLS_BSC: node, RPC_URLS_BASE: node },
    { clock },
  )
  const get = async (path: string): Promise<{ status: number; body: Body }> => {
    clock.advance(1_001)
    const response = await fetch(url + path)
    return { status: response.status, body: await response.json() }
  }
  const send = (
    contract: { address: Hex },
    functionName: string,
    args: readonly unknown[],
    more: { value?: bigint; gas?: bigint; nonce?: number; gasPrice?: bigint } = {},
  ): Promise<Hex> => {
    const abi = artifact(contract === router ? `${PERIPHERY}/UniswapV2Router02` : `${CORE}/ERC20`).abi
    const { address } = contract
    // An estimate is of this second: where the pool sees a later one, it has its price to write as well.
    const gas = 500_000n
    return client.writeContract({
      address,
      abi,
      functionName,
      args,
      account: WALLET,
      chain: null,
      gas,
      ...more,
    })
  }
  return { client, get, send, router, token, weth, clock }
}

const of = (hash: string, chain = 'bsc') => `chain=${chain}&hash=${hash}`

t.test('on a real EVM', { skip: withoutAnvil }, async (t) => {
  const { client, get, send, router, token, weth } = await start(t)
  const pathOut = [token.address, weth.address]

  await t.test('an approval, from the wallet until it is final', async (t) => {
    const asked = `/api/allowance?chain=bsc&token=${token.address}&owner=${WALLET.address}&spender=${router.address}`
    const before = (await get(asked)).body
    t.ok(Check(Allowance, before))
    t.match(before, { allowance: '0', isUnlimited: false, block: Number, transaction: null })

    await client.setAutomine(false)
    const hash = await send(token, 'approve', [router.address, 250n * ETHER])
    const pending = (await get(`/api/transaction-status?${of(hash.toUpperCase().replace('X', 'x'))}`)).body
    t.ok(Check(TransactionStatus, pending))
    t.match(pending, {
      chain: 'bsc',
      hash,
      signature: null,
      status: 'pending',
      isFinal: false,
      confirmations: null,
      block: null,
      fee: null,
      receipt: null,
      explorer: `https://bscscan.com/tx/${hash}`,
    })
    t.match((await get(`/api/allowance?${of(hash)}`)).body, {
      allowance: null,
      spender: null,
      transaction: { hash, status: 'pending' },
    })
    t.match((await get(`/api/receipt?${of(hash)}`)).body, { status: 'pending', paid: null, got: null })

    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    const real = await client.getTransactionReceipt({ hash })
    const confirmed = (await get(`/api/transaction-status?${of(hash)}`)).body
    t.ok(Check(TransactionStatus, confirmed))
    const { timestamp } = await client.getBlock({ blockNumber: real.blockNumber })
    t.match(confirmed, {
      status: 'confirmed',
      isFinal: false,
      confirmations: 1,
      block: Number(real.blockNumber),
      slot: null,
      includedAt: Number(timestamp) * 1_000,
      err: null,
      fee: { amount: String(real.gasUsed * real.effectiveGasPrice), l1: null, paidBy: WALLET.address },
    })
    const set = (await get(`/api/allowance?${of(hash)}`)).body
    t.ok(Check(Allowance, set))
    t.match(set, {
      token: token.address,
      owner: WALLET.address,
      spender: router.address,
      allowance: String(250n * ETHER),
      isUnlimited: false,
      block: Number(real.blockNumber),
      transaction: { status: 'confirmed' },
    })
    t.match((await get(asked)).body, { allowance: String(250n * ETHER) })

    await client.mine({ blocks: TO_FINAL })
    const final = (await get(`/api/transaction-status?${of(hash)}`)).body
    t.match(final, { status: 'finalized', isFinal: true, confirmations: TO_FINAL + 1 })

    await client.waitForTransactionReceipt({
      hash: await send(token, 'approve', [router.address, maxUint256]),
    })
    t.match((await get(asked)).body, { allowance: String(maxUint256), isUnlimited: true })
  })

  await t.test(
    'a swap into the native coin: the tokens that were paid, and the coin that no log tells of',
    async (t) => {
      const balance = await client.getBalance({ address: WALLET.address })
      const hash = await send(router, 'swapExactTokensForETH', [
        100n * ETHER,
        0n,
        pathOut,
        WALLET.address,
        FAR,
      ])
      const real = await client.waitForTransactionReceipt({ hash })
      const fee = real.gasUsed * real.effectiveGasPrice
      const gained = (await client.getBalance({ address: WALLET.address })) - balance + fee
      const { body } = await get(`/api/receipt?${of(hash)}`)
      t.ok(Check(TransactionReceipt, body))
      const unlisted = { isNative: false, listed: false, decimals: null, symbol: null }
      t.match(body, {
        status: 'confirmed',
        from: WALLET.address,
        to: router.address,
        paid: [{ token: token.address, amount: String(100n * ETHER), ...unlisted }],
        got: [
          {
            token: NATIVE,
            amount: String(gained),
            isNative: true,
            listed: true,
            decimals: 18,
            symbol: 'BNB',
          },
        ],
        missing: { length: 0 },
        fee: { amount: String(fee) },
      })
      t.equal(body.got.length, 1)
    },
  )

  await t.test('a swap out of the native coin, and a plain transfer of it', async (t) => {
    const args = [0n, [weth.address, token.address], WALLET.address, FAR]
    const before = (await token.read('balanceOf', WALLET.address)) as bigint
    const hash = await send(router, 'swapExactETHForTokens', args, { value: ETHER })
    await client.waitForTransactionReceipt({ hash })
    const gained = ((await token.read('balanceOf', WALLET.address)) as bigint) - before
    t.match((await get(`/api/receipt?${of(hash)}`)).body, {
      paid: [{ token: NATIVE, amount: String(ETHER) }],
      got: [{ token: token.address, amount: String(gained) }],
      missing: { length: 0 },
    })
    const plain = await client.sendTransaction({
      account: WALLET,
      to: account(2).address,
      value: 3n,
      chain: null,
    })
    await client.waitForTransactionReceipt({ hash: plain })
    t.match((await get(`/api/receipt?${of(plain)}`)).body, {
      to: account(2).address,
      paid: [{ token: NATIVE, amount: '3' }],
      got: { length: 0 },
      missing: { length: 0 },
    })
  })

  await t.test(
    'of two transactions of the wallet in one block nobody can tell which moved the coin',
    async (t) => {
      await client.setAutomine(false)
      const args = [1n * ETHER, 0n, pathOut, WALLET.address, FAR]
      const first = await send(router, 'swapExactTokensForETH', args)
      await client.sendTransaction({ account: WALLET, to: account(2).address, value: 5n, chain: null })
      await client.mine({ blocks: 1 })
      await client.setAutomine(true)
      t.match((await get(`/api/receipt?${of(first)}`)).body, {
        status: 'confirmed',
        paid: [{ token: token.address }],
        got: { length: 0 },
        missing: ['native'],
      })
    },
  )

  await t.test('a reverted one has failed, and costs its fee', async (t) => {
    const args = [100n * ETHER, SUPPLY, pathOut, WALLET.address, FAR]
    const hash = await send(router, 'swapExactTokensForETH', args)
    const real = await client.waitForTransactionReceipt({ hash })
    t.equal(real.status, 'reverted')
    const { body } = await get(`/api/transaction-status?${of(hash)}`)
    t.match(body, {
      status: 'failed',
      isFinal: false,
      err: { reverted: null },
      fee: { amount: String(real.gasUsed * real.effectiveGasPrice) },
    })
    t.match((await get(`/api/receipt?${of(hash)}`)).body, {
      status: 'failed',
      paid: { length: 0 },
      got: { length: 0 },
      missing: { length: 0 },
    })
    t.match((await get(`/api/allowance?${of(hash)}`)).body, {
      allowance: null,
      transaction: { status: 'failed' },
    })
  })

  await t.test(
    'a reorganisation takes a transaction back, and a replacement is proved once it is final',
    async (t) => {
      const state = await client.snapshot()
      await client.setAutomine(false)
      const nonce = await client.getTransactionCount({ address: WALLET.address })
      const hash = await send(token, 'approve', [router.address, 1n], { nonce, gasPrice: 10n ** 10n })
      t.match((await get(`/api/transaction-status?${of(hash)}`)).body, {
        status: 'pending',
        droppedFrom: null,
      })
      await client.mine({ blocks: 1 })
      const { body } = await get(`/api/transaction-status?${of(hash)}`)
      t.match(body, { status: 'confirmed' })
      await client.revert({ id: state })
      // The node puts what it took back into its pool, in its own time: of two with one nonce the dearer one stays.
      await send(token, 'approve', [router.address, 2n], { nonce, gasPrice: 2n * 10n ** 10n })
      await client.mine({ blocks: 1 })
      await client.setAutomine(true)
      t.match((await get(`/api/transaction-status?${of(hash)}`)).body, {
        status: 'unknown',
        isFinal: false,
        droppedFrom: body.block,
        replaced: null,
      })
      await client.mine({ blocks: TO_FINAL })
      t.match((await get(`/api/transaction-status?${of(hash)}`)).body, {
        status: 'unknown',
        isFinal: true,
        replaced: true,
      })
    },
  )

  await t.test('what is no ERC-20 token has no allowance', async (t) => {
    for (const none of [router.address, account(5).address]) {
      const asked = `chain=bsc&token=${none}&owner=${WALLET.address}&spender=${router.address}`
      const refusal = { status: 400, body: { code: 'unknown_token', field: 'token' } }
      t.match(await get(`/api/allowance?${asked}`), refusal, none)
    }
  })

  await t.test('what no node knows is unknown, and a node of another chain says nothing', async (t) => {
    t.match(await get(`/api/transaction-status?${of(STRANGE)}`), {
      status: 200,
      body: { status: 'unknown', isFinal: false, replaced: null, droppedFrom: null },
    })
    for (const path of ['transaction-status', 'receipt', 'allowance']) {
      const refusal = { status: 502, body: { code: 'upstream_unusable' } }
      t.match(await get(`/api/${path}?${of(STRANGE, 'base')}`), refusal, path)
    }
  })
})

t.test('an unserved chain is refused by name, and nobody is asked', async (t) => {
  const { url } = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    RPC_URLS_BASE: 'http://127.0.0.1:1',
  })
  const wallet = WALLET.address
  const invalid = (field: string) => ({ code: 'invalid_parameter', field })
  const unsupported = { code: 'unsupported_chain', field: 'chain' }
  const transactions: [query: string, refusal: object][] = [
    [`hash=${STRANGE}`, invalid('chain')],
    [`chain=&hash=${STRANGE}`, unsupported],
    [`chain=ton&hash=${STRANGE}`, unsupported],
    [`chain=sui&hash=${STRANGE}`, unsupported],
    [`chain=Base&hash=${STRANGE}`, unsupported],
    ['chain=base', invalid('hash')],
    ['chain=base&hash=', invalid('hash')],
    [`chain=base&hash=${STRANGE}0`, invalid('hash')],
    [`chain=base&hash=${STRANGE.slice(2)}`, invalid('hash')],
    [`chain=base&hash=${STRANGE}&hash=${STRANGE}`, { code: 'malformed_query', field: 'hash' }],
    [`chain=base&hash=${STRANGE}&signature=x`, invalid('signature')],
    [`chain=solana&hash=${STRANGE}`, invalid('hash')],
    ['chain=solana', invalid('signature')],
    ['chain=solana&signature=x', invalid('signature')],
  ]
  const three = { token: wallet, owner: wallet, spender: wallet }
  const allowances: [query: Record<string, string>, refusal: object][] = [
    [{ ...three }, invalid('chain')],
    [{ chain: 'solana', ...three }, unsupported],
    [{ chain: 'sui', ...three }, unsupported],
    [{ chain: 'base' }, invalid('token')],
    [{ chain: 'base', owner: wallet, spender: wallet }, invalid('token')],
    [{ chain: 'base', token: wallet, spender: wallet }, invalid('owner')],
    [{ chain: 'base', token: wallet, owner: wallet }, invalid('spender')],
    [{ chain: 'base', ...three, token: 'native' }, invalid('token')],
    [{ chain: 'base', ...three, token: `0x${'0'.repeat(40)}` }, invalid('token')],
    [{ chain: 'base', ...three, token: '0x1' }, invalid('token')],
    [{ chain: 'base', ...three, owner: `${wallet}0` }, invalid('owner')],
    [{ chain: 'base', ...three, spender: '' }, invalid('spender')],
    [{ chain: 'base', ...three, hash: STRANGE }, invalid('token')],
    [{ chain: 'base', owner: wallet, hash: STRANGE }, invalid('owner')],
    [{ chain: 'base', spender: wallet, hash: STRANGE }, invalid('spender')],
    [{ chain: 'base', hash: '0x12' }, invalid('hash')],
  ]
  const cases = [
    ...transactions.flatMap(([query, refusal]) =>
      ['transaction-status', 'receipt'].map((path) => [path, query, refusal] as const),
    ),
    ...allowances.map(
      ([query, refusal]) => ['allowance', String(new URLSearchParams(query)), refusal] as const,
    ),
  ]
  for (const [path, query, refusal] of cases) {
    const response = await fetch(`${url}/api/${path}?${query}`)
    t.equal(response.status, 400, `${path} ${query}`)
    t.match(await response.json(), refusal, `${path} ${query}`)
  }
})

t.test('in the sandbox: an approval and a swap, built, sent and followed', async (t) => {
  // The beginning of one of the sandbox's blocks, which no time passes in.
  let at = INSTANT - (INSTANT % BLOCK_MS)
  const clock = handClock()
  const { url, sandbox } = await listen(t, {}, { clock: { ...clock, date: () => at } })
  const transport = http(`${sandbox!.evmRpc}/base`)
  const wallet = createWalletClient({ account: WALLET, chain: base, transport }).extend(publicActions)
  const get = async (path: string): Promise<Body> => {
    clock.advance(1_001)
    return (await fetch(`${url}/api/${path}`)).json()
  }
  const order = {
    chain: 'base',
    side: 'sell',
    token: USDC.base,
    amount: '250',
    slippageBps: 100,
    from: WALLET.address,
  }
  const quote = (await (await getQuote(url, order)).json()) as { minOut: string; amountIn: string }
  const built = (await (await postBuild(url, { ...order, quote })).json()) as Body
  const { token, spender, amount } = built.approval
  const approve = {
    address: token,
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender, BigInt(amount)],
  } as const
  const approval = await wallet.writeContract(approve)
  const asked = `allowance?chain=base&token=${token}&owner=${WALLET.address}&spender=${spender}`
  t.match(await get(asked), { allowance: '0' })
  t.match(await get(`transaction-status?chain=base&hash=${approval}`), { status: 'pending' })
  at += BLOCK_MS
  t.match(await get(asked), { allowance: amount, block: Number })
  t.match(await get(`allowance?chain=base&hash=${approval}`), {
    token,
    owner: WALLET.address,
    spender,
    allowance: amount,
    transaction: { status: 'confirmed', fee: { l1: /^\d+$/, paidBy: WALLET.address } },
  })
  const swap = await wallet.sendTransaction({ to: built.to, data: built.data, value: BigInt(built.value) })
  at += BLOCK_MS
  t.match(await get(`receipt?chain=base&hash=${swap}`), {
    status: 'confirmed',
    to: built.to,
    paid: [{ token, amount: quote.amountIn, listed: true, symbol: 'USDC', decimals: 6 }],
    got: [{ isNative: true, amount: quote.minOut, symbol: 'ETH' }],
    missing: { length: 0 },
    // The sandbox's contracts give the minimum.
    swap: {
      provider: built.provider,
      token: NATIVE,
      quoted: built.expectedOut,
      minimum: built.minOut,
      got: quote.minOut,
      shortBps: 100,
      costs: built.costs,
    },
  })
  const again = await get(`receipt?chain=base&hash=${swap}`)
  t.ok(Check(TransactionReceipt, again))
  const { chains } = await get('bake-off?range=1h')
  const row = chains
    .find(({ chain }: Body) => chain === 'base')
    .providers.find(({ provider }: Body) => provider === built.provider)
  t.match(row.delivered, { swaps: 1, clients: 1, medianBps: 100, lossBps: 0 }, 'counted once')
  const exported = await (await fetch(`${url}/api/bake-off/export`)).text()
  const landed = JSON.parse(exported)
  t.ok(Check(TruthRow, landed))
  t.match(landed, { chain: 'base', hash: swap, stated: built.expectedOut, got: quote.minOut, isNative: true })
  t.match(landed, { block: again.block, at: again.includedAt, slot: null, signature: null })
  t.notMatch(exported.toLowerCase(), again.from.toLowerCase())
  at += 70_000
  t.match(await get(`transaction-status?chain=base&hash=${swap}`), { status: 'finalized', isFinal: true })
  const seeded = (digit: string) => get(`transaction-status?chain=base&hash=0x${digit.repeat(64)}`)
  t.match(await seeded('1'), { status: 'finalized' })
  t.match(await seeded('3'), { status: 'failed', isFinal: true, err: { reverted: null } })
  t.match(await seeded('4'), { status: 'pending', fee: null })
})

t.test('the examples are what a sandboxed gateway answers', async (t) => {
  const replays = await holdExamples(t, onchain)
  t.equal(new Set(replays.map(({ path }) => path)).size, 3)
})
