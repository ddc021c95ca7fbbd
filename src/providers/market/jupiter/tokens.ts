/**
 * Jupiter's token API, version 2: rows of Solana tokens, trending and new tokens,
 * and details of one token. It shares its host and its quota with Jupiter's
 * swaps.
 *
 * Any field of a token may be missing or null. The presence of `audit.isSus` marks a token as
 * suspicious, regardless of its value.
 *
 * Source: §2 TokenRow, TokenProfile, §4.1, §4.2 · developers.jup.ag, Tokens API V2
 */

import { Type } from 'typebox'
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { answerReader } from '../../answer.ts'
import { type AdapterOptions, get } from '../../requests.ts'
import { readChanges } from '../changes.ts'
import * as clean from '../clean.ts'
import { cleanLinks, keepFields, knownOf } from '../fields.ts'
import * as market from '../market.ts'
import { isInactive, supportedLiquidity } from '../pools.ts'
import { sharedParts } from '../shared-calls.ts'
import members from './members.json' with { type: 'json' }

const LABEL = 'jupiter'
const CHAIN = 'solana'
/** The most mints per search, and the most tokens requested per list. */
const MAX_MINTS = 100
const KEEP_MS = 60_000
/** The parts of one profile are requested at nearly the same time. */
const SHARED_MS = 30_000
const DISCOVER_EVERY_MS = 120_000
/** With a hundred rows per call this takes six of the thirty calls a minute, which swaps share. */
const ROWS_EVERY_MS = 10_000
/** A token that was not traded for a week has no reliable price. */
const MAX_PRICE_AGE_MS = 7 * 86_400_000

const MAX_NAME_LENGTH = 100

/** Jupiter's own host, and the hosts that tokens' authors use. */
const IMAGE_HOSTS: ReadonlySet<string> = new Set(['static.jup.ag', ...clean.TOKEN_IMAGE_HOSTS])

const readList = answerReader(Type.Array(Type.Unknown()))
const readTokens = clean.itemsReader(Type.Object({ id: Type.String() }), MAX_MINTS)

/** A token in Jupiter's format. Its id is the mint's address. */
type JupiterToken = Fields & { readonly id: string }

/** @param upstream  the same as for Jupiter's swaps, because they share one quota */
export function jupiterTokens({ upstream, clock = CLOCK }: AdapterOptions): market.MarketProvider {
  const list = (path: string, call: Call) =>
    upstream.ask(
      get<readonly JupiterToken[]>(`/tokens/v2/${path}`, (body) => {
        const answer = readList(body)
        return answer === null ? null : readTokens(answer.value)
      }),
      call,
    )

  const search = async (addresses: readonly string[], call: Call): Promise<readonly JupiterToken[]> => {
    const asked = new Set(addresses)
    const tokens = await list(`search?${new URLSearchParams({ query: addresses.join() })}`, call)
    return tokens.filter(({ id }) => asked.has(id))
  }

  const options = { keepMs: KEEP_MS, sharedMs: SHARED_MS, clock }
  const parts = sharedParts(['row', 'about', 'early', 'security'], options, async ({ address }, call) => {
    const at = clock.date()
    const [token] = await search([address], call)
    if (token === undefined) return { parts: null }
    const [about, early, security] = [aboutOf(token), earlyOf(token), securityOf(token, at)]
    return { parts: { row: rowOf(token, at), about, early, security } }
  })

  const discovery = (book: market.Discovery['book'], title: string, path: string): market.Discovery => ({
    book,
    title,
    everyMs: DISCOVER_EVERY_MS,
    chains: null,
    async ask(_chain, call) {
      const at = clock.date()
      const tokens = await list(path, call)
      return tokens.flatMap((token) => {
        const address = clean.token(CHAIN, token.id)
        return address === null ? [] : [{ chain: CHAIN, address, row: rowOf({ ...token, id: address }, at) }]
      })
    },
  })

  return {
    label: LABEL,
    chains: new Set([CHAIN]),
    rows: {
      maxTokens: MAX_MINTS,
      everyMs: ROWS_EVERY_MS,
      async ask(_chain, addresses, call) {
        const at = clock.date()
        return (await search(addresses, call)).map((token) => rowOf(token, at))
      },
    },
    discoveries: [
      discovery('trending', 'jupiter trending tokens', `toptrending/1h?limit=${MAX_MINTS}`),
      discovery('new', 'jupiter recent tokens', 'recent'),
    ],
    parts,
    prices: {
      maxTokens: MAX_MINTS,
      async ask(tokens, call, onNamed) {
        const at = clock.date()
        const found = await search(
          tokens.map(({ address }) => address),
          call,
        )
        return found.flatMap((token) => {
          const row = rowOf(token, at)
          onNamed?.(row)
          return isReliable(token, row, at) ? [{ ...row, price: row.price!, liq: row.liq }] : []
        })
      },
    },
  }
}

