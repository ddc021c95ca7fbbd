/** A compromised swap.coffee: the destinations and cells of its messages, changed and written again. */
import { canonicalAddress } from '../../chains/address.ts'
import { friendlyTonAddress } from '../../chains/ton-address.ts'
import { type Cell, parseBoc } from '../../proof/boc.ts'
import { CellReader } from '../../proof/cell.ts'
import { dedustPools, dedustVault } from '../../proof/dedust.ts'
import {
  address,
  cell,
  DEDUST_JETTON_HEAD,
  DEDUST_JETTON_SWAP,
  DEDUST_NATIVE_SWAP,
  type DedustSwap,
  dedustNativeHead,
  dedustSwap,
  type JettonTransfer,
  jettonTransfer,
  plainDedustSwap,
  type StonSwap,
  stonSwap,
  TON_TRANSFER,
  type TonTransfer,
  tonTransfer,
  type WrittenCell,
  writeBag,
} from '../swap/ton-cells.ts'
import { fieldsOf, type Theft, type Thief, theftsOf } from './thief.ts'

const STRANGER = canonicalAddress('ton', `0:${'66'.repeat(32)}`)
/** A router of the thief's, which runs STON.fi's code, over the thief's pools. */
const ROUTER = canonicalAddress('ton', `0:${'67'.repeat(32)}`)
/** Its wallet of TON. */
const PTON = canonicalAddress('ton', `0:${'68'.repeat(32)}`)
/** A vault and a pool of a factory of the thief's. */
const VAULT = canonicalAddress('ton', `0:${'69'.repeat(32)}`)
const POOL = canonicalAddress('ton', `0:${'6a'.repeat(32)}`)
const NOT = 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'
const COIN = 1_000_000_000n
const NOTE = cell('')

export const thief: Thief = (body) => {
  const [first, ...rest] = Array.isArray(body.transactions) ? body.transactions.map(fieldsOf) : []
  const root = typeof first?.cell === 'string' ? parseBoc(Buffer.from(first.cell, 'base64')) : null
  if (first === undefined || root === null) return []
  const write = (changed: object) => ({ ...body, transactions: [{ ...first, ...changed }, ...rest] })
  const rewrite = (written: WrittenCell) => write({ cell: writeBag(written).toString('base64') })
  return [
    ...cellThefts(root, rewrite),
    ...theftsOf({}, write, [
      ['sends it to a stranger', () => ({ address: STRANGER })],
      ['sends it to the wallet of TON of a router of its own', () => ({ address: PTON })],
      ['sends it to a vault of its own', () => ({ address: VAULT })],
      ["sends it to DeDust's vault of another token", () => ({ address: dedustVault(NOT) })],
      ['sends more TON along', () => ({ value: String(BigInt(String(first.value)) + 5n * COIN) })],
      ['deploys a contract', () => ({ stateInit: first.cell })],
    ]),
  ]
}

function cellThefts(root: Cell, write: (written: WrittenCell) => ReturnType<Theft['rob']>): readonly Theft[] {
  const reader = new CellReader(root)
  const operation = reader.uint(32)
  const queryId = reader.uint(64)
  if (operation === TON_TRANSFER) {
    const amount = reader.coins()
    const message = { operation, queryId, amount, refund: name(reader) }
    const payload = reader.payload()
    const swap = readSwap(payload.uint(32), payload)
    const whole = (change: Partial<TonTransfer>) =>
      tonTransfer({ ...message, payload: stonSwap(swap), ...change })
    return [
      ...swapThefts(swap, (changed) => write(whole({ payload: changed }))),
      ...theftsOf<Partial<TonTransfer>>({}, (change) => write(whole(change)), [
        ['swaps more TON', () => ({ amount: 5n * amount })],
        ['refunds a stranger what fails', () => ({ refund: STRANGER })],
      ]),
    ]
  }
  if (operation === DEDUST_NATIVE_SWAP) {
    const amount = reader.coins()
    const swap = readDedust(reader)
    const head = dedustNativeHead(queryId, amount)
    return [
      ...dedustThefts(swap, (changed) => write(dedustSwap(head, changed))),
      ...theftsOf(head, (changed) => write(dedustSwap(changed, swap)), [
        ['swaps more TON', () => dedustNativeHead(queryId, 5n * amount)],
        ['adds liquidity instead', () => dedustNativeHead(queryId, amount, 0xd55e4686n)],
      ]),
    ]
  }
  const amount = reader.coins()
  const [destination, response] = [name(reader), name(reader)]
  reader.bit()
  const message = { operation, queryId, amount, destination, response, forwardTon: reader.coins() }
  const { honest, thefts } = payloadThefts(reader.payload())
  const whole = (change: Partial<JettonTransfer>) =>
    jettonTransfer({ ...message, customPayload: null, payload: honest, ...change })
  return [
    ...thefts((changed) => write(whole({ payload: changed }))),
    ...theftsOf<Partial<JettonTransfer>>({}, (change) => write(whole(change)), [
      ['transfers more of the jetton', () => ({ amount: 5n * amount })],
      ['transfers it to a stranger', () => ({ destination: STRANGER })],
      ['transfers it to a router of its own', () => ({ destination: ROUTER })],
      ['transfers it to a vault of its own', () => ({ destination: VAULT })],
      ["transfers it to DeDust's vault of another token", () => ({ destination: dedustVault(NOT) })],
      ['burns it', () => ({ operation: 0x595f07bcn })],
      ['gives the rest of the TON to a stranger', () => ({ response: STRANGER })],
      ['leaves the router without gas', () => ({ forwardTon: 0n })],
      ['makes another call of the wallet', () => ({ customPayload: NOTE })],
    ]),
  ]
}

