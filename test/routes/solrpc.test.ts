import { setTimeout as sleep } from 'node:timers/promises'
import { createSolanaRpc, address as kitAddress, signature as kitSignature } from '@solana/kit'
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import t, { type Test } from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { SolanaRpcResponse } from '../../src/runtime/resources/solrpc.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf, runningClock } from '../fixtures/clock.ts'
import { call, listen, post } from '../fixtures/gateway.ts'
import { recordingNode } from '../fixtures/recording-node.ts'
import { startNodes } from '../fixtures/sandbox.ts'
import { type Draft, PAYER, SECOND, serialize, transfer, transferV0 } from '../fixtures/transactions.ts'

const ADDRESS = 'Vote111111111111111111111111111111111111111'
/** Wide open, so that only the tests about budgets meet one. */
const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const signatureOf = (bytes: Uint8Array): string => encodeBase58(bytes.subarray(1, 65))
const signed = (changes: Partial<Draft> = {}): string => base64(serialize(transfer(changes)))
/** A transfer that differs from all others. */
const numbered = (i: number): Uint8Array => serialize(transfer({ blockhash: new Uint8Array(32).fill(i + 1) }))
const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy[at]! ^= 1
  return copy
}
const B64 = { encoding: 'base64' }

/** What the gateway does by itself later does not happen: nothing but what a test asks for reaches the node. */
const clock = clockOf({ after: () => () => {} })

/** A gateway before one recording node. */
const beside = async (t: Test, answer?: Parameters<typeof recordingNode>[1], environment = {}) => {
  const node = await recordingNode(t, answer)
  const gateway = await listen(
    t,
    { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS, ...environment },
    { clock },
  )
  while (gateway.log.length < 1) await sleep(1)
  return { node, ...gateway }
}

/** A node that accepts every transaction. */
const accepting = ({ params }: { params: unknown[] }): string =>
  `{"jsonrpc":"2.0","result":"${signatureOf(Buffer.from(params[0] as string, 'base64'))}","id":$ID}`

t.test('@solana/web3.js reads and submits through it', async (t) => {
  // Slots pass while it waits for its transaction.
  const { url, sandbox } = await listen(t, { LIMITS }, { clock: runningClock() })
  const faucet = new Connection(sandbox!.solanaRpc)
  const connection = new Connection(`${url}/api/solrpc`, 'confirmed')
  const wallet = Keypair.generate()
  const other = Keypair.generate().publicKey
  await faucet.requestAirdrop(wallet.publicKey, 2 * LAMPORTS_PER_SOL)
  t.equal(await connection.getBalance(wallet.publicKey), 2 * LAMPORTS_PER_SOL)

  const latest = await connection.getLatestBlockhash()
  const instruction = SystemProgram.transfer({
    fromPubkey: wallet.publicKey,
    toPubkey: other,
    lamports: LAMPORTS_PER_SOL,
  })
  const legacy = new Transaction({ ...latest, feePayer: wallet.publicKey }).add(instruction)
  legacy.sign(wallet)
  const first = await connection.sendRawTransaction(legacy.serialize())
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: latest.blockhash,
    instructions: [instruction],
  })
  const versioned = new VersionedTransaction(message.compileToV0Message())
  const simulated = await connection.simulateTransaction(versioned)
  t.same(simulated.value.err, { InstructionError: [0, { Custom: 1 }] }, 'the fee of the first is missing')
  versioned.sign([wallet])
  await t.rejects(
    connection.sendTransaction(versioned),
    /insufficient|0x1|simulation failed/i,
    'the node refuses it, and says why',
  )

  let statuses = await connection.getSignatureStatuses([first])
  while (statuses.value[0]?.confirmationStatus !== 'confirmed') {
    await sleep(20)
    statuses = await connection.getSignatureStatuses([first])
  }
  t.equal(statuses.value[0].err, null)
  t.equal(await connection.getBalance(other), LAMPORTS_PER_SOL)
  t.equal(await connection.getBalance(wallet.publicKey), LAMPORTS_PER_SOL - 5_000)
  const found = await connection.getTransaction(first, { maxSupportedTransactionVersion: 0 })
  t.equal(found?.meta?.fee, 5_000)
  const [info] = await connection.getMultipleAccountsInfo([other])
  t.equal(info?.lamports, LAMPORTS_PER_SOL)
  t.ok((await connection.getBlockHeight()) <= (await connection.getSlot()))
  t.ok(Array.isArray(await connection.getRecentPrioritizationFees()))
})

