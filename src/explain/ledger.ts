/**
 * The ledger of a transaction: its effects, and the risks that follow from them. Families state effects; only
 * this file judges what they mean to the owner.
 */
import type { ChainDefinition } from '../chains/definition.ts'
import { findMajor } from '../chains/majors.ts'
import { WRAPPED_SOL_MINT } from '../chains/solana/programs.ts'
import { evmFeesOf, MAX_PRIORITY_LAMPORTS, MAX_SUI_GAS_BUDGET, MAX_TON_GAS } from '../proof/terms/fees.ts'
import type { RiskCode } from './risks.ts'
import type { Action, Change, Effect, Severity, UnknownPart } from './types.ts'

/** The findings, as the judge and the summary see them. */
export interface Books {
  readonly chain: ChainDefinition
  readonly actions: readonly Action[]
  readonly effects: readonly Effect[]
  readonly unknown: readonly UnknownPart[]
  /** Assets that go to an unnamed recipient. */
  readonly given: Set<string>
  /** Who else may be the wallet, if it wasn't named. */
  readonly signers: ReadonlySet<string>
  isOwn(address: string | null): boolean
  isNamed(address: string): boolean
  isRouter(address: string): boolean
  /** Whether the owner has a part in what happens to the holder's things. */
  concerns(holder: string | null): boolean
  /** The shares that fees take of moved amounts, in bps. */
  readonly shares: ReadonlyMap<string, number>
  /** Whether those who give it want `to` to have it: only the wallet itself vouches for the owner. */
  isFor(to: string, ...givers: readonly (string | null | undefined)[]): boolean
  /** Whether it stays with its holder, though it may change places. */
  keeps(to: string | null, holder: string | null, by?: string | null): boolean
  says(effect: Pick<Effect, 'asset' | 'amount'>): string
  /** A program or a contract by its name, if that is known. */
  nameOf(address: string): string
  /** Judges any address that takes part. */
  meets(who: string): void
  leave(where: string, why: string): void
  risk(code: RiskCode, reason: string, severity?: Severity): void
  riskOfAll(code: RiskCode, reason: string, severity?: Severity): void
}

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

type More = Omit<Stated, 'kind' | 'holder' | 'asset' | 'amount' | 'to'>
type Who = string | null
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

/**
 * Powers that a key may hold over its own assets. Code, a guard or a program may not, even at the owner's
 * address.
 */
const HELD: ReadonlySet<RiskCode> = new Set([
  'authority_change',
  'close_authority',
  'nonce_authority',
  'operator',
  'owner_change',
  'stake_authority',
  'token_power',
])

/** Judges one effect, of the action that was added last. */
export function judge(found: Books, stated: Stated): void {
  const { kind, holder, to, amount, by } = stated
  if (kind === 'receives' || amount === '0') return
  if (to !== null) found.meets(to)
  if (!found.concerns(holder) && !(by !== undefined && found.concerns(by))) return
  const isSafe = to !== null && (to === holder || found.isFor(to, holder, by))
  switch (kind) {
    case 'pays':
    case 'account':
      if (!isSafe && stated.isKnown !== true) leaves(found, stated)
      return
    case 'permission':
      if (!isSafe || !found.isOwn(to)) permitted(found, stated)
      return
    case 'control': {
      // A known keeper may be paid, but does not become an owner.
      const code = stated.code ?? 'authority_change'
      if (found.keeps(to, holder, by) && HELD.has(code)) return
      const what = `${stated.what ?? 'Control'} of ${stated.asset ?? 'it'}`
      const reason =
        to === null
          ? `${what[0]!.toUpperCase()}${what.slice(1)} is given up, or goes to an account that the bytes do not name.`
          : `${what[0]!.toUpperCase()}${what.slice(1)} goes to ${to}.`
      found.risk(code, stated.reason ?? reason, stated.severity)
      return
    }
    case 'destroys':
      found.risk(stated.code ?? 'burn', `${found.says(stated)} is gone then.`, stated.severity)
      return
    case 'cost':
  }
}

/** A lasting permission. One without a bound is bad even in known hands. */
function permitted(found: Books, stated: Stated): void {
  const { to, amount, code = 'approval_to_stranger', severity } = stated
  const who = to ?? 'an account that the bytes do not show'
  const isKnown = to !== null && (found.isFor(to, stated.holder) || found.isRouter(to))
  if (amount === null || stated.isUnlimited) {
    const reason = `${who} may take all of it, at any time.`
    found.risk('unlimited_approval', reason, isKnown ? 'warning' : 'danger')
  }
  if (!isKnown) found.risk(code, `${who} may take it later; nobody named them.`, severity)
}

/** Value that goes to an address that the wallet does not know. */
function leaves(found: Books, stated: Stated): void {
  const { to, asset, code = 'recipient_unknown', severity } = stated
  if (to === null) found.leave('recipient', 'the bytes do not show who receives')
  const who = to === null ? 'an account that the bytes do not show' : `${to}, an address that nobody named`
  found.risk(code, `${found.says(stated)} goes to ${who}.`, severity)
  found.given.add(asset ?? String(found.actions.length))
}

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

