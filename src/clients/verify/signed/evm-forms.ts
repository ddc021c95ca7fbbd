/**
 * What wallets sign on EVM chains, and what they show in its place where they keep the bytes. A form with a member that
 * is not listed is not read: a wallet or a node may act on it.
 *
 * Source: EIP-712 · EIP-4337 · EIP-5792 · EIP-7702 · ethereum/execution-apis src/schemas/transaction.yaml ·
 * safe-global/safe-smart-account Safe.sol · eth-infinitism/account-abstraction
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as wrappers from '../../../proof/evm/wrappers.ts'
import { hasOnly } from '../same.ts'
import type { Answer as Body } from '../verdict.ts'
import members from './form-members.json' with { type: 'json' }

/** What was signed: some calls, with what comes along. */
export interface SignedCalls {
  readonly id: string | null
  /** Null if the bytes name none: good on every chain. */
  readonly chainId: bigint | null
  /** Who sends it, 0x hex in lower case; null if nobody signed it. */
  readonly from: string | null
  readonly unwrapped: wrappers.Unwrapped
  /** The most that the sender pays for gas, wei; null if that is set elsewhere. */
  readonly gas: bigint | null
  /** Code that accounts take on (EIP-7702). */
  readonly codes: readonly { readonly chainId: bigint | null; readonly address: string }[]
  /** What nothing in it shows. */
  readonly notShown: readonly string[]
  /** Whether its calls happen together or not at all. Absent: they do. */
  readonly isAtomic?: boolean
}

const UNSIGNED = 'its signature is not in it: that it was signed is the word of its source'
const NO_GAS = 'its gas is not in it'

/** @returns null if it is none of the forms */
export async function readForm(body: unknown, chainId: number, wallet: string): Promise<SignedCalls | null> {
  // A text of JSON, the list of parameters of a request, and what `eth_signTransaction` answers.
  if (typeof body === 'string' && body.startsWith('{')) {
    const read = JSON.parse(body)
    // Of a member that is there twice, others may read the first.
    return JSON.stringify(read) === body.replace(SPACE, '$1') ? readForm(read, chainId, wallet) : null
  }
  if (typeof body === 'string') return readBytes(body, wallet)
  if (Array.isArray(body) && body.length === 1) return readForm(body[0], chainId, wallet)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null
  // Without getters, proxies and classes, which could read otherwise the second time.
  const of = structuredClone(body) as Body
  if (typeof of.raw === 'string') return hasOnly(of, 'raw tx') ? readBytes(of.raw, wallet) : null
  const form = FORMS.find(({ marker }) => Object.hasOwn(of, marker))
  if (form === undefined || !hasOnly(of, members[form.marker])) return null
  return form.read(of, chainId, wallet)
}

async function readBytes(body: string, wallet: string): Promise<SignedCalls | null> {
  const { readSerialized } = await import('../../../explain/evm/envelope.ts')
  const read = body.startsWith('0x') ? await readSerialized(body) : null
  // A blob transaction has some unread: no wallet swaps in one.
  if (read === null || read.unread.length > 0) return null
  const { chainId, to, value, data, gas, price, authorizations } = read
  const from = read.from?.toLowerCase() ?? null
  const call = { from: from ?? '', to: to?.toLowerCase() ?? '', value, data: data.toLowerCase() }
  return {
    id: `0x${bytesToHex(keccak_256(hexToBytes(body.slice(2))))}`,
    chainId,
    from,
    unwrapped: wrappers.unwrap([call], wallet),
    gas: (gas ?? 0n) * (price ?? 0n),
    codes: authorizations.map((one) => ({
      chainId: one.chainId,
      address: one.address?.toLowerCase() ?? UNREADABLE,
    })),
    notShown: [],
  }
}

interface Form {
  /** The member that no other form has, in the order in which they are looked for. */
  readonly marker: 'calls' | 'primaryType' | 'callData' | 'to'
  read(of: Body, chainId: number, wallet: string): SignedCalls | null | Promise<SignedCalls | null>
}

const SAFE_DOMAIN = 'uint256 chainId,address verifyingContract'
/** @param text  members as EIP-712 encodes a type */
const fieldsIn = (text: string) =>
  text.split(',').map((one) => {
    const [type, name] = one.split(' ')
    return { name, type }
  })

