/**
 * `npm run demo`: a wallet's first minute with a running gateway in sandbox mode. The wallet is funded, reads
 * its balance, then signs, submits and awaits a transfer, all through the relay. It swaps and looks up the
 * result's value in its portfolio, repeats the order with a compromised provider, and tries three submissions
 * that the relay refuses.
 *
 * Any other result ends the demo with exit code 1. An exhausted budget does not: the demo waits for
 * Retry-After, as a client should, and can be run repeatedly.
 *
 * SWAPGATE_URL is the gateway's URL; by default http://127.0.0.1 at PORT, or at 8080 if PORT is not set.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Keypair } from '@solana/web3.js'
import type { Static } from 'typebox'
import type { Health as HealthSchema } from '../runtime/resources/health.ts'
import type { Portfolio } from '../runtime/resources/portfolio.ts'

type Health = Static<typeof HealthSchema>
type Sandbox = NonNullable<Health['sandbox']>

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const FUNDS_LAMPORTS = 2_000_000_000
const TRANSFER_LAMPORTS = 500_000_000
/** The fee of one signature. */
const FEE_LAMPORTS = 5_000
const LAMPORTS_PER_SOL = 1_000_000_000
const MAX_TRANSACTION_BYTES = 1_232
const POLL_MS = 200
const WAIT_MS = 30_000
/** The longest Retry-After to wait for: a budget's window is 60 s. */
const MAX_RETRY_AFTER_S = 120
const DEFAULT_URL = `http://127.0.0.1:${process.env.PORT ?? 8080}`

interface DemoRpcReply {
  readonly status: number
  readonly body: {
    readonly result?: unknown
    /** A JSON-RPC error object, or the gateway's message next to its `code`. */
    readonly error?: unknown
    readonly code?: string
  }
}

type CallRpc = (method: string, params: readonly unknown[]) => Promise<DemoRpcReply>

async function main(): Promise<void> {
  const gateway = (process.env.SWAPGATE_URL ?? DEFAULT_URL).replace(/\/+$/, '')
  const { Keypair } = await loadWeb3()
  const { solanaRpc, control } = await findSandbox(gateway)
  const faucet = rpcAt(solanaRpc)
  const relay = rpcAt(`${gateway}/api/solrpc`)

  const wallet = await step('make a wallet in memory', async () => {
    const made = Keypair.generate()
    return { value: made, note: made.publicKey.toBase58() }
  })
  const address = wallet.publicKey.toBase58()
  await step('fund it at the faucet', async () => {
    await resultOf(faucet, 'requestAirdrop', [address, FUNDS_LAMPORTS])
    return { value: null, note: inSol(FUNDS_LAMPORTS) }
  })
  await step('read its balance', async () => {
    const { value } = await resultOf<Balance>(relay, 'getBalance', [address])
    expect(value === FUNDS_LAMPORTS, 'The balance is not what the faucet gave.')
    return { value, note: inSol(value) }
  })
  const signed = await step('sign a transfer', async () => {
    const bytes = await signTransfer(relay, wallet)
    return { value: bytes, note: `${bytes.length} bytes, ${inSol(TRANSFER_LAMPORTS)}` }
  })
  const signature = await step('submit it', async () => {
    const id = await resultOf<string>(relay, 'sendTransaction', submission(signed))
    return { value: id, note: id }
  })
  await waitForStatus(relay, signature)
  await step('read its balance again', async () => {
    const { value } = await resultOf<Balance>(relay, 'getBalance', [address, { commitment: 'confirmed' }])
    const expected = FUNDS_LAMPORTS - TRANSFER_LAMPORTS - FEE_LAMPORTS
    expect(value === expected, 'The balance is not what the transfer and its fee leave.')
    return { value, note: inSol(value) }
  })

  print('\na swap, from quote to token:')
  await swap(gateway, relay, wallet)

  print('\nthe same from a provider that was taken over:')
  await robbery(gateway, control, address)

  print('\nand what the relay refuses:')
  const flipped = Buffer.from(signed)
  flipped[flipped.length - 1]! ^= 1
  const oversized = Buffer.concat([signed, Buffer.alloc(MAX_TRANSACTION_BYTES + 1 - signed.length)])
  await refusal(relay, 'a flipped bit', 'signature_invalid', submission(flipped))
  await refusal(relay, 'an oversized transaction', 'transaction_too_large', submission(oversized))
  await refusal(relay, 'skipPreflight', 'preflight_required', submission(signed, { skipPreflight: true }))
}

const ORDER = { chain: 'solana', side: 'buy', token: USDC, amount: '0.25', slippageBps: 100 }
type DemoQuote = Readonly<Record<string, unknown>>

