/** Unsigned transaction material, as a provider builds it and before it is proved. */

/** Permission that a wallet must give before its transaction can take the token (ERC-20 approve). */
export interface Approval {
  readonly token: string
  readonly spender: string
  /** Base units, decimal. */
  readonly amount: string
  /** The token refuses to change a non-zero allowance: approve zero first. */
  readonly reset?: boolean
}

export type Material =
  | {
      readonly kind: 'evm'
      readonly to: string
      /** Calldata, 0x hex. */
      readonly data: string
      /** Wei, decimal. */
      readonly value: string
      readonly approval: Approval | null
      /** The sender and the chain, where the provider names them: they must agree with the order. */
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
