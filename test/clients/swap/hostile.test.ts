/** What wallets, nodes, gateways and stores answer that must not pass for a swap, nor lead to a second one. */
import t from 'tap'
import { createWalletClient, custom } from 'viem'
import { base } from 'viem/chains'
import { type Client, createClient } from '../../../src/clients/client/index.ts'
import {
  adapterWallet,
  executeSwap,
  forgetSwap,
  type Order,
  providerWallet,
  type SwapOptions,
  viemWallet,
} from '../../../src/clients/swap/index.ts'
import { takesBatch } from '../../../src/clients/swap/provider.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { evmProvider } from '../../fixtures/wallets.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SELL: Order = { chain: 'base', side: 'sell', token: USDC, amount: '250', slippageBps: 100 }
const BUY: Order = { ...SELL, side: 'buy', amount: '0.05' }

t.setTimeout(300_000)

const clock = runningClock()
const world = listen(t, { LIMITS: 'swap=off,rpcRead=off,rpcSend=off,portfolio=off' }, { clock })

function memory() {
  const map = new Map<string, string>()
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => map.set(key, value),
    removeItem: (key: string) => map.delete(key),
  }
}

type Answer = ReturnType<typeof JSON.parse>
type Hook = (method: string, params: Answer, ask: () => Promise<Answer>) => Promise<Answer>

/** A browser's wallet whose answers a test may change. */
async function walletOf(
  options: Parameters<typeof evmProvider>[1],
  hook: Hook = (_, __, ask) => ask(),
  isBare = false,
) {
  const { url, sandbox } = await world
  const { address, request } = evmProvider(`${sandbox!.evmRpc}/base`, options)
  let sent = 0
  const provider = {
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      if (method === 'eth_sendTransaction') sent++
      return hook(method, params, () => request(method, params))
    },
  }
  const wallet = isBare
    ? providerWallet(provider, address)
    : viemWallet(
        createWalletClient({ account: address as `0x${string}`, chain: base, transport: custom(provider) }),
      )
  const client = createClient({ baseUrl: url })
  const how = (more: Partial<SwapOptions> = {}): SwapOptions => ({
    ...{ pollMs: 20, now: clock.date, agree: () => true },
    ...more,
  })
  return { wallet, client, how, address, sent: () => sent }
}

const failure = (code: number, message: string) => Object.assign(new Error(message), { code })

t.test('a batch that failed, in whole or in part, is no swap', async (t) => {
  for (const [status, code] of [
    [500, 'reverted'],
    [600, 'unsure'],
  ] as const) {
    const { wallet, client, how } = await walletOf({ atomic: 'supported', batchStatus: status })
    await t.rejects(executeSwap(client, SELL, wallet, how()), { code }, String(status))
  }
  let looks = 0
  const shaky = await walletOf({ atomic: 'supported' }, async (method, _, ask) => {
    if (method === 'wallet_getCallsStatus' && looks++ === 0) throw failure(-32603, 'fetch failed')
    return ask()
  })
  t.ok(await executeSwap(shaky.client, SELL, shaky.wallet, shaky.how()), 'one lost answer ends nothing')
  const leaving = new AbortController()
  const slow = await walletOf({ atomic: 'supported' }, async (method, _, ask) => {
    if (method !== 'wallet_getCallsStatus') return ask()
    leaving.abort()
    return { status: 100 }
  })
  const left = executeSwap(slow.client, SELL, slow.wallet, slow.how({ signal: leaving.signal }))
  await t.rejects(left, { name: 'SwapgateError', code: 'aborted' })
})

t.test('what an EVM wallet sent in place of the swap is no success', async (t) => {
  let first: unknown = null
  const { wallet, client, how } = await walletOf({ atomic: null }, async (method, _, ask) => {
    if (method !== 'eth_sendTransaction') return ask()
    first ??= await ask()
    return first
  })
  await t.rejects(executeSwap(client, SELL, wallet, how()), {
    code: 'signed_changed',
    rule: 'signed_missing',
  })
})