type Write = (payload: WrittenCell) => ReturnType<Theft['rob']>

interface PayloadThefts {
  readonly honest: WrittenCell
  thefts(write: Write): readonly Theft[]
}

/** What goes with a jetton, to the router or to the vault. */
function payloadThefts(payload: CellReader): PayloadThefts {
  const operation = payload.uint(32)
  if (operation === DEDUST_JETTON_SWAP) {
    const swap = readDedust(payload)
    const cellOf = (changed: DedustSwap) => dedustSwap(DEDUST_JETTON_HEAD, changed)
    return {
      honest: cellOf(swap),
      thefts: (write) => dedustThefts(swap, (changed) => write(cellOf(changed))),
    }
  }
  const swap = readSwap(operation, payload)
  return { honest: stonSwap(swap), thefts: (write) => swapThefts(swap, write) }
}

const name = (reader: CellReader): string | null => {
  const raw = reader.address()
  return raw === null ? null : friendlyTonAddress(raw)
}

/** The honest swap: it carries no payloads of its own. */
function readSwap(operation: bigint, payload: CellReader): StonSwap {
  const outer = {
    operation,
    askWallet: name(payload),
    refund: name(payload),
    excesses: name(payload),
    deadline: payload.uint(64),
  }
  const inner = new CellReader(payload.reference())
  const [minOut, receiver, forwardGas] = [inner.coins(), name(inner), inner.coins()]
  inner.bit()
  const refundGas = inner.coins()
  inner.bit()
  const referralBps = inner.uint(16)
  const rest = { customPayload: null, refundGas, refundPayload: null, referralBps, referral: name(inner) }
  return { ...outer, minOut, receiver, forwardGas, ...rest }
}

/** The honest swap: one step, without payloads of its own. */
function readDedust(reader: CellReader): DedustSwap {
  const pool = name(reader)
  reader.bit()
  const limit = reader.coins()
  return { ...plainDedustSwap('', limit, new CellReader(reader.reference()).uint(32)), pool }
}

const dedustThefts = (
  swap: DedustSwap,
  write: (changed: DedustSwap) => ReturnType<Theft['rob']>,
): readonly Theft[] =>
  theftsOf(swap, write, [
    ['lets a stranger receive', (one) => ({ ...one, recipient: STRANGER })],
    ['promises nothing', (one) => ({ ...one, limit: 0n })],
    ['promises half', (one) => ({ ...one, limit: one.limit / 2n })],
    ['buys at a pool of its own', (one) => ({ ...one, pool: POOL })],
    ['buys at a pool of another jetton', (one) => ({ ...one, pool: dedustPools(null, NOT)[0] })],
    ['buys at a pool that is not there', (one) => ({ ...one, pool: dedustPools(NOT, STRANGER)[0] })],
    ['asks for an exact output', (one) => ({ ...one, isExactOut: true })],
    ['sells on what was bought', (one) => ({ ...one, next: cell(`${address(POOL)}000000`) })],
    ['pays a referrer', (one) => ({ ...one, referral: STRANGER })],
    ['sends a tree of cells with what was bought', (one) => ({ ...one, fulfill: cell('', NOTE) })],
  ])

const swapThefts = (swap: StonSwap, write: Write): readonly Theft[] =>
  theftsOf(swap, (changed) => write(stonSwap(changed)), [
    ['lets a stranger receive', (one) => ({ ...one, receiver: STRANGER })],
    ['promises nothing', (one) => ({ ...one, minOut: 0n })],
    ['promises half', (one) => ({ ...one, minOut: one.minOut / 2n })],
    ['buys another jetton', (one) => ({ ...one, askWallet: STRANGER })],
    ['refunds a stranger', (one) => ({ ...one, refund: STRANGER })],
    ['gives what is left to a stranger', (one) => ({ ...one, excesses: STRANGER })],
    ['calls a contract with what was bought', (one) => ({ ...one, customPayload: NOTE, forwardGas: COIN })],
    ['calls a contract with what failed', (one) => ({ ...one, refundPayload: NOTE, refundGas: COIN })],
    ['pays a referrer', (one) => ({ ...one, referral: STRANGER, referralBps: 100n })],
    ['adds liquidity instead', (one) => ({ ...one, operation: 0x37c096dfn })],
  ])
