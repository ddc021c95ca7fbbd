/**
 * The sandbox's GoPlus: its token security findings on the market's tokens. As in the
 * real API all values are text, failures have status 200 and a code of their own, and
 * unchecked fields are missing: a token without a pool has no taxes.
 *
 * Source: docs.gopluslabs.io · GoPlusSecurity/goplus-sdk-node
 */
import { createHash } from 'node:crypto'
import { formatAmount } from '../../chains/amount.ts'
import { findListed } from '../../chains/find.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import type { Market } from './market.ts'
import type { PoolState } from './prices.ts'
import { type Facts, factsOf } from './research.ts'
import type { MarketToken } from './tokens.ts'

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000'
const PATH = /^\/api\/v1\/(?:token_security\/(\d+)|(solana|sui)\/token_security)$/

/** A token with its pools and its research facts. */
interface Subject {
  readonly token: MarketToken
  readonly facts: Facts
  readonly pools: readonly PoolState[]
}

export function goplus({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'goplus',
    rateLimited: () => coded(4_029, 'too many requests'),
    handle(request) {
      if (request.path === '/api/v1/token') return issue(request)
      const { authorization } = request.headers
      if (authorization !== undefined && !isIssued(authorization, request.now)) {
        return coded(4_012, 'signature verification failure')
      }
      const [, chainId, family] = PATH.exec(request.path) ?? []
      if (chainId === undefined && family === undefined) return { status: 404, body: { error: 'Not Found' } }
      const chain = family ?? findListed('goplus', chainId!)?.key
      return chain === undefined ? coded(2_022, 'Non-supported chainId') : security(market, chain, request)
    },
  }
}

/** The app that it knows; it checks no other app's signature. */
export const GOPLUS_APP = { key: 'the-app-key-of-goplus', secret: 'the-secret-key-of-goplus' }
const TOKEN_SECONDS = 7_200
/** How far the time of a signature may be off. */
const SKEW_SECONDS = 1_000

/** @returns an access token, which is its expiry, signed */
function issue({ method, body, now }: ProviderRequest): ProviderReply {
  if (method !== 'POST') return { status: 405, body: { error: 'Method Not Allowed' } }
  const { app_key: key, sign, time } = (body ?? {}) as Readonly<Record<string, unknown>>
  const seconds = Math.floor(now / 1_000)
  if (typeof time !== 'number' || Math.abs(time - seconds) > SKEW_SECONDS)
    return coded(4_011, 'signature expiration')
  const isOwn = key === GOPLUS_APP.key
  if (isOwn && sign !== sha1(`${GOPLUS_APP.key}${time}${GOPLUS_APP.secret}`)) {
    return coded(4_012, 'signature verification failure')
  }
  const until = seconds + TOKEN_SECONDS
  return coded(1, 'OK', { access_token: `${until}.${sha1(`${until}`)}`, expires_in: TOKEN_SECONDS })
}

