/** A swap in one call with the real libraries, against a gateway and the chains of its sandbox. */
import { generateKeyPairSigner } from '@solana/kit'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { createWalletClient, custom, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import {
  type BuildResult,
  type Client,
  createClient,
  type EvmBuild as Evm,
} from '../../../src/clients/client/index.ts'
import {
  adapterWallet,
  executeSwap,
  forgetSwap,
  kitWallet,
  type Order,
  resumeSwap,
  type SolanaWallet,
  type Store,
  type SwapOptions,
  type SwapProgress,
  viemWallet,
  web3Wallet,
} from '../../../src/clients/swap/index.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { dropping } from '../../fixtures/dropping.ts'
import { listen } from '../../fixtures/gateway.ts'
import { payment, rewritten, SOLANA_FORMS } from '../../fixtures/solana-forms.ts'
import { evmProvider } from '../../fixtures/wallets.ts'

const STRANGER = '6Ckm2BrnXxsSjyG5b17kQQRjoECVrts92RKXVGT8XeqS'
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const BUY: Order = { chain: 'solana', side: 'buy', token: SOLANA_USDC, amount: '0.25' }
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SELL: Order = { chain: 'base', side: 'sell', token: BASE_USDC, amount: '250', slippageBps: 100 }
const LIMITS = { LIMITS: 'swap=off,rpcRead=off,rpcSend=off,portfolio=off' }
const POLL = { pollMs: 20 }

t.setTimeout(300_000)

const clock = runningClock()
const world = listen(t, LIMITS, { clock })

async function funded(address: string): Promise<void> {
  const { sandbox } = await world
  const body = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, 2_000_000_000] }
  await fetch(sandbox!.solanaRpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** A key pair with 2 SOL, and a wallet that counts what it is asked to sign. */
async function solanaWallet(form?: (transaction: string, address: string) => object) {
  const keypair = Keypair.generate()
  await funded(keypair.publicKey.toBase58())
  const own = web3Wallet(keypair, VersionedTransaction)
  const counted = { signed: 0 }
  const wallet: SolanaWallet = {
    ...own,
    async sign(transaction) {
      counted.signed++
      if (form === undefined) return own.sign(transaction)
      const base64 = Buffer.from(transaction).toString('base64')
      return Buffer.from(
        rewritten(base64, keypair.secretKey.slice(0, 32), form(base64, own.address)),
        'base64',
      )
    },
  }
  return { keypair, wallet, counted }
}

/** As localStorage. */
function memory(): Store & { readonly map: Map<string, string> } {
  const map = new Map<string, string>()
  return {
    map,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => map.set(key, value),
    removeItem: (key) => map.delete(key),
  }
}

/** Counts the quotes that the user agreed to, and the submissions. */
async function agreeing(more: Partial<SwapOptions> = {}) {
  const seen: SwapProgress[] = []
  let agreed = 0
  const options: SwapOptions = {
    ...POLL,
    now: clock.date,
    agree: () => ++agreed > 0,
    onProgress: (progress) => seen.push(progress),
    ...more,
  }
  return { options, seen, agreed: () => agreed }
}

const clientOf = async (): Promise<Client> => createClient({ baseUrl: (await world).url })

const steps = (seen: readonly SwapProgress[]): string[] =>
  seen.map(({ step }) => step).filter((step, i, all) => step !== all[i - 1])

t.test('on Solana, with the wallets of web3.js, kit and wallet-adapter', async (t) => {
  const client = await clientOf()
  const { keypair, wallet } = await solanaWallet()
  const signer = await generateKeyPairSigner()
  await funded(signer.address)
  const adapter = {
    publicKey: keypair.publicKey,
    supportedTransactionVersions: new Set(['legacy', 0] as const),
    async signTransaction(transaction: VersionedTransaction) {
      transaction.sign([keypair])
      return transaction
    },
  }
  for (const one of [wallet, kitWallet(signer), adapterWallet(adapter, VersionedTransaction)]) {
    const { options, seen } = await agreeing()
    const { id, receipt, changes } = await executeSwap(client, BUY, one, options)
    const [quoted] = seen as [SwapProgress & { readonly step: 'quoted' }]
    t.match(id, /^[1-9A-Za-z]{86,88}$/)
    t.same(changes, [])
    t.ok(BigInt(receipt.got![0]!.amount) >= BigInt(quoted.quote.minOut), 'the minimum arrived')
    t.same(steps(seen), ['quoted', 'built', 'verified', 'signing', 'signed', 'sent', 'status'])
  }
})

t.test('a wallet that signs legacy transactions alone is not asked', async (t) => {
  const { keypair } = await solanaWallet()
  const adapter = {
    publicKey: keypair.publicKey,
    supportedTransactionVersions: null,
    signTransaction: async () => t.fail('it is asked') as never,
  }
  const { options } = await agreeing()
  const swap = executeSwap(await clientOf(), BUY, adapterWallet(adapter, VersionedTransaction), options)
  await t.rejects(swap, { code: 'wallet', message: /version 0/ })
})

t.test('what robs is not signed, and what a wallet made of it is not sent', async (t) => {
  const client = await clientOf()
  const { wallet, counted } = await solanaWallet()
  const { options } = await agreeing()
  const other = Keypair.generate().publicKey.toBase58()
  const robbing: Client = {
    ...client,
    build: async (input) => client.build({ ...input, from: other }),
  }
  await t.rejects(executeSwap(robbing, BUY, wallet, options), { code: 'refused', rule: 'from' })
  const lying: Client = {
    ...robbing,
    build: async (input) => ({ ...(await robbing.build(input)), from: wallet.address }) as BuildResult,
  }
  await t.rejects(executeSwap(lying, BUY, wallet, options), { name: 'SwapError', code: 'refused' })
  t.equal(counted.signed, 0)

  const sent: string[] = []
  const watched: Client = {
    ...client,
    rpc: async (method, params, how) => {
      sent.push(method)
      return client.rpc(method, params, how)
    },
  }
  const changing = await solanaWallet((_, address) => ({ after: [payment(address, STRANGER, 1_000_000n)] }))
  await t.rejects(executeSwap(watched, BUY, changing.wallet, options), {
    code: 'signed_changed',
    rule: 'signed_instruction',
    changes: [{ kind: 'instruction', isAllowed: false }],
  })
  t.equal(changing.counted.signed, 1)
  t.same(sent, [], 'nothing is sent')
})

t.test('an exact output for another wallet takes at most what was agreed', async (t) => {
  const client = await clientOf()
  const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const wallet = await localWallet(t)
  for (const order of [
    { ...SELL, amount: undefined, amountOut: '0.01', receiver },
    { ...SELL, amount: undefined, side: 'buy', amountOut: '25' },
  ] as const) {
    const { options, seen } = await agreeing()
    const { receipt } = await executeSwap(client, order, wallet, options)
    const [{ quote }] = seen as [SwapProgress & { readonly step: 'quoted' }]
    const verified = seen.find(({ step }) => step === 'verified') as SwapProgress & {
      readonly step: 'verified'
    }
    const recipient = 'receiver' in order ? receiver : wallet.address
    t.match(verified.verdict.facts, {
      spends: { amount: quote.maxIn },
      receives: { recipient, atLeast: quote.minOut },
    })
    t.ok(BigInt(receipt.paid![0]!.amount) <= BigInt(quote.maxIn!))
    if (order.side === 'buy') t.equal(receipt.got![0]!.amount, quote.minOut)
    // A gateway that names a larger maximum in its build than the user agreed to.
    const robbing: Client = {
      ...client,
      build: async (input) =>
        client.build({ ...input, quote: { ...input.quote, maxIn: quote.maxIn } } as never),
    }
    await t.rejects(executeSwap(robbing, { ...order, slippageBps: 200 }, wallet, options), {
      code: 'quote_mismatch',
    })
  }
})

t.test('a swap of Solana for another wallet is verified, lands there, and not on another', async (t) => {
  const client = await clientOf()
  const { wallet, counted } = await solanaWallet()
  const receiver = Keypair.generate().publicKey.toBase58()
  const { options, seen } = await agreeing()
  const { receipt } = await executeSwap(client, { ...BUY, receiver }, wallet, options)
  const verified = seen.find(({ step }) => step === 'verified')
  t.match(verified, { verdict: { facts: { receives: { recipient: receiver } } } })
  t.same(receipt.got, [], 'the signer gets nothing')
  const signed = counted.signed
  const robbing: Client = {
    ...client,
    build: async (input) => client.build({ ...input, receiver: Keypair.generate().publicKey.toBase58() }),
  }
  await t.rejects(executeSwap(robbing, { ...BUY, receiver }, wallet, options), {
    ...{ code: 'refused', rule: 'destination_account' },
  })
  t.equal(counted.signed, signed)
})

t.test('on an EVM chain a false recipient, spender or transaction of another is not signed', async (t) => {
  const client = await clientOf()
  const { wallet, count } = await browserWallet({ atomic: 'supported' })
  const { options } = await agreeing()
  const theft = 'bad0'.repeat(10)
  for (const change of [
    ({ data, from }: Evm) => ({ data: data.replaceAll(from.slice(2).toLowerCase(), theft) }),
    ({ approval }: Evm) => ({ approval: { ...approval!, spender: `0x${theft}` } }),
    () => ({ to: `0x${theft}` }),
  ]) {
    const robbing: Client = {
      ...client,
      build: async (input) => {
        const built = await client.build(input)
        return { ...built, ...change(built as Evm) } as BuildResult
      },
    }
    await t.rejects(executeSwap(robbing, SELL, wallet, options), { name: 'SwapError', code: 'refused' })
  }
  t.equal(count('eth_sendTransaction') + count('wallet_sendCalls'), 0)
})

t.test('what a wallet may change is in the result', async (t) => {
  const form = SOLANA_FORMS['Backpack, with a price of its own']!
  const { wallet } = await solanaWallet((transaction, address) => form(transaction, address, []))
  const { options } = await agreeing()
  const { changes } = await executeSwap(await clientOf(), BUY, wallet, options)
  t.match(changes, [
    { kind: 'compute_limit', isAllowed: true },
    { kind: 'priority_fee', isAllowed: true },
  ])
})

t.test('neither a lost answer nor a reload swaps twice: Solana', async (t) => {
  const { url } = await world
  for (const when of ['before', 'after'] as const) {
    let submissions = 0
    const lossy = await dropping(t, url, (body) => {
      if (!body.includes('"sendTransaction"')) return null
      return ++submissions === 1 ? when : null
    })
    const client = createClient({ baseUrl: lossy })
    const { wallet, counted } = await solanaWallet()
    const keep = { store: memory(), id: 'a' }
    const leaving = new AbortController()
    const onProgress = ({ step }: SwapProgress): void => {
      if (step === 'sent') leaving.abort()
    }
    const first = await agreeing({ keep, onProgress, signal: leaving.signal })
    await t.rejects(executeSwap(client, BUY, wallet, first.options), { code: 'aborted' })
    // The page is there again.
    const second = await agreeing({ keep })
    const { id, receipt } = await executeSwap(client, BUY, wallet, second.options)
    t.equal(receipt.signature, id)
    t.equal(counted.signed, 1, 'it is signed once')
    t.equal(second.agreed(), 0)
    t.equal(submissions, 2, 'the same bytes are sent again')
    const again = await executeSwap(client, BUY, wallet, second.options)
    t.equal(again.id, id, 'an id swaps once')
    t.equal((await resumeSwap(client, wallet, { ...POLL, keep }))!.id, id)
    t.equal(submissions, 2)
    await forgetSwap(keep)
    t.same([...keep.store.map], [])
    t.equal(await resumeSwap(client, wallet, { ...POLL, keep }), null)
  }
})

t.test('what was refused is not kept, and what a store fails to keep is not sent', async (t) => {
  const client = await clientOf()
  const { wallet } = await solanaWallet()
  const keep = { store: memory(), id: 'a' }
  const declining = await agreeing({ keep, agree: () => false })
  await t.rejects(executeSwap(client, BUY, wallet, declining.options), { code: 'declined' })
  const spoiling: SolanaWallet = {
    ...wallet,
    sign: async (transaction) => {
      const signed = await wallet.sign(transaction)
      signed[10]! ^= 1
      return signed
    },
  }
  const { options } = await agreeing({ keep })
  await t.rejects(executeSwap(client, BUY, spoiling, options), { code: /signature_invalid|signed_changed/ })
  t.same([...keep.store.map], [])
  const full: Store = { ...memory(), setItem: () => Promise.reject(new Error('It is full.')) }
  const unkept = await agreeing({ keep: { store: full, id: 'a' } })
  await t.rejects(executeSwap(client, BUY, wallet, unkept.options), { code: 'store' })
  t.notOk(steps(unkept.seen).includes('sent'))
})

/** An account in the program, whose node loses answers. */
async function localWallet(t: Test, drop: (body: string) => 'before' | 'after' | null = () => null) {
  const { sandbox } = await world
  const account = privateKeyToAccount(generatePrivateKey())
  const node = await dropping(t, sandbox!.evmRpc, drop)
  return viemWallet(createWalletClient({ account, chain: base, transport: http(`${node}/base`) }))
}

/** A browser's wallet, and what it was asked. */
async function browserWallet(options: Parameters<typeof evmProvider>[1]) {
  const { sandbox } = await world
  const { address, request } = evmProvider(`${sandbox!.evmRpc}/base`, options)
  const asked: string[] = []
  const transport = custom({
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      asked.push(method)
      return request(method, params)
    },
  })
  const wallet = viemWallet(createWalletClient({ account: address as `0x${string}`, chain: base, transport }))
  const count = (method: string): number => asked.filter((one) => one === method).length
  return { wallet, count }
}