t.test('@solana/kit reads and submits through it', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS, VERIFIER: 'native' }, { clock: runningClock() })
  const wallet = Keypair.generate()
  await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet.publicKey, LAMPORTS_PER_SOL)
  const rpc = createSolanaRpc(`${url}/api/solrpc`)
  const owner = kitAddress(wallet.publicKey.toBase58())
  t.equal((await rpc.getBalance(owner, { commitment: 'processed' }).send()).value, BigInt(LAMPORTS_PER_SOL))
  const { value: latest } = await rpc.getLatestBlockhash().send()
  const transaction = new Transaction({
    blockhash: latest.blockhash,
    lastValidBlockHeight: Number(latest.lastValidBlockHeight),
    feePayer: wallet.publicKey,
  })
  transaction.add(
    SystemProgram.transfer({
      fromPubkey: wallet.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports: LAMPORTS_PER_SOL / 2,
    }),
  )
  transaction.sign(wallet)
  const wire = base64(transaction.serialize()) as Parameters<typeof rpc.sendTransaction>[0]
  const id = await rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'processed' }).send()
  t.equal(id, signatureOf(transaction.serialize()))
  const { value } = await rpc.getSignatureStatuses([kitSignature(id)]).send()
  t.equal(value[0]?.err, null)
  const account = await rpc.getAccountInfo(owner, { encoding: 'base64', commitment: 'processed' }).send()
  t.equal(account.value?.lamports, BigInt(LAMPORTS_PER_SOL / 2 - 5_000))
  t.equal(account.value?.space, 0n)
})

t.test('the answer comes back byte for byte, with the id as it was given', async (t) => {
  const answer =
    '{ "jsonrpc" : "2.0", "result":{"context":{"slot":1},"value":{"lamports":18446744073709551615,"rentEpoch":18446744073709551615,"x":1.0,"e":1E2}}, "id" : $ID }'
  const { url } = await beside(t, () => answer)
  const ids = [
    '1',
    '-0',
    '12345678901234567890',
    '1.0',
    '1e400',
    '"x"',
    '"\\u0041\\ud800"',
    '""',
    'null',
    'true',
    '[1, {"id":2}]',
    '{"a" : "}"}',
    '"ключ"',
  ]
  for (const id of ids) {
    const response = await post(url, `{"jsonrpc":"2.0","id" : ${id} ,"method":"getSlot","params":[]}`)
    t.equal(await response.text(), answer.replace('$ID', id), id)
    t.equal(response.status, 200)
  }
  const spellings: [body: string, id: string][] = [
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"getSlot","params":[]}', '2'],
    ['{"jsonrpc":"2.0","i\\u0064":3,"method":"getSlot","params":[]}', '3'],
    ['{"method":"getSlot","params":[null],"jsonrpc":"2.0","id":"last"}', '"last"'],
  ]
  for (const [body, id] of spellings)
    t.equal(await (await post(url, body)).text(), answer.replace('$ID', id), body)
  const without = await (await post(url, '{"jsonrpc":"2.0","method":"getSlot","params":[]}')).text()
  t.equal(
    without,
    '{ "jsonrpc" : "2.0", "result":{"context":{"slot":1},"value":{"lamports":18446744073709551615,"rentEpoch":18446744073709551615,"x":1.0,"e":1E2}}}',
  )
})

t.test('forwarded calls are rebuilt from what was checked', async (t) => {
  const { url, node } = await beside(t)
  const body = `{"jsonrpc":"2.0","id":"mine","method":"sendTransaction","method":"getBalance","params":["${ADDRESS}",{"commitment":"processed","bogus":{"x":1},"commitment":"confirmed","__proto__":1}]}`
  t.equal((await post(url, body)).status, 200)
  t.equal(node.calls.length, 1)
  const { text, id } = node.calls[0]!
  t.equal(
    text,
    `{"jsonrpc":"2.0","id":${id},"method":"getBalance","params":["${ADDRESS}",{"commitment":"confirmed"}]}`,
  )
})

