/** Decimals: of a real mint in the sandbox's Solana node, of nodes and providers that answer anything, and of the cache. */

import { Keypair, type PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js'
import t from 'tap'
import { nativeAddress } from '../../src/chains/address.ts'
import { CHAINS } from '../../src/chains/chains.ts'
import type { ChainDefinition } from '../../src/chains/definition.ts'
import { findChain } from '../../src/chains/find.ts'
import type { Call } from '../../src/flow/call.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { type Code, GatewayError } from '../../src/runtime/errors.ts'
import { Decimals, type DecimalsOptions } from '../../src/swap/decimals.ts'
import { EvmRpc } from '../../src/upstream/nodes/evm/rpc.ts'
import { SolanaRpc } from '../../src/upstream/nodes/solana/rpc.ts'
import { askedBy } from '../fixtures/asked-by.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf } from '../fixtures/clock.ts'
import { answers, hostileUpstream } from '../fixtures/hostile-upstream.ts'
import { startNode } from '../fixtures/sandbox.ts'
import {
  associatedAddress,
  createAssociated,
  initializeMint,
  MINT_BYTES,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../fixtures/spl.ts'

const BASE = findChain('base')!
const REQUEST = askedBy('request-1')
const alice = (): CancellationScope => new CancellationScope('alice', REQUEST)
const SOLANA = findChain('solana')!
const SUI = findChain('sui')!
const TON = findChain('ton')!
/** A token that the chain's definition does not list. */
const AERO = { address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631', isNative: false }

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
const failure = (code: Code) => new GatewayError(code, 'It failed.')
/** A base mint padded to a token account's 165, the account's type, and one extension of 4 + 32. */
const EXTENDED_MINT_BYTES = 202

const NO_SOURCES = { evm: [], solana: [], sui: [], ton: [] }

/** Decimals over parts of which every one that a test does not name fails it. */
function decimalsOver(parts: Partial<DecimalsOptions>): Decimals {
  const unexpected = () => Promise.reject(new Error('nobody should have been asked'))
  return new Decimals({
    evm: () => ({ voters: [{ call: unexpected }] }),
    solana: { voters: [{ read: unexpected }] },
    sources: NO_SOURCES,
    agreeing: 1,
    ...parts,
  })
}

t.test("a native coin has the chain table's decimals, without a call", async (t) => {
  const decimals = decimalsOver({})
  for (const chain of CHAINS) {
    const address = nativeAddress(chain)
    t.same(await decimals.addTo(chain, { address, isNative: true }, callOf(1_000)), {
      address,
      isNative: true,
      decimals: chain.family === 'evm' ? 18 : 9,
    })
  }
})

t.test(
  'an ERC-20 token has the decimals that its contract says, and anything else is no token',
  async (t) => {
    const cases: [answer: string | null, decimals: number | null][] = [
      [word(0n), 0],
      [word(6n), 6],
      [word(18n), 18],
      [word(36n), 36],
      [word(37n), null],
      [word(255n), null],
      [word(2n ** 256n - 1n), null],
      ['0x', null],
      ['0x06', null],
      [`${word(6n)}00`, null],
      [word(6n) + word(6n).slice(2), null],
      [null, null],
    ]
    for (const [answer, decimals] of cases) {
      const asked: unknown[] = []
      const read = async (to: string, data: string, { deadlineAt, scope }: Call) => {
        asked.push([to, data, deadlineAt, scope.client])
        return answer
      }
      const evm = (chain: ChainDefinition) => {
        asked.push(chain.key)
        return { voters: [{ call: read }] }
      }
      const call = callOf(1_234, alice())
      const found = decimalsOver({ evm }).addTo(BASE, AERO, call)
      if (decimals === null) {
        await t.rejects(found, {
          name: 'GatewayError',
          code: 'unknown_token',
          status: 400,
          message: /on Base\.$/,
        })
      } else {
        t.same(await found, { ...AERO, decimals })
      }
      t.same(asked, ['base', [AERO.address, '0x313ce567', call.deadlineAt, 'alice']])
    }
  },
)

t.test('Solana mints of both programs have the decimals that they were made with', async (t) => {
  const node = await startNode(t)
  const solana = new SolanaRpc({ readUrls: [node.url], sendUrls: [node.url] })
  t.teardown(() => solana.close())
  const payer = await node.funded()
  const decimals = decimalsOver({ solana })
  const decimalsOf = async (key: PublicKey): Promise<number> => {
    return (await decimals.addTo(SOLANA, { address: key.toBase58(), isNative: false }, callOf(5_000)))
      .decimals
  }

  /** A mint that the node executed into being; with a close authority it is an extended one. */
  const mint = async (program: PublicKey, decimals: number, isExtended: boolean): Promise<PublicKey> => {
    const account = Keypair.generate()
    const space = isExtended ? EXTENDED_MINT_BYTES : MINT_BYTES
    const create = SystemProgram.createAccount({
      fromPubkey: payer.publicKey,
      newAccountPubkey: account.publicKey,
      lamports: 1_000_000_000,
      space,
      programId: program,
    })
    // InitializeMintCloseAuthority, without one.
    const extend = new TransactionInstruction({
      programId: program,
      keys: [{ pubkey: account.publicKey, isSigner: false, isWritable: true }],
      data: Buffer.from([25, 0]),
    })
    const initialize = initializeMint({ program, mint: account.publicKey }, payer.publicKey, decimals)
    const { blockhash } = await node.connection.getLatestBlockhash()
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash })
    transaction.add(create, ...(isExtended ? [extend] : []), initialize).sign(payer, account)
    await node.connection.sendRawTransaction(transaction.serialize())
    node.advance(2)
    return account.publicKey
  }
  const made = await mint(TOKEN_PROGRAM, 6, false)
  t.equal(await decimalsOf(made), 6)
  t.equal(await decimalsOf(await mint(TOKEN_PROGRAM, 0, false)), 0)
  t.equal(await decimalsOf(await mint(TOKEN_2022_PROGRAM, 9, false)), 9)
  t.equal(await decimalsOf(await mint(TOKEN_2022_PROGRAM, 4, true)), 4)

  const token = { program: TOKEN_PROGRAM, mint: made }
  await node.connection.sendRawTransaction(
    await node.signed(payer, createAssociated(token, payer.publicKey, payer.publicKey)),
  )
  node.advance(2)
  const noMints: [title: string, key: PublicKey][] = [
    ['a token account', associatedAddress(token, payer.publicKey)],
    ['a wallet', payer.publicKey],
    ['a program', TOKEN_PROGRAM],
    ['nothing', Keypair.generate().publicKey],
  ]
  for (const [title, key] of noMints) {
    await t.rejects(decimalsOf(key), { name: 'GatewayError', code: 'unknown_token' }, title)
  }
})

t.test(
  'a Solana account is a mint by its owner, length and type, and anything else is unusable',
  async (t) => {
    const TOKEN = TOKEN_PROGRAM.toBase58()
    const TOKEN_2022 = TOKEN_2022_PROGRAM.toBase58()
    const bytes = (length: number, ...set: [at: number, byte: number][]): string => {
      const data = Buffer.alloc(length)
      for (const [at, byte] of [[44, 6], [45, 1], ...set] as const) if (at < length) data[at] = byte
      return JSON.stringify(data.toString('base64'))
    }
    const account = (owner: string, data: string): string =>
      `{"context":{"slot":1},"value":{"lamports":1,"owner":"${owner}","data":[${data},"base64"],"rentEpoch":18446744073709551615}}`
    const cases: [result: string, outcome: number | Code][] = [
      [account(TOKEN, bytes(82)), 6],
      [account(TOKEN_2022, bytes(82)), 6],
      [account(TOKEN_2022, bytes(166, [165, 1])), 6],
      [account(TOKEN, bytes(82, [44, 37])), 'unknown_token'],
      [account(TOKEN, bytes(82, [45, 0])), 'unknown_token'],
      [account(TOKEN, bytes(81)), 'unknown_token'],
      [account(TOKEN, bytes(165)), 'unknown_token'],
      [account(TOKEN, bytes(166, [165, 1])), 'unknown_token'],
      [account(TOKEN_2022, bytes(165)), 'unknown_token'],
      [account(TOKEN_2022, bytes(166, [165, 2])), 'unknown_token'],
      [account(TOKEN_2022, bytes(166, [165, 1], [45, 0])), 'unknown_token'],
      [account('11111111111111111111111111111111', bytes(82)), 'unknown_token'],
      [account(TOKEN, '""'), 'unknown_token'],
      ['{"context":{"slot":1},"value":null}', 'unknown_token'],
      ['null', 'upstream_unusable'],
      ['{"value":{"owner":1,"data":["","base64"]}}', 'upstream_unusable'],
      [`{"value":{"owner":"${TOKEN}","data":["","base58"]}}`, 'upstream_unusable'],
      [`{"value":{"owner":"${TOKEN}","data":{"parsed":{}}}}`, 'upstream_unusable'],
    ]
    const address = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
    for (const [result, outcome] of cases) {
      const node = await hostileUpstream(t, answers(`"result":${result}`))
      const solana = new SolanaRpc({ readUrls: [node.url], sendUrls: [node.url] })
      t.teardown(() => solana.close())
      const found = decimalsOver({ solana }).addTo(SOLANA, { address, isNative: false }, callOf(2_000))
      if (typeof outcome === 'number') t.match(await found, { decimals: outcome }, result)
      else await t.rejects(found, { name: 'GatewayError', code: outcome }, result)
    }
    const node = await hostileUpstream(t, answers('"error":{"code":-32602,"message":"no"}'))
    const solana = new SolanaRpc({ readUrls: [node.url], sendUrls: [node.url] })
    t.teardown(() => solana.close())
    const found = decimalsOver({ solana }).addTo(SOLANA, { address, isNative: false }, callOf(2_000))
    await t.rejects(found, { name: 'GatewayError', code: 'upstream_unusable' })
  },
)

t.test('Sui and TON tokens have the decimals that their provider says', async (t) => {
  const asked: [string, Call][] = []
  const source = (answer: number) => async (_chain: ChainDefinition, address: string, options: Call) => {
    asked.push([address, options])
    return answer
  }
  const decimals = decimalsOver({ sources: { ...NO_SOURCES, sui: [source(6)], ton: [source(9)] } })
  t.equal((await decimals.addTo(SUI, { address: 'x', isNative: false }, callOf(900, alice()))).decimals, 6)
  t.equal(
    (await decimals.addTo(TON, { address: 'x', isNative: false }, callOf(800))).decimals,
    9,
    'a chain has its own keys',
  )
  t.same(
    asked.map(([address, { scope, priority }]) => [address, scope.client, priority]),
    [
      ['x', 'alice', 'decimals'],
      ['x', 'gateway', 'decimals'],
    ],
  )
  for (const answer of [-1, 37, 1.5, Number.NaN]) {
    const found = decimalsOver({ sources: { ...NO_SOURCES, sui: [source(answer)] } }).addTo(
      SUI,
      AERO,
      callOf(1),
    )
    await t.rejects(found, { name: 'GatewayError', code: 'unknown_token' })
  }
})

t.test('a client that leaves does not cancel a look-up, because others share it', async (t) => {
  const asked: (CancellationScope | null)[] = []
  let land = (_decimals: number): void => {}
  const source = (_chain: ChainDefinition, _address: string, { scope }: Call) => {
    asked.push(scope)
    return new Promise<number>((resolve) => (land = resolve))
  }
  const decimals = decimalsOver({ sources: { ...NO_SOURCES, sui: [source] } })
  const first = alice()
  const found = decimals.addTo(SUI, AERO, callOf(1_000, first))
  const joined = decimals.addTo(SUI, AERO, callOf(1_000, new CancellationScope('bob')))
  first.cancel()
  land(7)
  t.equal((await found).decimals, 7)
  t.equal((await joined).decimals, 7)
  t.same(
    asked.map((scope) => [scope?.client, scope?.request?.id, scope?.isCancelled]),
    [['alice', 'request-1', false]],
    'on the account of the one that came first',
  )
})

t.test('a look-up continues when its only client has left, for the next one', async (t) => {
  let calls = 0
  let land = (_decimals: number): void => {}
  const source = (_chain: ChainDefinition, _address: string, { scope }: Call) => {
    calls++
    return new Promise<number>((resolve, reject) => {
      land = resolve
      scope!.watch({ cancel: () => reject(failure('upstream_unavailable')) })
    })
  }
  const decimals = decimalsOver({ sources: { ...NO_SOURCES, sui: [source] } })
  const scope = alice()
  const found = decimals.addTo(SUI, AERO, callOf(1_000, scope))
  scope.cancel()
  land(7)
  t.equal((await found).decimals, 7)
  t.equal((await decimals.addTo(SUI, AERO, callOf(1_000, alice()))).decimals, 7)
  t.equal(calls, 1)
})

t.test('sources that are asked after others share their deadline', async (t) => {
  let now = 1_000
  const deadlines: number[] = []
  const source = (decimals: number) => async (_chain: ChainDefinition, _address: string, call: Call) => {
    deadlines.push(call.leftMs)
    now += 100
    return decimals
  }
  const decimals = new Decimals({
    evm: () => ({ voters: [] }),
    solana: { voters: [] },
    sources: { ...NO_SOURCES, sui: [source(6), source(7), source(8), source(6)] },
  })
  const call = callOf(1_000, null, 'build', clockOf({ now: () => now }))
  t.equal((await decimals.addTo(SUI, AERO, call)).decimals, 6)
  t.same(deadlines, [1_000, 900, 800, 700])
})

t.test('a token is looked up once, also by callers that come at the same time', async (t) => {
  let calls = 0
  let answer: (word: string) => void = () => {}
  const call = (): Promise<string> => {
    calls++
    return new Promise((resolve) => {
      answer = resolve
    })
  }
  const decimals = decimalsOver({ evm: () => ({ voters: [{ call }] }) })
  const callers = [decimals.addTo(BASE, AERO, callOf(1_000)), decimals.addTo(BASE, AERO, callOf(1_000))]
  t.equal(calls, 1)
  answer(word(6n))
  t.match(await Promise.all(callers), [{ decimals: 6 }, { decimals: 6 }])
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 6 })
  t.equal(calls, 1)

  const elsewhere = decimals.addTo(findChain('ethereum')!, AERO, callOf(1_000))
  t.equal(calls, 2, 'the same address on another chain is another token')
  answer(word(18n))
  t.match(await elsewhere, { decimals: 18 })
})

