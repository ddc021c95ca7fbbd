/**
 * Reads GoPlus's token security report for each family of chains. Nearly all
 * values are texts: `"1"` is a finding, `"0"` its absence. A missing or empty field
 * was not examined and is unknown.
 *
 * The documentation gives two units for Solana's transfer fee. Recorded answers
 * contain a fraction, so a number above 1 is shown unchanged and not used as a tax.
 *
 * Powers of a contract's owner do not count once the ownership was renounced,
 * unless it can be taken back, an owner is hidden, or the contract is a proxy.
 *
 * Source: §2 TokenProfile · docs.gopluslabs.io "Response Detail" of the token
 * security APIs for EVM, Solana and Sui · GoPlusSecurity/goplus-sdk-node
 */

import type { ChainDefinition, Family } from '../../../chains/definition.ts'
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import * as clean from '../clean.ts'
import { AnyObject, findingIn, keepFields, knownOf } from '../fields.ts'
import * as market from '../market.ts'
import members from './members.json' with { type: 'json' }

/** GoPlus lists ten holders and ten holders of pool shares. */
const MAX_ITEMS = 100
const MAX_NAME_LENGTH = 100
const MAX_TAG_LENGTH = 64

/** Addresses without a known key. */
const BURN_ADDRESSES: ReadonlySet<string> = new Set(members.burnAddresses)
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

const readItems = clean.itemsReader(AnyObject, MAX_ITEMS)
const flag = findingIn(['1', 1], ['0', 0])
/** The initial state of new accounts: 1 is initialized, 2 is frozen. */
const isBornFrozen = findingIn(['2'], ['1'])

/**
 * @param token  the answer's object for the token's address
 * @param at     the time of the request, ms epoch
 */
export function readReport({ key, family }: ChainDefinition, address: string, token: Fields, at: number) {
  const metadata = family === 'solana' ? fieldsOf(token.metadata) : token
  // Absence from GoPlus's list of well-known tokens says nothing.
  const isTrusted = flag(token.trust_list ?? token.trusted_token) === true
  return {
    security: { at, ...findings(family, token), ...(isTrusted && { verified: true }) },
    holders: readItems(token.holders).flatMap((holder) => readHolder(key, holder)),
    early: creatorsOf(key, token),
    lp: lpOf(token),
    row: {
      chain: key,
      address,
      name: clean.text(metadata.token_name ?? metadata.name, MAX_NAME_LENGTH),
      symbol: clean.text(metadata.token_symbol ?? metadata.symbol, MAX_NAME_LENGTH),
      holders: cleanCount(token.holder_count),
      ...knownOf<market.RowExtras>({ creatorPct: creatorPct(token) }),
      price: null,
      priceTs: at,
      mcap: null,
      liq: null,
      vol24: null,
    },
  } satisfies Partial<market.Parts>
}

function findings(family: Family, token: Fields): Pick<market.Security, 'facts' | 'flags'> {
  if (family === 'solana') return solanaFindings(token)
  if (family !== 'sui') return { facts: keepFields(token, members.evmFacts), flags: evmFlags(token) }
  return {
    facts: { ...keepFields(token, members.suiFacts), ...powersOf(token, members.suiPowers, 'value') },
    flags: {
      ...market.UNKNOWN_FLAGS,
      mintable: flag(fieldsOf(token.mintable).value),
      // `blacklist` is a list of holders that cannot use the coin.
      freezable: flag(fieldsOf(token.blacklist).value),
    },
  }
}

function evmFlags(token: Fields): market.RiskFlags {
  const power = isRenounced(token) ? renouncedPower : flag
  return {
    ...market.UNKNOWN_FLAGS,
    honeypot: flag(token.is_honeypot),
    // `fake_token` is present only if the token imitates another.
    blacklisted: flag(fieldsOf(token.fake_token).value) || flag(token.is_airdrop_scam),
    cannotSell: flag(token.cannot_sell_all),
    cannotBuy: flag(token.cannot_buy),
    // `is_blacklisted` says that the contract has a blacklist of holders.
    freezable: either(power(token.transfer_pausable), power(token.is_blacklisted)),
    mintable: power(token.is_mintable),
    sellTaxPct: percentOf(token.sell_tax),
    buyTaxPct: percentOf(token.buy_tax),
    taxModifiable: power(token.slippage_modifiable),
    taxPerAddress: power(token.personal_slippage_modifiable),
    hiddenOwner: flag(token.hidden_owner),
    balancesModifiable: power(token.owner_change_balance),
    selfDestructs: flag(token.selfdestruct),
    maliciousCreator: isSome(token.honeypot_with_same_creator),
  }
}

function isRenounced({ owner_address, can_take_back_ownership, hidden_owner, is_proxy }: Fields): boolean {
  const isGone = typeof owner_address === 'string' && BURN_ADDRESSES.has(owner_address.toLowerCase())
  return isGone && [can_take_back_ownership, hidden_owner, is_proxy].every((back) => flag(back) === false)
}

/** A known power without an owner isn't a risk; an unknown one stays unknown. */
const renouncedPower = (value: unknown): boolean | null => (flag(value) === null ? null : false)

