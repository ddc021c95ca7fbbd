/**
 * Compares what a wallet signed on an EVM chain with the calls that were built: alone, or within a wrapper of the
 * wallet's. The swap has to be there byte for byte, in the name of the wallet, and beside its approvals nothing else.
 *
 * Source: proof/evm/wrappers.ts · EIP-712 · EIP-5792 · EIP-7702
 */
import { EVM_CHAINS } from '../../../chains/find.ts'
import { boundOf } from '../../../explain/ledger.ts'
import type { InnerCall } from '../../../proof/evm/wrappers.ts'
import type { EvmTransaction as BuiltTransaction, EvmCalls, EvmSend } from '../types.ts'
import accountCodes from './account-codes.json' with { type: 'json' }
import { type Changes, NOT_SIGNED, type Signed } from './changes.ts'
import { HASH, readForm, type SignedCalls } from './evm-forms.ts'

/** A wallet sets its own gas, with room for higher prices when it lands. */
const GAS_ROOM = 10n

/**
 * Code that wallets give to their own users' accounts (EIP-7702), which obeys the account's key.
 * Source: ethereum.org/roadmap/pectra/7702, "Best implementations" · MetaMask/delegation-framework
 * documents/Deployments.md · base/eip-7702-proxy README
 */
const KNOWN_CODES: ReadonlyMap<string, string> = new Map(Object.entries(accountCodes))

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
  const signed = await readForm(body, send.chainId, wallet)
  if (signed === null) {
    changes.refuse('form', 'is no signed transaction, and nothing else that a wallet signs for a swap')
    return NOT_SIGNED
  }
  const { chainId, codes, notShown, id } = signed
  if (chainId !== BigInt(send.chainId))
    changes.refuse('chain', `is for ${chainId === null ? 'every chain' : `the chain ${chainId}`}`)
  compareCodes(codes, changes)
  for (const why of notShown) changes.leave(why)
  compareGas(feeOf(signed, wallet), shown, send.chainId, changes)
  await compareCalls(signed, send, wallet, changes)
  return { id, isAsBuilt: changes.list.every(({ isAllowed }) => isAllowed) }
}

/** All that the wallet pays for gas, wei: as the sender, and for its operations. */
function feeOf({ from, gas, unwrapped }: SignedCalls, wallet: string): bigint {
  const own = unwrapped.wrappers.filter(({ account }) => account === wallet)
  return own.reduce((sum, { fee }) => sum + fee, from === wallet ? (gas ?? 0n) : 0n)
}

function compareCodes(codes: SignedCalls['codes'], changes: Changes): void {
  for (const { chainId, address } of codes) {
    const known = KNOWN_CODES.get(address)
    const where = chainId === null || chainId === 0n ? 'on every chain' : `on the chain ${chainId}`
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
  { from, codes, isAtomic = true, unwrapped: { calls, wrappers } }: SignedCalls,
  { transactions, calls: batch, chainId }: EvmSend,
  wallet: string,
  changes: Changes,
): Promise<void> {
  const isWrapped = wrappers.length > 0
  if (from === null || (!isWrapped && from !== wallet))
    changes.refuse('from', `is signed by ${from ?? 'nobody'}`)
  else if (from !== wallet)
    changes.leave(`${from} sends it: that the account agrees is for its own code to check`)
  else if (codes.length === 0 && wrappers.some(({ kind }) => kind === 'batch' || kind === 'delegation'))
    changes.leave('it does nothing unless the account has code')
  for (const { kind, account, terms } of wrappers) {
    // A bundle carries the operations of others, too. An enforcer of theirs may charge the wallet.
    if (account !== wallet && kind !== 'delegation') continue
    changes.allow(kind, WRAPPED[kind])
    for (const { words, isHarmless } of terms)
      isHarmless ? changes.allow('terms', words) : changes.refuse('terms', words)
  }
  const rest = isWrapped ? calls.filter((one) => one.from === wallet) : calls
  const textOf = ({ to, data, value }: EvmCalls['calls'][number]) =>
    `${to} ${data} ${BigInt(value)}`.toLowerCase()
  const wanted = batch.calls.map(textOf)
  const [swap, isOneOfMany] = [transactions.at(-1)!, isWrapped || rest.length > 1]
  const made = new Set<number>()
  let next = 0
  for (const one of rest) {
    const at = wanted.indexOf(`${one.to} ${one.data} ${one.value}`, next)
    if (at !== -1) made.add((next = at + 1))
    else await refuseCall({ ...one, from: wallet }, swap, isOneOfMany, chainId, changes)
  }
  const isSwapped = made.has(transactions.length)
  if (!isSwapped && (isWrapped || changes.list.every(({ isAllowed }) => isAllowed)))
    changes.refuse('missing', 'does not make the swap that was built')
  else if (isSwapped && next < wanted.length)
    changes.refuse('guards', 'leaves out the last call, which checks that the minimum arrived')
  // EntryPoint undoes only the operation that fails.
  const operations = wrappers.filter(({ kind, account }) => kind === 'user_operation' && account === wallet)
  if (wanted.length > transactions.length && (!isAtomic || operations.length > 1))
    changes.refuse('guards', 'may make the swap although the last call, which checks the minimum, fails')
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
