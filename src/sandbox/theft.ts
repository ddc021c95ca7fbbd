/**
 * Compromised providers, behind the fault `steal`: the honest answer is parsed, changed in one place so that
 * signing it robs the wallet, and written again. Each answer uses the next theft of a list; a build that is
 * repeated with less slippage keeps its theft. These are a few for each provider, for the console and the
 * demo; test/fixtures/theft has all that the proofs are tested with.
 */
import type { Fields } from '../chains/json/fields.ts'
import { decodeBase58, encodeBase58 } from '../chains/solana/base58.ts'
import { type Instruction, WireTransaction } from '../chains/solana/wire.ts'
import { friendlyTonAddress } from '../chains/ton-address.ts'
import { KYBERSWAP, type KyberDescription } from '../proof/evm/kyberswap.ts'
import { AUGUSTUS, type GenericCall } from '../proof/evm/velora.ts'
import { OWN, type OwnSwap } from './evm/own-router.ts'

/** The thief's address, as recipient and as contract. */
const THIEF = '0x00000000000000000000000000000000deadbeef'
const THIEF_ON_SOLANA = encodeBase58(new Uint8Array(32).fill(0x66))
const THIEF_ON_TON = friendlyTonAddress(`0:${'66'.repeat(32)}`)
/** More base units than any wallet holds. */
const ALL = 2n ** 256n - 1n

export interface Theft {
  /** What the thief does, such as `lets a stranger receive`. */
  readonly what: string
  /** The changed body, as an object or as text. */
  rob(): Fields | string
}

/** @returns the thefts that an honest body allows; none if it holds nothing to sign */
export type Thief = (body: Fields) => readonly Theft[]

export const kyberswap: Thief = (body) => {
  const data = fieldsOf(body.data)
  const call = typeof data.data === 'string' ? KYBERSWAP.read(data.data) : null
  if (call === null || call.name === 'swapSimpleMode') return []
  const { name, args } = call
  const described = (change: Partial<KyberDescription>) => () => {
    const changed = { ...args, desc: { ...args.desc, ...change } }
    return { ...body, data: { ...data, data: KYBERSWAP.write(name, changed) } }
  }
  return [
    { what: 'lets a stranger receive', rob: described({ dstReceiver: THIEF }) },
    { what: 'takes all of the token', rob: described({ amount: ALL }) },
    { what: 'promises nothing', rob: described({ minReturnAmount: 0n }) },
    { what: 'names another router', rob: () => ({ ...body, data: { ...data, routerAddress: THIEF } }) },
  ]
}

export const velora: Thief = (body) => {
  const call = typeof body.data === 'string' ? AUGUSTUS.read(body.data) : null
  if (call?.name !== 'swapExactAmountIn' && call?.name !== 'swapExactAmountOut') return []
  const { name, args } = call
  const traded = (change: Partial<GenericCall['swapData']>) => () => {
    const changed = { ...args, swapData: { ...args.swapData, ...change } }
    return { ...body, data: AUGUSTUS.write(name, changed) }
  }
  return [
    { what: 'lets a stranger receive', rob: traded({ beneficiary: THIEF }) },
    { what: 'takes all of the token', rob: traded({ fromAmount: ALL }) },
    { what: 'promises nothing', rob: traded({ toAmount: 0n }) },
    { what: 'names another contract', rob: () => ({ ...body, to: THIEF }) },
  ]
}

/** The thefts of a server whose contract the operator has named. */
export const router: Thief = (body) => {
  const [solved] = Array.isArray(body.orders) ? body.orders.map(fieldsOf) : []
  const transaction = fieldsOf(solved?.transaction)
  const args = typeof transaction.data === 'string' ? OWN.read(transaction.data)?.args : undefined
  if (args === undefined) return []
  const write = (changed: Fields) => ({
    ...body,
    orders: [{ ...solved, transaction: { ...transaction, ...changed } }],
  })
  const called = (change: Partial<OwnSwap>) => () =>
    write({ data: OWN.write('swap', { ...args, ...change }) })
  return [
    { what: 'lets a stranger receive', rob: called({ receiver: THIEF }) },
    { what: 'promises nothing', rob: called({ minOut: 1n }) },
    ...(transaction.value === '0'
      ? [{ what: 'lets a stranger spend', rob: () => write({ spender: THIEF }) }]
      : []),
    { what: 'sends more of the coin along', rob: () => write({ value: `${transaction.value}1` }) },
    { what: 'names another contract', rob: () => write({ to: THIEF }) },
  ]
}

