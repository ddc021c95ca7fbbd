/**
 * Proves that a provider's TON message is the ordered swap: `from` sends it soon,
 * to a known contract; it moves the input and no more; its payload contains the
 * minimum and the recipient; and it buys the ordered token.
 *
 *   selling TON       value = amountIn and the gas, to a pTON wallet or the native vault on the list
 *   selling a jetton  value = the gas, to the sender's own wallet of that jetton, which pays the router
 *
 * A jetton wallet's address is computed if its code is known; otherwise the chain
 * is asked. Unused gas is returned.
 *
 * Source: §4.6 · TEP-62, TEP-74 · TON Connect, sendTransaction · docs.ston.fi · docs.dedust.io
 */

import { parseAddress } from '../chains/address.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { type Cell, parseBoc } from './boc.ts'
import { MalformedCell } from './cell.ts'
import { jettonWallet } from './jetton-wallet.ts'
import type { TonMessage } from './material.ts'
import type { BuildOrder } from './order.ts'
import { readTonSwap, STON_ROUTERS, type TonSwap } from './ton-swap.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** The most TON for gas: 1 TON. A swap returns what it does not use; 0.3 TON is usual. */
export const MAX_GAS = 1_000_000_000n
/**
 * The least TON for the router: 0.1 TON. With less, the router may be paid without being notified, or fail
 * halfway, and would keep the sold tokens. Real swaps provide 0.125 TON or more and use 0.06.
 */
const MIN_GAS = 100_000_000n
/** Long enough for any wallet to sign; a price does not hold longer. */
const MAX_VALID_SECONDS = 900
/** Base64 characters. A message holds far less than 64 KiB. */
const MAX_BOC_CHARACTERS = 87_384

export interface TonRules {
  /** The minimum that the payload has to guarantee, in base units of the bought token. */
  readonly minOut: bigint
  /**
   * Asks the chain for a jetton wallet's address. Addresses are canonical.
   * @param isSold  the wallet must confirm its jetton as well: the master may belong to an attacker
   * @returns null if the nodes disagree or cannot be asked
   */
  readonly walletOf?: (master: string, owner: string, isSold: boolean) => Promise<string | null>
  /** The most nanoTON on top of the sold amount. */
  readonly maxGas?: bigint
  readonly clock?: Clock
}

/**
 * @throws GatewayError  material_refused, with the rule: sender, to, value, payload, operation, router,
 *                       pools, amount, tokens, minimum, recipient, refund, referral, custom_payload,
 *                       deadline, jetton_wallet, state_init, valid_until; material_unproved
 */
export async function proveTon(message: TonMessage, order: BuildOrder, rules: TonRules): Promise<Proof> {
  const { chain, tokenIn, tokenOut, amountIn, from } = order
  const { minOut, maxGas = MAX_GAS, clock = CLOCK } = rules
  const sender = parseAddress(chain, message.from)
  if (sender === null || sender !== parseAddress(chain, from)) throw refuseMaterial('sender')
  // A bounceable spelling returns the value if the account does not exist; another spelling might leave it
  // there.
  const { to } = message
  if (to !== parseAddress(chain, to) || to === sender) throw refuseMaterial('to')
  if (message.stateInit !== null) throw refuseMaterial('state_init')
  const validSeconds = message.validUntil - clock.date() / 1_000
  if (!Number.isInteger(message.validUntil) || !(validSeconds > 0) || validSeconds > MAX_VALID_SECONDS) {
    throw refuseMaterial('valid_until')
  }

  const swap = readSwap(message.payload, to, sender)
  proveKind(swap, to, tokenIn.isNative)
  const gas = gasOf(message.value, tokenIn.isNative ? amountIn : 0n)
  const forwardTon = swap.forwardTon ?? gas
  if (gas < 0n || gas > maxGas || forwardTon > gas || forwardTon < MIN_GAS) throw refuseMaterial('value')
  if (swap.amountIn !== amountIn) throw refuseMaterial('amount')
  if (swap.minOut < minOut || swap.minOut === 0n) throw refuseMaterial('minimum')
  if (swap.recipient !== sender) throw refuseMaterial('recipient')
  if (!isRefunded(swap, sender, tokenIn.isNative, gas - forwardTon)) throw refuseMaterial('refund')
  if (swap.deadline !== null && swap.deadline <= BigInt(Math.floor(clock.date() / 1_000))) {
    throw refuseMaterial('deadline')
  }

  const walletOf: WalletOf = (master, owner, isSold) => findWallet(master, owner, isSold, rules)
  await proveWallet(swap, to, sender, order, walletOf)
  await proveOutput(swap, tokenOut, walletOf)
  return {
    checks: checksOf(swap, tokenIn.isNative),
    sender,
    to,
    router: swap.router,
    value: message.value,
    gas: gas.toString(),
    recipient: swap.recipient,
    minOut: swap.minOut.toString(),
    payloadBytes: Buffer.byteLength(message.payload, 'base64'),
  }
}

