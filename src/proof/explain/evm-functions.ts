/** What each known function does. The selectors are checked by a test. */
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { EvmChain } from '../../chains/definition.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../evm-rules.ts'
import { MAX_VELORA_FEE_BPS } from '../fees.ts'
import type { SwapTerms } from '../swap-terms.ts'
import type { Args, CallReader, ReadCall } from './evm-args.ts'
import { canonical, type EvmContext, isNative, isUnlimited, PERMIT2 } from './evm-context.ts'
import type { Findings } from './findings.ts'
import type { RiskCode } from './risks.ts'

interface Reading {
  readonly args: Args
  readonly call: ReadCall
  readonly context: EvmContext
  readonly read: CallReader
}

export interface KnownFunction {
  readonly signature: string
  readonly name: string
  reads(reading: Reading): void | Promise<void>
  /** Which contracts mean it so; all where absent: a standard's function. */
  readonly at?: (to: string, chain: EvmChain, found: Findings) => boolean
  readonly isPayable?: boolean
}

export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const ZERO = '0x0000000000000000000000000000000000000000'

const functions = new Map<string, KnownFunction>()
/** @returns each known function by its selector */
export const FUNCTIONS: ReadonlyMap<string, KnownFunction> = functions

function row(
  selector: string,
  signature: string,
  reads: KnownFunction['reads'],
  more: Partial<KnownFunction> = {},
): void {
  const name = signature.slice(0, signature.indexOf('('))
  functions.set(selector, { signature: `function ${signature}`, name, reads, ...more })
}

const only =
  (...addresses: readonly string[]) =>
  (to: string): boolean =>
    addresses.includes(to)
const atRouter = (to: string, _: EvmChain, found: Findings): boolean => found.isRouter(to) && to !== PERMIT2
const atNamed = (to: string, chain: EvmChain, found: Findings): boolean =>
  found.isNamed(to) || atRouter(to, chain, found)

/** Moves of tokens. The sender is `from`, or whoever called. */
function transfers(
  { call, context: { found } }: Reading,
  from: string | null,
  to: string,
  amount: bigint | null,
  id: bigint | null = null,
): void {
  const what = id === null ? `${amount} of ${call.to}` : `the token ${id} of ${call.to}`
  const fields = id === null ? null : { token_id: String(id) }
  found.act('transfer', `sends ${what} to ${to}`, {
    program: call.to,
    asset: call.to,
    amount: amount === null ? null : String(amount),
    from,
    to,
    fields,
  })
  if (amount === 0n) found.meets(to)
  else if (!found.isOwn(to)) found.pays(to, what)
}

/** @param token  where it is not the contract that is called */
function approves(
  { call, context: { found } }: Reading,
  spender: string,
  amount: bigint,
  token = call.to,
): void {
  const more = { program: call.to, asset: token, amount: String(amount), from: call.from, spender }
  if (amount === 0n) {
    found.act('revoke', `takes the permission of ${spender} over ${token} back`, more)
    return
  }
  found.act('approve', `lets ${spender} take ${amount} of ${token}, or the NFT of that number`, more)
  found.empowers(spender, isUnlimited(amount), 'approval')
}

/** All tokens of a collection, or a whole position. */
function operates({ call, context: { found } }: Reading, operator: string, isOn = true): void {
  const more = { program: call.to, asset: call.to, from: call.from, spender: operator }
  if (!isOn) {
    found.act('revoke', `takes all power over ${call.to} from ${operator}`, more)
    return
  }
  found.act('approve', `lets ${operator} move all that you hold in ${call.to}`, more)
  found.meets(operator)
  const isKnown = found.isNamed(operator) || found.isRouter(operator)
  found.risk('operator', `${operator} may move all of it, now and later.`, isKnown ? 'warning' : 'danger')
}

