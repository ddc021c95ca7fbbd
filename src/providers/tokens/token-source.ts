/**
 * Who is asked which tokens there are on a chain, and what such a list tells
 * of a token: where it is, and who it says that it is. Its symbol and name are
 * for whoever listed it to answer for; its decimals count where the chain says
 * the same; its price, if there is one, is nobody's here.
 */
import type { TokenId } from '../market/market.ts'
import type { CallOptions } from '../provider.ts'

export interface KnownToken extends TokenId {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Whether somebody has looked at it: a list of everything does not vouch for what it has. */
  readonly isVouched: boolean
}

export interface TokenSource {
  /** Stands in logs. */
  readonly label: string
  /** Keys of the chains that it lists the tokens of. */
  readonly chains: ReadonlySet<string>
  /** How often its list is worth reading, ms. */
  readonly everyMs: number
  /** @returns the likeliest to be held first, each once; all others of the list are cut */
  ask(chain: string, options: CallOptions): Promise<readonly KnownToken[]>
}
