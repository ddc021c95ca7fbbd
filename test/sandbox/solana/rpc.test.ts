import { readFile } from 'node:fs/promises'
import { Keypair, SystemProgram } from '@solana/web3.js'
import t from 'tap'
import { encodeAccount } from '../../../src/sandbox/solana/accounts.ts'
import { describeFailure } from '../../../src/sandbox/solana/ledger/errors.ts'
import { toJson } from '../../../src/sandbox/solana/ledger/json.ts'
import { NodeSlots, SlotClock } from '../../../src/sandbox/solana/ledger/slots.ts'
import { tokenAmount } from '../../../src/sandbox/solana/ledger/tokens.ts'
import fc from '../../fixtures/fast-check.ts'
import { SLOT_MS, startNode } from '../../fixtures/sandbox.ts'
import { drafts, mutations, serialize } from '../../fixtures/transactions.ts'

const SYSTEM = SystemProgram.programId.toBase58()
const ABSENT = 'Hs4kVhKkVLcU4PhBGkQVwGSvrDQEMWsDPyC3hCNDyjAS'
const SIGNATURE = '1'.repeat(64)
const MAX_U64 = 18_446_744_073_709_551_615n

t.test('HTTP refuses in plain text, JSON-RPC with a 200', async (t) => {
  const node = await startNode(t)
  const json = { 'content-type': 'application/json' }
  const health = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}'
  const cases: [
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
    status: number,
  ][] = [
    ['GET', '/', {}, null, 405],
    ['PUT', '/', json, health, 405],
    ['POST', '/', { 'content-type': 'text/plain' }, health, 415],
    ['POST', '/', { 'content-type': 'application/jsonp' }, health, 415],
    ['POST', '/', json, ' '.repeat(51_201), 413],
    ['POST', '/', json, health.padEnd(51_200), 200],
    ['POST', '/any/path', { 'content-type': 'application/json; charset=utf-8' }, health, 200],
    ['OPTIONS', '/', {}, null, 200],
  ]
  for (const [method, path, headers, body, status] of cases) {
    const response = await fetch(node.url + path, { method, headers, body })
    const text = await response.text()
    t.equal(response.status, status, `${method} ${path} ${JSON.stringify(headers)}`)
    t.equal(response.headers.get('access-control-allow-origin'), '*')
    if (status !== 200) t.match(response.headers.get('content-type'), /^text\/plain/)
    else if (method === 'POST') t.equal(text, '{"jsonrpc":"2.0","result":"ok","id":1}')
  }
  const plain = await fetch(`${node.url}/health`)
  t.equal(await plain.text(), 'ok')
})

t.test('envelopes are read as the library of a node reads them', async (t) => {
  const node = await startNode(t)
  const ok = (id: unknown) => ({ jsonrpc: '2.0', result: 'ok', id })
  const error = (code: number, id: unknown = null) => ({
    jsonrpc: '2.0',
    error: { code, message: String },
    id,
  })
  const ask = '"jsonrpc":"2.0","method":"getHealth"'
  const cases: [body: string, reply: unknown][] = [
    [`{${ask},"id":7}`, ok(7)],
    [`{${ask},"id":"seven"}`, ok('seven')],
    [`{${ask},"id":null}`, ok(null)],
    [`{${ask},"id":1,"params":null}`, ok(1)],
    [`{${ask}}`, null],
    [`[{${ask},"id":1},{${ask}},{${ask},"id":2}]`, [ok(1), ok(2)]],
    [`[{${ask}}]`, null],
    ['[]', null],
    ['', error(-32700)],
    ['{', error(-32700)],
    ['7', error(-32700)],
    ['null', error(-32700)],
    [`[{${ask},"id":1},7]`, error(-32700)],
    ['{}', error(-32600)],
    [`{${ask},"id":1,"extra":0}`, error(-32600, 1)],
    [`{${ask},"id":1,"__proto__":0}`, error(-32600, 1)],
    [`{${ask},"id":1.5}`, error(-32600)],
    [`{${ask},"id":{}}`, error(-32600)],
    [`{${ask},"id":1,"params":7}`, error(-32600, 1)],
    ['{"jsonrpc":"1.0","method":"getHealth","id":1}', error(-32600, 1)],
    ['{"jsonrpc":"2.0","method":7,"id":1}', error(-32600, 1)],
    ['{"method":"getHealth","id":1}', error(-32600, 1)],
    ['{"jsonrpc":"2.0","method":"sendTransactions","id":1}', error(-32601, 1)],
    ['{"jsonrpc":"2.0","method":"toString","id":1}', error(-32601, 1)],
    [`{${ask},"id":1,"params":{}}`, error(-32602, 1)],
  ]
  for (const [body, reply] of cases) t.match((await node.post(body)).body, reply, body)
})

