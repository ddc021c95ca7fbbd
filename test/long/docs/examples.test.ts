import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  type Rpc,
  type SolanaRpcApi,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { type Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import {
  createWalletClient,
  decodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { base } from 'viem/chains'
import { ROOT } from '../../../scripts/docs/pages.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { SLOT_MS } from '../../../src/sandbox/solana/ledger/slots.ts'
import { account, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { type Drop, dropping } from '../../fixtures/dropping.ts'
import { call, listen } from '../../fixtures/gateway.ts'
import { recordingNode } from '../../fixtures/recording-node.ts'
import { blocksOf } from '../../fixtures/samples.ts'

/** The examples are plain JavaScript, to be copied: only their shapes are declared here. */
const load = async <T>(name: string): Promise<T> =>
  import(new URL(`../../../docs/examples/${name}.mjs`, import.meta.url).href)

interface Order {
  readonly chain: string
  readonly side: 'buy' | 'sell'
  readonly token: string
  readonly amount: string
  readonly slippageBps: number
  readonly from?: string
}

interface Quote {
  readonly expectedOut: string
  readonly minOut: string
}

type Agree = (quote: Quote) => boolean

const UNLIMITED = { LIMITS: 'swap=off,rpcRead=off,rpcSend=off,rpcBatch=off' }
const SOL = 1_000_000_000
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** More than a blockhash's life and the way to `finalized`. */
const LIFE_MS = 200 * SLOT_MS

async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

/**
 * A gateway in front of a sandbox's node whose clock stands still but for a slot at each look at a
 * status. So many of the first transactions are acknowledged and lost, as a leader loses them.
 */
async function startChain(t: Test, lost: number) {
  let now = Date.UTC(2026, 10, 20, 12)
  const sandbox = await startSandbox({ now: () => now })
  t.teardown(() => sandbox.close())
  let submissions = 0
  const node = await recordingNode(t, async ({ text, method, params }) => {
    if (method === 'getSignatureStatuses') now += SLOT_MS
    if (method === 'sendTransaction' && submissions++ < lost) {
      now += LIFE_MS
      const bytes = Buffer.from(String(params[0]), 'base64')
      return `{"jsonrpc":"2.0","result":"${encodeBase58(bytes.subarray(1, 65))}","id":$ID}`
    }
    const headers = { 'content-type': 'application/json' }
    return (await fetch(sandbox.solanaUrl, { method: 'POST', headers, body: text })).text()
  })
  // The gateway sends nothing again, so that what is counted is what the client submitted.
  // Nor is an answer kept: minutes pass here within the half slot that it would be kept for.
  const once = { SOLANA_RPC_URLS: node.url, SOLANA_MAX_RETRIES: '0', SOLANA_READ_CACHE: 'off' }
  const gateway = await listen(t, { ...UNLIMITED, MODE: 'live', ...once })
  const wallet = Keypair.generate()
  const fund = async (address: string): Promise<void> => {
    await rpc(sandbox.solanaUrl, 'requestAirdrop', address, 2 * SOL)
    now += SLOT_MS
  }
  await fund(wallet.publicKey.toBase58())
  const balance = () =>
    rpc(sandbox.solanaUrl, 'getBalance', wallet.publicKey.toBase58(), { commitment: 'processed' })
  const pass = (ms: number): void => void (now += ms)
  return { url: gateway.url, wallet, balance, submissions: () => submissions, pass, fund }
}

/** A chain whose gateway's first answer to a submission is lost. */
async function startLossy(t: Test, when: Drop) {
  const chain = await startChain(t, 0)
  let sent = 0
  const url = await dropping(t, chain.url, (body) => {
    if (!body.includes('"sendTransaction"') || sent++ > 0) return null
    if (when === 'before') chain.pass(LIFE_MS)
    return when
  })
  return { ...chain, url }
}

interface SubmitWeb3 {
  connect(gateway: string): Connection
  submit(
    connection: Connection,
    sign: (blockhash: string) => Uint8Array,
    options?: { attempts?: number; pollMs?: number },
  ): Promise<string>
}

interface Latest {
  readonly blockhash: Blockhash
  readonly lastValidBlockHeight: bigint
}

interface SubmitKit {
  connect(gateway: string): Rpc<SolanaRpcApi>
  submit(
    rpc: Rpc<SolanaRpcApi>,
    sign: (latest: Latest) => Promise<string>,
    options?: { attempts?: number; pollMs?: number },
  ): Promise<string>
}

const transfer = (wallet: Keypair, lamports: number) => (recentBlockhash: string) => {
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash })
  const to = Keypair.generate().publicKey
  transaction
    .add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: to, lamports }))
    .sign(wallet)
  return transaction.serialize()
}

