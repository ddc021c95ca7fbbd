/** What wallets sign is found in whatever form it comes, and everything else in it is named. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { addr } from 'micro-eth-signer'
import t from 'tap'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import { type Send, type SignedVerdict, type SwapOrder, verify } from '../../../src/clients/verify/index.ts'
import { type Built, builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import {
  type Asked,
  accountBatch,
  bundle6,
  type Call,
  EVM_FORMS,
  executeBatch,
  redeem,
  SENDER,
  safeCall,
  sign,
} from '../../fixtures/evm-forms.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import {
  type Added,
  advance,
  guard,
  memo,
  payment,
  price,
  type Rewrite,
  rewritten,
  SOLANA_FORMS,
  tokenAccount,
} from '../../fixtures/solana-forms.ts'

const options = { now: () => INSTANT, trust: { decimals } }
const ZERO = `0x${'0'.repeat(40)}` as const
const STRANGER = '0xbad0bad0bad0bad0bad0bad0bad0bad0bad0bad0'
const FOREIGN = encodeBase58(new Uint8Array(32).fill(77))

const builds = await builtHonestly()
const isSwap = ({ order }: Built, family: 'evm' | 'solana'): boolean =>
  'chain' in order && (order.chain === 'solana') === (family === 'solana') && !NOT_EVM.includes(order.chain)
const NOT_EVM = ['sui', 'ton']

interface EvmCase extends Asked {
  readonly order: SwapOrder
  readonly answer: unknown
}

/** The build for a wallet whose key is here. */
async function evmCase({ order, answer }: Built): Promise<EvmCase> {
  const { address, privateKey: key } = addr.random()
  const [from, to] = [order.from.slice(2), address.slice(2)]
  const owned = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(from, to).replaceAll(from.toLowerCase(), to.toLowerCase()))
  const own = { order: owned(order) as SwapOrder, answer: owned(answer) }
  const { transactions, chainId } = (await sendOf(own)) as Send & { readonly family: 'evm' }
  const calls = transactions.map((one) => ({ ...one, value: BigInt(one.value) }) as unknown as Call)
  return {
    ...own,
    wallet: address as Hex,
    key,
    chainId,
    calls: calls.map(({ to, data, value }) => ({ to, data, value })),
  }
}

async function sendOf({ order, answer }: Pick<Built, 'order' | 'answer'>): Promise<Send> {
  const verdict = await verify(order, answer, options)
  if (!verdict.isVerified) throw new Error(`${verdict.rule}: ${verdict.message}`)
  return verdict.send
}

/** Each for two wallets. */
const evm = await Promise.all([...builds, ...builds].filter((one) => isSwap(one, 'evm')).map(evmCase))

interface SolanaCase {
  readonly order: SwapOrder
  readonly answer: unknown
  readonly transaction: string
  readonly mints: readonly [string, string]
}
/** Of the fixtures' wallet. */
const KEY = new Uint8Array(32).fill(7)
const OWNER = encodeBase58(ed25519.getPublicKey(KEY))

async function solanaCase({ order, answer }: Built): Promise<SolanaCase> {
  const send = (await sendOf({ order, answer })) as Send & { readonly family: 'solana' }
  const { token, against = WRAPPED_SOL_MINT, side } = order as SwapOrder
  const mints = (side === 'buy' ? [against, token] : [token, against]) as [string, string]
  return { order: order as SwapOrder, answer, transaction: send.transaction, mints }
}

const solana = await Promise.all(
  builds.filter((one) => isSwap(one, 'solana') && one.order.from === OWNER).map(solanaCase),
)

const judged = (
  { order, answer }: Pick<EvmCase, 'order' | 'answer'>,
  signed: unknown,
): Promise<SignedVerdict> => verify.signed(order, answer, signed, options)