/** A power that changes hands, always dangerous. */
const powers =
  (code: RiskCode, words: string, who: string | null = null): KnownFunction['reads'] =>
  ({ args, call, context: { found } }) => {
    const to = who === null ? null : args.address(who)
    found.act(
      code === 'upgrade' ? 'upgrade' : 'authority',
      `${words} of ${call.to}${to === null ? '' : ` to ${to}`}`,
      {
        program: call.to,
        from: call.from,
        to,
        fields: args.texts(),
      },
    )
    if (to !== null) found.meets(to)
    if (to === null || !found.isOwn(to))
      found.risk(code, `${words} of ${call.to}${to === null ? '' : `: ${to}`}.`)
  }

/** A permit whose signature somebody brings. */
function spendsPermit(
  reading: Reading,
  owner: string,
  spender: string,
  amount: bigint,
  token?: string,
): void {
  const {
    call,
    context: { found },
  } = reading
  const asset = token ?? call.to
  found.act('permit', `lets ${spender} take ${amount} of ${asset} from ${owner}, by a signature`, {
    program: call.to,
    asset,
    amount: String(amount),
    from: owner,
    spender,
  })
  if (!found.isOwn(owner)) found.risk('foreign_permit', `It spends a signature of ${owner}.`)
  else if (amount > 0n) found.empowers(spender, isUnlimited(amount), 'approval')
}

/** What swaps commit to. */
export function swaps(
  found: Findings,
  call: ReadCall,
  terms: Omit<SwapTerms, 'checks' | 'deadline'>,
  owner = found.owner,
  hasSentinels = false,
): void {
  const [tokenIn, tokenOut, recipient] = [terms.tokenIn, terms.tokenOut, terms.recipient].map(
    (one) => canonical(one) ?? one,
  ) as [string, string, string]
  const nameOf = (token: string) => (isNative(token) ? 'native' : token)
  found.act(
    'swap',
    `swaps ${terms.amountIn} of ${nameOf(tokenIn)} for at least ${terms.minOut} of ${nameOf(tokenOut)}`,
    {
      program: call.to,
      asset: nameOf(tokenIn),
      amount: String(terms.amountIn),
      from: owner,
      to: recipient,
      fields: { asset_out: nameOf(tokenOut), at_least: String(terms.minOut) },
    },
  )
  if (terms.minOut <= 1n) found.risk('no_minimum', `At least ${terms.minOut} arrive.`)
  const paid = isNative(tokenIn) ? terms.amountIn : 0n
  if (call.value > paid) found.pays(call.to, `${call.value - paid} wei more than are swapped`)
  receives(found, recipient, 'What is bought', hasSentinels)
}

/** Who gets what the owner pays for. Routers write themselves and the sender as small numbers. */
function receives(found: Findings, recipient: string, what: string, hasSentinels = true): void {
  if ((hasSentinels && BigInt(recipient) <= 2n) || found.isOwn(recipient)) return
  found.meets(recipient)
  const severity = found.owner === null || found.isNamed(recipient) ? 'warning' : 'danger'
  found.risk('foreign_recipient', `${what} goes to ${recipient}.`, severity)
}

async function inner(
  { call, read }: Reading,
  calls: readonly { to?: string; value?: bigint; data: string; from?: string | null }[],
): Promise<void> {
  let i = 0
  for (const one of calls) {
    const { to = call.to, value = 0n, data, from = call.from } = one
    await read({ where: `${call.where}.${++i}`, from, to, value, data, depth: call.depth + 1 })
  }
}