t.test('a faulty call is refused by name, before the node is asked', async (t) => {
  const { url, node } = await beside(t)
  const envelope = (more: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [ADDRESS], ...more })
  const cases: [body: string, code: string, field: string | undefined][] = [
    [envelope({ method: 'getProgramAccounts' }), 'method_not_allowed', 'method'],
    [envelope({ method: 'requestAirdrop' }), 'method_not_allowed', 'method'],
    [envelope({ method: 'getbalance' }), 'method_not_allowed', 'method'],
    [envelope({ method: 'constructor' }), 'method_not_allowed', 'method'],
    [envelope({ method: 1 }), 'invalid_parameter', 'method'],
    [envelope({ method: undefined }), 'invalid_parameter', 'method'],
    [envelope({ jsonrpc: '1.0' }), 'invalid_parameter', 'jsonrpc'],
    [envelope({ jsonrpc: undefined }), 'invalid_parameter', 'jsonrpc'],
    [envelope({ params: undefined }), 'invalid_parameter', 'params'],
    [envelope({ params: { address: ADDRESS } }), 'invalid_parameter', 'params'],
    [envelope({ extra: 1 }), 'invalid_parameter', 'extra'],
    [envelope({ params: [] }), 'invalid_parameter', 'params'],
    [envelope({ params: ['not base58'] }), 'invalid_parameter', 'params[0]'],
    [
      envelope({ params: [ADDRESS, { commitment: 'confirmd' }] }),
      'invalid_parameter',
      'params[1].commitment',
    ],
    [envelope({ params: [ADDRESS, null, 1] }), 'invalid_parameter', 'params'],
    [`[${envelope({})}]`, 'array_not_allowed', undefined],
    ['"text"', 'invalid_parameter', undefined],
    [envelope({}).slice(0, -1), 'malformed_body', undefined],
    [
      `{"jsonrpc":"2.0","id":${'['.repeat(600)}${']'.repeat(600)},"method":"getSlot","params":[]}`,
      'malformed_body',
      undefined,
    ],
    [envelope({ id: 'x'.repeat(60_000) }), 'body_too_large', undefined],
  ]
  for (const [body, code, field] of cases) {
    const response = await post(url, body)
    const refusal = (await response.json()) as Record<string, unknown>
    t.equal(response.status, code === 'body_too_large' ? 413 : 400, body.slice(0, 100))
    t.match(refusal, { code, error: /\.$/ }, body.slice(0, 100))
    t.equal(refusal.field, field, body.slice(0, 100))
    t.ok(Check(ErrorBody, refusal))
  }
  t.same(node.calls, [])
})

t.test('a transaction that is certain to fail or to be lost is refused with its own code', async (t) => {
  const { url, node } = await beside(t)
  const valid = serialize(transferV0())
  const cases: [transaction: string, options: object | null, code: string, more?: object][] = [
    [base64(valid), null, 'transaction_encoding_invalid'],
    [base64(valid), { encoding: 'base58' }, 'transaction_encoding_invalid'],
    [base64(valid).replace(/=*$/, ''), B64, 'transaction_encoding_invalid'],
    [`${base64(valid)}\n`, B64, 'transaction_encoding_invalid'],
    [base64(new Uint8Array(1_233)), B64, 'transaction_too_large'],
    ['A'.repeat(1_645), B64, 'transaction_too_large'],
    ['2'.repeat(1_684), null, 'transaction_too_large'],
    ['', B64, 'transaction_truncated'],
    [base64(valid.subarray(0, 100)), B64, 'transaction_truncated'],
    [base64(Uint8Array.of(...valid, 0)), B64, 'trailing_bytes'],
    [base64(flipped(valid, 1)), B64, 'signature_invalid', { index: 0 }],
    [base64(flipped(valid, valid.length - 1)), B64, 'signature_invalid', { index: 0 }],
    [
      base64(Uint8Array.of(1, ...new Uint8Array(64), ...valid.subarray(65))),
      B64,
      'transaction_not_signed',
      { index: 0 },
    ],
    [
      base64(flipped(serialize(transfer({ signers: [PAYER, SECOND] })), 70)),
      B64,
      'signature_invalid',
      { index: 1 },
    ],
    [
      base64(valid),
      { ...B64, skipPreflight: true },
      'preflight_required',
      { field: 'params[1].skipPreflight' },
    ],
    [base64(valid), { ...B64, maxRetries: -1 }, 'invalid_parameter', { field: 'params[1].maxRetries' }],
    [
      base64(valid),
      { ...B64, preflightCommitment: 'max' },
      'invalid_parameter',
      { field: 'params[1].preflightCommitment' },
    ],
  ]
  for (const [transaction, options, code, more] of cases) {
    const response = await call(
      url,
      'sendTransaction',
      options === null ? [transaction] : [transaction, options],
    )
    t.equal(response.status, 400, code)
    const refusal = (await response.json()) as object
    t.match(refusal, { code, scope: code === 'invalid_parameter' ? 'validation' : 'relay', ...more })
    t.ok(Check(ErrorBody, refusal))
  }
  t.same(node.calls, [])
})

