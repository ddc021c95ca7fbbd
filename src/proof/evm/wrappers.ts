/**
 * The calls within a call: what wallets and their contracts wrap around what an app asked for. A batch of an account
 * (ERC-7579, ERC-7821, Safe, Coinbase's smart wallet), redeemed delegations (MetaMask) and user operations (ERC-4337)
 * make an account call others in its own name.
 *
 * A wrapper is read completely or not at all; then it is a call like any other.
 *
 * Source: EIP-7579 · EIP-7821 · EIP-4337 · EIP-7710 · MetaMask/delegation-framework DelegationManager.sol and
 * documents/Deployments.md (v1.3.0) · safe-global/safe-smart-account Safe.sol, MultiSend.sol ·
 * eth-infinitism/account-abstraction
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { MULTI_SENDS } from '../../chains/contracts.ts'
import type { WrapperKind } from '../../chains/transaction-digest.ts'
import { CalldataReader, hexOf } from './calldata.ts'
import enforcers from './enforcers.json' with { type: 'json' }

export type InnerCall = Readonly<ReturnType<typeof callOf>>

export interface Wrapper {
  readonly kind: WrapperKind
  /** The account in whose name the calls are made. */
  readonly account: string
  /** What comes along with the calls, in words, and whether it can only restrict them or pay for them. */
  readonly terms: readonly { readonly words: string; readonly isHarmless: boolean }[]
  /** The most that the account itself pays for gas, wei. */
  readonly fee: bigint
}

export type Unwrapped = Readonly<ReturnType<typeof unwrap>>

/** No wallet nests as deep, or has as many calls. */
const MAX_DEPTH = 4
const MAX_CALLS = 64

const DELEGATION_MANAGER = '0xdb9b1e94b5b69df7e401ddbede43491141047db3'
/** EntryPoint of versions 0.6, 0.7 and 0.8. */
const ENTRY_POINTS: ReadonlySet<string> = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
])
/** The authority of a delegation by the account itself. */
const ROOT = `0x${'ff'.repeat(32)}`
/** Single and batch of EIP-7579, where a failure reverts all; the latter also of EIP-7821. */
const SINGLE_MODE = `0x${'0'.repeat(64)}`
const BATCH_MODES: ReadonlySet<string> = new Set([
  `0x01${'0'.repeat(62)}`,
  `0x01000000000078210001${'0'.repeat(44)}`,
])

/**
 * Enforcers of MetaMask's delegations that compare, and do nothing else: one that pays, or calls others in its place,
 * is not among them.
 */
const COMPARING: ReadonlyMap<string, string> = new Map(Object.entries(enforcers))

interface Execution {
  readonly target: string
  readonly value: bigint
  readonly data: Uint8Array
}
interface Delegation {
  readonly delegate: string
  readonly delegator: string
  readonly authority: Uint8Array
  readonly caveats: readonly { readonly enforcer: string }[]
}
/** A user operation, of EntryPoint 0.6, or with the packed members of later ones. */
export interface Operation {
  readonly sender: string
  readonly initCode: Uint8Array
  readonly callData: Uint8Array
  readonly paymasterAndData: Uint8Array
  readonly preVerificationGas: bigint
  readonly callGasLimit?: bigint
  readonly verificationGasLimit?: bigint
  readonly maxFeePerGas?: bigint
  /** [verification u128][call u128] */
  readonly accountGasLimits?: Uint8Array
  /** [priority u128][all u128] */
  readonly gasFees?: Uint8Array
}
export interface SafeTransaction {
  readonly to: string
  readonly value: bigint
  readonly data: Uint8Array
  readonly operation: bigint
  readonly gasPrice: bigint
}

const EXECUTION = '(address target, uint256 value, bytes data)'
/** User operations of EntryPoint 0.6, and of later ones, as a struct of Solidity. */
export const OPERATION_V6 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)'
export const OPERATION_V7 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)'

/** The type of a Safe's transaction, as EIP-712 encodes it. */
export const SAFE_TX =
  'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)'

