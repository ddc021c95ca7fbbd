/**
 * The findings in a transaction, and the verdict that follows from them. Nothing is ever called safe: see
 * `Explanation.verdict`.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChainDefinition } from '../chains/definition.ts'
import { amountIn, boundOf, type Stated, worthOf } from './ledger.ts'
import { RISKS, type RiskCode } from './risks.ts'
import type { Action, Effect, ExplainedExecution, Explanation, Risk, Severity, UnknownPart } from './types.ts'

/** What is known beyond the bytes. */
export interface Parties {
  readonly owner: string | null
  /** Canonical. */
  readonly recent: readonly string[]
  /** Contracts and programs that may hold a permission temporarily: routers that the proofs know. */
  readonly isRouter?: (address: string) => boolean
  /** The name of a program or a contract that is known here. */
  readonly nameOf?: (address: string) => string | undefined
  /** Whether the operator refuses the address (SANCTIONS_FILE). */
  readonly isRefused?: (address: string) => boolean
}

/** The most of each list: a transaction of the network's size has fewer, a batch of calls may have more. */
const MOST = 256
const MAX_BYTES = 256
/** Only a thief gives away this many assets at once. */
const MANY = 3

export class Findings {
  readonly actions: Action[] = []
  readonly unknown: UnknownPart[] = []
  readonly risks: Risk[] = []
  readonly effects: Effect[] = []
  readonly chain: ChainDefinition
  owner: string | null
  readonly recent: ReadonlySet<string>
  readonly #parties: Parties
  /** Assets that go to an unnamed recipient. */
  readonly given = new Set<string>()
  /** Whose assets may be at stake in addition to the owner's: the signers, if the wallet wasn't named. */
  readonly signers = new Set<string>()
  /** Accounts that the owner controls, such as a Safe: their assets are at stake like the owner's. */
  readonly accounts = new Set<string>()
  /** The shares that fees take of moved amounts, in bps. */
  readonly shares = new Map<string, number>()
  /** Keys of the chain itself, as a person recognizes them by their ends. */
  readonly imitated: RegExp | null

  constructor(chain: ChainDefinition, parties: Parties, imitated: RegExp | null = null) {
    this.chain = chain
    this.imitated = imitated
    this.owner = parties.owner
    this.recent = new Set(parties.recent)
    this.#parties = parties
  }

  /**
   * Adds an action with all of its effects, and judges them; risks after it are about it.
   * @param effects  none if nothing is moved or permitted. Null if they aren't modelled: then the action isn't
   *   understood, whatever its name
   */
  act(kind: string, words: string, more: Partial<Action>, effects: readonly Stated[] | null): void {
    if (this.actions.length >= MOST) {
      this.leave('actions', 'there are more than are listed')
      return
    }
    const none = {
      program: null,
      asset: null,
      amount: null,
      from: null,
      to: null,
      spender: null,
      fields: null,
    }
    const action = { kind, words, ...none, ...more }
    this.actions.push(action)
    if (effects === null) this.leave(`action ${this.actions.length}`, 'its effects are not modelled')
    for (const one of effects ?? []) this.state(one)
  }

  /** Adds an effect of the action that was added last, and judges it. @param isWhole  of the transaction as a whole */
  state(stated: Stated, isWhole = false): void {
    this.#enter(stated, isWhole || this.actions.length === 0 ? null : this.actions.length - 1)
    if (stated.share !== undefined && this.concerns(stated.holder)) {
      const { bps, key = null } = stated.share
      const name = key ?? String(this.shares.size)
      this.shares.set(name, Math.max(bps, this.shares.get(name) ?? 0))
    }
    judge(this, stated)
  }

