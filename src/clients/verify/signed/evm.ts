/**
 * Compares what a wallet signed on an EVM chain with the calls that were built: alone, or within a wrapper of the
 * wallet's. The swap has to be there byte for byte, in the name of the wallet, and beside its approvals nothing else.
 *
 * Source: proof/evm/wrappers.ts · EIP-712 · EIP-5792 · EIP-7702
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { EVM_CHAINS } from '../../../chains/find.ts'
import { boundOf } from '../../../explain/ledger.ts'
import type { InnerCall, Unwrapped } from '../../../proof/evm/wrappers.ts'
import type { EvmTransaction as BuiltTransaction, Send } from '../types.ts'
import type { Changes } from './changes.ts'
import type { Signed } from './solana.ts'

type EvmSend = Send & { readonly family: 'evm' }
type Body = Readonly<Record<string, unknown>>

/** A wallet sets its own gas, with room for higher prices when it lands. */
const GAS_ROOM = 10n
const HASH = /^0x[0-9a-fA-F]{64}$/
const NONE = { id: null, isAsBuilt: false }

/** What was signed: some calls, with what comes along. */
interface SignedCalls {
  readonly id: string | null
  /** Null if the bytes name none: good on every chain. */
  readonly chainId: bigint | null
  /** The sender; null if nobody signed it. For calls in the wallet's own name, the wallet. */
  readonly from: string | null
  readonly unwrapped: Unwrapped
  /** The most that it pays for gas, wei; null if that is set elsewhere. */
  readonly gas: bigint | null
  /** Code that accounts take on (EIP-7702). */
  readonly codes: readonly { readonly chainId: bigint; readonly address: string }[]
  readonly unread: readonly string[]
}

/**
 * Code that wallets give to their own users' accounts (EIP-7702), which obeys the account's key.
 * Source: ethereum.org/roadmap/pectra/7702, "Best implementations" · MetaMask/delegation-framework
 * documents/Deployments.md · base/eip-7702-proxy README
 */
const KNOWN_CODES: ReadonlyMap<string, string> = new Map([
  [`0x${'0'.repeat(40)}`, 'no code'],
  ['0x63c0c19a282a1b52b07dd5a65b58948a07dae32b', "MetaMask's smart account"],
  ['0x000000009b1d0af20d8c6d0a44e162d11f9b8f00', "Uniswap's Calibur"],
  ['0x69007702764179f14f51cdce752f4f775d74e139', "Alchemy's modular account"],
  ['0x5a7fc11397e9a8ad41bf10bf13f22b0a63f96f6d', "Ambire's account"],
  ['0x7702cb554e6bfb442cb743a7df23154544a7176c', "Coinbase's smart wallet"],
])

/**
 * @param body  a serialized transaction or its hash; a transaction as nodes and wallets write it in JSON, calls of
 *   EIP-5792, typed data of a Safe, or a user operation
 * @param shown  the gas that the build showed, wei; null if it showed none
 */
export async function compareEvm(
  body: unknown,
  send: EvmSend,
  shown: bigint | null,
  changes: Changes,
): Promise<Signed> {
  if (typeof body === 'string' && HASH.test(body)) {
    changes.leave('a hash does not show what was signed: the signed transaction would')
    return { id: body, isAsBuilt: false }
  }
  const swap = send.transactions.at(-1)!
  const wallet = swap.from.toLowerCase()
  const signed =
    typeof body === 'string' ? await readBytes(body, wallet) : await readObject(body, send, wallet)
  if (signed === null) {
    changes.refuse('form', 'is no signed transaction, and nothing else that a wallet signs for a swap')
    return NONE
  }
  const { chainId, gas, codes, unread, id } = signed
  if (chainId !== BigInt(send.chainId))
    changes.refuse('chain', `is for ${chainId === null ? 'every chain' : `the chain ${chainId}`}`)
  compareCodes(codes, changes)
  for (const why of unread) changes.leave(why)
  if (gas !== null) compareGas(gas, shown, send.chainId, changes)
  await compareCalls(signed, send.transactions, wallet, send.chainId, changes)
  return { id, isAsBuilt: changes.list.every(({ isAllowed }) => isAllowed) }
}