const quoteFor = (gateway: string, from: string): Promise<DemoQuote> =>
  step('quote 0.25 SOL for USDC', async () => {
    // By a provider whose bytes show a theft without an execution.
    const asked = { slippageBps: String(ORDER.slippageBps), verification: 'proved' }
    const query = new URLSearchParams({ ...ORDER, ...asked, from })
    const value = await jsonOf(await ask(`${gateway}/api/quote?${query}`))
    return { value, note: `${value.expectedOutHuman} USDC by ${value.provider}` }
  })

const build = (gateway: string, from: string, quote: DemoQuote): Promise<Response> =>
  post(`${gateway}/api/build`, { ...ORDER, from, quote })

/** Has the sandbox's provider try to rob the wallet, and shows that the gateway refuses what it built. */
async function robbery(gateway: string, control: string, from: string): Promise<void> {
  const quote = await quoteFor(gateway, from)
  const dial = `${control}/faults/${quote.provider}`
  try {
    await fetch(dial, { method: 'PUT', body: '{"fault":"steal"}' })
    await step('build the transaction', async () => {
      const response = await build(gateway, from, quote)
      const body = (await response.json()) as Readonly<Record<string, unknown>>
      const isRefused = response.status === 502 && body.code === 'material_refused'
      expect(isRefused, `A theft was answered ${response.status}: ${JSON.stringify(body)}`)
      const dials = await jsonOf(await fetch(`${control}/faults`))
      const { theft } = dials[String(quote.provider)] as { theft: string }
      const lines = [`it ${theft}: refused by the rule ${body.rule}`, body.error]
      return { value: null, note: `502 material_refused\n${lines.map((line) => INDENT + line).join('\n')}` }
    })
  } finally {
    await fetch(dial, { method: 'PUT', body: '{"fault":null}' })
  }
}

/** Buys USDC: quote, verified unsigned transaction, the wallet's signature, relay. */
async function swap(gateway: string, relay: CallRpc, wallet: Keypair): Promise<void> {
  const from = wallet.publicKey.toBase58()
  const quote = await quoteFor(gateway, from)
  const unsigned = await step('build the transaction', async () => {
    const built = await jsonOf(await build(gateway, from, quote))
    const { checks } = built.verification as { checks: string[] }
    return { value: String(built.solanaTransaction), note: `unsigned, ${checks.length} checks passed` }
  })
  const signature = await step('sign and submit it', async () => {
    const { VersionedTransaction } = await loadWeb3()
    const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'))
    transaction.sign([wallet])
    const id = await resultOf<string>(relay, 'sendTransaction', submission(transaction.serialize()))
    return { value: id, note: id }
  })
  await waitForStatus(relay, signature)
  const bought = await step('read its USDC balance', async () => {
    const options = { encoding: 'jsonParsed', commitment: 'confirmed' }
    const params = [from, { mint: USDC }, options]
    const held = await resultOf<TokenAccounts>(relay, 'getTokenAccountsByOwner', params)
    const tokenAmount = held.value[0]?.account.data.parsed.info.tokenAmount
    const amount = tokenAmount?.amount ?? '0'
    expect(BigInt(amount) >= BigInt(String(quote.minOut)), 'The wallet holds less than minOut.')
    return { value: amount, note: `${tokenAmount?.uiAmountString} USDC` }
  })
  await step('ask for its portfolio', async () => {
    const portfolio = await jsonOf(await ask(`${gateway}/api/portfolio?sol=${from}`))
    const { chains, totalUsd } = portfolio as unknown as Portfolio
    const usdc = chains[0]?.holdings.find(({ address }) => address === USDC)
    expect(
      usdc?.amount === bought && usdc.valueUsd !== null,
      'The portfolio lacks the bought token or its value.',
    )
    return { value: null, note: `$${usdc!.valueUsd!.toFixed(2)} of USDC, $${totalUsd.toFixed(2)} in all` }
  })
}

interface Balance {
  readonly value: number
}

interface TokenAccounts {
  readonly value: readonly {
    readonly account: {
      readonly data: {
        readonly parsed: {
          readonly info: { readonly tokenAmount: { amount: string; uiAmountString: string } }
        }
      }
    }
  }[]
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const body = (await response.json()) as Record<string, unknown>
  expect(response.status === 200, `The gateway answered ${response.status}: ${JSON.stringify(body)}`)
  return body
}

async function loadWeb3(): Promise<typeof import('@solana/web3.js')> {
  try {
    return await import('@solana/web3.js')
  } catch (cause) {
    throw new Error(
      'The demo signs with the package @solana/web3.js: run `npm install @solana/web3.js@1.99.0`.',
      { cause },
    )
  }
}

