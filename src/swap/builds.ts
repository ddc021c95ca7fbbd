/**
 * POST /api/build, between its route and the providers: a quote comes back, is checked against its seal, and
 * becomes unsigned material that is proved to match the order.
 *
 * Source: §4.6
 */

import { type Static, Type } from 'typebox'
import { minOut } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { quantity } from '../chains/json/quantity.ts'
import { findMajor } from '../chains/majors.ts'
import { WireTransaction } from '../chains/solana/wire.ts'
import { evmDigest, messageOf, type SolanaEdits, solanaForm } from '../chains/transaction-digest.ts'
import { Call } from '../flow/call.ts'
import type { CancellationScope } from '../flow/cancellation.ts'
import { LIFE_MS } from '../http/counts/promises.ts'
import { sizeOf } from '../http/counts/truth.ts'
import { callsOf, type BatchedCall as EvmCall } from '../proof/evm/approval.ts'
import type { Material, TonMessage } from '../proof/terms/material.ts'
import type { BuildOrder } from '../proof/terms/order.ts'
import { boughtBefore, type EvmNodes, evmGuard, GUARD_UNITS } from '../providers/evm-guards.ts'
import { headroomIn } from '../providers/guards.ts'
import type { Proved, ProvedProvider } from '../providers/proved.ts'
import { type Offer, reachedBy } from '../providers/provider.ts'
import type { RatesOf } from '../providers/solana-rates.ts'
import { requireMaximum, requireMinimum, slippageToKeep } from '../providers/swap/worth.ts'
import { type Code, GatewayError, invalidParameter, nullIfRefused } from '../runtime/errors.ts'
import { isAtLeast } from '../runtime/levels.ts'
import type { BuildResult, Costs } from '../runtime/resources/build.ts'
import { compile, refuseInput } from '../runtime/validate.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { type AdmissionOptions, requireHeld } from './admission.ts'
import { type CostTerms, costsOf } from './costs.ts'
import type { WorthOf } from './fair.ts'
import type { FeesOf } from './gas.ts'
import { type CancelRules, cancelling, GATEWAY, readNonce } from './nonces.ts'
import { type SwapRequest, toOrder } from './order.ts'
import { providersFor, type Quotes, type QuotesOptions } from './quotes.ts'
import { winnersOf } from './race.ts'
import { requireWallet } from './recipient.ts'

/** The part of a quote that a build needs back; the client may keep or drop the rest. */
const ReturnedQuote = Type.Object({
  provider: Type.String(),
  expectedOut: Type.String({ pattern: '^\\d{1,80}$', title: "the quote's own, unchanged" }),
  minOut: Type.String({ pattern: '^\\d{1,80}$', title: "the quote's own, unchanged" }),
  maxIn: Type.Optional(Type.String({ pattern: '^\\d{1,80}$', title: "the quote's own, unchanged" })),
  route: Type.Object({
    asOf: Type.Integer(),
    seal: Type.String(),
    raw: Type.String(),
    stated: Type.Optional(Type.Unknown()),
  }),
})
type ReturnedQuote = Static<typeof ReturnedQuote>

const returnedQuote = compile(ReturnedQuote)

/** @throws 400  invalid_parameter naming the part of the quote that is missing */
export function parseReturnedQuote(quote: unknown): ReturnedQuote {
  if (!returnedQuote.Check(quote)) throw refuseInput(returnedQuote, quote, 'quote')
  return quote
}

interface BuildsOptions
  extends Pick<QuotesOptions, 'providers' | 'decimals' | 'sealer' | 'counts' | 'deadlines' | 'clock'>,
    Pick<AdmissionOptions, 'minimum' | 'heldOf'> {
  /** Races again where a build's provider has failed. */
  readonly quotes: Pick<Quotes, 'again'>
  /** The nodes that know what a wallet holds before a guarded build. */
  readonly evm: EvmNodes
  /** What an order between two tokens is worth. */
  readonly worthOf: WorthOf
  /** The price of gas, for display. */
  readonly feesOf: FeesOf
  /** Solana's current charges. */
  readonly ratesOf: RatesOf
  /** Reads nonce accounts. */
  readonly accounts: Pick<SolanaRpc, 'read'>
  readonly cancelRules: CancelRules
}

/** A request whose every part has the right form. `nonce` is the account's address. */
type BuildQuery = SwapRequest &
  Pick<BuildOrder, 'from' | 'priority' | 'guards' | 'headroomBytes'> & { readonly nonce?: string }