t.test('web3.js: a transaction that expired is signed again, and only then', async (t) => {
  const { connect, submit } = await load<SubmitWeb3>('submit-web3')
  const { url, wallet, balance, submissions } = await startChain(t, 1)
  const connection = connect(url)
  t.match(await submit(connection, transfer(wallet, SOL), { pollMs: 1 }), /^[1-9A-Za-z]{86,88}$/)
  t.equal(submissions(), 2)
  t.match(await balance(), { value: SOL - 5_000 }, 'it is paid once')

  const hopeless = await startChain(t, 9)
  const lost = submit(connect(hopeless.url), transfer(hopeless.wallet, SOL), { attempts: 2, pollMs: 1 })
  await t.rejects(lost, { message: /None of 2 transactions landed/ })
  t.equal(hopeless.submissions(), 2)
})

t.test('web3.js: a lost answer is not a failure, and nothing is paid twice', async (t) => {
  const { connect, submit } = await load<SubmitWeb3>('submit-web3')
  for (const when of ['after', 'before'] as const) {
    const chain = await startLossy(t, when)
    const { url, wallet, balance } = chain
    t.match(await submit(connect(url), transfer(wallet, SOL), { pollMs: 1 }), /^[1-9A-Za-z]{86,88}$/, when)
    t.equal(chain.submissions(), 1, `${when}: the node got it once`)
    t.match(await balance(), { value: SOL - 5_000 }, `${when}: it is paid once`)
  }
})