t.test('every wallet form of every honest build is found', async (t) => {
  t.ok(evm.length >= 18 && solana.length >= 4, `${evm.length} on EVM chains, ${solana.length} on Solana`)
  let forms = 0
  for (const one of evm) {
    for (const [name, form] of Object.entries(EVM_FORMS)) {
      const verdict = await judged(one, form(one))
      if (!verdict.isVerified) t.fail(`${name}: ${verdict.rule}: ${verdict.message}`)
      forms++
    }
  }
  for (const one of solana) {
    for (const [name, form] of Object.entries(SOLANA_FORMS)) {
      const rewrite = form(one.transaction, OWNER, one.mints)
      for (const more of [{}, { blockhash: new Uint8Array(32).fill(forms) }]) {
        const verdict = await judged(one, rewritten(one.transaction, KEY, { ...rewrite, ...more }))
        if (!verdict.isVerified) t.fail(`${name}: ${verdict.rule}: ${verdict.message}`)
        forms++
      }
    }
  }
  t.ok(forms >= 300, `${forms} forms`)
})

t.test('each form says what the wallet changed', async (t) => {
  const kindsOf = ({ changes }: SignedVerdict) => [...new Set(changes.map(({ kind }) => kind))]
  const one = evm.find(({ calls }) => calls.length > 1)!
  const expected: Record<string, readonly string[]> = {
    'MetaMask, untouched': [],
    'MetaMask, with enforced simulations': ['delegation', 'terms'],
    'MetaMask, with its first enforced simulation': ['account_code', 'delegation', 'terms'],
    'MetaMask, as a batch (EIP-5792)': ['batch'],
    'Rabby, as its node has it': [],
    'Safe, sent by an owner': ['safe'],
    'Coinbase, in a bundle': ['user_operation'],
    'Coinbase, with its first operation': ['user_operation', 'terms'],
    'a paymaster, in a bundle': ['user_operation', 'terms'],
  }
  for (const [name, kinds] of Object.entries(expected))
    t.same(kindsOf(await judged(one, EVM_FORMS[name]!(one))), kinds, name)
  const [first] = solana
  const onSolana: Record<string, readonly string[]> = {
    'Phantom, untouched': [],
    'Phantom, with guards before and after': ['guard'],
    'Solflare, with two guards at the end': ['guard'],
    'Ledger, after minutes': ['blockhash'],
    'MPC, on a durable nonce': ['nonce'],
  }
  for (const [name, kinds] of Object.entries(onSolana)) {
    const rewrite = SOLANA_FORMS[name]!(first!.transaction, OWNER, first!.mints)
    t.same(kindsOf(await judged(first!, rewritten(first!.transaction, KEY, rewrite))), kinds, name)
  }
})

const transfer: Call = {
  to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [STRANGER, 5n] }),
}
const gift: Call = { to: STRANGER, value: 10n ** 18n, data: '0x' }
const flipped = (data: Hex, at: number): Hex => {
  const bytes = Buffer.from(data.slice(2), 'hex')
  const index = at % bytes.length
  bytes[index] = bytes[index]! ^ (1 << (at % 8))
  return `0x${bytes.toString('hex')}`
}

