import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { address, blockhash, createSolanaRpc, signature } from '@solana/kit'
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import type { Arbitrary } from 'fast-check'
import t, { type Test } from 'tap'
import { EXTRA_METHODS, METHODS, methodsWith, type RelayMethod } from '../../../src/relay/methods/methods.ts'
import { EXTRA_PARAMS, METHOD_PARAMS } from '../../../src/relay/methods/params.ts'
import { simulationParams, submissionParams } from '../../../src/relay/methods/rebuild.ts'
import { EXTRA_METHOD_NAMES, METHOD_NAMES } from '../../../src/runtime/resources/solrpc.ts'
import { refuseInput } from '../../../src/runtime/validate.ts'
import fc from '../../fixtures/fast-check.ts'

const A = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const B = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SYSTEM = '1'.repeat(32)
const S = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

/** JSON text to JSON text, so that own `__proto__` keys and duplicate keys are what a socket would bring. */
const READS: [method: string, params: string, rebuilt: string][] = [
  ['getBalance', `["${A}"]`, `["${A}"]`],
  ['getBalance', `["${SYSTEM}", null]`, `["${SYSTEM}"]`],
  ['getBalance', `["${A}", {}]`, `["${A}"]`],
  [
    'getBalance',
    `["${A}", {"minContextSlot": 1e2, "commitment": "processed"}]`,
    `["${A}",{"commitment":"processed","minContextSlot":100}]`,
  ],
  ['getBalance', `["${A}", {"commitment": null, "minContextSlot": null}]`, `["${A}"]`],
  [
    'getBalance',
    `["${A}", {"minContextSlot": 9007199254740991}]`,
    `["${A}",{"minContextSlot":9007199254740991}]`,
  ],
  ['getBalance', `["${A}", {"minContextSlot": -0}]`, `["${A}",{"minContextSlot":0}]`],
  ['getBalance', `["${A}", {"encoding": "base64", "junk": [1]}]`, `["${A}"]`],
  [
    'getBalance',
    `["${A}", {"commitment": 7, "commitment": "confirmed"}]`,
    `["${A}",{"commitment":"confirmed"}]`,
  ],
  [
    'getBalance',
    `["${A}", {"__proto__": {"commitment": "max"}, "constructor": {}, "toJSON": 1, "minContextSlot": 1}]`,
    `["${A}",{"minContextSlot":1}]`,
  ],

  ['getAccountInfo', `["${A}"]`, `["${A}"]`],
  [
    'getAccountInfo',
    `["${A}",{"commitment":"finalized","dataSlice":{"length":0,"offset":32,"x":0},"encoding":"base64+zstd"}]`,
    `["${A}",{"encoding":"base64+zstd","dataSlice":{"offset":32,"length":0},"commitment":"finalized"}]`,
  ],
  ['getAccountInfo', `["${A}", {"encoding": "binary", "dataSlice": null}]`, `["${A}",{"encoding":"binary"}]`],
  ['getMultipleAccounts', '[[]]', '[[]]'],
  [
    'getMultipleAccounts',
    `[["${A}", "${A}", "${SYSTEM}"], {"encoding": "jsonParsed"}]`,
    `[["${A}","${A}","${SYSTEM}"],{"encoding":"jsonParsed"}]`,
  ],
  ['getTokenAccountBalance', `["${A}"]`, `["${A}"]`],
  ['getTokenAccountBalance', `["${A}", null]`, `["${A}"]`],
  [
    'getTokenAccountBalance',
    `["${A}", {"commitment": "finalized", "minContextSlot": "none of its keys"}]`,
    `["${A}",{"commitment":"finalized"}]`,
  ],
  ['getTokenAccountsByOwner', `["${A}", {"mint": "${B}"}]`, `["${A}",{"mint":"${B}"}]`],
  [
    'getTokenAccountsByOwner',
    `["${B}", {"programId": "${A}"}, {"encoding": "jsonParsed", "minContextSlot": 5}]`,
    `["${B}",{"programId":"${A}"},{"encoding":"jsonParsed","minContextSlot":5}]`,
  ],
  [
    'getTokenAccountsByOwner',
    `["${B}", {"programId": "${A}"}, {"junk": 1}]`,
    `["${B}",{"programId":"${A}"}]`,
  ],

  ['getLatestBlockhash', '[]', '[]'],
  ['getLatestBlockhash', '[null]', '[]'],
  ['getLatestBlockhash', '[{"commitment":"confirmed"}]', '[{"commitment":"confirmed"}]'],
  ['getBlockHeight', '[{"minContextSlot":1}]', '[{"minContextSlot":1}]'],
  [
    'getSlot',
    '[{"commitment":"processed","minContextSlot":1}]',
    '[{"commitment":"processed","minContextSlot":1}]',
  ],

  ['getSignatureStatuses', '[[]]', '[[]]'],
  ['getSignatureStatuses', `[["${S}"], null]`, `[["${S}"]]`],
  [
    'getSignatureStatuses',
    `[["${S}"], {"searchTransactionHistory": false, "commitment": 1}]`,
    `[["${S}"],{"searchTransactionHistory":false}]`,
  ],
  ['getTransaction', `["${S}"]`, `["${S}"]`],
  ['getTransaction', `["${S}", "jsonParsed"]`, `["${S}","jsonParsed"]`],
  [
    'getTransaction',
    `["${S}", {"maxSupportedTransactionVersion": 255, "commitment": "confirmed", "withContext": true}]`,
    `["${S}",{"commitment":"confirmed","maxSupportedTransactionVersion":255,"withContext":true}]`,
  ],
  ['getTransaction', `["${S}", {"encoding": null}]`, `["${S}"]`],
  ['getRecentPrioritizationFees', '[]', '[]'],
  ['getRecentPrioritizationFees', '[null]', '[]'],
  ['getRecentPrioritizationFees', '[[]]', '[[]]'],
  ['getRecentPrioritizationFees', `[["${A}"]]`, `[["${A}"]]`],

  ['getMinimumBalanceForRentExemption', '[165]', '[165]'],
  ['getMinimumBalanceForRentExemption', '[1.65e2, null]', '[165]'],
  [
    'getMinimumBalanceForRentExemption',
    '[0, {"commitment":"confirmed","minContextSlot":"none of its keys"}]',
    '[0,{"commitment":"confirmed"}]',
  ],
  ['getFeeForMessage', '["AQAB", {"minContextSlot":1,"x":1}]', '["AQAB",{"minContextSlot":1}]'],
  [
    'isBlockhashValid',
    `["${A}", {"minContextSlot":1,"commitment":"processed"}]`,
    `["${A}",{"commitment":"processed","minContextSlot":1}]`,
  ],
  ['getSignaturesForAddress', `["${A}"]`, `["${A}"]`],
  [
    'getSignaturesForAddress',
    `["${A}", {"until":null,"commitment":"confirmed","before":"${S}","limit":1000,"junk":1}]`,
    `["${A}",{"limit":1000,"before":"${S}","commitment":"confirmed"}]`,
  ],
  ['getEpochInfo', '[{"commitment":"processed","epoch":7}]', '[{"commitment":"processed"}]'],
  ['getVersion', '[]', '[]'],
  ['getGenesisHash', '[]', '[]'],
  ['getAgGenesisCert', '[]', '[]'],
]