t.test('parameters are refused with the code and the words of a node', async (t) => {
  const node = await startNode(t)
  const many = (count: number, value: string) => new Array(count).fill(value)
  const slot = (await node.call('getSlot', [{ commitment: 'processed' }])).body.result
  const invalid: [method: string, params: readonly unknown[], message: string | RegExp][] = [
    ['getBalance', [], '`params` should have at least 1 argument(s)'],
    ['getBalance', [SYSTEM, {}, 1], 'Expected from 1 to 2 parameters.'],
    ['getHealth', [1], 'Expected from 0 to 0 parameters.'],
    ['getBalance', [7], /expected a string/],
    ['getBalance', ['0OIl'], 'Invalid param: Invalid'],
    ['getBalance', [''], 'Invalid param: WrongSize'],
    ['getBalance', [`${SYSTEM}1`], 'Invalid param: WrongSize'],
    ['getBalance', [SYSTEM, 'confirmed'], /must be an object/],
    ['getBalance', [SYSTEM, []], /must be an object/],
    ['getBalance', [SYSTEM, { minContextSlot: '1' }], /`minContextSlot`/],
    ['getBalance', [SYSTEM, { minContextSlot: -1 }], /`minContextSlot`/],
    ['getAccountInfo', [SYSTEM, { encoding: 'hex' }], /`encoding` must be one of/],
    ['getAccountInfo', [SYSTEM, { dataSlice: {} }], /`dataSlice`/],
    ['getAccountInfo', [SYSTEM, { dataSlice: 7 }], /`dataSlice`/],
    ['getAccountInfo', [SYSTEM, { dataSlice: { offset: 0, length: -1 } }], /`length`/],
    ['getMultipleAccounts', [SYSTEM], /expected a sequence/],
    ['getMultipleAccounts', [many(101, SYSTEM)], 'Too many inputs provided; max 100'],
    ['getRecentPrioritizationFees', [many(129, SYSTEM)], 'Too many inputs provided; max 128'],
    ['getRecentPrioritizationFees', [['x']], 'Invalid param: WrongSize'],
    ['getSignatureStatuses', [many(257, SIGNATURE)], 'Too many inputs provided; max 256'],
    ['getSignatureStatuses', [[SYSTEM]], 'Invalid param: WrongSize'],
    ['getSignatureStatuses', [[SIGNATURE], {}], /missing field `searchTransactionHistory`/],
    ['getSignatureStatuses', [[SIGNATURE], { searchTransactionHistory: 1 }], /must be a boolean/],
    ['getTokenAccountBalance', [SYSTEM, {}], /missing field `commitment`/],
    ['getTokenAccountBalance', [SYSTEM, { commitment: 'confirmd' }], /`commitment` must be one of/],
    ['getTokenAccountsByOwner', [SYSTEM, {}], /one key/],
    ['getTokenAccountsByOwner', [SYSTEM, { mint: SYSTEM, programId: SYSTEM }], /one key/],
    [
      'getTokenAccountsByOwner',
      [SYSTEM, { programId: SYSTEM }],
      'Invalid param: unrecognized Token program id',
    ],
    ['getTokenAccountsByOwner', [SYSTEM, { mint: ABSENT }], 'Invalid param: could not find mint'],
    ['getTokenAccountsByOwner', [SYSTEM, { mint: SYSTEM }], 'Invalid param: not a Token mint'],
    ['getTransaction', [SIGNATURE, { commitment: 'processed' }], /below `confirmed`/],
    ['getTransaction', [SIGNATURE, 'hex'], /`encoding` must be one of/],
    ['getMinimumBalanceForRentExemption', ['1'], /unsigned integer/],
    ['getMinimumBalanceForRentExemption', [10_485_761], /at most 10485760/],
    ['isBlockhashValid', [SIGNATURE], 'Invalid param: WrongSize'],
    ['getSignaturesForAddress', [SIGNATURE], 'Invalid param: WrongSize'],
    ['getEpochInfo', [1], /must be an object/],
    ['getFeeForMessage', [], /at least 1/],
    ['requestAirdrop', [SYSTEM], /at least 2/],
    ['requestAirdrop', [ABSENT, null], /must be lamports/],
    ['requestAirdrop', [ABSENT, 2 ** 53], /unsigned integer/],
    ['sendTransaction', [7], /expected a string/],
    ['sendTransaction', ['', { encoding: 'jsonParsed' }], /`encoding` must be one of base58, binary, base64/],
    ['sendTransaction', ['', { preflightCommitment: 'confirmd' }], /`preflightCommitment` must be one of/],
    ['sendTransaction', ['', { skipPreflight: 'no' }], /`skipPreflight` must be a boolean/],
    ['sendTransaction', ['', { maxRetries: -1 }], /`maxRetries`/],
    ['sendTransaction', ['AQ=='], 'invalid base58 encoding'],
    ['sendTransaction', ['AQ', { encoding: 'base64' }], 'invalid base64 encoding'],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }], /^invalid transaction: /],
    ['sendTransaction', ['AQAA', { encoding: 'base64' }], /^failed to deserialize solana_transaction::/],
    ['sendTransaction', ['A'.repeat(1_644), { encoding: 'base64' }], /too large: more than 1232 bytes/],
    ['simulateTransaction', ['1'.repeat(1_684)], /too large: more than 1232 bytes/],
  ]
  for (const [method, params, message] of invalid) {
    const label = `${method} ${JSON.stringify(params).slice(0, 90)}`
    t.match((await node.call(method, params)).body.error, { code: -32602, message }, label)
  }

  const behind = (await node.call('getSlot', [{ minContextSlot: slot }])).body.error
  t.same(behind, {
    code: -32016,
    message: 'Minimum context slot has not been reached',
    data: { contextSlot: slot - 32 },
  })

  const stingy = (await node.call('requestAirdrop', [ABSENT, 1])).body.error
  t.match(stingy, { code: -32603, message: /airdrop request failed: .*insufficient funds for rent/ })

  const accepted: [method: string, params: readonly unknown[], result: unknown][] = [
    ['getSlot', [{ commitment: 'confirmd' }], slot - 32],
    ['getSlot', [null], slot - 32],
    ['getSlot', [{ commitment: 'confirmed', unknown: 1 }], slot - 1],
    ['getSlot', [{ commitment: 'processed', minContextSlot: slot }], slot],
    ['getBalance', [ABSENT, null], { context: { slot: slot - 32, apiVersion: '4.3.0' }, value: 0 }],
    ['getAccountInfo', [ABSENT], { value: null }],
    ['getMultipleAccounts', [many(100, ABSENT)], { value: many(100, ABSENT).map(() => null) }],
    ['getSignatureStatuses', [many(256, SIGNATURE)], { value: many(256, '').map(() => null) }],
    ['getSignatureStatuses', [[], null], { value: [] }],
    ['getTransaction', [SIGNATURE], null],
    ['getMinimumBalanceForRentExemption', [0], 890_880],
  ]
  for (const [method, params, result] of accepted) {
    t.match(
      (await node.call(method, params)).body.result,
      result,
      `${method} ${JSON.stringify(params).slice(0, 60)}`,
    )
  }
  const fees = (await node.call('getRecentPrioritizationFees', [many(128, SYSTEM)])).body.result
  t.equal(fees.length, 150)
  t.same(fees.at(-1), { slot, prioritizationFee: 0 })
})

