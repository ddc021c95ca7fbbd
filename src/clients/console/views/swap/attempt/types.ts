/** What is known of one swap, from its build to its receipt. */
import type * as gateway from '../../../../client/index.ts'
import type { Confirmed, Refused, SignedChange } from '../../../../verify/types.ts'
import type { ConnectedWallet } from '../../../wallets/wallet.ts'
import type { Built, Priority, SwapCoin, SwapOrder } from '../order.ts'

/**
 * `failed`: nothing was sent. `reverted`: it is in a block, and failed. `expired`: it never will be in one.
 * `unknown`: no source shows.
 */
export type EndState = 'failed' | 'reverted' | 'expired' | 'unknown'

export interface AttemptStep {
  readonly title: string
  /** `checking`: the answer to its submission was lost, and no node has said yet that it knows it. */
  readonly state: 'signing' | 'sent' | 'checking' | 'done' | EndState
  /** Hash or signature; null before the step is signed. */
  readonly id: string | null
  /** When it was sent, ms of the wall clock; before that, when it began. */
  readonly at: number
  readonly explorer: string | null
}

export interface Attempt {
  readonly phase: 'building' | 'refused' | 'review' | 'running' | 'done' | 'failed'
  readonly order: SwapOrder
  /** Null on chains other than Solana. */
  readonly priority: Priority | null
  readonly quote: gateway.Quote
  /** When the quote arrived, ms of the wall clock. */
  readonly quotedAt: number
  readonly wallet: ConnectedWallet
  readonly native: SwapCoin & { readonly price?: number | null }
  /** What is known against the two tokens. */
  readonly risks: readonly gateway.TokenRisks[]
  /** The coin on the other side of the token; the native one, mostly. */
  readonly other: SwapCoin
  readonly token: SwapCoin
  /** Null before it is there, and after a reload of the page. */
  readonly built: Built | null
  /** The last height that it can be in; null if it does not expire, or nothing is built. */
  readonly lastBlock: number | null
  /** For a swap to another chain: the order, and its answer, which is already built; null for any other. */
  readonly crossing: Crossing | null
  /** Null until the bridge is asked. */
  readonly delivery: Delivery | null
  /** What this page found in the material itself, by the order as its form has it. */
  readonly verdict: Confirmed | Refused | null
  /** The build request. */
  readonly exchange: gateway.Exchange | null
  /** When the build's answer arrived, ms of the wall clock. */
  readonly builtAt: number | null
  readonly error: gateway.SwapgateError | null
  readonly steps: readonly AttemptStep[]
  /** What the wallet changed before it signed. */
  readonly changes: readonly SignedChange[]
  readonly status: gateway.TransactionStatus | null
  readonly receipt: gateway.Receipt | null
  /** Why it would fail, according to a node that ran it; null if it would not, or no node ran it. */
  readonly simulationFailure: string | null
  /** Whether the build's price or minimum is accepted, if it is worse than the form's. */
  readonly isMoveAccepted: boolean
  /** Whether unproved claims are accepted. */
  readonly areClaimsAccepted: boolean
  /** A message: a temporary problem while the swap continues, or why it ended. */
  readonly problem: string | null
}

export interface Crossing {
  readonly input: gateway.XquoteInput
  readonly answer: gateway.CrossChainQuote
  readonly exchange: gateway.Exchange | null
}

/** How the bridge delivers, in its provider's words. */
export interface Delivery {
  readonly state: 'waiting' | 'arrived' | 'refunded' | 'failed'
  readonly message: string | null
  /** Of the transaction that delivered. */
  readonly id: string | null
  /** What arrived, in base units. */
  readonly amount: string | null
}
