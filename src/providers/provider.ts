/**
 * What the gateway asks of a route provider, whatever its wire format. One
 * file per provider implements this; swaps.ts lists them.
 *
 * A provider knows one upstream and nothing of HTTP serving. It answers with
 * values, or throws a GatewayError: `no_route`, `unknown_token`,
 * `amount_too_small`, `amount_too_large`, `unsupported_slippage` (all 400) for
 * what the caller can mend, `upstream_*` (502) for what it cannot.
 *
 * Source: §4.5 to §4.8
 */
import type { ChainDefinition } from '../chains/definition.ts'
import type { Proof } from '../proof/verification.ts'
import type { CancellationScope } from '../runtime/cancellation.ts'
import type { Priority } from '../upstream/governor.ts'

/** One side of a swap. */
export interface Token {
  /** Canonical for its family; for the native coin what the family writes for it (see chains/address.ts). */
  readonly address: string
  readonly isNative: boolean
  readonly decimals: number
}

/** A validated request for a swap. */
export interface Order {
  readonly chain: ChainDefinition
  readonly side: 'buy' | 'sell'
  readonly tokenIn: Token
  readonly tokenOut: Token
  /** Base units of `tokenIn`, above zero. */
  readonly amountIn: bigint
  /** 1 to 5000. It reaches the provider in its own unit, or `unsupported_slippage` is thrown. */
  readonly slippageBps: number
  /** The wallet; null where a quote was asked for without one. */
  readonly from: string | null
}

/** An order that can be built: it has its wallet. */
export interface BuildOrder extends Order {
  readonly from: string
}

/** What a provider offers for an order. Amounts in base units of `tokenOut`. */
export interface Offer {
  /** Net of the provider's fees. */
  readonly expectedOut: bigint
  readonly minOut: bigint
  /** Percent, positive is a loss; null when unknown. For display only. */
  readonly priceImpactPct: number | null
  /** What the quote's `route` shows beyond the common fields: hops, gas, router. JSON values only. */
  readonly details: Readonly<Record<string, unknown>>
  /** The provider's answer as JSON text, byte for byte: `build` needs it unchanged. */
  readonly raw: string
}

/** Permission that a wallet must give before its transaction can take the token (ERC-20 approve). */
export interface Approval {
  readonly token: string
  readonly spender: string
  /** Base units, decimal. */
  readonly amount: string
  /** The token refuses to change a non-zero allowance: approve zero first. */
  readonly reset?: boolean
}

/** Unsigned transaction material, not proved yet: see proof/. */
export type Material =
  | {
      readonly kind: 'evm'
      readonly to: string
      /** Calldata, 0x hex. */
      readonly data: string
      /** Wei, decimal. */
      readonly value: string
      readonly approval: Approval | null
      /** The provider's own words on sender and chain, where it says them: they must agree with the order. */
      readonly from?: string
      readonly chainId?: number
    }
  | {
      readonly kind: 'solana'
      /** base64 */
      readonly transaction: string
      readonly lastValidBlockHeight: number | null
      readonly extra: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'sui' /** base64 */; readonly transaction: string }
  | { readonly kind: 'ton'; readonly message: TonMessage }

export interface TonMessage {
  /** The contract that the wallet sends it to. */
  readonly to: string
  /** nanoTON, decimal. */
  readonly value: string
  /** base64 BOC */
  readonly payload: string
  readonly stateInit: string | null
  /** Unix seconds. */
  readonly validUntil: number
  /** The sender that the provider built it for. */
  readonly from: string
}

export interface CallOptions {
  /** Over the whole answer, requests in a row included. */
  readonly deadlineMs: number
  readonly priority: Priority
  readonly scope: CancellationScope | null
}

/** Decimals of a token, as a provider tells them. @throws GatewayError  unknown_token, upstream_* */
export type DecimalsSource = (
  chain: ChainDefinition,
  address: string,
  options: CallOptions,
) => Promise<number>

export interface SwapProvider {
  /** Stands in quotes, errors, logs and metrics. */
  readonly label: string
  /** False for one that is only asked for a second opinion: it cannot be built from. */
  readonly canBuild: boolean
  /** How long `raw` may be built from, ms. */
  readonly freshMs: number
  /** Keys of the chains that it serves. */
  readonly chains: ReadonlySet<string>
  quote(order: Order, options: CallOptions): Promise<Offer>
  /** @param offer  of this provider, for this order, not older than `freshMs` */
  build(order: BuildOrder, offer: Offer, options: CallOptions): Promise<Material>
  /**
   * What holds of the material that `build` gave for this order and offer.
   * @param caller  for what a proof has to look up
   * @throws GatewayError  material_refused, with the rule that does not hold
   */
  prove(
    order: BuildOrder,
    offer: Offer,
    material: Material,
    scope?: CancellationScope | null,
  ): Proof | Promise<Proof>
}
