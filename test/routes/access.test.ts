/** CHAINS, PROGRAMS, CONTRACTS and SANCTIONS_FILE, on a whole gateway. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Connection, Keypair, SystemProgram, Transaction, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { call, listen } from '../fixtures/gateway.ts'
import { inventory, type Query } from '../fixtures/inventory.ts'
import {
  CROSS_CHAIN,
  EVM_WALLET,
  fund,
  getCrossChain,
  getQuote,
  type Json,
  postBuild,
  query,
  SOLANA_WALLET,
  SUI_WALLET,
  SWAPS,
  TON_WALLET,
  USDC,
} from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const DIGEST = '5'.repeat(88)
const CHAIN_FIELDS = ['chain', 'chains', 'tokens', 'scope', 'sol']
const SYSTEM = SystemProgram.programId.toBase58()
/** What a swap through Jupiter calls, as docs/configuration.md lists it. */
const JUPITER_PROGRAMS = [
  'ComputeBudget111111111111111111111111111111',
  SYSTEM,
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
]

interface Answer {
  readonly to: string
  readonly swapTransaction: string
  readonly transactionRequest: { readonly to: string }
  readonly tonMessage: { readonly to: string }
  readonly chains: readonly { readonly key: string }[]
  readonly candidates: readonly { readonly chain: string }[]
}

const json = async (response: Promise<Response>): Promise<Answer> =>
  (await response).json() as Promise<Answer>

/** Whether a request is about Base or Solana, which are not served. */
const isElsewhere = (path: string, asked: Query): boolean =>
  ['/api/rebroadcast', '/api/fast-trade-proof'].includes(path) ||
  CHAIN_FIELDS.some((field) =>
    field === 'sol' ? field in asked : /\b(base|solana)\b/.test(asked[field] ?? ''),
  )

t.test('CHAINS: other chains are refused by every route, and are in no answer', async (t) => {
  const { url } = await listen(t, { CHAINS: 'ethereum', LIMITS: 'portfolio=off,swap=off' })
  const answers: string[] = []
  let refused = 0
  for (const [path, { good, isStream }] of Object.entries(inventory(DIGEST))) {
    for (const asked of good) {
      if (isStream && !isElsewhere(path, asked)) continue
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(asked[name] ?? ''))
      const response = await fetch(`${url}${target}?${query(asked)}`)
      const text = await response.text()
      if (isElsewhere(path, asked)) {
        t.match(
          { path, status: response.status, ...JSON.parse(text) },
          { status: 400, code: 'unsupported_chain' },
          target,
        )
        refused++
      } else if (response.status === 200 && path !== '/api/diagnostics') answers.push(text)
    }
  }
  t.ok(refused > 20)
  for (const path of ['/api/chains', '/api/tokens?all=true', '/api/swap-options', '/api/health']) {
    answers.push(await (await fetch(url + path)).text())
  }
  for (const answer of answers)
    t.notMatch(answer, /"(?:chain|key|name)":"(?:base|solana|arbitrum|rpc-solana|evm-base)/)
  const { chains } = await json(fetch(`${url}/api/chains`))
  t.same(
    chains.map(({ key }) => key),
    ['ethereum'],
  )
  const { candidates } = await json(fetch(`${url}/api/discover/lookup?address=${USDC.base}`))
  t.same(
    candidates.filter(({ chain }) => chain !== 'ethereum'),
    [],
  )

  t.match(await (await getQuote(url, SWAPS.base)).json(), {
    code: 'unsupported_chain',
    field: 'chain',
    error: /^Base is not among/,
  })
  t.match(await (await postBuild(url, { ...SWAPS.ton, quote: {} })).json(), { code: 'unsupported_chain' })
  t.match(await (await getCrossChain(url, { ...CROSS_CHAIN, fromChain: '1' })).json(), {
    code: 'unsupported_chain',
    field: 'toChain',
  })
  t.match(await (await getCrossChain(url, { ...CROSS_CHAIN, fromChain: '8453' })).json(), {
    code: 'unsupported_chain',
    field: 'fromChain',
  })
  t.match(await (await call(url, 'getSlot', [])).json(), { code: 'unsupported_chain', error: /^Solana/ })
  const mine = {
    chain: 'ethereum',
    side: 'buy',
    token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    amount: '1.5',
  }
  t.equal((await getQuote(url, mine)).status, 200)
})

/** @returns the quote's build */
async function built(url: string, swap: object): Promise<Response> {
  const quote = await (await getQuote(url, swap as Json)).json()
  return postBuild(url, { ...swap, quote })
}

