/**
 * The ledger of a transaction: its effects, how much is much, and amounts in words. Families state effects; only
 * findings.ts judges what they mean to the owner.
 */
import { formatAmount } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { findMajor } from '../chains/majors.ts'
import { evmFeesOf, MAX_PRIORITY_LAMPORTS, MAX_SUI_GAS_BUDGET, MAX_TON_GAS } from '../proof/terms/fees.ts'
import type { RiskCode } from './risks.ts'
import type { Effect, Severity } from './types.ts'

/** An effect with what the judge needs and the answer leaves out. */
export interface Stated extends Omit<Effect, 'action'> {
  /** Who authorizes it, if that isn't the holder: a delegate, a member of a multisig. */
  readonly by?: string | null | undefined
  /** The risk and its severity if it goes to a stranger, if not the usual one of the kind. */
  readonly code?: RiskCode
  readonly severity?: Severity
  /** The wording for a power that does not simply change hands. */
  readonly reason?: string
  /** `to` gives for it what the effects next to it say: a swap's program, a wrapper. */
  readonly isKnown?: boolean
  /**
   * For a fee: its share of the moved amount. Of those with the same key the highest counts: a payment is
   * charged once.
   */
  readonly share?: { readonly bps: number; readonly key?: string | null }
  /** A permission for more than any one use; one without an amount always is. */
  readonly isUnlimited?: boolean
}

export type More = Omit<Stated, 'kind' | 'holder' | 'asset' | 'amount' | 'to'>
/** An address; null: nobody, or somebody whom the bytes do not name. */
export type Who = string | null
type Amount = bigint | string | null

const effect =
  (kind: Effect['kind']) =>
  (holder: Who, asset: Who, amount: Amount, to: Who, more: More = {}): Stated => ({
    kind,
    holder,
    asset,
    amount: amount === null ? null : String(amount),
    to,
    ...more,
  })

/** The holder loses it. An amount that may be the number of an NFT is null. */
export const pays = effect('pays')
/** The holder gets at least this much. `to` is null. */
export const receives = (holder: Who, asset: Who, amount: Amount): Stated =>
  effect('receives')(holder, asset, amount, null)
/** The holder pays for the transaction itself; `to` is null for the network. */
export const costs = effect('cost')
/** `to` may take this much from the holder later. */
export const permits = effect('permission')
/** The holder gives `to` a power over `asset`; if `to` is null, nobody has it any more. */
export const hands = (
  holder: Who,
  asset: Who,
  to: Who,
  what: string,
  code: RiskCode,
  more: More = {},
): Stated => effect('control')(holder, asset, null, to, { what, code, ...more })
/** The holder locks rent in an account of `to`, which gets it back by closing the account. */
export const opens = (holder: Who, lamports: Amount, to: Who, more: More = {}): Stated =>
  effect('account')(holder, 'native', lamports, to, { what: 'rent', ...more })
/** Nobody has it any more. */
export const destroys = (holder: Who, asset: Who, amount: Amount, more: More = {}): Stated =>
  effect('destroys')(holder, asset, amount, null, more)

const SIGNATURES = 100_000n
const MAX_RENT = 10_000_000n

/**
 * The most for all costs of a transaction, from where on they are a theft, and the most for all rent, in base units of
 * the chain's coin. Each bound is for the sum over the whole transaction.
 */
export function boundOf({ family, key }: ChainDefinition) {
  switch (family) {
    case 'solana':
      return {
        costs: MAX_PRIORITY_LAMPORTS + SIGNATURES,
        theft: 50n * MAX_PRIORITY_LAMPORTS,
        rent: MAX_RENT,
      }
    case 'sui':
      // The budget, of which most comes back: dapps set up to a whole coin.
      return { costs: 2n * MAX_SUI_GAS_BUDGET, theft: 10n * MAX_SUI_GAS_BUDGET, rent: MAX_SUI_GAS_BUDGET }
    case 'ton':
      return { costs: MAX_TON_GAS, theft: 10n * MAX_TON_GAS, rent: MAX_TON_GAS }
    case 'evm': {
      const { gas } = evmFeesOf(key)
      return { costs: gas / 4n, theft: 2n * gas, rent: gas }
    }
  }
}

/** The most that a bridge's message costs, on each EVM chain: see EVM_FEES. */
const MESSAGING_DOLLARS = 30n

type Moved = Pick<Effect, 'asset' | 'amount'>

/**
 * The approximate amount that an effect moves, in base units of the chain's coin; null for a token whose
 * value no byte shows.
 */
export function worthOf({ key }: ChainDefinition, { asset, amount }: Moved): bigint | null {
  const major = findMajor(key, asset ?? '')
  if (asset === 'native' || major?.kind === 'wrapped') return BigInt(amount ?? 0)
  const { messaging } = evmFeesOf(key)
  if (major?.kind !== 'stablecoin' || messaging === 0n) return null
  return (BigInt(amount ?? 0) * messaging) / (MESSAGING_DOLLARS * 10n ** BigInt(major.decimals))
}

/** Prices do not move that far: less than this share of the sold amount is no minimum. */
const LEAST_SHARE = 20n

/** Whether the minimum is as good as nothing, compared with the sold amount: for an EVM chain's majors. */
export function isNominal(chain: ChainDefinition, sold: Moved, least: Moved): boolean {
  if (BigInt(least.amount ?? 0) <= 1n) return true
  const [gives, gets] = [worthOf(chain, sold), worthOf(chain, least)]
  return gives !== null && gets !== null && gets * LEAST_SHARE < gives
}

/** What for: it is in an account of the holder's that a node does not count as the wallet's. */
export const DEPOSIT = 'deposit'

/** An amount with its symbol, if the gateway knows the token itself. A token's own symbol never counts. */
export function amountIn(chain: ChainDefinition, { asset, amount }: Moved): string {
  const major =
    asset === 'native'
      ? { symbol: chain.native, decimals: chain.decimals }
      : findMajor(chain.key, asset ?? '')
  const name = major?.symbol ?? asset ?? 'a token that is not named'
  // Sui's coins are objects: one of them is not all that the wallet has.
  if (amount === null && chain.family === 'sui')
    return asset === null ? 'an object of a type that is not shown' : `an amount of ${name} that is not shown`
  if (amount === null) return asset === null ? 'all tokens that are not named' : `all ${name}`
  return major ? `${formatAmount(BigInt(amount), major.decimals)} ${name}` : `${amount} base units of ${name}`
}