async function readBytes(body: string, wallet: string): Promise<SignedCalls | null> {
  const { readSerialized } = await import('../../../explain/evm/envelope.ts')
  const read = body.startsWith('0x') ? await readSerialized(body) : null
  if (read === null) return null
  const { unwrap } = await import('../../../proof/evm/wrappers.ts')
  const { chainId, from, to, value, data, gas, price, authorizations, unread } = read
  return {
    id: `0x${bytesToHex(keccak_256(hexToBytes(body.slice(2))))}`,
    chainId,
    from: from?.toLowerCase() ?? null,
    unwrapped: unwrap(
      { from: from?.toLowerCase() ?? '', to: to?.toLowerCase() ?? '', value, data: data.toLowerCase() },
      wallet,
    ),
    gas: (gas ?? 0n) * (price ?? 0n),
    codes: authorizations.map((one) => ({
      chainId: one.chainId ?? 0n,
      address: one.address?.toLowerCase() ?? 'an address that cannot be read',
    })),
    unread,
  }
}

/** What wallets show of what they signed where they keep the bytes. */
async function readObject(body: unknown, { chainId }: EvmSend, wallet: string): Promise<SignedCalls | null> {
  if (typeof body !== 'object' || body === null) return null
  const of = body as Body
  const own = { id: null, chainId: BigInt(chainId), from: wallet, gas: null, codes: [], unread: [UNSIGNED] }
  const { operationOf, safeCalls, unwrap: opened } = await import('../../../proof/evm/wrappers.ts')
  const unwrap = (call: InnerCall): Unwrapped => opened(call, wallet)
  /** Calls within a form that is opened already. */
  const within = (opened: ReturnType<typeof safeCalls>): Unwrapped | null => {
    if (opened === null) return null
    const inner = opened.flatMap(({ calls }) => calls).map(unwrap)
    return {
      calls: inner.flatMap(({ calls }) => calls),
      wrappers: [
        ...opened.map(({ calls: _, ...wrapper }) => wrapper),
        ...inner.flatMap(({ wrappers }) => wrappers),
      ],
    }
  }
  if (Array.isArray(of.calls)) {
    const calls = of.calls.map((one) => callIn({ ...one, from: of.from ?? wallet }))
    if (calls.includes(null)) return null
    const inner = (calls as InnerCall[]).map(unwrap)
    return {
      ...own,
      chainId: quantityOf(of.chainId) ?? own.chainId,
      unwrapped: {
        calls: inner.flatMap((one) => one.calls),
        wrappers: inner.flatMap((one) => one.wrappers),
      },
    }
  }
  if (of.primaryType === 'SafeTx') {
    const { domain, message } = of as { readonly domain?: Body; readonly message?: Body }
    const call = callIn({ ...message, from: domain?.verifyingContract })
    const [operation, gasPrice] = [quantityOf(message?.operation), quantityOf(message?.gasPrice)]
    if (call === null || operation === null || gasPrice === null) return null
    const safe = { ...call, data: hexToBytes(call.data.slice(2)), operation, gasPrice }
    const unwrapped = within(safeCalls(call.from, safe))
    return unwrapped && { ...own, chainId: quantityOf(domain?.chainId), unwrapped }
  }
  if (typeof of.callData === 'string') {
    const [sender, callData] = [addressIn(of.sender), bytesIn(of.callData)]
    const initCode = bytesIn(of.initCode ?? of.factory ?? '0x')
    const paymasterAndData = bytesIn(of.paymasterAndData ?? of.paymaster ?? '0x')
    if (sender === null || callData === null || initCode === null || paymasterAndData === null) return null
    const unwrapped = within([operationOf({ sender, callData, initCode, paymasterAndData })])
    return unwrapped && { ...own, codes: codesIn(of.eip7702Auth ? [of.eip7702Auth] : []), unwrapped }
  }
  const call = callIn(of)
  if (call === null) return null
  const price = quantityOf(of.maxFeePerGas) ?? quantityOf(of.gasPrice)
  const gas = quantityOf(of.gas)
  return {
    ...own,
    id: typeof of.hash === 'string' && HASH.test(of.hash) ? of.hash : null,
    chainId: quantityOf(of.chainId),
    from: call.from,
    unwrapped: unwrap(call),
    gas: gas !== null && price !== null ? gas * price : null,
    codes: codesIn(of.authorizationList),
  }
}

const UNSIGNED = 'its signature is not in it: that it was signed is the word of its source'

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : null

function bytesIn(value: unknown): Uint8Array | null {
  return typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)
    ? hexToBytes(value.slice(2))
    : null
}

function quantityOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= 0n ? value : null
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null
  return typeof value === 'string' && /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(value) ? BigInt(value) : null
}

