/**
 * What a swap form needs when it opens: chains, sides, bounds, presets, and the
 * states of the providers. Every form reads it, so the reply is serialized again
 * only when a state changes.
 *
 * Source: §4.10 `/api/swap-options`, `/api/desktop/swap-options`
 */
import type { Access } from '../../chains/access.ts'
import { parseToken } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { MAJORS } from '../../chains/majors.ts'
import { Representation } from '../../http/reply/representation.ts'
import { type SolanaRates, solanaReserve } from '../../proof/terms/fees.ts'
import type { ProvedProvider, SwapProviders } from '../../providers/proved.ts'
import { reachedBy } from '../../providers/provider.ts'
import { XPROV } from '../../providers/swap/xprov.ts'
import type { Clock } from '../../runtime/clock.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { LEVELS, type Level } from '../../runtime/levels.ts'
import {
  DEFAULT_SLIPPAGE_BPS,
  MAX_SLIPPAGE_BPS,
  MIN_SLIPPAGE_BPS,
  QuoteQuery,
} from '../../runtime/resources/order.ts'
import { taped } from '../../runtime/tape.ts'
import { PREFERENCES } from '../../swap/cross-chain.ts'
import type { RisksOf } from '../../swap/slippage.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import { nodeLabel } from '../../upstream/nodes/chain-nodes.ts'
import form from './form.json' with { type: 'json' }
import { PROVIDER_STATES, type ProviderState, type SwapOptions } from './shapes.ts'

/**
 * The values that a form offers, in ascending order; `shareBps` are shares of the wallet's balance. A narrow form has
 * room for three of each.
 */
export const PRESETS = form.presets

interface SwapOptionsReplyOptions {
  readonly swaps: SwapProviders
  readonly access: Pick<Access, 'chains'>
  /** Whether a cross-chain provider is configured. */
  readonly isCrossChain: boolean
  readonly minVerification: Level
  /** Solana's current charges. */
  readonly rates: () => SolanaRates
  readonly states: () => readonly Pick<UpstreamState, 'name' | 'state'>[]
  readonly risksOf: RisksOf
  readonly clock: Clock
}

/** The replies for both forms. */
export const createSwapOptions = (options: SwapOptionsReplyOptions) => ({
  narrow: taped(options.clock, 'narrow', new SwapOptionsReply(options, PRESETS.narrow)),
  desktop: taped(options.clock, 'desktop', new SwapOptionsReply(options, PRESETS.desktop)),
})

const NO_TOKEN = '`against` must be the address of a token on one of the chains, or `native`.'

type ProviderStates = ReadonlyMap<string, ProviderState>

export class SwapOptionsReply {
  readonly #options: SwapOptionsReplyOptions
  readonly #presets: typeof PRESETS.narrow
  /** The states that the reply shows, joined; null before the first. */
  #stateKey: string | null = null
  #reply: Representation | Promise<Representation> | null = null

  constructor(options: SwapOptionsReplyOptions, presets: typeof PRESETS.narrow) {
    this.#options = options
    this.#presets = presets
  }