t.test('PROGRAMS: relayed and built transactions call only these', async (t) => {
  const all = await listen(t, { PROGRAMS: JUPITER_PROGRAMS.join(', ') })
  const node = all.sandbox!.solanaRpc
  await fund(node)
  const { swapTransaction } = await json(built(all.url, SWAPS.solana))
  const transaction = VersionedTransaction.deserialize(Buffer.from(swapTransaction, 'base64'))
  transaction.sign([WALLET])
  const signature = await new Connection(`${all.url}/api/solrpc`, 'confirmed').sendTransaction(transaction)
  t.match(signature, /^\w{80,90}$/)

  const few = await listen(t, { PROGRAMS: SYSTEM, SOLANA_RPC_URLS: node })
  const refused = await built(few.url, SWAPS.solana)
  t.equal(refused.status, 502)
  t.match(await refused.json(), {
    code: 'contract_not_allowed',
    provider: 'jupiter',
    address: JUPITER_PROGRAMS[0]!,
  })
  const base64 = Buffer.from(transaction.serialize()).toString('base64')
  const options = { encoding: 'base64' }
  for (const [method, params] of [
    ['sendTransaction', [base64, options]],
    ['simulateTransaction', [base64, options]],
  ] as const) {
    t.match(await (await call(few.url, method, params)).json(), {
      code: 'program_not_allowed',
      scope: 'relay',
      index: 0,
      address: JUPITER_PROGRAMS[0]!,
    })
  }
  const batch = await call(few.url, 'sendTransactions', [
    [await transfer(node, SOLANA_WALLET), base64],
    options,
  ])
  t.match(await batch.json(), { code: 'program_not_allowed', transaction: 1 })
  const taken = await call(few.url, 'sendTransaction', [await transfer(node, SOLANA_WALLET), options])
  t.match(await taken.json(), { result: /^\w{80,90}$/ })
})

/** A transfer that the wallet signed, in base64. */
async function transfer(node: string, to: string): Promise<string> {
  const latest = await new Connection(node, 'confirmed').getLatestBlockhash()
  const { PublicKey } = await import('@solana/web3.js')
  const instruction = SystemProgram.transfer({
    fromPubkey: WALLET.publicKey,
    toPubkey: new PublicKey(to),
    lamports: 1_000_000,
  })
  const one = new Transaction({ ...latest, feePayer: WALLET.publicKey }).add(instruction)
  one.sign(WALLET)
  return one.serialize().toString('base64')
}

t.test('CONTRACTS: built transactions call only these', async (t) => {
  const open = await listen(t)
  const { to } = await json(built(open.url, SWAPS.base))
  const { transactionRequest } = await json(getCrossChain(open.url, CROSS_CHAIN))
  const { tonMessage } = await json(built(open.url, SWAPS.ton))
  const limited = await listen(t, { CONTRACTS: `${to.toLowerCase()},${tonMessage.to}` })
  t.equal((await built(limited.url, SWAPS.base)).status, 200)
  t.equal((await built(limited.url, SWAPS.ton)).status, 200)
  const crossing = await getCrossChain(limited.url, CROSS_CHAIN)
  t.equal(crossing.status, 502)
  t.match(await crossing.json(), {
    code: 'contract_not_allowed',
    provider: 'xprov',
    address: transactionRequest.to,
  })
  const sui = await built(limited.url, SWAPS.sui)
  t.match(await sui.json(), { code: 'contract_not_allowed', address: /^0x[0-9a-f]{64}$/ })
})

const ACCOUNT = Keypair.fromSeed(new Uint8Array(32).fill(9)).publicKey.toBase58()

function sanctionsOf(t: Test): { readonly path: string; write(text: string): void } {
  const path = join(t.testdir(), 'sanctions.txt')
  return { path, write: (text) => writeFileSync(path, text) }
}

