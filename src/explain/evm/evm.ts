/**
 * Explains an EVM transaction: its envelope by envelope.ts, its call by calls.ts. A selector gives a
 * function's name, not what a contract does: a call is known only if the function's meaning is standard, or
 * the proofs know the contract.
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { evmFeesOf } from '../../proof/terms/fees.ts'
import type { Findings } from '../findings.ts'
import { boundOf, costs, hands, pays } from '../ledger.ts'
import type { ExplainRequest } from '../types.ts'
import type { InnerReader } from './args.ts'
import { type EvmTransaction, readCall } from './call.ts'
import { callReader } from './calls.ts'
import { type EvmContext, isOn } from './context.ts'
import { readSerialized } from './envelope.ts'

/** @returns null if it isn't one */
export const readRequested = async ({ transaction, call }: ExplainRequest): Promise<EvmTransaction | null> =>
  call === undefined ? readSerialized(transaction!) : readCall(call)

/** Explains a transaction, serialized or not, or typed data. */
export async function explainEvm(request: ExplainRequest, context: EvmContext): Promise<void> {
  const { typedData, abi = [] } = request
  const read = callReader({ ...context, signatures: new Map() }, abi)
  if (typedData !== undefined) {
    const { explainTyped } = await import('./typed.ts')
    return explainTyped(typedData, context, read)
  }
  const batch = batchOf(request, context.found)
  if (batch === null) return readOne(request, 'call', context, read)
  for (const [i, one] of batch.entries()) await readOne(one, `calls[${i}]`, context, read)
}

/**
 * The calls of an EIP-5792 batch, with their common sender and chain; null if it isn't one. Some wallets read
 * only the batch, others only the members next to it: those are reported as not read.
 */
function batchOf(request: ExplainRequest, found: Findings): readonly ExplainRequest[] | null {
  const { calls, version, id, atomicRequired, from, chainId, ...beside } = request.call ?? {}
  if (!Array.isArray(calls)) return null
  for (const name of given(beside)) found.leave('call', `\`${name}\` beside \`calls\` is not read`)
  const common = { ...(from != null && { from }), ...(chainId != null && { chainId }) }
  return calls.map((one, i) => {
    for (const name of given({ from: one?.from, chainId: one?.chainId }))
      found.leave(`calls[${i}]`, `its own \`${name}\` is not read: the batch has one for all`)
    return { ...request, call: { ...one, ...common } }
  })
}

const given = (members: object): string[] =>
  Object.entries(members).flatMap(([name, value]) => (value == null ? [] : [name.slice(0, 64)]))

/** Explains what the transaction itself says, and its call. */
async function readOne(
  request: ExplainRequest,
  where: string,
  context: EvmContext,
  read: InnerReader,
): Promise<void> {
  const { found, chain } = context
  const parsed = await readRequested(request)
  if (parsed === null)
    return found.leave('transaction', 'it is no transaction of this chain, or has another spelling')
  const { chainId, unread, malformed } = parsed
  for (const why of unread) found.leave('transaction', why)
  for (const what of malformed) found.riskOfAll('malformed', what)
  if (!isOn(chain, chainId)) found.riskOfAll('other_chain', `It is for chain ${chainId}.`)
  // An unserialized transaction gets the wallet's own chain.
  if (chainId === null && request.transaction !== undefined)
    found.riskOfAll('every_chain', 'Signed, the transaction is good on every chain.')
  const { from, to, data, value, authorizations } = parsed
  found.owner ??= from
  if (from !== null && !found.isOwn(from)) found.riskOfAll('not_signer', `${from} sends this.`)
  for (const { chainId, address } of authorizations) delegates(chainId, address, found)
  if (to !== null) await read({ where, from: found.owner, to, value, data, depth: 0 })
  else if (authorizations.length === 0 || data !== '0x') {
    const paid = value === 0n ? [] : [pays(found.owner, 'native', value, null)]
    found.act('deploy', 'creates a contract', { from: found.owner, amount: String(value) }, paid)
    found.leave(where, 'what the new contract does is its code', hexToBytes(data.slice(2)))
  }
  burns(parsed, context)
}

/** What any transaction takes, and the share of a chain's most that a long one takes. */
const LEAST_GAS = 21_000n
const LONG = 10n

/** The most that gas costs; or that no byte shows it, because the wallet fills in a part. */
function burns(transaction: EvmTransaction, { found, chain }: EvmContext): void {
  // Wallets fill in a zero, and a limit that is too low for any transaction.
  const gas = (transaction.gas ?? 0n) < LEAST_GAS ? null : transaction.gas
  const price = transaction.price === 0n ? null : transaction.price
  const isBounded = gas !== null && price !== null
  const what = isBounded ? 'gas' : price === null ? 'gas, which your wallet bounds' : 'gas, without a bound'
  found.state(costs(found.owner, 'native', isBounded ? gas * price : null, null, { what }), true)
  if (isBounded) return
  const { gasLimit } = evmFeesOf(chain.key)
  const { costs: most, theft } = boundOf(chain)
  const many = `It may take ${gas} units of gas, and your wallet says at which price.`
  if (gas !== null && gas > gasLimit) found.riskOfAll('high_fee', many, 'warning')
  if (price === null || (price * gasLimit) / LONG <= most) return
  const reason = `${price} wei for each unit of gas, and nothing says how many it takes.`
  found.riskOfAll('high_fee', reason, price * LEAST_GAS >= theft ? 'danger' : 'warning')
}

/** EIP-7702: the delegation stays even if the call reverts. */
function delegates(chainId: bigint, address: string | null, found: Findings): void {
  const more = { from: found.owner, to: address }
  if (address !== null && BigInt(address) === 0n) {
    found.act('revoke', "ends the delegation of the account's code", more, [])
    return
  }
  const where = chainId === 0n ? 'on every chain' : `on chain ${chainId}`
  const reason = `${address} decides over the whole account, ${where}, until it is taken back.`
  const power = hands(found.owner, found.owner, address, 'the whole account', 'delegated_account', { reason })
  found.act('delegation', `makes the account run the code of ${address}`, more, [power])
}