const COMMON_CHECKS = [
  'sender',
  'to',
  'state_init',
  'valid_until',
  'payload',
  'operation',
  'router',
  'custom_payload',
  'referral',
  'value',
  'amount',
  'minimum',
  'recipient',
] as const

function checksOf({ excessesTo, deadline, bought }: TonSwap, isNative: boolean): string[] {
  return [
    ...COMMON_CHECKS,
    ...(excessesTo === null ? [] : ['refund']),
    ...(deadline === null ? [] : ['deadline']),
    ...(isNative ? [] : ['jetton_wallet']),
    ...(bought.by === 'pool' ? ['pools'] : []),
    'tokens',
  ]
}

/**
 * Only a message that sells TON may name no refund address: the router returns unused gas with the payout.
 * @param kept  nanoTON that is not forwarded to the router
 */
function isRefunded({ excessesTo }: TonSwap, sender: string, isNative: boolean, kept: bigint): boolean {
  return excessesTo === null ? isNative && kept <= MIN_GAS : excessesTo === sender
}

/**
 * @returns the value beyond the sold amount, in nanoTON; negative if it is less, or if it is no valid amount
 */
function gasOf(value: string, spent: bigint): bigint {
  return /^[1-9][0-9]{0,38}$/.test(value) ? BigInt(value) - spent : -1n
}

function readSwap(payload: string, to: string, from: string): TonSwap {
  const root = parseCell(payload)
  if (root === null) throw refuseMaterial('payload')
  try {
    return readTonSwap(root, { to, from })
  } catch (error) {
    throw error instanceof MalformedCell ? refuseMaterial('payload') : error
  }
}

type WalletOf = (master: string, owner: string, isSold: boolean) => Promise<string>

/** Checks that the kind of message takes the sold token: TON by value, a jetton by a jetton transfer. */
function proveKind({ isJettonTransfer, router: name }: TonSwap, to: string, isNative: boolean): void {
  if (isJettonTransfer !== isNative) return
  // TON as a jetton transfer exists only for STON.fi's version 1 router, through its own pTON wallet.
  const router = STON_ROUTERS.get(name)
  const isWrapped = isJettonTransfer && router?.version === 1 && router.ptonWallet === to
  if (!isWrapped) throw refuseMaterial('operation')
}

async function proveWallet(
  { bought }: TonSwap,
  to: string,
  sender: string,
  { tokenIn }: BuildOrder,
  walletOf: WalletOf,
): Promise<void> {
  if (tokenIn.isNative) return
  if (to !== (await walletOf(tokenIn.address, sender, true))) throw refuseMaterial('jetton_wallet')
  // A DeDust vault accepts a single jetton.
  if (bought.by === 'pool' && bought.tokenIn !== tokenIn.address) throw refuseMaterial('tokens')
}

async function proveOutput(
  { bought }: TonSwap,
  tokenOut: BuildOrder['tokenOut'],
  walletOf: WalletOf,
): Promise<void> {
  if (bought.by === 'pool') {
    if (bought.tokenOut !== (tokenOut.isNative ? null : tokenOut.address)) throw refuseMaterial('tokens')
    return
  }
  const wallet = tokenOut.isNative
    ? STON_ROUTERS.get(bought.router)!.ptonWallet
    : await walletOf(tokenOut.address, bought.router, false)
  if (bought.wallet !== wallet) throw refuseMaterial('tokens')
}

/** @throws GatewayError  material_unproved, if the wallet's address cannot be determined */
async function findWallet(
  master: string,
  owner: string,
  isSold: boolean,
  { walletOf }: TonRules,
): Promise<string> {
  const computed = jettonWallet(master, owner)
  if (computed !== null) return computed
  const asked = (await walletOf?.(master, owner, isSold)) ?? null
  if (asked !== null) return asked
  const why =
    "The wallet contract of this jetton cannot be determined: its code is not known, and the chain's nodes disagree or cannot be asked. Configure two nodes in RPC_URLS_TON."
  throw new GatewayError('material_unproved', why, { rule: 'jetton_wallet' })
}

/** @returns null unless the text is the standard base64 of one bag of cells */
function parseCell(base64: string): Cell | null {
  if (base64.length > MAX_BOC_CHARACTERS) return null
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? parseBoc(bytes) : null
}
