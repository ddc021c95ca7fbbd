/**
 * Explains an EVM transaction: its envelope here, its call by evm-calls.ts. A selector says what a function is
 * called, not what a contract does: a call is known only where the function's meaning is a standard's, or the
 * contract is one that the proofs know.
 *
 * Source: EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844, EIP-7702 (envelopes)
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { RLP } from 'micro-eth-signer/core/rlp.js'
import type { CallReader } from './evm-args.ts'
import { callReader } from './evm-calls.ts'
import { canonical, type EvmContext, isOn } from './evm-context.ts'
import type { Findings } from './findings.ts'
import type { EvmCall, ExplainRequest } from './types.ts'

/** Wei that a transaction may cost on a chain whose coin is ETH before that is said. */
const MAX_FEE_WEI = 50_000_000_000_000_000n

export interface EvmTransaction {
  readonly from: string | null
  readonly to: string | null
  readonly data: string
  readonly value: bigint
  /** Wei at most; null where it is not said. */
  readonly fee: bigint | null
  readonly authorizations: readonly { readonly chainId: bigint; readonly address: string | null }[]
}

/** @returns null for what is none */
function transactionOf(call: EvmCall): EvmTransaction | null {
  try {
    const fee =
      call.gasPrice === undefined || call.gasLimit === undefined
        ? null
        : BigInt(call.gasPrice) * BigInt(call.gasLimit)
    const { data = '0x', value = '0', authorizationList = [] } = call
    const [from, to] = [call.from, call.to].map((text) =>
      text === undefined || text === '0x' ? null : (canonical(text) ?? undefined),
    )
    if (from === undefined || to === undefined || !/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) return null
    return {
      from,
      to,
      data: data.toLowerCase(),
      value: BigInt(value),
      fee,
      authorizations: authorizationList.map(({ chainId = '0', address }) => ({
        chainId: BigInt(chainId),
        address: canonical(address),
      })),
    }
  } catch {
    return null
  }
}

type Item = Uint8Array | readonly Item[]

const numberOf = (item: Uint8Array): bigint => (item.length === 0 ? 0n : BigInt(`0x${bytesToHex(item)}`))

/** @param v  of a legacy transaction (EIP-155) @returns null where it is good on every chain */
const chainIdOf = (v: bigint): bigint | null => (v < 35n ? null : (v - 35n) / 2n)

/** The index of each field, by the envelope's type; 0 is legacy. */
const FIELDS: Readonly<
  Record<
    number,
    { readonly gas: number; readonly price: number; readonly chain: number | null; readonly list?: number }
  >
> = {
  0: { price: 1, gas: 2, chain: null },
  1: { chain: 0, price: 2, gas: 3 },
  2: { chain: 0, price: 3, gas: 4 },
  3: { chain: 0, price: 3, gas: 4 },
  4: { chain: 0, price: 3, gas: 4, list: 9 },
}

type Read = EvmTransaction & { readonly chainId?: bigint | null }

/** @returns null for what is none */
export const readTransaction = async ({ transaction, call }: ExplainRequest): Promise<Read | null> =>
  call === undefined ? deserialized(transaction!) : transactionOf(call)

/**
 * @param hex  a serialized transaction, signed or not
 * @returns null for what is none; `chainId` is null where the bytes name none
 */
async function deserialized(hex: string): Promise<Read | null> {
  try {
    const bytes = hexToBytes(hex.replace(/^0x/, ''))
    const type = bytes[0]! < 0x80 ? bytes[0]! : 0
    const fields = FIELDS[type]!
    const items = RLP.decode(type === 0 ? bytes : bytes.subarray(1)) as readonly Item[]
    const at = (i: number): Uint8Array => {
      const item = items[i]
      if (!(item instanceof Uint8Array)) throw new RangeError('field')
      return item
    }
    const address = (item: Uint8Array): string | null =>
      item.length === 20 ? canonical(`0x${bytesToHex(item)}`) : null
    const after = fields.gas + 1
    const to = at(after)
    if (to.length !== 0 && to.length !== 20) return null
    const list = fields.list === undefined ? [] : (items[fields.list] as readonly Item[])
    return {
      chainId: fields.chain === null ? legacyChainOf(items) : numberOf(at(fields.chain)),
      from: isSigned(items) ? await signerOf(type, items) : null,
      to: to.length === 0 ? null : address(to),
      value: numberOf(at(after + 1)),
      data: `0x${bytesToHex(at(after + 2))}`,
      fee: numberOf(at(fields.price)) * numberOf(at(fields.gas)),
      authorizations: list.map((one) => {
        const [chain, code] = one as readonly Uint8Array[]
        return { chainId: numberOf(chain!), address: address(code!) }
      }),
    }
  } catch {
    return null
  }
}