const ACCOUNT = new CalldataReader<{
  execute: Execution
  executeBatch: readonly Execution[]
  executeBySender: readonly Execution[]
  executeUserOp: Omit<SafeTransaction, 'gasPrice'>
  executeUserOpWithErrorString: Omit<SafeTransaction, 'gasPrice'>
  execTransaction: SafeTransaction
}>([
  `function executeBySender(${EXECUTION}[] calls)`,
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
  'function execute(address target, uint256 value, bytes data)',
  `function executeBatch(${EXECUTION}[] calls)`,
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
])
/** Functions whose names are taken above, and arguments that are encoded like those of a function. */
const MODES = new CalldataReader<{
  execute: { readonly mode: Uint8Array; readonly executionData: Uint8Array }
}>(['function execute(bytes32 mode, bytes executionData)'])
const COLUMNS = new CalldataReader<{
  executeBatch: { targets: readonly string[]; values: readonly bigint[]; data: readonly Uint8Array[] }
}>(['function executeBatch(address[] targets, uint256[] values, bytes[] data)'])
const CALIBUR = new CalldataReader<{
  execute: { readonly calls: readonly Execution[]; readonly revertOnFailure: boolean }
}>([`function execute((${EXECUTION}[] calls, bool revertOnFailure) batch)`])
const REDEEMED = new CalldataReader<{
  redeemDelegations: {
    contexts: readonly Uint8Array[]
    modes: readonly Uint8Array[]
    executions: readonly Uint8Array[]
  }
}>(['function redeemDelegations(bytes[] contexts, bytes32[] modes, bytes[] executions)'])
const PARTS = new CalldataReader<{
  executions: readonly Execution[]
  delegations: readonly Delegation[]
  multiSend: Uint8Array
}>([
  `function executions(${EXECUTION}[] calls)`,
  'function delegations((address delegate, address delegator, bytes32 authority, (address enforcer, bytes terms, bytes args)[] caveats, uint256 salt, bytes signature)[] chain)',
  'function multiSend(bytes transactions)',
])
const BUNDLES = [OPERATION_V6, OPERATION_V7].map(
  (operation) =>
    new CalldataReader<{ handleOps: { ops: readonly Operation[]; beneficiary: string } }>([
      `function handleOps(${operation}[] ops, address beneficiary)`,
    ]),
)
const [EXECUTIONS, DELEGATIONS] = PARTS.selectors as [string, string, string]

/** Functions that make an account call others: a call of no such function is no wrapper. */
const SELECTORS: ReadonlySet<string> = new Set(
  [ACCOUNT, MODES, COLUMNS, CALIBUR, REDEEMED, ...BUNDLES].flatMap((reader) => reader.selectors),
)

/** Whether a call may be a wrapper, by its function. */
export const mayWrap = (data: string): boolean => SELECTORS.has(data.slice(0, 10))

/**
 * @param outer    addresses and data in lower case
 * @param account  whose batches are opened: to call another's is a call like any other. Null: those of all
 * @param wrappers  that are open already
 * @returns the calls in their order, or the call itself if it is no wrapper; and the wrappers from the outermost one
 */
export function unwrap(outer: readonly InnerCall[], account: string | null, wrappers: Wrapper[] = []) {
  const calls: InnerCall[] = []
  const open = (one: InnerCall, depth: number): void => {
    const isOpen = account === null || one.to === account || isWrapping(one.to)
    const read = isOpen && depth < MAX_DEPTH && mayWrap(one.data) ? within(one) : null
    const inner = read?.flatMap(({ calls }) => calls) ?? []
    if (read === null || calls.length + inner.length > MAX_CALLS) {
      calls.push(one)
      return
    }
    wrappers.push(...read)
    for (const next of inner) open(next, depth + 1)
  }
  for (const one of outer) open(one, 0)
  return { calls, wrappers }
}

/** Whether a contract makes accounts call others, and does nothing else. @param to  in lower case */
export const isWrapping = (to: string): boolean => to === DELEGATION_MANAGER || ENTRY_POINTS.has(to)

export type Opened = Wrapper & { readonly calls: readonly InnerCall[] }

/** @returns null for what is no wrapper, or is not read completely */
function within({ from, to, data, value }: InnerCall): readonly Opened[] | null {
  if (to === DELEGATION_MANAGER) return value === 0n ? redeemed(from, data) : null
  if (ENTRY_POINTS.has(to)) return value === 0n ? bundled(data) : null
  const safe = ACCOUNT.read(data)
  if (safe?.name === 'execTransaction') {
    const opened = value === 0n ? callOfSafe(to, safe.args) : null
    return opened && [opened]
  }
  const calls = batchOf(to, data)
  return calls && [{ kind: 'batch', account: to, terms: [], fee: 0n, calls }]
}

