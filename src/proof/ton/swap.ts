/**
 * Reads the terms of a TON swap message, cell by cell to the last bit. It accepts
 * the swaps of three contracts, whose messages contain the recipient and the
 * minimum:
 *
 *   STON.fi v1  a jetton transfer to the router, forward payload swap { ask wallet, min out, to }
 *   STON.fi v2  the same, or ton_transfer to the router's pTON wallet, with swap { ask wallet, refund,
 *               excesses, deadline, { min out, receiver, ... } }
 *   DeDust      swap to the native vault, or a jetton transfer to a jetton vault: { pool, limit, params }
 *
 * Only single swaps are accepted. In a chain of swaps the minimum is in the last
 * one, and if that one fails, the wallet keeps the output of the one before.
 *
 * The bought token follows from the ask wallet (the router's own wallet of that
 * jetton) or from the pool. STON.fi's routers are on a list; DeDust's vaults and
 * pools are computed from the ordered tokens, where the message is proved: any
 * other contract may belong to an attacker.
 *
 * Source: ston-fi/sdk, contracts/dex/v1, v2_1 · dedust-io/sdk · TEP-74 · real messages in
 * test/conformance/ton.test.ts
 */
import { refuseMaterial } from '../terms/verification.ts'
import type { Cell } from './boc.ts'
import { CellReader } from './cell.ts'
import { dedustVault } from './dedust.ts'
import { STON_ROUTERS, type StonRouter } from './ston-routers.ts'

const JETTON_TRANSFER = 0x0f8a7ea5n
const PTON_TRANSFER = 0x01f3835dn
const STON_V1_SWAP = 0x25938561n
const STON_V2_SWAP = 0x6664de2an
const DEDUST_NATIVE_SWAP = 0xea06185dn
const DEDUST_JETTON_SWAP = 0xe3a0d482n

/** The default referral fee of STON.fi's API, in bps of the output; the gateway requests no more. */
const MAX_REFERRAL_BPS = 10n

/** The most that STON.fi's pools give away, in bps. Source: ston-fi/dex-core-v2 contracts/common/params.fc */
const MOST_REFERRAL_BPS = 100n

/** The vault through which TON is sold at DeDust. */
export const DEDUST_NATIVE_VAULT = dedustVault(null)

/** The terms of a swap message. Addresses are canonical, amounts are in base units. */
export interface TonSwap {
  /** The amount of the jetton or of TON that is sold. */
  readonly amountIn: bigint
  /** nanoTON that the router gets for gas; null if it gets all that the value leaves. */
  readonly forwardTon: bigint | null
  /** Whether the message goes to a jetton wallet; otherwise it goes to a known contract. */
  readonly isJettonTransfer: boolean
  /** STON.fi's router, which is on the list, or the contract that is to be DeDust's vault. */
  readonly router: string
  readonly minOut: bigint
  readonly recipient: string
  /** The address that gets unused value back; null if the message names none. */
  readonly excessesTo: string | null
  readonly bought:
    | { readonly by: 'ask_wallet'; readonly router: string; readonly wallet: string }
    | { readonly by: 'pool'; readonly pool: string }
  /** Unix seconds; null if the message has no deadline. */
  readonly deadline: bigint | null
  /** The recipient of a share of the output, taken before the minimum is checked. */
  readonly referral?: { readonly to: string; readonly bps: bigint }
}

/**
 * @param body  the root cell of the message's payload, or a reader of the body in the message itself
 * @param parties  the canonical addresses of the message
 * @throws GatewayError  material_refused, with the rule
 * @throws MalformedCell  if a cell does not hold what the operation requires
 */
export function readTonSwap(body: Cell | CellReader, parties: MessageParties): TonSwap {
  const reader = body instanceof CellReader ? body : new CellReader(body)
  const operation = reader.uint(32)
  switch (operation) {
    case JETTON_TRANSFER:
      return readTransfer(reader, parties)
    case PTON_TRANSFER:
      return readPtonTransfer(reader, parties)
    case DEDUST_NATIVE_SWAP:
      return readNativeSwap(reader, parties)
    default:
      throw refuseMaterial('operation')
  }
}

interface MessageParties {
  /** The contract that the message is sent to. */
  readonly to: string
  /** The sender. */
  readonly from: string
  /** Whether it may name a referrer: STON.fi's second version gives referrers a hundredth at most. */
  readonly mayRefer?: boolean
}

/** query_id, amount, destination, response_destination, custom_payload, forward_ton_amount, forward_payload. */
function readTransfer(reader: CellReader, parties: MessageParties): TonSwap {
  reader.uint(64)
  const amountIn = reader.coins()
  const destination = reader.address()
  const response = reader.address()
  if (reader.bit()) throw refuseMaterial('custom_payload')
  const forwardTon = reader.coins()
  const payload = reader.payload()
  if (destination === null) throw refuseMaterial('router')
  const common = { amountIn, forwardTon, isJettonTransfer: true, router: destination, excessesTo: response }
  const operation = payload.uint(32)
  const router = STON_ROUTERS.get(destination)
  if (operation === STON_V1_SWAP && router?.version === 1)
    return { ...common, ...readStonV1(payload, reader, destination) }
  if (operation === STON_V2_SWAP && router?.version === 2)
    return { ...common, ...readStonV2(payload, reader, destination, parties) }
  if (operation === DEDUST_JETTON_SWAP) return { ...common, ...readDedust(payload, reader, parties) }
  throw refuseMaterial(router === undefined ? 'router' : 'operation')
}