// Tokens.
row('0xa9059cbb', 'transfer(address to, uint256 amount)', (r) =>
  transfers(r, r.call.from, r.args.address('to'), r.args.int('amount')),
)
row('0x23b872dd', 'transferFrom(address from, address to, uint256 amount)', (r) =>
  transfers(r, r.args.address('from'), r.args.address('to'), r.args.int('amount')),
)
row('0x42842e0e', 'safeTransferFrom(address from, address to, uint256 id)', (r) =>
  transfers(r, r.args.address('from'), r.args.address('to'), 1n, r.args.int('id')),
)
row('0xb88d4fde', 'safeTransferFrom(address from, address to, uint256 id, bytes data)', (r) =>
  transfers(r, r.args.address('from'), r.args.address('to'), 1n, r.args.int('id')),
)
row('0xf242432a', 'safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)', (r) =>
  transfers(r, r.args.address('from'), r.args.address('to'), r.args.int('amount'), r.args.int('id')),
)
row(
  '0x2eb2c2d6',
  'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
  (r) => {
    const amounts = r.args.ints('amounts')
    r.args.ints('ids').forEach((id, i) => {
      transfers(r, r.args.address('from'), r.args.address('to'), amounts[i] ?? null, id)
    })
  },
)
for (const [selector, signature] of [
  ['0x095ea7b3', 'approve(address spender, uint256 amount)'],
  ['0x39509351', 'increaseAllowance(address spender, uint256 amount)'],
  ['0xd73dd623', 'increaseApproval(address spender, uint256 amount)'],
  ['0xcae9ca51', 'approveAndCall(address spender, uint256 amount, bytes data)'],
  ['0x3177029f', 'approveAndCall(address spender, uint256 amount)'],
  ['0xc04a8a10', 'approveDelegation(address spender, uint256 amount)'],
] as const)
  row(selector, signature, (r) => approves(r, r.args.address('spender'), r.args.int('amount')))
row('0xa457c2d7', 'decreaseAllowance(address spender, uint256 amount)', (r) =>
  approves(r, r.args.address('spender'), 0n),
)
for (const [selector, signature] of [
  ['0xa22cb465', 'setApprovalForAll(address operator, bool approved)'],
  ['0x558a7297', 'setOperator(address operator, bool approved)'],
  ['0x110496e5', 'allow(address operator, bool approved)'],
  ['0xeecea000', 'setAuthorization(address operator, bool approved)'],
  ['0xfa6e671d', 'setRelayerApproval(address sender, address operator, bool approved)'],
] as const)
  row(selector, signature, (r) => operates(r, r.args.address('operator'), r.args.is('approved')))
for (const [selector, name] of [
  ['0x959b8c3f', 'authorizeOperator'],
  ['0xa3b22fc4', 'hope'],
] as const)
  row(selector, `${name}(address operator)`, (r) => operates(r, r.args.address('operator')))
row(
  '0xd505accf',
  'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  (r) => spendsPermit(r, r.args.address('owner'), r.args.address('spender'), r.args.int('value')),
)
row(
  '0x9fd5a6cf',
  'permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
  (r) => spendsPermit(r, r.args.address('owner'), r.args.address('spender'), r.args.int('value')),
)
row(
  '0x8fcbaf0c',
  'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  (r) =>
    spendsPermit(
      r,
      r.args.address('holder'),
      r.args.address('spender'),
      r.args.is('allowed') ? 2n ** 256n - 1n : 0n,
    ),
)
row('0x42966c68', 'burn(uint256 amount)', (r) => {
  const {
    call,
    context: { found },
  } = r
  found.act('burn', `destroys ${r.args.int('amount')} of ${call.to}`, {
    program: call.to,
    asset: call.to,
    amount: String(r.args.int('amount')),
    from: call.from,
  })
  found.risk('burn', 'It is gone then.')
})

// The wrapped native coin.
const atWrapped = (to: string, chain: EvmChain): boolean => to === canonical(chain.wrappedNative)
row(
  '0xd0e30db0',
  'deposit()',
  ({ call, context: { found } }) =>
    found.act('wrap', `wraps ${call.value} wei`, {
      program: call.to,
      asset: 'native',
      amount: String(call.value),
      from: call.from,
      to: call.from,
    }),
  { at: atWrapped, isPayable: true },
)
row(
  '0x2e1a7d4d',
  'withdraw(uint256 amount)',
  ({ args, call, context: { found } }) =>
    found.act('unwrap', `unwraps ${args.int('amount')} wei`, {
      program: call.to,
      asset: call.to,
      amount: String(args.int('amount')),
      from: call.from,
      to: call.from,
    }),
  { at: atWrapped },
)