/** Each changes what the wallet gets or gives. */
const EVM_THEFTS: Readonly<Record<string, (asked: Asked, at: number) => readonly Call[]>> = {
  'a bit of the swap': ({ calls }, at) =>
    calls.map((one, i) => (i === calls.length - 1 ? { ...one, data: flipped(one.data, at) } : one)),
  'another contract': ({ calls }) =>
    calls.map((one, i) => (i === calls.length - 1 ? { ...one, to: STRANGER } : one)),
  'another value': ({ calls }, at) =>
    calls.map((one, i) => (i === calls.length - 1 ? { ...one, value: one.value + BigInt(at + 1) } : one)),
  'a transfer before it': ({ calls }) => [transfer, ...calls],
  'a transfer behind it': ({ calls }) => [...calls, transfer],
  'coins behind it': ({ calls }) => [...calls, gift],
  'a batch of a stranger that takes coins': (asked) => [
    ...asked.calls,
    { to: STRANGER, value: 10n ** 18n, data: executeBatch({ ...asked, calls: [transfer] }) },
  ],
  'the swap twice': ({ calls }) => [...calls, calls.at(-1)!],
  'no swap': ({ calls }) => [...calls.slice(0, -1), transfer],
}
const WRAPPERS: Readonly<Record<string, (asked: Asked) => unknown>> = {
  delegation: (asked) => sign(asked.key, asked.chainId, redeem(asked)),
  batch: (asked) => sign(asked.key, asked.chainId, accountBatch(asked)),
  safe: (asked) => sign(SENDER.privateKey, asked.chainId, safeCall(asked)),
  bundle: (asked) => sign(SENDER.privateKey, asked.chainId, bundle6(asked)),
  'typed data': EVM_FORMS['Safe, as typed data']!,
  'calls of EIP-5792': EVM_FORMS['a wallet, as it was asked (EIP-5792)']!,
}

t.test('a thousand changes of what was built are refused by name, in whatever form', async (t) => {
  let refused = 0
  for (let i = 0; i < 700; i++) {
    const random = new Random(SEED, i)
    const one = random.pick(evm)
    const [theft, change] = random.pick(Object.entries(EVM_THEFTS))
    const [wrapper, wrap] = random.pick(Object.entries(WRAPPERS))
    const calls = change(one, random.below(1 << 16))
    const verdict = await judged(one, wrap({ ...one, calls }))
    if (verdict.isVerified) t.fail(`${theft}, ${wrapper}: it was let through`)
    else if (verdict.changes.some(({ isAllowed, words }) => !isAllowed && words.length > 10)) refused++
  }
  t.equal(refused, 700, 'on EVM chains')
  refused = 0
  for (let i = 0; i < 300; i++) {
    const random = new Random(SEED, 1_000 + i)
    const one = random.pick(solana)
    const [theft, change] = random.pick(Object.entries(SOLANA_THEFTS))
    const [form, rewrite] = random.pick(Object.entries(SOLANA_FORMS))
    const honest = rewrite(one.transaction, OWNER, one.mints)
    const verdict = await judged(
      one,
      rewritten(one.transaction, KEY, change(honest, one, random.below(1 << 16))),
    )
    if (verdict.isVerified) t.fail(`${theft}, ${form}: it was let through`)
    else if (verdict.changes.some(({ isAllowed, words }) => !isAllowed && words.length > 10)) refused++
  }
  t.equal(refused, 300, 'on Solana')
})

const pays = (to: string): Added => payment(OWNER, to, 1_000_000_000n)
const approves = (account: string): Added => ({
  program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  accounts: [{ key: account, isWritable: true }, { key: FOREIGN }, { key: OWNER }],
  data: Uint8Array.of(4, 255, 255, 255, 255, 255, 255, 255, 255),
})

/** The swap is the longest instruction. */
function swapIndex(transaction: string): number {
  const wire = new WireTransaction()
  wire.parse(Buffer.from(transaction, 'base64'))
  const lengths = wire.instructions().map(({ data, accounts }) => data.length + accounts.length)
  return lengths.indexOf(Math.max(...lengths))
}

