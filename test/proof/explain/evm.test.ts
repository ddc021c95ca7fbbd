import t from 'tap'
import {
  encodeFunctionData,
  fromRlp,
  type Hex,
  maxUint256,
  parseAbi,
  serializeTransaction,
  toRlp,
} from 'viem'
import { CalldataReader } from '../../../src/proof/calldata.ts'
import { FUNCTIONS } from '../../../src/proof/explain/evm-functions.ts'
import { explain } from '../../../src/proof/explain/explain.ts'
import { account } from '../../fixtures/anvil.ts'

const OWNER = '0x52908400098527886E0F7030069857D2E4169EE7'
const FRIEND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const STRANGER = '0xde709f2102306220921060314715629080e2fb77'
const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const ERC20 = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
])
const WEI = 10n ** 18n

const approving = (spender: string, amount: bigint) =>
  encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [spender as `0x${string}`, amount] })
const asked = (call: object, more = {}) =>
  explain({ chain: 'base', owner: OWNER, recent: [FRIEND], call: { to: TOKEN, ...call }, ...more })

t.test('each selector is that of its function', async (t) => {
  t.ok(FUNCTIONS.size > 70)
  for (const [selector, { signature }] of FUNCTIONS) {
    if (!signature.endsWith('()')) t.same(new CalldataReader([signature]).selectors, [selector], signature)
  }
})

t.test('approvals: of what one use needs to a router, of all, and to a stranger', async (t) => {
  t.match(await asked({ data: approving(ROUTER, 5n) }), {
    verdict: 'known',
    actions: [{ kind: 'approve', asset: TOKEN, amount: '5', spender: ROUTER, from: OWNER }],
  })
  const all = await asked({ data: approving(ROUTER, maxUint256) })
  t.match(all, { verdict: 'unknown', risks: [{ code: 'unlimited_approval', severity: 'warning' }] })
  t.match(await asked({ data: approving(STRANGER, 5n) }), {
    verdict: 'unknown',
    risks: [{ code: 'approval_to_stranger' }],
  })
  t.match(await asked({ data: approving(STRANGER, maxUint256 - 7n) }), { verdict: 'danger' })
  t.match(await asked({ data: approving(STRANGER, 0n) }), { verdict: 'known', actions: [{ kind: 'revoke' }] })
})

t.test('a call is read to its last byte, or unknown', async (t) => {
  const data = approving(ROUTER, 5n)
  for (const other of [`${data}00`, data.slice(0, -2), data.replace('000000', '000001')]) {
    t.match(await asked({ data: other }), { verdict: 'unknown', unknown: [{ where: 'call', bytes: other }] })
  }
  t.match(await asked({ data: '0x123' }), { verdict: 'unknown', unknown: [{ where: 'transaction' }] })
  t.match(await asked({ data: '0xdeadbeef' }), { verdict: 'unknown', unknown: [{ bytes: '0xdeadbeef' }] })
})

t.test('an ABI that is brought names arguments, and nothing becomes known by it', async (t) => {
  const signature = 'function claim(uint256 id, address to)'
  const data = encodeFunctionData({ abi: parseAbi([signature]), args: [7n, STRANGER] })
  t.match(await asked({ data }, { abi: [signature] }), {
    verdict: 'unknown',
    actions: [{ words: `calls claim of ${TOKEN}`, fields: { id: '7', to: STRANGER } }],
    unknown: [{ why: /ABI/ }],
  })
  t.match(await asked({ data }, { abi: ['nonsense('] }), { unknown: [{ where: 'abi' }, { where: 'call' }] })
})