  #enter({ kind, holder, asset, amount, to, what, until }: Stated, action: number | null): void {
    if (this.effects.length >= 4 * MOST) {
      this.leave('effects', 'there are more than are listed')
      return
    }
    const more = { ...(what !== undefined && { what }), ...(until !== undefined && { until }) }
    this.effects.push({ action, kind, holder, asset, amount, to, ...more })
  }

  /** Records what was not read. */
  leave(where: string, why: string, bytes: Uint8Array | null = null): void {
    if (this.unknown.length >= MOST) return
    this.unknown.push({ where, why, bytes: bytes && hexOf(bytes) })
  }

  /** Of the action that was added last. */
  risk(code: RiskCode, reason: string, severity: Severity = RISKS[code].severity): void {
    this.#warn(code, reason, severity, this.actions.length === 0 ? null : this.actions.length - 1)
  }

  /** Of the transaction as a whole. */
  riskOfAll(code: RiskCode, reason: string, severity: Severity = RISKS[code].severity): void {
    this.#warn(code, reason, severity, null)
  }

  #warn(code: RiskCode, reason: string, severity: Severity, action: number | null): void {
    const most = severity === 'danger' ? 4 * MOST : MOST
    if (this.risks.length >= most || this.risks.some((one) => one.code === code && one.reason === reason))
      return
    this.risks.push({ code, severity, reason, rule: RISKS[code].rule, action })
  }

  isOwn = (address: string | null): boolean => address !== null && address === this.owner
  isNamed = (address: string): boolean => this.isOwn(address) || this.recent.has(address)
  /** Whether the owner has a part in what happens to the holder's things. */
  concerns = (holder: string | null): boolean =>
    holder === null || this.isOwn(holder) || this.signers.has(holder) || this.accounts.has(holder)
  /** Whether those who give it want `to` to have it: only the wallet itself vouches for the owner. */
  isFor = (to: string, ...givers: readonly (string | null | undefined)[]): boolean =>
    this.recent.has(to) || (this.isOwn(to) && !givers.some((one) => this.signers.has(one ?? '')))
  /** Whether it stays with its holder, though it may change places. */
  keeps = (to: string | null, holder: string | null, by?: string | null): boolean =>
    to !== null && (to === holder || (this.isOwn(to) && this.isFor(to, holder, by)))
  isRouter = (address: string): boolean => this.#parties.isRouter?.(address) ?? false

  says = (effect: Pick<Effect, 'asset' | 'amount'>): string => amountIn(this.chain, effect)
  /** A program or a contract by its name, if that is known. */
  nameOf = (address: string): string =>
    this.isOwn(address) && this.signers.size === 0
      ? 'your wallet'
      : (this.#parties.nameOf?.(address) ?? address)

  /** Judges any address that takes part. */
  meets(who: string): void {
    if (this.#parties.isRefused?.(who)) this.risk('refused_address', `${who} is on the operator's list.`)
    if (this.isNamed(who) || this.#parties.nameOf?.(who) !== undefined) return
    if (this.imitated?.test(who))
      this.risk('lookalike_address', `${who} looks like a part of the chain, and is none.`)
    for (const known of this.owner === null ? this.recent : [this.owner, ...this.recent]) {
      if (looksLike(who, known)) {
        this.risk('lookalike_address', `${who} is not ${known}, but looks like it.`)
        return
      }
    }
  }

  /** @param summarize  all of it, in one sentence. @returns the whole explanation */
  close(simulation: ExplainedExecution | null, summarize: (all: Findings) => string): Explanation {
    const { actions, effects, unknown, risks, owner, chain } = this
    judgeSums(this)
    if (this.given.size >= MANY)
      this.riskOfAll('many_assets', `${this.given.size} assets go to addresses that nobody named.`)
    if (actions.length === 0 && unknown.length === 0)
      this.leave('transaction', 'it does nothing that was read')
    // A recipient that is not shown has a risk of its own.
    const unread = unknown.find(({ where }) => where !== 'recipient')
    if (unread !== undefined && !risks.some(({ code }) => code === 'unknown_call')) {
      const reason = `${unread.where}: ${unread.why}. What was not understood may do anything.`
      this.riskOfAll('unknown_call', reason)
    }
    const worst = risks.map(({ severity }) => severity)
    const isJudged = unknown.length === 0 && !worst.includes('warning')
    const verdict = worst.includes('danger') ? 'danger' : isJudged ? 'known' : 'unknown'
    const { key, family } = chain
    const summary = summarize(this)
    return { chain: key, family, owner, verdict, summary, actions, effects, unknown, risks, simulation }
  }
}

/** Judges one effect, of the action that was added last. */
function judge(found: Findings, stated: Stated): void {
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
      if (found.keeps(to, holder, by) && RISKS[code].isHeld) return
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
function permitted(found: Findings, stated: Stated): void {
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
function leaves(found: Findings, stated: Stated): void {
  const { to, asset, code = 'recipient_unknown', severity } = stated
  if (to === null) found.leave('recipient', 'the bytes do not show who receives')
  const who = to === null ? 'an account that the bytes do not show' : `${to}, an address that nobody named`
  found.risk(code, `${found.says(stated)} goes to ${who}.`, severity)
  found.given.add(asset ?? String(found.actions.length))
}

/** A cost below this share of the bound is negligible, whatever is moved. */
const SMALL = 20n
/** What wallets take for a swap: above it a share is a warning, and above STEALING_BPS a theft. */
const MAX_FEE_BPS = 100
const STEALING_BPS = 500

/** Judges the sums over the whole transaction. */
function judgeSums(found: Findings): void {
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

export const hexOf = (bytes: Uint8Array): string => `0x${bytesToHex(bytes.subarray(0, MAX_BYTES))}`

/** The ends that a person compares. */
const END = 3
const ENDS = 8

/** Whether two addresses share enough of their ends to be taken for each other: poisoning. */
function looksLike(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)]
  if (a === b || a.length !== b.length) return false
  let head = 0
  while (a[head] === b[head]) head++
  let tail = 0
  while (a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return head >= END && tail >= END && head + tail >= ENDS - 1
}

/** Without the common beginning of the family's addresses. */
const bare = (address: string): string => address.replace(/^(?:0x|EQ)/, '')
