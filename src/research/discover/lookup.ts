/**
 * Finds the chain and the token of an address: from the token list if it knows
 * the address, else by one search across chains, and from the nodes if only one
 * chain has such addresses. Lists of known tokens fill in the other chains. An
 * address that the list knows costs no call except for decimals, which are then
 * cached.
 *
 *   text ── forms ──> list ──┬── known ──────────────────────────┬─> known tokens ──> decimals ──> candidates
 *                            └── unknown ── search, chain's nodes ┘
 *
 * Source: §4.10 `/api/discover/lookup`
 */
import { type Static, Type } from 'typebox'
import type { Access } from '../../chains/access.ts'
import { parseToken } from '../../chains/address.ts'
import type { ChainDefinition, Family } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import { findMajor } from '../../chains/majors.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import type { MarketProvider, MarketRow, TokenId } from '../../providers/market/market.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError, nullIfRefused } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { boolean, string } from '../../runtime/resources/shared.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
import { named } from '../../runtime/tape.ts'
import type { Decimals } from '../../swap/decimals.ts'
import type { CacheState } from '../../upstream/answers/coalescing.ts'
import { reportOf, SourceReport } from '../../upstream/answers/source-report.ts'
import { StaleIfErrorCache } from '../../upstream/answers/stale-if-error.ts'
import { ACCOUNT_KINDS, accountKind } from '../../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { ListedRow, TokenSet } from '../list/token-set.ts'
import texts from '../texts.json' with { type: 'json' }
import type { Universe } from '../universe/universe.ts'
import { DiscoverToken, likeOf, toToken } from './discover-token.ts'
import { type Interpretation, interpretationsOf, TEXT_FORMS } from './interpretations.ts'
import { tierOf } from './tiers.ts'

const { discover: text } = texts

const KEEP_MS = 60_000
const MAX_ANSWERS = 1_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_PENDING = 200
/** The most candidates whose decimals are looked up: each may take two calls. */
const MAX_DECIMALS = 3

const FAMILIES = ['evm', 'solana', 'sui', 'ton'] as const satisfies readonly Family[]
/** The reasons for a candidate's place, best first; the first that applies counts. */
const REASONS = ['major', 'operator', 'listed', 'market', 'known', 'chain', 'gated'] as const
type CandidateReason = (typeof REASONS)[number]
const TOKEN_KINDS = ['native', 'wrapped', 'stablecoin', 'token'] as const

const LookupCandidate = Type.Object({
  ...DiscoverToken.properties,
  family: Type.Enum(FAMILIES),
  kind: Type.Enum([...TOKEN_KINDS, ...ACCOUNT_KINDS], { description: text.tokenKind }),
  listed: boolean('in the token list, and not rejected by the risk filter'),
  source: string(text.source),
  why: Type.Enum(REASONS, { description: text.why }),
})
type LookupCandidate = Static<typeof LookupCandidate>

export const LookupResult = Type.Object({
  looksLike: Type.Array(
    Type.Object({
      family: Type.Enum(FAMILIES),
      form: Type.Enum(TEXT_FORMS),
      text: string('an address in its canonical spelling'),
    }),
    { description: 'what the text may be, by its form alone' },
  ),
  candidates: Type.Array(LookupCandidate, { description: text.candidates }),
  sources: Type.Array(SourceReport, { description: text.lookupSources }),
})
export type LookupResult = Static<typeof LookupResult>

export interface TokenLookupOptions {
  readonly list: Pick<TokenSet, 'ready'> & { find(chain: string, address: string): ListedRow | null }
  readonly universe: Pick<Universe, 'find'>
  /** What is known against a token. */
  readonly risksOf: (chain: string, address: string) => TokenRisks
  readonly providers: readonly MarketProvider[]
  readonly decimals: Pick<Decimals, 'addTo'>
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly access: Access
  /** For the whole answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** A chain on which the text may be a token, and its address there. */
interface TokenPlace {
  readonly chain: ChainDefinition
  readonly address: string
}

/** The candidates that sources gave, and a report on each source. */
type SourcedCandidates = Readonly<Pick<LookupResult, 'candidates' | 'sources'>>
const NONE_ASKED: SourcedCandidates = { candidates: [], sources: [] }

export class TokenLookup {
  readonly #options: TokenLookupOptions
  readonly #searches: StaleIfErrorCache<readonly MarketRow[]>