t.test('serialized transactions of each type, and of another chain', async (t) => {
  const common = { chainId: 8453, to: FRIEND, value: WEI, nonce: 1, gas: 21_000n } as const
  for (const more of [
    { type: 'legacy', gasPrice: 7n },
    { type: 'eip2930', gasPrice: 7n },
    { type: 'eip1559', maxFeePerGas: 7n },
  ] as const) {
    const transaction = serializeTransaction({ ...common, ...more } as never)
    t.match(await explain({ chain: 'base', owner: OWNER, recent: [FRIEND], transaction }), {
      verdict: 'known',
      actions: [{ kind: 'transfer', asset: 'native', amount: String(WEI), to: FRIEND }],
    })
  }
  const transaction = serializeTransaction({ ...common, chainId: 1, type: 'eip1559' } as never)
  t.match(await explain({ chain: 'base', transaction }), { risks: [{ code: 'other_chain' }, {}] })
  t.match(await explain({ chain: 'base', transaction: '0x02c0' }), { unknown: [{ where: 'transaction' }] })
})

t.test('who signed it is recovered, of each type', async (t) => {
  const signer = account(3)
  const common = { chainId: 8453, to: FRIEND, value: WEI, nonce: 1, gas: 21_000n } as const
  const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 1n } as const
  const authorization = await signer.signAuthorization!({ address: FRIEND, chainId: 8453, nonce: 2 })
  const blobs = { maxFeePerBlobGas: 7n, blobVersionedHashes: [`0x01${'ab'.repeat(31)}`], blobs: undefined }
  const sent = async (fields: object) => signer.signTransaction!({ ...common, ...fields } as never)
  for (const fields of [
    { type: 'legacy', gasPrice: 7n },
    { type: 'legacy', gasPrice: 7n, chainId: undefined },
    { type: 'eip2930', gasPrice: 7n },
    { type: 'eip1559', ...fees },
    { type: 'eip4844', ...fees, ...blobs },
    { type: 'eip7702', ...fees, authorizationList: [authorization] },
  ]) {
    const { owner, risks } = await explain({ chain: 'base', transaction: await sent(fields) })
    t.equal(owner, signer.address, fields.type)
    t.notOk(risks.some(({ code }) => code === 'other_chain' || code === 'not_signer'))
  }
  const elsewhere = await sent({ type: 'legacy', gasPrice: 7n, chainId: 10 })
  t.match(await explain({ chain: 'base', transaction: elsewhere }), { verdict: 'danger' })
  const transaction = await sent({ type: 'eip1559', ...fees })
  t.match((await explain({ chain: 'base', owner: OWNER, transaction })).risks, [{ code: 'not_signer' }, {}])
  const nobody = transaction.replace(/.{128}$/, 'f'.repeat(128))
  t.match(await explain({ chain: 'base', transaction: nobody }), { owner: null })
})

t.test('an envelope has exactly its fields, each in its shortest form, and names its chain', async (t) => {
  const common = { to: FRIEND, value: 5n, nonce: 1, gas: 21_000n, gasPrice: 7n } as const
  const serialized = serializeTransaction({ ...common, chainId: 8453, type: 'legacy' })
  const request = { chain: 'base', owner: OWNER, recent: [FRIEND] }
  t.match(await explain({ ...request, transaction: serialized }), { verdict: 'known' })
  const items = fromRlp(serialized) as Hex[]
  for (const [title, changed] of [
    ['one field more', [...items, '0x01']],
    ['one less', items.slice(0, 8)],
    ['a zero in front', [...items.slice(0, 4), '0x0005', ...items.slice(5)]],
    ['a list as the value', [...items.slice(0, 4), ['0x05'], ...items.slice(5)]],
    ['21 bytes of an address', [...items.slice(0, 3), `${FRIEND}00`, ...items.slice(4)]],
  ] as const)
    t.match(
      await explain({ ...request, transaction: toRlp(changed as never) }),
      { verdict: 'unknown', actions: { length: 0 } },
      title,
    )
  for (const transaction of [`${serialized}00`, serialized.slice(0, -2), `0xf8${serialized.slice(2)}`])
    t.match(await explain({ ...request, transaction }), { verdict: 'unknown', actions: { length: 0 } })
  t.match(await explain({ ...request, transaction: toRlp(items.slice(0, 6)) }), {
    verdict: 'unknown',
    risks: [{ code: 'every_chain' }],
  })
})