/** A relay that refuses the first call for want of budget, and answers the next. */
async function startBusy(t: Test): Promise<{ url: string; asked: () => number }> {
  let asked = 0
  const server = createServer((_, response) => {
    if (asked++ === 0) return void response.writeHead(429, { 'retry-after': '0' }).end('{"error":"No."}')
    response.setHeader('content-type', 'application/json')
    response.end('{"jsonrpc":"2.0","result":7,"id":"1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

t.test('both libraries wait as long as a 429 says', async (t) => {
  const web3 = await load<SubmitWeb3>('submit-web3')
  const busy = await startBusy(t)
  t.equal(await web3.connect(busy.url).getSlot(), 7)
  t.equal(busy.asked(), 2)

  const kit = await load<SubmitKit>('submit-kit')
  const again = await startBusy(t)
  t.equal(await kit.connect(again.url).getSlot().send(), 7n)
  t.equal(again.asked(), 2)
})

t.test('web3.js: confirming over a WebSocket would ask the port above', async (t) => {
  const { connect } = await load<SubmitWeb3>('submit-web3')
  const connection = connect('http://127.0.0.1:8080') as unknown as { _rpcWsEndpoint: string }
  t.equal(connection._rpcWsEndpoint, 'ws://127.0.0.1:8081/api/solrpc')
})

t.test('kit: a transaction that expired is signed again, and only then', async (t) => {
  const { connect, submit } = await load<SubmitKit>('submit-kit')
  const { url, wallet, balance, submissions } = await startChain(t, 1)
  const signer = await createKeyPairSignerFromBytes(wallet.secretKey)
  const friend = Keypair.generate().publicKey
  const { data } = SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: friend, lamports: SOL })
  const instruction = {
    programAddress: address(SystemProgram.programId.toBase58()),
    accounts: [
      { address: signer.address, role: AccountRole.WRITABLE_SIGNER },
      { address: address(friend.toBase58()), role: AccountRole.WRITABLE },
    ],
    data,
  }
  const sign = async (latest: Latest) => {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayerSigner(signer, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
      (m) => appendTransactionMessageInstruction(instruction, m),
    )
    return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  }
  t.match(await submit(connect(url), sign, { pollMs: 1 }), /^[1-9A-Za-z]{86,88}$/)
  t.equal(submissions(), 2)
  t.match(await balance(), { value: SOL - 5_000 }, 'it is paid once')

  const hopeless = await startChain(t, 9)
  const lost = submit(connect(hopeless.url), sign, { attempts: 2, pollMs: 1 })
  await t.rejects(lost, { message: /None of 2 transactions landed/ })
  t.equal(hopeless.submissions(), 2)

  for (const when of ['after', 'before'] as const) {
    const lossy = await startLossy(t, when)
    await lossy.fund(wallet.publicKey.toBase58())
    t.match(await submit(connect(lossy.url), sign, { pollMs: 1 }), /^[1-9A-Za-z]{86,88}$/, when)
    t.equal(lossy.submissions(), 1, `a lost answer, ${when}: it is sent once`)
  }
})

t.test('a refusal of the relay reaches the user of a library as relay.md says', async (t) => {
  const { url } = await listen(t, UNLIMITED)
  const wallet = Keypair.generate()
  const signed = transfer(wallet, SOL)(SystemProgram.programId.toBase58())
  signed[10]! ^= 1
  const web3 = await load<SubmitWeb3>('submit-web3')
  await t.rejects(web3.connect(url).sendRawTransaction(signed), {
    message: /^400 .*"code":"signature_invalid"/,
  })
  const kit = await load<SubmitKit>('submit-kit')
  const wire = Buffer.from(signed).toString('base64') as Base64EncodedWireTransaction
  const refused = kit.connect(url).sendTransaction(wire, { encoding: 'base64' }).send()
  await refused.then(
    () => t.fail('it was taken'),
    (error) => t.match(error, { context: { statusCode: 400 } }),
  )
})

t.test('the methods that relay.md names as not relayed are not', async (t) => {
  const { url } = await listen(t, UNLIMITED)
  const page = readFileSync(new URL('../../../docs/relay.md', import.meta.url), 'utf8')
  const list = /\*\*Methods\*\*[\s\S]*?\*\*Arrays/.exec(page)![0]
  const methods = [...list.matchAll(/`([a-z]+[A-Z]\w+)`/g)].map(([, method]) => method!)
  t.ok(methods.length > 8)
  for (const method of methods) {
    const response = await call(url, method, [])
    t.match(await response.json(), { code: 'method_not_allowed' }, method)
  }
})

t.test("the README's client works as it is printed", async (t) => {
  const code = blocksOf('README.md').find(({ language }) => language === 'js')!.text
  // On the sandbox's own choice of a second port another process may be.
  const start = () => listen(t, {}, { clock: runningClock() })
  let { url, wsUrl } = await start()
  while (wsUrl === null) ({ url, wsUrl } = await start())
  const printed = code.replaceAll('http://localhost:8080', url)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', printed])
  t.match(stdout, /^[1-9A-Za-z]{86,88} 1499995000\n$/)
})

t.test('a swap on Solana lands', async (t) => {
  const { connect } = await load<SubmitWeb3>('submit-web3')
  type Swap = (
    gateway: string,
    connection: Connection,
    wallet: Keypair,
    order: Order,
    agree: Agree,
    pollMs: number,
  ) => Promise<string | null>
  const { swapSolana } = await load<{ swapSolana: Swap }>('swap-solana')
  const { url, sandbox } = await listen(t, UNLIMITED, { clock: runningClock() })
  const wallet = Keypair.generate()
  await rpc(sandbox!.solanaRpc, 'requestAirdrop', wallet.publicKey.toBase58(), 2 * SOL)
  const order: Order = { chain: 'solana', side: 'buy', token: SOLANA_USDC, amount: '0.25', slippageBps: 100 }
  t.equal(await swapSolana(url, connect(url), wallet, order, () => false, 20), null, 'the user declines')
  let minOut = 0n
  const agree: Agree = (quote) => {
    minOut = BigInt(quote.minOut)
    return true
  }
  t.match(await swapSolana(url, connect(url), wallet, order, agree, 20), /^[1-9A-Za-z]{86,88}$/)
  t.ok((await tokensOf(sandbox!.solanaRpc, wallet.publicKey)) >= minOut)
})

t.test('a swap with @solana/kit lands, by polling and by its own confirmation', async (t) => {
  type Swap = (...args: unknown[]) => Promise<string | null>
  const { swapKit } = await load<{ swapKit: Swap }>('swap-kit')
  const { swapKitNode } = await load<{ swapKitNode: Swap }>('swap-kit-node')
  const settings = { ...UNLIMITED, RPC_COMPAT: 'node', WS_PORT: '0' }
  const { url, wsUrl, sandbox } = await listen(t, settings, { clock: runningClock() })
  const wallet = Keypair.generate()
  const signer = await createKeyPairSignerFromBytes(wallet.secretKey)
  await rpc(sandbox!.solanaRpc, 'requestAirdrop', signer.address, 2 * SOL)
  const order: Order = { chain: 'solana', side: 'buy', token: SOLANA_USDC, amount: '0.25', slippageBps: 100 }
  t.equal(await swapKit(url, signer, order, () => false, 20), null, 'the user declines')
  t.match(await swapKit(url, signer, order, () => true, 20), /^[1-9A-Za-z]{86,88}$/)
  const before = await tokensOf(sandbox!.solanaRpc, wallet.publicKey)
  const socket = `${wsUrl}/api/solrpc`
  t.match(await swapKitNode(url, socket, signer, order, () => true), /^[1-9A-Za-z]{86,88}$/)
  t.ok((await tokensOf(sandbox!.solanaRpc, wallet.publicKey)) > before)
})

/** What a wallet holds of USDC. */
async function tokensOf(node: string, owner: Keypair['publicKey']): Promise<bigint> {
  const held = (await rpc(
    node,
    'getTokenAccountsByOwner',
    owner.toBase58(),
    { mint: SOLANA_USDC },
    { encoding: 'jsonParsed', commitment: 'confirmed' },
  )) as { value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[] }
  return BigInt(held.value[0]!.account.data.parsed.info.tokenAmount.amount)
}

t.test("a bot's swap lands, and a lost answer buys nothing twice", async (t) => {
  const { url, sandbox } = await listen(t, UNLIMITED, { clock: runningClock() })
  const keypair = Keypair.generate()
  const { publicKey } = keypair
  await rpc(sandbox!.solanaRpc, 'requestAirdrop', publicKey.toBase58(), 2 * SOL)
  const order: Order = { chain: 'solana', side: 'buy', token: SOLANA_USDC, amount: '0.25', slippageBps: 100 }

  const { trade } = await load<{ trade: (...args: unknown[]) => Promise<string> }>('bot')
  t.match(await trade(url, keypair, order, 1n, 20), /^[1-9A-Za-z]{86,88}$/)
  let submissions = 0
  const lossy = await dropping(t, url, (body) => {
    if (!body.includes('"sendTransaction"')) return null
    submissions++
    return 'after'
  })
  const before = await tokensOf(sandbox!.solanaRpc, publicKey)
  t.match(await trade(lossy, keypair, order, 1n, 20), /^[1-9A-Za-z]{86,88}$/, 'each answer is lost')
  t.equal(submissions, 1, 'and nothing is bought twice')
  t.ok((await tokensOf(sandbox!.solanaRpc, publicKey)) > before)
  await t.rejects(trade(url, keypair, order, 2n ** 60n, 20), {
    message: /^Only \d+ would arrive for sure\.$/,
  })
})

interface Language {
  readonly command: string
  /** Whether what runs it is installed. */
  isThere(): boolean
  args(t: Test): readonly string[]
}

const answers = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

/** Debian's crates: librust-ureq-dev and librust-serde-json-dev. */
const CRATES = '/usr/share/cargo/registry'
const MANIFEST = `[package]
name = "first-swap"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "first-swap"
path = "${ROOT}/docs/examples/first_swap.rs"
[dependencies]
serde_json = "1"
ureq = { version = "2", default-features = false }
`
const LANGUAGES: Readonly<Record<string, Language>> = {
  'first_swap.py': {
    command: 'python3',
    isThere: () => answers('python3', '--version'),
    args: () => ['docs/examples/first_swap.py'],
  },
  'first_swap.go': {
    command: 'go',
    isThere: () => answers('go', 'version'),
    args: () => ['run', 'docs/examples/first_swap.go'],
  },
  'first_swap.rs': {
    command: 'cargo',
    isThere: () => existsSync(CRATES) && answers('cargo', '--version'),
    args: (t) => [
      'run',
      '--quiet',
      '--offline',
      `--manifest-path=${t.testdir({ 'Cargo.toml': MANIFEST })}/Cargo.toml`,
      `--target-dir=${ROOT}/node_modules/.cache/first-swap`,
      '--config=source.crates-io.replace-with="debian"',
      `--config=source.debian.directory="${CRATES}"`,
    ],
  },
}
for (const [name, { command, isThere, args }] of Object.entries(LANGUAGES)) {
  const isDue = process.env.CI === 'true' || isThere()
  t.test(name, { skip: isDue ? false : `${command} or its libraries are not installed` }, async (t) => {
    const { url } = await listen(t, UNLIMITED)
    const given = args(t)
    const run = (gateway: string) =>
      promisify(execFile)(command, given, { cwd: ROOT, env: { ...process.env, GATEWAY: gateway } })
    t.match((await run(url)).stdout, /^[\w-]+ proved 0x[0-9a-fA-F]{40}\n$/)
    t.match(await run(`${url}/nowhere`).catch(({ stderr }) => stderr), /not_found: /)
  })
}

t.test('a swap on an EVM chain is approved and sent', { skip: withoutAnvil }, async (t) => {
  type Swap = (gateway: string, wallet: unknown, order: Order, agree: Agree) => Promise<string | null>
  const { swapEvm } = await load<{ swapEvm: Swap }>('swap-evm')
  const { url } = await listen(t, UNLIMITED)
  const { client, url: direct } = await startAnvil(t, 8_453)
  // The answer to each submission is lost.
  const node = await dropping(t, direct, (body) => (body.includes('eth_sendRawTransaction') ? 'after' : null))
  const from = account(0)
  const transport = http(node)
  const wallet = createWalletClient({ account: from, chain: base, transport, pollingInterval: 5 }).extend(
    publicActions,
  )
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const order: Order = { chain: 'base', side: 'sell', token: usdc, amount: '250', slippageBps: 100 }
  const hash = await swapEvm(url, wallet, order, () => true)
  const sent = await client.getTransaction({ hash: hash as Hex })
  const approval = (await client.getBlock({ blockNumber: sent.blockNumber! - 1n, includeTransactions: true }))
    .transactions[0]!
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: approval.input })
  t.match(approval, { from: from.address.toLowerCase(), to: usdc.toLowerCase() })
  t.same([functionName, args], ['approve', [getAddress(sent.to!), 250_000_000n]], 'the router may take it')
  t.equal(await client.getTransactionCount({ address: from.address }), 2)
  t.match(sent, { from: from.address.toLowerCase(), value: 0n, chainId: 8_453 })
})