function solanaFindings(token: Fields): Pick<market.Security, 'facts' | 'flags'> {
  const fee = fieldsOf(fieldsOf(token.transfer_fee).current_fee_rate)
  const freezable = flag(fieldsOf(token.freezable).status)
  const bornFrozen = isBornFrozen(token.default_account_state)
  return {
    facts: {
      ...keepFields(token, members.solanaFacts),
      ...powersOf(token, members.solanaPowers, 'status'),
      ...keepFields({ transfer_fee_rate: fee.fee_rate }, ['transfer_fee_rate']),
    },
    flags: {
      ...market.UNKNOWN_FLAGS,
      freezable: bornFrozen || freezable,
      mintable: flag(fieldsOf(token.mintable).status),
      // The documentation and the SDK spell it differently.
      nonTransferable: flag(token.non_transferable ?? token.none_transferable),
      // The fraction withheld from each transfer, unless the maximum fee is zero.
      sellTaxPct: clean.number(fee.maximum_fee) === 0 ? 0 : percentOf(fee.fee_rate),
      taxModifiable: flag(fieldsOf(token.transfer_fee_upgradable).status),
      maliciousCreator: isByMalice(token),
      permanentDelegate: flag(fieldsOf(token.balance_mutable_authority).status),
      transferHook: Array.isArray(token.transfer_hook) ? token.transfer_hook.length > 0 : null,
      bornFrozen,
    },
  }
}

/** Whether a creator or a current holder of a power is marked as malicious. */
function isByMalice(token: Fields): boolean | null {
  const powers = members.solanaPowers.map((name) => fieldsOf(token[name]))
  const held = powers
    .filter(({ status }) => flag(status) === true)
    .flatMap(({ authority }) => readItems(authority))
  const marks = [...readItems(token.creators), ...held].map((one) => flag(one.malicious_address))
  if (marks.includes(true)) return true
  return marks.length === 0 || marks.includes(null) ? null : false
}

/** Powers are members that are objects with a finding, and the accounts that have the power. */
function powersOf(token: Fields, names: readonly string[], member: string): Record<string, unknown> {
  return keepFields(Object.fromEntries(names.map((name) => [name, fieldsOf(token[name])[member]])), names)
}

function readHolder(chain: string, holder: Fields): market.TokenHolder[] {
  const address = holderAddress(chain, holder)
  const percent = percentOf(holder.percent)
  if (address === null || percent === null) return []
  const tags = [
    clean.text(holder.tag, MAX_TAG_LENGTH),
    flag(holder.is_contract) ? 'contract' : null,
    flag(holder.is_locked) ? 'locked' : null,
  ]
  const balance = clean.decimal(holder.balance)
  return [{ address, percent, balance, tags: tags.filter((tag) => tag !== null) }]
}

/** The zero address holds burned tokens, so it is listed although it isn't a wallet. */
function holderAddress(chain: string, { address, account, token_account }: Fields): string | null {
  const text = address ?? account ?? token_account
  return text === ZERO_ADDRESS ? ZERO_ADDRESS : clean.address(chain, text)
}

/** @returns percent; null if the answer does not name the creator */
function creatorPct(token: Fields): number | null {
  return token.creator_address ? percentOf(token.creator_percent) : null
}

/** `creator_address` on EVM chains, `creators` on Solana, `creator` on Sui. */
function creatorsOf(chain: string, token: Fields): market.Early[] {
  const listed = readItems(token.creators).map((creator) => creator.address)
  return [token.creator_address, token.creator, ...listed].flatMap((value) => {
    const address = clean.address(chain, value)
    return address === null ? [] : [{ kind: 'creator', address }]
  })
}

/** @returns a number of holders; null for 0, which means that they were not counted */
function cleanCount(value: unknown): number | null {
  return clean.number(value) || null
}

/**
 * Percent of the pools' shares; null if no holder of shares is listed. Burned shares count as locked, as
 * GoPlus counts them.
 */
function lpOf(token: Fields): market.LiquidityLock {
  const listed = readItems(token.lp_holders)
  const shares = listed.length === 0 ? null : listed
  const pools = readItems(token.dex).map((dex) => ({
    address: clean.text(dex.pair ?? dex.id, MAX_NAME_LENGTH),
    venue: clean.text(dex.name ?? dex.dex_name, MAX_NAME_LENGTH),
    liquidityUsd: clean.number(dex.liquidity ?? dex.tvl),
    burnPercent: clean.number(dex.burn_percent),
  }))
  return {
    holderCount: cleanCount(token.lp_holder_count),
    lockedPct:
      shares && sharePct(shares.filter((share) => flag(share.is_locked) === true || isBurned(share))),
    burnedPct: shares && sharePct(shares.filter(isBurned)),
    pools,
  }
}

function isBurned({ address, account }: Fields): boolean {
  const text = address ?? account
  return typeof text === 'string' && (BURN_ADDRESSES.has(text) || BURN_ADDRESSES.has(text.toLowerCase()))
}

/** @returns percent; null if the shares add up to more than 100 */
function sharePct(shares: readonly Fields[]): number | null {
  const sum = shares.reduce((total, { percent }) => total + (percentOf(percent) ?? 0), 0)
  const rounded = Math.round(sum * 100) / 100
  return rounded <= 100 ? rounded : null
}

/**
 * Converts a fraction to percent, rounded to the fourth digit, because 0.07 times 100 is not 7.
 * @returns null for a fraction above 1
 */
function percentOf(fraction: unknown): number | null {
  const value = clean.number(fraction)
  return value === null || value > 1 ? null : Math.round(value * 1_000_000) / 10_000
}

/** @returns whether a number is above zero; null if it isn't a number */
function isSome(value: unknown): boolean | null {
  const number = clean.number(value)
  return number === null ? null : number > 0
}

/** @returns true if one is true; false if both are false; otherwise null */
function either(a: boolean | null, b: boolean | null): boolean | null {
  if (a === true || b === true) return true
  return a === null || b === null ? null : false
}