/** The calls of an account's own batch. */
function batchOf(account: string, data: string): readonly InnerCall[] | null {
  const read = ACCOUNT.read(data)
  if (read?.name === 'execute') return [callOf(account, read.args)]
  if (read?.name === 'executeBatch' || read?.name === 'executeBySender')
    return read.args.map((one) => callOf(account, one))
  if (read?.name === 'executeUserOp' || read?.name === 'executeUserOpWithErrorString')
    return callOfSafe(account, { ...read.args, gasPrice: 0n })?.calls ?? null
  const calibur = CALIBUR.read(data)
  if (calibur !== null)
    return calibur.args.revertOnFailure ? calibur.args.calls.map((one) => callOf(account, one)) : null
  const columns = COLUMNS.read(data)
  if (columns !== null) {
    const { targets, values, data } = columns.args
    const isEven = targets.length === data.length && (values.length === 0 || values.length === targets.length)
    return isEven
      ? targets.map((target, i) => callOf(account, { target, value: values[i] ?? 0n, data: data[i]! }))
      : null
  }
  const modal = MODES.read(data)
  return modal && executionsOf(account, hexOf(modal.args.mode), hexOf(modal.args.executionData))
}

/** Addresses are 0x hex in lower case, as is the data. */
const callOf = (from: string, { target, value, data }: Execution) => ({
  /** The account that calls. */
  from,
  to: target.toLowerCase(),
  value,
  data: hexOf(data),
})

/** The bytes of a packed call: its target, its value. */
const TARGET = 20
const PACKED = TARGET + 32

/** @param data  abi.encode(Execution[]), or a packed call, as the mode says */
function executionsOf(account: string, mode: string, data: string): readonly InnerCall[] | null {
  if (BATCH_MODES.has(mode)) {
    const read = PARTS.read(EXECUTIONS + data.slice(2))
    return read?.name === 'executions' ? read.args.map((one) => callOf(account, one)) : null
  }
  const digits = data.slice(2)
  if (mode !== SINGLE_MODE || digits.length < 2 * PACKED) return null
  return [
    {
      from: account,
      to: `0x${digits.slice(0, 2 * TARGET)}`,
      value: BigInt(`0x${digits.slice(2 * TARGET, 2 * PACKED)}`),
      data: `0x${digits.slice(2 * PACKED)}`,
    },
  ]
}

function redeemed(redeemer: string, data: string): readonly Opened[] | null {
  const { contexts, modes, executions } = REDEEMED.read(data)?.args ?? {}
  if (!contexts || !modes || !executions) return null
  if (contexts.length !== modes.length || contexts.length !== executions.length) return null
  const opened: Opened[] = []
  for (const [i, context] of contexts.entries()) {
    const chain = context.length === 0 ? [] : delegationsOf(context)
    if (chain === null) return null
    const account = chain.at(-1)?.delegator.toLowerCase() ?? redeemer
    const calls = executionsOf(account, hexOf(modes[i]!), hexOf(executions[i]!))
    if (calls === null) return null
    opened.push({ kind: 'delegation', account, calls, terms: chain.flatMap(termsOf), fee: 0n })
  }
  return opened
}

/** A chain of delegations, from that of the redeemer to that of the account. */
function delegationsOf(context: Uint8Array): readonly Delegation[] | null {
  const read = PARTS.read(DELEGATIONS + bytesToHex(context))
  const chain = read?.name === 'delegations' ? read.args : null
  const root = chain?.at(-1)
  return root !== undefined && hexOf(root.authority) === ROOT ? chain : null
}

/** On chain, a delegation can be used again by its delegate: only one to the account itself gives nothing away. */
const termsOf = ({ delegate, delegator, caveats }: Delegation): Wrapper['terms'] => [
  ...(delegate.toLowerCase() === delegator.toLowerCase()
    ? []
    : [{ words: `lets ${delegate} act for ${delegator}, again and again`, isHarmless: false }]),
  ...caveats.map(({ enforcer }) => {
    const what = COMPARING.get(enforcer.toLowerCase())
    const words =
      what === undefined
        ? `asks ${enforcer.toLowerCase()}, which is no enforcer that is known here`
        : `fails unless ${what} is as the wallet set it`
    return { words, isHarmless: what !== undefined }
  }),
]

function bundled(data: string): readonly Opened[] | null {
  for (const reader of BUNDLES) {
    const read = reader.read(data)
    if (read !== null) return read.args.ops.map(operationOf)
  }
  return null
}

/** executeUserOp of EIP-4337's accounts with hooks: what follows its selector is the call itself, or Calibur's batch. */
const EXECUTE_USER_OP = '0x8dd7712f'

