/**
 * A token's profile: all sources of its chain asked at the same time, and what
 * they answered put side by side. A source that fails leaves its parts out,
 * and is named with the reason.
 *
 * Source: §2 TokenProfile, §4.2, §7
 */

import type { ChainDefinition } from '../../chains/definition.ts'
import { findMajor } from '../../chains/majors.ts'
import { type MarketProvider, ONCHAIN, type Part, type TokenId } from '../../providers/market/market.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import type { TokenProfile } from '../../runtime/resources.ts'
import type { CacheState } from '../../upstream/coalescing.ts'
import { withLabels } from './holder-labels.ts'
import { PartCache } from './part-cache.ts'
import { gather, type PartsReport, type PartValue, type ProfileAnswers } from './profile-answers.ts'
import { bySource, isQuotedAsWrapper, mainRow, toRow } from './profile-row.ts'

/** What a wrapper has in common with its coin; the rest is about a contract, and the coin has none. */
const SHARED_PARTS: ReadonlySet<Part> = new Set(['row', 'candles', 'trades'])

interface ProfilesOptions {
  /** The sources, in order of preference. */
  readonly providers: readonly MarketProvider[]
  /** Over a profile, which is as slow as its slowest source, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

export class Profiles {
  readonly #providers: readonly MarketProvider[]
  readonly #parts: PartCache
  readonly #clock: Clock

  constructor({ providers, ...rest }: ProfilesOptions) {
    this.#clock = rest.clock
    this.#providers = providers.filter(({ parts }) => parts !== undefined)
    this.#parts = new PartCache(rest)
  }

  /** Of the parts that profiles are made of. */
  get cache(): CacheState {
    return this.#parts.cache
  }

  /**
   * @param address  canonical; the native coin's too
   * @param caller   on whose account the sources are asked; who leaves gives nothing up, since others come for it
   * @throws GatewayError  400 unsupported_chain, 404 token_not_found, 502 where no source answered
   */
  async find(
    chain: ChainDefinition,
    address: string,
    scope: CancellationScope | null = null,
  ): Promise<TokenProfile> {
    const providers = this.#providers.filter(({ chains }) => chains.has(chain.key))
    const token = { chain: chain.key, address }
    const isWrapped = isQuotedAsWrapper(token)
    const isWanted = (part: Part): boolean => !isWrapped || SHARED_PARTS.has(part)
    const answers = await gather(providers, token, this.#parts, isWanted, scope)
    if (answers.reports.length === 0) {
      const message = 'No source of token profiles is configured for this chain.'
      throw new GatewayError('unsupported_chain', message, { field: 'chain' })
    }
    refuseUnknown(token, answers)
    return toProfile(token, answers, this.#clock.date())
  }
}

/**
 * A token that no source gave a part of. What the chain table lists exists
 * whether a source knows it or not, but is not worth a profile while some of
 * them fail.
 */
function refuseUnknown(token: TokenId, { reports }: ProfileAnswers): void {
  const has = (...statuses: PartsReport['status'][]): boolean =>
    reports.some(({ status }) => statuses.includes(status))
  if (has('ok', 'stale', 'partial')) return
  const isMajor = findMajor(token.chain, token.address) !== null
  if (isMajor && !has('failed')) return
  if (!isMajor && has('missing')) {
    const message = 'No source that answered knows this token; check the chain and the address.'
    throw new GatewayError('token_not_found', message)
  }
  const waits = reports.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const message = 'None of the sources of token profiles answered. Try again later.'
  throw new GatewayError('upstream_unavailable', message, {
    scope: 'provider',
    ...(waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) }),
  })
}

/** @param at  when it is shown, ms epoch */
function toProfile(token: TokenId, answers: ProfileAnswers, at: number): TokenProfile {
  const main = mainRow(answers.of('row'))
  const lists = {
    holders: firstFilled(answers.of('holders')),
    candles: firstFilled(answers.of('candles')),
    trades: firstFilled(answers.of('trades')),
  }
  const early = answers.of('early')
  const security = answers.of('security')
  return {
    chain: token.chain,
    token: token.address,
    updatedAt: answers.updatedAt!,
    row: toRow(token, answers, at),
    profile: toAbout(answers.of('about')),
    ...(lists.holders === null ? {} : { holders: withLabels(token, lists.holders.value, answers) }),
    ...(early.length === 0 ? {} : { early: toEarly(early) }),
    ...(lists.candles === null ? {} : { candles: [...lists.candles.value] }),
    ...(lists.trades === null ? {} : { trades: [...lists.trades.value] }),
    ...(security.length === 0 ? {} : { security: bySource(security, (value) => ({ ...value })) }),
    origins: Object.fromEntries(
      Object.entries({ row: main, ...lists }).flatMap(([part, given]) =>
        given === null ? [] : [[part, toOrigin(given)]],
      ),
    ),
    sources: [...answers.reports],
  }
}

function toOrigin({ provider, at, isStale }: PartValue<Part>): {
  source: string
  at: number
  stale: boolean
} {
  return { source: provider, at, stale: isStale }
}

/** The first that is not empty, else an empty one; null where nobody gave any. */
function firstFilled<P extends 'holders' | 'candles' | 'trades'>(
  given: readonly PartValue<P>[],
): PartValue<P> | null {
  return given.find(({ value }) => value.length > 0) ?? given[0] ?? null
}

function toAbout(given: readonly PartValue<'about'>[]): Record<string, unknown> | null {
  if (given.length === 0) return null
  const abouts = given.map(({ value }) => value)
  const links = abouts.flatMap((about) => about.links)
  const times = abouts.flatMap(({ createdAt }) => createdAt ?? [])
  return {
    description: abouts.find(({ description }) => description !== null)?.description ?? null,
    image: abouts.find(({ image }) => image !== null)?.image ?? null,
    links: links.filter(({ url }, i) => links.findIndex((link) => link.url === url) === i),
    // Some sources know the token only since its first pool.
    createdAt: times.length === 0 ? null : Math.min(...times),
    mintAuthority: authorityOf(given, 'mintAuthority'),
    freezeAuthority: authorityOf(given, 'freezeAuthority'),
    sources: given.map(({ provider }) => provider),
  }
}

/**
 * Who may mint or freeze, by the token's own account where that was read. Else
 * by the first source that names somebody: one that found nobody does not
 * overrule it.
 */
function authorityOf(
  given: readonly PartValue<'about'>[],
  name: 'mintAuthority' | 'freezeAuthority',
): string | null {
  const own = given.find(({ provider }) => provider === ONCHAIN)?.value[name] ?? null
  const told = given.flatMap(({ value }) => value[name] ?? [])
  return own ?? told.find((authority) => authority !== 'none') ?? told[0] ?? null
}

/** The first pool, who made the token, who bought first; each with who says so. */
function toEarly(given: readonly PartValue<'early'>[]): Record<string, unknown>[] {
  const told = given.flatMap(({ provider, value }) => value.map((entry) => ({ ...entry, source: provider })))
  const pools = told.filter((entry) => entry.kind === 'pool')
  const creators = told.filter((entry) => entry.kind === 'creator')
  const buyers = told.filter((entry) => entry.kind === 'buyer')
  const first = pools.find(({ at }) => at === Math.min(...pools.flatMap((pool) => pool.at ?? []))) ?? pools[0]
  return [
    ...(first === undefined ? [] : [first]),
    ...creators.filter(
      ({ address }, i) => creators.findIndex((creator) => creator.address === address) === i,
    ),
    ...buyers.filter(({ source }) => source === buyers[0]!.source),
  ]
}
