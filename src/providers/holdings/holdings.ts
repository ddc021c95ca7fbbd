/**
 * A wallet's holdings, read from a chain's nodes, in base units. EVM nodes cannot
 * list a wallet's tokens, so the gateway asks for the tokens that it knows;
 * Solana's nodes list them.
 *
 * Source: §4.4
 */
import type { Call } from '../../flow/call.ts'
import type { TokenId } from '../market/market.ts'

/**
 * frozen   at least a part of it cannot be moved
 * scaled   wallets show an amount that differs from base units and decimals
 *          (Token-2022: ScaledUiAmount, InterestBearing)
 */
export type HoldingNote = 'frozen' | 'scaled'

export interface Holding {
  readonly token: TokenId & { readonly isNative: boolean }
  /** Base units, above zero. */
  readonly amount: bigint
  /** Null if missing or absurd: the amount cannot be converted to whole tokens. */
  readonly decimals: number | null
  /** The token's own symbol and name, cleaned; null if it has none or they were not read. */
  readonly symbol: string | null
  readonly name: string | null
  /** Lamports of `amount` that are wrapped SOL; null for everything but Solana's native coin. */
  readonly wrapped: bigint | null
  readonly notes: readonly HoldingNote[]
}

export interface Holdings {
  /**
   * The oldest state that any part of the answer was read from; null for the kind of number that the chain
   * does not have.
   */
  readonly at: { readonly block: number | null; readonly slot: number | null }
  readonly holdings: readonly Holding[]
  /** Whether that state is too old to represent the present. */
  readonly isBehind?: boolean
  /**
   * The number of tokens, or of whole lists of tokens, that could not be read. Zero if the answer is
   * complete.
   */
  readonly missing: number
  /** Whether the native coin could not be read: a holding of it, if present, is incomplete. */
  readonly isCoinMissing?: boolean
}

/** A token to look for, with its known metadata. */
export interface AskedToken {
  /** Canonical, see chains/address.ts. */
  readonly address: string
  readonly decimals?: number | null
  readonly symbol?: string | null
  readonly name?: string | null
  /**
   * The decimals in a list. The chain's decimals count; if they differ, the list describes another token,
   * and its symbol and name are not used.
   */
  readonly listedDecimals?: number
  /** False for an unvouched token: it is read last, separately from the others. */
  readonly isVouched?: boolean
}

export interface HoldingsProvider {
  /**
   * @param owner   the wallet's canonical address
   * @param tokens  tokens to look for besides the native coin; unused if the nodes list all tokens
   * @returns  the holdings, in no particular order
   * @throws GatewayError  502 upstream_*, if nothing could be read
   */
  ask(owner: string, tokens: readonly AskedToken[], call: Call): Promise<Holdings>
}
