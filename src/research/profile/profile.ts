/**
 * A token's profile: all sources of its chain are asked at the same time, and
 * their answers are shown side by side. If a source fails, its parts are
 * missing, and the answer names it with the reason.
 *
 * Source: §2 TokenProfile, §4.2, §7
 */

import type { ChainDefinition } from '../../chains/definition.ts'
import { findMajor } from '../../chains/majors.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import {
  type MarketProvider,
  ONCHAIN,
  PARTIAL_KEEP_MS,
  type Part,
  type PartSource,
  type Parts,
  type Security,
  type TokenId,
} from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import type { TokenProfile, TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'
import { named } from '../../runtime/tape.ts'
import type { CacheState } from '../../upstream/answers/coalescing.ts'
import { StaleIfErrorCache } from '../../upstream/answers/stale-if-error.ts'
import { risksOf } from '../list/risk.ts'
import { withLabels } from './holder-labels.ts'
import { type PartsReport, type PartValue, ProfileAnswers } from './profile-answers.ts'
import { bySource, firstOf, isQuotedAsWrapper, mainRow, securityOf, toRow } from './profile-row.ts'

/** The parts that a native coin takes from its wrapper; the others are about the wrapper's contract. */
const SHARED_PARTS: ReadonlySet<Part> = new Set(['row', 'candles', 'trades'])

/** The most answers cached, those of about three hundred tokens. The longest are trades, with about 60 KiB. */
const MAX_ANSWERS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** The most calls in progress, those of about two hundred profiles. */
const MAX_PENDING = 2_000

interface ProfilesOptions {
  /** The sources, in order of preference. */
  readonly providers: readonly MarketProvider[]
  /** For a whole profile, which is as slow as its slowest source, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

export class Profiles {
  readonly #options: ProfilesOptions
  readonly #providers: readonly MarketProvider[]
  /** By provider, part and token. */
  readonly #parts: StaleIfErrorCache<Parts[Part]>

  constructor(options: ProfilesOptions) {
    const { providers, clock, log } = options
    this.#options = options
    this.#providers = providers.filter(({ parts }) => parts !== undefined)
    const bounds = { max: MAX_ANSWERS, maxBytes: MAX_BYTES, maxPending: MAX_PENDING }
    this.#parts = new StaleIfErrorCache({ clock: named(clock, 'profiles'), log, ...bounds })
  }

  /** The state of the cache of parts. */
  get cache(): CacheState {
    return this.#parts.cache
  }

  /** The last answer, without asking; null if none is cached. */
  #last<P extends Part>(provider: string, part: P, token: TokenId): Parts[P] | null {
    // The key contains the part, so the value has its type.
    return this.#parts.last(keyOf(provider, part, token)) as Parts[P] | null
  }

  /** The picture of a recently requested profile; null if none has one. @param address  canonical */
  imageOf(chain: string, address: string): string | null {
    const token = { chain, address }
    for (const { label } of this.#providers) {
      const about = this.#last(label, 'about', token)
      const image = about?.image ?? this.#last(label, 'row', token)?.image
      if (image != null) return image
    }
    return null
  }

  /**
   * What recently asked sources said. @param address  canonical @param known  its names, if no source has
   * them
   */
  risksOf(
    chain: string,
    address: string,
    known: { readonly symbol: string | null; readonly name: string | null },
  ): TokenRisks {
    const token = { chain, address }
    const rows = this.#providers.flatMap(({ label }) => this.#last(label, 'row', token) ?? [])
    const security = this.#providers.flatMap(({ label }): [string, Security][] => {
      const found = this.#last(label, 'security', token)
      return found === null ? [] : [[label, found]]
    })
    const symbol = firstOf(rows, 'symbol') ?? known.symbol
    const name = firstOf(rows, 'name') ?? known.name
    return risksIn(token, { symbol, name }, rows, security)
  }

  /**
   * @param address  canonical, also for the native coin
   * @param scope    the client that the calls count for; they continue when it leaves, and serve later
   * requests
   * @throws GatewayError  400 unsupported_chain, 404 token_not_found, 502 if no source answered
   */
  async find(
    chain: ChainDefinition,
    address: string,
    scope: CancellationScope | null = null,
  ): Promise<TokenProfile> {
    const providers = this.#providers.filter(({ chains }) => chains.has(chain.key))
    const token = { chain: chain.key, address }
    const isWrapped = isQuotedAsWrapper(token)
    const asked = providers.flatMap(({ label, parts = {} }) =>
      (Object.entries(parts) as [Part, PartSource<Part>][])
        .filter(([part]) => !isWrapped || SHARED_PARTS.has(part))
        .map(async ([part, source]) => {
          const answer = await this.#ask(label, part, source, token, scope)
          return { provider: label, part, answer }
        }),
    )
    const answers = new ProfileAnswers(await Promise.all(asked))
    if (answers.reports.length === 0) {
      const message = 'No source of token profiles is configured for this chain.'
      throw new GatewayError('unsupported_chain', message, { field: 'chain' })
    }
    refuseUnknown(token, answers)
    return toProfile(token, answers, this.#options.clock.date())
  }

  /** A call continues when its client leaves: others may wait for the answer, or ask for it later. */
  #ask(
    provider: string,
    part: Part,
    source: PartSource<Part>,
    token: TokenId,
    scope: CancellationScope | null,
  ) {
    const { clock, deadlineMs } = this.#options
    return this.#parts.ask(
      {
        key: keyOf(provider, part, token),
        provider,
        keepMs: (value) => (source.isPartial?.(value) ? PARTIAL_KEEP_MS : source.keepMs),
        ask: (shared) => source.ask(token, Call.of(clock, 'research', deadlineMs, shared)),
      },
      scope,
    )
  }
}