const ADDRESS = 'a base58 address of 32 bytes'
const SIGNATURE = 'a base58 signature of 64 bytes'
const MESSAGE = 'a message as base64 text, of at most 1,232 bytes'
const LEVELS = 'one of processed, confirmed, finalized'
const UNSIGNED = 'an integer from 0 to 9007199254740991'

const REFUSALS: [method: string, params: unknown, field: string, accepted: string][] = [
  // P1: an array, of neither too few nor too many
  ['getBalance', { 0: A }, 'params', 'an array of 1 to 2 items'],
  ['getBalance', [], 'params', 'an array of 1 to 2 items'],
  ['getBalance', [A, null, null], 'params', 'an array of 1 to 2 items'],
  ['getSlot', [{}, {}], 'params', 'an array of at most 1 item'],
  ['getTokenAccountsByOwner', [A], 'params', 'an array of 2 to 3 items'],
  ['getTokenAccountsByOwner', [A, null], 'params[1]', 'an object with exactly one of mint, programId'],
  ['getSignatureStatuses', [null], 'params[0]', `an array of at most 256 items, each ${SIGNATURE}`],
  ['getSlot', [[]], 'params[0]', 'an object'],

  ['getBalance', [null], 'params[0]', ADDRESS],
  ['getBalance', [7], 'params[0]', ADDRESS],
  ['getBalance', [''], 'params[0]', ADDRESS],
  ['getBalance', [`${A.slice(0, -1)}0`], 'params[0]', ADDRESS],
  ['getBalance', [`${A}\n`], 'params[0]', ADDRESS],
  ['getBalance', ['1'.repeat(31)], 'params[0]', ADDRESS],
  ['getBalance', ['1'.repeat(33)], 'params[0]', ADDRESS],
  ['getBalance', ['z'.repeat(44)], 'params[0]', ADDRESS],
  ['getBalance', [S], 'params[0]', ADDRESS],
  ['getTransaction', [A], 'params[0]', SIGNATURE],
  ['getTransaction', ['z'.repeat(88)], 'params[0]', SIGNATURE],

  // P2, P3: a wrong commitment is never the default
  ['getBalance', [A, { commitment: 'confirmd' }], 'params[1].commitment', LEVELS],
  ['getBalance', [A, { commitment: 'Confirmed' }], 'params[1].commitment', LEVELS],
  ['getBalance', [A, { commitment: 'recent' }], 'params[1].commitment', LEVELS],
  ['getSlot', [{ commitment: {} }], 'params[0].commitment', LEVELS],
  ['simulateTransaction', ['AA', { commitment: 'max' }], 'params[1].commitment', LEVELS],

  // P4
  ['getTokenAccountBalance', [A, {}], 'params[1].commitment', LEVELS],
  ['getTokenAccountBalance', [A, { commitment: null }], 'params[1].commitment', LEVELS],

  // P5
  ['sendTransaction', ['AA', { preflightCommitment: 'root' }], 'params[1].preflightCommitment', LEVELS],

  // P7
  ['getSignatureStatuses', [[S], {}], 'params[1].searchTransactionHistory', 'true or false'],
  [
    'getSignatureStatuses',
    [[S], { searchTransactionHistory: null }],
    'params[1].searchTransactionHistory',
    'true or false',
  ],

  ['getSlot', [{ minContextSlot: -1 }], 'params[0].minContextSlot', UNSIGNED],
  ['getSlot', [{ minContextSlot: 1.5 }], 'params[0].minContextSlot', UNSIGNED],
  ['getSlot', [{ minContextSlot: '1' }], 'params[0].minContextSlot', UNSIGNED],
  ['getSlot', [{ minContextSlot: 2 ** 53 }], 'params[0].minContextSlot', UNSIGNED],
  ['getAccountInfo', [A, 'base64'], 'params[1]', 'an object'],
  [
    'getAccountInfo',
    [A, { encoding: 'base32' }],
    'params[1].encoding',
    'one of base58, base64, base64+zstd, jsonParsed, binary',
  ],
  ['getAccountInfo', [A, { dataSlice: { offset: 0 } }], 'params[1].dataSlice.length', UNSIGNED],
  ['getAccountInfo', [A, { dataSlice: { offset: -1, length: 1 } }], 'params[1].dataSlice.offset', UNSIGNED],
  ['getAccountInfo', [A, { dataSlice: [0, 1] }], 'params[1].dataSlice', 'an object'],
  ['getMultipleAccounts', [A], 'params[0]', `an array of at most 100 items, each ${ADDRESS}`],
  ['getMultipleAccounts', [[A, B, SYSTEM, 'x']], 'params[0][3]', ADDRESS],

  ['getTokenAccountsByOwner', [A, {}], 'params[1]', 'exactly one of mint, programId'],
  ['getTokenAccountsByOwner', [A, { mint: B, programId: A }], 'params[1]', 'exactly one of mint, programId'],
  ['getTokenAccountsByOwner', [A, { mint: 'x' }], 'params[1].mint', ADDRESS],
  ['getTokenAccountsByOwner', [A, { mint: B, x: 1 }], 'params[1].x', 'mint, programId'],
  ['getTokenAccountsByOwner', [A, { programID: A }], 'params[1].programID', 'mint, programId'],

  ['getTransaction', [S, { commitment: 'processed' }], 'params[1].commitment', 'one of confirmed, finalized'],
  [
    'getTransaction',
    [S, 'base32'],
    'params[1]',
    'an object, or one of json, jsonParsed, base64, base58, binary',
  ],
  [
    'getTransaction',
    [S, { maxSupportedTransactionVersion: 256 }],
    'params[1].maxSupportedTransactionVersion',
    'an integer from 0 to 255',
  ],
  [
    'getTransaction',
    [S, { maxSupportedTransactionVersion: 'legacy' }],
    'params[1].maxSupportedTransactionVersion',
    'an integer from 0 to 255',
  ],

  ['sendTransaction', [], 'params', 'an array of 1 to 2 items'],
  ['sendTransaction', [[65]], 'params[0]', 'a transaction as base64 or base58 text'],
  ['sendTransaction', ['AA', { encoding: 'json' }], 'params[1].encoding', 'one of base58, base64'],
  ['sendTransaction', ['AA', { encoding: 'BASE64' }], 'params[1].encoding', 'one of base58, base64'],
  ['sendTransaction', ['AA', { skipPreflight: 'true' }], 'params[1].skipPreflight', 'true or false'],
  ['sendTransaction', ['AA', { skipPreflight: null }], 'params[1].skipPreflight', 'true or false'],
  ['sendTransaction', ['AA', { maxRetries: -1 }], 'params[1].maxRetries', 'an integer of at least 0'],
  ['sendTransaction', ['AA', { maxRetries: 1.5 }], 'params[1].maxRetries', 'an integer of at least 0'],
  ['sendTransactions', ['AA'], 'params[0]', 'each a transaction as base64 or base58 text'],
  ['sendTransactions', [['AA', null]], 'params[0][1]', 'a transaction as base64 or base58 text'],
  ['sendTransactions', [['AA', 'AA'], { independent: 1 }], 'params[1].independent', 'true or false'],

  [
    'simulateTransaction',
    ['AA', { sigVerify: true, replaceRecentBlockhash: true }],
    'params[1]',
    'sigVerify and replaceRecentBlockhash are not both true',
  ],
  ['simulateTransaction', ['AA', { accounts: {} }], 'params[1].accounts.addresses', ADDRESS],
  [
    'simulateTransaction',
    ['AA', { accounts: { addresses: ['x'] } }],
    'params[1].accounts.addresses[0]',
    ADDRESS,
  ],
  [
    'simulateTransaction',
    ['AA', { accounts: { addresses: [], encoding: 'base58' } }],
    'params[1].accounts.encoding',
    'one of base64, base64+zstd, jsonParsed',
  ],

  ['getMinimumBalanceForRentExemption', [], 'params', 'an array of 1 to 2 items'],
  ['getMinimumBalanceForRentExemption', ['165'], 'params[0]', 'an integer from 0 to 10485760'],
  ['getMinimumBalanceForRentExemption', [-1], 'params[0]', 'an integer from 0 to 10485760'],
  ['getMinimumBalanceForRentExemption', [10_485_761], 'params[0]', 'an integer from 0 to 10485760'],
  ['getMinimumBalanceForRentExemption', [1, {}], 'params[1].commitment', LEVELS],
  ['getFeeForMessage', [''], 'params[0]', MESSAGE],
  ['getFeeForMessage', ['AQA'], 'params[0]', MESSAGE],
  ['getFeeForMessage', ['AQ_-'], 'params[0]', MESSAGE],
  ['getFeeForMessage', ['A'.repeat(1_644)], 'params[0]', MESSAGE],
  ['getFeeForMessage', ['AQAB', { commitment: 'max' }], 'params[1].commitment', LEVELS],
  ['isBlockhashValid', [], 'params', 'an array of 1 to 2 items'],
  ['isBlockhashValid', [S], 'params[0]', 'a base58 blockhash of 32 bytes'],
  ['getSignaturesForAddress', [S], 'params[0]', ADDRESS],
  ['getSignaturesForAddress', [A, { limit: 0 }], 'params[1].limit', 'an integer from 1 to 1000'],
  ['getSignaturesForAddress', [A, { limit: 1_001 }], 'params[1].limit', 'an integer from 1 to 1000'],
  ['getSignaturesForAddress', [A, { before: A }], 'params[1].before', SIGNATURE],
  ['getSignaturesForAddress', [A, { until: 7 }], 'params[1].until', SIGNATURE],
  [
    'getSignaturesForAddress',
    [A, { commitment: 'processed' }],
    'params[1].commitment',
    'one of confirmed, finalized',
  ],
  ['getEpochInfo', [7], 'params[0]', 'an object'],
  ['getVersion', [null], 'params', 'an array of 0 items'],
  ['getGenesisHash', [{}], 'params', 'an array of 0 items'],
]

