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
 * jetton) or from the pool. Only the routers, vaults and pools listed below are
 * accepted: an unlisted contract may belong to an attacker.
 *
 * Source: ston-fi/sdk, contracts/dex/v1, v2_1 · dedust-io/sdk · TEP-74 · real messages in
 * test/conformance/ton.test.ts
 */
import { friendlyTonAddress } from '../chains/ton-address.ts'
import type { Cell } from './boc.ts'
import { CellReader, type RawAddress } from './cell.ts'
import { refuseMaterial } from './verification.ts'

const JETTON_TRANSFER = 0x0f8a7ea5n
const PTON_TRANSFER = 0x01f3835dn
const STON_V1_SWAP = 0x25938561n
const STON_V2_SWAP = 0x6664de2an
const DEDUST_NATIVE_SWAP = 0xea06185dn
const DEDUST_JETTON_SWAP = 0xe3a0d482n

/** The default referral fee of STON.fi's API, in bps of the output; the gateway requests no more. */
const MAX_REFERRAL_BPS = 10n

interface StonRouter {
  readonly version: 1 | 2
  /** The router's wallet of the wrapped native coin. */
  readonly ptonWallet: string
}

/**
 * Version 2 routers that run the published code, each with its pTON wallet.
 *
 * Source: STON.fi's GET /v1/routers, as two wallets have copied it (router and pTON wallet the same in both:
 * vultisig/vultisig-ios TonKnownRouters) · a comparison of their code with ston-fi/dex-core-v2 v2.2.0
 */
const SECOND_ROUTERS: readonly (readonly [router: string, ptonWallet: string])[] = [
  ['EQADEFMTMnC-gu5v2U0ZY8AYaGhAOk9TcECg1TOquAW3r-IE', 'EQACuz151snlY46PKdUOkyiCf0zzcxMsN6XmKQkSKZjkvyFH'],
  ['EQAJG5pyZPWEiQiMVJdf7bDRgRLzg6QR57qKeRsOrMO-ncZN', 'EQAIuYlddISZbBf7iymZ-WPP9zHaVj9Kg45OH-PgntVz9QbQ'],
  ['EQAQYbnb1EGK0Wb8mk3vEW4vbHTyv7cOcfJlPWQ87_6_qfzR', 'EQARZ1hF4v95ELsH7pCPMN79_UeqKOOgOjt8xrkW9HhIM-u1'],
  ['EQAiv3IuxYA6ZGEunOgZSTuMBzbpjwRbWw09-WsE-iqKKMrK', 'EQAgXtyQlqVF2V3F4mKlbvYzUijlGjUmJbPWkWuiFNdpzWL_'],
  ['EQAyD7O8CvVdR8AEJcr96fHI1ifFq21S8QMt1czi5IfJPyfA', 'EQAyvcnP0RexLvnsQMXfKYnk18Bzl3Y-iGt6bXqFB75ugXmE'],
  ['EQBCtlN7Zy96qx-3yH0Yi4V0SNtQ-8RbhYaNs65MC4Hwfq31', 'EQBB_dTiG6u4IIbDT80yirqwmLpwRp7cDGkdrmvQ3Xs_39xM'],
  ['EQBQ_UBQvR9ryUjKDwijtoiyyga2Wl-yJm6Y8gl0k-HDh_5x', 'EQBTYCx7TGgVgaIr3tuJ3r_91E6FUBBWLtT73lTYYmrIc5gb'],
  ['EQBigMnbY4NU1uwdvzertV5mv_yI7282R-ffW7XZFWPEVRDG', 'EQBiLHuQjDj4fNyCD7Ch5HwpNGldlb5g-LMwQ1kStQ4NM5kv'],
  ['EQByADL5Ra2dldrMSBctgfSm2X2W1P61NVW2RYDb8eJNJGx6', 'EQBzIe_KYGrezmSS3ua9buM0P8vzEnMFDrsv1prFnwP43hFk'],
  ['EQCDT9dCT52pdfsLNW0e6qP5T3cgq7M4Ug72zkGYgP17tsWD', 'EQCCgTcJEugMCmQjJDJLTFlu56od9fJDfkTSNv4QEGpHihJx'],
  ['EQCS4UEa5UaJLzOyyKieqQOQ2P9M-7kXpkO5HnP3Bv250cN3', 'EQCSIMGBps_qzRG3uPYhON8bucyCtu0mYdL1-u4gSz77IBa3'],
  ['EQCiypoBWNIEPlarBp04UePyEj5zH0ZDHxuRNqJ1WQx3FCY-', 'EQCjEo7QNUH5S2tVjYgFFdEh1pherydH9K-nrHx0aScsq7U5'],
  ['EQCx0HDJ_DxLxDSQyfsEqHI8Rs65nygvdmeD9Ra7rY15OWN8', 'EQCzUiz7TFS7p7ByYXt-c3lJDmyGvmHTQIm0vhwSiiiaLpVj'],
  ['EQDAPye7HAPAAl4WXpz5jOCdhf2H9h9QkkzRQ-6K5usiuQeC', 'EQDBXpJBctAKlbAMWqH2iTPyBPfdBPeQZ6CGRp1oKBqQkEDL'],
  ['EQDQ6j53q21HuZtw6oclm7z4LU2cG6S2OKvpSSMH548d7kJT', 'EQDTx6o7gmGo8cuJt_3EHEgO1RmGnLtGTzgTOsG5pAYs0uYd'],
  ['EQDh5oHPvfRwPu2bORBGCoLEO4WQZKL4fk5DD1gydeNG9oEH', 'EQDix2qMOc-QO05Nn9X7oKFnYTb3bvtxN7ySmzoGljrFv2bX'],
  ['EQDx--jUU9PUtHltPYZX7wdzIi0SPY3KZ8nvOs0iZvQJd6Ql', 'EQDwOyDlewGw8MkeXgZ_oOmPTIhJIlaJwhJmf4ffIPKv-294'],
]