  constructor(options: TokenLookupOptions) {
    const { clock, log } = options
    this.#options = options
    const bounds = { max: MAX_ANSWERS, maxBytes: MAX_BYTES, maxPending: MAX_PENDING }
    this.#searches = new StaleIfErrorCache({ clock: named(clock, 'searches'), log, ...bounds })
  }

  /** The state of the cache of searches. */
  get cache(): CacheState {
    return this.#searches.cache
  }

  /**
   * @param scope  the client that the calls count for; null for the gateway itself
   * @throws GatewayError  400 invalid_parameter, if the text has no known form
   */
  async find(text: string, scope: CancellationScope | null): Promise<LookupResult> {
    const { list, clock, deadlineMs } = this.#options
    const interpretations = interpretationsOf(text)
    const call = Call.of(clock, 'research', deadlineMs, scope ?? undefined)
    await list.ready(deadlineMs / 2)
    const places = placesOf(interpretations, this.#options.access)
    const rows = places.flatMap(({ chain, address }) => list.find(chain.key, address) ?? [])
    const known = { candidates: rows.map(fromList), sources: [] }
    const { candidates, sources } =
      rows.length > 0 ? known : await this.#ask(interpretations[0]!, places, call)
    const beyond = this.#beyond(candidates, places)
    const isNamed = ({ chain }: LookupCandidate): boolean => beyond.some((known) => known.chain === chain)
    const all = [...candidates.filter((candidate) => !isNamed(candidate)), ...beyond]
    return {
      looksLike: interpretations.map((interpretation) => ({ ...interpretation })),
      candidates: this.#withRisks(await this.#withDecimals(all.toSorted(inOrder), call)),
      sources: [...sources],
    }
  }

  #withRisks(candidates: readonly LookupCandidate[]): LookupCandidate[] {
    const { risksOf } = this.#options
    const isToken = ({ kind }: LookupCandidate): boolean => TOKEN_KINDS.some((one) => one === kind)
    return candidates.map((candidate) =>
      isToken(candidate) ? { ...candidate, risks: risksOf(candidate.chain, candidate.address) } : candidate,
    )
  }

  /** Known tokens for places without a candidate, or with one only from the chain, which has no names. */
  #beyond(candidates: readonly LookupCandidate[], places: readonly TokenPlace[]): readonly LookupCandidate[] {
    const isNamed = ({ why, kind }: LookupCandidate): boolean => why !== 'chain' || kind !== 'token'
    const named = new Set(candidates.filter(isNamed).map(({ chain }) => chain))
    return places
      .filter(({ chain }) => !named.has(chain.key))
      .flatMap(({ chain, address }) => this.#options.universe.find(chain.key, address) ?? [])
      .map(fromUniverse)
  }

  async #ask(
    { text }: Interpretation,
    places: readonly TokenPlace[],
    call: Call,
  ): Promise<SourcedCandidates> {
    if (places.length === 0) return NONE_ASKED
    // An address that several chains may have would cost a call to the nodes of each, so none is asked.
    const only = places.length === 1 ? places[0]! : null
    const [market, onChain] = await Promise.all([
      this.#search(text, call),
      only === null ? NONE_ASKED : this.#onChain(only, call),
    ])
    return {
      candidates: market.candidates.length > 0 ? market.candidates : onChain.candidates,
      sources: [...market.sources, ...onChain.sources],
    }
  }