const LIMITS: [method: string, item: string, max: number][] = [
  ['getMultipleAccounts', A, 100],
  ['getSignatureStatuses', S, 256],
  ['getRecentPrioritizationFees', A, 128],
  ['sendTransactions', 'AA', 64],
]

t.test('the table holds the fourteen methods, each in its budget', async (t) => {
  t.equal(METHODS.size, 14)
  t.same([...METHODS.keys()], METHOD_NAMES)
  t.same(METHOD_NAMES, Object.keys(METHOD_PARAMS))
  for (const { name, deadlineMs } of [...METHODS.values(), ...EXTRA_METHODS.values()])
    t.type(deadlineMs, 'number', name)
  const others = [...METHODS.values()].filter(({ kind }) => kind !== 'read')
  t.same(
    others.map(({ name, kind, budget }) => [name, kind, budget]),
    [
      ['sendTransaction', 'send', 'rpcSend'],
      ['sendTransactions', 'batch', 'rpcBatch'],
      ['simulateTransaction', 'simulate', 'rpcRead'],
    ],
  )
  for (const { kind, budget } of METHODS.values()) t.equal(kind === 'read' && budget !== 'rpcRead', false)
  for (const name of ['requestAirdrop', 'getbalance', '', '__proto__', 'constructor']) {
    t.notOk(METHODS.has(name), name)
  }
})

