/**
 * Proves that a provider's TON message is the ordered swap: `from` sends it soon,
 * to a known contract; it moves the input and no more; its payload contains the
 * minimum and the recipient; and it buys the ordered token.
 *
 *   selling TON       value = amountIn and the gas, to a router's pTON wallet or the native vault
 *   selling a jetton  value = the gas, to the sender's own wallet of that jetton, which pays the router
 *
 * A jetton wallet's address is computed if its code is known; otherwise the chain
 * is asked. It is also asked which code a router runs now, and whether a vault or a
 * pool exists: a computed address may have no contract yet, and would keep what it
 * is sent. Unused gas is returned.
 *
 * Source: §4.6 · TEP-62, TEP-74 · TON Connect, sendTransaction · docs.ston.fi · docs.dedust.io
 */

import { parseAddress } from '../../chains/address.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { tonGas } from '../terms/fees.ts'
import type { TonMessage } from '../terms/material.ts'
import { type BuildOrder, tokenOf } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import { bagIn, type Cell } from './boc.ts'
import { MalformedCell } from './cell.ts'
import checks from './checks.json' with { type: 'json' }
import { dedustPair, dedustPools, dedustVault } from './dedust.ts'
import { jettonWallet } from './jetton-wallet.ts'
import { isStonCode, STON_ROUTERS } from './ston-routers.ts'
import { readTonSwap, type TonSwap } from './swap.ts'
import type { TonWitness } from './witness.ts'

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
  /** Absent: no node can be asked. */
  readonly witness?: TonWitness
  /** What only a node could show is `stated` in the proof, and not refused. */
  readonly mayState?: boolean
  readonly clock?: Pick<Clock, 'date'>
}

/**
 * @throws GatewayError  material_refused, with the rule: sender, to, value, payload, operation, router,
 *                       pools, amount, tokens, minimum, recipient, refund, referral, custom_payload,
 *                       deadline, jetton_wallet, state_init, valid_until; material_unproved
 */
export async function proveTon(message: TonMessage, order: BuildOrder, rules: TonRules): Promise<Proof> {
  const { chain, tokenIn, amountIn, from } = order
  const { minOut, clock = CLOCK } = rules
  const contracts = new ContractsProof(order, rules)
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
  if (gas < 0n || gas > tonGas(worthOf(order, minOut)) || forwardTon > gas || forwardTon < MIN_GAS)
    throw refuseMaterial('value')
  if (swap.amountIn !== amountIn) throw refuseMaterial('amount')
  if (swap.minOut < minOut || swap.minOut === 0n) throw refuseMaterial('minimum')
  if (swap.recipient !== sender) throw refuseMaterial('recipient')
  if (!isRefunded(swap, sender, tokenIn.isNative, gas - forwardTon)) throw refuseMaterial('refund')
  if (swap.deadline !== null && swap.deadline <= BigInt(Math.floor(clock.date() / 1_000))) {
    throw refuseMaterial('deadline')
  }

  await contracts.proveWallet(to, sender)
  const { bought } = swap
  if (bought.by === 'pool') await contracts.proveDedust(swap.router, bought.pool)
  else await contracts.proveStonfi(bought.router, bought.wallet)
  const { stated } = contracts
  return {
    checks: checksOf(swap, tokenIn.isNative).filter((check) => !stated.includes(check)),
    ...(stated.length > 0 && { stated }),
    sender,
    to,
    router: swap.router,
    value: message.value,
    gas: gas.toString(),
    recipient: swap.recipient,
    minOut: swap.minOut.toString(),
    payloadBytes: decodeBase64(message.payload)!.length,
  }
}

/** Proves the contracts of a swap, as far as they can be computed or the chain reports them. */
class ContractsProof {
  /** What the chain could not be asked. */
  readonly stated: string[] = []
  readonly #order: BuildOrder
  readonly #witness: TonWitness | undefined
  readonly #mayState: boolean

  constructor(order: BuildOrder, { witness, mayState = false }: TonRules) {
    this.#order = order
    this.#witness = witness
    this.#mayState = mayState
  }

