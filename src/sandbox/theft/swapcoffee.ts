/** A compromised swap.coffee: the destinations and cells of its messages, changed and written again. */
import { canonicalAddress } from '../../chains/address.ts'
import { friendlyTonAddress } from '../../chains/ton-address.ts'
import { type Cell, parseBoc } from '../../proof/boc.ts'
import { CellReader } from '../../proof/cell.ts'
import {
  cell,
  type JettonTransfer,
  jettonTransfer,
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
    const swap = readSwap(reader.payload())
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
  const amount = reader.coins()
  const [destination, response] = [name(reader), name(reader)]
  reader.bit()
  const message = { operation, queryId, amount, destination, response, forwardTon: reader.coins() }
  const swap = readSwap(reader.payload())
  const whole = (change: Partial<JettonTransfer>) =>
    jettonTransfer({ ...message, customPayload: null, payload: stonSwap(swap), ...change })
  return [
    ...swapThefts(swap, (changed) => write(whole({ payload: changed }))),
    ...theftsOf<Partial<JettonTransfer>>({}, (change) => write(whole(change)), [
      ['transfers more of the jetton', () => ({ amount: 5n * amount })],
      ['transfers it to a stranger', () => ({ destination: STRANGER })],
      ['burns it', () => ({ operation: 0x595f07bcn })],
      ['gives the rest of the TON to a stranger', () => ({ response: STRANGER })],
      ['leaves the router without gas', () => ({ forwardTon: 0n })],
      ['makes another call of the wallet', () => ({ customPayload: NOTE })],
    ]),
  ]
}

const name = (reader: CellReader): string | null => {
  const raw = reader.address()
  return raw === null ? null : friendlyTonAddress(raw)
}

/** The honest swap: it carries no payloads of its own. */
function readSwap(payload: CellReader): StonSwap {
  const outer = {
    operation: payload.uint(32),
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

const swapThefts = (
  swap: StonSwap,
  write: (payload: WrittenCell) => ReturnType<Theft['rob']>,
): readonly Theft[] =>
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