t.test('what an operator may add are eight reads, and what he adds is all that is added', async (t) => {
  t.same([...EXTRA_METHODS.keys()], EXTRA_METHOD_NAMES)
  t.same(EXTRA_METHOD_NAMES, Object.keys(EXTRA_PARAMS))
  for (const { kind, budget } of EXTRA_METHODS.values()) t.same([kind, budget], ['read', 'rpcRead'])
  t.same([...methodsWith([]).keys()], METHOD_NAMES)
  t.same([...methodsWith(['getVersion']).keys()], [...METHOD_NAMES, 'getVersion'])
  t.same([...methodsWith(['getVersion'], 'node').keys()], [...METHOD_NAMES, ...EXTRA_METHOD_NAMES])
})

t.test('forwarded params are rebuilt', async (t) => {
  for (const [name, params, rebuilt] of READS) {
    const method = find(name)
    const parsed: unknown = JSON.parse(params)
    t.ok(method.validator().Check(parsed), `${name} ${params}`)
    t.equal(rebuild(method, parsed), rebuilt)
  }
})

t.test('what a node would refuse or misread is refused by name', async (t) => {
  for (const [name, params, field, accepted] of REFUSALS) {
    const validator = find(name).validator()
    t.notOk(validator.Check(params), `${name} ${JSON.stringify(params)}`)
    const { code, fields, message } = refuseInput(validator, params, 'params')
    t.same({ code, field: fields.field }, { code: 'invalid_parameter', field })
    t.ok(message.startsWith(`\`${field}\` `) && message.includes(accepted), message)
  }
})

