/** The costliest requests of each form: what they take of the processor in all, and between two turns of the loop. */
import { Keypair, PublicKey, Transaction } from '@solana/web3.js'
import t from 'tap'
import { encodeFunctionData, parseAbi, toRlp } from 'viem'
import { TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts'
import { Descriptors } from '../../src/explain/evm/descriptors.ts'
import { explain } from '../../src/explain/explain.ts'
import type { ExplainRequest } from '../../src/explain/types.ts'
import { openThreadCpuTime } from '../../src/flow/thread-cpu-time.ts'
import * as ptb from '../../src/sandbox/sui/compose.ts'
import { address, cell, coins, uint, writeBag } from '../../src/sandbox/ton/cells.ts'
import { leastMs } from '../fixtures/cpu.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const TON = 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'
const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i))
const account = (i: number, first = '2') => `0x${(i + 1).toString(16).padStart(40, first)}`
const recent = many(32, (i) => account(i, '1'))
const domain = { chainId: 8453, verifyingContract: PERMIT2 }
const EIP712Domain = [
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]
const call = (data: string, more: object = {}) => ({
  chain: 'base',
  recent,
  call: { to: USDC, data, ...more },
})
const typed = (types: object, message: unknown, primaryType = 'P') => ({
  chain: 'base',
  recent,
  typedData: { types: { EIP712Domain, ...types }, primaryType, domain, message },
})
const fields = (text: string) =>
  text.split(',').map((one) => ({ type: one.split(' ')[0]!, name: one.split(' ')[1]! }))
const MULTICALL = parseAbi(['function multicall(bytes[] data)'])
const multicall = (inner: readonly string[]) => encodeFunctionData({ abi: MULTICALL, args: [inner as never] })
const nested = (data: string, depth: number): string =>
  depth === 0 ? data : nested(multicall([data]), depth - 1)
const jettons = (amount: bigint) =>
  Buffer.from(
    writeBag(
      cell(
        [
          uint(0x0f8a7ea5n, 32),
          uint(0n, 64),
          coins(amount),
          address(TON),
          address(TON),
          '0',
          coins(1n),
          '0',
        ].join(''),
      ),
    ),
  ).toString('base64')

/** The library's lists hold fewer than 128 items. */
function sui(commands: readonly Uint8Array[]): string {
  const frame = Buffer.from(
    ptb.composeSui({ inputs: [], commands: [], sender: `0x${'5'.repeat(64)}` }),
    'base64',
  )
  const inputs = [ptb.pure(ptb.address(`0x${'7'.repeat(64)}`)), ptb.owned(`0x${'9'.repeat(64)}`)]
  const length = Uint8Array.of((commands.length & 0x7f) | 0x80, commands.length >> 7)
  return Buffer.concat([Uint8Array.of(0, 0, 2), ...inputs, length, ...commands, frame.subarray(4)]).toString(
    'base64',
  )
}

const keyOf = (i: number) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)).publicKey
/** Between accounts that only a derivation can tell: they are no keys. */
function transfers(count: number): string {
  const derived = (i: number) => PublicKey.findProgramAddressSync([Buffer.of(i)], keyOf(200))[0]
  const moves = many(count, (i) => ({
    programId: new PublicKey(TOKEN_PROGRAM),
    keys: [derived(2 * i), derived(2 * i + 1), keyOf(99)].map((pubkey, at) => ({
      pubkey,
      isSigner: at === 2,
      isWritable: true,
    })),
    data: Buffer.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
  }))
  const transaction = new Transaction().add(...moves)
  transaction.feePayer = keyOf(99)
  transaction.recentBlockhash = PublicKey.default.toBase58()
  return transaction.serialize({ verifySignatures: false, requireAllSignatures: false }).toString('base64')
}