t.test('on an EVM chain, with a local account of viem: the approval, then the swap', async (t) => {
  const client = await clientOf()
  let lost = 0
  const wallet = await localWallet(t, (body) => {
    if (!body.includes('eth_sendRawTransaction')) return null
    lost++
    return 'after'
  })
  const keep = { store: memory(), id: 'a' }
  const { options, seen } = await agreeing({ keep })
  const { id, receipt } = await executeSwap(client, SELL, wallet, options)
  t.match(id, /^0x[0-9a-f]{64}$/)
  t.match(receipt.paid, [{ amount: '250000000' }])
  t.equal(lost, 2, 'each is sent once')
  t.same(
    seen.flatMap((one) => (one.step === 'sent' ? [one.transaction] : [])),
    ['approval', 'swap'],
  )
  t.equal((await executeSwap(client, SELL, wallet, options)).id, id)
  t.equal(lost, 2)
})

t.test('a wallet that takes calls as one is asked once; where it does not, for each', async (t) => {
  const client = await clientOf()
  const upgrade = { code: 5750, message: 'The user rejected the upgrade.' }
  const atomicity = { code: 5760, message: 'Atomicity is not supported.' }
  for (const [options, batches, singles] of [
    [{ atomic: 'supported' }, 1, 0],
    [{ atomic: 'ready' }, 1, 0],
    [{ atomic: 'ready', batchFails: upgrade }, 1, 2],
    [{ atomic: 'supported', batchFails: atomicity }, 1, 2],
    [{ atomic: 'unsupported' }, 0, 2],
    [{ atomic: null }, 0, 2],
  ] as const) {
    const { wallet, count } = await browserWallet(options)
    const { options: how, seen } = await agreeing()
    const { receipt } = await executeSwap(client, SELL, wallet, how)
    t.match(receipt.paid, [{ amount: '250000000' }], JSON.stringify(options))
    t.equal(count('wallet_sendCalls'), batches)
    t.equal(count('eth_sendTransaction'), singles)
    const prompts = seen.flatMap((one) => (one.step === 'signing' ? one.transaction : []))
    const each = [...Array(batches).fill('swap'), ...(singles === 0 ? [] : ['approval', 'swap'])]
    t.same(prompts, each, 'each prompt of the wallet is named for what it asks')
    t.ok(steps(seen).includes('signed'), 'what the wallet sent is looked at')
  }
})