t.test('lists end at the limits of a node', async (t) => {
  for (const [name, item, max] of LIMITS) {
    const validator = find(name).validator()
    t.ok(validator.Check([new Array(max).fill(item)]), `${name} ${max}`)
    const tooMany = [new Array(max + 1).fill(item)]
    t.notOk(validator.Check(tooMany), `${name} ${max + 1}`)
    const { fields, message } = refuseInput(validator, tooMany, 'params')
    t.equal(fields.field, 'params[0]')
    t.match(message, `at most ${max} items`)
  }
  const simulate = (count: number) => ['AA', { accounts: { addresses: new Array(count).fill(A) } }]
  t.ok(find('simulateTransaction').validator().Check(simulate(256)))
  t.notOk(find('simulateTransaction').validator().Check(simulate(257)))
})

t.test('a rebuilt request has nothing new, and rebuilds to itself', async () => {
  const maybe = <T>(value: Arbitrary<T>) => fc.oneof(value, fc.constant(null))
  const known = fc.record(
    {
      junk: fc.jsonValue(),
      commitment: fc.constantFrom('confirmed', 'finalized'),
      minContextSlot: maybe(fc.maxSafeNat()),
      encoding: maybe(fc.constantFrom('base58', 'base64', 'jsonParsed')),
      dataSlice: maybe(fc.record({ length: fc.maxSafeNat(), offset: fc.maxSafeNat(), junk: fc.jsonValue() })),
      searchTransactionHistory: fc.boolean(),
      maxSupportedTransactionVersion: maybe(fc.nat(255)),
    },
    { requiredKeys: ['commitment', 'searchTransactionHistory'], noNullPrototype: true },
  )
  const options = known.map((value): unknown =>
    JSON.parse(JSON.stringify(value).replace('"junk"', '"__proto__"')),
  )
  const first: Record<string, Arbitrary<unknown>[]> = {
    getTokenAccountsByOwner: [fc.constant(A), fc.constantFrom({ mint: B }, { programId: A })],
    getSignatureStatuses: [fc.array(fc.constant(S))],
    getTransaction: [fc.constant(S)],
    getMultipleAccounts: [fc.array(fc.constantFrom(A, B, SYSTEM))],
    getRecentPrioritizationFees: [],
    getLatestBlockhash: [],
    getBlockHeight: [],
    getSlot: [],
  }
  for (const method of METHODS.values()) {
    if (method.kind !== 'read') continue
    const isFees = method.name === 'getRecentPrioritizationFees'
    const last: Arbitrary<unknown> = isFees ? fc.array(fc.constant(B)) : options
    const shape = [...(first[method.name] ?? [fc.constant(A)]), maybe(last)]
    fc.assert(
      fc.property(fc.tuple(...shape), (params) => {
        if (!method.validator().Check(params))
          throw new Error(refuseInput(method.validator(), params).message)
        const text = method.rebuild(params)
        const parsed: unknown = JSON.parse(text)
        return method.validator().Check(parsed) && method.rebuild(parsed) === text && isPart(parsed, params)
      }),
    )
  }
})