type SolanaTheft = (honest: Rewrite, one: SolanaCase, at: number) => Rewrite
const SOLANA_THEFTS: Readonly<Record<string, SolanaTheft>> = {
  'a bit of the swap': (honest, { transaction }, at) => ({
    ...honest,
    // Instructions before the swap may be dropped by the form.
    change: (one) => {
      const wire = new WireTransaction()
      wire.parse(Buffer.from(transaction, 'base64'))
      const swap = wire.instructions()[swapIndex(transaction)]!
      if (!Buffer.from(one.data).equals(Buffer.from(swap.data))) return one
      const data = Buffer.from(one.data)
      const index = at % data.length
      data[index] = data[index]! ^ (1 << (at % 8))
      return { ...one, data }
    },
  }),
  'another account of the swap': (honest, { transaction }, at) => ({
    ...honest,
    change: (one) => {
      const wire = new WireTransaction()
      wire.parse(Buffer.from(transaction, 'base64'))
      const swap = wire.instructions()[swapIndex(transaction)]!
      if (!Buffer.from(one.data).equals(Buffer.from(swap.data))) return one
      const accounts = Uint8Array.from(one.accounts)
      const index = at % accounts.length
      accounts[index] = accounts[index] === 0 ? 1 : 0
      return { ...one, accounts }
    },
  }),
  'no swap': (honest, { transaction }) => {
    const index = swapIndex(transaction)
    return { ...honest, keep: (one, i) => i !== index && (honest.keep?.(one, i) ?? true) }
  },
  'a payment': (honest) => ({ ...honest, after: [...(honest.after ?? []), pays(FOREIGN)] }),
  'a payment before it': (honest) => ({ ...honest, before: [...(honest.before ?? []), pays(FOREIGN)] }),
  'a permission': (honest, { mints }) => ({
    ...honest,
    after: [...(honest.after ?? []), approves(tokenAccount(OWNER, mints[1]))],
  }),
  'a write by Lighthouse': (honest) => ({
    ...honest,
    after: [...(honest.after ?? []), guard(0, 20, OWNER, FOREIGN)],
  }),
  'a guard on a foreign account': (honest) => ({
    ...honest,
    after: [...(honest.after ?? []), guard(5, 17, FOREIGN)],
  }),
  'a price that takes all': (honest, { transaction }) => ({
    ...SOLANA_FORMS['Backpack, with a price of its own']!(transaction, OWNER, []),
    after: honest.after ?? [],
    before: [price(10n ** 9n)],
  }),
}