t.test('a submission goes out as it was verified, under the policy', async (t) => {
  const { url, node } = await beside(t, accepting)
  const [bytes, ...others] = [0, 1, 2, 3, 4].map(numbered) as [Uint8Array, ...Uint8Array[]]
  const policy = { encoding: 'base64', skipPreflight: false, preflightCommitment: 'confirmed', maxRetries: 5 }
  const cases: [bytes: Uint8Array, params: unknown[], forwarded: object][] = [
    [bytes, [base64(bytes), B64], policy],
    [others[0]!, [encodeBase58(others[0]!)], policy],
    [others[1]!, [encodeBase58(others[1]!), null], policy],
    [others[2]!, [base64(others[2]!), { ...B64, skipPreflight: false, maxRetries: 99, bogus: 1 }], policy],
    [
      others[3]!,
      [base64(others[3]!), { ...B64, maxRetries: 0, preflightCommitment: 'processed', minContextSlot: 7 }],
      { ...policy, maxRetries: 0, preflightCommitment: 'processed', minContextSlot: 7 },
    ],
  ]
  for (const [bytes, params, forwarded] of cases) {
    const response = await call(url, 'sendTransaction', params, { id: 'me' })
    t.equal(response.status, 200)
    const body = await response.json()
    t.ok(Check(SolanaRpcResponse, body))
    t.same(body, { jsonrpc: '2.0', result: signatureOf(bytes), id: 'me' })
    t.same(node.calls.at(-1)?.params, [base64(bytes), forwarded])
  }
  const bounded = await beside(t, accepting, { SOLANA_MAX_RETRIES: '2' })
  await call(bounded.url, 'sendTransaction', [base64(bytes), B64])
  t.match(bounded.node.calls[0]?.params[1], { maxRetries: 2 })
})

t.test("a node's refusal is an answer, with its data", async (t) => {
  const error =
    '{"code":-32002,"message":"Transaction simulation failed: Blockhash not found","data":{"err":"BlockhashNotFound","logs":[],"unitsConsumed":0,"x":18446744073709551615}}'
  const { url } = await beside(t, () => `{"jsonrpc":"2.0","error":${error},"id":$ID}`)
  const response = await call(url, 'sendTransaction', [signed(), B64])
  t.equal(response.status, 200)
  t.equal(await response.text(), `{"jsonrpc":"2.0","error":${error},"id":1}`)
})

t.test('a node that acknowledges another signature is not believed', async (t) => {
  const { url } = await beside(t, () => `{"jsonrpc":"2.0","result":"${signatureOf(numbered(9))}","id":$ID}`)
  const response = await call(url, 'sendTransaction', [signed(), B64])
  t.equal(response.status, 502)
  t.match(await response.json(), { scope: 'rpc', code: 'signature_mismatch', provider: 'solana-1' })
})

t.test(
  "a submission is on its client's account: what fails stands in the log under its request's id",
  async (t) => {
    const { url, log } = await beside(t, () => '{"jsonrpc":"2.0","result":"another","id":$ID}')
    const one = await call(url, 'sendTransaction', [signed(), B64])
    const batch = await call(url, 'sendTransactions', [[numbered(1), numbered(2)].map(base64), B64])
    const ids = log.flatMap(({ failure, id }) => (failure === 'signature_mismatch' ? [id] : []))
    t.strictSame(ids, [one.headers.get('x-request-id'), batch.headers.get('x-request-id')])
  },
)