t.test('a submission carries the policy, whatever was asked for', async (t) => {
  const cases: [options: Parameters<typeof submissionParams>[1], policy: string][] = [
    [undefined, '"preflightCommitment":"confirmed","maxRetries":5'],
    [null, '"preflightCommitment":"confirmed","maxRetries":5'],
    [{}, '"preflightCommitment":"confirmed","maxRetries":5'],
    [{ encoding: 'base58', skipPreflight: true }, '"preflightCommitment":"confirmed","maxRetries":5'],
    [{ maxRetries: 0 }, '"preflightCommitment":"confirmed","maxRetries":0'],
    [{ maxRetries: 5 }, '"preflightCommitment":"confirmed","maxRetries":5'],
    [{ maxRetries: 4_294_967_295 }, '"preflightCommitment":"confirmed","maxRetries":5'],
    [
      { maxRetries: null, preflightCommitment: null, minContextSlot: null },
      '"preflightCommitment":"confirmed","maxRetries":5',
    ],
    [
      { minContextSlot: 7, preflightCommitment: 'processed' },
      '"preflightCommitment":"processed","maxRetries":5,"minContextSlot":7',
    ],
  ]
  for (const [options, policy] of cases) {
    const expected = `["AA==",{"encoding":"base64","skipPreflight":false,${policy}}]`
    t.equal(submissionParams('AA==', options), expected)
    t.ok(find('sendTransaction').validator().Check(JSON.parse(expected)))
  }
  t.ok(
    find('sendTransaction')
      .validator()
      .Check(['AA==', { maxRetries: 2 ** 64 }]),
  )
  t.match(submissionParams('AA==', { maxRetries: 2 ** 64 }), '"maxRetries":5')
  t.match(submissionParams('AA==', null, 2), '"maxRetries":2')
  t.match(submissionParams('AA==', { maxRetries: 3 }, 2), '"maxRetries":2')
})