t.test('that there is no token is kept for 30 seconds, a failure to ask not at all', async (t) => {
  let now = 1_000
  let calls = 0
  let next: string | null | GatewayError = null
  const call = async (): Promise<string | null> => {
    calls++
    if (next instanceof GatewayError) throw next
    return next
  }
  const decimals = decimalsOver({
    evm: () => ({ voters: [{ call }] }),
    clock: clockOf({ now: () => now }),
  })
  const unknown = { name: 'GatewayError', code: 'unknown_token' }
  await t.rejects(decimals.addTo(BASE, AERO, callOf(1_000)), unknown)
  next = word(6n)
  now += 30_000
  await t.rejects(decimals.addTo(BASE, AERO, callOf(1_000)), unknown)
  t.equal(calls, 1)
  now += 1
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 6 })
  t.equal(calls, 2)
  now += 6 * 3_600_000
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 6 }, 'decimals do not change')
  t.equal(calls, 2)
  now += 1
  t.match(
    await decimals.addTo(BASE, AERO, callOf(1_000)),
    { decimals: 6 },
    'but who told of them may have lied',
  )
  t.equal(calls, 3)

  const other = { ...AERO, address: '0x532f27101965dd16442E59d40670FaF5eBB142E4' }
  next = failure('upstream_timeout')
  await t.rejects(decimals.addTo(BASE, other, callOf(1_000)), {
    name: 'GatewayError',
    code: 'upstream_timeout',
  })
  next = word(18n)
  t.match(await decimals.addTo(BASE, other, callOf(1_000)), { decimals: 18 })
})