const REQUESTS: Readonly<Record<string, ExplainRequest>> = {
  'a type of 60,000 brackets': typed(
    { P: fields('T[] a'), T: [{ name: 'b', type: `${'[]'.repeat(60_000)}x` }] },
    { a: [] },
  ),
  'types in twos about a contract with a descriptor': typed(
    {
      P: fields('T0[] a'),
      ...Object.fromEntries(
        many(62, (i) => [`T${i}`, fields(i < 61 ? `T${i + 1} a,T${i + 1}[] b` : 'bool a')] as const),
      ),
    },
    { a: [] },
  ),
  '500 members of long names': typed(
    { P: fields('T[] a'), T: many(500, (i) => ({ name: `f${'x'.repeat(120)}${i}`, type: 'bytes' })) },
    { a: [] },
  ),
  '4,000 numbers': typed({ P: fields('uint256[] a') }, { a: many(4_000, () => `0x${'f'.repeat(20)}`) }),
  '8,000 objects': typed(
    { P: [] },
    many(8_000, () => ({})),
  ),
  'a permit of 800 tokens': typed(
    {
      PermitBatch: fields('PermitDetails[] details,address spender,uint256 sigDeadline'),
      PermitDetails: fields('address token,uint160 amount,uint48 expiration,uint48 nonce'),
    },
    {
      details: many(800, (i) => ({ token: account(i), amount: i + 1, expiration: 1, nonce: 0 })),
      spender: account(9, '3'),
      sigDeadline: 1,
    },
    'PermitBatch',
  ),
  'RLP of 60,000 items': { chain: 'base', transaction: `0xfa00ea00${'80'.repeat(59_904)}` },
  'an access list of 1,700 slots': {
    chain: 'base',
    transaction: toRlp([
      '0x',
      '0x',
      '0x',
      '0x',
      USDC,
      '0x',
      '0x',
      [[USDC, many(1_700, () => `0x${'11'.repeat(32)}`)]],
    ] as never).replace('0x', '0x01'),
  },
  '64 ABIs of nested tuples': {
    ...call('0xdeadbeef'),
    abi: many(64, (i) => `f${i}(${'('.repeat(7)}${many(60, () => 'uint8').join()}${')'.repeat(7)})`),
  },
  '64 ABIs of nested arrays': {
    ...call('0xdeadbeef'),
    abi: many(64, (i) => `f${i}(uint8${'[]'.repeat(240)})`),
  },
  '120 approvals in one call': call(
    multicall(many(120, (i) => `0x095ea7b3${account(i).slice(2).padStart(64, '0')}${'f'.repeat(64)}`)),
  ),
  'calls within calls': call(nested(`0x12345678${'00'.repeat(37_000)}`, 8)),
  '1,500 authorizations': call('0x', {
    authorizationList: many(1_500, (i) => ({ chainId: '0x1', address: account(i) })),
  }),
  '8,000 members': call('0x', Object.fromEntries(many(8_000, (i) => [`m${i}`, 1]))),
  '255 jetton messages': {
    chain: 'ton',
    owner: TON,
    messages: many(255, (i) => ({ address: TON, amount: '5', payload: jettons(BigInt(i + 1)) })),
  },
  '10 transfers among 32 known addresses on Solana, of mints that are not named': {
    chain: 'solana',
    recent: many(32, (i) => keyOf(i).toBase58()),
    transaction: transfers(10),
  },
  '1,024 commands of Sui': {
    chain: 'sui',
    recent: many(32, (i) => `0x${String(i + 1).padStart(64, '1')}`),
    transaction: sui(
      many(1_024, (i) =>
        i % 2 === 0
          ? ptb.transfer([ptb.input(1)], ptb.input(0))
          : ptb.call(`0x${'8'.repeat(64)}::a::b`, [], [ptb.input(1)]),
      ),
    ),
  },
}

const MOST_MS = 100
const MOST_TURN_MS = 20
const TRIES = 8

t.test('no request costs long, in all and in one turn', async (t) => {
  const describe = new Descriptors()
  const time = openThreadCpuTime()
  t.teardown(() => time.close())
  for (const [title, request] of Object.entries(REQUESTS)) {
    const ms = await leastMs(MOST_TURN_MS, TRIES, async () => {
      const begunMs = time.cpuMs()
      let [lastMs, turnMs] = [begunMs, 0]
      const turn = async () => {
        const nowMs = time.cpuMs()
        turnMs = Math.max(turnMs, nowMs - lastMs)
        lastMs = nowMs
      }
      await explain(request, { describe, turn })
      await turn()
      return Math.max(turnMs, (lastMs - begunMs) * (MOST_TURN_MS / MOST_MS))
    })
    t.ok(ms <= MOST_TURN_MS, `${title}: ${ms.toFixed(1)} ms in one turn, or that part of all`)
  }
})