t.test(
  'SANCTIONS_FILE: an address is refused wherever it stands, until the file says otherwise',
  async (t) => {
    const file = sanctionsOf(t)
    const { token: suiToken } = SWAPS.sui
    const refused = [EVM_WALLET.toLowerCase(), ACCOUNT, SUI_WALLET, TON_WALLET]
    file.write(
      `# published lists have one address a line\n${refused.join('\n')}\nnot-an-address # kept out\n`,
    )
    const gateway = await listen(t, { SANCTIONS_FILE: file.path })
    const { url, sandbox, log } = gateway
    t.match(
      log.find(({ msg }) => String(msg).includes('refuse')),
      { addresses: 4, skipped: 1 },
    )
    await fund(sandbox!.solanaRpc)
    const options = { encoding: 'base64' }
    const paying = await transfer(sandbox!.solanaRpc, ACCOUNT)
    const cases: [field: string, response: () => Promise<Response>][] = [
      ['from', () => getQuote(url, SWAPS.base)],
      ['from', () => getQuote(url, { ...SWAPS.base, from: EVM_WALLET.toUpperCase().replace('0X', '0x') })],
      ['from', () => getQuote(url, SWAPS.ton)],
      ['from', () => postBuild(url, { ...SWAPS.sui, quote: {} })],
      ['to', () => getCrossChain(url, { ...CROSS_CHAIN, from: `0x${'ab'.repeat(20)}`, to: ACCOUNT })],
      ['address', () => fetch(`${url}/api/portfolio?address=${EVM_WALLET}`)],
      ['address', () => fetch(`${url}/api/discover/lookup?address=${ACCOUNT}`)],
      ['tokens', () => fetch(`${url}/api/prices/stream?tokens=solana:${USDC.solana},solana:${ACCOUNT}`)],
      [
        'token',
        () => getQuote(url, { ...SWAPS.sui, from: `0x${'5b'.repeat(32)}`, token: `${SUI_WALLET}::a::A` }),
      ],
      ['params[0]', () => call(url, 'getBalance', [ACCOUNT])],
      ['params[0][1]', () => call(url, 'getMultipleAccounts', [[SOLANA_WALLET, ACCOUNT]])],
      ['params[0]', () => call(url, 'sendTransaction', [paying, options])],
      ['params[0]', () => call(url, 'simulateTransaction', [paying, options])],
    ]
    for (const [field, response] of cases) {
      const answer = await response()
      t.equal(answer.status, 400)
      t.match(await answer.json(), { code: 'address_refused', field })
    }
    t.equal(
      (await getQuote(url, { ...SWAPS.sui, from: `0x${'5b'.repeat(32)}`, token: suiToken })).status,
      200,
    )

    file.write('["0x1111111111111111111111111111111111111111"')
    await gateway.reload()
    t.match(
      await (await getQuote(url, SWAPS.base)).json(),
      { code: 'address_refused' },
      'a bad file changes nothing',
    )
    const told = log.findLast(({ msg }) => String(msg).includes('to refuse could not be read'))
    t.match(told, { why: /SANCTIONS_FILE: .*sanctions\.txt: It begins as an array in JSON and is none/ })
    file.write(JSON.stringify([`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]))
    await gateway.reload()
    t.equal((await getQuote(url, SWAPS.base)).status, 200)
    t.match(await (await getQuote(url, { ...SWAPS.base, from: `0x${'1'.repeat(40)}` })).json(), {
      code: 'address_refused',
    })
    t.match(await (await call(url, 'sendTransaction', [paying, options])).json(), { result: /^\w{80,90}$/ })
  },
)

t.test('a contract that is built for and refused is not handed out', async (t) => {
  const open = await listen(t)
  const { transactionRequest } = await json(getCrossChain(open.url, CROSS_CHAIN))
  const file = sanctionsOf(t)
  file.write(transactionRequest.to)
  const { url } = await listen(t, { SANCTIONS_FILE: file.path })
  const crossing = await (await getCrossChain(url, CROSS_CHAIN)).json()
  t.match(crossing, { code: 'contract_not_allowed', address: transactionRequest.to })
})

t.test('a bad file or entry ends the start', async (t) => {
  const file = sanctionsOf(t)
  for (const [text, why] of [
    ['nothing\nof this', /sanctions\.txt: None of its entries is an address/],
    ['[1]', /sanctions\.txt: Its array must hold strings only/],
  ] as const) {
    file.write(text)
    await t.rejects(listen(t, { SANCTIONS_FILE: file.path }), { name: 'ConfigError', message: why })
  }
  await t.rejects(listen(t, { SANCTIONS_FILE: `${file.path}x` }), { message: /cannot be read \(ENOENT\)/ })
  await t.rejects(listen(t, { CHAINS: 'bas' }), { message: /CHAINS="bas": bas is not known; base is/ })
  await t.rejects(listen(t, { PROGRAMS: EVM_WALLET }), { message: /entry 1 is none of program ids/ })
  await t.rejects(listen(t, { CONTRACTS: `${EVM_WALLET},x` }), {
    message: /entry 2 is none of contract addresses/,
  })
})