// Permit2.
const permit2 = { at: only(PERMIT2) }
const DETAILS = 'address token, uint160 amount, uint48 expiration, uint48 nonce'
const SINGLE = `((${DETAILS}) details, address spender, uint256 sigDeadline) permitSingle`
const PERMITTED = '(address token, uint256 amount)'
const REQUEST = '(address to, uint256 requestedAmount)'
row(
  '0x87517c45',
  'approve(address token, address spender, uint160 amount, uint48 expiration)',
  (r) => approves(r, r.args.address('spender'), r.args.int('amount'), r.args.address('token')),
  permit2,
)
row(
  '0x36c78516',
  'transferFrom(address from, address to, uint160 amount, address token)',
  (r) =>
    transfers(
      { ...r, call: { ...r.call, to: r.args.address('token') } },
      r.args.address('from'),
      r.args.address('to'),
      r.args.int('amount'),
    ),
  permit2,
)
row(
  '0x2b67b570',
  `permit(address owner, ${SINGLE}, bytes signature)`,
  (r) => {
    const single = r.args.struct('permitSingle')
    const details = single.struct('details')
    spendsPermit(
      r,
      r.args.address('owner'),
      single.address('spender'),
      details.int('amount'),
      details.address('token'),
    )
  },
  permit2,
)
row(
  '0x2a2d80d1',
  `permit(address owner, ((${DETAILS})[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)`,
  (r) => {
    const batch = r.args.struct('permitBatch')
    for (const details of batch.structs('details'))
      spendsPermit(
        r,
        r.args.address('owner'),
        batch.address('spender'),
        details.int('amount'),
        details.address('token'),
      )
  },
  permit2,
)
row(
  '0x30f28b7a',
  `permitTransferFrom((${PERMITTED} permitted, uint256 nonce, uint256 deadline) permit, ${REQUEST} transferDetails, address owner, bytes signature)`,
  (r) => {
    const permitted = r.args.struct('permit').struct('permitted')
    spendsPermit(
      r,
      r.args.address('owner'),
      r.call.from ?? ZERO,
      permitted.int('amount'),
      permitted.address('token'),
    )
  },
  permit2,
)
row(
  '0xcc53287f',
  'lockdown((address token, address spender)[] approvals)',
  ({ call, context: { found } }) =>
    found.act('revoke', 'takes permissions in Permit2 back', { program: call.to, from: call.from }),
  permit2,
)

// Batches.
for (const [selector, signature] of [
  ['0xac9650d8', 'multicall(bytes[] data)'],
  ['0x5ae401dc', 'multicall(uint256 deadline, bytes[] data)'],
  ['0x1f0464d1', 'multicall(bytes32 previousBlockhash, bytes[] data)'],
] as const)
  row(
    selector,
    signature,
    (r) =>
      inner(
        r,
        r.args.hexes('data').map((data) => ({ data })),
      ),
    { at: atNamed },
  )
const aggregated = (r: Reading) =>
  inner(
    r,
    r.args
      .structs('calls')
      .map((one) => ({ to: one.address('target'), data: one.hex('callData'), from: MULTICALL3 })),
  )