t.test('a receipt is that of the swap, of a block, and of success', async (t) => {
  const { wallet, client, how } = await walletOf({ atomic: null })
  const saying = (more: object, times = Number.POSITIVE_INFINITY): Client => ({
    ...client,
    receipt: async (asked, options) => ({
      ...(await client.receipt(asked, options)),
      ...(times-- > 0 && (more as { hash?: string })),
    }),
  })
  const swap = (as: Client) => executeSwap(as, BUY, wallet, how())
  await t.rejects(swap(saying({ status: 'failed' })), { code: 'reverted' })
  await t.rejects(swap(saying({ hash: `0x${'1'.repeat(64)}` })), { code: 'unsure' })
  const { receipt } = await swap(saying({ status: 'unknown' }, 2))
  t.match(receipt.status, /confirmed|finalized/, 'a node that lags is asked again')
})

t.test('what may have been sent is not sent again, whatever the words', async (t) => {
  for (const [code, message, isSent, expected] of [
    [-32000, 'already known', true, 'unsure'],
    [-32000, 'nonce too low', true, 'unsure'],
    [-32603, 'RPC: 403 Access denied', true, 'unsure'],
    [-32000, 'User rejected.', false, 'declined'],
    [-32003, 'insufficient funds', false, 'wallet'],
  ] as const) {
    for (const isBare of [false, true]) {
      const { wallet, client, how, sent } = await walletOf(
        { atomic: null },
        async (method, _, ask) => {
          if (method !== 'eth_sendTransaction') return ask()
          if (isSent) await ask()
          throw isBare ? { code, message } : failure(code, message)
        },
        isBare,
      )
      const keep = { store: memory(), id: 'a' }
      await t.rejects(executeSwap(client, BUY, wallet, how({ keep })), { code: expected }, message)
      await t.rejects(executeSwap(client, BUY, wallet, how({ keep })), { code: expected })
      t.equal(sent(), isSent ? 1 : 2, message)
      await forgetSwap(keep)
    }
  }
})

t.test('a wallet that moves to another chain is brought back before each transaction', async (t) => {
  let chain = '0x2105'
  const on: string[] = []
  const { wallet, client, how } = await walletOf({ atomic: null }, async (method, params, ask) => {
    if (method === 'eth_chainId') return chain
    if (method === 'wallet_switchEthereumChain') {
      chain = params[0].chainId
      return null
    }
    if (method !== 'eth_sendTransaction') return ask()
    on.push(chain)
    const hash = await ask()
    chain = '0x1'
    return hash
  })
  await executeSwap(client, SELL, wallet, how())
  t.same(on, ['0x2105', '0x2105'])
  let asked = 0
  const late = await walletOf({ atomic: null }, async (method, _, ask) =>
    method === 'eth_chainId' ? (asked++ < 3 ? '0x1' : '0x2105') : ask(),
  )
  t.ok(await executeSwap(late.client, BUY, late.wallet, late.how()), 'one that switches a moment later')
})

t.test('what a store has is checked, and is of its wallet', async (t) => {
  const { wallet, client, how } = await walletOf({ atomic: null })
  for (const text of ['{}', '5', '{"chain":"base","kind":"swap","state":"sent","id":5}']) {
    const keep = { store: memory(), id: 'a' }
    keep.store.map.set('swapgate.swap.a', text)
    await t.rejects(executeSwap(client, BUY, wallet, how({ keep })), { code: 'store' }, text)
  }
  const keep = { store: memory(), id: 'a' }
  await executeSwap(client, BUY, wallet, how({ keep }))
  const other = await walletOf({ atomic: null })
  await t.rejects(executeSwap(client, BUY, other.wallet, how({ keep })), {
    code: 'wallet',
    message: /wallet 0x/,
  })
  const throwing = how({
    keep: { store: memory(), id: 'b' },
    onProgress({ step }) {
      if (step === 'signing') throw new Error('of the app')
    },
  })
  await t.rejects(executeSwap(client, BUY, wallet, throwing), { message: 'of the app' })
  t.equal(throwing.keep!.store.getItem('swapgate.swap.b'), null, 'nothing was asked')
})

