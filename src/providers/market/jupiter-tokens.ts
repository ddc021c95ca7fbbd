/**
 * Jupiter's token API, version 2: rows of Solana's tokens, those that are
 * trending or new, and what Jupiter knows of one of them. It shares a host, and
 * its quota, with Jupiter's swaps.
 *
 * Any field may be missing or null. `audit.isSus` counts by being there,
 * whatever its value.
 *
 * Source: §4.1, §4.2 · developers.jup.ag, Tokens API V2
 */
import { Type } from 'typebox'
import type { CallOptions } from '../provider.ts'
import { answerReader } from '../swap/answer.ts'
import type { Upstream } from '../upstream.ts'
import {
  cleanAddress,
  cleanLink,
  cleanNumber,
  cleanText,
  cleanTime,
  cleanToken,
  itemsReader,
} from './clean.ts'
import { type Fields, fieldsOf, keepFields } from './fields.ts'
import { jupiterPrices } from './jupiter-price.ts'
import type {
  About,
  Discovery,
  Early,
  MarketProvider,
  MarketRow,
  Part,
  PartSource,
  Parts,
  Security,
} from './market.ts'
import { SharedCalls } from './shared-calls.ts'

const LABEL = 'jupiter'
const CHAIN = 'solana'
/** Mints that one search takes, and the most that a list is asked for. */
const MAX_MINTS = 100
const KEEP_MS = 60_000
/** The parts of one profile are asked for within moments of each other. */
const SHARED_MS = 30_000
const DISCOVER_EVERY_MS = 120_000
const MAX_NAME_LENGTH = 100

const LINKS = ['website', 'twitter', 'telegram', 'discord', 'instagram', 'tiktok', 'otherUrl']
const AUDIT_FACTS = [
  'mintAuthorityDisabled',
  'freezeAuthorityDisabled',
  'topHoldersPercentage',
  'devBalancePercentage',
  'devMints',
]
const FACTS = ['organicScore', 'organicScoreLabel', 'isVerified']

const readList = answerReader(Type.Array(Type.Unknown()))
const readTokens = itemsReader(Type.Object({ id: Type.String() }), MAX_MINTS)

type Token = Fields & { readonly id: string }

/** What Jupiter said, and when it was asked, ms epoch. */
interface Asked {
  readonly at: number
  /** Null where it knows no such token. */
  readonly parts: Pick<Parts, 'row' | 'about' | 'early' | 'security'> | null
}

export interface JupiterTokensOptions {
  /** The one of Jupiter's swaps, because the quota is one. */
  readonly upstream: Pick<Upstream, 'exchange'>
  /** Wall clock, ms. */
  readonly now?: () => number
}

export function jupiterTokens({ upstream, now = Date.now }: JupiterTokensOptions): MarketProvider {
  const calls = new SharedCalls<Asked>(SHARED_MS)

  const list = (path: string, { deadlineMs, priority, cancel }: CallOptions) =>
    upstream.exchange<readonly Token[]>(
      {
        method: 'GET',
        path: `/tokens/v2/${path}`,
        body: null,
        priority,
        resend: true,
        read(status, body) {
          const answer = status === 200 ? readList(body) : null
          return answer === null ? null : readTokens(answer.value)
        },
      },
      deadlineMs,
      cancel,
    )

  const search = async (addresses: readonly string[], options: CallOptions): Promise<readonly Token[]> => {
    const asked = new Set(addresses)
    const tokens = await list(`search?${new URLSearchParams({ query: addresses.join() })}`, options)
    return tokens.filter(({ id }) => asked.has(id))
  }

  const askParts = async (address: string, options: CallOptions): Promise<Asked> => {
    const at = now()
    const [token] = await search([address], options)
    return { at, parts: token === undefined ? null : partsOf(token, at) }
  }

  const part = <P extends Part & keyof NonNullable<Asked['parts']>>(name: P): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask({ address }, options) {
      const { parts } = await calls.ask(address, options, (shared) => askParts(address, shared))
      return parts === null ? null : parts[name]
    },
  })

  const discovery = (book: Discovery['book'], title: string, path: string): Discovery => ({
    book,
    title,
    everyMs: DISCOVER_EVERY_MS,
    chains: null,
    async ask(_chain, options) {
      const at = now()
      const tokens = await list(path, options)
      return tokens.flatMap((token) => {
        const address = cleanToken(CHAIN, token.id)
        return address === null ? [] : [{ chain: CHAIN, address, row: rowOf({ ...token, id: address }, at) }]
      })
    },
  })

  return {
    label: LABEL,
    chains: new Set([CHAIN]),
    rows: {
      maxTokens: MAX_MINTS,
      async ask(_chain, addresses, options) {
        const at = now()
        return (await search(addresses, options)).map((token) => rowOf(token, at))
      },
    },
    discoveries: [
      discovery('trending', 'jupiter trending tokens', `toptrending/1h?limit=${MAX_MINTS}`),
      discovery('new', 'jupiter recent tokens', 'recent'),
    ],
    parts: { row: part('row'), about: part('about'), early: part('early'), security: part('security') },
    prices: jupiterPrices(upstream, now),
  }
}