row('0x252dba42', 'aggregate((address target, bytes callData)[] calls)', aggregated, { at: only(MULTICALL3) })
row('0x82ad56cb', 'aggregate3((address target, bool allowFailure, bytes callData)[] calls)', aggregated, {
  at: only(MULTICALL3),
})
row(
  '0xb61d27f6',
  'execute(address target, uint256 value, bytes data)',
  (r) =>
    inner(r, [
      { to: r.args.address('target'), value: r.args.int('value'), data: r.args.hex('data'), from: r.call.to },
    ]),
  { at: atNamed },
)
row(
  '0x34fcd5be',
  'executeBatch((address target, uint256 value, bytes data)[] calls)',
  (r) =>
    inner(
      r,
      r.args.structs('calls').map((one) => ({
        to: one.address('target'),
        value: one.int('value'),
        data: one.hex('data'),
        from: r.call.to,
      })),
    ),
  { at: atNamed },
)
row(
  '0x47e1da2a',
  'executeBatch(address[] targets, uint256[] values, bytes[] data)',
  (r) => {
    const [values, data] = [r.args.ints('values'), r.args.hexes('data')]
    return inner(
      r,
      r.args
        .addresses('targets')
        .map((to, i) => ({ to, value: values[i] ?? 0n, data: data[i] ?? '0x', from: r.call.to })),
    )
  },
  { at: atNamed },
)

// Safe: what a transaction of the account does, and who controls it.
/** Executes a Safe's own transaction, which its owners also sign as typed data. */
export async function safeTransaction(reading: Reading): Promise<void> {
  const {
    args,
    call,
    context: { found },
  } = reading
  const to = args.address('to')
  const isMultiSend = MULTI_SEND.has(to)
  if (args.int('operation') !== 0n && !isMultiSend) {
    found.act('call', `runs the code of ${to} in the name of the account`, { program: to, from: call.to })
    found.risk('delegatecall', `The code of ${to} may do anything with the account.`)
  }
  const pays = args.int('gasPrice') > 0n
  const receiver = args.address('refundReceiver')
  if (pays) {
    found.act('transfer', `refunds gas to ${receiver}`, {
      asset: args.address('gasToken'),
      from: call.to,
      to: receiver,
    })
    found.risk('high_fee', `${args.int('gasPrice')} are paid for each unit of gas, to ${receiver}.`)
  }
  await inner(reading, [{ to, value: args.int('value'), data: args.hex('data'), from: call.to }])
}
/** MultiSend and MultiSendCallOnly of versions 1.3.0 and 1.4.1, which are called in the account's name. */
const MULTI_SEND: ReadonlySet<string> = new Set(
  [
    '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761',
    '0x40a2accbd92bca938b02010e17a5b8929b49130d',
    '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
    '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
  ].map((one) => canonical(one)!),
)
row(
  '0x6a761202',
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  safeTransaction,
  { at: atNamed },
)
row('0x8d80ff0a', 'multiSend(bytes transactions)', (r) => inner(r, packed(r)), {
  at: (to) => MULTI_SEND.has(to),
})

/** [operation u8][to 20][value u256][length u256][data], one after the other. */
function packed({ args, call, context: { found } }: Reading): { to: string; value: bigint; data: string }[] {
  const bytes = concatBytes(hexToBytes(args.hex('transactions').slice(2)))
  const hex = args.hex('transactions').slice(2)
  const calls: { to: string; value: bigint; data: string }[] = []
  for (let at = 0; at < bytes.length; ) {
    const text = (from: number, length: number) => hex.slice(2 * (at + from), 2 * (at + from + length))
    const length = Number(BigInt(`0x${text(53, 32) || '0'}`))
    if (bytes.length - at < 85 + length) {
      found.leave(call.where, 'a batch is cut off', bytes.subarray(at))
      break
    }
    const to = canonical(`0x${text(1, 20)}`)!
    if (bytes[at] !== 0) found.risk('delegatecall', `The code of ${to} may do anything with the account.`)
    calls.push({ to, value: BigInt(`0x${text(21, 32)}`), data: `0x${text(85, length)}` })
    at += 85 + length
  }
  return calls
}