t.test('the terms around a swap are judged, too', async (t) => {
  const one = evm[0]!
  const rule = async (signed: unknown, of = one) => {
    const verdict = await judged(of, signed)
    return verdict.isVerified ? null : verdict.rule
  }
  const byOwner = (call: Call, codes: readonly Hex[] = []) => sign(one.key, one.chainId, call, codes)
  const unknown = `0x${'5c'.repeat(20)}` as const
  t.equal(await rule(byOwner(redeem(one, { enforcers: [unknown] }))), 'signed_terms', 'an unknown enforcer')
  const payment = '0x4803a326ddED6dDBc60e659e5ed12d85c7582811'
  t.equal(await rule(byOwner(redeem(one, { enforcers: [payment] }))), 'signed_terms', 'one that pays')
  t.equal(await rule(byOwner(redeem(one, { delegator: SENDER.address as Hex }))), 'signed_terms')
  t.not(await rule(byOwner(redeem(one, { authority: `0x${'00'.repeat(32)}` }))), null, 'no root')
  t.equal(await rule(byOwner(one.calls.at(-1)!, [unknown])), 'signed_account_code')
  t.equal(await rule(sign(SENDER.privateKey, one.chainId, one.calls.at(-1)!)), 'signed_from')
  t.equal(await rule(sign(one.key, 1_337, one.calls.at(-1)!)), 'signed_chain')
  t.equal(await rule(sign(SENDER.privateKey, one.chainId, safeCall(one, 1n))), 'signed_terms', 'a refund')
  t.not(await rule(sign(SENDER.privateKey, one.chainId, safeCall(one, 0n, STRANGER))), null, 'foreign code')
  t.equal(
    await rule(sign(SENDER.privateKey, one.chainId, bundle6(one, undefined, `0x7702${'00'.repeat(40)}`))),
    'signed_terms',
  )
  t.equal(await rule(byOwner(redeem(one, { delegate: STRANGER }))), 'signed_terms', 'a power of attorney')
  const dear = bundle6({ ...one, gas: 10n ** 11n })
  t.equal(
    await rule(sign(SENDER.privateKey, one.chainId, dear)),
    'signed_gas',
    'an operation that pays its bundler',
  )
  const byNobody = bundle6({ ...one, gas: 10n ** 11n, paymaster: ZERO })
  t.equal(
    await rule(sign(SENDER.privateKey, one.chainId, byNobody)),
    'signed_gas',
    'a paymaster that is nobody',
  )
  const raw = byOwner(one.calls.at(-1)!)
  t.equal(await rule({ raw, tx: {} }), null, 'as eth_signTransaction answers')
  t.equal(await rule({ raw, to: STRANGER }), 'signed_form')
  const burnt = { to: ZERO, value: 10n ** 20n, data: executeBatch({ ...one, calls: [] }) }
  t.equal(
    await rule(byOwner(accountBatch({ ...one, calls: [...one.calls, burnt] }))),
    'signed_call',
    'coins for nobody',
  )
  const asCalls = EVM_FORMS['a wallet, as it was asked (EIP-5792)']!(one) as object
  const operation = EVM_FORMS['Coinbase, as an operation']!(one) as object
  const typed = EVM_FORMS['Safe, as typed data']!(one) as { domain: object; message: object }
  for (const [what, form] of Object.entries({
    'a batch that is a transaction, too': { ...asCalls, to: STRANGER, value: '0x1' },
    'a batch with capabilities': { ...asCalls, capabilities: { permissions: {} } },
    'a batch with authorizations': { ...asCalls, authorizationList: [{ address: STRANGER, chainId: '0x1' }] },
    'numbers in decimal': { ...asCalls, calls: [{ ...one.calls.at(-1), value: '10' }] },
    'an operation that is a transaction, too': { ...operation, to: STRANGER },
    'typed data with another member': { ...typed, message: { ...typed.message, input: '0x' } },
    'what throws': {
      get to() {
        throw new Error('ha')
      },
    },
  })) {
    t.equal(await rule(form), 'signed_form', what)
  }
  t.equal(await rule({ ...asCalls, from: STRANGER }), 'signed_from')
  t.equal(
    await rule({ ...operation, factory: '0x7702', factoryData: '0xab' }),
    'signed_terms',
    'a call on set-up',
  )
  t.equal(
    await rule({ ...operation, authorization: { address: STRANGER, chainId: '0x1' } }),
    'signed_account_code',
  )
  const text = JSON.stringify(operation)
  t.equal(await rule(text), null, 'as JSON')
  t.equal(await rule(JSON.stringify(operation, null, 2)), null, 'as JSON with spaces')
  t.equal(
    await rule(text.replace('{', `{"sender":"${STRANGER}",`)),
    'signed_form',
    'a member that is there twice',
  )
  const domain = { ...typed.domain, name: 'Safe' }
  t.equal(await rule({ ...typed, domain }), 'signed_form', 'typed data of another domain')
  const SafeTx = [{ name: 'to', type: 'address' }]
  t.equal(await rule({ ...typed, types: { SafeTx } }), 'signed_form', 'typed data of another type')
  t.equal(
    await rule({ ...typed, domain: { ...typed.domain, verifyingContract: STRANGER } }),
    'signed_missing',
    'typed data of another Safe',
  )
  const asNode = EVM_FORMS['Rabby, as its node has it']!(one) as object
  t.equal(await rule({ ...asNode, gas: '21000' }), 'signed_form', 'gas in decimal')
  t.equal(await rule({ ...asNode, gas: '0xfffff', gasPrice: '0xe8d4a51000' }), 'signed_gas')
  for (const [name, value] of Object.entries({
    paymaster: '0x12',
    paymasterAndData: '0x12',
    gasFees: `0x${'00'.repeat(16)}`,
    accountGasLimits: `0x${'00'.repeat(33)}`,
  }))
    t.equal(await rule({ ...operation, [name]: value }), 'signed_form', `${name} of another size`)
  const half = (value: number) => value.toString(16).padStart(32, '0')
  const limits = { accountGasLimits: `0x${half(1)}${half(1)}`, gasFees: `0x${half(1)}${half(10 ** 9)}` }
  const paidBy = (units: number) => ({ paymasterAndData: `${STRANGER}${half(units)}${half(1)}` })
  t.equal(await rule({ ...operation, ...limits, ...paidBy(1) }), null)
  t.equal(
    await rule({ ...operation, ...limits, ...paidBy(10 ** 12) }),
    'signed_gas',
    'what a paymaster may take counts, too',
  )
  t.equal(await rule([asCalls]), null, 'as the parameters of a request')
  t.match(await judged(one, sign(SENDER.privateKey, one.chainId, accountBatch(one))), {
    notBound: [/sends it/],
  })
  for (const nothing of [
    null,
    7,
    {},
    [],
    '0x',
    '0x1234',
    'a text',
    { calls: [null] },
    { primaryType: 'SafeTx' },
  ])
    t.equal(await rule(nothing), 'signed_form', JSON.stringify(nothing))
  t.equal(await rule(`0x${'ab'.repeat(32)}`), 'signed', 'a hash shows nothing')
})