/** A cost below this share of the bound is negligible, whatever is moved. */
const SMALL = 20n
/** What wallets take for a swap: above it a share is a warning, and above STEALING_BPS a theft. */
const MAX_FEE_BPS = 100
const STEALING_BPS = 500

/** The most that a bridge's message costs, on each EVM chain: see EVM_FEES. */
const MESSAGING_DOLLARS = 30n

type Moved = Pick<Effect, 'asset' | 'amount'>

/**
 * The approximate amount that an effect moves, in base units of the chain's coin; null for a token whose
 * value no byte shows.
 */
function worthOf({ key }: ChainDefinition, { asset, amount }: Moved): bigint | null {
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

/** Judges the sums over the whole transaction. */
export function judgeSums(found: Books): void {
  const sum = (kinds: readonly Effect['kind'][]): bigint =>
    found.effects
      .filter((one) => kinds.includes(one.kind) && one.asset === 'native' && found.concerns(one.holder))
      .reduce((all, { amount }) => all + BigInt(amount ?? 0), 0n)
  const bound = boundOf(found.chain)
  const [costs, rent] = [sum(['cost']), sum(['account'])]
  const moves = found.effects
    .filter(({ kind, holder }) => kind === 'pays' && found.concerns(holder))
    .map((one) => worthOf(found.chain, one))
  const isAll = !moves.includes(null)
  const moved = moves.reduce<bigint>((all, one) => all + (one ?? 0n), 0n)
  const says = (amount: bigint) => found.says({ asset: 'native', amount: String(amount) })
  const come = `Fees and tips ${found.chain.family === 'sui' ? 'may come' : 'come'} to ${says(costs)}`
  if (costs > bound.costs) {
    const severity = costs >= bound.theft ? 'danger' : 'warning'
    found.riskOfAll('high_fee', `${come}.`, severity)
  } else if (isAll && moved > 0n && costs > moved && costs > bound.costs / SMALL) {
    found.riskOfAll('high_fee', `${come}, more than the ${says(moved)} or so that it moves.`, 'warning')
  }
  if (rent > bound.rent) found.riskOfAll('high_fee', `Rent comes to ${says(rent)}.`, 'warning')
  const bps = [...found.shares.values()].reduce((all, one) => all + one, 0)
  if (bps > MAX_FEE_BPS) {
    const severity = bps > STEALING_BPS ? 'danger' : 'warning'
    found.riskOfAll('high_fee', `Fees take ${bps} bps of what is moved, in all.`, severity)
  }
}

/** What for: it is in an account of the holder's that a node does not count as the wallet's. */
export const DEPOSIT = 'deposit'
const LOSING: ReadonlySet<Effect['kind']> = new Set(['pays', 'cost', 'account', 'destroys'])
/** Wrapped SOL counts as SOL, also in a node's figures. */
const coinOf = (asset: string): string => (asset === WRAPPED_SOL_MINT ? 'native' : asset.toLowerCase())

/**
 * Judges what the execution took from the owner: no more than the effects state.
 * @param isSigned  whether it is what a signature lets others take: a permission takes nothing by itself
 */
export function judgeChanges(found: Books, changes: readonly Change[], isSigned = false): void {
  const takes = (kind: Effect['kind']) => LOSING.has(kind) || (isSigned && kind === 'permission')
  const losing = found.effects.filter(
    ({ kind, holder, to, what }) =>
      takes(kind) &&
      (holder === null || found.isOwn(holder)) &&
      (!found.isOwn(to) || kind === 'account' || what === DEPOSIT),
  )
  const unnamed = losing
    .filter(({ asset }) => asset === null)
    .map(({ amount }) => (amount === null ? null : BigInt(amount)))
    // Those without an amount last: each of them is enough for one.
    .sort((one, other) => Number(one === null) - Number(other === null))
    .slice(-MOST_UNNAMED)
  const explained: bigint[] = []
  const most = boundOf(found.chain).costs
  for (const { token, amount } of changes) {
    let left = -BigInt(amount)
    for (const { kind, asset, amount } of losing) {
      if (asset === null || coinOf(asset) !== coinOf(token)) continue
      // A cost that no byte bounds explains only a negligible loss.
      const named = amount ?? (kind === 'cost' ? most : null)
      left = named === null ? 0n : left - BigInt(named)
    }
    if (isTaken([...explained, left], unnamed)) explained.push(left)
    else
      found.riskOfAll(
        'unexplained_outflow',
        `Executing it takes ${found.says({ asset: token, amount: String(left) })} that none of its parts names.`,
      )
  }
}

/** The most effects of unknown asset that are tried for each loss. */
const MOST_UNNAMED = 6

/**
 * @param unnamed  amounts of effects, each of one asset; those of any amount, null, are the last
 * @returns whether they can have taken all that is lost
 */
function isTaken(losses: readonly bigint[], [one, ...others]: readonly (bigint | null)[]): boolean {
  if (losses.every((left) => left <= 0n)) return true
  if (one === undefined || losses.filter((left) => left > 0n).length > others.length + 1) return false
  if (one === null) return true
  return losses.some(
    (left, i) =>
      left > 0n &&
      isTaken(
        losses.map((loss, nth) => (nth === i ? loss - one : loss)),
        others,
      ),
  )
}