t.test(
  'five thousand tokens are remembered, and the one that was used least lately goes first',
  async (t) => {
    let calls = 0
    const call = async (): Promise<string> => {
      calls++
      return word(18n)
    }
    const decimals = decimalsOver({ evm: () => ({ voters: [{ call }] }) })
    const find = (i: number) => decimals.addTo(BASE, { address: String(i), isNative: false }, callOf(1_000))
    for (let i = 0; i < 5_000; i++) await find(i)
    await find(0)
    await find(5_000)
    t.equal(calls, 5_001)
    await find(0)
    t.equal(calls, 5_001, 'the first was used since')
    await find(1)
    t.equal(calls, 5_002, 'the second had to go')
  },
)

t.test("the chain's own file describes what it lists, without a call", async (t) => {
  const listed: [chain: ChainDefinition, address: string, decimals: number][] = [
    [BASE, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6],
    [BASE, '0x4200000000000000000000000000000000000006', 18],
    [findChain('bsc')!, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    [SOLANA, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6],
  ]
  for (const [chain, address, decimals] of listed) {
    t.match(await decimalsOver({}).addTo(chain, { address, isNative: false }, callOf(1_000)), { decimals })
  }
})

t.test('of any other token two sources have to agree', async (t) => {
  const node = (answer: number | null | Code) => async () => {
    if (typeof answer === 'string') throw failure(answer)
    return answer === null ? null : word(BigInt(answer))
  }
  const provider = (answer: number | Code) => async () => {
    if (typeof answer === 'string') throw failure(answer)
    return answer
  }
  type Nodes = readonly (number | null | Code)[]
  const cases: [nodes: Nodes, providers: readonly (number | Code)[], outcome: number | Code][] = [
    [[6], [6], 6],
    [[6, 6], [], 6],
    [[6, 6], [3], 6],
    // One that lies: two others outvote it, and without them nothing is counted.
    [[3, 6], [6], 6],
    [[6, 3], [6], 6],
    [[3], [6], 'upstream_unusable'],
    [[3, 6], [], 'upstream_unusable'],
    [[3, 6], [9], 'upstream_unusable'],
    // One that is down.
    [['upstream_timeout', 6], [6], 6],
    [[6, 'upstream_timeout'], [6], 6],
    [[6, 6], ['upstream_timeout'], 6],
    [['upstream_timeout', 6], ['upstream_failed'], 'upstream_timeout'],
    // No such token.
    [[null, null], [], 'unknown_token'],
    [[null], ['unknown_token'], 'unknown_token'],
    [[null], [6], 'upstream_unusable'],
    [[6], ['unknown_token'], 'upstream_unusable'],
    [[99, 99], [], 'unknown_token'],
    [[null, 'upstream_timeout'], [], 'unknown_token'],
    [['upstream_timeout', null], ['upstream_failed'], 'unknown_token'],
    // Three nodes: no two of them vote as one.
    [['upstream_timeout', 24, 18], [18], 18],
    [['upstream_timeout', 24], [18], 'upstream_timeout'],
    [['upstream_timeout', 24], [], 'upstream_timeout'],
  ]
  for (const [nodes, providers, outcome] of cases) {
    const decimals = new Decimals({
      evm: () => ({ voters: nodes.map((answer) => ({ call: node(answer) })) }),
      solana: { voters: [] },
      sources: { ...NO_SOURCES, evm: providers.map(provider) },
    })
    const title = JSON.stringify([nodes, providers])
    const found = decimals.addTo(BASE, AERO, callOf(1_000))
    if (typeof outcome === 'number') t.match(await found, { decimals: outcome }, title)
    else await t.rejects(found, { name: 'GatewayError', code: outcome }, title)
  }
})

t.test('what was agreed on while a source was away is asked again when it may be back', async (t) => {
  let now = 1_000
  let first: number | Code = 'upstream_timeout'
  let second = 24
  const voters = [
    {
      call: async () => {
        if (typeof first === 'string') throw failure(first)
        return word(BigInt(first))
      },
    },
    { call: async () => word(BigInt(second)) },
  ]
  const decimals = new Decimals({
    evm: () => ({ voters }),
    solana: { voters: [] },
    sources: { ...NO_SOURCES, evm: [async () => 24] },
    clock: clockOf({ now: () => now }),
  })
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 24 }, 'two lie, and the third is away')
  first = 18
  second = 18
  now += 60_000
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 24 })
  now += 1
  t.match(await decimals.addTo(BASE, AERO, callOf(1_000)), { decimals: 18 })
})

