/**
 * What the gateway asks of the chains' nodes about one wallet: what does it
 * hold, in base units. EVM nodes cannot list a wallet's tokens, so they are
 * asked for those that the gateway knows of; Solana's nodes list them.
 *
 * Source: §4.4
 */
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { TokenId } from '../market/market.ts'

/**
 * frozen   at least a part of it cannot be moved
 * scaled   wallets show another amount than base units and decimals make
 *          (Token-2022: ScaledUiAmount, InterestBearing)
 */
export type HoldingNote = 'frozen' | 'scaled'

export interface Holding {
  readonly token: TokenId & { readonly isNative: boolean }
  /** Base units, above zero. */
  readonly amount: bigint
  /** Null where the token does not tell, or tells nonsense: its amount means nothing in whole tokens. */
  readonly decimals: number | null
  /** The token's own words, cleaned; null where it has none, or where it was not asked. */
  readonly symbol: string | null
  readonly name: string | null
  /** Lamports of `amount` that are wrapped SOL; null for everything but Solana's native coin. */
  readonly wrapped: bigint | null
  readonly notes: readonly HoldingNote[]
}

export interface Holdings {
  /** The oldest state that any part of the answer was read from; null for what the chain does not have. */
  readonly at: { readonly block: number | null; readonly slot: number | null }
  readonly holdings: readonly Holding[]
  /** Whether that state is so old that it says little of the present. */
  readonly isBehind?: boolean
  /** What should have been read and was not: tokens, or whole lists of them. Zero when the answer is complete. */
  readonly missing: number
  /** Whether the native coin is among what was not read: what there is of it, if anything, is then not all. */
  readonly isCoinMissing?: boolean
}

/** A token to look for, with what is known of it. */
export interface AskedToken {
  /** Canonical, see chains/address.ts. */
  readonly address: string
  readonly decimals?: number | null
  readonly symbol?: string | null
  readonly name?: string | null
  /**
   * What a list says of its decimals: the chain's own word counts, and where that is another, the list
   * means another token, whose symbol and name are not this one's.
   */
  readonly listedDecimals?: number
  /** False for one that nobody vouches for: it is read last, and apart from the others. */
  readonly isVouched?: boolean
}

export interface HoldingsOptions {
  /** Over the whole answer, ms. */
  readonly deadlineMs: number
  readonly scope: CancellationScope | null
}

export interface HoldingsProvider {
  /**
   * @param owner   the wallet's canonical address
   * @param tokens  to look for beside the native coin, which always counts; unused where nodes list all of them
   * @returns  what is held, in no particular order
   * @throws GatewayError  502 upstream_*, when nothing could be read
   */
  ask(owner: string, tokens: readonly AskedToken[], options: HoldingsOptions): Promise<Holdings>
}