t.test('a simulation needs the right form, not the signatures', async (t) => {
  const { url, node } = await beside(t)
  const bytes = serialize(transferV0())
  const unsigned = Uint8Array.of(1, ...new Uint8Array(64), ...bytes.subarray(65))
  const options = { ...B64, replaceRecentBlockhash: true, bogus: 1 }
  t.equal((await call(url, 'simulateTransaction', [base64(unsigned), options])).status, 200)
  t.same(node.calls[0]?.params, [base64(unsigned), { replaceRecentBlockhash: true, encoding: 'base64' }])
  const broken = await call(url, 'simulateTransaction', [base64(Uint8Array.of(...unsigned, 0)), B64])
  t.match(await broken.json(), { code: 'trailing_bytes' })
})

t.test('a batch is checked whole before any of it is sent', async (t) => {
  const { url, node } = await beside(t, accepting)
  const good = [0, 1, 2].map((i) => base64(numbered(i)))
  const cases: [params: unknown[], refusal: object][] = [
    [[[good[0]], B64], { code: 'batch_size_invalid', field: 'params[0]' }],
    [[[], B64], { code: 'batch_size_invalid' }],
    [[Array.from({ length: 11 }, (_, i) => base64(numbered(i))), B64], { code: 'batch_size_invalid' }],
    [[[good[0], good[1], good[0]], B64], { code: 'batch_duplicate', transaction: 2 }],
    [[[good[0], 'AAAA'], B64], { code: 'signature_count_invalid', transaction: 1 }],
    [[[good[0], good[1]]], { code: 'transaction_encoding_invalid', transaction: 0 }],
    [
      [[good[0], base64(flipped(numbered(1), 3))], B64],
      { code: 'signature_invalid', transaction: 1, index: 0 },
    ],
    [[[good[0], good[1]], { ...B64, skipPreflight: true }], { code: 'preflight_required' }],
    [
      [[good[0], good[1]], { ...B64, independent: 1 }],
      { code: 'invalid_parameter', field: 'params[1].independent' },
    ],
    [[good[0], good[1]], { code: 'invalid_parameter', field: 'params[0]' }],
  ]
  for (const [params, refusal] of cases) {
    const response = await call(url, 'sendTransactions', params)
    t.equal(response.status, 400)
    t.match(await response.json(), refusal)
  }
  t.same(node.calls, [])
})

t.test('a batch goes out in order, and the first refusal stops it', async (t) => {
  const refusal =
    '{"code":-32002,"message":"Transaction simulation failed","data":{"n":18446744073709551615}}'
  const refused = signatureOf(numbered(2))
  const { url, node } = await beside(t, (request) => {
    const text = accepting(request)
    return text.includes(refused) ? `{"jsonrpc":"2.0","error":${refusal},"id":$ID}` : text
  })
  const batch = [0, 1, 2, 3].map(numbered)
  const names = batch.map(signatureOf)
  const stopped = await call(url, 'sendTransactions', [batch.map(base64), B64], { id: 'b' })
  t.equal(stopped.status, 200)
  t.equal(
    await stopped.text(),
    `{"jsonrpc":"2.0","result":[{"signature":"${names[0]}"},{"signature":"${names[1]}"},{"signature":"${names[2]}","error":${refusal}},{"signature":"${names[3]}","notSent":true}],"id":"b"}`,
  )
  t.same(
    node.calls.map(({ params }) => params[0]),
    batch.slice(0, 3).map(base64),
  )
  t.equal(node.calls[0]?.method, 'sendTransaction')
  t.notOk('independent' in (node.calls[0]!.params[1] as object))

  node.calls.length = 0
  const others = [4, 5, 2, 6].map(numbered)
  const independent = await call(
    url,
    'sendTransactions',
    [others.map(base64), { ...B64, independent: true }],
    {},
  )
  const body = (await independent.json()) as Record<string, unknown>
  t.notOk('id' in body)
  t.match(body, {
    result: [
      { signature: signatureOf(others[0]!) },
      { signature: signatureOf(others[1]!) },
      { signature: refused, error: { code: -32002 } },
      { signature: signatureOf(others[3]!) },
    ],
  })
  t.equal(node.calls.length, 4)
})