function partsOf(token: Token, at: number): NonNullable<Asked['parts']> {
  return {
    row: rowOf(token, at),
    about: aboutOf(token),
    early: earlyOf(token),
    security: securityOf(token, at),
  }
}

function rowOf(token: Token, at: number): MarketRow {
  const { buyVolume, sellVolume } = fieldsOf(token.stats24h)
  const [bought, sold] = [cleanNumber(buyVolume), cleanNumber(sellVolume)]
  return {
    chain: CHAIN,
    address: token.id,
    symbol: cleanText(token.symbol, MAX_NAME_LENGTH),
    name: cleanText(token.name, MAX_NAME_LENGTH),
    price: cleanNumber(token.usdPrice),
    priceTs: Math.min(cleanTime(token.updatedAt) ?? at, at),
    mcap: cleanNumber(token.mcap),
    liq: cleanNumber(token.liquidity),
    // Of which one half is not known, the whole is not.
    vol24: bought === null || sold === null ? null : cleanNumber(bought + sold),
    holders: cleanNumber(token.holderCount),
  }
}

function aboutOf(token: Token): About {
  const { mintAuthorityDisabled, freezeAuthorityDisabled } = fieldsOf(token.audit)
  return {
    description: null,
    image: cleanLink(token.icon),
    links: LINKS.flatMap((type) => {
      const url = cleanLink(token[type])
      return url === null ? [] : [{ type, url }]
    }),
    createdAt: cleanTime(token.createdAt) ?? cleanTime(fieldsOf(token.firstPool).createdAt),
    mintAuthority: authorityOf(token.mintAuthority, mintAuthorityDisabled),
    freezeAuthority: authorityOf(token.freezeAuthority, freezeAuthorityDisabled),
  }
}

/** The address is there where the authority is; that there is none is the audit's to say. */
function authorityOf(address: unknown, isDisabled: unknown): string | null {
  return cleanAddress(CHAIN, address) ?? (isDisabled === true ? 'none' : null)
}

function earlyOf(token: Token): Early[] {
  const { id, createdAt } = fieldsOf(token.firstPool)
  const pool = cleanAddress(CHAIN, id)
  const creator = cleanAddress(CHAIN, token.dev)
  const venue = cleanText(token.launchpad, MAX_NAME_LENGTH)
  return [
    ...(pool === null ? [] : [{ kind: 'pool', address: pool, venue, at: cleanTime(createdAt) } as const]),
    ...(creator === null ? [] : [{ kind: 'creator', address: creator } as const]),
  ]
}

function securityOf(token: Token, at: number): Security {
  const audit = fieldsOf(token.audit)
  const isMarked = 'isSus' in audit
  return {
    at,
    facts: {
      ...(isMarked && { isSus: true }),
      ...keepFields(audit, AUDIT_FACTS),
      ...keepFields(token, FACTS),
    },
    flags: {
      honeypot: null,
      // Not all that deserve the mark have it: without it nothing is known.
      blacklisted: isMarked || null,
      cannotSell: null,
      cannotBuy: null,
      freezable: isHeld(token.freezeAuthority, audit.freezeAuthorityDisabled),
      mintable: isHeld(token.mintAuthority, audit.mintAuthorityDisabled),
      nonTransferable: null,
      sellTaxPct: null,
    },
  }
}

function isHeld(address: unknown, isDisabled: unknown): boolean | null {
  if (cleanAddress(CHAIN, address) !== null) return true
  return typeof isDisabled === 'boolean' ? !isDisabled : null
}