/** What a provider made of an order. */
interface Made extends Pick<BuildResult, 'insteadOf'> {
  readonly provider: ProvedProvider
  readonly offer: Offer
  readonly proved: Proved
}

interface Elsewhere {
  readonly failure: GatewayError
  readonly builder: ProvedProvider
  readonly others: readonly ProvedProvider[]
  readonly request: BuildQuery
  readonly scope: CancellationScope
  readonly call: Call
  /** @param first  its offer for the same order; null: to be asked for @throws quote_moved  below the agreed minimum */
  readonly make: (provider: ProvedProvider, first: Offer | null, call: Call) => Promise<Made>
}

/** What another provider may do better, but for those that do not answer. Refused material is for the client to see. */
const PASSING: ReadonlySet<Code> = new Set(['quote_moved', 'no_route', 'unsupported_slippage'])

const isPassing = (failure: unknown): failure is GatewayError =>
  failure instanceof GatewayError &&
  (PASSING.has(failure.code) || (failure.scope === 'provider' && failure.code.startsWith('upstream_')))

/** Whether a build of one provider is as good as that of another: as proved, and without guards that were not prepared. */
const canReplace = (one: ProvedProvider, other: ProvedProvider, chain: ChainDefinition): boolean =>
  one !== other &&
  isAtLeast(reachedBy(one, chain), reachedBy(other, chain)) &&
  (one.needsGuards !== true || other.needsGuards === true)

/** The part of the time left that the quote's provider may take if another could replace it: 6 of 10 s. */
const FIRST_SHARE = 0.6
/** How long the price of gas is waited for, ms. */
const FEES_MS = 1_000

export class Builds {
  readonly #options: BuildsOptions

  constructor(options: BuildsOptions) {
    this.#options = options
  }