/**
 * Whether a price counts: it is recent, the liquidity is known, and the token is not marked as suspicious.
 */
function isReliable({ audit }: JupiterToken, { price, priceTs, liq }: market.MarketRow, at: number): boolean {
  const isMarked = 'isSus' in fieldsOf(audit)
  return !!price && liq !== null && at - priceTs <= MAX_PRICE_AGE_MS && !isMarked
}

/** @param at  the time of the request, ms epoch */
function rowOf(token: JupiterToken, at: number): market.MarketRow {
  const { buyVolume, sellVolume } = fieldsOf(token.stats24h)
  const [bought, sold] = [clean.number(buyVolume), clean.number(sellVolume)]
  // The volume is unknown if one half of it is unknown.
  const vol24 = bought === null || sold === null ? null : clean.number(bought + sold)
  const liq = clean.number(token.liquidity)
  const isBelieved = !isInactive(liq, vol24)
  const audit = fieldsOf(token.audit)
  return {
    chain: CHAIN,
    address: token.id,
    symbol: clean.text(token.symbol, MAX_NAME_LENGTH),
    name: clean.text(token.name, MAX_NAME_LENGTH),
    price: isBelieved ? clean.number(token.usdPrice) : null,
    priceTs: Math.min(clean.time(token.updatedAt) ?? at, at),
    mcap: clean.number(token.mcap),
    liq: isBelieved ? supportedLiquidity(liq, vol24) : null,
    vol24,
    holders: clean.number(token.holderCount),
    ...knownOf<market.RowExtras>({
      fdv: clean.number(token.fdv),
      image: clean.link(token.icon, IMAGE_HOSTS),
      firstPoolAt: clean.time(fieldsOf(token.firstPool).createdAt),
      launchpad: clean.text(token.launchpad, MAX_NAME_LENGTH),
      changes: readChanges((span) => {
        const { priceChange, numBuys, numSells } = fieldsOf(token[members.stats[span]])
        return { price: priceChange, buys: numBuys, sells: numSells }
      }),
      creatorPct: clean.percent(audit.devBalancePercentage),
      topTenPct: clean.percent(audit.topHoldersPercentage),
    }),
  }
}

function aboutOf(token: JupiterToken): market.About {
  const { mintAuthorityDisabled, freezeAuthorityDisabled } = fieldsOf(token.audit)
  return {
    description: null,
    image: clean.link(token.icon, IMAGE_HOSTS),
    links: cleanLinks(members.links.map((type) => ({ type, url: token[type] }))),
    createdAt: clean.time(token.createdAt) ?? clean.time(fieldsOf(token.firstPool).createdAt),
    mintAuthority: authorityOf(token.mintAuthority, mintAuthorityDisabled),
    freezeAuthority: authorityOf(token.freezeAuthority, freezeAuthorityDisabled),
  }
}

/** An existing authority has an address. Only the audit says that there is none. */
function authorityOf(address: unknown, isDisabled: unknown): string | null {
  return clean.address(CHAIN, address) ?? (isDisabled === true ? 'none' : null)
}

function earlyOf(token: JupiterToken): market.Early[] {
  const { id, createdAt } = fieldsOf(token.firstPool)
  const pool = clean.address(CHAIN, id)
  const creator = clean.address(CHAIN, token.dev)
  const venue = clean.text(token.launchpad, MAX_NAME_LENGTH)
  return [
    ...(pool === null ? [] : [{ kind: 'pool', address: pool, venue, at: clean.time(createdAt) } as const]),
    ...(creator === null ? [] : [{ kind: 'creator', address: creator } as const]),
  ]
}

function securityOf(token: JupiterToken, at: number): market.Security {
  const audit = fieldsOf(token.audit)
  const isMarked = 'isSus' in audit
  return {
    at,
    facts: {
      ...(isMarked && { isSus: true }),
      ...keepFields(audit, members.auditFacts),
      ...keepFields(token, members.facts),
    },
    flags: {
      ...market.UNKNOWN_FLAGS,
      // A token without the mark may deserve it, so a missing mark says nothing.
      blacklisted: isMarked || null,
      freezable: isHeld(token.freezeAuthority, audit.freezeAuthorityDisabled),
      mintable: isHeld(token.mintAuthority, audit.mintAuthorityDisabled),
    },
    ...(typeof token.isVerified === 'boolean' && { verified: token.isVerified }),
  }
}

function isHeld(address: unknown, isDisabled: unknown): boolean | null {
  if (clean.address(CHAIN, address) !== null) return true
  return typeof isDisabled === 'boolean' ? !isDisabled : null
}