/** `fetch` with a retry after Retry-After when a budget is exhausted. */
async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init)
    const retryAfter = response.headers.get('retry-after')
    if (response.status !== 429 || retryAfter === null) return response
    const seconds = Number(retryAfter)
    if (!(seconds <= MAX_RETRY_AFTER_S)) return response
    const { error } = (await response.json()) as { error: string }
    print(`${INDENT}${error}\n${INDENT}Retry-After says ${seconds} s: waiting.`)
    await sleep(seconds * 1_000)
  }
}

const post = (url: string, body: object): Promise<Response> =>
  ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function findSandbox(gateway: string): Promise<Pick<Sandbox, 'solanaRpc' | 'control'>> {
  const response = await fetch(`${gateway}/api/health`).catch((cause: unknown) => {
    throw new Error(
      `No gateway answers at SWAPGATE_URL (default ${DEFAULT_URL}; it follows PORT). Start one with \`npm start\`.`,
      { cause },
    )
  })
  const health = (await response.json().catch(() => null)) as Partial<Health> | null
  const sandbox: Partial<Sandbox> = (health?.mode === 'sandbox' && health.sandbox) || {}
  const { solanaRpc, control } = sandbox
  if (solanaRpc === undefined || control === undefined) {
    throw new Error(
      'The demo spends play money, so the gateway must run with MODE=sandbox and its own Solana node. Start one with `npm start`, without SOLANA_RPC_URLS.',
    )
  }
  return { solanaRpc, control }
}

function rpcAt(url: string): CallRpc {
  return async (method, params) => {
    const response = await post(url, { jsonrpc: '2.0', id: 1, method, params })
    return { status: response.status, body: (await response.json()) as DemoRpcReply['body'] }
  }
}

async function resultOf<Result>(rpc: CallRpc, method: string, params: readonly unknown[]): Promise<Result> {
  const { status, body } = await rpc(method, params)
  expect(status === 200 && body.error === undefined, `${method} answered ${status}: ${JSON.stringify(body)}`)
  return body.result as Result
}

const submission = (bytes: Uint8Array, options: object = {}): unknown[] => [
  Buffer.from(bytes).toString('base64'),
  { encoding: 'base64', ...options },
]

async function signTransfer(relay: CallRpc, wallet: Keypair): Promise<Buffer> {
  const { Keypair, SystemProgram, Transaction } = await loadWeb3()
  const params = [{ commitment: 'confirmed' }]
  const { value } = await resultOf<{ value: { blockhash: string } }>(relay, 'getLatestBlockhash', params)
  const transfer = SystemProgram.transfer({
    fromPubkey: wallet.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: TRANSFER_LAMPORTS,
  })
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: value.blockhash })
  transaction.add(transfer).sign(wallet)
  return transaction.serialize()
}

const waitForStatus = (relay: CallRpc, signature: string): Promise<null> =>
  step('wait for its status', async () => ({ value: null, note: await statusOf(relay, signature) }))

async function statusOf(relay: CallRpc, signature: string): Promise<string> {
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline) {
    const { value } = (await resultOf(relay, 'getSignatureStatuses', [[signature]])) as {
      value: ({ err: unknown; confirmationStatus: string } | null)[]
    }
    const status = value[0] ?? null
    expect(status === null || status.err === null, `The transfer failed: ${JSON.stringify(status?.err)}`)
    if (status !== null && status.confirmationStatus !== 'processed') return status.confirmationStatus
    await sleep(POLL_MS)
  }
  throw new Error(`The transfer was not confirmed within ${WAIT_MS / 1_000} s.`)
}

async function refusal(relay: CallRpc, title: string, code: string, params: unknown[]): Promise<void> {
  await step(title, async () => {
    const { status, body } = await relay('sendTransaction', params)
    expect(status === 400 && body.code === code, `The relay answered ${status}: ${JSON.stringify(body)}`)
    return { value: null, note: `${status} ${code}\n${INDENT}${body.error}` }
  })
}

/** Runs one step and prints it with its latency. */
async function step<T>(title: string, run: () => Promise<{ value: T; note: string }>): Promise<T> {
  const startedAt = performance.now()
  const { value, note } = await run()
  const ms = (performance.now() - startedAt).toFixed(1).padStart(8)
  print(`${ms} ms  ${title.padEnd(26)}${note}`)
  return value
}

const INDENT = ' '.repeat(13)
const inSol = (lamports: number): string => `${lamports / LAMPORTS_PER_SOL} SOL`
const print = (line: string): void => void process.stdout.write(`${line}\n`)

function expect(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

main().catch((error: Error) => {
  process.stderr.write(`demo: ${error.message}\n`)
  process.exitCode = 1
})