t.test('signers, nonces and memos of others are refused on Solana', async (t) => {
  const one = solana[0]!
  const rule = async (rewrite: Rewrite, key = KEY) => {
    const verdict = await judged(one, rewritten(one.transaction, key, rewrite))
    return verdict.isVerified ? null : verdict.rule
  }
  t.equal(await rule({}), null)
  t.equal(await rule({}, new Uint8Array(32).fill(8)), 'signed_from')
  const widened = Buffer.from(one.transaction, 'base64')
  // [signatures 1][signature 64][version][required][read-only signed][read-only unsigned]
  widened[68] = 0
  widened.set(ed25519.sign(widened.subarray(65), KEY), 1)
  const wider = await judged(one, widened.toString('base64'))
  t.notOk(wider.isVerified, 'an account of the swap may be written, which was not so')
  const long = await judged(one, 'x'.repeat(5_000))
  t.ok(!long.isVerified && long.message.length < 400, 'words are cut')
  t.equal(await rule({ before: [advance(FOREIGN, FOREIGN)] }), 'signed_nonce')
  t.equal(await rule({ after: [advance(FOREIGN, OWNER)] }), 'signed_instruction', 'a nonce that is not first')
  t.equal(await rule({ after: [memo('hello', FOREIGN)] }), 'signed_memo')
  t.equal(await rule({ after: [{ ...price(1n), data: Uint8Array.of(9) }] }), 'signed_budget')
  t.equal(await rule({ after: [guard(15, 12)] }), null, 'the clock is of nobody')
  const signed = rewritten(one.transaction, KEY)
  t.equal((await judged(one, Uint8Array.from(Buffer.from(signed, 'base64')))).isVerified, true, 'as bytes')
  const signature = encodeBase58(Buffer.from(signed, 'base64').subarray(1, 65))
  t.match(await judged(one, signature), { isVerified: true, id: signature, changes: { length: 0 } })
  t.match(await judged(one, encodeBase58(new Uint8Array(64).fill(1))), { isVerified: false, rule: 'signed' })
  for (const nothing of ['', 'AAAA', `${signed}AA`]) t.equal((await judged(one, nothing)).isVerified, false)
  const own = { ...options, maxPriorityFee: 0n }
  const dear = SOLANA_FORMS['Backpack, with a price of its own']!(one.transaction, OWNER, one.mints)
  t.match(await verify.signed(one.order, one.answer, rewritten(one.transaction, KEY, dear), own), {
    rule: 'signed_priority_fee',
  })
})

t.test('what was built is judged before what was signed', async (t) => {
  const one = evm[0]!
  const verdict = await verify.signed({ ...one.order, minOut: String(10n ** 30n) }, one.answer, '0x', options)
  t.match(verdict, { isVerified: false, rule: /^(?!signed)/, changes: { length: 0 } })
})
