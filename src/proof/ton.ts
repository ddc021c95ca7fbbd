/**
 * What can be proved of a TON message that a provider built: `from` sends it,
 * once, to an address, before long, with no more TON and no more of the jetton
 * than the order spends.
 *
 *   selling TON       amountIn <= value <= amountIn + maxGas, and the payload moves nothing else
 *   selling a jetton  0 < value <= maxGas, and the payload moves at most amountIn
 *
 * The contracts that hold a wallet's jettons and NFTs obey its messages: a
 * transfer or a burn of a jetton (op 32, query id 64, amount VarUInteger 16), a
 * transfer of an NFT. So a message that sells TON must be none of these, except
 * to a pTON wallet, which takes TON in the form of a jetton transfer.
 *
 * Not provable here: that `to` is the caller's jetton wallet or the pool's
 * vault, and what the receiving contract gives for it, because that is state
 * and code of the chain. The bounds above are what a wrong one could take.
 *
 * Source: §4.6 · TEP-62, TEP-74 · TON Connect, sendTransaction · ston-fi/sdk (pTON v1)
 */

import { parseAddress } from '../chains/address.ts'
import { CLOCK, type Clock } from '../clock.ts'
import type { BuildOrder, TonMessage } from '../providers/provider.ts'
import { parseBoc, type Root } from './boc.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** 1 TON, of which a swap returns what it does not use: 0.3 TON is usual, and two swaps in a row need twice that. */
const MAX_GAS = 1_000_000_000n
/** No wallet needs longer to sign, and a price does not hold longer. */
const MAX_VALID_SECONDS = 900
/** Base64 characters. A message holds far less than 64 KiB. */
const MAX_BOC_CHARACTERS = 87_384

const JETTON_TRANSFER = 0x0f8a7ea5
const JETTON_BURN = 0x595f07bc
const NFT_TRANSFER = 0x5fcc3d14

/** The pTON wallet of STON.fi's first router; that of later ones has an operation of its own. */
const PTON_WALLETS: ReadonlySet<string> = new Set(['EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC'])

export interface TonRules {
  /** Where the provider may send a message, canonical; null where it publishes no list. */
  readonly allowed?: ReadonlySet<string> | null
  /** nanoTON on top of what is sold. */
  readonly maxGas?: bigint
  readonly clock?: Clock
}

/**
 * @throws GatewayError  material_refused, with the rule: sender, to, value, payload, operation,
 *                       jetton_amount, state_init, valid_until
 */
export function proveTon(
  message: TonMessage,
  order: BuildOrder,
  { allowed = null, maxGas = MAX_GAS, clock = CLOCK }: TonRules = {},
): Proof {
  const { chain, tokenIn, amountIn, from } = order
  const sender = parseAddress(chain, message.from)
  if (sender === null || sender !== parseAddress(chain, from)) throw refuseMaterial('sender')

  const to = parseAddress(chain, message.to)
  if (to === null || to === sender || (allowed !== null && !allowed.has(to))) throw refuseMaterial('to')

  const spent = tokenIn.isNative ? amountIn : 0n
  const value = /^[0-9]{1,39}$/.test(message.value) ? BigInt(message.value) : 0n
  if (value === 0n || value < spent || value > spent + maxGas) throw refuseMaterial('value')

  const root = parseCell(message.payload)
  if (root === null) throw refuseMaterial('payload')
  const operation = operationOf(root)
  if (tokenIn.isNative ? movesAssets(operation, to) : !isJettonMove(operation))
    throw refuseMaterial('operation')
  const jettonAmount = tokenIn.isNative ? null : jettonAmountOf(root)
  if (jettonAmount === 0n || (jettonAmount !== null && jettonAmount > amountIn)) {
    throw refuseMaterial('jetton_amount')
  }
  if (message.stateInit !== null && parseCell(message.stateInit) === null) throw refuseMaterial('state_init')

  const validSeconds = message.validUntil - clock.date() / 1_000
  if (!Number.isInteger(message.validUntil) || !(validSeconds > 0) || validSeconds > MAX_VALID_SECONDS) {
    throw refuseMaterial('valid_until')
  }
  return {
    checks: [
      'sender',
      'to',
      'value',
      'payload',
      'operation',
      ...(jettonAmount === null ? [] : ['jetton_amount']),
      'state_init',
      'valid_until',
    ],
    sender,
    to,
    value: message.value,
    gas: (value - spent).toString(),
    jettonAmount: jettonAmount === null ? null : jettonAmount.toString(),
    payloadBytes: Buffer.byteLength(message.payload, 'base64'),
  }
}

/** @returns null when the text is not the standard base64 of one bag of cells */
function parseCell(base64: string): Root | null {
  if (base64.length > MAX_BOC_CHARACTERS) return null
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? parseBoc(bytes) : null
}

/** @returns the first 32 bits, null for a shorter cell */
const operationOf = ({ data }: Root): number | null => (data.length < 4 ? null : data.readUInt32BE(0))

const isJettonMove = (operation: number | null): boolean =>
  operation === JETTON_TRANSFER || operation === JETTON_BURN

function movesAssets(operation: number | null, to: string): boolean {
  if (operation === JETTON_TRANSFER) return !PTON_WALLETS.has(to)
  return operation === JETTON_BURN || operation === NFT_TRANSFER
}

/** @returns zero where the cell ends before the amount does */
function jettonAmountOf({ data }: Root): bigint {
  // Four bits of length, then so many bytes, each astride two of the cell's.
  const length = data.length > 12 ? data[12]! >> 4 : 0
  if (data.length < 13 + length) return 0n
  let amount = 0n
  for (let at = 12; at < 12 + length; at++) {
    amount = (amount << 8n) | BigInt(((data[at]! & 0x0f) << 4) | (data[at + 1]! >> 4))
  }
  return amount
}
