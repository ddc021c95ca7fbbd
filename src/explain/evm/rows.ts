/** The rows of a table of functions, and the effects that many of them share. */
import type { EvmChain } from '../../chains/definition.ts'
import { findMajor } from '../../chains/majors.ts'
import type { SwapTerms } from '../../proof/evm/swap-terms.ts'
import type { Fee } from '../../runtime/resources/quote.ts'
import type { Findings } from '../findings.ts'
import { isNominal, pays, permits, receives, type Stated } from '../ledger.ts'
import type { RiskCode } from '../risks.ts'
import type { Action } from '../types.ts'
import type { Args, DecodedCall, InnerReader } from './args.ts'
import { canonical, type EvmContext, isNative, isUnlimited, PERMIT2 } from './context.ts'

/** What is read, and where: a call, or a message as a call of its contract. */
export interface Place extends EvmContext {
  readonly call: DecodedCall
  /** False if the contract isn't known to do what the function's name says: then it promises nothing. */
  readonly isMeant?: boolean
}

export interface Reading extends Place {
  readonly args: Args
  readonly read: InnerReader
}

export interface KnownFunction {
  readonly signature: string
  readonly name: string
  reads(reading: Reading): void | Promise<void>
  /** The contracts for which this is the meaning. Absent: all, because the function is a standard's. */
  readonly at?: (to: string, chain: EvmChain, found: Findings) => boolean
  readonly isPayable?: boolean
}

export type Row = readonly [
  signature: string,
  reads: KnownFunction['reads'],
  more?: Pick<KnownFunction, 'at' | 'isPayable'>,
]

/** The rows of a group of functions.json, which has the word for what reads each function. */
export const rowsOf = (
  group: Readonly<Record<string, string>>,
  reads: Readonly<Record<string, KnownFunction['reads']>>,
  more: Row[2] = {},
): readonly Row[] => Object.entries(group).map(([signature, word]) => [signature, reads[word]!, more])

export const ZERO = '0x0000000000000000000000000000000000000000'

/** Adds an action with all of its effects, authorized by the sender. */
export function acts(
  { call, found, isMeant = true }: Place,
  kind: string,
  words: string,
  effects: readonly Stated[],
  more: Partial<Action> = {},
): void {
  const stated = effects
    .filter((one) => isMeant || one.kind !== 'receives')
    .map((one) => ({ by: found.owner, ...one, ...(!isMeant && { isKnown: false }) }))
  const told = isMeant ? words : `asks ${found.nameOf(call.to)}, which is not known to do it: ${words}`
  found.act(kind, told, { program: call.to || null, from: call.from, ...more }, stated)
}

/** Whose allowance is revoked, if not the wallet's: a batch of a contract's own calls acts in its name. */
export function holderIn({ call: { from }, found }: Place): string {
  const isOwn = from === null || found.isOwn(from) || found.accounts.has(from)
  return isOwn ? '' : `, in the name of ${found.nameOf(from)}, not of your wallet`
}

/**
 * The amount at stake of a token. Zero is nothing of a counted token, but a valid id of a collection: only
 * listed contracts are known to count.
 */
function atStake(amount: bigint, token: string | null, { chain }: EvmContext): bigint {
  return amount === 0n && (token === null || findMajor(chain.key, token) === null) ? 1n : amount
}

const IF_NFT = 'or, where it is a collection, its number 0'

/** A move of tokens. `id` is that of an NFT. */
type Transfer = { token: string; from: string | null; to: string; amount: bigint; id?: bigint }

export function transfers(place: Place, { token, from, to, amount, id }: Transfer): void {
  const { found } = place
  const what =
    id === undefined
      ? found.says({ asset: token, amount: String(amount) })
      : `${amount === 1n ? '' : `${amount} of `}number ${id} of ${found.nameOf(token)}`
  const stake = id === undefined ? atStake(amount, token, place) : amount
  const doubt = stake === amount ? '' : `, ${IF_NFT},`
  acts(place, 'transfer', `sends ${what}${doubt} to ${found.nameOf(to)}`, [pays(from, token, stake, to)], {
    asset: token,
    amount: String(amount),
    from,
    to,
    fields: id === undefined ? null : { token_id: String(id) },
  })
}

export interface Permission {
  readonly kind: 'approve' | 'permit'
  readonly holder: string | null
  readonly token: string | null
  readonly amount: bigint
  readonly spender: string
  readonly code?: RiskCode
  /** Whether zero is nothing: the permission has an amount of its own kind. */
  readonly isCounted?: boolean
  /** When it ends, Unix time in s. */
  readonly until?: bigint
}

