/**
 * Which cross-chain swaps the provider is asked for at all. A swap that could never be proved, whatever the
 * provider builds, is refused here as a request that asks for too much; `material_refused` is left for a
 * provider that built something else.
 *
 * Source: §4.7
 */
import { formatAmount } from '../chains/amount.ts'
import type { ChainDefinition, Family } from '../chains/definition.ts'
import { findChain } from '../chains/find.ts'
import { usdcOf } from '../chains/stablecoins.ts'
import type { Call } from '../flow/call.ts'
import type { SuiFacts } from '../proof/sui/crossing.ts'
import type { SuiObjects } from '../proof/sui/objects.ts'
import { FROM_SUI } from '../proof/sui/packages.ts'
import { type SolanaRates, SUI_EXTRA_NATIVE, solanaExtraNative } from '../proof/terms/fees.ts'
import type { CrossChainOrder, Token } from '../proof/terms/order.ts'
import type { HeldOf } from '../providers/holdings/held.ts'
import { GatewayError, nullIfUnanswered } from '../runtime/errors.ts'
import type { Level } from '../runtime/levels.ts'
import type { FairOf } from './fair.ts'

export interface AdmissionOptions {
  /** The level that material to sign must reach. */
  readonly minimum: Level
  /** Absent: nothing is known of Sui's objects beyond the tables. */
  readonly suiObjects?: Pick<SuiObjects, 'mayan' | 'metadataOf'>
  readonly heldOf: HeldOf
  readonly fairOf: FairOf
  /** Solana's current minimum charges; absent if no node reports them: then only the input has to be held. */
  readonly solana?: SolanaRates
  /** How long the value of an order is waited for, ms. */
  readonly priceMs: number
}

/** What is sold, and the seller. */
interface Sold extends Pick<CrossChainOrder, 'tokenIn' | 'amountIn' | 'from'> {
  readonly fromChain: ChainDefinition
}

type Sides = Pick<CrossChainOrder, 'fromChain' | 'toChain' | 'from' | 'to'>

/** @throws GatewayError  unsupported_route */
export function requireRoute({ fromChain, toChain, from, to }: Sides): void {
  if (fromChain.family !== 'sui') return
  if (toChain.key !== fromChain.key) {
    if (!FROM_SUI.includes(toChain.key)) throw unsupported('toChain', LEADS_TO)
    return
  }
  if (to === from) return
  throw unsupported('to', 'A swap within Sui pays the wallet that signs it: leave `to` out, or give `from`.')
}

/**
 * @returns what the proof needs to know in addition to the material
 * @throws GatewayError  unsupported_route, insufficient_balance
 */
export async function admit(order: CrossChainOrder, options: AdmissionOptions, call: Call) {
  const [metadataOut, sui] = await Promise.all([
    describedAs(order, options, call),
    suiFacts(order, options, call),
    options.minimum === 'stated' ? null : requireHeld(order, options, call),
  ])
  return { ...(metadataOut !== null && { metadataOut }), ...(sui !== null && { sui }) }
}

/** The object by which bridges name a coin on Sui. */
async function describedAs(
  { fromChain, toChain, tokenOut }: CrossChainOrder,
  { suiObjects, minimum }: AdmissionOptions,
  call: Call,
): Promise<string | null> {
  if (toChain.family !== 'sui' || fromChain.key === toChain.key) return null
  const { address } = tokenOut
  const found =
    suiObjects === undefined
      ? (toChain.coinMetadata?.[address] ?? null)
      : await suiObjects.metadataOf(address, call)
  if (found === null && minimum !== 'stated') throw unsupported('toToken', TO_SUI)
  return found
}