function isIssued(authorization: string, now: number): boolean {
  const [, until = '', mac] = /^Bearer (\d+)\.(\w+)$/.exec(authorization) ?? []
  return mac === sha1(until) && Number(until) * 1_000 > now
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

function security(market: Market, chain: string, { query, now }: ProviderRequest): ProviderReply {
  const address = query.get('contract_addresses')
  if (address === null || address === '') return coded(2_004, 'contract address format error!')
  const token = market.find(chain, address)
  const isContract = token !== null && (!token.isNative || chain === 'solana' || chain === 'sui')
  if (!isContract) return coded(1, 'OK', {})
  const subject = { token, facts: factsOf(token, now), pools: market.at(now).pools(token) }
  const found = chain === 'solana' ? onSolana(subject) : chain === 'sui' ? onSui(subject) : onEvm(subject)
  const key = chain === 'solana' || chain === 'sui' ? token.address : token.address.toLowerCase()
  return coded(1, 'OK', { [key]: found })
}

function onEvm({ token, facts, pools }: Subject) {
  const trading = {
    cannot_buy: '0',
    cannot_sell_all: bit(facts.isHoneypot),
    is_honeypot: bit(facts.isHoneypot),
    buy_tax: String(facts.buyTaxPct / 100),
    sell_tax: String(facts.sellTaxPct / 100),
    dex: pools.map(({ address, venue, liquidityUsd }) => ({
      name: venue,
      liquidity_type: 'UniV2',
      liquidity: liquidityUsd,
      pair: address.toLowerCase(),
    })),
    lp_holder_count: '2',
    lp_holders: [
      { ...share(NULL_ADDRESS, '0.6', true), tag: 'Null Address' },
      share(facts.creator.toLowerCase(), '0.4', false),
    ],
  }
  return {
    token_name: token.name,
    token_symbol: token.symbol,
    total_supply: whole(facts.supply, token),
    holder_count: String(facts.holderCount),
    creator_address: facts.creator.toLowerCase(),
    creator_balance: '0',
    creator_percent: '0.000000',
    owner_address: facts.mintAuthority?.toLowerCase() ?? NULL_ADDRESS,
    is_open_source: '1',
    is_proxy: '0',
    is_mintable: bit(facts.mintAuthority !== null),
    can_take_back_ownership: '0',
    owner_change_balance: '0',
    hidden_owner: '0',
    selfdestruct: '0',
    external_call: '0',
    slippage_modifiable: bit(token.trait === 'taxed'),
    personal_slippage_modifiable: '0',
    // As text, though it is a number of tokens.
    honeypot_with_same_creator: '0',
    transfer_pausable: bit(facts.freezeAuthority !== null),
    is_blacklisted: '0',
    is_in_dex: bit(pools.length > 0),
    // For well-known tokens only.
    ...(token.trait === null && { trust_list: '1' }),
    ...(token.trait === 'spam' && { is_airdrop_scam: '1' }),
    holders: facts.holders.map(({ address, percent, balance }) => ({
      ...share(address.toLowerCase(), String(percent / 100), false),
      balance: whole(balance, token),
    })),
    ...(pools.length > 0 && trading),
  }
}

function onSolana({ token, facts, pools }: Subject) {
  return {
    metadata: { name: token.name, symbol: token.symbol, description: facts.description, uri: facts.website },
    mintable: power(facts.mintAuthority),
    freezable: power(facts.freezeAuthority),
    closable: power(null),
    metadata_mutable: { metadata_upgrade_authority: [], status: '0' },
    balance_mutable_authority: power(null),
    transfer_fee: {},
    transfer_fee_upgradable: power(null),
    transfer_hook_upgradable: power(null),
    default_account_state_upgradable: power(null),
    transfer_hook: [],
    default_account_state: '1',
    non_transferable: '0',
    trusted_token: 0,
    creators: [{ address: facts.creator, malicious_address: 0 }],
    total_supply: whole(facts.supply, token),
    holder_count: String(facts.holderCount),
    holders: facts.holders.map(({ address, percent, balance }) => ({
      account: address,
      token_account: facts.creator,
      balance: whole(balance, token),
      percent: String(percent / 100),
      is_locked: 0,
      tag: '',
    })),
    lp_holders: [],
    dex: pools.map(({ address, venue, liquidityUsd }) => ({
      id: address,
      dex_name: venue.toLowerCase(),
      type: 'Standard',
      tvl: liquidityUsd,
      burn_percent: 60,
    })),
  }
}

function onSui({ token, facts }: Subject) {
  const held = (by: string | null) => ({ value: bit(by !== null), cap_owner: by ?? '' })
  return {
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    creator: facts.creator,
    total_supply: whole(facts.supply, token),
    trusted_token: '0',
    mintable: held(facts.mintAuthority),
    blacklist: held(facts.freezeAuthority),
    contract_upgradeable: held(null),
    metadata_modifiable: held(null),
  }
}

const coded = (code: number, message: string, result: unknown = null): ProviderReply => ({
  status: 200,
  body: { code, message, result },
})

const share = (address: string, percent: string, isLocked: boolean) => ({
  address,
  percent,
  is_locked: isLocked ? 1 : 0,
  is_contract: 0,
  tag: '',
})

const power = (authority: string | null) => ({
  status: bit(authority !== null),
  authority: authority === null ? [] : [{ address: authority, malicious_address: 0 }],
})

const bit = (is: boolean): string => (is ? '1' : '0')

const whole = (amount: bigint, { decimals }: MarketToken): string => formatAmount(amount, decimals)
