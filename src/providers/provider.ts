/**
 * What a swap provider does for the gateway, whatever its wire format. One file
 * per provider implements this; swaps.ts lists them.
 *
 * A provider knows one upstream and nothing of HTTP serving. It returns values,
 * or throws a GatewayError: `no_route`, `unknown_token`, `amount_too_small`,
 * `amount_too_large`, `unsupported_slippage` (all 400) for what the client can
 * correct, `upstream_*` (502) for what it cannot.
 *
 * Source: §4.5 to §4.8
 */
import type { ChainDefinition } from '../chains/definition.ts'
import type { Call } from '../flow/call.ts'
import type { Material } from '../proof/terms/material.ts'
import type { BuildOrder, Order, OutputOrder, PriorityLevel } from '../proof/terms/order.ts'
import { type Proof, REACHED } from '../proof/terms/verification.ts'
import type { Level } from '../runtime/levels.ts'

/** A provider's offer for an order. Amounts in base units of `tokenOut`. */
export interface Offer {
  /** Net of the provider's fees. */
  readonly expectedOut: bigint
  readonly minOut: bigint
  /** For an exact output: what it is expected to take of `tokenIn`, and the most. Absent: the order's amount. */
  readonly takes?: { readonly amountIn: bigint; readonly maxIn: bigint }
  /** Percent, positive is a loss; null when unknown. For display only. */
  readonly priceImpactPct: number | null
  /**
   * What its transaction takes, as far as the provider states it: units of gas, and the approximate bytes of
   * calldata.
   */
  readonly gas?: { readonly units: number; readonly bytes: number }
  /**
   * What the quote's `route` shows beyond the common fields, in JSON values: the router, and below `stated`
   * what only the provider claims, such as hops and gas (see swap/stated.ts).
   */
  readonly details: Readonly<Record<string, unknown>>
  /** The provider's answer as JSON text, byte for byte: `build` needs it unchanged. */
  readonly raw: string
}

/** How long most offers can be built from, ms: they are of one block, and go stale within 5 to 10 s. */
export const FRESH_MS = 10_000
/** How long most transactions on EVM chains can wait for their block, s. */
export const DEADLINE_SECONDS = 20 * 60

/** Asks a provider how many decimals a token has. @throws GatewayError  unknown_token, upstream_* */
export type DecimalsSource = (chain: ChainDefinition, address: string, call: Call) => Promise<number>

export interface SwapProvider {
  /** Names it in quotes, errors, logs and metrics. */
  readonly label: string
  /** How long an offer can be built from, ms. */
  readonly freshMs: number
  /** Keys of the chains that it serves. */
  readonly chains: ReadonlySet<string>
  /** The highest level that its builds reach. Absent: that of the chain's family. */
  readonly reaches?: Level
  /**
   * Whether its bytes show the recipient and the minimum by guards alone. Then each of its builds gets them; on Solana
   * the nonce of an order with one, too: `build` leaves that to proved.ts.
   */
  readonly needsGuards?: boolean
  /** Whether its builds can pay another wallet than the one that signs. Absent: they can't. */
  readonly paysOthers?: boolean
  /** What its transactions on Solana pay for priority, if the order leaves it to the provider. Absent: what they say. */
  readonly priority?: PriorityLevel
  quote(order: Order, call: Call): Promise<Offer>
  /** Present if it sells exact outputs: its offers then have `takes`, and the output as both of their amounts. */
  quoteOutput?(order: OutputOrder, call: Call): Promise<Offer>
  /** @param offer  this provider's for this order, not older than `freshMs` */
  build(order: BuildOrder, offer: Offer, call: Call): Promise<Material>
  /**
   * Proves the material that `build` returned for this order and offer.
   * @param call  for calls that the proof needs
   * @throws GatewayError  material_refused, with the rule that does not hold
   */
  prove(order: BuildOrder, offer: Offer, material: Material, call: Call): Proof | Promise<Proof>
}

/** The highest level that a provider's builds reach on a chain. */
export const reachedBy = (
  { reaches }: Pick<SwapProvider, 'reaches'>,
  { family }: Pick<ChainDefinition, 'family'>,
): Level => reaches ?? REACHED[family]