const control = (words: string, who: string | null = null) => powers('account_control', words, who)
row('0x610b5925', 'enableModule(address module)', control('gives a module all power', 'module'))
row('0xe19a9dd9', 'setGuard(address guard)', control('changes the guard'))
row('0xe068df37', 'setModuleGuard(address guard)', control('changes the guard of modules'))
row('0xf08a0323', 'setFallbackHandler(address handler)', control('changes who answers for the account'))
row(
  '0x0d582f13',
  'addOwnerWithThreshold(address owner, uint256 threshold)',
  control('adds an owner', 'owner'),
)
row(
  '0xe318b52b',
  'swapOwner(address previous, address old, address owner)',
  control('replaces an owner', 'owner'),
)
row(
  '0xf8dc5dd9',
  'removeOwner(address previous, address owner, uint256 threshold)',
  control('removes an owner'),
)
row('0x694e80c3', 'changeThreshold(uint256 threshold)', control('changes how many owners sign'))
row(
  '0xd4d9bdcd',
  'approveHash(bytes32 hash)',
  powers('blind_signature', 'approves a transaction by its hash'),
)

// Code and owners of contracts.
const authority = (words: string, who: string) => powers('authority_change', words, who)
for (const [selector, signature] of [
  ['0x3659cfe6', 'upgradeTo(address implementation)'],
  ['0x4f1ef286', 'upgradeToAndCall(address implementation, bytes data)'],
  ['0x99a88ec4', 'upgrade(address proxy, address implementation)'],
  ['0x9623609d', 'upgradeAndCall(address proxy, address implementation, bytes data)'],
  [
    '0x1f931c1c',
    'diamondCut((address facet, uint8 action, bytes4[] selectors)[] cuts, address init, bytes data)',
  ],
  ['0x7de7edef', 'changeMasterCopy(address implementation)'],
] as const)
  row(selector, signature, powers('upgrade', 'replaces the code'))
row('0x8f283970', 'changeAdmin(address admin)', authority('gives the admin', 'admin'))
row('0x7eff275e', 'changeProxyAdmin(address proxy, address admin)', authority('gives the admin', 'admin'))
row('0xf2fde38b', 'transferOwnership(address owner)', authority('gives the ownership', 'owner'))
row('0x2f2ff15d', 'grantRole(bytes32 role, address account)', authority('gives a role', 'account'))
row('0x634e93da', 'beginDefaultAdminTransfer(address admin)', authority('gives the admin', 'admin'))
row('0x7a9e5e4b', 'setAuthority(address authority)', authority('gives the authority', 'authority'))
row('0x13af4035', 'setOwner(address owner)', authority('gives the ownership', 'owner'))
row('0x5b0fc9c3', 'setOwner(bytes32 node, address owner)', authority('gives a name', 'owner'))
row('0x28ed4f6c', 'reclaim(uint256 id, address owner)', authority('gives a name', 'owner'))
row(
  '0x1896f70a',
  'setResolver(bytes32 node, address resolver)',
  authority('changes where a name leads', 'resolver'),
)

// Swaps at routers that the proofs read, and those of Uniswap V3's form.
type Terms = (data: string, from: string, chain: EvmChain) => Promise<Omit<SwapTerms, 'checks' | 'deadline'>>
const proved =
  (terms: Terms): KnownFunction['reads'] =>
  async ({ call, context: { found, chain } }) => {
    try {
      swaps(found, call, await terms(call.data, found.owner ?? ZERO, chain))
    } catch (error) {
      found.act('swap', `swaps at ${call.to}`, { program: call.to, from: call.from })
      found.leave(
        call.where,
        `the proofs do not read it: ${String((error as { fields?: { rule?: string } }).fields?.rule ?? 'calldata')}`,
        hexToBytes(call.data.slice(2)),
      )
    }
  }
const kyber: Terms = async (data, from) => (await import('../kyberswap.ts')).readKyberswap(data, from)
const velora: Terms = async (data, from, { wrappedNative }) =>
  (await import('../velora.ts')).readVelora(data, {
    from,
    expectedOut: 0n,
    feeBps: MAX_VELORA_FEE_BPS,
    wrappedNative,
  })