t.test('accounts come in the encoding that was asked for, u64 values in full', async (t) => {
  const node = await startNode(t)
  const { publicKey } = await node.funded(Number.MAX_SAFE_INTEGER)
  const wallet = publicKey.toBase58()
  await node.call('requestAirdrop', [wallet, Number.MAX_SAFE_INTEGER])
  await node.call('requestAirdrop', [wallet, 3_000_000])
  t.match(
    (await node.call('getBalance', [wallet])).text,
    `"value":${2n * BigInt(Number.MAX_SAFE_INTEGER) + 3_000_000n}}`,
    'beyond 2^53, after two equal airdrops in one slot',
  )
  t.match((await node.call('getAccountInfo', [wallet])).text, `"rentEpoch":${MAX_U64}`)

  const clock = 'SysvarC1ock11111111111111111111111111111111'
  const data = async (method: string, target: unknown, options: object = {}) =>
    [(await node.call(method, [target, options])).body.result.value].flat()[0].data
  const [base64] = await data('getMultipleAccounts', [clock])
  const bytes = Buffer.from(base64, 'base64')
  t.equal(bytes.length, 40)
  const slice = { dataSlice: { offset: 8, length: 4 } }
  t.same(await data('getAccountInfo', clock, { encoding: 'base64' }), [base64, 'base64'])
  t.type(await data('getAccountInfo', clock), 'string', 'binary is the default')
  t.equal((await data('getAccountInfo', clock, { encoding: 'base58' }))[1], 'base58')
  t.same(await data('getAccountInfo', clock, { encoding: 'base64', ...slice }), ['AAAAAA==', 'base64'])
  t.same(
    await data('getAccountInfo', clock, { encoding: 'jsonParsed' }),
    [base64, 'base64'],
    'no parser fits',
  )

  const hashes = 'SysvarS1otHashes111111111111111111111111111'
  const refused = { code: -32600, message: /should be less than 128 bytes, please use Base64 encoding/ }
  for (const options of [undefined, { encoding: 'base58' }, { dataSlice: { offset: 0, length: 129 } }]) {
    t.match((await node.call('getAccountInfo', [hashes, options])).body.error, refused)
  }
  const sliced = { dataSlice: { offset: 8, length: 128 } }
  t.type(await data('getAccountInfo', hashes, sliced), 'string', 'what counts is the slice')

  for (const length of [0, 1, 131_071, 131_072, 131_073, 300_000]) {
    const content = Buffer.alloc(length, 'zstd')
    const account = {
      lamports: 1n,
      owner: new Uint8Array(32),
      data: content,
      executable: false,
      rentEpoch: MAX_U64,
    }
    const shown = encodeAccount(account, { encoding: 'base64+zstd', slice: undefined }, () => null)
    const [text, encoding] = shown.data as [string, string]
    t.equal(encoding, 'base64+zstd')
    t.ok(unstoreZstd(Buffer.from(text, 'base64')).equals(content), `${length} bytes`)
  }
})