  /** @throws GatewayError  quote_mismatch, quote_moved, insufficient_balance, material_refused, or a provider's */
  async build(request: BuildQuery, quote: ReturnedQuote, scope: CancellationScope): Promise<BuildResult> {
    const { providers, decimals, sealer, deadlines, clock, minimum, heldOf, worthOf } = this.#options
    const call = Call.of(clock, 'build', deadlines.buildMs, scope)
    const candidates = providersFor(providers, request.chain)
    const { from, priority, guards = false, headroomBytes = 0, receiver } = request
    const asked = await toOrder(request, decimals, call.within(deadlines.tokenMs))
    if ('amountOut' in asked && quote.maxIn === undefined) throw mismatch()
    const ordered: BuildOrder = {
      ...('amountOut' in asked ? { ...asked, amountIn: BigInt(quote.maxIn!) } : asked),
      ...{ from, guards, headroomBytes },
      ...(receiver !== undefined && { receiver }),
      ...(priority !== undefined && { priority }),
    }
    const { route } = quote
    const builder = candidates.find(({ label }) => label === quote.provider)
    if (builder === undefined || !sealer.isSealed(ordered, quote, route.seal)) throw mismatch()
    if (receiver !== undefined && builder.paysOthers !== true) throw paysNobody(builder, candidates)

    const pricing = call.within(deadlines.priceMs)
    const { family } = request.chain
    const { nonce: account } = request
    const [worth, rates, nonce, before] = await Promise.all([
      // A native coin on one side gives the order's value.
      ordered.tokenIn.isNative || ordered.tokenOut.isNative
        ? null
        : worthOf({ ...ordered, chainIn: ordered.chain }, pricing),
      family === 'solana' ? this.#options.ratesOf(pricing) : null,
      account === undefined ? null : readNonce(this.#options.accounts, account, from, call),
      (guards || builder.needsGuards) && family === 'evm'
        ? boughtBefore(ordered, this.#options.evm, call)
        : null,
      // If the bytes alone do not show the outcome: without the funds there is none.
      reachedBy(builder, ordered.chain) === 'proved' || minimum === 'stated'
        ? null
        : requireHeld({ ...ordered, fromChain: ordered.chain }, { heldOf }, call),
      receiver === undefined
        ? null
        : requireWallet(
            { ...ordered, toChain: ordered.chain, to: receiver },
            this.#options,
            call,
            'receiver',
          ),
    ])
    const order: BuildOrder = {
      ...ordered,
      ...(worth !== null && { worth }),
      ...(rates && { solana: rates.most }),
      ...(nonce && { nonce }),
    }
    const isFresh = clock.date() - route.asOf <= builder.freshMs
    const agreed: Offer = {
      expectedOut: BigInt(quote.expectedOut),
      minOut: BigInt(quote.minOut),
      priceImpactPct: null,
      details: {},
      raw: route.raw,
    }
    let counting: ReturnType<FeesOf> | undefined
    const make: Elsewhere['make'] = async (provider, first, call) => {
      const isAgreed = first === agreed
      const anew = isAgreed ? { order, offer: first } : await keeping(provider, order, agreed, first, call)
      // In parallel, capped, for display only: after the quote, because a node that failed takes one call at first.
      counting ??= this.#options.feesOf(request.chain, pricing.within(FEES_MS))
      counting.catch(() => {})
      const proved = await provider.buildProved(anew.order, anew.offer, call)
      return { provider, offer: anew.offer, proved }
    }
    const others = candidates.filter((one) => canReplace(one, builder, request.chain))
    const mayFallBack = clock.date() - route.asOf <= LIFE_MS && others.length > 0
    const first = mayFallBack ? call.within(FIRST_SHARE * call.leftMs) : call
    const made = await make(builder, isFresh ? agreed : null, first).catch((failure: unknown) => {
      if (!mayFallBack || scope.isCancelled || !isPassing(failure)) throw failure
      return this.#makeElsewhere({ failure, builder, others, request, scope, call, make })
    })
    this.#options.counts.funnel.count('build', family)
    const { provider, offer, proved, insteadOf } = made
    const statedUnits = unitsOf(offer, provider === builder ? quote : null)
    const priced = { fees: await counting!, statedUnits, before }
    const held = heldBy(order, offer, proved)
    const result = toResult(provider.label, order, held, proved, priced, insteadOf)
    this.#remember(order, held, proved, priced.statedUnits, result, scope)
    return result
  }

  /** With the next best offers that keep the agreed minimum, until one builds. @throws the first failure, if none does */
  async #makeElsewhere({ failure, builder, others, request, scope, call, make }: Elsewhere): Promise<Made> {
    const { verification, priority, guards, headroomBytes, nonce, ...terms } = request
    const asked = this.#options.quotes.again(terms, scope, false).catch(nullIfRefused)
    const race = await call.orLate(asked, null)
    for (const { provider, offer } of race === null ? [] : winnersOf(race)) {
      if (!others.includes(provider)) continue
      const made = await make(provider, offer, call).catch(nullIfRefused)
      if (made !== null) return { ...made, insteadOf: { provider: builder.label, code: failure.code } }
    }
    throw failure
  }

  /**
   * Builds what ends every transaction with the value that a nonce account holds. It asks no provider.
   * @throws GatewayError  invalid_parameter, material_refused, upstream_*
   */
  async cancel(
    { chain, from, priority }: Pick<BuildQuery, 'chain' | 'from' | 'priority'>,
    account: string,
    scope: CancellationScope,
  ): Promise<BuildResult> {
    const { accounts, cancelRules, ratesOf, deadlines, clock } = this.#options
    const call = Call.of(clock, 'build', deadlines.buildMs, scope)
    const [nonce, rates] = await Promise.all([
      readNonce(accounts, account, from, call),
      ratesOf(call.within(deadlines.priceMs)),
    ])
    const charges = rates && { solana: rates.most }
    const order = { chain, from, nonce, ...(priority !== undefined && { priority }), ...charges }
    const { material, verification, paid, spent = null } = await cancelling(order, cancelRules, call)
    const traded = { nativeIn: 0n, isNativeOut: false, statedUnits: null, fees: null }
    return {
      provider: GATEWAY,
      chain: chain.key,
      chainId: null,
      from,
      ...materialFields(material, order, null),
      ...(paid && { priority: paid }),
      ...{ expectedOut: '0', minOut: '0' },
      ...costsOf({ chain, material, spent, ...charges, ...traded }),
      verification,
    }
  }

  /** So that the swap's receipt can be matched with it. */
  #remember(
    { chain, tokenIn, tokenOut, amountIn, from, receiver }: BuildOrder,
    { expectedOut, minOut }: Held,
    { material, verification: { simulation } }: Proved,
    gasStated: bigint | null,
    { provider, costs = [], costsComplete = false }: BuildResult,
    scope: CancellationScope,
  ): void {
    // A receipt shows what its own wallet got.
    const form = receiver === undefined ? formOf(material, chain, from) : null
    if (form === null) return
    const otherNativeOut = costs.reduce(
      (sum, { kind, amount }) => (OTHER_NATIVE.has(kind) ? sum + BigInt(amount) : sum),
      0n,
    )
    // Of the native coin, gas and rent are part of the change.
    const simulated = simulation?.changes.find(
      ({ token }) => !tokenOut.isNative && token === tokenOut.address,
    )
    const { isNative, address: token } = tokenOut
    const swap = {
      row: {
        ...{ chain: chain.key, provider, token, isNative },
        size: sizeOf(chain.key, [tokenIn.address, amountIn], [token, expectedOut]),
        stated: String(expectedOut),
        minimum: String(minOut),
        simulated: simulated?.amount ?? null,
        simulatedAt: simulation?.at ?? null,
        otherNativeOut: isNative && costsComplete ? String(otherNativeOut) : null,
        gasStated: gasStated === null ? null : String(gasStated),
      },
      isMajor: [tokenIn, tokenOut].every(({ address }) => findMajor(chain.key, address) !== null),
      costs,
      edits: form.edits,
    }
    this.#options.counts.deliveries.built(form.digest, swap, scope.client)
  }
}