/** By canonical address. */
export const STON_ROUTERS: ReadonlyMap<string, StonRouter> = new Map<string, StonRouter>([
  [
    'EQB3ncyBUTjZUA5EnFKR5_EnOMI9V1tTEAAPaiU71gc4TiUt',
    { version: 1, ptonWallet: 'EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC' },
  ],
  ...SECOND_ROUTERS.map(([router, ptonWallet]) => [router, { version: 2, ptonWallet }] as const),
])

export const DEDUST_NATIVE_VAULT = 'EQDa4VOnTYlLvDJ0gZjNYm5PXfSmmtL6Vs6A_CZEtXCNICq_'

const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

/** Jetton vaults by address, with the jetton that each accepts. */
export const DEDUST_VAULTS: ReadonlyMap<string, string> = new Map([
  ['EQAYqo4u7VF0fa4DPAebk4g9lBytj2VFny7pzXR0trjtXQaO', USDT],
])

/** Pools by address, with their two tokens; null is TON. */
export const DEDUST_POOLS: ReadonlyMap<string, readonly [string | null, string | null]> = new Map([
  ['EQA-X_yo3fzzbDbJ_0bzFWKqtRuZFIRa1sJsveZJ1YpViO3r', [null, USDT]],
])

/** The terms of a swap message. Addresses are canonical, amounts are in base units. */
export interface TonSwap {
  /** The amount of the jetton or of TON that is sold. */
  readonly amountIn: bigint
  /** nanoTON that the router gets for gas; null if it gets all that the value leaves. */
  readonly forwardTon: bigint | null
  /** Whether the message goes to a jetton wallet; otherwise it goes to a listed contract. */
  readonly isJettonTransfer: boolean
  readonly router: string
  readonly minOut: bigint
  readonly recipient: string
  /** The address that gets unused value back; null if the message names none. */
  readonly excessesTo: string | null
  readonly bought:
    | { readonly by: 'ask_wallet'; readonly router: string; readonly wallet: string }
    | { readonly by: 'pool'; readonly tokenIn: string | null; readonly tokenOut: string | null }
  /** Unix seconds; null if the message has no deadline. */
  readonly deadline: bigint | null
}

/**
 * @param root  the root cell of the message's payload
 * @param parties  the canonical addresses of the message
 * @throws GatewayError  material_refused, with the rule
 * @throws MalformedCell  if a cell does not hold what the operation requires
 */
export function readTonSwap(root: Cell, parties: MessageParties): TonSwap {
  const reader = new CellReader(root)
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
}

const name = (raw: RawAddress | null): string | null => (raw === null ? null : friendlyTonAddress(raw))