/** Reads a frame of stored blocks by RFC 8878 §3.1.1, and nothing else. */
function unstoreZstd(frame: Buffer): Buffer {
  const blocks: Buffer[] = []
  if (frame.readUInt32LE(0) !== 0xfd2fb528 || frame[4] !== 0b1010_0000) throw new Error('not such a frame')
  for (let at = 9, last = false; !last; ) {
    const header = frame.readUIntLE(at, 3)
    last = (header & 1) === 1
    const size = header >> 3
    if (((header >> 1) & 3) !== 0 || size > 131_072) throw new Error('not a stored block')
    blocks.push(frame.subarray(at + 3, at + 3 + size))
    at += 3 + size
    if (last && at !== frame.length) throw new Error('bytes after the last block')
  }
  const content = Buffer.concat(blocks)
  if (content.length !== frame.readUInt32LE(5)) throw new Error('wrong content size')
  return content
}

t.test('no bytes stop the node', async (t) => {
  const node = await startNode(t)
  const wallet = await node.funded()
  const valid = await node.transfer(wallet, Keypair.generate().publicKey, 1_000_000)
  const looks = { encoding: 'base64', replaceRecentBlockhash: true, innerInstructions: true }
  const codes = new Map<unknown, number>()

  const spoilt = fc
    .tuple(
      fc.oneof(fc.constant<Uint8Array>(valid), drafts.map(serialize), fc.uint8Array({ maxLength: 300 })),
      fc.array(mutations, { maxLength: 3 }),
    )
    .map(([bytes, accidents]) => accidents.reduce((hurt, accident) => accident(hurt), bytes))
  await fc.assert(
    fc.asyncProperty(fc.array(spoilt, { minLength: 1, maxLength: 12 }), async (transactions) => {
      const calls = transactions.flatMap((bytes, i) => {
        const text = Buffer.from(bytes).toString('base64')
        const call = (method: string, options: object) => ({
          jsonrpc: '2.0',
          id: i,
          method,
          params: [text, options],
        })
        return [
          // Without signatures and a blockhash to stop them, they get as far into the machine as they can.
          call('simulateTransaction', looks),
          call('sendTransaction', { encoding: 'base64' }),
          call('sendTransaction', { encoding: 'base64', skipPreflight: true }),
        ]
      })
      const { body } = await node.post(JSON.stringify(calls))
      if (body.length !== calls.length) return false
      for (const { error } of body) codes.set(error?.code, (codes.get(error?.code) ?? 0) + 1)
      return body.every(({ error }: { error?: { code: number } }) => error?.code !== -32603)
    }),
    { numRuns: 60 },
  )
  t.ok(codes.get(-32602)! > 50 && codes.get(undefined)! > 50, 'some got through, some did not')
  t.equal((await node.call('getHealth')).body.result, 'ok')
})