/**
 * An offer that keeps what was agreed. The new minimum is never below the agreed one: if the market
 * fell, the provider is asked again with the slippage that keeps it. The maximum of an exact output stays.
 * @param first  the provider's offer for the order; null: it is asked for one
 * @returns the new offer, and the order that it is for
 * @throws GatewayError  quote_moved, if the market no longer gives the agreed minimum
 */
async function keeping(
  provider: ProvedProvider,
  order: BuildOrder,
  agreed: Offer,
  first: Offer | null,
  call: Call,
): Promise<{ readonly order: BuildOrder; readonly offer: Offer }> {
  const { amountOut } = order
  const asked = amountOut === undefined ? order : { ...order, amountOut }
  const offer = first ?? (await provider.quote(asked, call))
  if (amountOut !== undefined) {
    requireMaximum(offer, order.amountIn, provider.label)
    return { order, offer }
  }
  const slippageBps = slippageToKeep(offer, agreed, provider.label)
  if (slippageBps === null) return { order, offer }
  const kept = { ...order, slippageBps }
  const again = await provider.quote(kept, call)
  requireMinimum(again, agreed, provider.label)
  return { order: kept, offer: again }
}

type Held = Pick<Offer, 'expectedOut' | 'minOut'>

/**
 * What the material holds, which may be more than its offer: a provider that routes again for a build uses
 * the market at that time. Its expected output counts if the minimum is within the slippage of it.
 */
function heldBy({ slippageBps }: BuildOrder, offer: Offer, { material, verification }: Proved): Held {
  const least = typeof verification.minOut === 'string' ? BigInt(verification.minOut) : offer.minOut
  const stated = statedBy(material)
  const isTaken = stated !== null && stated >= least && minOut(stated, slippageBps) <= least
  const expectedOut = isTaken ? stated : offer.expectedOut
  return { expectedOut: expectedOut < least ? least : expectedOut, minOut: least }
}

function statedBy(material: Material): bigint | null {
  if (material.kind !== 'evm' && material.kind !== 'solana') return null
  const { expectedOut } = material.kind === 'evm' ? material : material.extra
  return typeof expectedOut === 'string' ? BigInt(expectedOut) : null
}

/** The gas that the provider stated: from the offer, else from the returned quote. */
function unitsOf({ gas }: Offer, quote: ReturnedQuote | null): bigint | null {
  if (gas !== undefined) return BigInt(gas.units)
  const { gas: stated } = (quote?.route.stated ?? {}) as { readonly gas?: unknown }
  return typeof stated === 'string' && /^\d{1,10}$/.test(stated) ? BigInt(stated) : null
}

/** What receipts count as losses of the native coin: they know the network's own fees. */
const OTHER_NATIVE: ReadonlySet<string> = new Set(['rent', 'tip'])

/** Null on families without receipts. */
function formOf(
  material: Material,
  { chainId }: ChainDefinition,
  from: string,
): { readonly digest: string; readonly edits: SolanaEdits | null } | null {
  if (material.kind === 'evm') {
    const { to, data, value } = material
    return { digest: evmDigest({ chainId: chainId!, from, to, data, value: BigInt(value) }), edits: null }
  }
  const wire = new WireTransaction()
  if (material.kind !== 'solana' || wire.parse(Buffer.from(material.transaction, 'base64')) !== null)
    return null
  return solanaForm(messageOf(wire))
}