/** The proofs read the arguments: none is decoded here. */
export const ROUTES: readonly (readonly [
  router: string,
  selectors: () => Promise<readonly string[]>,
  reads: KnownFunction['reads'],
])[] = [
  [KYBERSWAP_ROUTER, async () => (await import('../kyberswap.ts')).KYBERSWAP.selectors, proved(kyber)],
  [VELORA_ROUTER, async () => (await import('../velora.ts')).AUGUSTUS.selectors, proved(velora)],
]
const v2 = { at: atRouter, isPayable: true }
const v2Swap =
  (hasAmount: boolean): KnownFunction['reads'] =>
  ({ args, call, context: { found } }) => {
    const path = args.addresses('path')
    if (path.length < 2) return found.leave(call.where, 'the path of the swap is too short')
    const [tokenIn, tokenOut] = [hasAmount ? path[0]! : ZERO, path.at(-1)!]
    swaps(found, call, {
      tokenIn,
      tokenOut,
      amountIn: hasAmount ? args.int('amountIn') : call.value,
      minOut: args.int('amountOutMin'),
      recipient: args.address('to'),
    })
  }
const V2_END = 'uint256 amountOutMin, address[] path, address to, uint256 deadline'
row('0x7ff36ab5', `swapExactETHForTokens(${V2_END})`, v2Swap(false), v2)
row('0xb6f9de95', `swapExactETHForTokensSupportingFeeOnTransferTokens(${V2_END})`, v2Swap(false), v2)
for (const [selector, name] of [
  ['0x38ed1739', 'swapExactTokensForTokens'],
  ['0x5c11d795', 'swapExactTokensForTokensSupportingFeeOnTransferTokens'],
  ['0x18cbafe5', 'swapExactTokensForETH'],
  ['0x791ac947', 'swapExactTokensForETHSupportingFeeOnTransferTokens'],
] as const)
  row(selector, `${name}(uint256 amountIn, ${V2_END})`, v2Swap(true), v2)

const SINGLE_POOL = 'address tokenIn, address tokenOut, uint24 fee, address recipient'
const v3Single: KnownFunction['reads'] = ({ args, call, context: { found } }) => {
  const params = args.struct('params')
  const [tokenIn, tokenOut, recipient] = ['tokenIn', 'tokenOut', 'recipient'].map(params.address) as [
    string,
    string,
    string,
  ]
  swaps(
    found,
    call,
    {
      tokenIn,
      tokenOut,
      amountIn: params.int('amountIn'),
      minOut: params.int('amountOutMinimum'),
      recipient,
    },
    found.owner,
    true,
  )
}
row(
  '0x414bf389',
  `exactInputSingle((${SINGLE_POOL}, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)`,
  v3Single,
  v2,
)
row(
  '0x04e45aaf',
  `exactInputSingle((${SINGLE_POOL}, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)`,
  v3Single,
  v2,
)
const sweeps =
  (what: string): KnownFunction['reads'] =>
  ({ args, call, context: { found } }) => {
    const recipient = args.address('recipient')
    found.act('transfer', `pays ${what} out to ${recipient}`, {
      program: call.to,
      from: call.to,
      to: recipient,
    })
    receives(found, recipient, what)
  }
row('0x49404b7c', 'unwrapWETH9(uint256 amountMinimum, address recipient)', sweeps('what was bought'), v2)
row(
  '0xdf2ab5bb',
  'sweepToken(address token, uint256 amountMinimum, address recipient)',
  sweeps('what was bought'),
  v2,
)
row(
  '0xfc6f7865',
  'collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params)',
  ({ args, call, context: { found } }) => {
    const recipient = args.struct('params').address('recipient')
    found.act('transfer', `pays a position out to ${recipient}`, {
      program: call.to,
      from: call.to,
      to: recipient,
    })
    receives(found, recipient, 'The position')
  },
  v2,
)