/** Where `route_v2` has the wallet's account for the bought token, and its quoted amount. */
const [DESTINATION, QUOTED_OUT] = [2, 16]

export const jupiter: Thief = (body) => {
  const route = fieldsOf(body.swapInstruction)
  if (!Array.isArray(route.accounts) || typeof route.data !== 'string') return []
  const write = (changed: Fields) => ({ ...body, swapInstruction: { ...route, ...changed } })
  const accounts = route.accounts.map((use, at) =>
    at === DESTINATION ? { ...fieldsOf(use), pubkey: THIEF_ON_SOLANA } : use,
  )
  const data = Buffer.from(route.data, 'base64')
  data.writeBigUInt64LE(1n, QUOTED_OUT)
  return [
    { what: 'lets a stranger receive', rob: () => write({ accounts }) },
    { what: 'promises nothing', rob: () => write({ data: data.toString('base64') }) },
    { what: 'calls a program that nobody knows', rob: () => write({ programId: THIEF_ON_SOLANA }) },
  ]
}

/** Where DFlow's `swap` in the sandbox has the account that receives, and its quoted amount. */
const [DFLOW_DESTINATION, DFLOW_QUOTED] = [7, 22]

export const dflow: Thief = (body) => {
  if (typeof body.transaction !== 'string') return []
  const text = body.transaction
  const robbed = (change: (wire: WireTransaction, swap: Instruction) => void) => () => {
    const bytes = Buffer.from(text, 'base64')
    const wire = new WireTransaction()
    wire.parse(bytes)
    change(wire, wire.instructions().find(({ accounts }) => accounts.length > DFLOW_DESTINATION)!)
    return { ...body, transaction: bytes.toString('base64') }
  }
  return [
    {
      what: 'lets a stranger receive',
      rob: robbed((wire, { accounts }) =>
        wire.key(accounts[DFLOW_DESTINATION]!).set(decodeBase58(THIEF_ON_SOLANA, 32)!),
      ),
    },
    {
      what: 'promises nothing',
      rob: robbed((_, { data }) => data.set([1, 0, 0, 0, 0, 0, 0, 0], DFLOW_QUOTED)),
    },
    { what: 'opens an order for later', rob: robbed((_, { data }) => data.set(OPEN_ORDER)) },
  ]
}

/** The kind of DFlow's `open_order`. */
const OPEN_ORDER = Buffer.from('ce58588f268832e0', 'hex')

export const swapcoffee: Thief = (body) => {
  const [first, ...rest] = Array.isArray(body.transactions) ? body.transactions.map(fieldsOf) : []
  if (typeof first?.cell !== 'string') return []
  const write = (changed: Fields) => ({ ...body, transactions: [{ ...first, ...changed }, ...rest] })
  return [
    { what: 'sends it to a stranger', rob: () => write({ address: THIEF_ON_TON }) },
    { what: 'sends more TON along', rob: () => write({ value: `${first.value}0` }) },
    { what: 'deploys a contract', rob: () => write({ stateInit: first.cell }) },
  ]
}

export const xprov: Thief = (body) => {
  const request = fieldsOf(body.transactionRequest)
  const { data } = request
  if (typeof data !== 'string') return []
  const write = (changed: Fields) => ({ ...body, transactionRequest: { ...request, ...changed } })
  const receiver = hexOf(String(fieldsOf(body.action).toAddress))
  const redirected = (hex: string) => hex.replaceAll(receiver, '66'.repeat(receiver.length / 2))
  if (data.startsWith('0x')) {
    return [
      { what: 'lets a stranger receive', rob: () => write({ data: redirected(data) }) },
      { what: 'names another contract', rob: () => write({ to: THIEF }) },
      { what: 'asks for more native coins', rob: () => write({ value: `0x${(10n ** 20n).toString(16)}` }) },
    ]
  }
  const changed = Buffer.from(redirected(Buffer.from(data, 'base64').toString('hex')), 'hex')
  return [{ what: 'lets a stranger receive', rob: () => write({ data: changed.toString('base64') }) }]
}

/** The bytes of an address of an EVM chain, Sui or Solana. */
const hexOf = (address: string): string =>
  address.startsWith('0x')
    ? address.slice(2).toLowerCase()
    : Buffer.from(decodeBase58(address, 32)!).toString('hex')

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