t.test('a batch reports each outcome when a node fails in the middle', async (t) => {
  const broken = signatureOf(numbered(1))
  const answer = (request: { params: unknown[] }): string => {
    const text = accepting(request)
    return text.includes(broken) ? 'nonsense' : text
  }
  const { url } = await beside(t, answer)
  const batch = [0, 1, 2].map((i) => base64(numbered(i)))
  const response = await call(url, 'sendTransactions', [batch, B64])
  t.equal(response.status, 200)
  t.match(await response.json(), {
    result: [
      { signature: String },
      {
        signature: broken,
        error: { code: -32603, data: { scope: 'rpc', code: 'upstream_unusable', provider: 'solana-1' } },
      },
      { signature: String, notSent: true },
    ],
  })
  const none = await call(url, 'sendTransactions', [[batch[1], batch[2]], B64])
  t.equal(none.status, 502, 'when no node gave a usable answer to any')
  t.match(await none.json(), { code: 'upstream_unusable' })
})

t.test('six submissions and two batches a minute, spent before signatures are checked', async (t) => {
  const { url } = await beside(t, accepting, { LIMITS: 'rpcRead=off' })
  const bad = base64(flipped(serialize(transfer()), 3))
  for (let i = 0; i < 6; i++) t.equal((await call(url, 'sendTransaction', [bad, B64])).status, 400)
  const refused = await call(url, 'sendTransaction', [bad, B64])
  t.equal(refused.status, 429)
  t.match(await refused.json(), { budget: 'rpcSend-client' })
  t.equal((await call(url, 'sendTransaction', ['AAAA', B64])).status, 400, 'what fails parsing is free')
  for (const status of [200, 200, 429]) {
    const batch = [0, 1].map((i) => base64(numbered(i)))
    t.equal((await call(url, 'sendTransactions', [batch, B64])).status, status)
  }
})

t.test('a client that leaves ends its read, but not its submission', async (t) => {
  let release: (text: string) => void = () => {}
  const { url, node } = await beside(t, () => new Promise<string>((resolve) => (release = resolve)))
  const leave = async (method: string, params: unknown[]): Promise<void> => {
    const abort = new AbortController()
    const before = node.calls.length
    const pending = fetch(`${url}/api/solrpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', method, params }),
      signal: abort.signal,
    })
    while (node.calls.length === before) await sleep(1)
    abort.abort()
    await t.rejects(pending)
  }
  await leave('getSlot', [])
  while (node.aborted === 0) await sleep(1)
  t.equal(node.aborted, 1)
  await leave('sendTransaction', [signed(), B64])
  await sleep(30)
  t.equal(node.aborted, 1)
  release('{"jsonrpc":"2.0","result":"x","id":$ID}')
})

t.test("nothing reveals a provider's address or key", async (t) => {
  const secrets = ['CANARYUSER', 'CANARYPASS', 'CANARYPATH', 'CANARYKEY']
  const echo =
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"bad path /CANARYPATH?api-key=CANARYKEY"},"id":$ID}'
  const node = await recordingNode(t, () => echo)
  const { host } = new URL(node.url)
  const withKey = `http://CANARYUSER:CANARYPASS@${host}/CANARYPATH/?api-key=CANARYKEY`
  const dead = 'http://CANARYUSER:CANARYPASS@127.0.0.1:1/CANARYPATH/?api-key=CANARYKEY'
  for (const SOLANA_RPC_URLS of [withKey, dead, `${dead},${withKey}`]) {
    const { url, adminUrl, log } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS, LIMITS, ADMIN_PORT: '0' })
    let said = ''
    for (const [method, params] of [
      ['getSlot', []],
      ['sendTransaction', [signed(), B64]],
    ] as const) {
      const response = await call(url, method, params)
      t.equal(response.status, 502)
      said += (await response.text()) + JSON.stringify(Object.fromEntries(response.headers))
    }
    for (const path of ['/api/health', '/api/config', '/openapi.json'])
      said += await (await fetch(url + path)).text()
    said += await (await fetch(`${adminUrl}/metrics`)).text()
    said += JSON.stringify(log)
    for (const secret of [...secrets, `${host}/`]) t.notOk(said.includes(secret), secret)
  }
})

