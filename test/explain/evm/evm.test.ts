import t from 'tap'
import {
  encodeFunctionData,
  fromRlp,
  type Hex,
  maxUint256,
  parseAbi,
  serializeTransaction,
  toFunctionSelector,
  toRlp,
} from 'viem'
import { findEvmChain } from '../../../src/chains/find.ts'
import { FUNCTIONS } from '../../../src/explain/evm/calls.ts'
import { explain } from '../../../src/explain/explain.ts'
import { encodeV3Swap } from '../../../src/proof/evm/uniswap-v3.ts'
import { account } from '../../fixtures/anvil.ts'
import { type Asked, bundle6, executeBatch } from '../../fixtures/evm-forms.ts'

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
const UNBOUNDED = 'gas, which your wallet bounds'

const approving = (spender: string, amount: bigint) =>
  encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [spender as `0x${string}`, amount] })
const asked = (call: object, more = {}) =>
  explain({ chain: 'base', owner: OWNER, recent: [FRIEND], call: { to: TOKEN, ...call }, ...more })

t.test('each selector is that of its function', async (t) => {
  t.ok(FUNCTIONS.size > 70)
  for (const [selector, { signature, reads }] of FUNCTIONS) {
    t.equal(selector, toFunctionSelector(signature), signature)
    t.type(reads, 'function', signature)
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

t.test('an ABI in the request names arguments, and makes nothing known', async (t) => {
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

t.test('the signer is recovered, for each type', async (t) => {
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

const ALL = parseAbi([
  'function transferFrom(address from, address to, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function increaseAllowance(address spender, uint256 amount)',
  'function decreaseAllowance(address spender, uint256 amount)',
  'function multicall(bytes[] data)',
  'function execute(bytes32 mode, bytes executionData)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function enableModule(address module)',
  'function changeThreshold(uint256 threshold)',
  'function addOwnerWithThreshold(address owner, uint256 threshold)',
  'function swapOwner(address previous, address old, address owner)',
  'function setResolver(bytes32 node, address resolver)',
  'function setAuthority(address authority)',
  'function multiSend(bytes transactions)',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  'function lockdown((address token, address spender)[] approvals)',
  'function invalidateNonces(address token, address spender, uint48 newNonce)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
  'function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
  'function permitTransferFrom(((address token, uint256 amount)[] permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount)[] transferDetails, address owner, bytes signature)',
  'function permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
])
const coded = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: [...ERC20, ...ALL], functionName, args } as never)
const codes = async (asking: ReturnType<typeof asked>) => (await asking).risks.map(({ code }) => code)
const UNLISTED = '0x27b1fdb04752bbc536007a920d24acb045561c26'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

t.test('zero is nothing of a listed token, and may be the id of an NFT elsewhere', async (t) => {
  for (const [functionName, args, code] of [
    ['approve', [STRANGER, 0n], 'approval_to_stranger'],
    ['transfer', [STRANGER, 0n], 'recipient_unknown'],
    ['transferFrom', [OWNER, STRANGER, 0n], 'recipient_unknown'],
  ] as const) {
    const data = coded(functionName, ...args)
    t.match(await asked({ data }), { verdict: 'known', risks: [] }, functionName)
    t.same(await codes(asked({ to: UNLISTED, data })), [code], functionName)
  }
  const data = coded('approve', UNLISTED, STRANGER, 0n, 9)
  t.match(await asked({ to: PERMIT2, data }), { verdict: 'unknown' })
  t.match(await asked({ to: UNLISTED, data: coded('approve', ROUTER, 0n) }), { verdict: 'known' })
})

t.test('a minimum that is as good as nothing does not count', async (t) => {
  const v2 = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'
  const weth = '0x4200000000000000000000000000000000000006'
  const least = async (minimum: bigint, bought = weth) => {
    const path = [TOKEN, bought]
    const data = coded('swapExactTokensForTokens', 3_000_000_000n, minimum, path, OWNER, 9n)
    return (await asked({ to: v2, data })).risks.map(({ code }) => code)
  }
  t.same(await least(WEI), [], '3000 USDC for 1 WETH')
  t.same(await least(WEI / 10n), [], 'prices move')
  t.same(await least(WEI / 1_000n), ['no_minimum'])
  t.same(await least(2n), ['no_minimum'])
  t.same(await least(2n, UNLISTED), [], 'what a token is worth that is not listed, no byte says')
})

t.test("an allowance for 1inch's router is named where it is deployed", async (t) => {
  const spender = '0x111111125421cA6dc452d289314280a0f8842A65'
  const data = coded('approve', spender, 5n)
  const { verdict, risks, actions } = await asked({ to: TOKEN, data })
  t.match({ verdict, words: actions[0]!.words }, { verdict: 'known', words: 'lets 1inch take 0.000005 USDC' })
  t.equal(risks.length, 0)
})

t.test('a revocation of nothing, or of a part, says so', async (t) => {
  const words = async (name: string, ...args: readonly unknown[]) => {
    const to = name === 'invalidateUnorderedNonces' ? PERMIT2 : TOKEN
    return (await asked({ to, data: coded(name, ...args) })).actions[0]!.words
  }
  t.equal(await words('increaseAllowance', STRANGER, 0n), `raises what ${STRANGER} may take by 0 USDC`)
  t.equal(await words('increaseAllowance', ROUTER, 5n), 'lets KyberSwap take 0.000005 USDC')
  t.equal(await words('decreaseAllowance', STRANGER, 5n), `lowers what ${STRANGER} may take by 0.000005 USDC`)
  t.equal(await words('invalidateUnorderedNonces', 0n, 0n), 'takes 0 signatures for Permit2 back')
  t.equal(await words('invalidateUnorderedNonces', 0n, 7n), 'takes 3 signatures for Permit2 back')
  const atPermit2 = await asked({ to: PERMIT2, data: coded('approve', TOKEN, STRANGER, 0n, 9) })
  t.equal(atPermit2.actions[0]!.words, `takes back what ${STRANGER} may take of ${TOKEN} by Permit2`)
})

t.test('the recipient of a Permit2 signature is the one that the call names', async (t) => {
  const pulled = (to: string, more: readonly unknown[] = []) => {
    const permit = { permitted: { token: TOKEN, amount: 7n }, nonce: 1n, deadline: 9n }
    return [permit, { to, requestedAmount: 5n }, OWNER, ...more, '0x01'] as const
  }
  const zeros = `0x${'0'.repeat(64)}`
  for (const [name, more] of [
    ['permitTransferFrom', []],
    ['permitWitnessTransferFrom', [zeros, 'X x)X(uint256 y)']],
  ] as const) {
    t.match(
      await asked({ to: PERMIT2, data: coded(name, ...pulled(STRANGER, more)) }),
      {
        verdict: 'unknown',
        risks: [{ code: 'recipient_unknown' }],
        effects: [{ kind: 'pays', holder: OWNER, asset: TOKEN, amount: '5' }, { what: UNBOUNDED }],
      },
      name,
    )
    t.match(await asked({ to: PERMIT2, data: coded(name, ...pulled(FRIEND, more)) }), { verdict: 'known' })
  }
  const [permit, paid] = pulled(FRIEND)
  const two = { ...permit, permitted: [permit.permitted, permit.permitted] }
  const batch = (items: readonly unknown[]) =>
    asked({ to: PERMIT2, data: coded('permitTransferFrom', two, items, OWNER, '0x01') })
  t.match(await batch([paid, { ...paid, to: STRANGER }]), { risks: [{ code: 'recipient_unknown' }] })
  t.match(await batch([paid]), { verdict: 'unknown', unknown: [{ why: /not as many/ }] })
})

t.test('native coin sent along is paid away, whichever contract is called', async (t) => {
  const value = '0x5'
  const paid = {
    verdict: 'unknown',
    effects: [{}, { kind: 'pays', asset: 'native', amount: '5', to: TOKEN }, { what: UNBOUNDED }],
  }
  t.match(await asked({ data: approving(ROUTER, 5n), value }), paid)
  t.same(await codes(asked({ to: ROUTER, value })), ['recipient_unknown'])
  t.match(await asked({ to: ROUTER, data: coded('multicall', []), value }), { verdict: 'unknown' })
  const to = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'
  const swap = (recipient: string, more = {}) =>
    asked({ to, data: coded('swapExactTokensForTokens', 5n, 9n, [TOKEN, UNLISTED], recipient, 9n), ...more })
  t.match(await swap(OWNER), { verdict: 'known', effects: [{ kind: 'pays' }, { kind: 'receives' }, {}] })
  t.same(await codes(swap(OWNER, { value })), ['recipient_unknown'], 'more than is swapped')
  for (const recipient of [STRANGER, to]) t.same(await codes(swap(recipient)), ['foreign_recipient'])
})

t.test("what the wallet's own account and a Safe are made to do happens in their names", async (t) => {
  const safe = FRIEND
  const paying = coded('transfer', STRANGER, 5n)
  const gas = [0n, 0n, 0n, UNLISTED, UNLISTED, '0x01']
  const bySafe = (to: string, data: Hex, operation = 0) =>
    asked({ to: safe, data: coded('execTransaction', to, 0n, data, operation, ...gas) })
  t.match(await bySafe(TOKEN, paying), {
    summary: new RegExp(`^The account ${safe} pays 0\\.000005 USDC to 0x`),
    effects: [{ kind: 'pays', holder: safe }, { what: UNBOUNDED }],
    risks: [{ code: 'recipient_unknown' }],
  })
  t.match(await bySafe(TOKEN, coded('transfer', OWNER, 5n)), { verdict: 'known' })
  t.match(await bySafe(safe, coded('enableModule', STRANGER)), { risks: [{ code: 'account_control' }] })
  t.match(await bySafe(STRANGER, paying, 1), { verdict: 'danger', risks: [{ code: 'delegatecall' }] })
  const batch = coded('executeBatch', [{ target: TOKEN, value: 0n, data: paying }])
  const executed = (mode: string) =>
    asked({ to: OWNER, data: coded('execute', mode.padEnd(66, '0'), `0x${batch.slice(10)}`) })
  t.match(await executed('0x01'), {
    actions: [{ kind: 'transfer' }],
    risks: [{ code: 'recipient_unknown' }],
  })
  t.match(await executed('0xff'), { verdict: 'unknown', risks: [{ code: 'unknown_call' }] })
})

/** A Safe's transaction with itself, which so many owners signed, the first one as a contract. */
const signedBy = (owners: number, data: Hex, to = FRIEND) => {
  const at = (65 * owners).toString(16).padStart(64, '0')
  const contract = `${OWNER.slice(2).padStart(64, '0')}${at}00`
  const signatures = `0x${contract}${`${'ab'.repeat(64)}1b`.repeat(owners - 1)}${'00'.repeat(31)}41${'cd'.repeat(65)}`
  const call = coded('execTransaction', to, 0n, data, 0, 0n, 0n, 0n, UNLISTED, UNLISTED, signatures)
  return asked({ to: FRIEND, data: call }, { recent: [FRIEND, ROUTER] })
}

t.test('fewer signatures of a Safe are a danger, as many or more are none', async (t) => {
  for (const [asks, verdict] of [
    [1n, 'danger'],
    [2n, 'danger'],
    [3n, 'known'],
    [4n, 'known'],
  ] as const) {
    t.match(await signedBy(3, coded('changeThreshold', asks)), { verdict }, `${asks}`)
    t.match(await signedBy(3, coded('addOwnerWithThreshold', OWNER, asks)), { verdict }, `own, ${asks}`)
    for (const owner of [STRANGER, ROUTER])
      t.match(await signedBy(3, coded('addOwnerWithThreshold', owner, asks)), { verdict: 'danger' })
  }
  t.match(await signedBy(2, coded('swapOwner', TOKEN, STRANGER, OWNER)), { verdict: 'known' })
  for (const owner of [STRANGER, ROUTER])
    t.match(await signedBy(2, coded('swapOwner', TOKEN, OWNER, owner)), { verdict: 'danger' }, owner)
  const within = coded(
    'execTransaction',
    TOKEN,
    0n,
    '0x',
    0,
    0n,
    0n,
    0n,
    UNLISTED,
    UNLISTED,
    `0x${'ab'.repeat(65)}`,
  )
  const calls = [within, coded('changeThreshold', 2n)].map((data) => ({ target: FRIEND, value: 0n, data }))
  t.match(
    await signedBy(3, coded('executeBatch', calls)),
    { verdict: 'danger' },
    'one within, with one signature',
  )
  const unsigned = (asks: bigint) => asked({ to: FRIEND, data: coded('changeThreshold', asks) })
  t.match(await unsigned(1n), { verdict: 'danger' })
  t.match(await unsigned(2n), {
    verdict: 'unknown',
    risks: [{ code: 'account_control', severity: 'warning' }],
  })
})

t.test("deciding code is not a key's power, even at the wallet's own address", async (t) => {
  const node = `0x${'1'.repeat(64)}`
  t.match(await asked({ to: UNLISTED, data: coded('setResolver', node, OWNER) }), { verdict: 'danger' })
  t.match(await asked({ to: UNLISTED, data: coded('setAuthority', OWNER) }), { verdict: 'danger' })
  t.match(await asked({ to: UNLISTED, data: coded('setApprovalForAll', OWNER, true) }), { verdict: 'known' })
})

t.test('what a batch does in its own name is not done for the wallet', async (t) => {
  const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
  const MULTI_SEND = '0x9641d764fc13c8B624c04430C7356C1C7C8102e2'
  const revoking = approving(STRANGER, 0n)
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const packed = `0x00${TOKEN.slice(2)}${word(0)}${word(68)}${revoking.slice(2)}`
  const batches = [
    asked({
      to: MULTICALL3,
      data: coded('aggregate3', [{ target: TOKEN, allowFailure: true, callData: revoking }]),
    }),
    asked({ to: MULTI_SEND, data: coded('multiSend', packed) }),
    signedBy(1, coded('multiSend', packed), MULTI_SEND),
  ]
  for (const { actions } of await Promise.all(batches))
    t.match(actions, [{ kind: 'revoke', words: /, in the name of 0x\w+, not of your wallet$/ }])
  const safes = [0n, 0n, 0n, UNLISTED, UNLISTED, '0x01']
  const delegated = coded('execTransaction', MULTI_SEND, 0n, coded('multiSend', packed), 1, ...safes)
  t.match(await asked({ to: FRIEND, data: delegated }), {
    verdict: 'known',
    actions: [{ from: FRIEND, words: /USDC$|of 0x\w+$/ }],
  })
})

t.test('an unknown contract promises nothing', async (t) => {
  const swap = { tokenIn: TOKEN, tokenOut: UNLISTED, fee: 500, recipient: OWNER, amountIn: 5n }
  const data = coded('exactInputSingle', { ...swap, amountOutMinimum: 9n, sqrtPriceLimitX96: 0n })
  const { summary, effects, actions } = await asked({ to: STRANGER, data })
  t.notMatch(summary, /gets/)
  t.same(effects.filter(({ kind }) => kind === 'receives').length, 0)
  t.match(actions, [{ words: /^asks 0x\w+, which is not known to do it: swaps/ }])
})

t.test('swaps at SwapRouter02 are known where coins and tokens move as they say', async (t) => {
  const { v3, wrappedNative } = findEvmChain('base')!
  const to = v3['uniswap-v3']!.router
  const [coins, dollars] = [10n ** 15n, 3_000_000n]
  const rest = { fees: [500], to: OWNER, deadline: 2n ** 40n }
  const buying = { ...rest, amountIn: coins, amountOutMin: dollars }
  const selling = { ...rest, amountIn: dollars, amountOutMin: coins }
  const value = `0x${coins.toString(16)}`
  const buys = encodeV3Swap('native-in', { path: [wrappedNative, TOKEN], ...buying })
  const path = [TOKEN, wrappedNative]
  const sells = encodeV3Swap('native-out', { path, ...selling })
  t.match(await asked({ to, data: buys, value }), {
    verdict: 'known',
    actions: [{ kind: 'swap' }],
    effects: [
      { kind: 'pays', asset: 'native', amount: String(coins) },
      { kind: 'receives', asset: TOKEN, amount: String(dollars) },
    ],
  })
  t.match(await asked({ to, data: sells }), {
    verdict: 'known',
    effects: [
      { kind: 'pays', asset: TOKEN, amount: String(dollars) },
      { kind: 'receives', asset: 'native', amount: String(coins) },
    ],
  })
  t.match(await asked({ to, data: encodeV3Swap('tokens', { path, ...selling }) }), { verdict: 'known' })
  const unread: [title: string, data: string, value: string][] = [
    ['the wrapped coin in place of the coin', buys, '0x0'],
    ['a part of the value', buys, '0x4'],
    ['a token for the coin', encodeV3Swap('native-in', { path, ...buying }), value],
    [
      'another token than the wrapped coin',
      encodeV3Swap('native-out', { path: [TOKEN, TOKEN], ...selling }),
      '0x0',
    ],
    ['a coin sent with a token', sells, value],
  ]
  for (const [title, data, sent] of unread)
    t.match(await asked({ to, data, value: sent }), { verdict: 'unknown', unknown: { length: 1 } }, title)
  const stolen = encodeV3Swap('tokens', { path, ...selling, to: STRANGER })
  t.match(await codes(asked({ to, data: stolen })), ['foreign_recipient'])
})

t.test('permissions at Permit2 and of DAI are taken back without an accusation', async (t) => {
  const info = { verdict: 'known', actions: [{ kind: 'revoke' }], effects: [{ kind: 'cost' }] }
  t.match(await asked({ to: PERMIT2, data: coded('approve', TOKEN, STRANGER, 0n, 0) }), {
    ...info,
    risks: { length: 0 },
  })
  const zero = await asked({ to: PERMIT2, data: coded('approve', UNLISTED, STRANGER, 0n, 0) })
  t.match(zero, { ...info, risks: [{ severity: 'info', reason: /^Until the block ends/ }] })
  t.match(await asked({ to: PERMIT2, data: coded('approve', TOKEN, STRANGER, 5n, 0) }), {
    verdict: 'unknown',
  })
  const approvals = [TOKEN, UNLISTED].map((token) => ({ token, spender: STRANGER }))
  t.match(await asked({ to: PERMIT2, data: coded('lockdown', approvals) }), {
    ...info,
    actions: { length: 2 },
  })
  t.match(await asked({ to: PERMIT2, data: coded('invalidateNonces', TOKEN, STRANGER, 7) }), info)
  t.match(await asked({ to: PERMIT2, data: coded('invalidateUnorderedNonces', 0n, 255n) }), info)
  const zeros = `0x${'0'.repeat(64)}`
  const dai = (allowed: boolean) =>
    asked({ to: UNLISTED, data: coded('permit', OWNER, STRANGER, 0n, 0n, allowed, 27, zeros, zeros) })
  t.match(await dai(false), info)
  t.match(await dai(true), { verdict: 'danger' })
})

t.test('coins that are sent to their wrapper are wrapped', async (t) => {
  const WETH = '0x4200000000000000000000000000000000000006'
  t.match(await asked({ to: WETH, value: '0x5' }), {
    verdict: 'known',
    actions: [{ kind: 'wrap' }],
    effects: [
      { kind: 'pays', asset: 'native' },
      { kind: 'receives', asset: WETH, amount: '5' },
      { what: UNBOUNDED },
    ],
  })
})

t.test('code, a guard and a handler are harmful at the own address, too', async (t) => {
  const own = OWNER.slice(2).toLowerCase().padStart(64, '0')
  const at = (selector: string) =>
    explain({ chain: 'base', owner: OWNER, call: { from: OWNER, to: OWNER, data: `${selector}${own}` } })
  for (const selector of ['0xf08a0323', '0xe19a9dd9', '0x610b5925', '0x7de7edef', '0x3659cfe6'])
    t.match(await at(selector), { verdict: 'danger' }, selector)
  const authorizationList = [{ chainId: '0x2105', address: OWNER, nonce: '0x1' }]
  const delegated = { from: OWNER, to: OWNER, value: '0x0', authorizationList }
  t.match(await explain({ chain: 'base', owner: OWNER, call: delegated }), {
    verdict: 'danger',
    risks: [{ code: 'delegated_account' }],
  })
})

t.test('calls that wallet_sendCalls takes are each read', async (t) => {
  const batch = (calls: readonly object[], more = {}) =>
    explain({
      chain: 'base',
      owner: OWNER,
      call: {
        version: '2.0.0',
        chainId: '0x2105',
        from: OWNER,
        atomicRequired: true,
        calls,
        ...more,
      } as never,
    })
  const approval = { to: TOKEN, data: approving(ROUTER, 5n) }
  t.match(await batch([approval, approval]), { verdict: 'known', actions: { length: 2 } })
  t.match(await batch([approval, { to: STRANGER, value: '0x5' }]), { risks: [{ code: 'recipient_unknown' }] })
  t.match(await batch([approval, { to: TOKEN, data: '0xdeadbeef' }]), { unknown: [{ where: 'calls[1]' }] })
  t.match(await batch([approval], { chainId: '0x1' }), { verdict: 'danger' })
  t.match(await batch([approval], { capabilities: {} }), { unknown: [{ why: /capabilities/ }] })
  const beside = {
    to: STRANGER,
    value: '0xde0b6b3a7640000',
    data: '0x',
    gas: '0x5208',
    authorizationList: [],
  }
  for (const [name, value] of Object.entries(beside))
    t.match(await batch([approval], { [name]: value }), {
      verdict: 'unknown',
      unknown: [{ where: 'call', why: new RegExp(`^\`${name}\` beside`) }],
    })
  for (const own of [{ from: STRANGER }, { chainId: '0x1' }])
    t.match(await batch([{ ...approval, ...own }]), { verdict: 'unknown', unknown: [{ where: 'calls[0]' }] })
  t.match(await batch([approval, 7 as never]), { verdict: 'unknown' })
  t.match(await batch([]), { verdict: 'unknown' })
})

t.test('gas has a bound on each chain, in its own coin', async (t) => {
  const sent = (chain: string, price: string, more = {}) =>
    explain({
      chain,
      owner: OWNER,
      recent: [FRIEND],
      call: { to: FRIEND, value: '0xffffffffffffffff', gasPrice: price, ...more },
    })
  t.match(await sent('polygon', '0x174876e800', { gas: '0x5208' }), { verdict: 'known' })
  const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  const dollars = (amount: bigint, gasPrice: string) =>
    explain({
      chain: 'ethereum',
      owner: OWNER,
      recent: [FRIEND],
      call: { to: token, data: coded('transfer', FRIEND, amount * 1_000_000n), gas: '0x11170', gasPrice },
    })
  // 0.007 ether
  t.match(await dollars(5n, '0x174876e800'), {
    risks: [{ code: 'high_fee', reason: /more than the 0\.0016/ }],
  })
  t.match(await dollars(500n, '0x174876e800'), { verdict: 'known' })
  const bare = await explain({
    chain: 'base',
    owner: OWNER,
    recent: [FRIEND],
    call: { to: FRIEND, value: '0x5' },
  })
  t.match(bare, { verdict: 'known', summary: /and pays gas, which your wallet bounds\.$/ })
  t.match(bare.effects, [{}, { kind: 'cost', asset: 'native', amount: null }])
  t.match(await sent('base', '0x5f5e100'), { verdict: 'known', summary: /and pays gas, without a bound\.$/ })
  t.match(await sent('base', '0x12a05f2000'), {
    verdict: 'unknown',
    risks: [{ code: 'high_fee', severity: 'warning' }],
  })
  t.match(
    await explain({
      chain: 'base',
      owner: OWNER,
      recent: [FRIEND],
      call: { to: FRIEND, value: '0x5', gas: '0x1312d00' },
    }),
    { verdict: 'unknown', risks: [{ code: 'high_fee', reason: /20000000 units/ }] },
  )
  for (const gas of ['0x0', '0x1'])
    t.match(await sent('base', '0xde0b6b3a7640000', { gas }), { verdict: 'danger' }, 'a limit that none is')
  for (const chain of ['base', 'polygon', 'bsc', 'avalanche'])
    t.match(
      await sent(chain, '0xde0b6b3a7640000'),
      { verdict: 'danger', risks: [{ code: 'high_fee' }] },
      chain,
    )
})

t.test("an operation's gas, set-up and paymaster are part of what it does", async (t) => {
  const own: Asked = {
    ...{ wallet: OWNER, key: '', chainId: 8453 },
    calls: [{ to: TOKEN, data: approving(ROUTER, 5n), value: 0n }],
  }
  const bundled = (more: Partial<Asked> = {}, initCode: Hex = '0x') => {
    const { to, data } = bundle6(
      { ...own, ...more },
      executeBatch(own),
      initCode,
      executeBatch({ ...own, calls: [] }),
    )
    return asked({ to, data })
  }
  const honest = await bundled()
  t.match(honest, { verdict: 'known', actions: [{ kind: 'approve', spender: ROUTER, from: OWNER }] })
  const dear = await bundled({ gas: 10n ** 14n })
  t.match(dear, { verdict: 'danger' })
  t.match(await bundled({}, `0x${'ee'.repeat(24)}`), { verdict: 'unknown', unknown: [{ where: 'call' }] })
  t.match(await bundled({ paymaster: STRANGER }), { verdict: 'unknown', unknown: [{ where: 'call' }] })
})