function mismatch(): GatewayError {
  const message =
    'The quote must come back unchanged, with the chain, side, token, `against`, amount and slippage that it was asked with.'
  return new GatewayError('quote_mismatch', message, { field: 'quote' })
}

function paysNobody({ label }: ProvedProvider, others: readonly ProvedProvider[]): GatewayError {
  const able = others.flatMap((one) => (one.paysOthers === true ? one.label : []))
  const who =
    able.length === 0
      ? 'Leave `receiver` out.'
      : `Here ${able.join(', ')} can: ask for a quote with \`receiver\`.`
  return invalidParameter('receiver', `${label} pays the wallet that signs, and no other. ${who}`)
}

interface Priced extends Pick<CostTerms, 'fees' | 'statedUnits'> {
  /** What the wallet holds of the bought token before a guarded build on an EVM chain; null otherwise. */
  readonly before: bigint | null
}

/** §2: the fields of the chain's family, and what was proved of them. */
function toResult(
  provider: string,
  order: BuildOrder,
  { expectedOut, minOut }: Held,
  { material, verification, paid, spent, guards: own }: Proved,
  { before: held, ...priced }: Priced,
  insteadOf?: BuildResult['insteadOf'],
): BuildResult {
  const { chain, from, tokenIn, tokenOut, amountIn, solana } = order
  // What the bytes prove needs a guard only if it was asked for.
  const before = order.guards === true || verification.level !== 'proved' ? held : null
  const costs = costsOf({
    chain,
    material,
    nativeIn: tokenIn.isNative ? amountIn : 0n,
    isNativeOut: tokenOut.isNative,
    spent: spent ?? null,
    ...(solana && { solana }),
    ...priced,
    ...(before !== null && { guardUnits: GUARD_UNITS }),
  })
  const guard = before === null ? null : evmGuard(order, minOut, before, mostForGas(costs))
  const guards = own ?? guard?.guards ?? { by: 'material' }
  return {
    provider,
    ...(insteadOf && { insteadOf }),
    chain: chain.key,
    chainId: chain.chainId ?? null,
    from,
    ...materialFields(material, order, guard?.call ?? null),
    ...(paid && { priority: paid }),
    ...((order.guards === true || guards.by !== 'material') && { guards }),
    ...costs,
    expectedOut: String(expectedOut),
    minOut: String(minOut),
    verification,
  }
}

/** Wallets set their own gas, and its price moves. */
const GAS_ROOM = 4n

/** The most that a batch takes for gas; null if not all of it is known. */
function mostForGas({ costs, costsComplete }: Costs): bigint | null {
  const gas = costs.filter(({ kind }) => kind.endsWith('_fee') && kind !== 'messaging_fee')
  return costsComplete ? gas.reduce((sum, { amount }) => sum + BigInt(amount), 0n) * GAS_ROOM : null
}

function materialFields(
  material: Material,
  { chain, from, nonce }: Pick<BuildOrder, 'chain' | 'from' | 'nonce'>,
  guard: EvmCall | null,
): Partial<BuildResult> {
  switch (material.kind) {
    case 'evm': {
      const { to, data, value, approval } = material
      const transactionRequest = {
        from,
        to,
        chainId: quantity(BigInt(chain.chainId!)),
        data,
        value: quantity(BigInt(value)),
      }
      return { to, data, value, approval, transactionRequest, ...callsOf(material, guard) }
    }
    case 'solana': {
      const { transaction, lastValidBlockHeight, extra } = material
      const expiry = lastValidBlockHeight === null ? {} : { lastValidBlockHeight }
      const ends = nonce === undefined ? expiry : { nonce: { ...nonce } }
      const headroomBytes = headroomIn(transaction)
      return {
        ...{ swapTransaction: transaction, solanaTransaction: transaction, headroomBytes },
        ...ends,
        ...extra,
      }
    }
    case 'sui':
      return { suiTransaction: material.transaction }
    case 'ton':
      return { tonMessage: material.message, tonConnect: tonConnectOf(material.message) }
  }
}

/** The arguments of TonConnect's `sendTransaction`, which refuses unknown members, and null. */
function tonConnectOf({ to, value, payload, stateInit, validUntil, from }: TonMessage) {
  const message = { address: to, amount: value, payload, ...(stateInit !== null && { stateInit }) }
  return { validUntil, from, network: TON_MAINNET, messages: [message] }
}

/** By its global id, as TonConnect names it. */
const TON_MAINNET = '-239'