t.test('a simulation keeps its options, and is sent as base64', async (t) => {
  const cases: [options: string, rebuilt: string][] = [
    ['null', '{"encoding":"base64"}'],
    ['{}', '{"encoding":"base64"}'],
    ['{"encoding":"base58","junk":1,"sigVerify":true}', '{"sigVerify":true,"encoding":"base64"}'],
    [
      '{"commitment":"processed","sigVerify":false,"replaceRecentBlockhash":true}',
      '{"sigVerify":false,"replaceRecentBlockhash":true,"commitment":"processed","encoding":"base64"}',
    ],
    [
      `{"accounts":{"encoding":"jsonParsed","addresses":["${A}"],"x":1},"minContextSlot":3}`,
      `{"minContextSlot":3,"accounts":{"addresses":["${A}"],"encoding":"jsonParsed"},"encoding":"base64"}`,
    ],
    ['{"innerInstructions":true}', '{"innerInstructions":true,"encoding":"base64"}'],
    ['{"accounts":null,"__proto__":{"sigVerify":true}}', '{"encoding":"base64"}'],
  ]
  const validator = find('simulateTransaction').validator()
  for (const [options, rebuilt] of cases) {
    const parsed = JSON.parse(options)
    t.ok(validator.Check(['AA==', parsed]), options)
    t.equal(simulationParams('AA==', parsed), `["AA==",${rebuilt}]`)
    t.ok(validator.Check(['AA==', JSON.parse(rebuilt)]))
  }
})

t.test('everything that @solana/web3.js sends is taken, and none of it is lost', async (t) => {
  const { url, calls } = await record(t)
  const connection = new Connection(url, 'confirmed')
  const [owner, mint] = [new PublicKey(A), new PublicKey(B)]
  const payer = Keypair.generate()
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    blockhash: SYSTEM,
    lastValidBlockHeight: 1,
  })
  transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: owner, lamports: 1 }))
  transaction.sign(payer)
  const version = { maxSupportedTransactionVersion: 0 }
  const requests: (() => Promise<unknown>)[] = [
    () => connection.getBalance(owner),
    () => connection.getBalance(owner, { commitment: 'processed', minContextSlot: 5 }),
    () => connection.getAccountInfo(owner),
    () => connection.getAccountInfo(owner, { dataSlice: { offset: 0, length: 8 }, commitment: 'finalized' }),
    () => connection.getParsedAccountInfo(owner),
    () => connection.getMultipleAccountsInfo([owner, mint]),
    () => connection.getMultipleParsedAccounts([owner, mint]),
    () => connection.getTokenAccountBalance(owner),
    () => connection.getTokenAccountsByOwner(owner, { mint }),
    () => connection.getTokenAccountsByOwner(owner, { programId: owner }, 'processed'),
    () => connection.getParsedTokenAccountsByOwner(owner, { programId: owner }),
    () => connection.getLatestBlockhash(),
    () => connection.getLatestBlockhash({ commitment: 'processed', minContextSlot: 1 }),
    () => connection.getSignatureStatus(S),
    () => connection.getSignatureStatuses([S, S], { searchTransactionHistory: true }),
    () => connection.getTransaction(S),
    () => connection.getTransaction(S, { commitment: 'finalized', ...version }),
    () => connection.getParsedTransaction(S, version),
    () => connection.getBlockHeight(),
    () => connection.getSlot('processed'),
    () => new Connection(url).getSlot(),
    () => connection.getRecentPrioritizationFees(),
    () => connection.getRecentPrioritizationFees({ lockedWritableAccounts: [owner, mint] }),
    () => connection.sendRawTransaction(transaction.serialize()),
    () => connection.sendRawTransaction(transaction.serialize(), { maxRetries: 9, skipPreflight: false }),
    () => connection.simulateTransaction(transaction),
    () => connection.simulateTransaction(transaction, [payer], [owner]),
    () => connection.getMinimumBalanceForRentExemption(165),
    () => connection.getMinimumBalanceForRentExemption(165, 'finalized'),
    () => connection.getFeeForMessage(transaction.compileMessage()),
    () => connection.isBlockhashValid(SYSTEM, { commitment: 'processed', minContextSlot: 1 }),
    () => connection.getSignaturesForAddress(owner),
    () => connection.getSignaturesForAddress(owner, { limit: 10, before: S, until: S }, 'finalized'),
    () => connection.getEpochInfo(),
    () => connection.getVersion(),
    () => connection.getGenesisHash(),
  ]
  for (const request of requests) await request().catch(() => {})
  t.equal(calls.length, requests.length)
  for (const call of calls) checkCall(t, call)
})