t.test('an operator adds reads, and what names the methods names them', async (t) => {
  const enabled = 'getMinimumBalanceForRentExemption,getSignaturesForAddress,getEpochInfo,isBlockhashValid'
  const environment = { LIMITS, EXTRA_RPC_METHODS: enabled }
  const { url, sandbox } = await listen(t, environment, { clock: runningClock() })
  const connection = new Connection(`${url}/api/solrpc`, 'confirmed')
  const wallet = Keypair.generate().publicKey
  const signature = await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet, LAMPORTS_PER_SOL)
  t.equal(await connection.getMinimumBalanceForRentExemption(165), 2_039_280)
  t.match(await connection.getEpochInfo(), { absoluteSlot: Number, slotsInEpoch: 432_000 })
  const { blockhash } = await connection.getLatestBlockhash()
  t.equal((await connection.isBlockhashValid(blockhash)).value, true)
  while ((await connection.getSignaturesForAddress(wallet)).length === 0) await sleep(20)
  t.match(await connection.getSignaturesForAddress(wallet), [{ signature }])

  const refused = (await (await call(url, 'getVersion', [])).json()) as { error: string }
  t.match(refused, { code: 'method_not_allowed', field: 'method', error: /getSlot.*getEpochInfo/ })
  t.notMatch(refused.error, 'getVersion')
  const settings = (await (await fetch(`${url}/api/config`)).json()) as { relay: { methods: string[] } }
  t.equal(settings.relay.methods.length, 14 + 4)
  const document = await (await fetch(`${url}/openapi.json`)).json()
  const method = { enum: settings.relay.methods }
  t.match(document, { components: { schemas: { SolanaRpcRequest: { properties: { method } } } } })
})

t.test('reads that ask the same share an answer, and Server-Timing says so', async (t) => {
  const release: (() => void)[] = []
  const node = await recordingNode(t, ({ method }) => {
    if (method !== 'getBalance') return '{"jsonrpc":"2.0","id":$ID,"result":7}'
    const answer = '{"jsonrpc":"2.0","id":$ID,"result":{"context":{"slot":9},"value":18446744073709551615}}'
    return new Promise((resolve) => release.push(() => resolve(answer)))
  })
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS: 'rpcRead=30/30' })
  const ids = ['1', '18446744073709551615', '"\\u0061"', '-0.10e+2', 'null']
  const all = ids.map((id) =>
    post(url, `{"jsonrpc":"2.0","id":${id},"method":"getBalance","params":["${ADDRESS}"]}`),
  )
  // The last of them has been read when a later one of the same client is answered.
  while (release.length === 0) await new Promise(setImmediate)
  const shared = ({ headers }: Response) => /cache;desc=\w+/.exec(headers.get('server-timing')!)?.[0] ?? null
  t.equal(shared(await call(url, 'getSlot', [])), null)
  const kept = await call(url, 'getSlot', [], { id: 2 })
  t.match(await kept.json(), { id: 2, result: 7 })
  t.equal(shared(kept), 'cache;desc=cached')
  t.match(kept.headers.get('ratelimit'), 'rpcRead-client', 'a budget is spent all the same')
  for (const answer of release) answer()
  const replies = await Promise.all(all)
  for (const [i, reply] of replies.entries()) {
    const text = `{"jsonrpc":"2.0","id":${ids[i]},"result":{"context":{"slot":9},"value":18446744073709551615}}`
    t.equal(await reply.text(), text)
  }
  t.same(replies.map(shared).filter((text) => text === 'cache;desc=coalesced').length, 4)
  t.same(
    node.calls.map(({ method }) => method),
    ['getBalance', 'getSlot'],
  )

  const off = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url, SOLANA_READ_CACHE: 'off' })
  for (let i = 0; i < 2; i++) t.equal(shared(await call(off.url, 'getSlot', [])), null)
  t.equal(node.calls.length, 4)
})

t.test('a node of another cluster is reported in the log and in health', async (t) => {
  const [home, foreign] = await startNodes(t, 2)
  foreign!.turn('wrongCluster')
  const urls = [home!.url, foreign!.url].join(',')
  const gateway = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: urls, LIMITS })
  const named = () => gateway.log.find(({ msg }) => msg === 'a node is of another cluster; it gets no calls')
  while (named() === undefined) await sleep(1)
  t.match(named(), { level: 50, upstream: 'solana-2' })
  const health = (await (await fetch(`${gateway.url}/api/health`)).json()) as { providers: object[] }
  t.match(health.providers.slice(0, 2), [
    { name: 'solana-1', state: 'ok' },
    { name: 'solana-2', state: 'refused', submissions: 'refused', lastError: { code: 'wrong_cluster' } },
  ])
})