/** A user operation. Its account is deployed by its first one, and somebody else may pay for its gas. */
export function operationOf(operation: Operation): Opened {
  const { sender, initCode, callData, paymasterAndData } = operation
  const account = sender.toLowerCase()
  const whole = hexOf(callData)
  const rest = whole.slice(EXECUTE_USER_OP.length)
  const calls = whole.startsWith(EXECUTE_USER_OP)
    ? (batchOf(account, `0x${rest}`) ?? batchOf(account, CALIBUR.selectors[0] + rest))
    : batchOf(account, whole)
  const isPaid = paymasterAndData.length > 0
  const payer = hexOf(paymasterAndData.subarray(0, TARGET))
  const payment = { words: `lets ${payer} pay for its gas, on terms that are not shown`, isHarmless: true }
  return {
    kind: 'user_operation',
    account,
    calls: calls ?? [{ from: account, to: account, value: 0n, data: whole }],
    terms: [...(initCode.length > 0 ? [deploys(hexOf(initCode))] : []), ...(isPaid ? [payment] : [])],
    fee: feeOf(operation),
  }
}

/** Also if a paymaster pays: it has it back on its own terms, and for EntryPoint one of zeros is nobody. */
function feeOf(operation: Operation): bigint {
  const { accountGasLimits, gasFees, preVerificationGas, paymasterAndData } = operation
  // [paymaster 20][verification u128][after it u128], if the limits are packed
  const ofPaymaster = accountGasLimits?.length ? paymasterAndData.subarray(TARGET, TARGET + 32) : undefined
  const half = (bytes: Uint8Array | undefined, at: 0 | 16) =>
    bytes?.length === 32 ? BigInt(hexOf(bytes.subarray(at, at + 16))) : 0n
  const units =
    (operation.callGasLimit ?? 0n) +
    (operation.verificationGasLimit ?? 0n) +
    half(accountGasLimits, 0) +
    half(accountGasLimits, 16) +
    half(ofPaymaster, 0) +
    half(ofPaymaster, 16) +
    preVerificationGas
  return units * ((operation.maxFeePerGas ?? 0n) + half(gasFees, 16))
}

/**
 * The address of an account decides which code it is deployed with. If an authorization sets it (EIP-7702), what
 * follows the marker is called in the name of the account.
 */
function deploys(initCode: string): Wrapper['terms'][number] {
  const isCalled = initCode.startsWith('0x7702') && initCode.length > 2 + 2 * TARGET
  return isCalled
    ? { words: `calls the account with ${initCode.slice(2 + 2 * TARGET)} to set it up`, isHarmless: false }
    : { words: 'deploys the account', isHarmless: true }
}

/** A transaction of a Safe; null if it runs foreign code, other than that of a batch. */
export function callOfSafe(safe: string, transaction: SafeTransaction): Opened | null {
  const { to, value, data, operation, gasPrice } = transaction
  const calls =
    operation === 0n
      ? [callOf(safe, { target: to, value, data })]
      : MULTI_SENDS.has(to.toLowerCase())
        ? sent(safe, hexOf(data))
        : null
  const refund = { words: 'pays back its gas out of the Safe, without a bound', isHarmless: false }
  return calls && { kind: 'safe', account: safe, calls, terms: gasPrice > 0n ? [refund] : [], fee: 0n }
}

/** The calls of MultiSend; null if one runs foreign code, or is cut off. */
function sent(safe: string, data: string): readonly InnerCall[] | null {
  const read = PARTS.read(data)
  if (read?.name !== 'multiSend') return null
  const { calls, rest } = sentTogether(bytesToHex(read.args))
  if (rest !== '' || calls.some(({ isDelegated }) => isDelegated)) return null
  return calls.map(({ to, value, data }) => ({ from: safe, to, value, data }))
}

/**
 * Reads [operation u8][to 20][value u256][length u256][data], one after the other.
 * @param digits  hex, without 0x
 * @returns the calls, and the digits from one on that is cut off
 */
export function sentTogether(digits: string) {
  const calls: { to: string; value: bigint; data: string; isDelegated: boolean }[] = []
  let at = 0
  while (at < digits.length) {
    const cut = (from: number, length: number) => digits.slice(at + 2 * from, at + 2 * (from + length))
    const length = Number(BigInt(`0x${cut(1 + PACKED, 32) || '0'}`))
    const end = at + 2 * (1 + PACKED + 32 + length)
    if (end > digits.length) break
    calls.push({
      to: `0x${cut(1, TARGET)}`,
      value: BigInt(`0x${cut(1 + TARGET, 32)}`),
      data: `0x${cut(1 + PACKED + 32, length)}`,
      isDelegated: cut(0, 1) !== '00',
    })
    at = end
  }
  return { calls, rest: digits.slice(at) }
}