t.test('everything that @solana/kit sends is taken, and none of it is lost', async (t) => {
  const { url, calls } = await record(t)
  const rpc = createSolanaRpc(url)
  const [owner, mint] = [address(A), address(B)]
  const wire = 'AA==' as Parameters<typeof rpc.sendTransaction>[0]
  const requests: { send(): Promise<unknown> }[] = [
    rpc.getBalance(owner),
    rpc.getBalance(owner, { commitment: 'processed', minContextSlot: 5n }),
    rpc.getAccountInfo(owner, { encoding: 'base64', dataSlice: { offset: 1, length: 2 } }),
    rpc.getAccountInfo(owner, { encoding: 'base64+zstd' }),
    rpc.getMultipleAccounts([owner, mint], { encoding: 'jsonParsed' }),
    rpc.getTokenAccountBalance(owner),
    rpc.getTokenAccountBalance(owner, { commitment: 'processed' }),
    rpc.getTokenAccountsByOwner(owner, { mint }, { encoding: 'jsonParsed' }),
    rpc.getTokenAccountsByOwner(owner, { programId: owner }, { encoding: 'base64' }),
    rpc.getLatestBlockhash(),
    rpc.getLatestBlockhash({ commitment: 'finalized' }),
    rpc.getSignatureStatuses([signature(S)]),
    rpc.getSignatureStatuses([signature(S)], { searchTransactionHistory: true }),
    rpc.getTransaction(signature(S), { encoding: 'json', maxSupportedTransactionVersion: 0 }),
    rpc.getTransaction(signature(S), { encoding: 'base64', commitment: 'confirmed' }),
    rpc.getBlockHeight(),
    rpc.getSlot({ commitment: 'confirmed', minContextSlot: 1n }),
    rpc.getRecentPrioritizationFees(),
    rpc.getRecentPrioritizationFees([owner, mint]),
    rpc.sendTransaction(wire, { encoding: 'base64', maxRetries: 2n, preflightCommitment: 'processed' }),
    rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }),
    rpc.simulateTransaction(wire, {
      encoding: 'base64',
      replaceRecentBlockhash: true,
      innerInstructions: true,
      accounts: { addresses: [owner], encoding: 'base64' },
    }),
    rpc.getMinimumBalanceForRentExemption(165n),
    rpc.getMinimumBalanceForRentExemption(165n, { commitment: 'confirmed' }),
    rpc.getFeeForMessage('AQAB' as Parameters<typeof rpc.getFeeForMessage>[0], { minContextSlot: 1n }),
    rpc.isBlockhashValid(blockhash(SYSTEM)),
    rpc.getSignaturesForAddress(owner, { limit: 10, before: signature(S), commitment: 'confirmed' }),
    rpc.getEpochInfo({ commitment: 'processed' }),
    rpc.getVersion(),
    rpc.getGenesisHash(),
  ]
  for (const request of requests) await request.send().catch(() => {})
  t.equal(calls.length, requests.length)
  for (const call of calls) checkCall(t, call)
})

interface Call {
  readonly method: string
  readonly params: unknown
}

/** A node on loopback that answers every call with an error and keeps what it was asked. */
async function record(t: Test): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request))
    calls.push({ method, params })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, calls }
}

function checkCall(t: Test, { method: name, params }: Call): void {
  const method = find(name)
  if (!method.validator().Check(params)) {
    t.fail(`${name}: ${refuseInput(method.validator(), params, 'params').message}`)
    return
  }
  if (method.kind === 'read') {
    t.strictSame(JSON.parse(method.rebuild(params)), params, `${name} ${JSON.stringify(params)}`)
    return
  }
  const [transaction, options] = params as [string, Readonly<Record<string, unknown>>]
  const rebuild = method.kind === 'send' ? submissionParams : simulationParams
  const [sent, policy] = JSON.parse(rebuild(transaction, options))
  t.equal(sent, transaction)
  t.match(policy, { ...options, ...(method.kind === 'send' && { maxRetries: Number }) }, name)
}

function find(name: string): RelayMethod {
  const method = METHODS.get(name) ?? EXTRA_METHODS.get(name)
  if (method === undefined) throw new Error(`${name} is not in the table`)
  return method
}

function rebuild(method: RelayMethod, params: unknown): string {
  if (method.kind !== 'read' || !method.validator().Check(params))
    throw new Error(`${method.name} is not a read`)
  return method.rebuild(params)
}

/** Is everything in `part` also in `whole`, with the same value? */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  const [inner, outer] = [part, whole] as Record<string, unknown>[]
  return Object.keys(inner!).every((key) => Object.hasOwn(outer!, key) && isPart(inner![key], outer![key]))
}