/** Lets a spender take tokens later, or takes such a permission back. */
export function lets(place: Place, permission: Permission): void {
  const { kind, holder, token, amount, spender, code, isCounted, until } = permission
  const { found } = place
  const stake = isCounted ? amount : atStake(amount, token, place)
  const who = found.nameOf(spender)
  const over = token === null ? 'a token that is not named' : found.nameOf(token)
  const what = found.says({ asset: token, amount: isUnlimited(amount) ? null : String(amount) })
  const more = { asset: token, amount: String(amount), from: holder, spender }
  // A router takes only what its caller sells.
  const isHarmless = found.isNamed(spender) || found.isRouter(spender)
  if (stake === 0n || (amount === 0n && (isHarmless || until === 0n))) {
    const how = place.call.to === PERMIT2 ? ' by Permit2' : ''
    acts(place, 'revoke', `takes back what ${who} may take of ${over}${how}${holderIn(place)}`, [], more)
    const rest = `Until the block ends, ${who} may take number 0 of ${over}, if it is a collection.`
    if (stake !== 0n && !isHarmless) found.risk(code ?? 'approval_to_stranger', rest, 'info')
    return
  }
  const words =
    amount === 0n
      ? `takes back what ${who} may take of ${over}, ${IF_NFT.replace('its', 'lets them take its')}`
      : `lets ${who} take ${what}${kind === 'permit' ? ', by a signature' : ''}`
  const stated = permits(holder, token, isUnlimited(amount) ? null : stake, spender, {
    ...(code !== undefined && { code }),
    ...(amount === 0n && { severity: 'warning' as const }),
    ...(until !== undefined && { until: String(until) }),
  })
  acts(place, kind, words, [stated], more)
}

/** Shares of a swap that others keep. */
export const fees = (payer: string | null, kept: readonly Fee[]): readonly Stated[] =>
  kept.map(({ token, amount, recipient, bps }) =>
    pays(payer, ledgerAsset(token), amount, recipient, { isKnown: true, what: 'fee', share: { bps } }),
  )

export const ledgerAsset = (token: string): string => {
  const address = canonical(token) ?? token
  return isNative(address) ? 'native' : address
}

/**
 * What swaps commit to: the sold amount goes to the market, and at least the minimum to the named recipient.
 */
export function swaps(
  place: Place,
  terms: Omit<SwapTerms, 'checks' | 'deadline' | 'fees'> & { readonly fees?: readonly Fee[] },
  hasSentinels = false,
): void {
  const { call, found } = place
  const { isExactOut = false } = terms
  const [sold, bought] = [ledgerAsset(terms.tokenIn), ledgerAsset(terms.tokenOut)]
  const payer = call.from ?? found.owner
  const named = canonical(terms.recipient) ?? terms.recipient
  // Routers write themselves and the sender as small numbers.
  const recipient = hasSentinels && BigInt(named) <= 2n ? payer : named
  const isPayers = recipient === payer
  const [amount, least] = [String(terms.amountIn), String(terms.minOut)]
  const extra = call.value - (sold === 'native' ? terms.amountIn : 0n)
  const who = isPayers ? '' : ` for ${found.nameOf(named)}`
  const kept = (terms.fees ?? [])
    .filter(({ token }) => ledgerAsset(token) === sold)
    .reduce((sum, fee) => sum + BigInt(fee.amount), 0n)
  acts(
    place,
    'swap',
    `swaps ${isExactOut ? 'at most ' : ''}${found.says({ asset: sold, amount })} for ${isExactOut ? '' : 'at least '}${found.says({ asset: bought, amount: least })}${who}`,
    [
      isPayers
        ? pays(payer, sold, terms.amountIn - kept, call.to, { isKnown: true })
        : pays(payer, sold, terms.amountIn - kept, recipient, {
            code: 'foreign_recipient',
            severity: found.owner === null ? 'warning' : 'danger',
          }),
      ...fees(payer, terms.fees ?? []),
      receives(recipient, bought, least),
      ...(extra > 0n ? [pays(call.from, 'native', extra, call.to, { what: 'more than is swapped' })] : []),
    ],
    { asset: sold, amount, from: payer, to: recipient, fields: { asset_out: bought, at_least: least } },
  )
  if (isNominal(found.chain, { asset: sold, amount }, { asset: bought, amount: least }))
    found.risk('no_minimum', `At least ${found.says({ asset: bought, amount: least })} arrive.`)
}

/** Calls within a call. */
export async function inner(
  { call, read }: Reading,
  calls: readonly (Partial<DecodedCall> & Pick<DecodedCall, 'data'>)[],
): Promise<void> {
  let i = 0
  for (const one of calls) {
    const { to = call.to, value = 0n, data, from = call.from, isDelegated = false } = one
    const where = `${call.where}.${++i}`
    await read({ where, from, to, value, data, depth: call.depth + 1, isDelegated })
  }
}