/** @returns null if it is no call: an unread `data` next to an `input` would be another one */
function callIn(of: Body): InnerCall | null {
  const [from, to] = [addressIn(of.from), addressIn(of.to)]
  const data = of.input ?? of.data ?? '0x'
  const value = quantityOf(of.value ?? '0x0')
  const isOne = (of.input ?? data) === data && (of.data ?? data) === data
  if (from === null || to === null || value === null || bytesIn(data) === null || !isOne) return null
  return { from, to, value, data: String(data).toLowerCase() }
}

function codesIn(list: unknown): SignedCalls['codes'] {
  if (!Array.isArray(list)) return []
  return list.map((one: Body) => ({
    chainId: quantityOf(one?.chainId) ?? 0n,
    address: addressIn(one?.address) ?? 'an address that cannot be read',
  }))
}

function compareCodes(codes: SignedCalls['codes'], changes: Changes): void {
  for (const { chainId, address } of codes) {
    const known = KNOWN_CODES.get(address)
    const where = chainId === 0n ? 'on every chain' : `on the chain ${chainId}`
    if (known === undefined)
      changes.refuse('account_code', `lets the account run the code of ${address} ${where}`)
    else changes.allow('account_code', `lets the account run ${known}, ${address}, ${where}`)
  }
}

/** The most that it pays for gas, against what was shown, and against the bound for thefts. */
function compareGas(fee: bigint, shown: bigint | null, chainId: number, changes: Changes): void {
  const { theft } = boundOf(EVM_CHAINS.find((chain) => chain.chainId === chainId)!)
  if (fee >= theft) changes.refuse('gas', `pays up to ${fee} wei for gas, not less than ${theft}`)
  else if (shown === null || fee > shown * GAS_ROOM)
    changes.leave(`what was built does not show gas of up to ${fee} wei`)
}

async function compareCalls(
  { from, unwrapped: { calls, wrappers } }: SignedCalls,
  built: readonly BuiltTransaction[],
  wallet: string,
  chainId: number,
  changes: Changes,
): Promise<void> {
  const isWrapped = wrappers.length > 0
  if (from === null || (!isWrapped && from !== wallet))
    changes.refuse('from', `is signed by ${from ?? 'nobody'}`)
  // A bundle carries the operations of others, too.
  const own = wrappers.filter(({ account }) => account === wallet)
  for (const { kind, terms } of own) {
    changes.allow(kind, WRAPPED[kind])
    for (const { words, isHarmless } of terms)
      isHarmless ? changes.allow('terms', words) : changes.refuse('terms', words)
  }
  const rest = isWrapped ? calls.filter((one) => one.from === wallet) : calls
  const wanted = built.map(({ to, data, value }) => `${to} ${data} ${BigInt(value)}`.toLowerCase())
  let next = 0
  for (const one of rest) {
    const at = wanted.indexOf(`${one.to} ${one.data} ${one.value}`, next)
    if (at !== -1) next = at + 1
    else await refuseCall(one, built.at(-1)!, isWrapped || rest.length > 1, chainId, changes)
  }
  if (next < wanted.length && (isWrapped || changes.list.every(({ isAllowed }) => isAllowed)))
    changes.refuse('missing', 'does not make the swap that was built')
}

const WRAPPED = {
  batch: 'makes its calls as one batch of the account',
  delegation: 'makes its calls by a delegation of the account (MetaMask)',
  safe: 'makes its calls as a transaction of the Safe',
  user_operation: 'makes its calls as a user operation of the account (ERC-4337)',
} as const

/** Names what a call that was not built does; where it is the only one, also in what it differs. */
async function refuseCall(
  { from, to, data, value }: InnerCall,
  swap: BuiltTransaction,
  isOneOfMany: boolean,
  chainId: number,
  changes: Changes,
): Promise<void> {
  const { explain, inWords } = await import('../explain.ts')
  const chain = EVM_CHAINS.find((one) => one.chainId === chainId)!.key
  const call = { from, ...(to !== '' && { to }), data, value: `0x${value.toString(16)}` }
  const does = inWords(await explain({ chain, owner: from, call }, {}))
  if (isOneOfMany) {
    changes.refuse('call', `also calls ${to}, which ${does}`)
    return
  }
  if (to !== swap.to.toLowerCase()) changes.refuse('to', `calls ${to || 'a new contract'}: ${does}`)
  if (value !== BigInt(swap.value))
    changes.refuse('value', `sends ${value} wei in place of ${BigInt(swap.value)}`)
  if (data !== swap.data.toLowerCase()) changes.refuse('data', `has other data: ${does}`)
}