/** An unsigned one ends with a list, with its data, or with the chain's id and two zeros. */
function isSigned(items: readonly Item[]): boolean {
  const s = items.length > 6 ? items.at(-1) : null
  return s instanceof Uint8Array && s.length > 0
}

function legacyChainOf(items: readonly Item[]): bigint | null {
  const v = items[6]
  if (!(v instanceof Uint8Array)) return null
  return isSigned(items) ? chainIdOf(numberOf(v)) : numberOf(v)
}

/** @returns null where the signature is nobody's */
async function signerOf(type: number, items: readonly Item[]): Promise<string | null> {
  const [v, r, s] = (items.slice(-3) as readonly Uint8Array[]).map(numberOf)
  const chainId = type === 0 ? chainIdOf(v!) : null
  const none = new Uint8Array()
  const signed = [...items.slice(0, -3), ...(chainId === null ? [] : [bytesOf(chainId), none, none])]
  const bytes = RLP.encode(signed as never)
  const hash = keccak_256(type === 0 ? bytes : concatBytes(Uint8Array.of(type), bytes))
  const { recoverSigner } = await import('./evm-signer.ts')
  return recoverSigner(hash, r!, s!, type !== 0 ? v! : chainId === null ? v! - 27n : (v! - 35n) % 2n)
}

function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

/** Explains a transaction, serialized or not, or typed data. */
export async function explainEvm(request: ExplainRequest, context: EvmContext): Promise<void> {
  const { found, chain } = context
  const { typedData, abi = [] } = request
  const read = callReader(context, abi)
  if (typedData !== undefined) {
    const { explainTyped } = await import('./evm-typed.ts')
    return explainTyped(typedData, context, read)
  }
  const parsed = await readTransaction(request)
  if (parsed === null)
    return found.leave('transaction', 'it is no transaction of this chain, or has another spelling')
  if (!isOn(chain, parsed.chainId ?? null))
    found.risk('other_chain', `It is for chain ${parsed.chainId}.`, 'danger', true)
  await explainTransaction(parsed, context, read)
}

/** Explains what the transaction itself says, and its call. */
function explainTransaction(
  transaction: EvmTransaction,
  context: EvmContext,
  read: CallReader,
): Promise<void> {
  const { found, chain } = context
  const { from, to, data, value, fee, authorizations } = transaction
  found.owner ??= from
  if (from !== null && !found.isOwn(from)) found.risk('not_signer', `${from} sends this.`, 'warning', true)
  for (const { chainId, address } of authorizations) delegates(chainId, address, found)
  if (fee !== null && chain.native === 'ETH' && fee > MAX_FEE_WEI)
    found.risk('high_fee', `Gas may cost ${fee} wei.`, 'warning', true)
  if (to !== null) return read({ where: 'call', from: found.owner, to, value, data, depth: 0 })
  if (authorizations.length > 0 && data === '0x') return Promise.resolve()
  found.act('deploy', 'creates a contract', {
    asset: value > 0n ? 'native' : null,
    amount: String(value),
    from: found.owner,
  })
  found.leave('call', 'what the new contract does is its code', hexToBytes(data.slice(2)))
  return Promise.resolve()
}

/** EIP-7702: it stays, also where the call reverts. */
function delegates(chainId: bigint, address: string | null, found: Findings): void {
  const isCleared = address !== null && BigInt(address) === 0n
  const words = isCleared
    ? "ends the delegation of the account's code"
    : `makes the account run the code of ${address}`
  found.act(isCleared ? 'revoke' : 'delegation', words, { from: found.owner, to: address })
  if (isCleared) return
  const where = chainId === 0n ? 'on every chain' : `on chain ${chainId}`
  found.risk(
    'delegated_account',
    `${address} decides over the whole account, ${where}, until it is taken back.`,
  )
  if (address !== null) found.meets(address)
}