t.test('bytes after the last field are refused: a leader would lose them', async (t) => {
  const node = await startNode(t)
  const bytes = await node.transfer(await node.funded(), Keypair.generate().publicKey, 1_000_000)
  const text = Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64')
  const { body } = await node.call('sendTransaction', [text, { encoding: 'base64', skipPreflight: true }])
  t.match(body.error, { code: -32602, message: /^failed to deserialize/ })
})

t.test('an account that is loaded twice is refused by the machine, not by the parser', async (t) => {
  const node = await startNode(t)
  const bytes = await node.transfer(await node.funded(), Keypair.generate().publicKey, 1_000_000)
  const keysAt = 1 + 64 + 4
  bytes.copy(bytes, keysAt + 32, keysAt, keysAt + 32)
  const options = { encoding: 'base64', commitment: 'confirmed' }
  const { body } = await node.call('simulateTransaction', [bytes.toString('base64'), options])
  t.equal(body.result.value.err, 'AccountLoadedTwice')
})

t.test('every error has the name that the virtual machine gives its number', async (t) => {
  const types = await readFile(
    new URL('../../../node_modules/litesvm/dist/internal.d.ts', import.meta.url),
    'utf8',
  )
  const describe = (err: unknown) => describeFailure({ err: () => err } as never)
  const names = (name: string) =>
    [
      ...types
        .split(`enum ${name} {`)[1]!
        .split('}')[0]!
        .matchAll(/(\w+) = (\d+)/g),
    ].map(([, word, value]) => ({
      word,
      value: Number(value),
    }))
  const fieldless = names('TransactionErrorFieldless')
  const ofInstruction = names('InstructionErrorFieldless')
  t.ok(fieldless.length > 30 && ofInstruction.length > 50)
  for (const { word, value } of fieldless) {
    const { err, message } = describe(value)
    t.equal(err, word)
    t.ok(message.length > 0)
  }
  for (const { word, value } of ofInstruction) {
    const { err, message } = describe({ index: 3, err: () => value })
    t.same(err, { InstructionError: [3, word] })
    t.match(message, /^Error processing Instruction 3: .+/)
  }
  t.same(describe({ index: 0, err: () => ({ msg: 'any' }) }).err, { InstructionError: [0, 'BorshIoError'] })
})

t.test('slots agree with a list of them, whatever the clock does', (t) => {
  const steps = fc.array(
    fc.oneof(fc.nat(3 * SLOT_MS), fc.nat(400 * SLOT_MS), fc.integer({ min: -5_000, max: 0 })),
  )
  fc.assert(
    fc.property(steps, (moves) => {
      let now = 1_000_000
      let made = 0
      const clock = new SlotClock(
        1_000,
        () => `hash ${made++}`,
        () => now,
      )
      const slots = new NodeSlots(clock)
      let newest = 1_150
      const seen = new Map<string, number>()
      const note = (): unknown => seen.set(slots.latestBlockhash('processed').blockhash, newest)
      note()
      for (const move of moves) {
        now += move
        const expected = Math.max(newest, 1_150 + Math.floor((now - 1_000_000) / SLOT_MS))
        if (clock.catchUp() !== expected > newest) return false
        newest = expected
        note()
        if (slots.slot('processed') !== newest || slots.slot('finalized') !== newest - 32) return false
        for (const [hash, slot] of seen) {
          if (slots.isUsable(hash, 'processed') !== newest - slot <= 150) return false
          if (slots.isUsable(hash, 'finalized') !== (newest - slot <= 150 && newest - slot >= 32))
            return false
        }
      }
      return made <= 151 * (moves.length + 1)
    }),
    { numRuns: 200 },
  )
  t.end()
})

t.test('JSON is what JSON.stringify writes, and bigints are their digits', (t) => {
  fc.assert(fc.property(fc.jsonValue(), (value) => toJson(value as never) === JSON.stringify(value)))
  fc.assert(fc.property(fc.bigInt(), (value) => toJson({ a: [value], b: undefined }) === `{"a":[${value}]}`))
  t.end()
})

t.test('token amounts are exact as text', (t) => {
  const cases: [amount: bigint, decimals: number, uiAmountString: string][] = [
    [0n, 0, '0'],
    [0n, 6, '0'],
    [7n, 0, '7'],
    [70n, 0, '70'],
    [1n, 9, '0.000000001'],
    [1_500n, 3, '1.5'],
    [1_000n, 3, '1'],
    [MAX_U64, 6, '18446744073709.551615'],
    [MAX_U64, 20, '0.18446744073709551615'],
  ]
  for (const [amount, decimals, uiAmountString] of cases) {
    t.match(tokenAmount(amount, decimals), { amount: amount.toString(), decimals, uiAmountString })
  }
  t.end()
})