t.test('a node that is down is not stood in for, and two nodes of one host are one party', async (t) => {
  const { address } = AERO
  const say = (decimals: bigint) => answers(`"result":"${word(decimals)}"`)
  const agreeOver = (urls: readonly string[]): Promise<number> => {
    const rpc = new EvmRpc({ chainKey: 'base', urls })
    t.teardown(() => rpc.close())
    const decimals = new Decimals({ evm: () => rpc, solana: { voters: [] }, sources: NO_SOURCES })
    return decimals.addTo(BASE, { address, isNative: false }, callOf(2_000)).then((token) => token.decimals)
  }
  const [liar, honest, alike] = [
    await hostileUpstream(t, say(24n)),
    await hostileUpstream(t, say(18n)),
    await hostileUpstream(t, say(18n)),
  ]
  const down = 'http://127.0.0.1:1/'
  await t.rejects(agreeOver([down, liar.url]), { name: 'GatewayError', code: 'upstream_unavailable' })
  await t.rejects(agreeOver([`${liar.url}/a`, `${liar.url}/b`]), { name: 'GatewayError' })
  t.equal(await agreeOver([`${liar.url}/a`, `${liar.url}/b`, honest.url, alike.url]), 18)
})

t.test('of a mint two Solana nodes have to agree, each asked on its own', async (t) => {
  const mint = (decimals: number): string => {
    const data = Buffer.alloc(82)
    data[44] = decimals
    data[45] = 1
    const value = { owner: TOKEN_PROGRAM.toBase58(), data: [data.toString('base64'), 'base64'] }
    return `"result":${JSON.stringify({ context: { slot: 1 }, value })}`
  }
  const agreeOver = (urls: string[]): Promise<number> => {
    const solana = new SolanaRpc({ readUrls: urls, sendUrls: urls })
    t.teardown(() => solana.close())
    const decimals = new Decimals({ evm: () => ({ voters: [] }), solana, sources: NO_SOURCES })
    const address = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
    return decimals.addTo(SOLANA, { address, isNative: false }, callOf(2_000)).then((token) => token.decimals)
  }
  const liar = await hostileUpstream(t, answers(mint(9)))
  const honest = await hostileUpstream(t, answers(mint(6)))
  const alike = await hostileUpstream(t, answers(mint(6)))
  await t.rejects(agreeOver(['http://127.0.0.1:1/', liar.url]), { name: 'GatewayError' })
  await t.rejects(agreeOver([liar.url, honest.url]), { name: 'GatewayError', code: 'upstream_unusable' })
  t.equal(await agreeOver([liar.url, honest.url, alike.url]), 6)
})