/** query_id, amount, destination, response_destination, custom_payload, forward_ton_amount, forward_payload. */
function readTransfer(reader: CellReader, parties: MessageParties): TonSwap {
  reader.uint(64)
  const amountIn = reader.coins()
  const destination = name(reader.address())
  const response = name(reader.address())
  if (reader.bit()) throw refuseMaterial('custom_payload')
  const forwardTon = reader.coins()
  const payload = reader.payload()
  if (destination === null) throw refuseMaterial('router')
  const common = { amountIn, forwardTon, isJettonTransfer: true, router: destination }
  const operation = payload.uint(32)
  const router = STON_ROUTERS.get(destination)
  const vaultJetton = DEDUST_VAULTS.get(destination)
  if (operation === STON_V1_SWAP && router?.version === 1) {
    return { ...common, excessesTo: response, ...readStonV1(payload, reader, destination) }
  }
  if (operation === STON_V2_SWAP && router?.version === 2) {
    return { ...common, excessesTo: response, ...readStonV2(payload, reader, destination, parties) }
  }
  if (operation === DEDUST_JETTON_SWAP && vaultJetton !== undefined) {
    return { ...common, excessesTo: response, ...readDedust(payload, reader, vaultJetton, parties) }
  }
  throw refuseMaterial(router === undefined && vaultJetton === undefined ? 'router' : 'operation')
}

/** query_id, ton_amount, refund_address, forward_payload; sent to a router's pTON wallet. */
function readPtonTransfer(reader: CellReader, parties: MessageParties): TonSwap {
  reader.uint(64)
  const amountIn = reader.coins()
  const refund = name(reader.address())
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
    ...readDedust(reader, reader, null, parties),
  }
}

type PayoutTerms = Pick<TonSwap, 'minOut' | 'recipient' | 'bought' | 'deadline'>

/** ask_wallet, min_out, to, has_ref [ref]. */
function readStonV1(payload: CellReader, outer: CellReader, router: string): PayoutTerms {
  const wallet = name(payload.address())
  const minOut = payload.coins()
  const recipient = name(payload.address())
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
  { from }: MessageParties,
): PayoutTerms {
  const wallet = name(payload.address())
  const refund = name(payload.address())
  const excesses = name(payload.address())
  const deadline = payload.uint(64)
  const inner = new CellReader(payload.reference())
  payload.end()
  outer.end()
  const minOut = inner.coins()
  const recipient = name(inner.address())
  const forwardGas = inner.coins()
  const hasPayload = inner.maybeReference() !== null
  const refundGas = inner.coins()
  const hasRefundPayload = inner.maybeReference() !== null
  const referralBps = inner.uint(16)
  const referral = inner.address()
  inner.end()
  if (refund !== from || excesses !== from) throw refuseMaterial('refund')
  if (hasPayload || hasRefundPayload || forwardGas > 0n || refundGas > 0n)
    throw refuseMaterial('custom_payload')
  if (referral !== null || referralBps > MAX_REFERRAL_BPS) throw refuseMaterial('referral')
  if (wallet === null || recipient === null) throw refuseMaterial('recipient')
  return { minOut, recipient, bought: { by: 'ask_wallet', router, wallet }, deadline }
}

/**
 * pool, kind:1, limit, next step, ^[deadline:32, recipient, referral, fulfill, reject]. The two payloads
 * travel with the payout to the recipient.
 */
function readDedust(
  payload: CellReader,
  outer: CellReader,
  tokenIn: string | null,
  { from }: MessageParties,
): PayoutTerms {
  const pool = name(payload.address())
  // The kind: zero is an exact input. No other kind has been observed.
  if (payload.bit()) throw refuseMaterial('operation')
  const minOut = payload.coins()
  if (payload.bit()) throw refuseMaterial('pools')
  const params = new CellReader(payload.reference())
  payload.end()
  outer.end()
  const deadline = params.uint(32)
  const recipient = name(params.address())
  const referral = params.address()
  for (const note of [params.maybeReference(), params.maybeReference()]) {
    if (note !== null && (note.isExotic || note.references.length > 0)) throw refuseMaterial('custom_payload')
  }
  params.end()
  if (referral !== null) throw refuseMaterial('referral')
  return {
    minOut,
    // Without a recipient, DeDust pays the sender of the message.
    recipient: recipient ?? from,
    bought: { by: 'pool', tokenIn, tokenOut: otherToken(pool, tokenIn) },
    // Zero means no deadline.
    deadline: deadline === 0n ? null : deadline,
  }
}

function otherToken(pool: string | null, token: string | null): string | null {
  const pair = pool === null ? undefined : DEDUST_POOLS.get(pool)
  if (pair === undefined || !pair.includes(token)) throw refuseMaterial('pools')
  return pair[0] === token ? pair[1] : pair[0]
}