t.test('no wait and no question goes on for ever', async (t) => {
  const { wallet, client, how } = await walletOf({ atomic: null })
  await t.rejects(client.waitForTransaction({ chain: 'nope', hash: '0x12' }, { pollMs: 20 }), {
    name: 'SwapgateError',
    status: 400,
  } as never)
  const silent = await walletOf({ atomic: null }, async (method, _, ask) =>
    method === 'eth_sendTransaction' ? null : ask(),
  )
  await t.rejects(executeSwap(client, BUY, silent.wallet, how()), { code: 'unsure' })
  let agreed = 0
  const moving: Client = {
    ...client,
    build: () =>
      client.build({ ...BUY, from: wallet.address, quote: { provider: 'x' } } as never).catch(moved),
  }
  const agree = () => ++agreed > 0
  await t.rejects(executeSwap(moving, BUY, wallet, how({ agree })), { code: 'quote_moved' })
  t.equal(agreed, 5)
})

async function moved(error: unknown): Promise<never> {
  throw Object.assign(error as Error, { code: 'quote_moved' })
}

t.test('after a reload nobody knows what an EVM wallet changed', async (t) => {
  const { wallet, client, how } = await walletOf({ atomic: null })
  const leaving = new AbortController()
  const keep = { store: memory(), id: 'a' }
  const first = how({
    ...{ keep, signal: leaving.signal },
    onProgress: ({ step }) => step === 'sent' && leaving.abort(),
  })
  await t.rejects(executeSwap(client, BUY, wallet, first), { code: 'aborted' })
  t.equal((await executeSwap(client, BUY, wallet, how({ keep }))).changes, null)
})

t.test('capabilities of all chains count, however a chain is written', async (t) => {
  const saying = (answer: object) => ({ request: async () => answer })
  const supported = { atomic: { status: 'supported' } }
  t.ok(await takesBatch(saying({ '0x0': supported, '0x2105': { paymasterService: {} } }), '0x', '0x2105'))
  t.ok(await takesBatch(saying({ '0xA4B1': supported }), '0x', '0xa4b1'))
  t.notOk(await takesBatch(saying({ '0x1': supported }), '0x', '0x2105'))
})

t.test('a token that nobody else lists has the decimals that the wallet itself reads', async (t) => {
  const WETH = '0x4200000000000000000000000000000000000006'
  const { wallet, client, how } = await walletOf({ atomic: null })
  const order = { ...SELL, token: WETH, against: USDC, amount: '0.01' }
  const honest = executeSwap(client, order, { ...wallet, decimals: async () => 18 }, how())
  t.ok(await honest)
  const other = executeSwap(client, order, { ...wallet, decimals: async () => 6 }, how())
  await t.rejects(other, { code: 'refused' })
})

t.test('a wallet of Solana that cannot sign alone, or not this version, is told so', async (t) => {
  const { client, how } = await walletOf({ atomic: null })
  const { Keypair, VersionedTransaction } = await import('@solana/web3.js')
  const { publicKey } = Keypair.generate()
  const order: Order = { ...BUY, chain: 'solana', token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }
  const swap = (adapter: object) =>
    executeSwap(client, order, adapterWallet({ publicKey, ...adapter } as never, VersionedTransaction), how())
  await t.rejects(swap({}), { code: 'wallet', message: /cannot sign alone/ })
  const signTransaction = async () => t.fail('it is asked')
  const wallet = { adapter: { supportedTransactionVersions: new Set(['legacy']) } }
  await t.rejects(swap({ signTransaction, wallet }), { code: 'wallet', message: /version 0/ })
})