const FORMS: readonly Form[] = [
  {
    marker: 'calls',
    read(of, chainId, wallet) {
      const from = of.from === undefined ? wallet : addressIn(of.from)
      const calls = (of.calls as readonly Body[]).map((one) =>
        hasOnly(one, 'to data value capabilities') && isEmpty(one.capabilities) ? callIn(one, from) : null,
      )
      if (!isEmpty(of.capabilities) || calls.includes(null)) return null
      const unwrapped = wrappers.unwrap(calls as wrappers.InnerCall[], wallet)
      return {
        ...bare(of.chainId === undefined ? chainId : of.chainId),
        ...{ from, unwrapped, notShown: [UNSIGNED, NO_GAS], isAtomic: of.atomicRequired === true },
      }
    },
  },
  {
    marker: 'primaryType',
    async read({ types, ...of }, _, wallet) {
      const { atomOf, TypedData } = await import('../../../explain/evm/typed-data.ts')
      const standard = {
        EIP712Domain: fieldsIn(SAFE_DOMAIN),
        SafeTx: fieldsIn(wrappers.SAFE_TX.slice(7, -1)),
      }
      const typed = new TypedData({ ...of, types: { ...standard, ...(types as Body | undefined) } })
      const { chainId, verifyingContract, ...others } = typed.domain
      const isDomain = typed.domainFields!.map(({ type, name }) => `${type} ${name}`).join() === SAFE_DOMAIN
      const transaction = typed.values() as unknown as wrappers.SafeTransaction
      const isExact = isDomain && typed.encodeType() === wrappers.SAFE_TX
      if (!isExact || !isEmpty(others) || typed.extra.length > 0) return null
      const safe = addressIn(verifyingContract)
      const opened = safe === null ? null : wrappers.callOfSafe(safe, transaction)
      const unwrapped = opened && wrappers.unwrap(opened.calls, wallet, [opened])
      return unwrapped && { ...bare(atomOf(chainId, 'uint256')), from: wallet, unwrapped }
    },
  },
  {
    marker: 'callData',
    read(of, chainId, wallet) {
      const operation = operationIn(of)
      if (operation === null) return null
      const codes = [of.eip7702Auth, of.authorization].filter((one) => one != null) as Body[]
      const opened = wrappers.operationOf(operation)
      const unwrapped = wrappers.unwrap(opened.calls, wallet, [opened])
      return { ...bare(chainId), from: wallet, unwrapped, codes: codes.map(codeIn) }
    },
  },
  {
    marker: 'to',
    read(of, _, wallet) {
      const call = callIn({ ...of, data: of.input ?? of.data }, addressIn(of.from))
      const isOne = of.input == null || of.data == null || of.input === of.data
      const list = of.authorizationList ?? []
      if (call === null || !isOne || !Array.isArray(list)) return null
      const given = [of.gas, of.gasPrice, of.maxFeePerGas].map((one) => (one == null ? 0n : quantityIn(one)))
      if (given.includes(null)) return null
      const [limit, ...prices] = given as readonly bigint[]
      let gas = 0n
      for (const price of prices) if (limit! * price > gas) gas = limit! * price
      const isNamed = typeof of.hash === 'string' && HASH.test(of.hash)
      return {
        ...bare(of.chainId ?? chainIn(of.v)),
        id: isNamed ? (of.hash as string) : null,
        from: call.from,
        unwrapped: wrappers.unwrap([call], wallet),
        ...{ gas, notShown: gas === 0n ? [UNSIGNED, NO_GAS] : [UNSIGNED] },
        codes: list.map(codeIn),
      }
    },
  },
]

export const HASH = /^0x[0-9a-fA-F]{64}$/
/** Between the parts of a JSON text. */
const SPACE = /("(?:[^"\\]|\\.)*")|\s+/g
const UNREADABLE = 'an address that cannot be read'

const bare = (chainId: unknown) => ({
  ...{ id: null, gas: null, codes: [], notShown: [UNSIGNED] },
  chainId: quantityIn(chainId),
})

const isEmpty = (value: unknown): boolean => value == null || hasOnly(value, '')

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : null

const bytesIn = (value: unknown): Uint8Array | null =>
  typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value) ? hexToBytes(value.slice(2)) : null

/** 0x hex, or a number: some wallets take other texts for hexadecimal, some for decimal. */
function quantityIn(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= 0n ? value : null
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : null
}

/** The chain of a legacy transaction (EIP-155). */
function chainIn(v: unknown): bigint | null {
  const value = quantityIn(v)
  return value === null || value < 35n ? null : (value - 35n) / 2n
}

function callIn(of: Body, from: string | null): wrappers.InnerCall | null {
  const to = addressIn(of.to)
  const [data, value] = [of.data ?? '0x', quantityIn(of.value ?? '0x0')]
  if (from === null || to === null || value === null || bytesIn(data) === null) return null
  return { from, to, value, data: String(data).toLowerCase() }
}

const ZEROS = new Uint8Array(18)
const BYTES =
  'callData initCode factory factoryData paymasterAndData paymaster accountGasLimits gasFees'.split(' ')
const FIGURES =
  'callGasLimit verificationGasLimit preVerificationGas maxFeePerGas paymasterVerificationGasLimit paymasterPostOpGasLimit'.split(
    ' ',
  )

/** As bundlers take it, or as EntryPoint does; null if a member can't be read. */
function operationIn(of: Body): wrappers.Operation | null {
  const sender = addressIn(of.sender)
  const bytes = BYTES.map((name) => bytesIn(of[name] ?? '0x'))
  const figures = FIGURES.map((name) => quantityIn(of[name] ?? '0x0'))
  if (sender === null || bytes.includes(null) || figures.includes(null)) return null
  const [callData, code, factory, data, paid, paymaster, limits, gasFees] = bytes as readonly Uint8Array[]
  const [callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, ...ofPaymaster] =
    figures as readonly bigint[]
  const isSized = [limits, gasFees].every((one) => [0, 32].includes(one!.length))
  const isNamed = [paid, paymaster].every((one) => one!.length === 0 || one!.length >= 20)
  if (!isSized || !isNamed || paymaster!.length > 20) return null
  // Bundlers take the marker of EIP-7702 without its zeros.
  const maker = factory!.length === 2 ? [...factory!, ...ZEROS] : factory!
  return {
    sender,
    callData: callData!,
    initCode: Uint8Array.from([...code!, ...maker, ...data!]),
    paymasterAndData: Uint8Array.from([...paid!, ...paymaster!]),
    accountGasLimits: limits!,
    gasFees: gasFees!,
    callGasLimit: callGasLimit!,
    verificationGasLimit: verificationGasLimit!,
    preVerificationGas: ofPaymaster.reduce((sum, one) => sum + one, preVerificationGas!),
    maxFeePerGas: maxFeePerGas!,
  }
}

const codeIn = (one: Body): SignedCalls['codes'][number] => ({
  chainId: quantityIn(one?.chainId),
  address: addressIn(one?.address) ?? UNREADABLE,
})