/** For a swap from Sui that ends on another chain. */
async function suiFacts(
  order: CrossChainOrder,
  { suiObjects, fairOf, priceMs, minimum }: AdmissionOptions,
  call: Call,
): Promise<SuiFacts | null> {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn } = order
  if (fromChain.family !== 'sui' || toChain.key === fromChain.key || suiObjects === undefined) return null
  const usdc = usdcOf(fromChain)!
  // USDC for the same value of USDC needs no price: the least that arrives is the least that is sent.
  const isBound = tokenIn.address === usdc || tokenOut.address === usdcOf(toChain)
  const bought = { address: usdc, isNative: false, decimals: USDC_DECIMALS }
  const middle = { chainIn: fromChain, chainOut: fromChain, tokenIn, tokenOut: bought, amountIn }
  const [packages, fair] = await Promise.all([
    suiObjects.mayan(call),
    isBound ? null : fairOf(middle, call.within(priceMs)),
  ])
  const leastBurnt = fair?.out == null ? null : leastOf(fair.out, fair.floor)
  if (!isBound && leastBurnt === null && minimum !== 'stated') throw unsupported('fromToken', UNPRICED_ON_SUI)
  return { packages, leastBurnt }
}

const USDC_DECIMALS = 6

/**
 * The least that a swap before the bridge may leave: the floor of an offer, and at least half of the value.
 * @returns null if the pools are too thin for that
 */
function leastOf(out: bigint, floor: bigint | null): bigint | null {
  const least = floor ?? (out * 9n) / 10n
  return least * 2n < out ? null : least
}

/**
 * For material that only an execution proves.
 * @throws GatewayError  insufficient_balance
 */
export async function requireHeld(
  { fromChain, tokenIn, amountIn, from }: Sold,
  { heldOf, solana }: Pick<AdmissionOptions, 'heldOf' | 'solana'>,
  call: Call,
): Promise<void> {
  const extra = extraNativeOf(fromChain.family, solana)
  if (extra === undefined) return
  const native = { address: 'native', isNative: true, decimals: fromChain.decimals }
  const needed: readonly (readonly [Token, bigint])[] = tokenIn.isNative
    ? [[tokenIn, amountIn + extra]]
    : [
        [tokenIn, amountIn],
        [native, extra],
      ]
  // If no node reports it, the execution will show it.
  const asked = needed.map(([token]) => heldOf(fromChain, token, from, call).catch(nullIfUnanswered))
  const held = await Promise.all(asked)
  for (const [at, [token, required]] of needed.entries()) {
    const available = held[at]!
    if (available !== null && available < required) throw lacking(fromChain, token, required, available)
  }
}

/** The network's minimum charges, for material that only an execution proves. */
function extraNativeOf(family: Family, solana: SolanaRates | undefined): bigint | undefined {
  if (family === 'sui') return SUI_EXTRA_NATIVE
  return family === 'solana' ? (solana === undefined ? 0n : solanaExtraNative(solana)) : undefined
}

function lacking(chain: ChainDefinition, token: Token, required: bigint, available: bigint): GatewayError {
  const { address, isNative, decimals } = token
  const named = isNative ? ` ${chain.native}` : ''
  const [has, needs] = [available, required].map((amount) => formatAmount(amount, decimals) + named)
  const message =
    `\`from\` holds ${has}${isNative ? '' : ` of ${address}`}, and needs ${needs}` +
    `${isNative ? ' with what the network takes' : ''}. Without that no execution proves the material.`
  const fields = { field: 'from', required: String(required), available: String(available) }
  return new GatewayError('insufficient_balance', message, fields)
}

const unsupported = (field: string, message: string): GatewayError =>
  new GatewayError('unsupported_route', message, { field })

const nameOf = (key: string): string => findChain(key)!.name
const LEADS_TO = `From Sui a swap leads to ${FROM_SUI.map(nameOf).join(', ')}, and to Sui itself.`
const TO_SUI =
  'No two Sui nodes agree on what `toToken` is described by, so that a bridge could pay out another coin. Ask for SUI, USDC or USDT; the operator may also configure two nodes.'
const UNPRICED_ON_SUI =
  'No two price sources know what `fromToken` is worth, so that the swap before the bridge could lose it. Sell it for USDC on Sui first, or ask for USDC.'