const keyOf = (provider: string, part: Part, { chain, address }: TokenId): string =>
  `${provider} ${part} ${chain} ${address}`

/**
 * Throws if no source has a part of the token. A major exists whether a source
 * knows it or not, and is refused only while sources fail.
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
  const delays = reports.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const message = 'None of the sources of token profiles answered. Try again later.'
  throw new GatewayError('upstream_unavailable', message, {
    scope: 'provider',
    ...(delays.length === 0 ? {} : { retryAfterMs: Math.min(...delays) }),
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
  const row = toRow(token, answers, at)
  return {
    chain: token.chain,
    token: token.address,
    updatedAt: answers.updatedAt!,
    row,
    profile: toAbout(answers.of('about')),
    ...(lists.holders === null ? {} : { holders: withLabels(token, lists.holders.value, answers) }),
    ...(early.length === 0 ? {} : { early: toEarly(early) }),
    ...(lists.candles === null ? {} : { candles: [...lists.candles.value] }),
    ...(lists.trades === null ? {} : { trades: [...lists.trades.value] }),
    ...(security.length === 0 ? {} : { security: bySource(security, (value) => ({ ...value })) }),
    risks: risksIn(token, row, [row], securityOf(security)),
    origins: Object.fromEntries(
      Object.entries({ row: main, ...lists }).flatMap(([part, given]) =>
        given === null ? [] : [[part, { source: given.provider, at: given.at, stale: given.isStale }]],
      ),
    ),
    sources: [...answers.reports],
  }
}

type Figures = Partial<Readonly<Record<'fdv' | 'liq' | 'holders', number | null>>>
type Names = Pick<TokenRow, 'symbol' | 'name'>

function risksIn(
  token: TokenId,
  { symbol, name }: Names,
  rows: readonly Figures[],
  security: readonly (readonly [source: string, Security])[],
): TokenRisks {
  const [fdv, liq, holders] = [firstOf(rows, 'fdv'), firstOf(rows, 'liq'), firstOf(rows, 'holders')]
  const isChosen = findMajor(token.chain, token.address) !== null
  return risksOf({ ...token, symbol, name, isChosen, subject: { fdv, liq, holders }, security })
}

/** The first list that is not empty, else an empty one; null if no source gave one. */
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
    // Some sources date the token by its first pool, so the oldest date counts.
    createdAt: times.length === 0 ? null : Math.min(...times),
    mintAuthority: authorityOf(given, 'mintAuthority'),
    freezeAuthority: authorityOf(given, 'freezeAuthority'),
    sources: given.map(({ provider }) => provider),
  }
}

/**
 * The mint or freeze authority: from the token's own account if it was read,
 * else from the first source that names one. A source that found none does not
 * overrule it.
 */
function authorityOf(
  given: readonly PartValue<'about'>[],
  name: 'mintAuthority' | 'freezeAuthority',
): string | null {
  const own = given.find(({ provider }) => provider === ONCHAIN)?.value[name] ?? null
  const named = given.flatMap(({ value }) => value[name] ?? [])
  return own ?? named.find((authority) => authority !== 'none') ?? named[0] ?? null
}

/** The first pool, the creators and the first buyers, each with its source. */
function toEarly(given: readonly PartValue<'early'>[]): Record<string, unknown>[] {
  const entries = given.flatMap(({ provider, value }) =>
    value.map((entry) => ({ ...entry, source: provider })),
  )
  const pools = entries.filter((entry) => entry.kind === 'pool')
  const creators = entries.filter((entry) => entry.kind === 'creator')
  const buyers = entries.filter((entry) => entry.kind === 'buyer')
  const first = pools.find(({ at }) => at === Math.min(...pools.flatMap((pool) => pool.at ?? []))) ?? pools[0]
  return [
    ...(first === undefined ? [] : [first]),
    ...creators.filter(
      ({ address }, i) => creators.findIndex((creator) => creator.address === address) === i,
    ),
    ...buyers.filter(({ source }) => source === buyers[0]!.source),
  ]
}