t.test('a swap on Sui and one on TON come as far as the wallet', async (t) => {
  const { url } = await listen(t, UNLIMITED)
  type Swap = (gateway: string, order: Order, agree: Agree) => Promise<unknown>
  const { swapSui } = await load<{ swapSui: Swap }>('swap-sui')
  const { swapTon } = await load<{ swapTon: Swap }>('swap-ton')
  const common = { side: 'buy', amount: '0.5', slippageBps: 100 } as const
  const sui: Order = {
    ...common,
    chain: 'sui',
    token: '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC',
    from: `0x${'5a'.repeat(32)}`,
  }
  const bytes = Buffer.from(String(await swapSui(url, sui, () => true)), 'base64')
  t.ok(bytes.includes(Buffer.alloc(32, 0x5a)), "it has the wallet's address")
  t.equal(await swapSui(url, sui, () => false), null)

  const from = 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez'
  const ton: Order = {
    ...common,
    chain: 'ton',
    token: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    from,
  }
  const request = await swapTon(url, ton, () => true)
  t.match(request, {
    from,
    validUntil: Number,
    messages: [{ address: /^EQ/, amount: /^\d+$/, payload: /^te6/ }],
  })
  t.equal(await swapTon(url, ton, () => false), null)
})

t.test('where the market has moved, the user is asked again', async (t) => {
  type Prepare = (gateway: string, order: Order, agree: Agree) => Promise<{ minOut: string } | null>
  const { prepareSwap } = await load<{ prepareSwap: Prepare }>('swap')
  let builds = 0
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.method === 'GET') return void response.end('{"minOut":"1"}')
    if (builds++ > 0) return void response.end('{"minOut":"1","to":"0x"}')
    response.statusCode = 400
    response.end('{"error":"The market moved.","code":"quote_moved","minOut":"2","expectedOut":"1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let asked = 0
  const agree: Agree = () => ++asked > 0
  const order: Order = { chain: 'base', side: 'buy', token: '0x', amount: '1', slippageBps: 1 }
  t.match(await prepareSwap(url, order, agree), { minOut: '1' })
  t.equal(asked, 2)
})