  async #search(text: string, call: Call): Promise<SourcedCandidates> {
    const { access } = this.#options
    const sources: SourceReport[] = []
    for (const { label, byAddress } of this.#options.providers) {
      if (byAddress === undefined) continue
      const answer = await this.#searches.ask(
        {
          key: `${label} ${text}`,
          provider: label,
          keepMs: KEEP_MS,
          ask: async (shared) => {
            const rows = await byAddress.ask(text, call.in(shared))
            return rows.length === 0 ? null : rows
          },
        },
        call.scope,
      )
      sources.push(reportOf(label, answer))
      if (answer.kind === 'given') {
        return {
          candidates: answer.value
            .filter(({ chain }) => access.serves(chain))
            .map((row) => fromMarket(row, label)),
          sources,
        }
      }
    }
    return { candidates: [], sources }
  }

  /** Asks the nodes of the only chain that has such addresses. */
  async #onChain({ chain, address }: TokenPlace, call: Call): Promise<SourcedCandidates> {
    const { decimals, solana, clock } = this.#options
    const id = { chain: chain.key, address }
    try {
      const token = { address, isNative: false }
      const known = await decimals.addTo(chain, token, call).catch(nullOfUnknown)
      const isAccount = known === null && chain.family === 'solana'
      const account = isAccount ? await accountKind(solana, address, call) : null
      const kind = known === null ? account : 'token'
      const status = kind === null ? 'missing' : 'ok'
      return {
        candidates:
          kind === null
            ? []
            : [candidateOf(id, { decimals: known?.decimals ?? null, kind, source: 'chain', why: 'chain' })],
        sources: [{ provider: chain.key, status, at: clock.date() }],
      }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      const { code, fields } = error
      const { provider = chain.key, retryAfterMs } = fields
      const delay = retryAfterMs === undefined ? {} : { retryAfterMs }
      return { candidates: [], sources: [{ provider, status: 'failed', at: null, code, ...delay }] }
    }
  }

  /** Looks up missing decimals; if that fails, they stay unknown. */
  async #withDecimals(candidates: readonly LookupCandidate[], call: Call): Promise<LookupCandidate[]> {
    const { decimals } = this.#options
    const isOpen = ({ kind, decimals }: LookupCandidate): boolean => kind === 'token' && decimals === null
    const open = new Set(candidates.filter(isOpen).slice(0, MAX_DECIMALS))
    return Promise.all(
      candidates.map(async (candidate) => {
        if (!open.has(candidate)) return candidate
        const { chain, address } = candidate
        const token = { address, isNative: false }
        const known = await decimals.addTo(findChain(chain)!, token, call).catch(nullIfRefused)
        return { ...candidate, decimals: known?.decimals ?? null }
      }),
    )
  }
}

/** Where the text may be a token: each address form, on each chain of its family. */
function placesOf(interpretations: readonly Interpretation[], { chains }: Access): TokenPlace[] {
  return interpretations.flatMap(({ family, form, text }) =>
    form === 'transaction'
      ? []
      : chains
          .filter((chain) => chain.family === family)
          .flatMap((chain): TokenPlace[] => {
            const address = parseToken(chain, text)?.address
            return address === undefined ? [] : [{ chain, address }]
          }),
  )
}

function fromList(row: ListedRow): LookupCandidate {
  const { chain, address, book, isListed } = row
  const why: CandidateReason =
    book === 'majors' ? 'major' : book === 'operator' ? 'operator' : isListed ? 'listed' : 'gated'
  return {
    ...toToken(row),
    family: familyOf(chain),
    kind: kindOf({ chain, address }),
    listed: isListed,
    source: 'tokens',
    why,
  }
}

function fromMarket(row: MarketRow, source: string): LookupCandidate {
  const { chain, symbol, name, price, priceTs, liq } = row
  return candidateOf(row, {
    symbol,
    name,
    price,
    priceTs: price === null ? null : priceTs,
    liq,
    tier: tierOf(liq),
    readsLike: likeOf(chain, symbol, name),
    kind: 'token',
    source,
    why: 'market',
  })
}

/** Its decimals are left unknown: the chain's own count. */
function fromUniverse(token: KnownToken): LookupCandidate {
  const { chain, symbol, name } = token
  const readsLike = likeOf(chain, symbol, name)
  return candidateOf(token, { symbol, name, readsLike, source: 'known', why: 'known' })
}

/** @param known  all else of it is unknown */
function candidateOf(
  { chain, address }: TokenId,
  known: Partial<LookupCandidate> & Pick<LookupCandidate, 'source' | 'why'>,
): LookupCandidate {
  return {
    chain,
    address,
    symbol: null,
    name: null,
    decimals: null,
    price: null,
    priceTs: null,
    liq: null,
    tier: 'unknown',
    book: null,
    gated: null,
    gate: [],
    readsLike: null,
    listed: false,
    family: familyOf(chain),
    kind: kindOf({ chain, address }),
    ...known,
  }
}

const familyOf = (chain: string): Family => findChain(chain)!.family
const kindOf = ({ chain, address }: TokenId): LookupCandidate['kind'] =>
  findMajor(chain, address)?.kind ?? 'token'

function inOrder(a: LookupCandidate, b: LookupCandidate): number {
  return REASONS.indexOf(a.why) - REASONS.indexOf(b.why) || (b.liq ?? -1) - (a.liq ?? -1)
}

function nullOfUnknown(error: unknown): null {
  if (error instanceof GatewayError && error.code === 'unknown_token') return null
  throw error
}