  /**
   * @param what  what the chain would have to show
   * @throws GatewayError  material_unproved, unless it may be stated
   */
  #leave(rule: string, what: string): void {
    if (!this.#mayState) {
      const why = `${what} cannot be determined: the chain's nodes disagree or cannot be asked. Configure two nodes in RPC_URLS_TON.`
      throw new GatewayError('material_unproved', why, { rule })
    }
    this.stated.push(rule)
  }

  /** @returns null if the wallet's address cannot be determined, and may be stated */
  async #walletOf(master: string, owner: string, isSold: boolean): Promise<string | null> {
    const wallet =
      jettonWallet(master, owner) ?? (await this.#witness?.walletOf(master, owner, isSold)) ?? null
    if (wallet === null) this.#leave('jetton_wallet', 'The wallet contract of this jetton')
    return wallet
  }

  /** Checks that the jettons are paid by the sender's own wallet of the sold jetton. */
  async proveWallet(to: string, sender: string): Promise<void> {
    const { tokenIn } = this.#order
    if (tokenIn.isNative) return
    const wallet = await this.#walletOf(tokenIn.address, sender, true)
    if (wallet !== null && to !== wallet) throw refuseMaterial('jetton_wallet')
  }

  /**
   * Checks that the requested wallet is the router's own of the bought token, and that the router, which is on
   * the list, now runs one of STON.fi's codes.
   */
  async proveStonfi(name: string, askWallet: string): Promise<void> {
    const router = STON_ROUTERS.get(name)!
    const { isNative, address } = this.#order.tokenOut
    const wallet = isNative ? router.ptonWallet : await this.#walletOf(address, name, false)
    // If the jetton's wallet is unknown, it is at least not that of TON.
    const isTon = askWallet === router.ptonWallet
    if (wallet === null ? isTon : askWallet !== wallet) throw refuseMaterial('tokens')
    const code = (await this.#witness?.codeOf(name)) ?? null
    if (code === null) this.#leave('router', 'The code that the router runs')
    else if (!isStonCode(router, code)) throw refuseMaterial('router')
  }

  /**
   * Checks that vault and pool are DeDust's for the two tokens, and that they exist: money sent to a missing
   * contract, or to one that takes payments from another wallet, is lost.
   */
  async proveDedust(vault: string, pool: string): Promise<void> {
    const { tokenIn, tokenOut } = this.#order
    const ends = [tokenOf(tokenIn), tokenOf(tokenOut)] as const
    if (vault !== dedustVault(ends[0])) throw refuseMaterial('router')
    if (!dedustPools(...ends).includes(pool)) throw refuseMaterial('pools')
    const assets = (await this.#witness?.assetsOf(pool)) ?? null
    if (assets === null) this.#leave('pools', "Whether DeDust's pool of these tokens is there")
    else if (assets.join() !== dedustPair(...ends).join()) throw refuseMaterial('pools')
    // A seller of TON at DeDust pays the native vault, so that exists.
    if (tokenIn.isNative) return
    const wallet = (await this.#witness?.vaultWalletOf(vault)) ?? null
    if (wallet === null) this.#leave('router', "Whether DeDust's vault of this jetton is there")
    else if (wallet !== (await this.#walletOf(tokenIn.address, vault, false))) throw refuseMaterial('router')
  }
}

/** @returns nanoTON that the order sells, should receive or is worth; null if unknown */
function worthOf({ tokenIn, tokenOut, amountIn, worth = null }: BuildOrder, minOut: bigint): bigint | null {
  if (tokenIn.isNative) return amountIn
  return tokenOut.isNative ? minOut : worth
}

function checksOf({ excessesTo, deadline, bought }: TonSwap, isNative: boolean): string[] {
  return [
    ...checks,
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
 * @returns the value beyond the sold amount, in nanoTON; negative if it is less, or if it isn't a valid
 * amount
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

/** Checks that the kind of message takes the sold token: TON by value, a jetton by a jetton transfer. */
function proveKind({ isJettonTransfer, router: name }: TonSwap, to: string, isNative: boolean): void {
  if (isJettonTransfer !== isNative) return
  // TON as a jetton transfer exists only for STON.fi's version 1 router, through its own pTON wallet.
  const router = STON_ROUTERS.get(name)
  const isWrapped = isJettonTransfer && router?.version === 1 && router.ptonWallet === to
  if (!isWrapped) throw refuseMaterial('operation')
}

/** @returns null unless the text is the standard base64 of one bag of cells */
function parseCell(base64: string): Cell | null {
  return base64.length > MAX_BOC_CHARACTERS ? null : bagIn(base64)
}