  /** A promise only if a state has changed since the last call. */
  reply(): Representation | Promise<Representation> {
    const states = this.#states()
    const stateKey = this.#keyOf(states)
    if (this.#reply !== null && stateKey === this.#stateKey) return this.#reply
    const reply = Representation.of(Buffer.from(JSON.stringify(this.#describe(states))))
    this.#stateKey = stateKey
    this.#reply = reply
    return reply.then((representation) => {
      if (this.#reply === reply) this.#reply = representation
      return representation
    })
  }

  /**
   * For a form that opens with a token on the other side: only the chains that have it there.
   * @throws GatewayError  invalid_parameter
   */
  replyFor(against: string): ReturnType<SwapOptionsReply['reply']> | Buffer {
    const { access, risksOf } = this.#options
    const parsed = access.chains.map((chain) => parseToken(chain, against))
    const token = parsed.find((one) => one !== null)
    if (token?.isNative) return this.reply()
    if (token === undefined) throw invalidParameter('against', NO_TOKEN)
    const options = this.#describe(this.#states())
    const chains = options.chains.filter((_, nth) => parsed[nth] !== null)
    const risks = chains.map(({ key }) => risksOf(key, token.address))
    const told = { ...options, against: { ...options.against, default: token.address, risks }, chains }
    return Buffer.from(JSON.stringify(told))
  }

  #states(): ProviderStates {
    return new Map(this.#options.states().map(({ name, state }) => [name, state]))
  }

  /** The states that the reply shows, joined. Those of other upstreams, such as price sources, do not count. */
  #keyOf(states: ProviderStates): string {
    const { swaps, access } = this.#options
    const ofSwaps = access.chains.flatMap(({ key }) =>
      (swaps.get(key) ?? []).map(({ label }) => stateOf(label, key, states)),
    )
    return [...ofSwaps, states.get(XPROV), this.#reserve()].join()
  }

  #reserve(): string {
    return String(solanaReserve(this.#options.rates()))
  }

  #describe(states: ProviderStates): SwapOptions {
    const { swaps, access, isCrossChain, minVerification, clock } = this.#options
    const { chains } = access
    const { slippageBps, shareBps, usd } = this.#presets
    const { why } = form
    return {
      sides: [...QuoteQuery.properties.side.enum],
      against: { default: 'native', why: why.against },
      slippageBps: {
        min: MIN_SLIPPAGE_BPS,
        max: MAX_SLIPPAGE_BPS,
        default: DEFAULT_SLIPPAGE_BPS,
        presets: [...slippageBps],
        why: why.slippageBps,
      },
      amounts: {
        shareBps: { presets: [...shareBps], why: why.shareBps },
        usd: { presets: [...usd], why: why.usd },
      },
      minVerification,
      chains: chains.map((chain) => ({
        ...describeChain(chain, swaps.get(chain.key) ?? [], states),
        reserve: chain.family === 'solana' ? this.#reserve() : null,
      })),
      crossChain: isCrossChain
        ? {
            provider: XPROV,
            state: states.get(XPROV) ?? 'untried',
            from: chains.filter(canBeLeft).map(({ key }) => key),
            to: chains.filter(({ xprovChainId }) => xprovChainId !== null).map(({ key }) => key),
            orders: [...PREFERENCES],
          }
        : null,
      fees: { gatewayBps: 0, why: why.fees },
      asOf: clock.date(),
    }
  }
}

function describeChain(
  chain: ChainDefinition,
  providers: readonly ProvedProvider[],
  states: ProviderStates,
): Omit<SwapOptions['chains'][number], 'reserve'> {
  const { key, name, chainId, native, decimals } = chain
  const described = providers.map((provider) => ({
    label: provider.label,
    state: stateOf(provider.label, key, states),
    freshMs: provider.freshMs,
    verification: reachedBy(provider, chain),
  }))
  const isServed = described.length > 0
  return {
    key,
    name,
    chainId,
    native,
    decimals,
    swaps: isServed,
    state: isServed ? bestOf(described.map(({ state }) => state)) : null,
    verification: LEVELS.findLast((level) => described.some((one) => one.verification === level)) ?? null,
    providers: described,
    majors: MAJORS.get(key)!.map((major) => ({ ...major })),
  }
}

/** A provider without an upstream of its own reads the chain through its nodes. */
function stateOf(label: string, chainKey: string, states: ProviderStates): ProviderState {
  return states.get(label) ?? stateOfNodes(chainKey, states)
}

function stateOfNodes(chainKey: string, states: ProviderStates): ProviderState {
  const known: ProviderState[] = []
  for (let at = 0; ; at++) {
    const state = states.get(nodeLabel(chainKey, at))
    if (state === undefined) return bestOf(known)
    known.push(state)
  }
}

function bestOf(states: readonly ProviderState[]): ProviderState {
  return PROVIDER_STATES.find((state) => states.includes(state)) ?? 'untried'
}

/** A cross-chain swap leaves an EVM chain through LI.FI's contract, so the chain must have it. */
function canBeLeft(chain: ChainDefinition): boolean {
  return chain.xprovChainId !== null && (chain.family !== 'evm' || chain.xprovContract !== null)
}