/** query_id, ton_amount, refund_address, forward_payload; sent to a router's pTON wallet. */
function readPtonTransfer(reader: CellReader, parties: MessageParties): TonSwap {
  reader.uint(64)
  const amountIn = reader.coins()
  const refund = reader.address()
  const payload = reader.payload()
  const isIts = ([, { version, ptonWallet }]: readonly [string, StonRouter]) =>
    version === 2 && ptonWallet === parties.to
  const router = [...STON_ROUTERS].find(isIts)?.[0]
  if (router === undefined) throw refuseMaterial('router')
  if (refund !== parties.from) throw refuseMaterial('refund')
  if (payload.uint(32) !== STON_V2_SWAP) throw refuseMaterial('operation')
  return {
    amountIn,
    forwardTon: null,
    isJettonTransfer: false,
    router,
    excessesTo: refund,
    ...readStonV2(payload, reader, router, parties),
  }
}

/** query_id, amount, step, ^params; sent to the native vault. */
function readNativeSwap(reader: CellReader, parties: MessageParties): TonSwap {
  if (parties.to !== DEDUST_NATIVE_VAULT) throw refuseMaterial('router')
  reader.uint(64)
  const amountIn = reader.coins()
  return {
    amountIn,
    forwardTon: null,
    isJettonTransfer: false,
    router: DEDUST_NATIVE_VAULT,
    excessesTo: null,
    ...readDedust(reader, reader, parties),
  }
}

type PayoutTerms = Pick<TonSwap, 'minOut' | 'recipient' | 'bought' | 'deadline' | 'referral'>

/** ask_wallet, min_out, to, has_ref [ref]. */
function readStonV1(payload: CellReader, outer: CellReader, router: string): PayoutTerms {
  const wallet = payload.address()
  const minOut = payload.coins()
  const recipient = payload.address()
  // The router's code caps a referral at a tenth of a percent, but the gateway requests none.
  if (payload.bit()) throw refuseMaterial('referral')
  payload.end()
  outer.end()
  if (wallet === null || recipient === null) throw refuseMaterial('recipient')
  return { minOut, recipient, bought: { by: 'ask_wallet', router, wallet }, deadline: null }
}

/**
 * ask_wallet, refund, excesses, deadline, ^[min_out, receiver, fwd_gas, custom_payload, refund_fwd_gas,
 * refund_payload, ref_fee, ref]. A custom payload would make another call with the bought tokens.
 */
function readStonV2(
  payload: CellReader,
  outer: CellReader,
  router: string,
  { from, mayRefer = false }: MessageParties,
): PayoutTerms {
  const wallet = payload.address()
  const refund = payload.address()
  const excesses = payload.address()
  const deadline = payload.uint(64)
  const inner = new CellReader(payload.reference())
  payload.end()
  outer.end()
  const minOut = inner.coins()
  const recipient = inner.address()
  const forwardGas = inner.coins()
  const hasPayload = inner.maybeReference() !== null
  const refundGas = inner.coins()
  const hasRefundPayload = inner.maybeReference() !== null
  const bps = inner.uint(16)
  const referral = inner.address()
  inner.end()
  if (refund !== from || excesses !== from) throw refuseMaterial('refund')
  if (hasPayload || hasRefundPayload || forwardGas > 0n || refundGas > 0n)
    throw refuseMaterial('custom_payload')
  const isAllowed = mayRefer ? bps <= MOST_REFERRAL_BPS : referral === null && bps <= MAX_REFERRAL_BPS
  if (!isAllowed) throw refuseMaterial('referral')
  if (wallet === null || recipient === null) throw refuseMaterial('recipient')
  const bought = { by: 'ask_wallet', router, wallet } as const
  return {
    minOut,
    recipient,
    bought,
    deadline,
    ...(referral !== null && { referral: { to: referral, bps } }),
  }
}

/**
 * pool, kind:1, limit, next step, ^[deadline:32, recipient, referral, fulfill, reject]. The two payloads
 * travel with the payout to the recipient.
 */
function readDedust(payload: CellReader, outer: CellReader, { from }: MessageParties): PayoutTerms {
  const pool = payload.address()
  // The kind: zero is an exact input. No other kind has been observed.
  if (payload.bit()) throw refuseMaterial('operation')
  const minOut = payload.coins()
  if (payload.bit()) throw refuseMaterial('pools')
  const params = new CellReader(payload.reference())
  payload.end()
  outer.end()
  const deadline = params.uint(32)
  const recipient = params.address()
  const referral = params.address()
  for (const note of [params.maybeReference(), params.maybeReference()]) {
    if (note !== null && (note.isExotic || note.references.length > 0)) throw refuseMaterial('custom_payload')
  }
  params.end()
  if (referral !== null) throw refuseMaterial('referral')
  if (pool === null) throw refuseMaterial('pools')
  return {
    minOut,
    // Without a recipient, DeDust pays the sender of the message.
    recipient: recipient ?? from,
    bought: { by: 'pool', pool },
    // Zero means no deadline.
    deadline: deadline === 0n ? null : deadline,
  }
}