t.test('guards are asked for, verified, and never left out', async (t) => {
  const client = await clientOf()
  const { wallet: solana } = await solanaWallet()
  const { options, seen } = await agreeing()
  await executeSwap(client, { ...BUY, guards: true }, solana, options)
  t.match(seen, [{}, { built: { guards: { by: 'transaction' } } }, { verdict: { checks: /guards/ } }])
  const guarded: Order = { ...SELL, side: 'buy', amount: '0.1', guards: true }
  for (const atomic of ['supported', 'unsupported'] as const) {
    const { wallet, count } = await browserWallet({ atomic })
    const swap = executeSwap(client, guarded, wallet, (await agreeing()).options)
    if (atomic === 'supported') t.ok(await swap)
    else await t.rejects(swap, { code: 'wallet', message: /Guards need/ })
    t.equal(count('wallet_sendCalls'), atomic === 'supported' ? 1 : 0)
    t.equal(count('eth_sendTransaction'), 0)
  }
})

t.test('what may have been sent is not sent again', async (t) => {
  const client = await clientOf()
  for (const options of [
    { fails: { code: -32_603, message: 'Odd.' } },
    { atomic: 'supported', batchFails: { code: -32_603, message: 'Odd.' } },
  ] as const) {
    const { wallet, count } = await browserWallet(options)
    const keep = { store: memory(), id: 'a' }
    const { options: how, agreed } = await agreeing({ keep })
    const total = (): number => count('eth_sendTransaction') + count('wallet_sendCalls')
    await t.rejects(executeSwap(client, SELL, wallet, how), { code: 'unsure', id: null })
    await t.rejects(executeSwap(client, SELL, wallet, how), { code: 'unsure' })
    t.equal(total(), 1)
    t.equal(agreed(), 1)
    await forgetSwap(keep)
    await t.rejects(executeSwap(client, SELL, wallet, how), { code: 'unsure' }, 'the user has looked')
    t.equal(total(), 2)
  }
})

t.test('what the user declines, or a wallet of another chain does, leaves nothing', async (t) => {
  const client = await clientOf()
  for (const [options, code] of [
    [{ fails: { code: 4001, message: 'No.' } }, 'declined'],
    [{ atomic: 'supported', batchFails: { code: 4001, message: 'No.' } }, 'declined'],
    [{ startsOn: '0x1', switches: false }, 'wallet'],
    [{ fails: { code: -32_003, message: 'Rejected by the node: no funds.' } }, 'wallet'],
  ] as const) {
    const { wallet } = await browserWallet(options)
    const keep = { store: memory(), id: 'a' }
    const { options: how } = await agreeing({ keep })
    await t.rejects(executeSwap(client, SELL, wallet, how), { code })
    t.same([...keep.store.map], [])
  }
  const { wallet } = await solanaWallet()
  const { options } = await agreeing()
  await t.rejects(executeSwap(client, { ...SELL, chain: 'base' }, wallet, options), { code: /./ })
})
